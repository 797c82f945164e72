// SPDX-License-Identifier: Apache-2.0
#include "gpu/cost/calibration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "gpu/base/rng.h"
#include "gpu/cost/machine_limits.h"
#include "gpu/cost/tries.h"
#include "gpu/exec/device.h"
#include "gpu/graph/op.h"
#include "gpu/memory/plan.h"

namespace strata {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Bytes for one trial after the other, so that the system hands them out once.
class Room {
 public:
  explicit Room(size_t bytes) : m_bytes(bytes) { std::memset(m_bytes.data(), 0, bytes); }
  bool has(size_t bytes) const { return m_bytes.size() - m_used >= bytes; }
  std::byte* take(size_t bytes) {
    std::byte* const at = m_bytes.data() + m_used;
    m_used += alignedBytes(bytes);
    return at;
  }
  void clear() { m_used = 0; }
  size_t size() const { return m_bytes.size(); }
  std::byte* data() { return m_bytes.data(); }

 private:
  AlignedBytes m_bytes;
  size_t m_used = 0;
};

/// A kernel, its operands in a Room.
class Trial {
 public:
  Trial(const ReferenceKernel& wanted, ThreadPool& pool) : m_op(opNamed(wanted.op)), m_pool(pool) {
    m_setup.op = wanted.op;
    m_setup.inputs = wanted.inputs;
    m_setup.attributes = wanted.attributes;
    for (const AttributeSpec& spec : m_op.attributes)
      if (!m_setup.attributes.has(spec.name)) m_setup.attributes.set(spec.name, spec.defaultValue);
    m_setup.outputs = m_op.infer(ShapeContext{m_op, wanted.inputs, m_setup.attributes});
    m_setup.numWorkers = pool.numWorkers();
    m_setup.loops = &loops();
    m_kernel = cpu::createKernel(m_setup);
    m_work = workOf(m_setup, m_kernel->implementation(), m_kernel->isSolo());
    for (const TensorType& type : m_setup.inputs) m_readBytes += type.bytes();
    for (const TensorType& type : m_setup.outputs) m_writtenBytes += type.bytes();
  }

  /// Bytes it needs, with room for alignment.
  size_t bytes() const {
    return m_readBytes + m_writtenBytes + m_kernel->workspaceBytes() + (m_setup.inputs.size() + m_setup.outputs.size() + 1) * 64;
  }

  /// Runs it for about this long, with the meetings of workers that a step has.
  void run(Room& room, double seconds, Tries& tries) {
    constexpr int kFewest = 2, kMost = 200, kAtOnce = 2;
    room.clear();
    KernelArguments arguments;
    for (const TensorType& type : m_setup.inputs) arguments.inputs.push_back(fill(room.take(type.bytes()), type));
    for (size_t i = 0; i < m_setup.outputs.size(); ++i) {
      std::byte* place = nullptr;
      for (const auto& [output, input] : m_op.mustAlias)
        if (static_cast<size_t>(output) == i) place = const_cast<std::byte*>(arguments.inputs[static_cast<size_t>(input)]);
      arguments.outputs.push_back(place != nullptr ? place : room.take(m_setup.outputs[i].bytes()));
    }
    arguments.workspace = room.take(m_kernel->workspaceBytes());
    const int stages = m_kernel->numStages();
    const auto started = Clock::now();
    for (int count = 0; count < kMost && (count < kFewest || secondsSince(started) < seconds);) {
      std::array<double, kAtOnce> taken{};
      m_pool.run([&](int worker) {
        m_pool.barrier().wait();
        for (double& time : taken) {
          const auto start = Clock::now();
          for (int stage = 0; stage < stages; ++stage) {
            m_kernel->run(arguments, stage, worker);
            m_pool.barrier().wait();
          }
          if (worker == 0) time = secondsSince(start);
        }
      });
      // The first of all finds its operands where they were made.
      for (size_t i = count == 0 ? 1 : 0; i < taken.size(); ++i) tries.add(taken[i]);
      count += kAtOnce;
    }
  }

