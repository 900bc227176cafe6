// Cutting a text at a pattern's matches, with tokenizer.json's five behaviours.
#pragma once

#include "xylem/text/tokenize/pre_tokenizer.h"

namespace xylem::text {

// Splits at the matches of a regular expression. invert exchanges matches and what lies between.
class Split : public PreTokenizer {
 public:
  Split(Regex regex, SplitBehavior behavior, bool invert)
      : regex_(std::move(regex)), behavior_(behavior), invert_(invert) {}
  void split(PreTokens& tokens, RegexScratch& scratch) const override;

 private:
  Regex regex_;
  SplitBehavior behavior_;
  bool invert_;
};

}  // namespace xylem::text
