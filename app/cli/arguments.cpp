// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include <CLI/CLI.hpp>

#include "core/recipe/options.h"
#include "gpu/base/bytes.h"
#include "gpu/devices/devices.h"

namespace strata::cli {

/// Rejects an empty value, which often comes from an unset variable of a script.
static std::string notEmpty(const std::string& value) {
  return value.empty() ? "expected a value, got an empty one" : "";
}

constexpr int64_t kMaxCount = int64_t{1} << 40;

void Arguments::text(const char* name, std::string& value, const char* help, const char* valueName,
                     Need need) {
  m_app.add_option(name, value, help)
      ->type_name(valueName)
      ->required(need == Need::Required)
      ->check(notEmpty);
}

void Arguments::choice(const char* name, std::string& value, const char* help,
                       const char* valueName, const std::vector<std::string>& allowed, Need need) {
  m_app.add_option(name, value, help)
      ->type_name(valueName)
      ->required(need == Need::Required)
      ->check(CLI::IsMember(allowed));
}

void Arguments::repeated(const char* name, std::vector<std::string>& values, const char* help,
                         const char* valueName) {
  m_app.add_option(name, values, help)
      ->type_name(valueName)
      ->take_all()
      ->expected(1)
      ->check(notEmpty);
}

void Arguments::list(const char* name, std::vector<std::string>& values, const char* help,
                     const char* valueName, Need need) {
  m_app.add_option(name, values, help)
      ->type_name(valueName)
      ->required(need == Need::Required)
      ->check(notEmpty);
}

Arguments Arguments::command(const char* name, const char* help, const char* example,
                             std::function<void()> onChosen) {
  CLI::App* const sub = m_app.add_subcommand(name, help);
  sub->footer(std::string("Example: ") + example);
  sub->callback(std::move(onChosen));
  m_app.require_subcommand(1);
  return Arguments(*sub);
}

static CLI::Validator wholeNumber(int64_t least, int64_t most) {
  const auto wrong = [least, most](const std::string& text) -> std::string {
    int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed == std::errc() && end == text.data() + text.size() && number >= least &&
        number <= most)
      return {};
    return "expected a whole number from " + std::to_string(least) +
           (most < kMaxCount ? " to " + std::to_string(most) : "") + ", got " + text;
  };
  return {wrong, ""};
}

void Arguments::number(const char* name, int64_t& value, const char* help, int64_t least,
                       int64_t most, const char* valueName) {
  m_app.add_option(name, value, help)->type_name(valueName)->check(wholeNumber(least, most));
}

void Arguments::count(const char* name, int64_t& value, const char* help) {
  number(name, value, help, 1, kMaxCount);
}

void Arguments::batchSize(int64_t& value, const char* help) {
  number("--batch-size", value, help, 1, kMaxBatch);
}

/// Replaces text such as "1.5GB" by the number of bytes, or returns an error message.
static std::string asWholeBytes(std::string& text) {
  const std::optional<int64_t> bytes = parseBytes(text);
  if (!bytes)
    return "expected at least 1 byte, such as 2000000, 500MiB (1 MiB = 1024 KiB) or 1.5GB (1 GB = "
           "1000 MB), got " +
           text;
  text = std::to_string(*bytes);
  return {};
}

void Arguments::bytes(const char* name, int64_t& value, const char* help) {
  m_app.add_option(name, value, help)
      ->type_name("BYTES")
      ->transform(CLI::Validator(asWholeBytes, ""));
}

void Arguments::threads(int& value) {
  m_app.add_option("--threads", value, "Number of threads (0: all cores)")
      ->type_name("N")
      ->check(wholeNumber(0, 1024));
}

void Arguments::device(std::string& value, const char* otherwise) {
  static const std::string help = "Compute device: " + deviceNamesText();
  text("--device", value,
       *otherwise ? (help + " (default: " + otherwise + ")").c_str() : help.c_str(), "D");
}

void Arguments::flag(const char* name, bool& value, const char* help) {
  m_app.add_flag(name, value, help);
}

void Arguments::json(bool& value) {
  flag("--json", value, "Print one JSON document to standard output");
}

void Arguments::excludes(const char* name, const std::vector<const char*>& others) {
  for (const char* other : others)
    m_app.get_option(name)->excludes(m_app.get_option(other));
}

void Arguments::needs(const char* name, const char* other) {
  m_app.get_option(name)->needs(m_app.get_option(other));
}

}  // namespace strata::cli
