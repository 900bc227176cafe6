// GgufFile on any bytes: opens, walks all that it claims to hold, and prints it. Only xylem::Error
// may come out.
#include <cstddef>
#include <cstdint>

#include "xylem/base/error.h"
#include "xylem/io/gguf.h"
#include "xylem/io/inspect.h"

namespace {

using xylem::Error;
using xylem::io::GgufFile;

template <typename Action>
void tolerate(Action action) {
  try {
    action();
  } catch (const Error&) {
  }
}

void walk(const GgufFile& file) {
  for (const auto& entry : file.metadata()) {
    tolerate([&] { file.get_u32(entry.key); });
    tolerate([&] { file.get_f32(entry.key); });
    tolerate([&] { file.get_bool(entry.key); });
    tolerate([&] { file.get_string(entry.key); });
    tolerate([&] { file.get_ints(entry.key); });
    tolerate([&] { file.get_floats(entry.key); });
    tolerate([&] { file.get_bools(entry.key); });
    tolerate([&] { file.get_strings(entry.key); });
  }
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
  tolerate([&] { walk(*GgufFile::parse(std::as_bytes(std::span(data, size)), "fuzz")); });
  return 0;
}
