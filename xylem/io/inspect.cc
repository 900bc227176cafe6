#include "xylem/io/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "xylem/base/file.h"
#include "xylem/io/inspect_text.h"
#include "xylem/io/json.h"

namespace xylem::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShownElements = 8;

// Appends without looking the key up: an ordered_json would walk all keys each time.
void append(Json& object, std::string_view key, Json value) {
  object.get_ref<Json::object_t&>().push_back({std::string(key), std::move(value)});
}

Json shortened(std::string_view element_type, size_t count, Json first) {
  if (count <= kShownElements) return first;
  return {{"array_of", element_type}, {"count", count}, {"first", std::move(first)}};
}

Json to_json(const GgufValue& value) {
  if (auto integer = value.as_uint()) return *integer;
  if (auto integer = value.as_int()) return *integer;
  if (auto real = value.as_float()) return *real;
  if (auto flag = value.as_bool()) return *flag;
  if (auto text = value.as_string()) return *text;
  GgufArray array = *value.as_array();
  Json first = Json::array();
  for (const GgufValue& element : array.first(kShownElements)) first.push_back(to_json(element));
  return shortened(gguf_type_name(array.element_type()), array.size(), std::move(first));
}

// A value of config.json, with long arrays shortened at every level.
Json to_json(const nlohmann::json& value) {
  if (value.is_object()) {
    Json object = Json::object();
    for (const auto& [key, item] : value.items()) append(object, key, to_json(item));
    return object;
  }
  if (!value.is_array()) return Json(value);
  Json first = Json::array();
  for (size_t i = 0; i < std::min(value.size(), kShownElements); ++i) {
    first.push_back(to_json(value[i]));
  }
  return shortened("value", value.size(), std::move(first));
}

uint64_t saturating_add(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

// Gathers the list of tensors and their totals.
class TensorTable {
 public:
  void add(std::string_view name, const std::string& type, const std::vector<int64_t>& shape,
           std::optional<uint64_t> bytes) {
    uint64_t elements = 1;
    for (int64_t dim : shape) elements *= static_cast<uint64_t>(dim);
    Total& total = totals_[type];
    total.tensors += 1;
    total.parameters = saturating_add(total.parameters, elements);
    total.bytes = saturating_add(total.bytes, bytes.value_or(0));
    tensors_.push_back({{"name", name},
                        {"type", type},
                        {"shape", shape},
                        {"bytes", bytes ? Json(*bytes) : Json()}});
  }

  void finish(Json& summary) {
    std::vector<std::pair<std::string, Total>> sorted(totals_.begin(), totals_.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
    Total all;
    Json totals = Json::array();
    for (const auto& [type, total] : sorted) {
      totals.push_back({{"type", type},
                        {"tensors", total.tensors},
                        {"parameters", total.parameters},
                        {"bytes", total.bytes}});
      all.parameters = saturating_add(all.parameters, total.parameters);
      all.bytes = saturating_add(all.bytes, total.bytes);
    }
    summary["tensors"] = std::move(tensors_);
    summary["totals"] = std::move(totals);
    summary["parameters"] = all.parameters;
    summary["bytes"] = all.bytes;
  }

 private:
  struct Total {
    uint64_t tensors = 0;
    uint64_t parameters = 0;
    uint64_t bytes = 0;
  };
  Json tensors_ = Json::array();
  std::map<std::string, Total> totals_;
};

void add_entry(TensorTable& table, const SafetensorsEntry& entry) {
  table.add(entry.name, entry.dtype, entry.shape, entry.end - entry.begin);
}

Json summary_of(const GgufFile& file) {
  Json summary = {{"path", file.name()},
                  {"format", "gguf"},
                  {"version", file.version()},
                  {"alignment", file.alignment()},
                  {"files", file.parts()}};
  Json metadata = Json::object();
  for (const GgufEntry& entry : file.metadata()) {
    append(metadata, entry.key, to_json(entry.value));
  }
  summary["metadata"] = std::move(metadata);
  TensorTable table;
  for (const GgufTensor& tensor : file.tensors()) {
    std::optional<uint64_t> bytes;
    if (tensor.sized) bytes = tensor.data.size();
    table.add(tensor.name, tensor.type_name(), tensor.shape, bytes);
  }
  table.finish(summary);
  return summary;
}

Json summary_of(const SafetensorsFile& file) {
  Json summary = {{"path", file.name()}, {"format", "safetensors"}, {"files", 1}};
  Json metadata = Json::object();
  for (const auto& [key, value] : file.metadata()) append(metadata, key, value);
  summary["metadata"] = std::move(metadata);
  TensorTable table;
  for (const SafetensorsEntry& entry : file.tensors()) add_entry(table, entry);
  table.finish(summary);
  return summary;
}

Json summary_of(const Checkpoint& checkpoint) {
  Json summary = {
      {"path", checkpoint.name()}, {"format", "folder"}, {"files", checkpoint.shards().size()}};
  std::string config = (std::filesystem::path(checkpoint.name()) / "config.json").string();
  summary["metadata"] = Json::object();
  std::error_code unreadable;
  if (std::filesystem::exists(config, unreadable))
    summary["metadata"] = to_json(read_json_file(config));
  TensorTable table;
  for (size_t i = 0; i < checkpoint.size(); ++i) add_entry(table, checkpoint.entry(i));
  table.finish(summary);
  return summary;
}

std::string render(const Json& summary, InspectStyle style) {
  if (style == InspectStyle::kText) return inspect_text(summary);
  return dump_json(summary, 1) + "\n";
}

}  // namespace

std::string inspect(const GgufFile& file, InspectStyle style) {
  return render(summary_of(file), style);
}

std::string inspect(const SafetensorsFile& file, InspectStyle style) {
  return render(summary_of(file), style);
}

std::string inspect(const Checkpoint& checkpoint, InspectStyle style) {
  return render(summary_of(checkpoint), style);
}

std::string inspect(const std::string& path, InspectStyle style) {
  std::error_code unreadable;  // then opening it as a file says why
  if (std::filesystem::is_directory(path, unreadable))
    return inspect(*Checkpoint::open(path), style);
  if (is_gguf(MappedFile::open(path)->bytes())) return inspect(*GgufFile::open(path), style);
  return inspect(*SafetensorsFile::open(path), style);
}

}  // namespace xylem::io
