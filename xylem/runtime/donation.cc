#include "xylem/runtime/donation.h"

#include <string_view>

namespace xylem::runtime {
namespace {

bool is_donated(std::string_view argument) {
  return argument.find("tf.aliasing_output") != std::string_view::npos ||
         argument.find("jax.buffer_donor = true") != std::string_view::npos;
}

// Past the closing quote of the string that starts at `begin`.
size_t skip_string(std::string_view text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

}  // namespace

std::vector<int64_t> donated_arguments(const std::string& stablehlo) {
  std::string_view text = stablehlo;
  std::vector<int64_t> donated;
  size_t main = text.find("@main(");
  if (main == std::string_view::npos) return donated;
  size_t argument_begin = main + 6;
  int64_t index = 0;
  int depth = 0;  // of brackets inside the argument list
  for (size_t i = argument_begin; i < text.size();) {
    char c = text[i];
    if (c == '"') {
      i = skip_string(text, i);
      continue;
    }
    bool closes = (c == ')' || c == ']' || c == '}' || (c == '>' && text[i - 1] != '-'));
    if (depth == 0 && (c == ',' || c == ')')) {
      if (is_donated(text.substr(argument_begin, i - argument_begin))) donated.push_back(index);
      if (c == ')') break;
      ++index;
      argument_begin = i + 1;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      ++depth;
    } else if (closes) {
      --depth;
    }
    ++i;
  }
  return donated;
}

}  // namespace xylem::runtime
