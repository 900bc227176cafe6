#include "xylem/models/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "xylem/base/env.h"
#include "xylem/base/error.h"
#include "xylem/base/paths.h"

namespace xylem::models {

const std::vector<CatalogueEntry>& catalogue() {
  static const std::vector<CatalogueEntry> kEntries = {
      {"smollm2", "smollm2.gguf", "SmolLM2-135M-Instruct, Q4_1 (Apache-2.0)"},
  };
  return kEntries;
}

std::string resolve_model(const std::string& model) {
  if (std::filesystem::exists(model)) return model;
  std::vector<std::string> folders;
  if (std::optional<std::string> folder = env("XYLEM_MODELS")) folders.push_back(*folder);
  folders.push_back(setup_folder() + "/models");
  folders.push_back(data_folder() + "/models");
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : catalogue()) {
    names.push_back(entry.name);
    if (entry.name != model) continue;
    for (const std::string& folder : folders) {
      std::string path = folder + "/" + entry.file;
      if (std::filesystem::exists(path)) return path;
    }
    fail(ErrorCode::kNotFound,
         "the model {} is not fetched yet (looked in {}); run scripts/setup.sh", model,
         fmt::join(folders, ", "));
  }
  fail(ErrorCode::kNotFound,
       "{} is no file, no folder and no name of the catalogue ({}); give a .gguf file or a Hugging "
       "Face folder",
       model, fmt::join(names, ", "));
}

}  // namespace xylem::models
