#include "xylem/text/tokenize/regex.h"

#include <algorithm>
#include <array>
#include <new>
#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/io/printable.h"
#include "xylem/text/tokenize/oniguruma.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace xylem::text {
namespace {

constexpr size_t kMaxPatternBytes = 64 * 1024;
// Real patterns backtrack at most once a character; these stop patterns that explode.
constexpr uint32_t kMatchLimit = 50'000'000;
constexpr uint32_t kDepthLimit = 1'000'000;
constexpr uint32_t kHeapLimitKib = 64 * 1024;
constexpr size_t kJitStackStart = 32 * 1024;
constexpr size_t kJitStackMax = 1024 * 1024;

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};

std::string error_text(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

PCRE2_SPTR bytes_of(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

struct RegexScratch::Impl {
  std::unique_ptr<pcre2_match_data, Deleter<pcre2_match_data_free>> data;
  std::unique_ptr<pcre2_match_context, Deleter<pcre2_match_context_free>> context;
  std::unique_ptr<pcre2_jit_stack, Deleter<pcre2_jit_stack_free>> stack;
};

RegexScratch::RegexScratch() : impl_(std::make_unique<Impl>()) {
  impl_->data.reset(pcre2_match_data_create(1, nullptr));
  impl_->context.reset(pcre2_match_context_create(nullptr));
  impl_->stack.reset(pcre2_jit_stack_create(kJitStackStart, kJitStackMax, nullptr));
  if (!impl_->data || !impl_->context) throw std::bad_alloc();
  pcre2_set_match_limit(impl_->context.get(), kMatchLimit);
  pcre2_set_depth_limit(impl_->context.get(), kDepthLimit);
  pcre2_set_heap_limit(impl_->context.get(), kHeapLimitKib);
  if (impl_->stack) pcre2_jit_stack_assign(impl_->context.get(), nullptr, impl_->stack.get());
}

RegexScratch::~RegexScratch() = default;

struct Regex::Code {
  std::unique_ptr<pcre2_code, Deleter<pcre2_code_free>> code;
  bool jit = false;
  std::string pattern;
  std::string where;
};

Regex::Regex(std::string_view pattern, const std::string& where, Syntax syntax)
    : code_(std::make_unique<Code>()) {
  if (pattern.size() > kMaxPatternBytes) {
    fail(ErrorCode::kInvalidArgument, "{}: a regular expression has {} bytes, at most {} expected",
         where, pattern.size(), kMaxPatternBytes);
  }
  std::string translated(pattern);
  uint32_t options = PCRE2_UTF | PCRE2_UCP;
  if (syntax == Syntax::kLiteral) {
    options = PCRE2_UTF | PCRE2_LITERAL;
  } else {
    translated = oniguruma_to_pcre2(pattern, where);
    options |= PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  }
  const std::unique_ptr<pcre2_compile_context, Deleter<pcre2_compile_context_free>> context(
      pcre2_compile_context_create(nullptr));
  if (!context) throw std::bad_alloc();
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int error = 0;
  PCRE2_SIZE offset = 0;
  code_->code.reset(pcre2_compile(bytes_of(translated), translated.size(), options, &error, &offset,
                                  context.get()));
  if (!code_->code) {
    fail(ErrorCode::kInvalidArgument, "{}: the regular expression '{}' does not compile: {}", where,
         io::printable(pattern), error_text(error));
  }
  code_->jit = pcre2_jit_compile(code_->code.get(), PCRE2_JIT_COMPLETE) == 0;
  code_->pattern = io::printable(pattern);
  code_->where = where;
}

Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

bool Regex::find(std::string_view text, size_t from, RegexScratch& scratch, Match& match) const {
  RegexScratch::Impl& memory = *scratch.impl_;
  const auto* subject = bytes_of(text.empty() ? std::string_view("") : text);
  const int result = code_->jit
                         ? pcre2_jit_match(code_->code.get(), subject, text.size(), from, 0,
                                           memory.data.get(), memory.context.get())
                         : pcre2_match(code_->code.get(), subject, text.size(), from,
                                       PCRE2_NO_UTF_CHECK, memory.data.get(), memory.context.get());
  if (result == PCRE2_ERROR_NOMATCH) return false;
  if (result < 0) {
    fail(ErrorCode::kResourceExhausted, "{}: matching the regular expression '{}' failed: {}",
         code_->where, code_->pattern, error_text(result));
  }
  const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(memory.data.get());
  // \K inside a lookahead can put the start behind the end or before the search position.
  match = {std::max<size_t>(offsets[0], from), offsets[1]};
  match.begin = std::min(match.begin, match.end);
  if (match.end < from) match = {from, from};
  return true;
}

size_t Regex::next_character(std::string_view text, size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

Regex pattern_field(const Json& json, const Where& where) {
  const Json& pattern = required_field(json, "pattern", where);
  if (optional_field(pattern, "String") != nullptr) {
    return {string_field(pattern, "String", where), where, Regex::Syntax::kLiteral};
  }
  return {string_field(pattern, "Regex", where), where};
}

}  // namespace xylem::text
