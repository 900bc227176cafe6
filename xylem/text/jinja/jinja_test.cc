// The engine against what transformers' own Jinja environment makes of the same templates
// (scripts/make_jinja_cases.py), and its bounds.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "xylem/base/error.h"
#include "xylem/text/chat_template.h"
#include "xylem/text/jinja/template.h"

namespace xylem::text::jinja {
namespace {

using Json = nlohmann::ordered_json;

std::string data_path(const std::string& name) {
  return std::string(XYLEM_SOURCE_DIR) + "/tests/data/jinja/" + name;
}

Json read_json(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return Json::parse(file);
}

std::chrono::local_seconds clock_time() { return parse_clock("2026-01-15T12:00:00"); }

struct Outcome {
  std::string text;
  std::string error;
};

Outcome render(const std::string& source, const Json& context, const Limits& limits = {}) {
  try {
    return {Template::parse(source, "t").render(context, clock_time(), limits), ""};
  } catch (const Error& error) {
    return {"", std::string("error: ") + error.what()};
  }
}

class Cases : public testing::TestWithParam<const char*> {};

TEST_P(Cases, RenderAsTransformersDoes) {
  const Json common = read_json(data_path("context.json"));
  for (const Json& row : read_json(data_path(std::string(GetParam()) + ".json"))) {
    const std::string source = row.at("template");
    const Outcome got = render(source, row.contains("context") ? row.at("context") : common);
    if (row.contains("expected")) {
      EXPECT_EQ(got.error, "") << source;
      EXPECT_EQ(got.text, row.at("expected").get<std::string>()) << source;
      continue;
    }
    EXPECT_NE(got.error, "") << source << "\nrendered: " << got.text << "\nexpected "
                             << row.at("error");
    if (!row.contains("message")) continue;
    const std::string message = row.at("message");
    if (row.at("error") == "TemplateError") {
      EXPECT_EQ(got.error, "error: " + message) << source;
    } else {
      EXPECT_NE(got.error.find(message), std::string::npos) << source << "\n" << got.error;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Jinja, Cases,
                         testing::Values("whitespace", "expressions", "statements", "macros",
                                         "filters", "tojson", "tests", "methods", "globals",
                                         "errors", "syntax"),
                         [](const auto& info) { return std::string(info.param); });

void expect_refused(const std::string& source, std::string_view why) {
  const Outcome got = render(source, {{"n", 1}});
  EXPECT_NE(got.error.find(why), std::string::npos) << source.substr(0, 200) << "\n" << got.error;
}

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(JinjaErrors, NameThePlaceAndWhatWasExpected) {
  EXPECT_EQ(render("a\n{{ 1 +\n }}", {}).error,
            "error: t:3: unexpected end of print statement, expected an expression");
  EXPECT_EQ(render("{% if x %}\n{% for y in z %}{% endif %}", {}).error,
            "error: t:2: unknown tag 'endif', expected a statement or the end of 'for'");
  EXPECT_EQ(render("{% if x %}\n\n", {}).error,
            "error: t:2: unexpected end of template, expected '{% elif %}' or '{% else %}' or "
            "'{% endif %}' to close 'if'");
  EXPECT_EQ(render("x\n{{ 'a' + n }}", {{"n", 1}}).error,
            "error: t:2: unsupported operand types for +: 'str' and 'int'");
  EXPECT_EQ(render("{% macro m() %}\n\n{{ 1 }}{% endmacro %}\n{{ m() + 1 }}", {}).error,
            "error: t:4: unsupported operand types for +: 'str' and 'int'");
}

TEST(JinjaBounds, RecursionEndsInAnError) {
  expect_refused("{% macro m(x) %}{{ m(x) }}{% endmacro %}{{ m(1) }}", "recurses deeper");
  expect_refused(
      "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}",
      "recurses deeper");
  expect_refused(
      "{% set ns = namespace() %}{% set ns.x = [[1]] %}{% set ns.l = ns %}"
      "{% for i in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}",
      "recurses deeper");
  expect_refused(
      "{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{{ caller }}{% endmacro %}"
      "{{ m() }}",
      "recurses deeper");
}

TEST(JinjaBounds, NestingEndsInAnError) {
  constexpr int kMany = 20'000;
  expect_refused("{{ " + repeated("(", kMany) + "1" + repeated(")", kMany) + " }}", "too deeply");
  expect_refused("{{ " + repeated("[", kMany) + repeated("]", kMany) + " }}", "too deeply");
  expect_refused("{{ " + repeated("not ", kMany) + "1 }}", "too deeply");
  expect_refused("{{ " + repeated("-", kMany) + "1 }}", "too deeply");
  expect_refused("{{ 1" + repeated(" + 1", kMany) + " }}", "too deeply");
  expect_refused("{{ n" + repeated(".a", kMany) + " }}", "too deeply");
  expect_refused("{{ n" + repeated("|string", kMany) + " }}", "too deeply");
  expect_refused("{{ 1" + repeated(" if 1 else 1", kMany) + " }}", "too deeply");
  expect_refused(repeated("{% if n %}", kMany) + repeated("{% endif %}", kMany), "too deeply");
  expect_refused(
      "{% for " + repeated("(", kMany) + "x" + repeated(")", kMany) + " in y %}{% endfor %}",
      "too deeply");
  expect_refused("{{ '" + repeated("{:", kMany) + "'.format(1) }}", "'{' without '}'");
  EXPECT_EQ(render(repeated("{% if n %}", 90) + "x" + repeated("{% endif %}", 90), {{"n", 1}}).text,
            "x");
  EXPECT_EQ(render("{{ 'a'" + repeated(" + 'a'", 300) + " }}", {}).text, repeated("a", 301));
  const std::string chain = "{% set ns = namespace(x=[]) %}{% for i in range(100000) %}";
  expect_refused(chain + "{% set ns.x = [ns.x] %}{% endfor %}", "nested deeper");
  expect_refused(chain + "{% set ns.x = {'a': ns.x} %}{% endfor %}", "nested deeper");
  expect_refused(chain + "{% set ns.x = ns.x|map('upper') %}{% endfor %}", "nested deeper");
  expect_refused(chain + "{% set ns.x = ns.x|batch(2) %}{% endfor %}", "nested deeper");
  Json deep = Json::array();
  for (int i = 0; i < 1000; ++i) deep = Json::array({deep});
  EXPECT_NE(render("{{ x }}", {{"x", deep}}).error.find("nested deeper"), std::string::npos);
}

TEST(JinjaBounds, WorkAndMemoryEndInAnError) {
  expect_refused("{{ 'x' * 1000000000000 }}", "more than 67108864 bytes");
  expect_refused("{{ [n] * 1000000000000 }}", "bytes");
  expect_refused("{{ 'x'.center(1000000000000) }}", "bytes");
  expect_refused("{{ 'x'.ljust(1000000000000, 'é') }}", "bytes");
  expect_refused("{{ '%1000000000d' % 1 }}", "bytes");
  expect_refused("{{ '{:1000000000}'.format(1) }}", "bytes");
  expect_refused("{{ 'a\nb'|indent(1000000000) }}", "bytes");
  expect_refused("{{ [1]|tojson(indent=1000000000) }}", "bytes");
  expect_refused("{{ [1]|batch(1000000000000, 0)|list }}", "bytes");
  expect_refused("{{ '\t'.expandtabs(1000000000000) }}", "bytes");
  expect_refused("{{ range(1000000) }}", "range");
  expect_refused("{{ range(-9223372036854775807, 9223372036854775807) }}", "range");
  expect_refused("{{ 2 ** 200 }}", "128 bits");
  expect_refused("{{ 170141183460469231731687303715884105727 + 1 }}", "128 bits");
  expect_refused("{{ strftime_now('%10000d') }}", "longer than");
  expect_refused(
      "{% set ns = namespace(x='ab') %}{% for i in range(1000) %}"
      "{% set ns.x = ns.x + ns.x %}{% endfor %}",
      "bytes");
  expect_refused(
      "{% set ns = namespace(x=[n]) %}{% for i in range(1000) %}"
      "{% set ns.x = ns.x + ns.x %}{% endfor %}",
      "MiB of memory");
  expect_refused("{% for i in range(1000) %}{{ 'x' * 1000000 }}{% endfor %}", "bytes");
  const Limits small{.work = 100'000};
  const std::string loops =
      "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}"
      "{% endfor %}";
  EXPECT_NE(render(loops, {}, small).error.find("steps"), std::string::npos);
  EXPECT_NE(
      render("{% for i in range(100000) %}{% if 'b' in 'a' * 100000 %}{% endif %}{% endfor %}", {},
             small)
          .error.find("steps"),
      std::string::npos);
}

TEST(JinjaBounds, LongConversationsFit) {
  Json messages = Json::array();
  const std::string content = repeated("word ", 200);
  for (int i = 0; i < 1000; ++i) messages.push_back({{"role", "user"}, {"content", content}});
  const Outcome got = render(
      "{% set ns = namespace(all='', n=0) %}{% for m in messages %}"
      "{% set rest = messages[loop.index:] %}{% set ns.n = ns.n + rest|length %}"
      "{% set ns.all = ns.all + m.content.split('x')[0]|trim %}{% endfor %}"
      "{{ ns.all|length }} {{ ns.n }}",
      {{"messages", messages}});
  EXPECT_EQ(got.error, "");
  EXPECT_EQ(got.text, "999000 499500");
}

TEST(JinjaContext, KeepsOrderAndRepairsText) {
  EXPECT_EQ(render("{{ x }}", {{"x", {{"z", 1}, {"a", 2}}}}).text, "{'z': 1, 'a': 2}");
  EXPECT_EQ(render("{{ x|length }}{{ x }}", {{"x", "a\xff\xc3"}}).text, "3a\uFFFD\uFFFD");
  EXPECT_NE(render("\xff", {}).error.find("not UTF-8"), std::string::npos);
  EXPECT_NE(render("{{ '\\ud800' }}", {}).error, "");
  EXPECT_NE(render("{{ x }}", {{"x", Json::binary({1, 2})}}).error, "");
}

TEST(JinjaTemplate, RendersOnManyThreads) {
  const Template shared = Template::parse(
      "{% for x in items %}{{ x ~ 'constant'|upper }}{{ [1, 'a'] }}{% endfor %}", "t");
  const Json context = {{"items", {1, 2, 3}}};
  const std::string expected = shared.render(context, clock_time());
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) wrong[t] += shared.render(context, clock_time()) != expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace xylem::text::jinja
