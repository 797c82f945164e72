// SPDX-License-Identifier: Apache-2.0
// Sums, maxima and their places.
#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {
namespace {

// Rows of a matrix that one thread reduces
constexpr int64_t kPartRows = 128;

/// The axes of an operand that stay, and those that are reduced.
struct Axes {
  Walk kept, reduced;
  int64_t outputs = 1, perOutput = 1;
  // Whether the operand is [rows, columns] with all rows reduced
  bool areLeading = true;
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
    if (reduces && axes.kept.rank > 0) axes.areLeading = false;
  }
  return axes;
}

}  // namespace

std::unique_ptr<CudaKernel> makeReduce(const CudaSetup& setup) {
  const Axes axes = splitAxes(setup);
  const std::string& stem = setup.op;
  if (axes.areLeading && axes.outputs >= 8 && axes.perOutput > 1) {
    const Function& columns = setup.typed(stem + "_columns", setup.inputType());
    const Function& join = setup.typed(stem + "_parts", setup.inputType());
    const int64_t parts = Encoder::blocksFor(axes.perOutput, kPartRows);
    return makeKernel(
        stem + " of columns",
        [=, &columns, &join](Encoder& encoder, const Operands& operands) {
          const int64_t blocks = Encoder::blocksFor(axes.outputs, kBlock);
          encoder.launch(columns, {blocks, parts}, kBlock, operands.inputs[0], operands.workspace,
                         axes.perOutput, axes.outputs, kPartRows);
          encoder.launch(join, {blocks}, kBlock, operands.workspace, operands.outputs[0], parts,
                         axes.outputs);
        },
        static_cast<size_t>(parts * axes.outputs) * sizeof(float));
  }
  const Function& function = setup.typed(stem + "_walk", setup.inputType());
  return makeKernel(stem, [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launch(function, {axes.outputs}, kBlock, operands.inputs[0], operands.outputs[0],
                   axes.kept, axes.reduced, axes.perOutput);
  });
}

std::unique_ptr<CudaKernel> makeArgmax(const CudaSetup& setup) {
  const Function& function = setup.typed("argmax", setup.inputType());
  const Shape& shape = setup.inputShape();
  const int axis = shape.normalizeAxis(static_cast<int>(setup.integer("axis")));
  int64_t inner = 1;
  for (int i = axis + 1; i < shape.rank(); ++i)
    inner *= shape[i];
  const int64_t rows = setup.outputShape().numElements(), length = shape[axis];
  return makeKernel("argmax", [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, rows, operands.inputs[0], operands.outputs[0], rows, length,
                           inner);
  });
}

std::unique_ptr<CudaKernel> makeAllFinite(const CudaSetup& setup) {
  // Elements that one thread of the grid checks
  constexpr int64_t kEach = 8;
  const Function& begin = setup.function("all_finite_begin");
  const Function& check = setup.function("all_finite_f32");
  std::vector<int64_t> counts;
  for (const TensorType& type : setup.inputs) {
    if (type.dtype != DType::F32) setup.refuse(type.dtype);
    counts.push_back(type.shape.numElements());
  }
  const bool isChained = setup.flag("chained");
  return makeKernel("all_finite", [=, &begin, &check](Encoder& encoder, const Operands& operands) {
    const DeviceAddress flag = operands.outputs[0];
    encoder.launch(begin, {1}, 1, flag, isChained ? operands.inputs[0] : DeviceAddress());
    for (size_t i = 0; i < counts.size(); ++i)
      encoder.launch(check, {Encoder::blocksFor(counts[i], kBlock * kEach)}, kBlock,
                     operands.inputs[i], counts[i], flag);
  });
}

}  // namespace strata::cuda
