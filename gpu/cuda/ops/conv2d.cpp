// SPDX-License-Identifier: Apache-2.0
// Convolutions by cuDNN. Its weights are [K,R,S,C], so a kernel transposes weights [R,S,C,K].
// Padding that differs between the sides is made by a copy with a border.
#include "gpu/base/round_up.h"
#include "gpu/cuda/ops/makers.h"
#include "gpu/cuda/ops/window.h"

namespace strata::cuda {
namespace {

constexpr size_t kAlign = 256;
size_t aligned(size_t bytes) { return roundUp(bytes, kAlign); }

/// A convolution as the library gets it, and the copies around it.
struct Prepared {
  StrataLibraryCall call{};
  // The image with its border, if padding differs between the sides
  bool hasBorder = false;
  int64_t images = 0, height = 0, width = 0, channels = 0;
  int64_t paddedHeight = 0, paddedWidth = 0, before[2] = {};
  // Whether the weights must be transposed
  bool transposes = false;
  int64_t weightRows = 0, filters = 0;
  size_t elementBytes = 0;
  // Parts of the workspace: weights, padded image, and the library's own
  size_t weightBytes = 0, imageBytes = 0;
};

void setNhwc(int64_t (&dims)[4], int64_t (&strides)[4], int64_t n, int64_t c, int64_t h,
             int64_t w) {
  const int64_t all[] = {n, c, h, w}, steps[] = {h * w * c, 1, w * c, c};
  for (int i = 0; i < 4; ++i) {
    dims[i] = all[i];
    strides[i] = steps[i];
  }
}

Prepared prepare(const CudaSetup& setup, int32_t direction, const Shape& x, const Shape& w,
                 const Shape& y, DType dtype) {
  if (dtype != DType::F32 && !isLowPrecision(dtype)) setup.refuse(dtype);
  const auto pair = [&](const char* name, int64_t fallback) -> std::array<int64_t, 2> {
    if (!setup.attributes.has(name)) return {fallback, fallback};
    return {setup.list(name)[0], setup.list(name)[1]};
  };
  const auto before = pair("padding_before", 0), after = pair("padding_after", 0),
             strides = pair("strides", 1), dilation = pair("dilation", 1);
  Prepared p;
  p.images = x[0];
  p.height = x[1];
  p.width = x[2];
  p.channels = x[3];
  p.hasBorder = before != after;
  p.before[0] = before[0];
  p.before[1] = before[1];
  p.paddedHeight = p.height + before[0] + after[0];
  p.paddedWidth = p.width + before[1] + after[1];
  p.elementBytes = dtypeBytes(dtype);
  p.transposes = setup.text("weights") != "krsc";
  const Shape krsc = p.transposes ? Shape{w[3], w[0], w[1], w[2]} : w;
  p.weightRows = krsc[1] * krsc[2] * krsc[3];
  p.filters = krsc[0];
  p.call.kind = STRATA_CALL_CONVOLUTION;
  p.call.compute = setup.isTf32 ? STRATA_COMPUTE_TF32 : STRATA_COMPUTE_F32;
  p.call.isDeterministic = 1;
  StrataConvolution& call = p.call.of.convolution;
  call.direction = direction;
  call.groups = setup.attributes.has("groups") ? setup.integer("groups") : 1;
  setNhwc(call.xDims, call.xStrides, x[0], x[3], p.hasBorder ? p.paddedHeight : x[1],
          p.hasBorder ? p.paddedWidth : x[2]);
  setNhwc(call.wDims, call.wStrides, krsc[0], krsc[3], krsc[1], krsc[2]);
  setNhwc(call.yDims, call.yStrides, y[0], y[3], y[1], y[2]);
  for (size_t i = 0; i < 2; ++i) {
    call.padding[i] = p.hasBorder ? 0 : before[i];
    call.stride[i] = strides[i];
    call.dilation[i] = dilation[i];
  }
  call.type = call.weightGradientType = static_cast<StrataType>(dtype);
  if (p.transposes)
    p.weightBytes = aligned(static_cast<size_t>(p.weightRows * p.filters) * p.elementBytes);
  if (p.hasBorder)
    p.imageBytes =
        aligned(static_cast<size_t>(p.images * p.paddedHeight * p.paddedWidth * p.channels) *
                p.elementBytes);
  return p;
}

/// Plans a call if the library supports it, whatever the algorithm. Returns null otherwise.
/// Fails: UnsupportedOp if only the algorithm of `setup` is not supported, so that it never counts
/// for another call.
std::shared_ptr<const LibraryPlan> planIfSupported(const CudaSetup& setup,
                                                   const StrataLibraryCall& call) {
  std::shared_ptr<const LibraryPlan> rule = setup.card->tryPlan(call);
  return rule && !setup.algorithm.empty() ? setup.plan(call) : rule;
}

/// Launches the kernel that copies images into larger ones with a border of zeros, or the inside of
/// larger ones back.
void copyBorder(Encoder& encoder, const Function& function, const Prepared& p, DeviceAddress from,
                DeviceAddress to) {
  const int64_t count = p.images * p.paddedHeight * p.paddedWidth * p.channels;
  encoder.launchElements(function, count, from, to, count, p.height, p.width, p.channels,
                         p.paddedHeight, p.paddedWidth, p.before[0], p.before[1]);
}

}  // namespace

std::unique_ptr<CudaKernel> makeConv2d(const CudaSetup& setup) {
  const DType dtype = setup.inputType();
  const Prepared p = prepare(setup, STRATA_CONVOLUTION_FORWARD, setup.inputShape(0),
                             setup.inputShape(1), setup.outputShape(), dtype);
  const int32_t kind = activationNumber(setup, setup.text("activation"));
  const bool hasBias = setup.inputs.size() > 2;
  const Function& transpose = setup.typed("transpose_matrix", dtype);
  const Function& pad = setup.typed("add_border", dtype);
  const Function& tail = setup.typed("bias_activation", dtype);
  const int64_t count = setup.outputShape().numElements();
  const auto alpha = static_cast<float>(setup.real("alpha"));
  if (count == 0) return makeKernel("empty", [](Encoder&, const Operands&) {});
  const std::shared_ptr<const LibraryPlan> plan = setup.plan(p.call);
  return makeKernel(
      std::string("cuDNN ") + plan->algorithm(),
      [=, &transpose, &pad, &tail](Encoder& encoder, const Operands& operands) {
        const DeviceAddress weights = p.transposes ? operands.workspace : operands.inputs[1],
                            image = operands.workspace + p.weightBytes;
        if (p.transposes)
          encoder.launchElements(transpose, p.weightRows * p.filters, operands.inputs[1], weights,
                                 p.weightRows, p.filters);
        if (p.hasBorder) copyBorder(encoder, pad, p, operands.inputs[0], image);
        encoder.call(*plan,
                     {p.hasBorder ? image : operands.inputs[0], weights, operands.outputs[0]},
                     image + p.imageBytes);
        if (hasBias || kind != 0)
          encoder.launchElements(tail, count, operands.outputs[0],
                                 hasBias ? operands.inputs[2] : DeviceAddress(), count, p.filters,
                                 kind, alpha);
      },
      p.weightBytes + p.imageBytes + plan->workspaceBytes(), plan);
}

std::unique_ptr<CudaKernel> makeConv2dBackwardData(const CudaSetup& setup) {
  const DType dtype = setup.inputType();
  const Prepared p = prepare(setup, STRATA_CONVOLUTION_BACKWARD_DATA, setup.outputShape(),
                             setup.inputShape(1), setup.inputShape(0), dtype);
  const Function& transpose = setup.typed("transpose_matrix", dtype);
  const Function& crop = setup.typed("remove_border", dtype);
  if (setup.outputShape().numElements() == 0)
    return makeKernel("empty", [](Encoder&, const Operands&) {});
  const std::shared_ptr<const LibraryPlan> plan = setup.plan(p.call);
  return makeKernel(
      std::string("cuDNN ") + plan->algorithm(),
      [=, &transpose, &crop](Encoder& encoder, const Operands& operands) {
        const DeviceAddress weights = p.transposes ? operands.workspace : operands.inputs[1],
                            image = operands.workspace + p.weightBytes;
        if (p.transposes)
          encoder.launchElements(transpose, p.weightRows * p.filters, operands.inputs[1], weights,
                                 p.weightRows, p.filters);
        encoder.call(*plan,
                     {operands.inputs[0], weights, p.hasBorder ? image : operands.outputs[0]},
                     image + p.imageBytes);
        if (p.hasBorder) copyBorder(encoder, crop, p, image, operands.outputs[0]);
      },
      p.weightBytes + p.imageBytes + plan->workspaceBytes(), plan);
}

std::unique_ptr<CudaKernel> makeConv2dBackwardWeights(const CudaSetup& setup) {
  const DType dtype = setup.inputType();
  const Prepared p = prepare(setup, STRATA_CONVOLUTION_BACKWARD_WEIGHTS, setup.inputShape(0),
                             setup.outputShape(), setup.inputShape(1), dtype);
  const Function& pad = setup.typed("add_border", dtype);
  if (setup.inputShape(1).numElements() == 0)
    return makeKernel(
        "empty", [bytes = setup.outputs[0].bytes()](Encoder& encoder, const Operands& operands) {
          encoder.clear(operands.outputs[0], bytes);
        });
  // dw may have another type than the operands. Where the library cannot write it, a kernel casts.
  const DType result = setup.outputType();
  StrataLibraryCall call = p.call;
  call.of.convolution.weightGradientType = static_cast<StrataType>(result);
  std::shared_ptr<const LibraryPlan> plan =
      result == dtype ? setup.plan(call) : planIfSupported(setup, call);
  const bool casts = !plan;
  if (casts) plan = setup.plan(p.call);
  const int64_t count = p.weightRows * p.filters;
  const DType written = casts ? dtype : result;
  const Function& transpose = setup.typed("transpose_matrix", written);
  const Function& cast = setup.typed("cast_" + setup.nameOf(dtype), result);
  // The gradient as the library writes it, and transposed, where these are not the result
  const size_t eachBytes = aligned(static_cast<size_t>(count) * dtypeBytes(written)),
               writtenBytes = p.transposes || casts ? eachBytes : 0,
               transposedBytes = p.transposes && casts ? eachBytes : 0;
  return makeKernel(
      std::string("cuDNN ") + plan->algorithm(),
      [=, &transpose, &pad, &cast](Encoder& encoder, const Operands& operands) {
        const DeviceAddress dw = operands.outputs[0],
                            own = writtenBytes > 0 ? operands.workspace : dw,
                            transposed = casts ? operands.workspace + writtenBytes : dw,
                            image = operands.workspace + writtenBytes + transposedBytes;
        if (p.hasBorder) copyBorder(encoder, pad, p, operands.inputs[0], image);
        encoder.call(*plan, {p.hasBorder ? image : operands.inputs[0], operands.inputs[1], own},
                     image + p.imageBytes);
        // [K,R,S,C] becomes [R,S,C,K]
        if (p.transposes)
          encoder.launchElements(transpose, count, own, transposed, p.filters, p.weightRows);
        if (casts) encoder.launchSpread(cast, count, p.transposes ? transposed : own, dw, count);
      },
      writtenBytes + transposedBytes + p.imageBytes + plan->workspaceBytes(), plan);
}

}  // namespace strata::cuda
