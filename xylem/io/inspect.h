// A summary of a weight file or a model folder for people and scripts (`xylem inspect`):
// metadata, tensors with their types, shapes and sizes, totals per type.
//
//   fmt::print("{}", io::inspect("model.gguf", io::InspectStyle::kText));
//
// The JSON form is one object: "path", "format", "metadata" (arrays of more than eight elements as
// {"array_of", "count", "first"}), "tensors" (a list of {"name", "type", "shape", "bytes"}, bytes
// null when the type is unknown), "totals" (a list of {"type", "tensors", "parameters", "bytes"}),
// "parameters", "bytes".
#pragma once

#include <string>

#include "xylem/io/checkpoint.h"
#include "xylem/io/gguf.h"
#include "xylem/io/safetensors.h"

namespace xylem::io {

enum class InspectStyle { kText, kJson };

// A .gguf file, a .safetensors file, or a folder with a checkpoint and its config.json. Also files
// with tensor types that this build cannot load. Errors as when opening the file.
std::string inspect(const std::string& path, InspectStyle style);

std::string inspect(const GgufFile& file, InspectStyle style);
std::string inspect(const SafetensorsFile& file, InspectStyle style);
std::string inspect(const Checkpoint& checkpoint, InspectStyle style);

}  // namespace xylem::io
