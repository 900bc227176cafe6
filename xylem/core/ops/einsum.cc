#include "xylem/core/ops/einsum.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/reduce.h"
#include "xylem/core/ops/shape.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

// A label is a letter's code, or below 0 for an axis of the ellipsis: -1 is its last.
using Labels = std::vector<int>;

struct Term {
  Array x;
  Labels labels;

  bool has(int label) const { return std::count(labels.begin(), labels.end(), label) > 0; }
  int64_t axis(int label) const {
    return std::find(labels.begin(), labels.end(), label) - labels.begin();
  }
};

class Parser {
 public:
  Parser(std::string_view spec, Loc loc) : spec_(spec), loc_(loc) {
    size_t arrow = spec.find("->");
    std::string_view inputs = spec.substr(0, arrow);
    if (arrow != std::string_view::npos) output_ = spec.substr(arrow + 2);
    for (size_t begin = 0;;) {
      size_t comma = inputs.find(',', begin);
      inputs_.push_back(inputs.substr(begin, comma - begin));
      if (comma == std::string_view::npos) break;
      begin = comma + 1;
    }
  }

  std::vector<Term> terms(const std::vector<Array>& operands) {
    if (operands.size() != inputs_.size()) {
      op_error("einsum", loc_, "\"{}\" has {} operands, {} arrays are given", spec_, inputs_.size(),
               operands.size());
    }
    std::vector<Term> terms;
    for (size_t i = 0; i < operands.size(); ++i) {
      const Array& x = operands[i];
      labels(inputs_[i], 0);  // a wrong character is the better message
      int64_t letters = std::count_if(inputs_[i].begin(), inputs_[i].end(),
                                      [](char c) { return std::isalpha(c) != 0; });
      bool open = inputs_[i].find("...") != std::string_view::npos;
      int64_t rest = x.ndim() - letters;
      if (open ? rest < 0 : rest != 0) {
        op_error("einsum", loc_, "\"{}\" of \"{}\" names {} axes, but operand {} is {}", inputs_[i],
                 spec_, letters, i, x.aval().text());
      }
      ellipsis_ = std::max(ellipsis_, open ? rest : 0);
      terms.push_back({x, labels(inputs_[i], rest)});
    }
    return terms;
  }

  Labels output(const std::vector<Term>& terms) const {
    std::map<int, int> uses;
    for (const Term& term : terms) {
      for (int label : term.labels) ++uses[label];
    }
    Labels out;
    if (output_) {
      out = labels(*output_, ellipsis_);
      for (int label : out) {
        if (std::count(out.begin(), out.end(), label) > 1 || uses[label] == 0) {
          op_error("einsum", loc_,
                   "the result of \"{}\" names an axis twice, or one no operand has", spec_);
        }
      }
      return out;
    }
    for (int64_t i = ellipsis_; i > 0; --i) out.push_back(static_cast<int>(-i));
    for (auto [label, count] : uses) {
      if (label >= 0 && count == 1) out.push_back(label);
    }
    return out;
  }

 private:
  Labels labels(std::string_view text, int64_t rest) const {
    Labels list;
    bool open = false;
    for (size_t i = 0; i < text.size(); ++i) {
      if (std::isalpha(text[i]) != 0) {
        list.push_back(text[i]);
      } else if (text.substr(i, 3) == "..." && !open) {
        open = true;
        for (int64_t k = rest; k > 0; --k) list.push_back(static_cast<int>(-k));
        i += 2;
      } else if (text[i] != ' ') {
        op_error("einsum", loc_, "\"{}\": expected letters, \"...\", \",\" and \"->\"", spec_);
      }
    }
    return list;
  }

  std::string_view spec_;
  Loc loc_;
  std::vector<std::string_view> inputs_;
  std::optional<std::string_view> output_;
  int64_t ellipsis_ = 0;
};

// Brings a letter's two axes together: the last of both reshaped, every (n+1)th element is one of
// the diagonal.
Term without_repeats(Term term, Loc loc) {
  for (size_t i = 0; i < term.labels.size(); ++i) {
    auto again = std::find(term.labels.begin() + static_cast<int64_t>(i) + 1, term.labels.end(),
                           term.labels[i]);
    if (again == term.labels.end()) continue;
    int64_t first = static_cast<int64_t>(i), second = again - term.labels.begin();
    int64_t n = term.x.shape()[i];
    Array x = moveaxis(moveaxis(term.x, second, -1, loc), first, -2, loc);
    Shape shape(x.shape().begin(), x.shape().end() - 2);
    shape.push_back(n * n);
    std::vector<int64_t> starts(shape.size(), 0), strides(shape.size(), 1);
    strides.back() = n + 1;
    int label = term.labels[i];
    term.labels.erase(again);
    term.labels.erase(term.labels.begin() + first);
    term.labels.push_back(label);
    term.x = slice(reshape(x, shape, loc), starts, shape, strides, loc);
    --i;
  }
  return term;
}

