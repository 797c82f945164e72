// SPDX-License-Identifier: GPL-3.0-or-later
// Declares the options and positional arguments of a command. Only arguments.cpp and main.cpp
// compile CLI11, which this class wraps. A variable keeps its value when its option is absent, and
// must outlive the parsing. Thread: main thread only.
#pragma once

#include <cstdint>
#include <functional>
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

  /// Adds an option or a positional argument that takes text. `name` is "--device", or "PROJECT"
  /// for a positional argument. --help shows `valueName` as the placeholder of the value.
  void text(const char* name, std::string& value, const char* help, const char* valueName,
            Need need = Need::Optional);
  /// Adds an option that takes one of the `allowed` values.
  void choice(const char* name, std::string& value, const char* help, const char* valueName,
              const std::vector<std::string>& allowed, Need need = Need::Optional);
  /// Adds an option that may be repeated: --name A --name B.
  void repeated(const char* name, std::vector<std::string>& values, const char* help,
                const char* valueName);
  /// Adds a positional argument that takes one or more values: NAME...
  void list(const char* name, std::vector<std::string>& values, const char* help,
            const char* valueName, Need need = Need::Required);
  /// Adds an option that takes a whole number from `least` to `most`.
  void number(const char* name, int64_t& value, const char* help, int64_t least, int64_t most,
              const char* valueName = "N");
  /// Adds an option that takes a whole number of at least 1.
  void count(const char* name, int64_t& value, const char* help);
  /// Adds --batch-size.
  void batchSize(int64_t& value, const char* help);
  /// Adds an option that takes a number of bytes, such as "2000000", "500MiB" or "1.5GB".
  void bytes(const char* name, int64_t& value, const char* help);
  /// Adds --threads.
  void threads(int& value);
  /// Adds --device. --help names `otherwise` as the default, unless it is "".
  void device(std::string& value, const char* otherwise = "");
  /// Adds a command of this command, such as `list` of `strata runs`. One of them must be named.
  /// `onChosen` is called when the user names it.
  Arguments command(const char* name, const char* help, const char* example,
                    std::function<void()> onChosen);
  /// Adds an option without a value.
  void flag(const char* name, bool& value, const char* help);
  /// Adds --json.
  void json(bool& value);
  /// Makes the option `name` exclude each option in `others`. Add all of these options before
  /// calling this.
  void excludes(const char* name, const std::vector<const char*>& others);
  /// Makes the option `name`, which has been added, need the option `other`.
  void needs(const char* name, const char* other);

 private:
  CLI::App& m_app;
};

}  // namespace strata::cli
