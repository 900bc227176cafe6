// Chat templates from outside: parsing and rendering any text must end in output or an Error.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "xylem/base/error.h"
#include "xylem/text/chat_template.h"
#include "xylem/text/jinja/template.h"

namespace {

const nlohmann::ordered_json& context() {
  static const auto json = nlohmann::ordered_json::parse(R"({
    "messages": [
      {"role": "system", "content": "Be brief."},
      {"role": "user", "content": [{"type": "text", "text": "Grüße 東京 😀"}, {"type": "image"}]},
      {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function":
        {"name": "f", "arguments": {"x": 1.5, "y": [null, true, "a\"b\n"]}}}]},
      {"role": "tool", "content": "<b>ok</b>"}],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object",
      "properties": {"x": {"type": ["number", "null"], "enum": [1, 2]}}, "required": ["x"]}}}],
    "add_generation_prompt": true, "bos_token": "<s>", "big": 18446744073709551615})");
  return json;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const auto now = xylem::text::parse_clock("2026-01-15T12:00:00");
  // Smaller than in earnest, so that a run tries more inputs.
  const xylem::text::jinja::Limits limits{
      .output_bytes = size_t{1} << 20, .memory_bytes = size_t{16} << 20, .work = 1'000'000};
  try {
    xylem::text::jinja::Template::parse(source, "fuzz").render(context(), now, limits);
  } catch (const xylem::Error&) {
  }
  return 0;
}
