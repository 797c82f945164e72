// SPDX-License-Identifier: Apache-2.0
// Sums, maxima and their places.
#include "gpu/base/error.h"
#include "gpu/cuda/kernels/columns.h"
#include "gpu/cuda/kernels/tensor_list.h"
#include "gpu/cuda/ops/makers.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::cuda {
namespace {

// How many threads keep a card busy
constexpr int64_t kBusyThreads = 65536;
// The least elements that a part of a reduction reduces, per thread
constexpr int64_t kLeastPerThread = 16;
/// The axes of an operand that stay, and those that are reduced. Axes are joined.
struct Axes {
  Walk kept, reduced;
  int64_t outputs = 1, perOutput = 1;
};

Axes splitAxes(const CudaSetup& setup) {
  const Shape& shape = setup.inputShape();
  const auto strides = shape.strides();
  std::array<bool, kMaxRank> isReduced{};
  for (const int64_t axis : setup.list("axes"))
    isReduced[static_cast<size_t>(shape.normalizeAxis(static_cast<int>(axis)))] = true;
  Axes axes;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool reduces = isReduced[static_cast<size_t>(axis)];
    Walk& walk = reduces ? axes.reduced : axes.kept;
    walk.dims[walk.rank] = shape[axis];
    walk.strides[0][walk.rank] = strides[static_cast<size_t>(axis)];
    ++walk.rank;
    (reduces ? axes.perOutput : axes.outputs) *= shape[axis];
  }
  joinAxes(axes.kept);
  joinAxes(axes.reduced);
  return axes;
}

/// Returns a walk over partial[outputs, parts] along one of its axes.
Walk alongAxis(int64_t size, int64_t stride) {
  Walk walk;
  walk.rank = 1;
  walk.dims[0] = size;
  walk.strides[0][0] = stride;
  joinAxes(walk);
  return walk;
}

/// Returns in how many parts `threads` threads per part reduce each output, so that the card is
/// busy.
int64_t partsOf(const Axes& axes, int64_t threads) {
  const int64_t most = axes.perOutput / (threads * kLeastPerThread);
  const int64_t wanted = kBusyThreads / std::max<int64_t>(1, axes.outputs * threads);
  return std::clamp<int64_t>(std::min(most, wanted), 1, 1024);
}

/// Whether neighbouring outputs are neighbours in the operand, or have few elements each, so that
/// one thread reduces each output.
bool suitsThreads(const Axes& axes) {
  const Walk& kept = axes.kept;
  return axes.perOutput < kWarpThreads ||
         (kept.rank > 0 && kept.strides[0][kept.rank - 1] == 1 && kept.dims[kept.rank - 1] >= 8);
}

/// A stage of a reduction.
class Reduction {
 public:
  Reduction(const CudaSetup& setup, const std::string& stem, DType dtype, const Axes& axes,
            int64_t parts, bool usesThreads)
      : m_axes(axes), m_parts(parts), m_usesThreads(usesThreads) {
    m_usesWarps = !m_usesThreads && axes.perOutput <= kMaxOfWarp && parts == 1;
    std::string name = stem + "_" + setup.nameOf(dtype) + "_blocks";
    if (m_usesThreads) name = stem + "_" + setup.nameOf(dtype) + "_threads";
    if (m_usesWarps) name = stem + "_" + setup.nameOf(dtype) + "_warps";
    m_function = &setup.function(name);
  }
  void encode(Encoder& encoder, DeviceAddress from, DeviceAddress to) const {
    const Axes& a = m_axes;
    if (m_usesThreads)
      encoder.launchElements(*m_function, a.outputs * m_parts, from, to, a.kept, a.reduced,
                             a.outputs, a.perOutput, m_parts);
    else if (m_usesWarps)
      encoder.launchElements(*m_function, a.outputs * kWarpThreads, from, to, a.kept, a.reduced,
                             a.outputs, a.perOutput);
    else
      encoder.launch(*m_function, {a.outputs * m_parts}, kBlock, from, to, a.kept, a.reduced,
                     a.perOutput, m_parts, Encoder::blocksFor(a.perOutput, m_parts));
  }
  /// Returns the axes of the partial results.
  Axes partial() const {
    Axes axes;
    axes.outputs = m_axes.outputs;
    axes.perOutput = m_parts;
    axes.kept = alongAxis(axes.outputs, m_usesThreads ? 1 : m_parts);
    axes.reduced = alongAxis(m_parts, m_usesThreads ? axes.outputs : 1);
    return axes;
  }

  static constexpr int64_t kMaxOfWarp = 1024;

 private:
  Axes m_axes;
  int64_t m_parts;
  bool m_usesThreads = false, m_usesWarps = false;
  const Function* m_function = nullptr;
};

