#include "xylem/runtime/compile_error.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "xylem/base/error.h"

namespace xylem::runtime {
namespace {

constexpr int kMaxDiagnostics = 3;
constexpr size_t kMaxShown = 160;  // characters of a program line, around the column

struct Diagnostic {
  size_t line = 0;  // both count from 1
  size_t column = 0;
  std::string_view text;
};

// Reads a number and the ':' after it; false when there is none.
bool take_number(std::string_view* text, size_t* number) {
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (error != std::errc() || end == text->data() + text->size() || *end != ':') return false;
  text->remove_prefix(static_cast<size_t>(end - text->data()) + 1);
  return true;
}

// MLIR writes "-:3:28: error: what is wrong" for a program without a file name.
bool parse_diagnostic(std::string_view line, Diagnostic* out) {
  size_t begin = line.find("-:");
  if (begin == std::string_view::npos) return false;
  line.remove_prefix(begin + 2);
  if (!take_number(&line, &out->line) || !take_number(&line, &out->column)) return false;
  constexpr std::string_view kError = " error: ";
  if (!line.starts_with(kError)) return false;
  out->text = line.substr(kError.size());
  return true;
}

std::string_view nth_line(std::string_view text, size_t number) {
  size_t begin = 0;
  for (size_t i = 1; i < number; ++i) {
    size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return "";
    begin = end + 1;
  }
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

// The program line and a caret under the column.
std::string show(std::string_view program, const Diagnostic& diagnostic) {
  std::string_view line = nth_line(program, diagnostic.line);
  size_t caret = diagnostic.column == 0 ? 0 : diagnostic.column - 1;
  if (caret >= line.size()) caret = line.empty() ? 0 : line.size() - 1;
  size_t begin = std::min(line.find_first_not_of(' '), caret);
  if (caret - begin > kMaxShown / 2) begin = caret - kMaxShown / 2;
  return fmt::format("\n  {}\n  {}^", line.substr(begin, kMaxShown),
                     std::string(caret - begin, ' '));
}

std::string explain(std::string_view message, std::string_view program) {
  std::string result;
  int shown = 0;
  for (size_t begin = 0; begin < message.size() && shown < kMaxDiagnostics;) {
    size_t end = std::min(message.find('\n', begin), message.size());
    Diagnostic diagnostic;
    if (parse_diagnostic(message.substr(begin, end - begin), &diagnostic)) {
      result += fmt::format("{}line {}, column {}: {}{}", shown == 0 ? "" : "\n", diagnostic.line,
                            diagnostic.column, diagnostic.text, show(program, diagnostic));
      ++shown;
    }
    begin = end + 1;
  }
  return result;
}

}  // namespace

void set_stablehlo(const std::string& stablehlo, PJRT_Program* program) {
  static constexpr std::string_view kFormat = "mlir";
  program->code = const_cast<char*>(stablehlo.data());  // the API has one struct for in and out
  program->code_size = stablehlo.size();
  program->format = kFormat.data();
  program->format_size = kFormat.size();
}

void check_compile(const Plugin& plugin, PJRT_Error* error, const std::string& stablehlo) {
  try {
    plugin.check(error, "cannot compile the program");
  } catch (const Error& failure) {
    std::string explained = explain(failure.what(), stablehlo);
    if (explained.empty()) throw;
    fail(ErrorCode::kInvalidArgument, "cannot compile the program: {}", explained);
  }
}

}  // namespace xylem::runtime
