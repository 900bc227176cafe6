// SafetensorsFile on any bytes, and the JSON entry point on its header text. Only xylem::Error may
// come out; what was accepted is walked and printed.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/io/inspect.h"
#include "xylem/io/json.h"
#include "xylem/io/safetensors.h"

namespace {

using xylem::Error;
using xylem::io::SafetensorsFile;

constexpr size_t kLengthBytes = 8;

template <typename Action>
void tolerate(Action action) {
  try {
    action();
  } catch (const Error&) {
  }
}

void walk(const SafetensorsFile& file) {
  unsigned sum = 0;
  for (std::string_view name : file.tensor_names()) {
    tolerate([&] {
      for (std::byte b : file.tensor(name).data) sum += static_cast<unsigned>(b);
    });
  }
  [[maybe_unused]] volatile unsigned keep = sum;
  xylem::io::inspect(file, xylem::io::InspectStyle::kText);
  xylem::io::inspect(file, xylem::io::InspectStyle::kJson);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tolerate([&] { walk(*SafetensorsFile::parse(std::as_bytes(std::span(data, size)), "fuzz")); });
  if (size < kLengthBytes) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + kLengthBytes, size - kLengthBytes);
  tolerate([&] { xylem::io::dump_json(xylem::io::parse_json(text, "fuzz"), 1); });
  return 0;
}