// Sums the axes that nobody else needs.
Term summed(Term term, const std::vector<int>& needed, Loc loc) {
  std::vector<int64_t> axes;
  Labels left;
  for (size_t d = 0; d < term.labels.size(); ++d) {
    if (std::count(needed.begin(), needed.end(), term.labels[d]) > 0) {
      left.push_back(term.labels[d]);
    } else {
      axes.push_back(static_cast<int64_t>(d));
    }
  }
  if (axes.empty()) return term;
  return {sum(term.x, axes, false, loc), left};
}

Term product(const Term& a, const Term& b, const Labels& needed, Precision precision, Loc loc) {
  DotDims dims;
  Labels labels, free_a, free_b;
  for (int label : a.labels) {
    if (!b.has(label)) {
      free_a.push_back(label);
      continue;
    }
    bool keep = std::count(needed.begin(), needed.end(), label) > 0;
    (keep ? dims.a_batch : dims.a_contract).push_back(a.axis(label));
    (keep ? dims.b_batch : dims.b_contract).push_back(b.axis(label));
    if (keep) labels.push_back(label);
  }
  for (int label : b.labels) {
    if (!a.has(label)) free_b.push_back(label);
  }
  labels.insert(labels.end(), free_a.begin(), free_a.end());
  labels.insert(labels.end(), free_b.begin(), free_b.end());
  return {dot_general(a.x, b.x, dims, a.x.dtype(), precision, loc), labels};
}

// Sizes by label; an axis of size 1 stretches beside a longer one of its name.
void stretch(std::string_view spec, std::vector<Term>& terms, Loc loc) {
  std::map<int, int64_t> sizes;
  for (const Term& term : terms) {
    for (size_t d = 0; d < term.labels.size(); ++d) {
      int64_t size = term.x.shape()[d];
      auto [entry, fresh] = sizes.emplace(term.labels[d], size);
      if (entry->second == 1) entry->second = size;
      if (size != entry->second && size != 1) {
        op_error("einsum", loc, "\"{}\": one axis has the sizes {} and {}; operand {}", spec,
                 entry->second, size, term.x.aval().text());
      }
    }
  }
  for (Term& term : terms) {
    for (size_t d = term.labels.size(); d-- > 0;) {
      if (term.x.shape()[d] != 1 || sizes[term.labels[d]] == 1) continue;
      term.x = squeeze(term.x, {static_cast<int64_t>(d)}, loc);
      term.labels.erase(term.labels.begin() + static_cast<int64_t>(d));
    }
  }
}

// The labels of the result and of terms[from...].
Labels needed_after(const Labels& output, const std::vector<Term>& terms, size_t from) {
  Labels needed = output;
  for (size_t i = from; i < terms.size(); ++i) {
    needed.insert(needed.end(), terms[i].labels.begin(), terms[i].labels.end());
  }
  return needed;
}

}  // namespace

Array einsum(std::string_view spec, const std::vector<Array>& operands, Precision precision,
             Loc loc) {
  Parser parser(spec, loc);
  std::vector<Term> terms = parser.terms(operands);
  Labels output = parser.output(terms);
  DType dtype = operands[0].dtype();
  for (const Array& x : operands) dtype = promote_types(dtype, x.dtype());
  if (dtype == DType::kBool) op_error("einsum", loc, "bool is not supported, expected numbers");
  for (Term& term : terms) {
    term.x = astype(term.x, dtype, loc);
    for (size_t i = 0; i < term.labels.size(); ++i) {
      size_t j = static_cast<size_t>(term.axis(term.labels[i]));
      if (term.x.shape()[i] != term.x.shape()[j]) {
        op_error("einsum", loc, "\"{}\" takes the diagonal of {}, whose sizes {} and {} differ",
                 spec, term.x.aval().text(), term.x.shape()[j], term.x.shape()[i]);
      }
    }
    term = without_repeats(std::move(term), loc);
  }
  stretch(spec, terms, loc);
  Term result = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    Labels later = needed_after(output, terms, i + 1);
    Labels beside_b = later, beside_a = later;
    beside_b.insert(beside_b.end(), terms[i].labels.begin(), terms[i].labels.end());
    beside_a.insert(beside_a.end(), result.labels.begin(), result.labels.end());
    result = product(summed(result, beside_b, loc), summed(terms[i], beside_a, loc), later,
                     precision, loc);
  }
  result = summed(result, output, loc);
  std::vector<int64_t> axes;
  for (int label : output) axes.push_back(result.axis(label));
  return axes.empty() ? result.x : transpose(result.x, axes, loc);
}

}  // namespace xylem
