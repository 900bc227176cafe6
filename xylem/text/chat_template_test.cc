// Whole conversations against transformers: our own templates always, and those of
// ../shared/reference/chat when they stand beside the checkout.
#include "xylem/text/chat_template.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "xylem/base/error.h"

namespace xylem::text {
namespace {

using Json = nlohmann::ordered_json;

const std::string kData = std::string(XYLEM_SOURCE_DIR) + "/tests/data/jinja/";
const std::filesystem::path kReference =
    std::filesystem::path(XYLEM_SOURCE_DIR) / "../shared/reference/chat";

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Renders and compares with the row's `rendered`, or that it refuses as its `error` says.
void expect_as_recorded(const ChatTemplate& chat, const Json& context,
                        std::chrono::local_seconds now, const Json& row, const char* text_key) {
  std::string got;
  std::optional<std::string> refusal;
  try {
    got = chat.render(context, now);
  } catch (const Error& error) {
    refusal = error.what();
  }
  if (row.contains(text_key)) {
    EXPECT_FALSE(refusal) << *refusal;
    EXPECT_EQ(got, row.at(text_key).get<std::string>());
    return;
  }
  const std::string error = row.at("error");
  ASSERT_TRUE(refusal) << "rendered " << got << ", expected " << error;
  // Either the name of a Python error or what the template itself said.
  if (error.find(' ') != std::string::npos) {
    EXPECT_EQ(*refusal, error);
  }
}

TEST(ChatTemplate, OwnTemplatesRenderAsTransformersDoes) {
  std::map<std::string, ChatTemplate> templates;
  for (const Json& row : Json::parse(read_text(kData + "chat.json"))) {
    const std::string name = row.at("template");
    SCOPED_TRACE(name + ", " + row.at("case").get<std::string>());
    auto known = templates.find(name);
    if (known == templates.end()) {
      const std::string source = read_text(kData + "templates/" + name);
      known = templates.emplace(name, ChatTemplate::parse(source, name)).first;
    }
    expect_as_recorded(known->second, row.at("context"), parse_clock("2026-01-15T12:00:00"), row,
                       "expected");
    if (!row.contains("message")) continue;
    try {
      known->second.render(row.at("context"));
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), row.at("message").get<std::string>());
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    }
  }
  EXPECT_EQ(templates.size(), 4);
}

TEST(ChatTemplate, PublishedTemplatesRenderAsTransformersDoes) {
  if (!std::filesystem::exists(kReference)) return;  // only beside the references
  int templates = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kReference)) {
    if (entry.path().extension() != ".jsonl") continue;
    ++templates;
    const std::string name = entry.path().stem();
    const auto chat =
        ChatTemplate::parse(read_text(kReference / "templates" / (name + ".jinja")), name);
    std::istringstream lines(read_text(entry.path()));
    std::string line;
    std::getline(lines, line);
    const Json header = Json::parse(line);
    const auto now = parse_clock(header.at("now").get<std::string>());
    while (std::getline(lines, line)) {
      Json row = Json::parse(line);
      row["tokens"] = header.at("tokens");
      SCOPED_TRACE(name + ", " + row.at("case").get<std::string>());
      expect_as_recorded(chat, chat_context(row), now, row, "rendered");
    }
  }
  EXPECT_EQ(templates, 27);
}

TEST(ChatTemplate, FillsInWhatTransformersPasses) {
  const auto chat = ChatTemplate::parse(
      "{{ tools is none }}{{ documents is none }}{{ add_generation_prompt }}{{ messages }}", "t");
  EXPECT_EQ(chat.render({{"messages", {{{"role", "a"}, {"reasoning", "r"}}}}}),
            "TrueTrueFalse[{'thinking': 'r', 'role': 'a', 'reasoning': 'r', "
            "'reasoning_content': 'r'}]");
  EXPECT_THROW(chat.render(Json::array()), Error);
}

TEST(ChatTemplate, SeesThisMachinesClockByDefault) {
  const auto chat = ChatTemplate::parse("{{ strftime_now('%Y') }}", "t");
  EXPECT_GE(std::stoi(chat.render(Json::object())), 2025);
}

