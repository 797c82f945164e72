// SPDX-License-Identifier: Apache-2.0
#include "gpu/reference/low_precision_kernel.h"

#include <algorithm>
#include <array>
#include <map>

#include "gpu/graph/op.h"
#include "gpu/memory/plan.h"
#include "gpu/ops/layout.h"
#include "gpu/reference/reordered_kernel.h"

namespace strata::reference {
namespace {

// Below this number of elements, a barrier takes longer than converting them
constexpr int64_t kFewElements = 4096;
// An op with fewer elements is converted as a whole
constexpr int64_t kLeastSplit = 65536;
// A worker converts about this many elements at once. Their copies fit in the second-level cache
constexpr int64_t kElementsAtOnce = 32768;
// The number of elements of which worker shares are multiples
constexpr int64_t kShareGrain = 64;

/// A tensor with 16 bits per element, and its copy in f32.
struct Converted {
  size_t index = 0;
  DType dtype = DType::BF16;
  int64_t count = 0;
  // Offset of the copy in the workspace
  size_t offset = 0;
};

/// Returns arguments for a kernel that the calling thread runs. They are used again, because run()
/// must not allocate memory. They belong to the thread, because several networks share a kernel.
KernelArguments& argumentsOfThread(const KernelArguments& like) {
  thread_local KernelArguments arguments;
  arguments.inputs.assign(like.inputs.begin(), like.inputs.end());
  arguments.outputs.assign(like.outputs.begin(), like.outputs.end());
  return arguments;
}

class WidenedKernel final : public HostKernel {
 public:
  WidenedKernel(const KernelSetup& setup, std::unique_ptr<HostKernel> kernel)
      : m_kernel(std::move(kernel)),
        m_workers(setup.numWorkers),
        m_bytes(alignedBytes(m_kernel->workspaceBytes())) {
    int64_t elements = 0;
    const auto collect = [&](const std::vector<TensorType>& types, std::vector<Converted>& list) {
      for (size_t i = 0; i < types.size(); ++i) {
        if (!isLowPrecision(types[i].dtype)) continue;
        const int64_t count = types[i].shape.numElements();
        list.push_back({i, types[i].dtype, count, m_bytes});
        m_bytes += alignedBytes(static_cast<size_t>(count) * sizeof(float));
        elements += count;
      }
    };
    collect(setup.inputs, m_inputs);
    collect(setup.outputs, m_outputs);
    m_isSolo = m_kernel->isSolo() && elements <= kFewElements;
  }

  size_t workspaceBytes() const override { return m_bytes; }
  std::vector<SmallerWorkspace> smallerWorkspaces() const override {
    std::vector<SmallerWorkspace> smaller = m_kernel->smallerWorkspaces();
    for (SmallerWorkspace& each : smaller)
      each.bytes += m_bytes - alignedBytes(m_kernel->workspaceBytes());
    return smaller;
  }
  int numStages() const override { return m_kernel->numStages() + 2; }
  bool isSolo() const override { return m_isSolo; }
  std::string implementation() const override {
    return std::string(kConvertedPrefix) + m_kernel->implementation();
  }
  bool isStateless() const override { return m_kernel->isStateless(); }

  void run(const KernelArguments& arguments, int stage, int worker) const override {
    if (m_isSolo && worker != 0) return;
    const int inner = m_kernel->numStages();
    if (stage == 0) {
      for (const Converted& each : m_inputs) {
        const WorkRange range = shareFor(each.count, worker);
        loadFloats(each.dtype, arguments.inputs[each.index], range.begin, range.end - range.begin,
                   copyOf(arguments, each) + range.begin);
      }
      return;
    }
    if (stage == inner + 1) {
      for (const Converted& each : m_outputs) {
        const WorkRange range = shareFor(each.count, worker);
        storeFloats(each.dtype, copyOf(arguments, each) + range.begin,
                    arguments.outputs[each.index], range.begin, range.end - range.begin);
      }
      return;
    }
    KernelArguments& own = argumentsOfThread(arguments);
    for (const Converted& each : m_inputs)
      own.inputs[each.index] = reinterpret_cast<const std::byte*>(copyOf(arguments, each));
    for (const Converted& each : m_outputs)
      own.outputs[each.index] = reinterpret_cast<std::byte*>(copyOf(arguments, each));
    own.workspace = arguments.workspace;
    m_kernel->run(own, stage - 1, worker);
  }

