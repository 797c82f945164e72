// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/kernel_choices.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstring>

#include "gpu/base/clock.h"
#include "gpu/base/machine.h"
#include "gpu/base/rng.h"
#include "gpu/base/thread_pool.h"
#include "gpu/base/tries.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "gpu/passes/pass.h"

namespace strata {

namespace {

// A variant is only chosen if its time divided by the default kernel's time is at most this.
// A smaller gain could be noise.
constexpr double kMaxRelativeTime = 0.9;
// If the median time divided by the shortest time is larger than this, other programs disturbed the
// measurement, so it is discarded
constexpr double kMaxDisturbance = 1.6;
// Differences in time of up to this many seconds are never regarded as disturbance
constexpr double kToleratedNoise = 3e-6;
constexpr int kTries = 7, kFewTries = 3;
// Kernels that take more seconds than this are run only kFewTries times
constexpr double kLongRun = 5e-3;

// A kernel is timed only if its operands take at most 1/16 of the available memory and 1/8 of the
// memory limit. They are not part of the memory plan, and the results are copied twice.
constexpr size_t kShareOfMemory = 16, kShareOfLimit = 8;

size_t operandBytes(const Graph& graph, NodeId id) {
  size_t bytes = 0;
  for (const ValueId value : graph.node(id).inputs)
    bytes += graph.type(value).bytes();
  for (const ValueId value : graph.node(id).outputs)
    bytes += graph.type(value).bytes();
  return bytes;
}

/// Runs the kernels of one node on operands that fill() sets to the same numbers each time.
class Bench {
 public:
  Bench(const Graph& graph, NodeId id, size_t workspaceBytes, ThreadPool& pool)
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
    for (const auto& [output, input] : node.op->mustAlias)
      if (static_cast<size_t>(output) < m_outputs.size()) {
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
  double run(const Kernel& kernel) {
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

std::string microseconds(double seconds) {
  std::array<char, 64> text{};
  return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(),
                                                seconds * 1e6, std::chars_format::fixed, 1)
                                      .ptr) +
         " us";
}

}  // namespace

std::string kernelKey(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::string key = node.op->name + " ";
  for (size_t i = 0; i < node.inputs.size(); ++i)
    key += (i == 0 ? "" : ",") + graph.type(node.inputs[i]).toString();
  key += " -> ";
  for (size_t i = 0; i < node.outputs.size(); ++i)
    key += (i == 0 ? "" : ",") + graph.type(node.outputs[i]).toString();
  const std::string attributes = attributesText(node);
  return attributes.empty() ? key : key + " " + attributes;
}

std::string bestVariant(const std::vector<MeasuredVariant>& variants, KernelChoice how) {
  if (variants.empty() || how == KernelChoice::Rule || variants.front().seconds <= 0) return "";
  const MeasuredVariant* best = nullptr;
  for (const MeasuredVariant& variant : variants)
    if (!variant.variant.empty() && variant.seconds > 0 &&
        (how == KernelChoice::Fastest || variant.hasSameBits) &&
        variant.seconds <= kMaxRelativeTime * variants.front().seconds &&
        (!best || variant.seconds < best->seconds))
      best = &variant;
  return best ? best->variant : "";
}

void KernelChooser::fix(KernelVariants variants) {
  m_variants = std::move(variants);
  m_isFixed = true;
  m_backend.setVariants(m_variants);
}

void KernelChooser::measure(std::chrono::nanoseconds budget, std::stop_token stop,
                            size_t limitBytes) {
  m_budget = budget;
  m_limitBytes = limitBytes;
  m_stop = std::move(stop);
}

/// Returns whether all variants that may be chosen were timed. A variant without an entry could not
/// be created.
bool KernelChooser::isEnough(const std::vector<MeasuredVariant>& measured,
                             const std::vector<OtherVariant>& others) const {
  return std::all_of(others.begin(), others.end(), [&](const OtherVariant& other) {
    // Without Fastest, a variant that gives other bits is never chosen, so it need not be timed
    if (m_how != KernelChoice::Fastest && !other.mayKeepBits) return true;
    const auto at =
        std::find_if(measured.begin(), measured.end(),
                     [&](const MeasuredVariant& variant) { return variant.variant == other.name; });
    return at == measured.end() || at->seconds > 0 ||
           (m_how != KernelChoice::Fastest && !at->hasSameBits);
  });
}

/// Returns the measurements of a kernel. Measures first if they are incomplete and the budget
/// allows it. Returns null if there are none.
const std::vector<MeasuredVariant>* KernelChooser::measured(
    const Graph& graph, NodeId id, const std::string& key,
    const std::vector<OtherVariant>& others) {
  const auto known = m_measured.find(key);
  if (known != m_measured.end() && isEnough(known->second, others)) return &known->second;
  const std::vector<MeasuredVariant>* const rest =
      known == m_measured.end() ? nullptr : &known->second;
  if (m_budget.count() <= 0 || m_stop.stop_requested()) return rest;
  if (operandBytes(graph, id) >
      std::min(availableMemoryBytes() / kShareOfMemory, m_limitBytes / kShareOfLimit))
    return rest;
  const auto started = Clock::now();
  struct Candidate {
    MeasuredVariant result;
    std::unique_ptr<Kernel> kernel;
    Tries tries;
  };
  std::vector<Candidate> candidates;
  for (const OtherVariant& other : others)
    if (m_how == KernelChoice::Fastest || other.mayKeepBits)
      if (std::unique_ptr<Kernel> kernel = m_backend.createKernelVariant(graph, id, other.name))
        candidates.push_back({{other.name, 0, other.mayKeepBits}, std::move(kernel), {}});
  if (candidates.empty()) return rest;
  const std::unique_ptr<Kernel> rule = m_backend.createKernel(graph, id);
  Bench bench(graph, id, rule->workspaceBytes(), m_backend.pool());
  bench.fill();
  const double first = bench.run(*rule);
  const int numTries = first > kLongRun ? kFewTries : kTries;
  const double runs = static_cast<double>((numTries + 1) * static_cast<int>(candidates.size() + 1));
  // Stop if timing would take more than the remaining budget
  if (first * runs > std::chrono::duration<double>(m_budget).count()) {
    m_budget -= Clock::now() - started;
    return rest;
  }
  const std::vector<Tensor> expected = bench.results();
  const auto isTimed = [&](const Candidate& candidate) {
    return m_how == KernelChoice::Fastest || candidate.result.hasSameBits;
  };
  for (Candidate& candidate : candidates) {
    bench.fill();
    bench.run(*candidate.kernel);
    const std::vector<Tensor> results = bench.results();
    for (size_t i = 0; i < results.size(); ++i)
      candidate.result.hasSameBits =
          candidate.result.hasSameBits && results[i].isBitEqual(expected[i]);
  }
  Tries defaultTries;
  // Time the kernels in turn, so that disturbances affect all of them
  for (int i = 0; i < numTries; ++i) {
    if (m_stop.stop_requested()) return rest;
    defaultTries.add(bench.run(*rule));
    for (Candidate& candidate : candidates)
      if (isTimed(candidate)) candidate.tries.add(bench.run(*candidate.kernel));
  }
  m_budget -= Clock::now() - started;
  const auto isDisturbed = [](const Tries& tries) {
    return tries.shortest() * tries.disturbance() >
           kMaxDisturbance * tries.shortest() + kToleratedNoise;
  };
  if (isDisturbed(defaultTries)) return rest;
  for (const Candidate& candidate : candidates)
    if (isTimed(candidate) && isDisturbed(candidate.tries)) return rest;
  std::vector<MeasuredVariant> variants{{"", defaultTries.shortest(), true}};
  for (Candidate& candidate : candidates) {
    if (isTimed(candidate)) candidate.result.seconds = candidate.tries.shortest();
    variants.push_back(candidate.result);
  }
  for (const OtherVariant& other : others)
    if (m_how != KernelChoice::Fastest && !other.mayKeepBits)
      variants.push_back({other.name, 0, false});
  m_hasMeasured = true;
  return &(m_measured[key] = std::move(variants));
}

void KernelChooser::choose(const Graph& graph, PassReport& report) {
  std::set<std::string, std::less<>> seen;
  int numChosen = 0;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View) continue;
    if (m_isFixed && m_variants.empty()) break;
    graph.checkStop();
    const std::vector<OtherVariant> others = m_backend.otherVariants(graph, id);
    if (others.empty()) continue;
    const std::string key = kernelKey(graph, id);
    const std::vector<MeasuredVariant>* variants = nullptr;
    if (!m_isFixed && !m_defaultKeys.contains(key)) {
      variants = measured(graph, id, key, others);
      if (const std::string variant = variants ? bestVariant(*variants, m_how) : std::string();
          !variant.empty())
        m_variants[key] = variant;
      else
        m_variants.erase(key);
    }
    const auto chosen = m_variants.find(key);
    if (chosen == m_variants.end()) {
      m_defaultKeys.insert(key);
      continue;
    }
    ++numChosen;
    if (!seen.insert(key).second) continue;
    std::string line = (node.layer.empty() ? node.op->name : node.layer) + ": " + node.op->name +
                       " " + chosen->second;
    if (!variants)
      line += ", kept from the start of the run";
    else
      for (const MeasuredVariant& variant : *variants)
        if (variant.variant == chosen->second)
          line += ", " + microseconds(variant.seconds) + " instead of " +
                  microseconds(variants->front().seconds);
    report.details.push_back(std::move(line));
  }
  report.rewrites = numChosen;
  m_backend.setVariants(m_variants);
}

}  // namespace strata
