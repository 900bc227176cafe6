// Text cases for operations, read from tests/data/ops/*.txt (written by scripts/make_op_cases.py):
//
//   case add: int32 and a fraction
//   in int32(2) 1 2
//   in scalar 0.5
//   attr axis [0, 1]          (one line an attribute)
//   tol 1e-06                 (relative to the largest magnitude; without it values are exact)
//   out float32(2) 1.5 2.5    (one line an output; or `error TEXT` that the message contains)
#pragma once

#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "xylem/core/ops.h"

namespace xylem {

struct OpCase {
  std::string op, name;
  std::vector<Operand> inputs;
  std::map<std::string, std::string> attrs;
  double tolerance = 0;
  std::vector<Aval> expected;                    // of the outputs
  std::vector<std::vector<std::string>> values;  // of the outputs, as they stand in the file
  std::string error;
  int line = 0;

  // The arrays among the inputs.
  const Array& array(size_t i) const;
  std::vector<Array> arrays() const;
  bool has(const std::string& attr) const { return attrs.contains(attr); }
  int64_t integer(const std::string& attr, int64_t missing) const;
  double real(const std::string& attr, double missing) const;
  bool flag(const std::string& attr) const { return integer(attr, 0) != 0; }
  std::vector<int64_t> list(const std::string& attr) const;  // missing: empty
  DType dtype(const std::string& attr) const;
  std::string text(const std::string& attr) const;  // missing: empty
};

// "float32(2) 1 2.5" or "scalar 3".
Operand parse_operand(std::istringstream& line);
// The attribute "combiner".
Combiner combiner_of(const OpCase& c);

using OpRunner = std::function<std::vector<Array>(const OpCase&)>;

// The operations that the cases may name. Each file of runners adds its own.
std::map<std::string, OpRunner>& op_table();
struct AddOps {
  AddOps(std::initializer_list<std::pair<const std::string, OpRunner>> ops) {
    op_table().insert(ops);
  }
};

// Reads a file of cases; values are uploaded lazily.
std::vector<OpCase> read_op_cases(const std::string& path);
// What is wrong with an output, or "".
std::string compare_output(const OpCase& c, size_t output, const Array& actual);

}  // namespace xylem
