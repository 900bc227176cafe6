// The tokenizer and the chat templates of a model file or folder.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "xylem/text/chat_template.h"
#include "xylem/text/tokenizer.h"

namespace xylem::cli {

std::shared_ptr<const text::Tokenizer> load_tokenizer(const std::string& path);

// What turns conversations into prompts.
struct ChatFormat {
  text::ChatTemplates templates;  // empty when the model has none
  nlohmann::ordered_json special_tokens = nlohmann::ordered_json::object();  // bos_token, ...
};

ChatFormat load_chat_format(const std::string& path);

}  // namespace xylem::cli
