// Chat templates: a conversation becomes the text that a model was trained to continue. The
// templates are Jinja programs that come with the model, rendered as transformers renders them.
//
//   ChatTemplate chat = ChatTemplate::parse(source, "model.gguf:chat_template");
//   std::string prompt = chat.render({{"messages", messages}, {"add_generation_prompt", true},
//                                     {"bos_token", "<s>"}});
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xylem::text {

namespace jinja {
class Template;
}

// Immutable, cheap to copy; any number of threads may render one.
class ChatTemplate {
 public:
  // name stands in messages. kInvalidArgument, "name:line: what, expected", for syntax errors.
  static ChatTemplate parse(std::string_view source, const std::string& name);

  // context is an object with `messages` and, by need, `tools`, `documents`,
  // `add_generation_prompt`, the special tokens and the template's own switches; tools and
  // documents are none and add_generation_prompt is false when absent. Reasoning in a message is
  // shown to the template under each of the names in use (`reasoning_content`, `thinking`). `now`
  // is what strftime_now sees, by default this machine's clock. Errors: kInvalidArgument with the
  // template's own words when it refuses (raise_exception); "name:line: what" when it fails;
  // kResourceExhausted when it exceeds its bounds of text, memory, steps or recursion.
  std::string render(const nlohmann::ordered_json& context,
                     std::optional<std::chrono::local_seconds> now = {}) const;

 private:
  explicit ChatTemplate(std::shared_ptr<const jinja::Template> parsed)
      : template_(std::move(parsed)) {}
  std::shared_ptr<const jinja::Template> template_;
};

// The templates that come with a model, by name. The usual one is called "default".
class ChatTemplates {
 public:
  static constexpr std::string_view kDefault = "default";

  // tokenizer_config.json: `chat_template` is a text or a list of {name, template}. Empty when the
  // key is absent or null. file is for messages.
  static ChatTemplates from_tokenizer_config(const nlohmann::json& config, const std::string& file);
  // GGUF metadata: pairs of key and text, of which tokenizer.chat_template and
  // tokenizer.chat_template.NAME are taken.
  static ChatTemplates from_gguf(
      const std::vector<std::pair<std::string_view, std::string_view>>& metadata,
      const std::string& file);

  // Parses a template (of chat_template.jinja, or named by the user); replaces one of the same
  // name.
  void add(std::string_view name, std::string_view source, const std::string& file);

  bool empty() const { return templates_.empty(); }
  std::vector<std::string> names() const;
  // As transformers chooses: the one called `name`; without a name, "tool_use" when there are tools
  // and it exists, else "default". kNotFound, naming those there are.
  const ChatTemplate& choose(bool has_tools, std::optional<std::string_view> name = {}) const;

 private:
  std::vector<std::pair<std::string, ChatTemplate>> templates_;
};

// A special token in a JSON configuration: a text, or an object with `content`. Empty when null.
// kInvalidArgument for anything else; what names it.
std::string special_token_text(const nlohmann::json& token, std::string_view what);

// The special tokens of a tokenizer_config.json (bos_token, eos_token, pad_token, unk_token, ...)
// as context for render().
nlohmann::ordered_json special_tokens_context(const nlohmann::json& config,
                                              const std::string& file);

// The context of a request in the form of `xylem template --jsonl`: messages, tools and
// add_generation_prompt as they are, with the entries of `tokens` and of `kwargs` beside them.
nlohmann::ordered_json chat_context(const nlohmann::ordered_json& request);

// Drops the keys of messages that are null, as transformers' apply_chat_template does before it
// renders: many templates would print them.
nlohmann::ordered_json without_null_fields(const nlohmann::ordered_json& messages);

// "2026-01-15T12:00:00" as a clock time. kInvalidArgument for another form.
std::chrono::local_seconds parse_clock(std::string_view text);

}  // namespace xylem::text
