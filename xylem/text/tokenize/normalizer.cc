#include "xylem/text/tokenize/normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace xylem::text {
namespace {

// Replacements in a hostile file can multiply a text; no real one comes near these.
constexpr size_t kMaxBytes = size_t{1} << 30;
constexpr size_t kMinLimit = size_t{64} << 10;
constexpr size_t kMaxGrowth = 16;

void check_size(size_t bytes, size_t limit) {
  if (bytes > limit) {
    fail(ErrorCode::kResourceExhausted, "the normalizer makes a text of over {} bytes", limit);
  }
}

constexpr auto kNfd = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
constexpr auto kNfc = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
constexpr auto kNfkd = static_cast<utf8proc_option_t>(kNfd | UTF8PROC_COMPAT);
constexpr auto kNfkc = static_cast<utf8proc_option_t>(kNfc | UTF8PROC_COMPAT);

// A Unicode normal form.
class NormalForm : public Normalizer {
 public:
  explicit NormalForm(utf8proc_option_t options) : options_(options) {
    // Texts below U+0300 are in NFC, ASCII is in every form: nothing to do for most texts.
    first_changed_lead_ = options == kNfc ? 0xCC : 0x80;
  }

  void apply(std::string& text, size_t, RegexScratch&) const override {
    bool unchanged = true;
    for (const char c : text) unchanged &= static_cast<unsigned char>(c) < first_changed_lead_;
    if (unchanged) return;
    utf8proc_uint8_t* mapped = nullptr;
    const utf8proc_ssize_t size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                     static_cast<utf8proc_ssize_t>(text.size()), &mapped, options_);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
    if (size == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
    if (size < 0) fail(ErrorCode::kInternal, "normalising a text: {}", utf8proc_errmsg(size));
    text.assign(reinterpret_cast<const char*>(mapped), static_cast<size_t>(size));
  }

 private:
  utf8proc_option_t options_;
  unsigned char first_changed_lead_;
};

// Every match of the pattern becomes the content.
class Replace : public Normalizer {
 public:
  Replace(Regex pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

  void apply(std::string& text, size_t limit, RegexScratch& scratch) const override {
    std::string replaced;
    size_t done = 0;
    pattern_.for_each_match(text, scratch, [&](size_t begin, size_t end) {
      replaced.append(text, done, begin - done);
      replaced += content_;
      done = end;
      check_size(replaced.size(), limit);
    });
    if (done == 0 && replaced.empty()) return;
    replaced.append(text, done);
    text.swap(replaced);
  }

 private:
  Regex pattern_;
  std::string content_;
};

class Prepend : public Normalizer {
 public:
  explicit Prepend(std::string prefix) : prefix_(std::move(prefix)) {}
  void apply(std::string& text, size_t limit, RegexScratch&) const override {
    if (text.empty()) return;
    check_size(text.size() + prefix_.size(), limit);
    text.insert(0, prefix_);
  }

 private:
  std::string prefix_;
};

class NormalizerSequence : public Normalizer {
 public:
  explicit NormalizerSequence(std::vector<std::unique_ptr<Normalizer>> steps)
      : steps_(std::move(steps)) {}
  void apply(std::string& text, size_t limit, RegexScratch& scratch) const override {
    for (const auto& step : steps_) step->apply(text, limit, scratch);
  }

 private:
  std::vector<std::unique_ptr<Normalizer>> steps_;
};

template <utf8proc_option_t Form>
std::unique_ptr<Normalizer> form_from(const Json&, const Where&) {
  return std::make_unique<NormalForm>(Form);
}

std::unique_ptr<Normalizer> replace_from(const Json& json, const Where& where) {
  return std::make_unique<Replace>(pattern_field(json, where),
                                   string_field(json, "content", where));
}

std::unique_ptr<Normalizer> prepend_from(const Json& json, const Where& where) {
  return std::make_unique<Prepend>(string_field(json, "prepend", where));
}

std::unique_ptr<Normalizer> sequence_from(const Json& json, const Where& where) {
  std::vector<std::unique_ptr<Normalizer>> steps;
  for (const Json& step : array_field(json, "normalizers", where)) {
    steps.push_back(make_normalizer(step, where));
  }
  return std::make_unique<NormalizerSequence>(std::move(steps));
}

constexpr std::array<PartKind<Normalizer>, 7> kKinds = {{
    {"NFC", form_from<kNfc>},
    {"NFD", form_from<kNfd>},
    {"NFKC", form_from<kNfkc>},
    {"NFKD", form_from<kNfkd>},
    {"Prepend", prepend_from},
    {"Replace", replace_from},
    {"Sequence", sequence_from},
}};

}  // namespace

void Normalizer::normalize(std::string& text, RegexScratch& scratch) const {
  apply(text, std::min(kMaxBytes, kMinLimit + kMaxGrowth * text.size()), scratch);
}

std::unique_ptr<Normalizer> make_normalizer(const Json& json, const Where& where) {
  return make_part<Normalizer>(kKinds, json, where);
}

std::unique_ptr<Normalizer> make_nfc() { return std::make_unique<NormalForm>(kNfc); }

}  // namespace xylem::text
