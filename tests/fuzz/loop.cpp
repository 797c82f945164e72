// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/loop.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <new>
#include <set>
#include <typeinfo>

#include <cxxabi.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/project/text.h"
#include "gpu/base/error.h"
#include "tests/fuzz/heap.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/paths.h"

namespace strata::fuzz {

namespace fs = std::filesystem;

namespace {

/// A target stops after this many findings, because they usually have the same cause.
constexpr uint64_t kMaxFindings = 20;

/// The values that the process of a target reports to its parent through shared memory.
struct Tally {
  // The number of the mutant or seed that the process is reading.
  uint64_t number = 0;
  // Whether `number` is the number of a seed.
  bool isSeed = false;
  uint64_t done = 0, accepted = 0, refused = 0, findings = 0;
  double slowestSeconds = 0;
  uint64_t slowest = 0, largestBytes = 0, largest = 0;
};

struct Made {
  Damaged damaged;
  bool isRepaired = false;
};

/// Makes a mutant and repairs its checksums in half of the cases. The mutant depends only on the
/// target, the seed and the number.
Made makeMutant(const Target& target, const std::vector<Seed>& seeds, uint64_t seed,
                uint64_t number) {
  RandomStream random(seed, streamOf(target.name + "/" + std::to_string(number)));
  Made made{mutate(seeds, random)};
  made.isRepaired = target.repair && random.below(2) == 0;
  if (made.isRepaired) made.damaged.bytes = target.repair(made.damaged.bytes);
  return made;
}

void report(const Target& target, const LoopOptions& options, uint64_t number,
            const std::string& what, const std::string* bytes) {
  std::string kept;
  if (bytes) {
    std::error_code ignored;
    fs::create_directories(options.kept, ignored);
    kept = (options.kept /
            (target.name + "-" + std::to_string(options.seed) + "-" + std::to_string(number)))
               .string();
    std::ofstream(kept, std::ios::binary)
        .write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  }
  std::printf(
      "finding: %s: %s (--target %s --seed %llu --only %llu%s)\n", target.name.c_str(),
      asOneLine(what).c_str(), target.name.c_str(), static_cast<unsigned long long>(options.seed),
      static_cast<unsigned long long>(number), kept.empty() ? "" : (", kept as " + kept).c_str());
  std::fflush(stdout);
}

std::string nameOfType(const std::type_info& type) {
  int status = 0;
  char* const text = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = text ? text : type.name();
  std::free(text);
  return name;
}

class TargetRun {
 public:
  TargetRun(const Target& target, const LoopOptions& options, const fs::path& folder, Tally& tally)
      : m_target(target),
        m_options(options),
        m_folder(folder),
        m_tally(tally),
        m_seeds(target.seeds()) {
    if (m_seeds.empty()) report(target, options, 0, "it has no seeds", nullptr);
  }

  /// Reads the seeds, which the target must accept. Mutants of a refused seed would test nothing.
  void readSeeds(bool reports) {
    m_tally.isSeed = true;
    for (size_t i = 0; i < m_seeds.size(); ++i) {
      m_tally.number = i;
      ::alarm(kMaxSeconds);
      const Mutant seed(m_seeds[i].bytes, m_seeds[i].file, i, freshFolder("seed", i));
      try {
        m_values.insert(m_target.read(seed));
      }
      catch (const std::exception& error) {
        if (!reports) continue;
        ++m_tally.findings;
        const auto* known = dynamic_cast<const Error*>(&error);
        report(
            m_target, m_options, i,
            "seed " + std::to_string(i) + " is refused: " + (known ? known->line() : error.what()),
            &seed.bytes);
      }
      removeFolder(seed.folder);
    }
    m_tally.isSeed = false;
  }

  void readMutant(uint64_t number) {
    m_tally.number = number;
    const Made made = makeMutant(m_target, m_seeds, m_options.seed, number);
    const Mutant mutant(made.damaged.bytes, made.damaged.file, number,
                        freshFolder("mutant", number));
    if (m_options.only) report(m_target, m_options, number, "this mutant", &mutant.bytes);
    ::alarm(kMaxSeconds);
    startHeapPeak();
    const auto start = std::chrono::steady_clock::now();
    const std::string problem = problemOf(mutant, made.isRepaired);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const size_t bytes = canMeasureHeap() ? heapPeakBytes() : 0;
    ::alarm(0);
    removeFolder(mutant.folder);
    if (seconds > m_tally.slowestSeconds) {
      m_tally.slowestSeconds = seconds;
      m_tally.slowest = number;
    }
    if (bytes > m_tally.largestBytes) {
      m_tally.largestBytes = bytes;
      m_tally.largest = number;
    }
    ++m_tally.done;
    if (!problem.empty()) reportMutant(mutant, problem);
    if (bytes > kMaxHeapBytes)
      reportMutant(mutant, "took " + std::to_string(bytes >> 20) +
                               " MiB of memory (expected at most " +
                               std::to_string(kMaxHeapBytes >> 20) + ")");
  }

 private:
  fs::path freshFolder(const char* stem, uint64_t number) {
    const fs::path folder = m_folder / (m_target.name + "-" + stem + std::to_string(number));
    fs::create_directory(folder);
    return folder;
  }
  static void removeFolder(const fs::path& folder) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }

