// SPDX-License-Identifier: Apache-2.0
// Times the algorithms of a library call on the card, by events around the launches of the kernel
// that makes it. On a simulated card the times are predicted.
#include <cstddef>
#include <cstring>

#include "gpu/base/clock.h"
#include "gpu/base/error.h"
#include "gpu/base/rng.h"
#include "gpu/base/tries.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/cuda_runner.h"
#include "gpu/exec/variant_text.h"
#include "gpu/graph/op.h"
#include "gpu/tensor/low_precision.h"
#include "gpu/tensor/tensor.h"

namespace strata::cuda {
namespace {

constexpr size_t kMinOperandBytes = 256;
// A try of a real card runs the kernel several times, because events are too coarse for one
constexpr int kTries = 7, kRunsOfTry = 4;

/// Runs the kernels of one node on operands in memory of the card.
class CardTrial {
 public:
  /// Fails: OutOfMemory.
  CardTrial(Card& card, const Graph& graph, NodeId id, const CudaKernel& kernel,
            size_t workspaceBytes)
      : m_card(card) {
    const Node& node = graph.node(id);
    card.use();
    CUstream stream = nullptr;
    card.driver().streamCreate(&stream, STRATA_CUDA_STREAM_NON_BLOCKING);
    m_stream = {card, stream};
    m_begin = makeEvent(card, true);
    m_end = makeEvent(card, true);
    for (size_t i = 0; i < numOwnOperands(node); ++i)
      m_operands.inputs.push_back(add(graph.type(node.inputs[i]).bytes(), false));
    for (const ValueId value : node.outputs)
      m_operands.outputs.push_back(add(graph.type(value).bytes(), true));
    m_operands.workspace = add(workspaceBytes, true);
    // Kernels that join parts count them in numbers that are 0 before
    const DeviceAddress flags = add(sizeof(StreamFlags), true);
    card.driver().memsetD8Async(flags.bits(), 0, sizeof(StreamFlags), stream);
    m_operands.counters = flags + offsetof(StreamFlags, counters);
    m_operands.progress = flags + offsetof(StreamFlags, progress);
    m_work = workOf(graph, node, kernel);
    m_work.op = node.op->name.c_str();
    m_work.layer = node.layer.c_str();
    m_work.ranges = m_ranges.data();
    m_work.numRanges = m_ranges.size();
    RandomStream random(1, streamOf("kernels"));
    for (size_t i = 0; i < numOwnOperands(node); ++i)
      fill(m_operands.inputs[i], graph.type(node.inputs[i]), random);
    for (const ValueId value : node.outputs)
      m_results.emplace_back(graph.type(value).bytes());
  }

  /// Runs a kernel once and returns its results.
  std::vector<std::vector<std::byte>> run(const CudaKernel& kernel) {
    const Driver& driver = m_card.driver();
    for (size_t i = 0; i < m_results.size(); ++i)
      driver.memsetD8Async(m_operands.outputs[i].bits(), 0, m_results[i].size(), m_stream.get());
    encode(kernel);
    for (size_t i = 0; i < m_results.size(); ++i)
      copyToHost(m_card, m_stream.get(), m_results[i].data(), m_operands.outputs[i].bits(),
                 m_results[i].size());
    return m_results;
  }

  int numTries() const { return m_card.isSimulated() ? 1 : kTries; }
  /// Returns the time of a kernel in seconds, in one try.
  double time(const CudaKernel& kernel) {
    const Driver& driver = m_card.driver();
    const int runs = m_card.isSimulated() ? 1 : kRunsOfTry;
    driver.eventRecord(m_begin.get(), m_stream.get(), 0);
    for (int run = 0; run < runs; ++run)
      encode(kernel);
    driver.eventRecord(m_end.get(), m_stream.get(), 0);
    driver.streamSynchronize(m_stream.get());
    float milliseconds = 0;
    driver.eventElapsedTime(&milliseconds, m_begin.get(), m_end.get());
    return static_cast<double>(milliseconds) * 1e-3 / runs;
  }