 private:
  WorkRange shareFor(int64_t count, int worker) const {
    if (m_isSolo) return {0, count};
    return shareOf(count, worker, m_workers, kShareGrain);
  }
  static float* copyOf(const KernelArguments& arguments, const Converted& tensor) {
    return reinterpret_cast<float*>(arguments.workspace + tensor.offset);
  }

  std::unique_ptr<HostKernel> m_kernel;
  int m_workers;
  size_t m_bytes;
  std::vector<Converted> m_inputs, m_outputs;
  bool m_isSolo = false;
};

/// A tensor of an op that is computed for a few samples after the other.
struct SampledTensor {
  DType dtype = DType::F32;
  bool isLow = false, hasSamples = false;
  // All elements, and those of a sample if it has samples
  int64_t count = 0, each = 0;
  // Offset of the copy in f32: in the shared part of the workspace if the tensor has no samples,
  // otherwise in the part of each worker. Results without samples have two copies in the part of a
  // worker: the sum over its samples, and the result for the current samples
  size_t offset = 0, currentOffset = 0;
};

class SampledKernel final : public HostKernel {
 public:
  SampledKernel(const KernelSetup& setup, const SampleSplit& split,
                const std::function<std::unique_ptr<HostKernel>(int64_t)>& make)
      : m_workers(setup.numWorkers), m_samples(split.samples), m_atOnce(split.atOnce) {
    // Workers have shares of at most two sizes, with a rest each
    for (int worker = 0; worker < m_workers; ++worker) {
      const WorkRange range = shareOf(m_samples, worker, m_workers);
      for (int64_t at = range.begin; at < range.end; at += m_atOnce)
        if (const int64_t count = std::min(m_atOnce, range.end - at); !m_kernels.contains(count))
          m_kernels.emplace(count, make(count));
    }
    const auto describe = [&](const TensorType& type, bool hasSamples) {
      SampledTensor tensor{type.dtype, isLowPrecision(type.dtype), hasSamples};
      tensor.count = type.shape.numElements();
      tensor.each = hasSamples ? tensor.count / m_samples : 0;
      return tensor;
    };
    const auto reserve = [](size_t& bytes, int64_t floats) {
      const size_t offset = bytes;
      bytes += alignedBytes(static_cast<size_t>(floats) * sizeof(float));
      return offset;
    };
    for (const auto& [count, kernel] : m_kernels)
      m_workerBytes = std::max(m_workerBytes, alignedBytes(kernel->workspaceBytes()));
    for (size_t i = 0; i < setup.inputs.size(); ++i) {
      SampledTensor tensor = describe(setup.inputs[i], split.inputs[i] != 0);
      if (tensor.isLow && tensor.hasSamples)
        tensor.offset = reserve(m_workerBytes, tensor.each * m_atOnce);
      else if (tensor.isLow)
        tensor.offset = reserve(m_sharedBytes, tensor.count);
      m_hasShared |= tensor.isLow && !tensor.hasSamples;
      m_inputs.push_back(tensor);
    }
    for (size_t i = 0; i < setup.outputs.size(); ++i) {
      SampledTensor tensor = describe(setup.outputs[i], split.outputs[i] != 0);
      if (tensor.isLow && tensor.hasSamples)
        tensor.offset = reserve(m_workerBytes, tensor.each * m_atOnce);
      if (!tensor.hasSamples) {
        tensor.offset = reserve(m_workerBytes, tensor.count);
        tensor.currentOffset = reserve(m_workerBytes, tensor.count);
        m_hasSums = true;
      }
      m_outputs.push_back(tensor);
    }
  }

  size_t workspaceBytes() const override {
    return m_sharedBytes + static_cast<size_t>(m_workers) * m_workerBytes;
  }
  int numStages() const override { return 1 + (m_hasShared ? 1 : 0) + (m_hasSums ? 1 : 0); }
  bool isStateless() const override {
    return std::ranges::all_of(m_kernels,
                               [](const auto& entry) { return entry.second->isStateless(); });
  }
  std::string implementation() const override {
    return std::string(kConvertedPrefix) + m_kernels.rbegin()->second->implementation();
  }

