#include "xylem/cli/chat_source.h"

#include <filesystem>

#include "xylem/base/file.h"
#include "xylem/io/gguf.h"
#include "xylem/io/json.h"

namespace xylem::cli {
namespace {

ChatFormat from_gguf(const io::GgufFile& file) {
  ChatFormat format;
  std::vector<std::pair<std::string_view, std::string_view>> texts;
  for (const io::GgufEntry& entry : file.metadata()) {
    if (entry.key.starts_with("tokenizer.chat_template")) {
      if (entry.value.type() == io::GgufType::kString) {
        texts.emplace_back(entry.key, file.get_string(entry.key));
      }
    }
  }
  format.templates = text::ChatTemplates::from_gguf(texts, file.name());
  std::vector<std::string_view> tokens = file.get_strings("tokenizer.ggml.tokens");
  for (const char* name : {"bos", "eos", "unknown", "padding"}) {
    std::string key = std::string("tokenizer.ggml.") + name + "_token_id";
    if (!file.has(key)) continue;
    uint32_t id = file.get_u32(key);
    std::string hf = name == std::string("unknown")   ? "unk_token"
                     : name == std::string("padding") ? "pad_token"
                                                      : std::string(name) + "_token";
    if (id < tokens.size()) format.special_tokens[hf] = tokens[id];
  }
  return format;
}

// tokenizer_config.json and the newer chat_template.jinja beside it.
ChatFormat from_folder(const std::string& folder) {
  ChatFormat format;
  std::string config_file = folder + "/tokenizer_config.json";
  if (std::filesystem::exists(config_file)) {
    nlohmann::json config = io::read_json_file(config_file);
    format.templates = text::ChatTemplates::from_tokenizer_config(config, config_file);
    format.special_tokens = text::special_tokens_context(config, config_file);
  }
  std::string jinja = folder + "/chat_template.jinja";
  if (std::filesystem::exists(jinja)) {
    format.templates.add(text::ChatTemplates::kDefault, read_file(jinja), jinja);
  }
  return format;
}

}  // namespace

std::shared_ptr<const text::Tokenizer> load_tokenizer(const std::string& path) {
  if (std::filesystem::is_directory(path)) return text::Tokenizer::from_folder(path);
  return text::Tokenizer::from_gguf(*io::GgufFile::open(path));
}

ChatFormat load_chat_format(const std::string& path) {
  if (std::filesystem::is_directory(path)) return from_folder(path);
  return from_gguf(*io::GgufFile::open(path));
}

}  // namespace xylem::cli