  void reportMutant(const Mutant& mutant, const std::string& problem) {
    ++m_tally.findings;
    report(m_target, m_options, mutant.number, problem, &mutant.bytes);
  }

  /// Reads the mutant. Returns "" if the target accepted or refused it correctly.
  std::string problemOf(const Mutant& mutant, bool isRepaired) {
    try {
      const std::string values = m_target.read(mutant);
      ++m_tally.accepted;
      if (m_target.isProtected && !isRepaired && !m_values.contains(values))
        return "damage was accepted: its values are those of no seed";
      return "";
    }
    catch (const Error& error) {
      ++m_tally.refused;
      if (error.code() == ErrorCode::Internal) return "an invariant does not hold: " + error.line();
      return *error.what() == '\0' ? "an error without a message" : "";
    }
    catch (const std::exception& error) {
      return "threw " + nameOfType(typeid(error)) + ": " + error.what();
    }
    catch (...) {
      return "threw something else than an error";
    }
  }

  const Target& m_target;
  const LoopOptions& m_options;
  const fs::path m_folder;
  Tally& m_tally;
  const std::vector<Seed> m_seeds;
  // The values that the target read from the seeds.
  std::set<std::string> m_values;
};

void runMutants(const Target& target, const LoopOptions& options, const fs::path& folder,
                Tally& tally, uint64_t from) {
  TargetRun run(target, options, folder, tally);
  run.readSeeds(from == 0);
  for (uint64_t number = from; number < options.mutants && tally.findings < kMaxFindings; ++number)
    run.readMutant(number);
  tally.number = options.mutants;
}

std::string endOf(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return "takes more than " + std::to_string(kMaxSeconds) + " s";
  if (WIFSIGNALED(status))
    return std::string("ended by a signal (") + ::strsignal(WTERMSIG(status)) + ")";
  return "ended the process (code " + std::to_string(WEXITSTATUS(status)) + ")";
}

void printRow(const Target& target, const Tally& tally) {
  const auto whole = [](uint64_t number) {
    return static_cast<unsigned long long>(number);
  };
  std::printf("%-16s %8llu %9llu %8llu %9llu %11.1f %7llu %11.1f %7llu\n", target.name.c_str(),
              whole(tally.done), whole(tally.accepted), whole(tally.refused), whole(tally.findings),
              1e3 * tally.slowestSeconds, whole(tally.slowest),
              static_cast<double>(tally.largestBytes) / 1048576, whole(tally.largest));
  std::fflush(stdout);
}

}  // namespace

uint64_t runTargets(const std::vector<Target>& targets, const LoopOptions& options) {
  const TemporaryFolder folder;
  std::printf("%-16s %8s %9s %8s %9s %11s %7s %11s %7s\n", "target", "mutants", "accepted",
              "refused", "findings", "slowest ms", "number", "largest MiB", "number");
  std::fflush(stdout);
  uint64_t findings = 0;
  if (options.only) {
    for (const Target& target : targets) {
      Tally tally;
      TargetRun(target, options, folder.path(), tally).readMutant(*options.only);
      printRow(target, tally);
      findings += tally.findings;
    }
    return findings;
  }

  void* const shared = ::mmap(nullptr, targets.size() * sizeof(Tally), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  auto* const tallies = static_cast<Tally*>(shared);
  // Each entry is the index of a target and the number of its first mutant.
  std::deque<std::pair<size_t, uint64_t>> waiting;
  for (size_t i = 0; i < targets.size(); ++i)
    waiting.emplace_back(i, 0);
  std::map<pid_t, size_t> running;
  while (!waiting.empty() || !running.empty()) {
    while (!waiting.empty() && running.size() < static_cast<size_t>(std::max(1, options.jobs))) {
      const auto [index, from] = waiting.front();
      waiting.pop_front();
      const pid_t child = ::fork();
      if (child < 0) throw std::runtime_error("no process can be started");
      if (child == 0) {
        runMutants(targets[index], options, folder.path(), tallies[index], from);
        std::fflush(stdout);
        // The child exits normally, so that the address sanitizer looks for leaks.
        std::exit(0);
      }
      running.emplace(child, index);
    }
    int status = 0;
    const pid_t child = ::wait(&status);
    const auto found = running.find(child);
    if (found == running.end()) continue;
    const size_t index = found->second;
    running.erase(found);
    const Target& target = targets[index];
    Tally& tally = tallies[index];
    const bool isWhole = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!isWhole) {
      ++tally.findings;
      const bool isOfMutant = !tally.isSeed && tally.number < options.mutants;
      std::string what = endOf(status);
      std::optional<std::string> bytes;
      if (isOfMutant)
        bytes = makeMutant(target, target.seeds(), options.seed, tally.number).damaged.bytes;
      else if (tally.isSeed)
        bytes = target.seeds().at(tally.number).bytes;
      if (!isOfMutant) what += tally.isSeed ? " at a seed" : " after its last mutant";
      report(target, options, tally.number, what, bytes ? &*bytes : nullptr);
      if (isOfMutant && tally.findings < kMaxFindings) {
        ++tally.done;
        waiting.emplace_front(index, tally.number + 1);
        continue;
      }
    }
    printRow(target, tally);
    findings += tally.findings;
  }
  ::munmap(shared, targets.size() * sizeof(Tally));
  return findings;
}

}  // namespace strata::fuzz