/// Returns the kernel of a sum over the rows of a matrix, or null if the op is something else.
std::unique_ptr<CudaKernel> makeColumnSums(const CudaSetup& setup, const Axes& axes) {
  const Walk &kept = axes.kept, &reduced = axes.reduced;
  const DType dtype = setup.inputType();
  if (setup.op != "reduce_sum" || setup.outputType() != DType::F32 ||
      (dtype != DType::F32 && !isLowPrecision(dtype)) || kept.rank != 1 || reduced.rank != 1 ||
      kept.strides[0][0] != 1 || reduced.strides[0][0] != axes.outputs)
    return nullptr;
  const ColumnParts parts = columnParts(axes.perOutput, axes.outputs);
  const Function& function = setup.typed("column_sums", dtype);
  return makeKernel(
      "column sums",
      [=, &function](Encoder& encoder, const Operands& operands) {
        encoder.launch(function, {parts.columnBlocks(), parts.parts}, kColumnThreads,
                       operands.inputs[0], operands.outputs[0], operands.workspace,
                       operands.counters, parts);
      },
      parts.parts == 1 ? 0 : static_cast<size_t>(parts.parts * parts.columns) * sizeof(float));
}

}  // namespace

std::unique_ptr<CudaKernel> makeReduce(const CudaSetup& setup) {
  const Axes axes = splitAxes(setup);
  if (std::unique_ptr<CudaKernel> kernel = makeColumnSums(setup, axes)) return kernel;
  const bool usesThreads = suitsThreads(axes);
  const int64_t parts = partsOf(axes, usesThreads ? 1 : kBlock);
  const Reduction first(setup, setup.op, setup.inputType(), axes, parts, usesThreads);
  if (parts == 1)
    return makeKernel(setup.op, [=](Encoder& encoder, const Operands& operands) {
      first.encode(encoder, operands.inputs[0], operands.outputs[0]);
    });
  // Partial results have the type of the result
  const Reduction second(setup, setup.op, setup.outputType(), first.partial(), 1,
                         parts < kWarpThreads);
  return makeKernel(
      setup.op + " in parts",
      [=](Encoder& encoder, const Operands& operands) {
        first.encode(encoder, operands.inputs[0], operands.workspace);
        second.encode(encoder, operands.workspace, operands.outputs[0]);
      },
      static_cast<size_t>(parts * axes.outputs) * dtypeBytes(setup.outputType()));
}

std::unique_ptr<CudaKernel> makeArgmax(const CudaSetup& setup) {
  const Function& threads = setup.ofAny("argmax_threads", setup.inputType());
  const Function& warps = setup.ofAny("argmax_warps", setup.inputType());
  const reference::AxisSplit split =
      reference::splitAtAxis(setup.inputShape(), static_cast<int>(setup.integer("axis")));
  const int64_t rows = split.outer * split.inner, length = split.length, inner = split.inner;
  // Neighbouring threads read neighbouring elements, or there are few
  if ((inner >= 8 && rows >= kBusyThreads) || length < kWarpThreads)
    return makeKernel("argmax", [=, &threads](Encoder& encoder, const Operands& operands) {
      encoder.launchElements(threads, rows, operands.inputs[0], DeviceAddress(),
                             operands.outputs[0], rows, length, inner, int64_t{1});
    });
  Axes axes;
  axes.outputs = rows;
  axes.perOutput = length;
  const int64_t parts = partsOf(axes, kWarpThreads), perPart = Encoder::blocksFor(length, parts),
                filled = Encoder::blocksFor(length, perPart);
  return makeKernel(
      "argmax of warps",
      [=, &threads, &warps](Encoder& encoder, const Operands& operands) {
        encoder.launchElements(warps, rows * filled * kWarpThreads, operands.inputs[0],
                               filled == 1 ? operands.outputs[0] : operands.workspace, rows, length,
                               inner, filled, perPart);
        if (filled > 1)
          encoder.launchElements(threads, rows, operands.inputs[0], operands.workspace,
                                 operands.outputs[0], rows, length, inner, filled);
      },
      filled == 1 ? 0 : static_cast<size_t>(rows * filled) * sizeof(int32_t));
}

/// Up to kMaxTensors operands that one launch reads.
struct TensorGroup {
  TensorList list;
  std::array<size_t, kMaxTensors> operands{};
  int64_t blocks = 0;
  // How many of the first tensors the norm is of
  int32_t measured = 0;
  /// Returns the list with the addresses of a step.
  TensorList at(const Operands& addresses) const {
    TensorList filled = list;
    for (int32_t i = 0; i < filled.count; ++i)
      filled.addresses[i].bits = addresses.inputs[operands[static_cast<size_t>(i)]].bits();
    return filled;
  }
};