TEST(ChatTemplates, ComeFromTheTokenizerConfig) {
  const auto one = ChatTemplates::from_tokenizer_config({{"chat_template", "a{{ 1 }}"}}, "c.json");
  EXPECT_EQ(one.choose(true).render(Json::object()), "a1");
  const auto many =
      ChatTemplates::from_tokenizer_config({{"chat_template",
                                             {{{"name", "default"}, {"template", "d"}},
                                              {{"name", "tool_use"}, {"template", "t"}},
                                              {{"name", "rag"}, {"template", "r"}}}}},
                                           "c.json");
  EXPECT_EQ(many.choose(false).render(Json::object()), "d");
  EXPECT_EQ(many.choose(true).render(Json::object()), "t");
  EXPECT_EQ(many.choose(true, "rag").render(Json::object()), "r");
  EXPECT_EQ(many.names(), (std::vector<std::string>{"default", "tool_use", "rag"}));
  EXPECT_TRUE(ChatTemplates::from_tokenizer_config(nlohmann::json::object(), "c.json").empty());
  EXPECT_TRUE(ChatTemplates::from_tokenizer_config({{"chat_template", nullptr}}, "c.json").empty());
}

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ChatTemplates, ComeFromGgufMetadata) {
  auto templates = ChatTemplates::from_gguf({{"general.name", "x"},
                                             {"tokenizer.chat_template", "d"},
                                             {"tokenizer.chat_template.tool_use", "t"},
                                             {"tokenizer.chat_templates", "names"}},
                                            "m.gguf");
  EXPECT_EQ(templates.names(), (std::vector<std::string>{"default", "tool_use"}));
  EXPECT_EQ(templates.choose(false).render(Json::object()), "d");
  templates.add("default", "mine", "user.jinja");
  EXPECT_EQ(templates.choose(false).render(Json::object()), "mine");
  EXPECT_EQ(error_of([&] { templates.choose(false, "rag"); }),
            "the model has no chat template called 'rag'; it has: default, tool_use");
}

TEST(ChatTemplates, ReportBadInput) {
  EXPECT_EQ(error_of([] {
              ChatTemplates::from_tokenizer_config({{"chat_template", 5}}, "c.json");
            }),
            "c.json: chat_template is a number, expected a text");
  EXPECT_EQ(error_of([] {
              ChatTemplates::from_tokenizer_config({{"chat_template", {"a"}}}, "c.json");
            }),
            "c.json: an entry of chat_template has another form, expected an object with name and "
            "template");
  EXPECT_EQ(error_of([] {
              ChatTemplates::from_gguf({{"tokenizer.chat_template", "{{"}}, "m.gguf");
            }),
            "m.gguf:default:1: unexpected end of template, expected an expression");
  EXPECT_EQ(error_of([] { ChatTemplates().choose(false); }),
            "the model has no chat template called 'default'; it has: none");
}

TEST(SpecialTokens, AreTextsOrObjects) {
  EXPECT_EQ(special_token_text("<s>", "bos"), "<s>");
  EXPECT_EQ(special_token_text({{"content", "</s>"}, {"lstrip", false}}, "eos"), "</s>");
  EXPECT_EQ(special_token_text(nullptr, "bos"), "");
  EXPECT_THROW(special_token_text(5, "bos"), Error);
  EXPECT_EQ(special_tokens_context({{"bos_token", "<s>"},
                                    {"eos_token", {{"content", "</s>"}}},
                                    {"add_bos_token", true},
                                    {"pad_token", nullptr},
                                    {"model_max_length", 5}},
                                   "c.json"),
            Json({{"bos_token", "<s>"}, {"eos_token", "</s>"}}));
}

TEST(ChatContext, PutsTokensAndSwitchesBesideTheMessages) {
  EXPECT_EQ(
      chat_context({{"messages", {1}},
                    {"tools", nullptr},
                    {"tokens", {{"bos_token", "<s>"}}},
                    {"kwargs", {{"thinking", true}}},
                    {"now", "2026-01-15T12:00:00"}}),
      Json({{"messages", {1}}, {"tools", nullptr}, {"bos_token", "<s>"}, {"thinking", true}}));
  EXPECT_THROW(chat_context({{"kwargs", 5}}), Error);
}

TEST(Messages, LoseNullFields) {
  EXPECT_EQ(without_null_fields({{{"role", "a"}, {"content", nullptr}, {"x", {{"y", nullptr}}}}}),
            Json::array({{{"role", "a"}, {"x", {{"y", nullptr}}}}}));
  EXPECT_THROW(without_null_fields({"text"}), Error);
}

TEST(Clock, IsParsedStrictly) {
  EXPECT_EQ(parse_clock("1970-01-02T00:00:01").time_since_epoch().count(), 86401);
  for (const char* bad : {"", "2026-01-15", "2026-13-01T00:00:00", "2026-02-30T00:00:00",
                          "2026-01-15T24:00:00", "2026-01-15T12:00:00Z"}) {
    EXPECT_THROW(parse_clock(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace xylem::text