  std::string name() const {
    std::string name = m_setup.op;
    for (const TensorType& type : m_setup.inputs) name += " " + type.shape.toString();
    return name + ", " + m_kernel->implementation();
  }
  const NodeWork& work() const { return m_work; }
  double readBytes() const { return static_cast<double>(m_readBytes); }
  double writtenBytes() const { return static_cast<double>(m_writtenBytes); }
  double workspaceBytes() const { return static_cast<double>(m_kernel->workspaceBytes()); }

 private:
  static const std::byte* fill(std::byte* place, const TensorType& type) {
    static const std::vector<float> kPattern = [] {
      std::vector<float> values(8192);
      RandomStream random(1, 1);
      for (float& value : values) value = random.uniform() - 0.5f;
      return values;
    }();
    const size_t bytes = type.bytes();
    if (type.dtype != DType::F32)
      std::memset(place, 0, bytes);
    else
      for (size_t at = 0; at < bytes; at += kPattern.size() * sizeof(float))
        std::memcpy(place + at, kPattern.data(), std::min(bytes - at, kPattern.size() * sizeof(float)));
    return place;
  }

  const OpDef& m_op;
  ThreadPool& m_pool;
  cpu::KernelSetup m_setup;
  std::unique_ptr<Kernel> m_kernel;
  NodeWork m_work;
  size_t m_readBytes = 0, m_writtenBytes = 0;
};

void measureStart(ThreadPool& pool, Calibration& result) {
  constexpr int kMeetings = 32;
  Tries empty, meeting;
  for (int i = 0; i < 200; ++i) {
    const auto start = Clock::now();
    pool.run([](int) {});
    empty.add(secondsSince(start));
    double seconds = 0;
    pool.run([&](int worker) {
      pool.barrier().wait();
      const auto first = Clock::now();
      for (int k = 0; k < kMeetings; ++k) pool.barrier().wait();
      if (worker == 0) seconds = secondsSince(first);
    });
    meeting.add(seconds / kMeetings);
  }
  result.stepSeconds = empty.typical();
  result.meetingSeconds = meeting.typical();
}

using Trials = std::vector<std::pair<std::unique_ptr<Trial>, Tries>>;

/// Examples with operands beyond the caches say how much of the way to them shows; the others say what the work costs.
bool isFar(const Trial& trial) {
  constexpr double kFarBytes = 12 << 20;
  return trial.readBytes() + trial.writtenBytes() > kFarBytes;
}

void fitFamilies(const Trials& trials, Calibration& result, std::vector<MeasuredKernel>* measured) {
  struct Family {
    std::vector<PricedExample> examples;
    double logBytes = 0;
    std::vector<const Trials::value_type*> far;
  };
  std::map<std::string, Family> families;
  for (const auto& entry : trials) {
    const auto& [trial, tries] = entry;
    const KernelWork& part = trial->work().parts[0];
    if (measured != nullptr) measured->push_back({trial->name(), part, tries.typical()});
    Family& family = families[part.family];
    if (isFar(*trial)) {
      family.far.push_back(&entry);
      continue;
    }
    family.examples.push_back({part.amounts, tries.typical()});
    family.logBytes += std::log(trial->readBytes() + trial->writtenBytes() + trial->workspaceBytes());
  }
  for (const auto& [name, family] : families) {
    if (family.examples.empty()) continue;
    // Amounts of a family's examples rise and fall together, so prices may be swapped between them; one limit is known.
    const bool hasProducts = name.starts_with("gemm") || name.starts_with("matmul") || name.starts_with("conv2d");
    constexpr double kFastest = 0.95;
    FamilyPrice price = fitPrices(family.examples, hasProducts ? kFastest * 2 * result.threads / result.flopsPerSecond : 0);
    price.footprintBytes = std::exp(family.logBytes / static_cast<double>(family.examples.size()));
    double shown = 0;
    for (const auto* entry : family.far) {
      const auto& [trial, tries] = *entry;
      const Amounts& amounts = trial->work().parts[0].amounts;
      double warm = 0;
      for (size_t i = 0; i < kAmounts; ++i) warm += amounts[i] * price.seconds[i];
      const double own = trial->readBytes() + trial->writtenBytes();
      const double far = farSeconds(result, trial->readBytes() * trial->work().passes, trial->writtenBytes(), own, price.footprintBytes);
      constexpr double kMost = 2;
      shown += std::clamp((tries.typical() - warm) / std::max(far, 1e-12), 0.0, kMost) / static_cast<double>(family.far.size());
    }
    if (!family.far.empty()) price.exposed = shown;
    result.families[name] = price;
  }
}

/// Typical seconds of a few kernels that stand for all: a product, a convolution, a walk over maps.
std::vector<double> measureWitnesses(ThreadPool& pool, Room& room) {
  using Ints = std::vector<int64_t>;
  const auto f32 = [](Shape shape) { return TensorType{DType::F32, shape}; };
  const TensorType map = f32({16, 32, 32, 32}), channels = f32({32});
  const ReferenceKernel kernels[] = {
      {"matmul", {}, {f32({128, 512}), f32({512, 512})}},
      {"conv2d", {{"padding_before", Ints{1, 1}}, {"padding_after", Ints{1, 1}}}, {f32({8, 16, 16, 64}), f32({3, 3, 64, 64})}},
      {"batch_norm_backward", {}, {map, map, channels, channels, channels}},
  };
  std::vector<double> result;
  for (const ReferenceKernel& kernel : kernels) {
    Trial trial(kernel, pool);
    if (trial.bytes() > room.size()) continue;
    constexpr double kSeconds = 0.003;
    Tries tries;
    trial.run(room, kSeconds, tries);
    result.push_back(tries.typical());
  }
  return result;
}

/// A moment that disturbs one measurement must not pass for the machine's speed.
void keepShorter(std::vector<double>& seconds, const std::vector<double>& others) {
  for (size_t i = 0; i < std::min(seconds.size(), others.size()); ++i) seconds[i] = std::min(seconds[i], others[i]);
}

}  // namespace

