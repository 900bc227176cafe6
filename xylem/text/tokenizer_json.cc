// Tokenizers from Hugging Face's files: tokenizer.json and the small ones beside it.
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "xylem/base/error.h"
#include "xylem/base/file.h"
#include "xylem/base/log.h"
#include "xylem/io/json.h"
#include "xylem/io/printable.h"
#include "xylem/text/tokenize/tokenizer_parts.h"
#include "xylem/text/tokenizer.h"

namespace xylem::text {
namespace {

constexpr size_t kMaxUnusedIds = size_t{1} << 16;
// Real files have up to ten. Each is a pass over every text and added token, and may hold a regular
// expression that is a thousand times larger when compiled.
constexpr size_t kMaxParts = 256;

size_t count_parts(const Json& json) {
  size_t count = json.is_object() && json.contains("type") ? 1 : 0;
  for (const Json& value : json) {
    if (value.is_structured()) count += count_parts(value);
  }
  return count;
}

void check_part_count(const Json& json, const std::string& name) {
  size_t count = 0;
  for (const char* key : {"normalizer", "pre_tokenizer", "post_processor", "decoder"}) {
    if (const Json* part = optional_field(json, key)) count += count_parts(*part);
  }
  if (count > kMaxParts) {
    fail(ErrorCode::kResourceExhausted, "{} has {} parts, at most {} expected", name, count,
         kMaxParts);
  }
}

AddedToken added_from(const Json& json, const Where& where) {
  return {.id = index_value(required_field(json, "id", where), where + " id"),
          .content = string_field(json, "content", where),
          .single_word = bool_field(json, "single_word", where, false),
          .lstrip = bool_field(json, "lstrip", where, false),
          .rstrip = bool_field(json, "rstrip", where, false),
          .normalized = bool_field(json, "normalized", where, false),
          .special = bool_field(json, "special", where, false)};
}

// As the tokenizers library takes them: a token that the model knows has the model's id.
std::vector<AddedToken> added_tokens_from(const Json& json, const Model& model,
                                          const std::string& name) {
  const Json* list = optional_field(json, "added_tokens");
  if (list == nullptr) return {};
  array_field(json, "added_tokens", name);
  const TokenTexts& texts = model.token_texts();
  const size_t end = texts.size() + list->size() + kMaxUnusedIds;
  std::unordered_map<int32_t, std::string> seen;
  std::vector<AddedToken> tokens;
  for (size_t i = 0; i < list->size(); ++i) {
    const Where where = name + ": added_tokens[" + std::to_string(i) + "]";
    AddedToken token = added_from((*list)[i], where);
    if (token.content.empty()) continue;
    const int32_t model_id = model.token_id(token.content);
    if (model_id >= 0 && model_id != token.id) {
      log(LogLevel::kWarn, "{}: '{}' has id {}, but {} in the model's vocabulary, which counts",
          where, io::printable(token.content), token.id, model_id);
      token.id = model_id;
    }
    const auto id = static_cast<size_t>(token.id);
    if (id >= end) {
      fail(ErrorCode::kInvalidArgument, "{}: the id {} is out of range for {} tokens", where, id,
           texts.size() + list->size());
    }
    if (model_id < 0 && id < texts.size() && !texts[id].empty()) {
      fail(ErrorCode::kInvalidArgument, "{}: '{}' has id {}, as has the model's token '{}'", where,
           io::printable(token.content), id, io::printable(texts[id]));
    }
    const auto [other, is_new] = seen.emplace(token.id, token.content);
    if (!is_new && other->second != token.content) {
      fail(ErrorCode::kInvalidArgument, "{}: '{}' has id {}, as has '{}'", where,
           io::printable(token.content), id, io::printable(other->second));
    }
    if (is_new) tokens.push_back(std::move(token));
  }
  return tokens;
}

template <typename Part>
std::unique_ptr<Part> optional_part(const Json& json, const char* key, const std::string& name,
                                    std::unique_ptr<Part> (*make)(const Json&, const Where&)) {
  const Json* part = optional_field(json, key);
  return part == nullptr ? nullptr : make(*part, name + ": " + key);
}

std::unique_ptr<Model> model_from(const Json& json, const std::string& name) {
  Json model = required_field(json, "model", name);
  // Files from before 2021 do not name the type; only BPE has merges.
  if (model.is_object() && !model.contains("type") && model.contains("merges")) {
    model["type"] = "BPE";
  }
  return make_model(model, name + ": model");
}

// The id of a token that a file names; tokens that do not exist are passed over with a warning.
std::optional<int32_t> named_id(const TokenizerParts& parts, const std::string& token) {
  for (const AddedToken& added : parts.added) {
    if (added.content == token) return added.id;
  }
  const int32_t id = parts.model->token_id(token);
  if (id >= 0) return id;
  log(LogLevel::kWarn, "{}: the configured token '{}' is not in the vocabulary", parts.name,
      io::printable(token));
  return std::nullopt;
}

void apply_config(const TokenizerConfig& config, TokenizerParts& parts) {
  if (config.bos_token) parts.bos = named_id(parts, *config.bos_token);
  std::optional<int32_t> end;
  for (const std::string& token : config.eos_tokens) {
    const std::optional<int32_t> id = named_id(parts, token);
    if (id) parts.eos.push_back(*id);
    if (!end) end = id;
  }
  parts.eos.insert(parts.eos.end(), config.eos_ids.begin(), config.eos_ids.end());
  if (!config.add_bos && !config.add_eos) return;
  std::vector<int32_t> prefix;
  std::vector<int32_t> suffix;
  if (config.add_bos.value_or(false) && parts.bos) prefix.push_back(*parts.bos);
  if (config.add_eos.value_or(false) && end) suffix.push_back(*end);
  parts.post_processor = make_template(std::move(prefix), std::move(suffix));
}

std::optional<Json> read_beside(const std::string& folder, const char* file) {
  const std::filesystem::path path = std::filesystem::path(folder) / file;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return io::read_json_file(path.string());
}

// A token is a string, or an object with its content.
std::optional<std::string> config_token(const Json& json, const char* key, const Where& where) {
  const Json* value = optional_field(json, key);
  if (value == nullptr) return std::nullopt;
  return value->is_object() ? string_field(*value, "content", where)
                            : string_field(json, key, where);
}

std::optional<bool> config_flag(const Json& json, const char* key, const Where& where) {
  if (optional_field(json, key) == nullptr) return std::nullopt;
  return bool_field(json, key, where, false);
}

void add_eos_ids(const Json& json, const Where& where, std::vector<int32_t>& ids) {
  const Json* value = optional_field(json, "eos_token_id");
  if (value == nullptr) return;
  if (!value->is_array()) return ids.push_back(index_value(*value, where + ": eos_token_id"));
  for (const Json& id : *value) ids.push_back(index_value(id, where + ": eos_token_id"));
}

TokenizerConfig config_from_folder(const std::string& folder) {
  TokenizerConfig config;
  if (const auto json = read_beside(folder, "tokenizer_config.json")) {
    const Where where = folder + "/tokenizer_config.json";
    config.bos_token = config_token(*json, "bos_token", where);
    if (const auto eos = config_token(*json, "eos_token", where)) config.eos_tokens = {*eos};
    config.add_bos = config_flag(*json, "add_bos_token", where);
    config.add_eos = config_flag(*json, "add_eos_token", where);
  }
  for (const char* file : {"generation_config.json", "config.json"}) {
    const auto json = read_beside(folder, file);
    if (json) add_eos_ids(*json, folder + "/" + file, config.eos_ids);
  }
  return config;
}

}  // namespace

std::unique_ptr<const Tokenizer> Tokenizer::from_json(std::string_view tokenizer_json,
                                                      const std::string& name,
                                                      const TokenizerConfig& config) {
  const Json json = io::parse_json(tokenizer_json, name);
  TokenizerParts parts;
  parts.name = name;
  check_part_count(json, name);
  parts.model = model_from(json, name);
  parts.added = added_tokens_from(json, *parts.model, name);
  parts.normalizer = optional_part(json, "normalizer", name, make_normalizer);
  parts.pre_tokenizer = optional_part(json, "pre_tokenizer", name, make_pre_tokenizer);
  parts.post_processor = optional_part(json, "post_processor", name, make_post_processor);
  parts.decoder = optional_part(json, "decoder", name, make_decoder);
  if (parts.decoder == nullptr) parts.decoder = make_space_decoder();
  apply_config(config, parts);
  return std::make_unique<Tokenizer>(std::move(parts));
}

std::unique_ptr<const Tokenizer> Tokenizer::from_folder(const std::string& folder) {
  const std::string path = folder + "/tokenizer.json";
  return from_json(read_file(path), path, config_from_folder(folder));
}

}  // namespace xylem::text
