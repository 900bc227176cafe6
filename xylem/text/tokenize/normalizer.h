// Normalisers: they rewrite a text before it is cut into words (tokenizer.json's "normalizer").
//
//   auto normalizer = make_normalizer(json, "tokenizer.json: normalizer");
//   std::string text = "e\u0301";
//   normalizer->normalize(text, scratch);   // NFC: "é"
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "xylem/text/tokenize/part_registry.h"
#include "xylem/text/tokenize/regex.h"

namespace xylem::text {

// Immutable; safe to share between threads. Texts are well-formed UTF-8 before and after.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  // Throws kResourceExhausted when the text grows as no real normaliser makes it grow.
  void normalize(std::string& text, RegexScratch& scratch) const;
  // The same as one step of several, which together may make up to limit bytes of a text.
  virtual void apply(std::string& text, size_t limit, RegexScratch& scratch) const = 0;
};

std::unique_ptr<Normalizer> make_normalizer(const Json& json, const Where& where);

std::unique_ptr<Normalizer> make_nfc();

}  // namespace xylem::text
