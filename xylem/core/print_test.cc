// Array::to_string against NumPy's print (tests/data/golden/printing.txt).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "xylem/core/jit.h"
#include "xylem/core/ops/op_case.h"
#include "xylem/core/test_util.h"

namespace xylem {
namespace {

class Printing : public CoreTest {};

// `range float32(40,50) 0.5`: element i is i * 0.5.
Array range_array(std::istringstream& line) {
  std::string type;
  double step = 0;
  line >> type >> step;
  std::istringstream empty(type.substr(0, type.find('(')) + "(0)");
  DType dtype = parse_operand(empty).array().dtype();
  Shape shape;
  std::istringstream sizes(type.substr(type.find('(') + 1));
  for (std::string size; std::getline(sizes, size, ',');) shape.push_back(std::stoll(size));
  int64_t count = element_count(shape);
  std::vector<char> data(static_cast<size_t>(host_bytes(dtype, count)));
  for (int64_t i = 0; i < count; ++i) {
    double value = static_cast<double>(i) * step;
    if (is_floating(dtype)) {
      set_host_float(data.data(), dtype, i, value);
    } else {
      set_host_integer(data.data(), dtype, i, static_cast<int64_t>(value));
    }
  }
  return from_host(data.data(), shape, dtype);
}

TEST_P(Printing, LooksLikeNumPy) {
  std::ifstream file(source_path("tests/data/golden/printing.txt"));
  int cases = 0;
  std::string input, expected;
  auto check = [&] {
    if (input.empty()) return;
    std::istringstream words(input);
    std::string kind;
    words >> kind;
    Array x = kind == "range" ? range_array(words) : parse_operand(words).array();
    EXPECT_EQ(x.to_string() + "\n", expected) << input.substr(0, 200);
    ++cases;
    input.clear();
    expected.clear();
  };
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("in ") || line.starts_with("range ")) {
      check();
      input = line;
    } else if (line.starts_with("|")) {
      expected += line.substr(1) + "\n";
    }
  }
  check();
  EXPECT_GE(cases, 200);
}

TEST_P(Printing, ATracedArrayHasNoValues) {
  std::string text;
  jit([&](const Array& x) {
    text = x.to_string();
    return x;
  })(floats({1, 2}, {2}));
  EXPECT_EQ(text, "traced float32(2)");
}

XYLEM_FOR_EACH_PLUGIN(Printing);

}  // namespace
}  // namespace xylem
