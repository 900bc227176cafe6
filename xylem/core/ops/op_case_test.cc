#include "xylem/core/ops/op_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "xylem/base/error.h"
#include "xylem/core/test_util.h"

namespace xylem {
namespace {

// "float32(2,3)" and the values behind it.
Aval parse_aval(const std::string& text) {
  size_t open = text.find('(');
  std::optional<DType> dtype = dtype_from_name(text.substr(0, open));
  if (!dtype) fail(ErrorCode::kDataLoss, "{} is no dtype", text.substr(0, open));
  Aval aval{{}, *dtype, {}};
  std::string sizes = text.substr(open + 1, text.size() - open - 2);
  std::istringstream parts(sizes);
  for (std::string size; std::getline(parts, size, ',');) aval.shape.push_back(std::stoll(size));
  return aval;
}

int64_t parse_integer(const std::string& text, DType dtype) {
  if (dtype == DType::kU64) return static_cast<int64_t>(std::stoull(text));
  return std::stoll(text);
}

std::vector<std::string> words(std::istringstream& line) {
  std::vector<std::string> list;
  for (std::string word; line >> word;) list.push_back(word);
  return list;
}

Array parse_array(const Aval& aval, const std::vector<std::string>& values) {
  std::vector<char> bytes(static_cast<size_t>(host_bytes(aval.dtype, element_count(aval.shape))));
  if (static_cast<int64_t>(values.size()) != element_count(aval.shape)) {
    fail(ErrorCode::kDataLoss, "{} values for {}", values.size(), aval.text());
  }
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t at = static_cast<int64_t>(i);
    if (is_floating(aval.dtype)) {
      set_host_float(bytes.data(), aval.dtype, at, std::strtod(values[i].c_str(), nullptr));
    } else {
      set_host_integer(bytes.data(), aval.dtype, at, parse_integer(values[i], aval.dtype));
    }
  }
  return from_host(bytes.data(), aval.shape, aval.dtype);
}

std::string rest_of(std::istringstream& line) {
  std::string text;
  std::getline(line >> std::ws, text);
  return text;
}

void read_line(const std::string& text, OpCase& c) {
  std::istringstream line(text);
  std::string key;
  line >> key;
  if (key == "in") {
    c.inputs.push_back(parse_operand(line));
  } else if (key == "attr") {
    std::string name;
    line >> name;
    c.attrs[name] = rest_of(line);
  } else if (key == "tol") {
    line >> c.tolerance;
  } else if (key == "out") {
    std::string type;
    line >> type;
    c.expected.push_back(parse_aval(type));
    c.values.push_back(words(line));
  } else if (key == "error") {
    c.error = rest_of(line);
  } else {
    fail(ErrorCode::kDataLoss, "unknown line \"{}\"", text);
  }
}

// Which infinity, NaN or number; NaNs are all one.
bool same_kind(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return true;
}

std::string compare_floats(const OpCase& c, const std::vector<std::string>& expected,
                           const void* actual, DType dtype) {
  double largest = 0;
  std::vector<double> wanted;
  for (const std::string& text : expected) {
    double rounded = 0;  // the text's digits tell the value apart, but are not exact
    set_host_float(&rounded, dtype, 0, std::strtod(text.c_str(), nullptr));
    wanted.push_back(host_float(&rounded, dtype, 0));
    if (std::isfinite(wanted.back())) largest = std::max(largest, std::abs(wanted.back()));
  }
  bool by_element = !c.flag("tol_by_largest");
  for (size_t i = 0; i < wanted.size(); ++i) {
    double got = host_float(actual, dtype, static_cast<int64_t>(i)), want = wanted[i];
    bool exact = c.tolerance == 0;
    bool good = same_kind(got, want);
    if (good && std::isfinite(want)) {
      double scale = by_element ? std::abs(want) : largest;
      good = exact ? got == want && std::signbit(got) == std::signbit(want)
                   : std::abs(got - want) <= c.tolerance * std::max(scale, 1e-30);
    }
    if (!good) return fmt::format("element {} is {:.17g}, expected {:.17g}", i, got, want);
  }
  return "";
}

}  // namespace

Operand parse_operand(std::istringstream& line) {
  std::string type;
  line >> type;
  if (type != "scalar") {
    Aval aval = parse_aval(type);
    return parse_array(aval, words(line));
  }
  std::string value;
  line >> value;
  if (value == "true" || value == "false") return value == "true";
  if (value.find_first_of(".einf") == std::string::npos) return std::stoll(value);
  return std::strtod(value.c_str(), nullptr);
}

const Array& OpCase::array(size_t i) const { return inputs.at(i).array(); }

std::vector<Array> OpCase::arrays() const {
  std::vector<Array> list;
  for (const Operand& input : inputs) {
    if (!input.is_scalar()) list.push_back(input.array());
  }
  return list;
}

int64_t OpCase::integer(const std::string& attr, int64_t missing) const {
  return has(attr) ? std::stoll(attrs.at(attr)) : missing;
}

double OpCase::real(const std::string& attr, double missing) const {
  return has(attr) ? std::strtod(attrs.at(attr).c_str(), nullptr) : missing;
}

std::vector<int64_t> OpCase::list(const std::string& attr) const {
  std::vector<int64_t> list;
  if (!has(attr)) return list;
  std::istringstream text(attrs.at(attr));
  for (int64_t value; text >> value;) list.push_back(value);
  return list;
}

DType OpCase::dtype(const std::string& attr) const {
  std::optional<DType> found = dtype_from_name(attrs.at(attr));
  if (!found) fail(ErrorCode::kDataLoss, "{} is no dtype", attrs.at(attr));
  return *found;
}

