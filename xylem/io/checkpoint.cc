#include "xylem/io/checkpoint.h"

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/io/json.h"
#include "xylem/io/name_index.h"
#include "xylem/io/printable.h"

namespace xylem::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSingle = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

// A plain name inside the folder: an index must not reach files elsewhere.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

std::string path_in(const std::string& folder, std::string_view name) {
  return (fs::path(folder) / name).string();
}

}  // namespace

std::shared_ptr<const Checkpoint> Checkpoint::open(const std::string& folder) {
  std::shared_ptr<Checkpoint> checkpoint(new Checkpoint(folder));
  std::string single = path_in(folder, kSingle);
  std::string index = path_in(folder, kIndex);
  std::error_code unreadable;
  if (fs::exists(single, unreadable)) {
    checkpoint->add_shard(single);
    checkpoint->add_all_of_shard(0);
  } else if (fs::exists(index, unreadable)) {
    checkpoint->read_index(index);
  } else {
    fail(ErrorCode::kNotFound, "{} holds no weights: expected {} or {} there", folder, kSingle,
         kIndex);
  }
  auto name = [](const Location& location) { return location.name; };
  checkpoint->order_ = sorted_unique(checkpoint->locations_, name, "tensor", folder);
  return checkpoint;
}

void Checkpoint::add_shard(const std::string& path) {
  shards_.push_back(SafetensorsFile::open(path));
}

void Checkpoint::add_all_of_shard(uint32_t shard) {
  const auto& tensors = shards_[shard]->tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    locations_.push_back({tensors[i].name, shard, static_cast<uint32_t>(i)});
  }
}

void Checkpoint::read_index(const std::string& path) {
  nlohmann::json index = read_json_file(path);
  auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (map == index.end() || !map->is_object()) {
    fail(ErrorCode::kDataLoss, "{} has no object 'weight_map'", path);
  }
  std::map<std::string, uint32_t> shard_of;  // by file name
  for (const auto& [tensor, file] : map->items()) {
    if (!file.is_string() || !is_plain_name(file.get_ref<const std::string&>())) {
      fail(ErrorCode::kDataLoss, "{}: tensor '{}' is in {}, expected the name of a file beside it",
           path, printable(tensor), printable(dump_json(file)));
    }
    const auto& shard_name = file.get_ref<const std::string&>();
    auto [at, is_new] = shard_of.emplace(shard_name, static_cast<uint32_t>(shards_.size()));
    if (is_new) add_shard(path_in(folder_, shard_name));
    const SafetensorsFile& shard = *shards_[at->second];
    std::optional<size_t> position = shard.position(tensor);
    if (!position) {
      fail(ErrorCode::kDataLoss, "{} has no tensor '{}', though {} places it there", shard.name(),
           printable(tensor), kIndex);
    }
    locations_.push_back(
        {shard.tensors()[*position].name, at->second, static_cast<uint32_t>(*position)});
  }
}

const SafetensorsEntry& Checkpoint::entry(size_t i) const {
  return shards_[locations_[i].shard]->tensors()[locations_[i].tensor];
}

std::vector<std::string_view> Checkpoint::tensor_names() const {
  std::vector<std::string_view> names;
  names.reserve(locations_.size());
  for (const Location& location : locations_) names.push_back(location.name);
  return names;
}

std::optional<TensorView> Checkpoint::find_tensor(std::string_view name) const {
  auto name_of = [](const Location& location) { return location.name; };
  const Location* location = find_sorted(locations_, order_, name_of, name);
  if (!location) return std::nullopt;
  return shards_[location->shard]->find_tensor(name);
}

void Checkpoint::release(const TensorView& tensor) const {
  for (const auto& shard : shards_) shard->release(tensor);
}

}  // namespace xylem::io
