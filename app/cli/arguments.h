// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of a command: a thin layer over CLI11, so that only arguments.cpp and main.cpp
// compile that library. A variable keeps its value when its option is absent, and must outlive
// the parsing. Thread: main thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace strata::cli {

enum class Need { Optional, Required };

class Arguments {
 public:
  explicit Arguments(CLI::App& app) : m_app(app) {}

  /// `name`: "--device", or "PROJECT" for a positional argument. `valueName`: the value's name in
  /// --help.
  void text(const char* name, std::string& value, const char* help, const char* valueName,
            Need need = Need::Optional);
  void choice(const char* name, std::string& value, const char* help, const char* valueName,
              const std::vector<std::string>& allowed, Need need = Need::Optional);
  // An option that may be repeated: --name A --name B
  void repeated(const char* name, std::vector<std::string>& values, const char* help,
                const char* valueName);
  // A positional argument with one value or more: NAME...
  void list(const char* name, std::vector<std::string>& values, const char* help,
            const char* valueName);
  /// A whole number from `least` to `most`.
  void number(const char* name, int64_t& value, const char* help, int64_t least, int64_t most,
              const char* valueName = "N");
  // A whole number from 1 on
  void count(const char* name, int64_t& value, const char* help);
  // --batch-size
  void batchSize(int64_t& value, const char* help);
  // A number of bytes: "2000000", "500MiB", "1.5GB"
  void bytes(const char* name, int64_t& value, const char* help);
  // --threads
  void threads(int& value);
  /// --device. `otherwise`: the default that --help names; "": none.
  void device(std::string& value, const char* otherwise = "");
  void flag(const char* name, bool& value, const char* help);
  // --json
  void json(bool& value);
  /// `name` can't be combined with any of `others`; all were added before.
  void excludes(const char* name, const std::vector<const char*>& others);

 private:
  CLI::App& m_app;
};

}  // namespace strata::cli
