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

}  // namespace
}  // namespace xylem::text::jinja
