// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include <CLI/CLI.hpp>

#include "core/recipe/options.h"

namespace strata::cli {

/// A name or value that is there but empty: a script's variable that was not set, most often.
static std::string notEmpty(const std::string& value) { return value.empty() ? "expected a value, got an empty one" : ""; }

constexpr int64_t kMostCount = int64_t{1} << 40;

void Arguments::text(const char* name, std::string& value, const char* help, const char* valueName, Need need) {
  m_app.add_option(name, value, help)->type_name(valueName)->required(need == Need::Required)->check(notEmpty);
}

void Arguments::choice(const char* name, std::string& value, const char* help, const char* valueName,
                       const std::vector<std::string>& allowed, Need need) {
  m_app.add_option(name, value, help)->type_name(valueName)->required(need == Need::Required)->check(CLI::IsMember(allowed));
}

void Arguments::repeated(const char* name, std::vector<std::string>& values, const char* help, const char* valueName) {
  m_app.add_option(name, values, help)->type_name(valueName)->take_all()->expected(1)->check(notEmpty);
}

void Arguments::list(const char* name, std::vector<std::string>& values, const char* help, const char* valueName) {
  m_app.add_option(name, values, help)->type_name(valueName)->required()->check(notEmpty);
}

static CLI::Validator wholeNumber(int64_t least, int64_t most) {
  const auto wrong = [least, most](const std::string& text) -> std::string {
    int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed == std::errc() && end == text.data() + text.size() && number >= least && number <= most) return {};
    return "expected a whole number from " + std::to_string(least) + (most < kMostCount ? " to " + std::to_string(most) : "") + ", got " +
           text;
  };
  return {wrong, ""};
}

void Arguments::number(const char* name, int64_t& value, const char* help, int64_t least, int64_t most, const char* valueName) {
  m_app.add_option(name, value, help)->type_name(valueName)->check(wholeNumber(least, most));
}

void Arguments::count(const char* name, int64_t& value, const char* help) { number(name, value, help, 1, kMostCount); }

void Arguments::batchSize(int64_t& value, const char* help) { number("--batch-size", value, help, 1, kMostBatch); }

/// Writes "1.5GB" as 1500000000, or says what is wrong with it.
static std::string asWholeBytes(std::string& text) {
  const auto wrong = [&] {
    return "expected bytes, 1 at least, such as 2000000, 500MiB (1024 KiB each) or 1.5GB (1000 MB each), got " + text;
  };
  constexpr double kMost = 0x1p60;
  int64_t whole = 0;
  if (const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), whole);
      failed == std::errc() && end == text.data() + text.size())
    return whole >= 1 && whole <= static_cast<int64_t>(kMost) ? std::string() : wrong();
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc()) return wrong();
  std::string unit = text.substr(static_cast<size_t>(end - text.data()));
  unit.erase(0, unit.find_first_not_of(' '));
  std::ranges::transform(unit, unit.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const bool isBinary = unit.size() == 3 && unit.ends_with("ib");
  const size_t power = std::string_view("bkmgt").find(unit.empty() ? 'b' : unit[0]);
  if (power == std::string_view::npos || !(unit.empty() || unit == "b" || isBinary || (unit.size() == 2 && unit[1] == 'b'))) return wrong();
  if (power == 0 && isBinary) return wrong();
  number *= std::pow(isBinary ? 1024.0 : 1000.0, static_cast<double>(power));
  if (!(number >= 1 && number <= kMost)) return wrong();
  text = std::to_string(static_cast<int64_t>(number));
  return {};
}

void Arguments::bytes(const char* name, int64_t& value, const char* help) {
  m_app.add_option(name, value, help)->type_name("BYTES")->transform(CLI::Validator(asWholeBytes, ""));
}

void Arguments::threads(int& value) {
  m_app.add_option("--threads", value, "Threads (0: all cores)")->type_name("N")->check(wholeNumber(0, 1024));
}

void Arguments::flag(const char* name, bool& value, const char* help) { m_app.add_flag(name, value, help); }

void Arguments::json(bool& value) { flag("--json", value, "One JSON document on standard output"); }

void Arguments::excludes(const char* name, const std::vector<const char*>& others) {
  for (const char* other : others) m_app.get_option(name)->excludes(m_app.get_option(other));
}

}  // namespace strata::cli
