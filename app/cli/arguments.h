// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments a command accepts, as few words over CLI11, so that one file alone compiles that
// library. Every added variable keeps its value when the option is absent, and must outlive the
// parsing. Thread: main thread only.
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

  /// `name`: "--device", or "PROJECT" for a value without a name. `valueName`: how --help calls the
  /// value.
  void text(const char* name, std::string& value, const char* help, const char* valueName,
            Need need = Need::Optional);
  void choice(const char* name, std::string& value, const char* help, const char* valueName,
              const std::vector<std::string>& allowed, Need need = Need::Optional);
  // --name A --name B
  void repeated(const char* name, std::vector<std::string>& values, const char* help,
                const char* valueName);
  // NAME...: one or more
  void list(const char* name, std::vector<std::string>& values, const char* help,
            const char* valueName);
  /// A whole number from `least` to `most`.
  void number(const char* name, int64_t& value, const char* help, int64_t least, int64_t most,
              const char* valueName = "N");
  // From 1
  void count(const char* name, int64_t& value, const char* help);
  // --batch-size
  void batchSize(int64_t& value, const char* help);
  // "2000000", "500MiB", "1.5GB"
  void bytes(const char* name, int64_t& value, const char* help);
  // --threads
  void threads(int& value);
  /// --device. otherwise: what holds where it is absent; "": the help says nothing of it.
  void device(std::string& value, const char* otherwise = "");
  void flag(const char* name, bool& value, const char* help);
  // --json
  void json(bool& value);
  /// `name` and each of `others`, all added before, are wrong usage together.
  void excludes(const char* name, const std::vector<const char*>& others);

 private:
  CLI::App& m_app;
};

}  // namespace strata::cli
