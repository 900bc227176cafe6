#include "xylem/text/chat_template.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/text/jinja/strftime.h"
#include "xylem/text/jinja/template.h"

namespace xylem::text {
namespace {

using Json = nlohmann::ordered_json;

// The names under which models were taught to find the reasoning; the first is the standard one.
constexpr std::array<const char*, 3> kReasoningFields = {"reasoning_content", "thinking",
                                                         "reasoning"};

const Json* reasoning_of(const Json& message) {
  if (!message.is_object()) return nullptr;
  for (const char* field : kReasoningFields) {
    const auto found = message.find(field);
    if (found != message.end() && !found->is_null()) return &*found;
  }
  return nullptr;
}

// transformers' order of keys: templates that print a whole message show it.
Json with_reasoning_names(const Json& message, const Json& reasoning) {
  Json result = Json::object();
  result["thinking"] = reasoning;
  for (const auto& [key, value] : message.items()) result[key] = value;
  result["reasoning_content"] = reasoning;
  return result;
}

Json prepared(const Json& context) {
  Json result = context;
  for (const char* key : {"tools", "documents"}) {
    if (!result.contains(key)) result[key] = nullptr;
  }
  if (!result.contains("add_generation_prompt")) result["add_generation_prompt"] = false;
  const auto messages = result.find("messages");
  if (messages == result.end() || !messages->is_array()) return result;
  for (Json& message : *messages) {
    if (const Json* reasoning = reasoning_of(message)) {
      message = with_reasoning_names(message, *reasoning);
    }
  }
  return result;
}

std::string text_of(const nlohmann::json& value, std::string_view key, const std::string& file) {
  if (!value.is_string()) {
    fail(ErrorCode::kInvalidArgument, "{}: {} is a {}, expected a text", file, key,
         value.type_name());
  }
  return value.get<std::string>();
}

}  // namespace

ChatTemplate ChatTemplate::parse(std::string_view source, const std::string& name) {
  return ChatTemplate(
      std::make_shared<const jinja::Template>(jinja::Template::parse(source, name)));
}

std::string ChatTemplate::render(const Json& context,
                                 std::optional<std::chrono::local_seconds> now) const {
  if (!context.is_object()) {
    fail(ErrorCode::kInvalidArgument, "the context of a chat template is a {}, expected an object",
         context.type_name());
  }
  return template_->render(prepared(context), now ? *now : jinja::local_now());
}

ChatTemplates ChatTemplates::from_tokenizer_config(const nlohmann::json& config,
                                                   const std::string& file) {
  ChatTemplates templates;
  const auto found = config.is_object() ? config.find("chat_template") : config.end();
  if (found == config.end() || found->is_null()) return templates;
  if (!found->is_array()) {
    templates.add(kDefault, text_of(*found, "chat_template", file), file);
    return templates;
  }
  for (const auto& entry : *found) {
    if (!entry.is_object() || !entry.contains("name") || !entry.contains("template")) {
      fail(ErrorCode::kInvalidArgument,
           "{}: an entry of chat_template has another form, expected an object with name and "
           "template",
           file);
    }
    templates.add(text_of(entry.at("name"), "the name of a chat_template", file),
                  text_of(entry.at("template"), "the template of a chat_template", file), file);
  }
  return templates;
}

ChatTemplates ChatTemplates::from_gguf(
    const std::vector<std::pair<std::string_view, std::string_view>>& metadata,
    const std::string& file) {
  constexpr std::string_view kKey = "tokenizer.chat_template";
  ChatTemplates templates;
  for (const auto& [key, text] : metadata) {
    if (key == kKey) {
      templates.add(kDefault, text, file);
    } else if (key.starts_with(kKey) && key[kKey.size()] == '.') {
      templates.add(key.substr(kKey.size() + 1), text, file);
    }
  }
  return templates;
}

void ChatTemplates::add(std::string_view name, std::string_view source, const std::string& file) {
  ChatTemplate parsed = ChatTemplate::parse(source, fmt::format("{}:{}", file, name));
  const auto known = std::find_if(templates_.begin(), templates_.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  if (known == templates_.end()) {
    templates_.emplace_back(name, std::move(parsed));
  } else {
    known->second = std::move(parsed);
  }
}

std::vector<std::string> ChatTemplates::names() const {
  std::vector<std::string> names;
  for (const auto& [name, parsed] : templates_) names.push_back(name);
  return names;
}

const ChatTemplate& ChatTemplates::choose(bool has_tools,
                                          std::optional<std::string_view> name) const {
  const auto find = [&](std::string_view wanted) {
    return std::find_if(templates_.begin(), templates_.end(),
                        [&](const auto& entry) { return entry.first == wanted; });
  };
  auto found = find(name.value_or(has_tools ? "tool_use" : kDefault));
  if (found == templates_.end() && !name) found = find(kDefault);
  if (found == templates_.end()) {
    const std::string known =
        templates_.empty() ? "none" : fmt::format("{}", fmt::join(names(), ", "));
    fail(ErrorCode::kNotFound, "the model has no chat template called '{}'; it has: {}",
         name.value_or(kDefault), known);
  }
  return found->second;
}

std::string special_token_text(const nlohmann::json& token, std::string_view what) {
  if (token.is_null()) return "";
  if (token.is_string()) return token.get<std::string>();
  if (token.is_object()) {
    const auto content = token.find("content");
    if (content != token.end() && content->is_string()) return content->get<std::string>();
  }
  fail(ErrorCode::kInvalidArgument, "{} is a {}, expected a text or an object with content", what,
       token.type_name());
}

Json special_tokens_context(const nlohmann::json& config, const std::string& file) {
  Json context = Json::object();
  if (!config.is_object()) return context;
  for (const auto& [key, value] : config.items()) {
    const bool is_token = key.ends_with("_token") && !value.is_boolean() && !value.is_null();
    if (is_token) context[key] = special_token_text(value, file + ": " + key);
  }
  return context;
}

Json chat_context(const Json& request) {
  Json context = Json::object();
  for (const char* key : {"messages", "tools", "add_generation_prompt"}) {
    if (request.contains(key)) context[key] = request.at(key);
  }
  for (const char* key : {"tokens", "kwargs"}) {
    const auto found = request.find(key);
    if (found == request.end() || found->is_null()) continue;
    if (!found->is_object()) {
      fail(ErrorCode::kInvalidArgument, "{} is a {}, expected an object", key, found->type_name());
    }
    context.update(*found);
  }
  return context;
}

Json without_null_fields(const Json& messages) {
  Json result = Json::array();
  for (const Json& message : messages) {
    if (!message.is_object()) {
      fail(ErrorCode::kInvalidArgument, "a chat message is a {}, expected an object",
           message.type_name());
    }
    Json kept = Json::object();
    for (const auto& [key, value] : message.items()) {
      if (!value.is_null()) kept[key] = value;
    }
    result.push_back(std::move(kept));
  }
  return result;
}

std::chrono::local_seconds parse_clock(std::string_view text) {
  using namespace std::chrono;
  const std::string copy(text);
  int fields[6] = {};
  int size = 0;
  const int read = std::sscanf(copy.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &fields[0], &fields[1],
                               &fields[2], &fields[3], &fields[4], &fields[5], &size);
  const year_month_day date{year(fields[0]), month(static_cast<unsigned>(fields[1])),
                            day(static_cast<unsigned>(fields[2]))};
  const bool in_range = fields[3] >= 0 && fields[3] < 24 && fields[4] >= 0 && fields[4] < 60 &&
                        fields[5] >= 0 && fields[5] < 61;
  if (read != 6 || static_cast<size_t>(size) != text.size() || !date.ok() || !in_range) {
    fail(ErrorCode::kInvalidArgument, "'{}' is no clock time, expected YYYY-MM-DDTHH:MM:SS", text);
  }
  return local_days(date) + hours(fields[3]) + minutes(fields[4]) + seconds(fields[5]);
}

}  // namespace xylem::text
