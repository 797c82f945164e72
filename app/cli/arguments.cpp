// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"

#include <CLI/CLI.hpp>

namespace strata::cli {

/// A name or value that is there but empty: a script's variable that was not set, most often.
static std::string notEmpty(const std::string& value) { return value.empty() ? "expected a value, got an empty one" : ""; }

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

void Arguments::number(const char* name, int64_t& value, const char* help, int64_t least, int64_t most, const char* valueName) {
  // --help shows the option's name alone, without the range.
  m_app.add_option(name, value, help)->type_name(valueName)->check(CLI::Range(least, most).description(""));
}

void Arguments::count(const char* name, int64_t& value, const char* help) { number(name, value, help, 1, int64_t{1} << 40); }

void Arguments::threads(int& value) {
  m_app.add_option("--threads", value, "Threads (0: all cores)")->type_name("N")->check(CLI::Range(0, 1024).description(""));
}

void Arguments::flag(const char* name, bool& value, const char* help) { m_app.add_flag(name, value, help); }

void Arguments::json(bool& value) { flag("--json", value, "One JSON document on standard output"); }

void Arguments::excludes(const char* name, const std::vector<const char*>& others) {
  for (const char* other : others) m_app.get_option(name)->excludes(m_app.get_option(other));
}

}  // namespace strata::cli