double slownessNow(ThreadPool& pool, const Calibration& calibration) {
  constexpr size_t kBytes = size_t{16} << 20;
  constexpr double kMost = 2.5;
  Room room(std::min(kBytes, availableMemoryBytes() / 8));
  std::vector<double> now = measureWitnesses(pool, room);
  keepShorter(now, measureWitnesses(pool, room));
  if (now.empty() || now.size() != calibration.witnesses.size()) return 1;
  double sum = 0;
  for (size_t i = 0; i < now.size(); ++i) sum += std::log(std::clamp(now[i] / calibration.witnesses[i], 1 / kMost, kMost));
  // So few measurements differ by a quarter on a machine that has not changed.
  constexpr double kUsual = 1.3;
  const double change = sum / static_cast<double>(now.size()), beyond = std::max(0.0, std::abs(change) - std::log(kUsual));
  return std::exp(change < 0 ? -beyond : beyond);
}

double farSeconds(const Calibration& calibration, double readBytes, double writtenBytes, double distanceBytes, double warmBytes) {
  const double each = calibration.secondsPerByte(distanceBytes) - calibration.secondsPerByte(warmBytes);
  return std::max(0.0, each) * (readBytes + 2 * writtenBytes);
}

double Calibration::secondsPerByte(double distanceBytes) const {
  if (memory.empty()) return 0;
  if (distanceBytes <= memory.front().bytes) return 1 / memory.front().bytesPerSecond;
  for (size_t i = 1; i < memory.size(); ++i) {
    const MemorySpeed &low = memory[i - 1], &high = memory[i];
    if (distanceBytes > high.bytes) continue;
    const double place = std::log(distanceBytes / low.bytes) / std::log(high.bytes / low.bytes);
    return (1 - place) / low.bytesPerSecond + place / high.bytesPerSecond;
  }
  return 1 / memory.back().bytesPerSecond;
}