  void run(const KernelArguments& arguments, int stage, int worker) const override {
    if (m_hasShared && stage == 0) return convertShared(arguments, worker);
    if (m_hasSums && stage == numStages() - 1) return addSums(arguments, worker);
    computeSamples(arguments, worker);
  }

 private:
  std::byte* partOf(const KernelArguments& arguments, int worker) const {
    return arguments.workspace + m_sharedBytes + static_cast<size_t>(worker) * m_workerBytes;
  }
  static float* floatsAt(std::byte* part, size_t offset) {
    return reinterpret_cast<float*>(part + offset);
  }

  void convertShared(const KernelArguments& arguments, int worker) const {
    for (size_t i = 0; i < m_inputs.size(); ++i) {
      const SampledTensor& tensor = m_inputs[i];
      if (!tensor.isLow || tensor.hasSamples) continue;
      const WorkRange range = shareOf(tensor.count, worker, m_workers, kShareGrain);
      loadFloats(tensor.dtype, arguments.inputs[i], range.begin, range.end - range.begin,
                 floatsAt(arguments.workspace, tensor.offset) + range.begin);
    }
  }

  void computeSamples(const KernelArguments& arguments, int worker) const {
    std::byte* const part = partOf(arguments, worker);
    for (const SampledTensor& tensor : m_outputs)
      if (!tensor.hasSamples) std::fill_n(floatsAt(part, tensor.offset), tensor.count, 0.0f);
    KernelArguments& own = argumentsOfThread(arguments);
    own.workspace = part;
    const WorkRange range = shareOf(m_samples, worker, m_workers);
    for (int64_t at = range.begin; at < range.end; at += m_atOnce) {
      const int64_t count = std::min(m_atOnce, range.end - at);
      for (size_t i = 0; i < m_inputs.size(); ++i) {
        const SampledTensor& tensor = m_inputs[i];
        const std::byte* const begin =
            arguments.inputs[i] + static_cast<size_t>(at * tensor.each) * dtypeBytes(tensor.dtype);
        if (!tensor.isLow) {
          own.inputs[i] = begin;
          continue;
        }
        float* const copy = floatsAt(tensor.hasSamples ? part : arguments.workspace, tensor.offset);
        if (tensor.hasSamples) loadFloats(tensor.dtype, begin, 0, count * tensor.each, copy);
        own.inputs[i] = reinterpret_cast<const std::byte*>(copy);
      }
      for (size_t i = 0; i < m_outputs.size(); ++i) {
        const SampledTensor& tensor = m_outputs[i];
        if (!tensor.hasSamples)
          own.outputs[i] = part + tensor.currentOffset;
        else if (tensor.isLow)
          own.outputs[i] = part + tensor.offset;
        else
          own.outputs[i] = arguments.outputs[i] +
                           static_cast<size_t>(at * tensor.each) * dtypeBytes(tensor.dtype);
      }
      const HostKernel& kernel = *m_kernels.at(count);
      for (int stage = 0; stage < kernel.numStages(); ++stage)
        kernel.run(own, stage, 0);
      for (size_t i = 0; i < m_outputs.size(); ++i) {
        const SampledTensor& tensor = m_outputs[i];
        if (tensor.hasSamples && tensor.isLow) {
          storeFloats(tensor.dtype, floatsAt(part, tensor.offset), arguments.outputs[i],
                      at * tensor.each, count * tensor.each);
        }
        else if (!tensor.hasSamples) {
          float* const sum = floatsAt(part, tensor.offset);
          const float* const current = floatsAt(part, tensor.currentOffset);
          for (int64_t k = 0; k < tensor.count; ++k)
            sum[k] += current[k];
        }
      }
    }
  }

  /// Adds the sums of all workers, in their order.
  void addSums(const KernelArguments& arguments, int worker) const {
    for (size_t i = 0; i < m_outputs.size(); ++i) {
      const SampledTensor& tensor = m_outputs[i];
      if (tensor.hasSamples) continue;
      const WorkRange range = shareOf(tensor.count, worker, m_workers, kShareGrain);
      float* const total = floatsAt(partOf(arguments, 0), tensor.offset);
      for (int other = 1; other < m_workers; ++other) {
        const float* const sum = floatsAt(partOf(arguments, other), tensor.offset);
        for (int64_t k = range.begin; k < range.end; ++k)
          total[k] += sum[k];
      }
      storeFloats(tensor.dtype, total + range.begin, arguments.outputs[i], range.begin,
                  range.end - range.begin);
    }
  }

