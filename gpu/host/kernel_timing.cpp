// SPDX-License-Identifier: Apache-2.0
// Times the variants of a kernel on the threads of the host.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "gpu/base/clock.h"
#include "gpu/base/rng.h"
#include "gpu/base/tries.h"
#include "gpu/graph/op.h"
#include "gpu/host/host_device.h"
#include "gpu/tensor/tensor.h"

namespace strata {

namespace {

// If the median time divided by the shortest time is larger than this, other programs disturbed the
// measurement, so it is discarded
constexpr double kMaxDisturbance = 1.6;
// Differences in time of up to this many seconds are never regarded as disturbance
constexpr double kToleratedNoise = 3e-6;
constexpr int kTries = 7, kFewTries = 3;
// Kernels that take more seconds than this are run only kFewTries times
constexpr double kLongRun = 5e-3;

/// Runs the kernels of one node on operands that fill() sets to the same numbers each time.
class KernelTrial {
 public:
  KernelTrial(const Graph& graph, NodeId id, size_t workspaceBytes, ThreadPool& pool)
      : m_pool(pool), m_workspace(workspaceBytes) {
    const Node& node = graph.node(id);
    for (const ValueId value : node.inputs)
      m_inputs.emplace_back(graph.type(value));
    for (const ValueId value : node.outputs)
      m_outputs.emplace_back(graph.type(value));
    for (const Tensor& input : m_inputs)
      m_arguments.inputs.push_back(input.data());
    for (Tensor& output : m_outputs)
      m_arguments.outputs.push_back(output.data());
    m_sharedWith.assign(m_outputs.size(), nullptr);
    for (const auto& [output, input] : sharedPairs(node)) {
      m_sharedWith[static_cast<size_t>(output)] = &m_inputs[static_cast<size_t>(input)];
      m_arguments.outputs[static_cast<size_t>(output)] =
          m_inputs[static_cast<size_t>(input)].data();
    }
    m_arguments.workspace = m_workspace.data();
  }

  void fill() {
    constexpr size_t kBlock = 16384;
    if (m_numbers.empty()) {
      RandomStream random(1, streamOf("kernels"));
      for (size_t i = 0; i < kBlock; ++i)
        m_numbers.push_back(random.uniform() - 0.5f);
    }
    size_t at = 0;
    for (Tensor& input : m_inputs) {
      if (input.dtype() != DType::F32) continue;
      const std::span<float> numbers = input.as<float>();
      for (size_t i = 0; i < numbers.size();) {
        // Copy from another place each time, so that operands do not have the same numbers
        at = (at + 977) % (kBlock / 2);
        const size_t count = std::min(numbers.size() - i, kBlock - at);
        std::memcpy(numbers.data() + i, m_numbers.data() + at, count * sizeof(float));
        i += count;
      }
    }
    for (Tensor& output : m_outputs)
      if (output.bytes() > 0) std::memset(output.data(), 0, output.bytes());
  }

  /// Runs a kernel once and returns its time in seconds, or a very long time if it failed.
  double run(const HostKernel& kernel) {
    double seconds = 0;
    std::atomic<bool> hasFailed{false};
    m_pool.run([&](int worker) {
      loadShare(worker);
      m_pool.barrier().wait();
      const auto start = Clock::now();
      for (int stage = 0; stage < kernel.numStages(); ++stage) {
        try {
          kernel.run(m_arguments, stage, worker);
        }
        catch (...) {
          // Do not return here, because the other workers wait at the barrier
          hasFailed = true;
        }
        m_pool.barrier().wait();
      }
      if (worker == 0) seconds = std::chrono::duration<double>(Clock::now() - start).count();
    });
    return hasFailed ? 1e9 : seconds;
  }

  std::vector<Tensor> results() const {
    std::vector<Tensor> results;
    for (size_t i = 0; i < m_outputs.size(); ++i)
      results.push_back(m_sharedWith[i] ? *m_sharedWith[i] : m_outputs[i]);
    return results;
  }

 private:
  /// Loads a part of each input into the cache of each core, like the ops that precede a kernel in
  /// a step. Without this, all data could be in the cache of a single core.
  void loadShare(int worker) {
    constexpr int64_t kLine = 64;
    for (Tensor& input : m_inputs) {
      const WorkRange lines =
          shareOf(static_cast<int64_t>(input.bytes()) / kLine, worker, m_pool.numWorkers());
      for (int64_t line = lines.begin; line < lines.end; ++line) {
        volatile std::byte& first = input.data()[line * kLine];
        first = first;
      }
    }
  }

  ThreadPool& m_pool;
  AlignedBytes m_workspace;
  std::vector<Tensor> m_inputs, m_outputs;
  std::vector<Tensor*> m_sharedWith;
  KernelArguments m_arguments;
  std::vector<float> m_numbers;
};

struct Candidate {
  MeasuredVariant result;
  std::unique_ptr<HostKernel> kernel;
  Tries tries;
};

bool isDisturbed(const Tries& tries) {
  return tries.shortest() * tries.disturbance() >
         kMaxDisturbance * tries.shortest() + kToleratedNoise;
}

}  // namespace

std::optional<std::vector<MeasuredVariant>> HostDevice::timeVariants(
    const Graph& graph, NodeId id, const std::vector<OtherVariant>& others,
    const TimingOptions& options) {
  std::vector<Candidate> candidates;
  for (const OtherVariant& other : others)
    if (options.includesOtherBits || other.mayKeepBits)
      if (std::unique_ptr<HostKernel> kernel = createHostVariant(graph, id, other.name))
        candidates.push_back({{other.name, 0, other.mayKeepBits}, std::move(kernel), {}});
  if (candidates.empty()) return std::nullopt;
  const std::unique_ptr<HostKernel> rule = createHostKernel(graph, id);
  KernelTrial trial(graph, id, rule->workspaceBytes(), m_pool);
  trial.fill();
  const double first = trial.run(*rule);
  const int numTries = first > kLongRun ? kFewTries : kTries;
  const double runs = static_cast<double>((numTries + 1) * static_cast<int>(candidates.size() + 1));
  // Stop if timing would take more than the remaining budget
  if (first * runs > std::chrono::duration<double>(options.budget).count()) return std::nullopt;
  const std::vector<Tensor> expected = trial.results();
  const auto isTimed = [&](const Candidate& candidate) {
    return options.includesOtherBits || candidate.result.hasSameBits;
  };
  for (Candidate& candidate : candidates) {
    trial.fill();
    trial.run(*candidate.kernel);
    const std::vector<Tensor> results = trial.results();
    for (size_t i = 0; i < results.size(); ++i)
      candidate.result.hasSameBits =
          candidate.result.hasSameBits && results[i].isBitEqual(expected[i]);
  }
  Tries defaultTries;
  // Time the kernels in turn, so that disturbances affect all of them
  for (int i = 0; i < numTries; ++i) {
    if (options.stop.stop_requested()) return std::nullopt;
    defaultTries.add(trial.run(*rule));
    for (Candidate& candidate : candidates)
      if (isTimed(candidate)) candidate.tries.add(trial.run(*candidate.kernel));
  }
  if (isDisturbed(defaultTries)) return std::nullopt;
  for (const Candidate& candidate : candidates)
    if (isTimed(candidate) && isDisturbed(candidate.tries)) return std::nullopt;
  std::vector<MeasuredVariant> variants{{"", defaultTries.shortest(), true}};
  for (Candidate& candidate : candidates) {
    if (isTimed(candidate)) candidate.result.seconds = candidate.tries.shortest();
    variants.push_back(candidate.result);
  }
  return variants;
}

}  // namespace strata