FamilyPrice fitPrices(const std::vector<PricedExample>& examples, double least) {
  FamilyPrice result;
  // Columns as shares of the time, so that amounts of any size weigh alike; coordinate descent never leaves what is not negative.
  std::array<double, kAmounts> scale{};
  for (const PricedExample& example : examples)
    for (size_t i = 0; i < kAmounts; ++i) scale[i] = std::max(scale[i], example.amounts[i] / example.seconds);
  std::array<double, kAmounts> share{};
  constexpr int kRounds = 4000;
  constexpr double kPull = 1e-4;  // toward nothing, where examples do not decide
  std::vector<double> rest(examples.size(), 1.0);
  for (int round = 0; round < kRounds; ++round) {
    double moved = 0;
    for (size_t i = 0; i < kAmounts; ++i) {
      if (scale[i] <= 0) continue;
      double along = 0, square = kPull;
      for (size_t e = 0; e < examples.size(); ++e) {
        const double x = examples[e].amounts[i] / examples[e].seconds / scale[i];
        along += x * rest[e];
        square += x * x;
      }
      const double next = std::max(i == 0 ? least * scale[0] : 0.0, share[i] + (along - kPull * share[i]) / square),
                   change = next - share[i];
      if (change == 0) continue;
      for (size_t e = 0; e < examples.size(); ++e) rest[e] -= change * examples[e].amounts[i] / examples[e].seconds / scale[i];
      share[i] = next;
      moved += std::abs(change);
    }
    if (moved < 1e-9) break;
  }
  double squares = 0;
  for (const double r : rest) squares += r * r;
  for (size_t i = 0; i < kAmounts; ++i) result.seconds[i] = scale[i] > 0 ? share[i] / scale[i] : 0;
  result.error = examples.empty() ? 0 : std::sqrt(squares / static_cast<double>(examples.size()));
  return result;
}

Calibration calibrate(ThreadPool& pool, std::vector<MeasuredKernel>* measured) {
  Calibration result;
  result.threads = pool.numWorkers();
  result.processor = processorTitle();
  result.instructions = loops().name;
  result.flopsPerSecond = measurePeakFlops(pool);
  measureStart(pool, result);
  constexpr size_t kSmallest = size_t{64} << 10, kLargest = size_t{128} << 20;
  Room room(std::max(kSmallest, std::min(kLargest, availableMemoryBytes() / 8)));
  for (size_t bytes = kSmallest; bytes <= room.size(); bytes *= 2) result.memory.push_back(measureMemory(pool, room.data(), bytes));

  // Rounds some time apart: what disturbs one rarely disturbs the others.
  std::vector<std::pair<std::unique_ptr<Trial>, Tries>> trials;
  for (const ReferenceKernel& kernel : referenceKernels(pool.numWorkers())) {
    auto trial = std::make_unique<Trial>(kernel, pool);
    if (trial->bytes() <= room.size() && trial->work().parts.size() == 1) trials.emplace_back(std::move(trial), Tries());
  }
  constexpr int kRounds = 3;
  constexpr double kSeconds = 0.0004;
  result.witnesses = measureWitnesses(pool, room);
  for (int round = 0; round < kRounds; ++round) {
    for (auto& [trial, tries] : trials) trial->run(room, kSeconds, tries);
    keepShorter(result.witnesses, measureWitnesses(pool, room));
  }
  fitFamilies(trials, result, measured);
  std::vector<double> disturbances;
  for (const auto& [trial, tries] : trials) disturbances.push_back(tries.disturbance());
  std::sort(disturbances.begin(), disturbances.end());
  if (!disturbances.empty()) result.disturbance = disturbances[disturbances.size() / 2];
  return result;
}

}  // namespace strata
