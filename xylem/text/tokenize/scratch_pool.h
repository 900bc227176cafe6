// Working memory for encode(), lent to one call at a time and kept warm between calls (it holds the
// word cache), so that threads share nothing while they work.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "xylem/text/tokenize/model.h"
#include "xylem/text/tokenize/pre_tokenizer.h"
#include "xylem/text/tokenize/regex.h"

namespace xylem::text {

struct Scratch {
  RegexScratch regex;
  PreTokens words;
  ModelScratch model;
  std::string repaired;
  std::string normalized;

  void trim();
};

class ScratchPool {
 public:
  ScratchPool();

  // Gives its scratch back when it ends.
  class Lease {
   public:
    explicit Lease(ScratchPool& pool) : pool_(pool), scratch_(pool.take()) {}
    ~Lease() { pool_.give_back(std::move(scratch_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Scratch& operator*() const { return *scratch_; }
    Scratch* operator->() const { return scratch_.get(); }

   private:
    ScratchPool& pool_;
    std::unique_ptr<Scratch> scratch_;
  };

 private:
  std::unique_ptr<Scratch> take();
  void give_back(std::unique_ptr<Scratch> scratch);  // does not throw

  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> free_;  // its capacity is the most it holds
};

}  // namespace xylem::text