  int m_workers;
  int64_t m_samples, m_atOnce;
  // The kernels by number of samples
  std::map<int64_t, std::unique_ptr<HostKernel>> m_kernels;
  std::vector<SampledTensor> m_inputs, m_outputs;
  size_t m_sharedBytes = 0, m_workerBytes = 0;
  bool m_hasShared = false, m_hasSums = false;
};

std::unique_ptr<HostKernel> makeFloatCast(const KernelSetup& setup) {
  const DType from = setup.inputType(), to = setup.outputType();
  return makeKernel(
      [from, to, count = setup.outputShape().numElements(), workers = setup.numWorkers](
          const KernelArguments& arguments, int, int worker) {
        const WorkRange range = shareOf(count, worker, workers, kShareGrain);
        if (to == DType::F32)
          return loadFloats(from, arguments.inputs[0], range.begin, range.end - range.begin,
                            outputOf<float>(arguments) + range.begin);
        if (from == DType::F32)
          return storeFloats(to, inputOf<float>(arguments, 0) + range.begin, arguments.outputs[0],
                             range.begin, range.end - range.begin);
        std::array<float, 256> block;
        for (int64_t i = range.begin; i < range.end;) {
          const int64_t n = std::min<int64_t>(static_cast<int64_t>(block.size()), range.end - i);
          loadFloats(from, arguments.inputs[0], i, n, block.data());
          storeFloats(to, block.data(), arguments.outputs[0], i, n);
          i += n;
        }
      });
}

}  // namespace

bool usesLowPrecision(const KernelSetup& setup) {
  // Transfers do not compute
  if (const OpRole role = opNamed(setup.op).role;
      role == OpRole::Send || role == OpRole::Receive || role == OpRole::Sent)
    return false;
  const auto isLow = [](const TensorType& type) {
    return isLowPrecision(type.dtype);
  };
  return std::ranges::any_of(setup.inputs, isLow) || std::ranges::any_of(setup.outputs, isLow);
}

void widen(KernelSetup& setup) {
  for (std::vector<TensorType>* types : {&setup.inputs, &setup.outputs})
    for (TensorType& type : *types)
      type.dtype = wideType(type.dtype);
  if (!setup.attributes.has("dtype")) return;
  if (const auto dtype = dtypeFromName(setup.text("dtype")); dtype && isLowPrecision(*dtype))
    setup.attributes.set("dtype", std::string(dtypeName(DType::F32)));
}

std::unique_ptr<HostKernel> makeWidened(const KernelSetup& setup,
                                        std::unique_ptr<HostKernel> kernel) {
  return std::make_unique<WidenedKernel>(setup, std::move(kernel));
}

std::optional<SampleSplit> sampleSplitOf(const KernelSetup& setup) {
  const OpDef& op = opNamed(setup.op);
  SampleSplit split{std::vector<char>(setup.inputs.size(), 0),
                    std::vector<char>(setup.outputs.size(), 1)};
  if (setup.inputShape().rank() == 0) return std::nullopt;
  split.inputs[0] = 1;
  switch (op.work) {
    case WorkKind::Convolution:
    case WorkKind::DepthwiseConvolution:
      if (op.direction == OpDirection::BackwardWeights) {
        split.inputs[1] = 1;
        split.outputs[0] = 0;
      }
      break;
    case WorkKind::Pooling: std::ranges::fill(split.inputs, 1); break;
    case WorkKind::Attention:
      // The random numbers of dropout depend on the position of a sample
      if (setup.real("rate") > 0) return std::nullopt;
      std::ranges::fill(split.inputs, 1);
      break;
    case WorkKind::Reduction:
      if (op.role != OpRole::ReduceSum) return std::nullopt;
      for (const int64_t axis : setup.list("axes"))
        if (setup.inputShape().normalizeAxis(static_cast<int>(axis)) == 0) split.outputs[0] = 0;
      break;
    default: return std::nullopt;
  }
  split.samples = setup.inputShape()[0];
  int64_t each = 0, all = 0;
  const auto count = [&](const std::vector<TensorType>& types, const std::vector<char>& isSampled) {
    for (size_t i = 0; i < types.size(); ++i) {
      if (!isLowPrecision(types[i].dtype)) continue;
      all += types[i].shape.numElements();
      if (isSampled[i] != 0)
        each += types[i].shape.numElements() / std::max<int64_t>(1, split.samples);
    }
  };
  count(setup.inputs, split.inputs);
  count(setup.outputs, split.outputs);
  if (split.samples < 2 * setup.numWorkers || all < kLeastSplit || each == 0) return std::nullopt;
  split.atOnce = std::clamp<int64_t>(kElementsAtOnce / each, 1, split.samples);
  return split;
}

void takeSamples(KernelSetup& setup, const SampleSplit& split, int64_t count) {
  const auto take = [&](std::vector<TensorType>& types, const std::vector<char>& isSampled) {
    for (size_t i = 0; i < types.size(); ++i)
      if (isSampled[i] != 0) types[i].shape.set(0, count);
  };
  take(setup.inputs, split.inputs);
  take(setup.outputs, split.outputs);
  setup.numWorkers = 1;
  if (!setup.attributes.has("input_shape")) return;
  std::vector<int64_t> shape = setup.list("input_shape");
  shape[0] = count;
  setup.attributes.set("input_shape", std::move(shape));
}

std::unique_ptr<HostKernel> makeWidenedBySamples(
    const KernelSetup& setup, const SampleSplit& split,
    const std::function<std::unique_ptr<HostKernel>(int64_t count)>& make) {
  return std::make_unique<SampledKernel>(setup, split, make);
}

std::unique_ptr<HostKernel> makeLowPrecisionCopy(const KernelSetup& setup) {
  const OpDef& op = opNamed(setup.op);
  const auto isFloat = [](DType dtype) {
    return wideType(dtype) == DType::F32;
  };
  if (op.role == OpRole::Cast && isFloat(setup.inputType()) && isFloat(setup.outputType()))
    return makeFloatCast(setup);
  // The others write numbers that they do not read
  const bool isCopy = op.role == OpRole::Reshape || op.role == OpRole::Transpose ||
                      op.role == OpRole::BroadcastTo || op.role == OpRole::Concatenate ||
                      op.role == OpRole::Slice;
  return isCopy ? findKernelMaker(setup.op)(setup) : nullptr;
}

std::unique_ptr<HostKernel> createKernel(const KernelSetup& setup) {
  const KernelMaker make = findKernelMaker(setup.op);
  if (!make)
    throw Error(ErrorCode::UnsupportedOp, setup.layer,
                "op " + setup.op + " has no reference kernel. Use another layer or device.");
  if (isChannelsFirst(setup.attributes)) return makeReordered(setup);
  if (!usesLowPrecision(setup)) return make(setup);
  if (std::unique_ptr<HostKernel> kernel = makeLowPrecisionCopy(setup)) return kernel;
  KernelSetup wide = setup;
  widen(wide);
  if (const std::optional<SampleSplit> split = sampleSplitOf(setup))
    return makeWidenedBySamples(setup, *split, [&](int64_t count) {
      KernelSetup part = wide;
      takeSamples(part, *split, count);
      return make(part);
    });
  return makeWidened(setup, make(wide));
}

void loadFloats(DType dtype, const std::byte* from, int64_t begin, int64_t count, float* to) {
  if (count <= 0) return;
  if (dtype == DType::BF16)
    toFloats(reinterpret_cast<const BFloat16*>(from) + begin, to, count);
  else if (dtype == DType::F16)
    toFloats(reinterpret_cast<const Float16*>(from) + begin, to, count);
  else
    std::memcpy(to, reinterpret_cast<const float*>(from) + begin,
                static_cast<size_t>(count) * sizeof(float));
}

void storeFloats(DType dtype, const float* from, std::byte* to, int64_t begin, int64_t count) {
  if (count <= 0) return;
  if (dtype == DType::BF16)
    fromFloats(from, reinterpret_cast<BFloat16*>(to) + begin, count);
  else if (dtype == DType::F16)
    fromFloats(from, reinterpret_cast<Float16*>(to) + begin, count);
  else
    std::memcpy(reinterpret_cast<float*>(to) + begin, from,
                static_cast<size_t>(count) * sizeof(float));
}

}  // namespace strata::reference
