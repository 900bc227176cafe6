#include "xylem/io/inspect_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "xylem/io/json.h"
#include "xylem/io/printable.h"

namespace xylem::io {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

constexpr size_t kValueWidth = 100;
constexpr size_t kMaxColumn = 72;  // a wider cell pushes its own row only

// 134515008 -> "134.5M".
std::string short_count(uint64_t n) {
  if (n < 10'000) return fmt::format("{}", n);
  double value = static_cast<double>(n);
  for (const char* unit : {"K", "M", "B"}) {
    value /= 1000;
    if (value < 1000) return fmt::format("{:.1f}{}", value, unit);
  }
  return fmt::format("{:.1f}T", value / 1000);
}

std::string short_bytes(uint64_t n) {
  if (n < 1024) return fmt::format("{} B", n);
  double value = static_cast<double>(n);
  for (const char* unit : {"KiB", "MiB", "GiB"}) {
    value /= 1024;
    if (value < 1024) return fmt::format("{:.1f} {}", value, unit);
  }
  return fmt::format("{:.1f} TiB", value / 1024);
}

std::string bytes_cell(const Json& bytes) {
  return bytes.is_null() ? "?" : short_bytes(bytes.get<uint64_t>());
}

std::string value_cell(const Json& value) {
  if (value.is_string()) return printable(value.get_ref<const std::string&>(), kValueWidth);
  if (value.is_object() && value.contains("array_of")) {
    return fmt::format("{} x {}: {}", value["count"].get<uint64_t>(),
                       value["array_of"].get<std::string>(),
                       printable(dump_json(value["first"]), kValueWidth));
  }
  return printable(dump_json(value), kValueWidth);
}

void add_table(std::string& out, std::string_view title, const std::vector<Row>& rows) {
  if (rows.empty()) return;
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::min(kMaxColumn, std::max(widths[c], row[c].size()));
    }
  }
  out += fmt::format("\n{}\n", title);
  for (const Row& row : rows) {
    std::string line = "  ";
    for (size_t c = 0; c + 1 < row.size(); ++c) line += fmt::format("{:<{}}  ", row[c], widths[c]);
    out += line + row.back() + "\n";
  }
}

std::string headline(const Json& summary) {
  std::string format = summary["format"].get<std::string>();
  if (summary.contains("version")) {
    format += fmt::format(" version {}", summary["version"].get<int>());
  }
  if (uint64_t files = summary["files"].get<uint64_t>(); files > 1) {
    format += fmt::format(" in {} files", files);
  }
  return fmt::format("{}: {}, {} tensors, {} parameters, {}\n",
                     printable(summary["path"].get_ref<const std::string&>(), 1024), format,
                     summary["tensors"].size(), short_count(summary["parameters"].get<uint64_t>()),
                     short_bytes(summary["bytes"].get<uint64_t>()));
}

}  // namespace

std::string inspect_text(const Json& summary) {
  std::string out = headline(summary);
  std::vector<Row> rows;
  if (summary["metadata"].is_object()) {
    for (const auto& [key, value] : summary["metadata"].items()) {
      rows.push_back({printable(key), value_cell(value)});
    }
  }
  add_table(out, "Metadata", rows);
  rows.clear();
  for (const Json& tensor : summary["tensors"]) {
    rows.push_back({printable(tensor["name"].get_ref<const std::string&>()),
                    tensor["type"].get<std::string>(), tensor["shape"].dump(),
                    bytes_cell(tensor["bytes"])});
  }
  add_table(out, "Tensors", rows);
  rows.clear();
  for (const Json& total : summary["totals"]) {
    rows.push_back({total["type"].get<std::string>(),
                    fmt::format("{} tensors", total["tensors"].get<uint64_t>()),
                    fmt::format("{} parameters", short_count(total["parameters"].get<uint64_t>())),
                    bytes_cell(total["bytes"])});
  }
  add_table(out, "Totals", rows);
  return out;
}

}  // namespace xylem::io