/// Divides the operands from `first` on into groups. There is at least one, with one block.
/// `measured` of the operands count for a norm.
static std::vector<TensorGroup> groupTensors(const CudaSetup& setup, size_t first,
                                             size_t measured) {
  int64_t total = 0;
  for (size_t i = first; i < setup.inputs.size(); ++i)
    total += setup.inputs[i].shape.numElements();
  // Elements that a block reads, and the most blocks for a tensor: few elements per thread until
  // the card is busy
  constexpr int64_t kMaxBlocks = 4096, kMany = int64_t{1} << 20;
  const int64_t each = kBlock * (total < kMany ? 16 : 32);
  std::vector<TensorGroup> groups;
  for (size_t i = first; i < setup.inputs.size(); ++i) {
    const TensorType& type = setup.inputs[i];
    if (type.dtype == DType::F64) setup.refuse(type.dtype);
    const int64_t count = type.shape.numElements();
    if (count == 0) continue;
    if (groups.empty() || groups.back().list.count == kMaxTensors) groups.emplace_back();
    TensorGroup& group = groups.back();
    TensorList& list = group.list;
    group.operands[static_cast<size_t>(list.count)] = i;
    list.elements[list.count] = count;
    list.firstBlocks[list.count] = static_cast<int32_t>(group.blocks);
    list.types[list.count] = static_cast<int32_t>(type.dtype);
    ++list.count;
    if (i < first + measured) ++group.measured;
    group.blocks += std::min(kMaxBlocks, Encoder::blocksFor(count, each));
  }
  if (groups.empty()) groups.emplace_back().blocks = 1;
  return groups;
}

static void refusePairs(const CudaSetup& setup) {
  if (setup.integer("pairs") == 0) return;
  throw Error(ErrorCode::UnsupportedOp, setup.layer.empty() ? setup.op : setup.layer,
              "pairs of " + setup.op + " have no kernel on " + setup.card->name() +
                  ", because only the CPU updates weights with products. Use --device cpu.");
}

/// What a node computes from its tensors.
struct Observation {
  bool hasFlag = false, hasNorm = false, isChained = false;
  // How many of the first tensors the norm is of
  size_t measured = 0;
  // Of a norm without a flag, whose first operand is the number of the update; 0 for no update
  int64_t interval = 0;
};

/// Returns a kernel that reads each tensor once.
static std::unique_ptr<CudaKernel> makeObserver(const CudaSetup& setup, Observation what) {
  const Function& observe = setup.function("observe_gradients");
  const std::vector<TensorGroup> groups = groupTensors(setup, what.hasFlag ? 0 : 1, what.measured);
  int64_t blocks = 0;
  for (const TensorGroup& group : groups)
    blocks += group.blocks;
  return makeKernel(
      setup.op,
      [=, &observe](Encoder& encoder, const Operands& operands) {
        require(!operands.progress.isNull(),
                "checks and norms of gradients run in a stream that counts their blocks");
        const DeviceAddress none, flag = what.hasFlag ? operands.outputs.front() : none,
                                  update = what.hasFlag ? none : operands.inputs[0];
        DeviceAddress earlier = what.isChained ? operands.inputs[0] : none;
        int64_t before = 0;
        for (const TensorGroup& group : groups) {
          const bool writesNorm = what.hasNorm && before + group.blocks == blocks;
          encoder.launch(observe, {group.blocks}, kBlock, group.at(operands), flag, earlier,
                         operands.running, group.measured, update, what.interval,
                         what.hasNorm ? operands.workspace : none, static_cast<int32_t>(before),
                         writesNorm ? operands.outputs.back() : none, operands.progress);
          earlier = flag;
          before += group.blocks;
        }
      },
      what.hasNorm ? static_cast<size_t>(blocks) * sizeof(float) : 0);
}

std::unique_ptr<CudaKernel> makeAllFinite(const CudaSetup& setup) {
  refusePairs(setup);
  return makeObserver(setup, {.hasFlag = true, .isChained = setup.flag("chained")});
}

std::unique_ptr<CudaKernel> makeAllFiniteAndNorm(const CudaSetup& setup) {
  return makeObserver(setup, {.hasFlag = true,
                              .hasNorm = true,
                              .measured = static_cast<size_t>(setup.integer("measured"))});
}

std::unique_ptr<CudaKernel> makeGradientNorm(const CudaSetup& setup) {
  refusePairs(setup);
  const size_t measured = setup.inputs.size() - 1;
  return makeObserver(setup, {.hasNorm = true,
                              .measured = measured,
                              .interval = measured > 0 ? setup.integer("interval") : 0});
}

}  // namespace strata::cuda
