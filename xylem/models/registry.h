// The families, and loading a model from what people have: a .gguf file or a Hugging Face folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "xylem/io/gguf.h"
#include "xylem/io/hf_config.h"
#include "xylem/models/model.h"
#include "xylem/models/weight_loader.h"

namespace xylem::models {

// A family: the names that files call it by, and how its model is made from either kind of file.
struct Family {
  std::string name;
  std::vector<std::string> model_types;    // config.json's "model_type"
  std::vector<std::string> architectures;  // GGUF's general.architecture
  std::shared_ptr<const Model> (*from_hf)(const io::HfConfig& config, WeightLoader& loader);
  std::shared_ptr<const Model> (*from_gguf)(const io::GgufFile& file, WeightLoader& loader);
};

const std::vector<Family>& families();

// Loads the weights. Unknown architectures are an Error that lists the known ones.
std::shared_ptr<const Model> load_model(const std::string& path, const LoadOptions& options);

}  // namespace xylem::models