 private:
  DeviceAddress add(size_t bytes, bool isWritten) {
    // Libraries get an address even for empty operands
    m_memory.push_back(allocateMemory(m_card, std::max(bytes, kMinOperandBytes)));
    const CUdeviceptr address = m_memory.back().get();
    m_ranges.push_back({address, bytes, isWritten ? 1 : 0});
    return DeviceAddress::fromBits(address);
  }
  void fill(DeviceAddress to, const TensorType& type, RandomStream& random) {
    std::vector<std::byte> bytes(type.bytes());
    if (bytes.empty()) return;
    const auto fillAs = [&](auto convert) {
      for (int64_t i = 0; i < type.shape.numElements(); ++i) {
        const auto value = convert(random.uniform() - 0.5f);
        std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof value, &value, sizeof value);
      }
    };
    if (type.dtype == DType::F32) fillAs([](float value) { return value; });
    if (type.dtype == DType::BF16) fillAs(toBFloat16);
    if (type.dtype == DType::F16) fillAs(toFloat16);
    m_card.driver().memcpyHtoDAsync(to.bits(), bytes.data(), bytes.size(), m_stream.get());
  }
  void encode(const CudaKernel& kernel) {
    Encoder encoder(m_card, m_stream.get());
    m_card.annotate(m_stream.get(), &m_work);
    kernel.encode(encoder, m_operands);
  }

  Card& m_card;
  std::vector<MemoryHandle> m_memory;
  StreamHandle m_stream;
  EventHandle m_begin, m_end;
  Operands m_operands;
  std::vector<StrataRange> m_ranges;
  StrataWork m_work{};
  std::vector<std::vector<std::byte>> m_results;
};

/// A kernel that is timed, and its place in the results.
struct TimedKernel {
  std::unique_ptr<CudaKernel> kernel;
  size_t place = 0;
  Tries tries = {};
};

}  // namespace

std::optional<std::vector<MeasuredVariant>> CudaDevice::timeVariants(
    const Graph& graph, NodeId id, const std::vector<OtherVariant>& others,
    const TimingOptions& options) {
  if (!options.includesOtherBits || others.empty()) return std::nullopt;
  const auto started = Clock::now();
  std::unique_ptr<CudaKernel> rule = make(graph, id, "");
  size_t workspaceBytes = rule->workspaceBytes();
  for (const OtherVariant& other : others)
    workspaceBytes = std::max(workspaceBytes, other.workspaceBytes);
  try {
    CardTrial trial(*m_card, graph, id, *rule, workspaceBytes);
    const std::vector<std::vector<std::byte>> expected = trial.run(*rule);
    std::vector<MeasuredVariant> result{{"", 0, true, rule->algorithm(), rule->workspaceBytes()}};
    std::vector<TimedKernel> timed;
    timed.push_back({std::move(rule)});
    auto longest = Clock::now() - started;
    for (const OtherVariant& other : others) {
      MeasuredVariant& variant =
          result.emplace_back(MeasuredVariant{other.name, 0, false, "", other.workspaceBytes});
      const auto begin = Clock::now();
      // The first round takes about as long as these first runs
      if (options.stop.stop_requested() || 2 * (begin - started + longest) > options.budget)
        continue;
      try {
        std::unique_ptr<CudaKernel> kernel = make(graph, id, other.name);
        if (kernel->workspaceBytes() > workspaceBytes)
          throw Error(ErrorCode::UnsupportedOp, name(), "the algorithm needs more workspace.");
        variant.hasSameBits = trial.run(*kernel) == expected;
        timed.push_back({std::move(kernel), result.size() - 1});
      }
      catch (const Error& error) {
        // cuDNN may refuse an engine only when it runs
        if (error.code() != ErrorCode::UnsupportedOp && error.code() != ErrorCode::DeviceFailure)
          throw;
        if (!failureOfCard(m_card->name()).empty())
          throw Error(error.code(), error.subject(),
                      "algorithm " + std::string(variantName(other.name)) + " of op \"" +
                          graph.node(id).op->name + "\": " + error.what());
        result.pop_back();
      }
      longest = std::max(longest, Clock::now() - begin);
    }
    // In rounds, so that all kernels have their share of every clock rate of the card
    std::chrono::nanoseconds round{0};
    for (int i = 0; i < trial.numTries(); ++i) {
      const auto begin = Clock::now();
      if (i > 0 && (options.stop.stop_requested() || begin - started + round > options.budget))
        break;
      for (TimedKernel& each : timed)
        each.tries.add(trial.time(*each.kernel));
      round = Clock::now() - begin;
    }
    for (const TimedKernel& each : timed)
      result[each.place].seconds = each.tries.typical();
    return result;
  }
  catch (const Error& error) {
    // Without memory for the operands, the best guess must do
    if (error.code() == ErrorCode::OutOfMemory) return std::nullopt;
    throw;
  }
}

}  // namespace strata::cuda
