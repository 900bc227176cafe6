#include "xylem/text/tokenize/post_processor.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace xylem::text {
namespace {

// Real ones add one or two tokens; a hostile file can name a long list of ids again and again.
constexpr size_t kMaxAdded = 1024;

void check_count(const std::vector<int32_t>& added, const Where& where) {
  if (added.size() > kMaxAdded) {
    fail(ErrorCode::kResourceExhausted, "{}: it adds over {} tokens to a text", where, kMaxAdded);
  }
}

class Template : public PostProcessor {
 public:
  Template(std::vector<int32_t> prefix, std::vector<int32_t> suffix)
      : prefix_(std::move(prefix)), suffix_(std::move(suffix)) {}
  void process(std::vector<int32_t>& ids) const override {
    ids.insert(ids.begin(), prefix_.begin(), prefix_.end());
    ids.insert(ids.end(), suffix_.begin(), suffix_.end());
  }

 private:
  std::vector<int32_t> prefix_;
  std::vector<int32_t> suffix_;
};

class PostProcessorSequence : public PostProcessor {
 public:
  explicit PostProcessorSequence(std::vector<std::unique_ptr<PostProcessor>> steps)
      : steps_(std::move(steps)) {}
  void process(std::vector<int32_t>& ids) const override {
    for (const auto& step : steps_) step->process(ids);
  }

 private:
  std::vector<std::unique_ptr<PostProcessor>> steps_;
};

// ByteLevel only trims offsets, which we do not keep.
std::unique_ptr<PostProcessor> byte_level_from(const Json&, const Where&) {
  return make_template({}, {});
}

std::vector<int32_t> special_ids(const Json& tokens, const std::string& name, const Where& where) {
  std::vector<int32_t> ids;
  for (const Json& id : array_field(required_field(tokens, name, where), "ids", where)) {
    ids.push_back(index_value(id, where + " '" + name + "'"));
  }
  return ids;
}

// The template for one text, {"SpecialToken": {"id"}} and {"Sequence": {"id": "A"}} in a row.
std::unique_ptr<PostProcessor> template_from(const Json& json, const Where& where) {
  const Json* tokens = optional_field(json, "special_tokens");
  std::vector<int32_t> prefix;
  std::vector<int32_t> suffix;
  bool seen_text = false;
  for (const Json& piece : array_field(json, "single", where)) {
    if (const Json* token = optional_field(piece, "SpecialToken")) {
      if (tokens == nullptr) required_field(json, "special_tokens", where);
      const std::vector<int32_t> ids =
          special_ids(*tokens, string_field(*token, "id", where), where + " special_tokens");
      auto& side = seen_text ? suffix : prefix;
      side.insert(side.end(), ids.begin(), ids.end());
      check_count(side, where);
      continue;
    }
    const std::string id = string_field(required_field(piece, "Sequence", where), "id", where);
    if (id != "A" || seen_text) {
      fail(ErrorCode::kInvalidArgument, "{}: 'single' must hold the sequence A once, found '{}'",
           where, id);
    }
    seen_text = true;
  }
  if (!seen_text) fail(ErrorCode::kInvalidArgument, "{}: 'single' lacks the sequence A", where);
  return make_template(std::move(prefix), std::move(suffix));
}

std::unique_ptr<PostProcessor> sequence_from(const Json& json, const Where& where) {
  std::vector<std::unique_ptr<PostProcessor>> steps;
  std::vector<int32_t> added;
  for (const Json& step : array_field(json, "processors", where)) {
    steps.push_back(make_post_processor(step, where));
    steps.back()->process(added);
    check_count(added, where);
  }
  return std::make_unique<PostProcessorSequence>(std::move(steps));
}

constexpr std::array<PartKind<PostProcessor>, 3> kKinds = {{
    {"ByteLevel", byte_level_from},
    {"Sequence", sequence_from},
    {"TemplateProcessing", template_from},
}};

}  // namespace

std::unique_ptr<PostProcessor> make_post_processor(const Json& json, const Where& where) {
  return make_part<PostProcessor>(kKinds, json, where);
}

std::unique_ptr<PostProcessor> make_template(std::vector<int32_t> prefix,
                                             std::vector<int32_t> suffix) {
  return std::make_unique<Template>(std::move(prefix), std::move(suffix));
}

}  // namespace xylem::text
