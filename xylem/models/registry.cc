#include "xylem/models/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "xylem/base/error.h"
#include "xylem/models/llama.h"

namespace xylem::models {
namespace {

const Family& find_family(const std::string& path, const std::string& what, const std::string& name,
                          std::vector<std::string> Family::*field) {
  std::vector<std::string> known;
  for (const Family& family : families()) {
    const std::vector<std::string>& names = family.*field;
    if (std::find(names.begin(), names.end(), name) != names.end()) return family;
    known.insert(known.end(), names.begin(), names.end());
  }
  fail(ErrorCode::kUnimplemented, "{}: {} \"{}\" is not supported; supported are {}", path, what,
       name, fmt::join(known, ", "));
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> kFamilies = {llama_family()};
  return kFamilies;
}

std::shared_ptr<const Model> load_model(const std::string& path, const LoadOptions& options) {
  if (std::filesystem::is_directory(path)) {
    io::HfConfig config = io::HfConfig::load(path + "/config.json");
    const Family& family =
        find_family(path, "model_type", config.string_key("model_type"), &Family::model_types);
    WeightLoader loader(io::open_weights(path), options);
    return family.from_hf(config, loader);
  }
  std::shared_ptr<const io::GgufFile> file = io::GgufFile::open(path);
  const Family& family =
      find_family(path, "architecture", std::string(file->get_string("general.architecture")),
                  &Family::architectures);
  WeightLoader loader(file, options);
  return family.from_gguf(*file, loader);
}

}  // namespace xylem::models