std::string OpCase::text(const std::string& attr) const { return has(attr) ? attrs.at(attr) : ""; }

Combiner combiner_of(const OpCase& c) {
  static const std::map<std::string, Combiner> kNames = {{"set", Combiner::kSet},
                                                         {"add", Combiner::kAdd},
                                                         {"multiply", Combiner::kMultiply},
                                                         {"min", Combiner::kMin},
                                                         {"max", Combiner::kMax}};
  return kNames.at(c.text("combiner"));
}

std::map<std::string, OpRunner>& op_table() {
  static auto& table = *new std::map<std::string, OpRunner>;
  return table;
}

std::vector<OpCase> read_op_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(ErrorCode::kNotFound, "{} cannot be read", path);
  std::vector<OpCase> cases;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("case ")) {
      size_t colon = line.find(": ");
      OpCase c;
      c.op = line.substr(5, colon - 5);
      c.name = line.substr(colon + 2);
      c.line = number;
      cases.push_back(std::move(c));
    } else {
      read_line(line, cases.at(cases.size() - 1));
    }
  }
  return cases;
}

std::string compare_output(const OpCase& c, size_t output, const Array& actual) {
  const Aval& want = c.expected[output];
  if (actual.dtype() != want.dtype || actual.shape() != want.shape) {
    return fmt::format("is {}, expected {}", actual.aval().text(), want.text());
  }
  std::vector<char> bytes(static_cast<size_t>(host_bytes(want.dtype, actual.size())));
  actual.copy_to(bytes.data());
  const std::vector<std::string>& values = c.values[output];
  if (static_cast<int64_t>(values.size()) != actual.size()) return "the case lacks values";
  if (is_floating(want.dtype)) return compare_floats(c, values, bytes.data(), want.dtype);
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t got = host_integer(bytes.data(), want.dtype, static_cast<int64_t>(i));
    if (got != parse_integer(values[i], want.dtype)) {
      return fmt::format("element {} is {}, expected {}", i, got, values[i]);
    }
  }
  return "";
}

namespace {

class OpCases : public CoreTest {
 protected:
  // Many cases make one program, which compiles faster than one program each. When it does not
  // compile, each case answers for itself.
  static void run_together(const std::string& file, std::vector<const OpCase*> cases) {
    std::vector<std::vector<Array>> outputs;
    std::vector<Array> all;
    std::vector<const OpCase*> ran;
    for (const OpCase* c : cases) {
      std::string where = fmt::format("{}:{} ({}: {})", file, c->line, c->op, c->name);
      try {
        std::vector<Array> out = op_table().at(c->op)(*c);
        if (!c->error.empty()) {
          ADD_FAILURE() << where << ": no error was thrown";
          continue;
        }
        all.insert(all.end(), out.begin(), out.end());
        outputs.push_back(std::move(out));
        ran.push_back(c);
      } catch (const Error& error) {
        check_error(where, *c, error.what());
      } catch (const std::out_of_range&) {
        ADD_FAILURE() << where << ": no runner, or an input or attribute is missing";
      }
    }
    try {
      eval(all);
    } catch (const Error& error) {
      if (cases.size() == 1) {
        ADD_FAILURE() << file << ":" << cases[0]->line << " (" << cases[0]->op << ": "
                      << cases[0]->name << ")\n"
                      << error.what();
        return;
      }
      for (const OpCase* c : ran) run_together(file, {c});
      return;
    }
    for (size_t i = 0; i < ran.size(); ++i) check_outputs(file, *ran[i], outputs[i]);
  }

 private:
  static void check_error(const std::string& where, const OpCase& c, const std::string& message) {
    if (c.error.empty()) {
      ADD_FAILURE() << where << ": " << message;
      return;
    }
    EXPECT_TRUE(contains(message, c.error))
        << where << ": the error is\n  " << message << "\nexpected in it\n  " << c.error;
    EXPECT_TRUE(contains(message, "_test.cc:")) << where << ": no line in " << message;
  }

  static void check_outputs(const std::string& file, const OpCase& c,
                            const std::vector<Array>& outputs) {
    ASSERT_EQ(outputs.size(), c.expected.size()) << file << ":" << c.line;
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::string wrong = compare_output(c, i, outputs[i]);
      EXPECT_EQ(wrong, "") << file << ":" << c.line << " (" << c.op << ": " << c.name
                           << "), output " << i;
    }
  }
};

constexpr size_t kCasesPerProgram = 40;

TEST_P(OpCases, AllFilesGiveTheExpectedValues) {
  size_t files = 0, total = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("tests/data/ops"))) {
    std::vector<OpCase> cases = read_op_cases(entry.path().string());
    ASSERT_FALSE(cases.empty()) << entry.path();
    ++files;
    total += cases.size();
    for (size_t i = 0; i < cases.size(); i += kCasesPerProgram) {
      std::vector<const OpCase*> group;
      for (size_t k = i; k < std::min(i + kCasesPerProgram, cases.size()); ++k) {
        group.push_back(&cases[k]);
      }
      run_together(entry.path().filename().string(), group);
    }
  }
  EXPECT_GE(files, 8u);
  EXPECT_GE(total, 1000u);
}

// Every runner is used by some case, so that no operation is left out by mistake.
TEST(OpCaseFiles, CoverEveryOperation) {
  std::map<std::string, int> used;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("tests/data/ops"))) {
    for (const OpCase& c : read_op_cases(entry.path().string())) ++used[c.op];
  }
  for (const auto& [op, runner] : op_table()) EXPECT_GE(used[op], 1) << op;
}

XYLEM_FOR_EACH_PLUGIN(OpCases);

}  // namespace
}  // namespace xylem
