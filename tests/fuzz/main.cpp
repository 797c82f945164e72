// SPDX-License-Identifier: Apache-2.0
// Runs the fuzzer, which gives damaged files to every reader of files (see tests/fuzz/README.md).
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <unistd.h>

#include "gpu/base/log.h"
#include "tests/fuzz/loop.h"
#include "tests/support/paths.h"

static constexpr const char* kUsage =
    "usage: strata_fuzz [--target NAME]... [--mutants N] [--seed S] [--jobs N] [--keep FOLDER] "
    "[--only NUMBER] [--list]\n"
    "  --target NAME  a reader (default: all); --list lists them\n"
    "  --mutants N    damaged files for each (default: 1000)\n"
    "  --seed S       of all damage (default: 1); the same seed makes the same files\n"
    "  --jobs N       targets at once (default: 1)\n"
    "  --keep FOLDER  where files that are findings are kept (default: fuzz-findings)\n"
    "  --only NUMBER  this mutant alone, in this process, for a debugger\n";

int main(int argc, char** argv) {
  using namespace strata;
  using namespace strata::fuzz;
  namespace fs = std::filesystem;

  std::vector<std::string> names;
  LoopOptions options;
  bool isList = false;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (size_t i = 0; i < words.size(); ++i) {
    const auto value = [&]() -> const std::string& {
      return i + 1 < words.size() ? words[++i] : words[i];
    };
    const auto number = [&] {
      return std::strtoull(value().c_str(), nullptr, 10);
    };
    if (words[i] == "--target")
      names.push_back(value());
    else if (words[i] == "--mutants")
      options.mutants = number();
    else if (words[i] == "--seed")
      options.seed = number();
    else if (words[i] == "--jobs")
      options.jobs = static_cast<int>(number());
    else if (words[i] == "--only")
      options.only = number();
    else if (words[i] == "--keep")
      options.kept = value();
    else if (words[i] == "--list")
      isList = true;
    else {
      std::cerr << kUsage;
      return 2;
    }
  }

  std::vector<Target> targets;
  for (Target& target : allTargets())
    if (names.empty() || std::find(names.begin(), names.end(), target.name) != names.end())
      targets.push_back(std::move(target));
  if (targets.empty() || targets.size() < names.size()) {
    std::cerr << "strata_fuzz: --target: no such target (see --list).\n";
    return 2;
  }
  if (isList) {
    for (const Target& target : targets)
      std::cout << target.name << "\n";
    return 0;
  }

  // The files are short-lived, so they are kept in memory if possible.
  if (::access("/dev/shm", W_OK | X_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 1);
  // Empty folders replace the user's settings and caches.
  const TemporaryFolder own;
  for (const char* name : {"XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"})
    ::setenv(name, own.path().c_str(), 1);
  setLogSink([](LogLevel, std::string_view) {});
  return runTargets(targets, options) == 0 ? 0 : 1;
}
