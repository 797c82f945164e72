// SPDX-License-Identifier: Apache-2.0
// Ops that only move elements.
#include "gpu/cuda/kernels/movement.h"

#include <numeric>
#include <optional>

#include "gpu/base/error.h"
#include "gpu/cuda/ops/makers.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::cuda {
namespace {

// Matrices with fewer rows or columns are transposed without tiles
constexpr int64_t kLeastTiled = 8;

/// Returns the walk as transposes of matrices, or nullopt if it is not one or they are too small.
/// Requires: the axes of the walk are joined.
std::optional<MatrixTransposes> transposesOf(const Walk& walk) {
  const int last = walk.rank - 1;
  int contiguous = -1;
  for (int axis = 0; axis < last; ++axis)
    if (walk.strides[0][axis] == 1) contiguous = axis;
  if (contiguous < 0 || walk.strides[0][last] <= 1 || walk.dims[last] < kLeastTiled ||
      walk.dims[contiguous] < kLeastTiled)
    return std::nullopt;
  int64_t own[kMaxAxes] = {};
  int64_t stride = 1;
  for (int axis = last; axis >= 0; --axis) {
    own[axis] = stride;
    stride *= walk.dims[axis];
  }
  MatrixTransposes result;
  result.rows = walk.dims[last];
  result.columns = walk.dims[contiguous];
  result.rowStride = walk.strides[0][last];
  result.columnStride = own[contiguous];
  Walk& matrices = result.matrices;
  matrices.base[0] = walk.base[0];
  for (int axis = 0; axis < last; ++axis) {
    if (axis == contiguous) continue;
    matrices.dims[matrices.rank] = walk.dims[axis];
    matrices.strides[0][matrices.rank] = walk.strides[0][axis];
    matrices.strides[1][matrices.rank] = own[axis];
    ++matrices.rank;
  }
  joinAxes(matrices);
  return result;
}

/// Makes a kernel that copies the element at the i-th offset of the walk to element i.
std::unique_ptr<CudaKernel> makeCopyWalk(const CudaSetup& setup, Walk walk) {
  const int64_t count = setup.outputShape().numElements();
  joinAxes(walk);
  if (const std::optional<MatrixTransposes> all = transposesOf(walk); all && count > 0) {
    const Function& function = setup.ofSize("transpose_tiles", setup.outputType());
    const int64_t blocks = Encoder::blocksFor(all->rows, kTile) *
                           Encoder::blocksFor(all->columns, kTile) *
                           (count / all->rows / all->columns);
    return makeKernel(setup.op + " in tiles", [=, &function, all = *all](Encoder& encoder,
                                                                         const Operands& operands) {
      encoder.launch(function, {blocks}, kBlock, operands.inputs[0], operands.outputs[0], all);
    });
  }
  const Function& function = setup.ofSize("copy_walk", setup.outputType());
  return makeKernel(setup.op, [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.outputs[0], count, walk);
  });
}

Walk walkOver(const Shape& shape) {
  Walk walk;
  walk.rank = shape.rank();
  for (int axis = 0; axis < shape.rank(); ++axis)
    walk.dims[axis] = shape[axis];
  return walk;
}

/// Returns the bits of a number of this type.
uint64_t bitsOfNumber(DType dtype, double value) {
  const Tensor number = Tensor::from<double>(Shape{}, std::vector<double>{value}).converted(dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, number.data(), dtypeBytes(dtype));
  return bits;
}

}  // namespace

std::unique_ptr<CudaKernel> makeBroadcastTo(const CudaSetup& setup) {
  return makeCopyWalk(setup, broadcastWalk(setup.outputShape(), {&setup.inputShape()}));
}

std::unique_ptr<CudaKernel> makeConcatenate(const CudaSetup& setup) {
  if (setup.outputType() == DType::F64) setup.refuse(DType::F64);
  const int axis = static_cast<int>(setup.integer("axis"));
  const reference::AxisSplit split = reference::splitAtAxis(setup.outputShape(), axis);
  const auto bytesOf = [&](int64_t elements) {
    return elements * static_cast<int64_t>(dtypeBytes(setup.outputType()));
  };
  // Rows are copied in words that are as wide as their sizes allow
  const int64_t rowBytes = bytesOf(split.length * split.inner);
  int64_t word = std::gcd<int64_t>(8, rowBytes);
  std::vector<int64_t> parts;
  for (const TensorType& type : setup.inputs) {
    const reference::AxisSplit part = reference::splitAtAxis(type.shape, axis);
    parts.push_back(bytesOf(part.length * part.inner));
    word = std::gcd(word, parts.back());
  }
  for (int64_t& part : parts)
    part /= word;
  const Function& function = setup.function("copy_part_" + std::to_string(word));
  return makeKernel("concatenate", [=, &function, rows = split.outer, row = rowBytes / word](
                                       Encoder& encoder, const Operands& operands) {
    int64_t offset = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      encoder.launchElements(function, rows * parts[i], operands.inputs[i], operands.outputs[0],
                             rows * parts[i], parts[i], row, offset);
      offset += parts[i];
    }
  });
}

std::unique_ptr<CudaKernel> makeOneHot(const CudaSetup& setup) {
  const Function& function = setup.ofSize("one_hot", setup.outputType());
  const int64_t classes = setup.integer("classes"), count = setup.outputShape().numElements();
  const auto labelBytes = static_cast<int32_t>(dtypeBytes(setup.inputType()));
  const uint64_t one = bitsOfNumber(setup.outputType(), 1);
  return makeKernel("one_hot", [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.outputs[0], count, classes,
                           labelBytes, one);
  });
}

std::unique_ptr<CudaKernel> makePad(const CudaSetup& setup) {
  const Function& function = setup.ofSize("pad", setup.outputType());
  const Shape &from = setup.inputShape(), &to = setup.outputShape();
  const auto strides = from.strides();
  PadBox box;
  box.rank = to.rank();
  for (int axis = 0; axis < to.rank(); ++axis) {
    box.dims[axis] = to[axis];
    box.inside[axis] = from[axis];
    box.before[axis] = setup.list("before")[static_cast<size_t>(axis)];
    box.strides[axis] = strides[static_cast<size_t>(axis)];
  }
  const int64_t count = to.numElements();
  const uint64_t fill = bitsOfNumber(setup.outputType(), setup.real("value"));
  return makeKernel("pad", [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.outputs[0], count, box,
                           fill);
  });
}

std::unique_ptr<CudaKernel> makeReshape(const CudaSetup&) {
  return makeKernel("reshape", [](Encoder&, const Operands& operands) {
    require(operands.outputs[0].bits() == operands.inputs[0].bits(), "a view shares its bytes");
  });
}

std::unique_ptr<CudaKernel> makeSlice(const CudaSetup& setup) {
  Walk walk = walkOver(setup.outputShape());
  const auto strides = setup.inputShape().strides();
  const auto& begin = setup.list("begin");
  for (size_t axis = 0; axis < begin.size(); ++axis) {
    walk.strides[0][axis] = strides[axis];
    walk.base[0] += begin[axis] * strides[axis];
  }
  return makeCopyWalk(setup, walk);
}

std::unique_ptr<CudaKernel> makeTranspose(const CudaSetup& setup) {
  Walk walk = walkOver(setup.outputShape());
  const auto strides = setup.inputShape().strides();
  const auto& permutation = setup.list("permutation");
  for (size_t axis = 0; axis < permutation.size(); ++axis)
    walk.strides[0][axis] = strides[static_cast<size_t>(permutation[axis])];
  return makeCopyWalk(setup, walk);
}

}  // namespace strata::cuda
