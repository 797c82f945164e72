// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a memory limit. The benchmark alternates steps with and without the limit.
// It prints the measured and predicted slowdown, the peak, and whether the weights are equal.
//   strata_limit_bench [-s SHARE]... [-b BATCH] PROJECT.json...
//   SHARE: the limit as a share of the peak without recomputing (default 0.6)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/cost/calibration_file.h"
#include "core/interchange/safetensors.h"
#include "core/train/network.h"
#include "gpu/base/error.h"
#include "gpu/cost/present_speed.h"

using namespace strata;
using Clock = std::chrono::steady_clock;

namespace {

/// Runs training steps with or without a limit. All samples are zero.
class Side {
 public:
  Side(const Project& project, int64_t batch, Recompute how, std::optional<size_t> limitBytes) {
    NetworkOptions options;
    options.device = "cpu";
    if (batch > 0) options.batchSize = batch;
    options.recompute = how;
    options.memoryLimitBytes = limitBytes;
    m_network = std::make_unique<Network>(project, options);
    m_network->prepare({m_network->steps().batchSize()}, {});
    m_network->state().initialize(1);
  }
  double step() {
    const auto start = Clock::now();
    setStep(program(), ++m_step, 1e-3, 1, 0);
    program().run();
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  Program& program() { return m_network->trainProgram(m_network->steps().batchSize()); }
  Network& network() { return *m_network; }
  size_t peakBytes() const { return m_network->allocatedBytes(); }
  double predicted(const Calibration& calibration, const PresentSpeed& speed) {
    return predictStep(program().graph(), program().memory(), m_network->steps().device(),
                       calibration, &speed)
        .seconds;
  }

 private:
  std::unique_ptr<Network> m_network;
  int64_t m_step = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(const char* path, int64_t batch, double share) {
  const Project project = loadProject(path).value();
  const std::string name = std::string(path).substr(std::string(path).rfind('/') + 1);
  Side kept(project, batch, Recompute::None, std::nullopt);
  const auto limit = static_cast<size_t>(share * static_cast<double>(kept.peakBytes()));
  const auto started = Clock::now();
  Side limited(project, batch, Recompute::Auto, limit);
  const double building = std::chrono::duration<double>(Clock::now() - started).count();
  const Calibration calibration = calibrationFor(kept.network().steps().device().pool());
  std::vector<double> ratios, predictions, keptSeconds;
  constexpr int kFewest = 7;
  constexpr double kSeconds = 4;
  kept.step();
  limited.step();
  const bool isSame = weightsHash(kept.network().state().weights()) ==
                      weightsHash(limited.network().state().weights());
  const auto begun = Clock::now();
  for (int i = 0;
       i < kFewest || std::chrono::duration<double>(Clock::now() - begun).count() < kSeconds; ++i) {
    if (i < 3) {
      const PresentSpeed speed = measureSpeed(limited.program().graph(), limited.program().memory(),
                                              limited.network().steps().device(), calibration);
      predictions.push_back(limited.predicted(calibration, speed) /
                            kept.predicted(calibration, speed));
    }
    const double first = kept.step(), both = limited.step(), last = kept.step();
    ratios.push_back(2 * both / (first + last));
    keptSeconds.push_back(first);
  }
  std::printf(
      "%-18s %2.0f%%: %7.1f -> %7.1f MiB (%.0f%%), %2zu more nodes, step %8.2f ms, slower by "
      "%5.1f%%, predicted %5.1f%%, %s weights, built "
      "in %.2f s\n",
      name.c_str(), 100 * share, static_cast<double>(kept.peakBytes()) / (1 << 20),
      static_cast<double>(limited.peakBytes()) / (1 << 20),
      100.0 * static_cast<double>(limited.peakBytes()) / static_cast<double>(kept.peakBytes()),
      limited.program().graph().order().size() - kept.program().graph().order().size(),
      1e3 * median(keptSeconds), 100 * (median(ratios) - 1), 100 * (median(predictions) - 1),
      isSame ? "same" : "OTHER", building);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<double> shares;
  int64_t batch = 0;
  int first = 1;
  for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
    if (std::strcmp(argv[first], "-s") == 0) shares.push_back(std::atof(argv[first + 1]));
    if (std::strcmp(argv[first], "-b") == 0) batch = std::atoll(argv[first + 1]);
  }
  if (shares.empty()) shares.push_back(0.6);
  for (int i = first; i < argc; ++i)
    for (const double share : shares)
      try {
        compare(argv[i], batch, share);
      }
      catch (const Error& error) {
        std::printf("%s %.0f%%: %s\n", argv[i], 100 * share, error.line().c_str());
      }
}
