// SPDX-License-Identifier: Apache-2.0
// Convolutions by cuDNN, of images in either order of the axes. Weights are [K,R,S,C], so a kernel
// transposes weights [R,S,C,K].
// A bias, padding that differs between the sides, and a gradient of another type than the operands
// are parts of the call where the library supports that. Otherwise kernels around it do the work.
// Activations are never part of the call, because a fast relu of cuDNN may turn NaN into 0.
#include <optional>

#include "gpu/base/round_up.h"
#include "gpu/cuda/ops/makers.h"
#include "gpu/cuda/ops/window.h"
#include "gpu/ops/layout.h"

namespace strata::cuda {
namespace {

constexpr size_t kAlign = 256;
size_t aligned(size_t bytes) { return roundUp(bytes, kAlign); }

/// The operands of a convolution and its gradients, whichever of them is computed. Images are in
/// the order of the node.
struct Convolution {
  int32_t direction;
  Shape x, w, y;
  DType dtype;
};

/// A convolution as the library gets it, and the copies around it.
struct Prepared {
  StrataLibraryCall call{};
  // Whether the image gets a border, because padding differs between the sides
  bool hasBorder = false;
  int64_t images = 0, height = 0, width = 0, channels = 0;
  // Elements of the result from one channel to the next
  int64_t outputPixels = 1;
  int64_t paddedHeight = 0, paddedWidth = 0, before[2] = {};
  // Whether the weights must be transposed
  bool transposes = false;
  int64_t weightRows = 0, filters = 0;
  // Parts of the workspace: weights, padded image, and the library's own
  size_t weightBytes = 0, imageBytes = 0;
};

/// A planned call. `isExtended` says whether it includes what would follow the convolution.
struct Planned {
  Prepared p;
  std::shared_ptr<const LibraryPlan> plan;
  bool isExtended = false;
};

/// Describes a tensor [n,h,w,c] in memory of this order, or of the order [n,c,h,w].
void setTensor(int64_t (&dims)[4], int64_t (&strides)[4], const Shape& nhwc, bool isChannelsFirst) {
  const int64_t n = nhwc[0], h = nhwc[1], w = nhwc[2], c = nhwc[3];
  const int64_t all[] = {n, c, h, w}, last[] = {h * w * c, 1, w * c, c},
                first[] = {h * w * c, h * w, w, 1};
  for (int i = 0; i < 4; ++i) {
    dims[i] = all[i];
    strides[i] = (isChannelsFirst ? first : last)[i];
  }
}

Prepared prepare(const CudaSetup& setup, const Convolution& c, bool makesBorder) {
  if (c.dtype != DType::F32 && !isLowPrecision(c.dtype)) setup.refuse(c.dtype);
  const auto pair = [&](const char* name, int64_t fallback) -> std::array<int64_t, 2> {
    if (!setup.attributes.has(name)) return {fallback, fallback};
    return {setup.list(name)[0], setup.list(name)[1]};
  };
  const auto before = pair("padding_before", 0), after = pair("padding_after", 0),
             strides = pair("strides", 1), dilation = pair("dilation", 1);
  const bool isFirst = isChannelsFirst(setup.attributes);
  const Shape x = asChannelsLast(setup.attributes, c.x), y = asChannelsLast(setup.attributes, c.y),
              &w = c.w;
  Prepared p;
  // For the kernels that copy borders, each channel of [N,C,H,W] is an image
  p.images = isFirst ? x[0] * x[3] : x[0];
  p.channels = isFirst ? 1 : x[3];
  p.height = x[1];
  p.width = x[2];
  p.outputPixels = isFirst ? y[1] * y[2] : 1;
  p.hasBorder = makesBorder && before != after;
  p.before[0] = before[0];
  p.before[1] = before[1];
  p.paddedHeight = p.height + before[0] + after[0];
  p.paddedWidth = p.width + before[1] + after[1];
  p.transposes = setup.text("weights") != "krsc";
  const Shape krsc = p.transposes ? Shape{w[3], w[0], w[1], w[2]} : w;
  p.weightRows = krsc[1] * krsc[2] * krsc[3];
  p.filters = krsc[0];
  p.call.kind = STRATA_CALL_CONVOLUTION;
  p.call.compute = setup.isTf32 ? STRATA_COMPUTE_TF32 : STRATA_COMPUTE_F32;
  p.call.isDeterministic = 1;
  StrataConvolution& call = p.call.of.convolution;
  call.direction = c.direction;
  call.groups = setup.attributes.has("groups") ? setup.integer("groups") : 1;
  Shape image = x;
  if (p.hasBorder) {
    image.set(1, p.paddedHeight);
    image.set(2, p.paddedWidth);
  }
  setTensor(call.xDims, call.xStrides, image, isFirst);
  setTensor(call.wDims, call.wStrides, krsc, false);
  setTensor(call.yDims, call.yStrides, y, isFirst);
  for (size_t i = 0; i < 2; ++i) {
    call.paddingBefore[i] = p.hasBorder ? 0 : before[i];
    call.paddingAfter[i] = p.hasBorder ? 0 : after[i];
    call.stride[i] = strides[i];
    call.dilation[i] = dilation[i];
  }
  call.type = call.weightGradientType = static_cast<StrataType>(c.dtype);
  const size_t elementBytes = dtypeBytes(c.dtype);
  if (p.transposes)
    p.weightBytes = aligned(static_cast<size_t>(p.weightRows * p.filters) * elementBytes);
  if (p.hasBorder)
    p.imageBytes = aligned(
        static_cast<size_t>(p.images * p.paddedHeight * p.paddedWidth * p.channels) * elementBytes);
  return p;
}

/// Returns whether the plan has cuDNN's engine 0. cuDNN proposes it for calls that its tuned
/// engines do not take.
bool isGeneric(const LibraryPlan& plan) {
  const std::string_view name = plan.algorithm();
  return name == "eng0" || name.starts_with("eng0{");
}

/// Plans the first form of a convolution with a fast engine, or else the first with any: with what
/// `extend` adds to the call, if `extends`; alone; and both on images with a border, if padding
/// differs between the sides. The form does not depend on the chosen algorithm, so a name always
/// belongs to the call that is made.
/// Fails: as Card::plan().
template <class Extend>
Planned planConvolution(const CudaSetup& setup, const Convolution& c, bool extends,
                        const Extend& extend) {
  std::optional<Planned> chosen;
  for (const bool makesBorder : {false, true})
    for (const bool isExtended : {true, false}) {
      if ((isExtended && !extends) || (chosen && !isGeneric(*chosen->plan))) continue;
      Planned form{prepare(setup, c, makesBorder), nullptr, isExtended};
      if (makesBorder && !form.p.hasBorder) continue;
      if (isExtended) extend(form.p.call.of.convolution);
      form.plan = setup.card->tryPlan(form.p.call);
      if (form.plan && (!chosen || !isGeneric(*form.plan))) chosen = form;
    }
  if (!chosen) chosen = {prepare(setup, c, false), nullptr, false};
  if (!chosen->plan || !setup.algorithm.empty()) chosen->plan = setup.plan(chosen->p.call);
  return *chosen;
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
  const int32_t kind = activationNumber(setup, setup.text("activation"));
  const bool hasBias = setup.inputs.size() > 2;
  const Function& transpose = setup.typed("transpose_matrix", dtype);
  const Function& pad = setup.typed("add_border", dtype);
  const Function& tail = setup.typed("bias_activation", dtype);
  const int64_t count = setup.outputShape().numElements();
  const auto alpha = static_cast<float>(setup.real("alpha"));
  if (count == 0) return makeKernel("empty", [](Encoder&, const Operands&) {});
  // The kernel of an activation also adds the bias
  const Planned planned =
      planConvolution(setup,
                      {STRATA_CONVOLUTION_FORWARD, setup.inputShape(0), setup.inputShape(1),
                       setup.outputShape(), dtype},
                      hasBias && kind == 0, [](StrataConvolution& call) { call.hasBias = 1; });
  const Prepared p = planned.p;
  const std::shared_ptr<const LibraryPlan> plan = planned.plan;
  const bool addsBias = planned.isExtended, hasTail = !addsBias && (hasBias || kind != 0);
  return makeKernel(
      std::string("cuDNN ") + plan->algorithm(),
      [=, &transpose, &pad, &tail](Encoder& encoder, const Operands& operands) {
        const DeviceAddress weights = p.transposes ? operands.workspace : operands.inputs[1],
                            border = operands.workspace + p.weightBytes,
                            image = p.hasBorder ? border : operands.inputs[0],
                            own = border + p.imageBytes;
        if (p.transposes)
          encoder.launchElements(transpose, p.weightRows * p.filters, operands.inputs[1], weights,
                                 p.weightRows, p.filters);
        if (p.hasBorder) copyBorder(encoder, pad, p, operands.inputs[0], image);
        if (addsBias)
          encoder.call(*plan, {image, weights, operands.outputs[0], operands.inputs[2]}, own);
        else
          encoder.call(*plan, {image, weights, operands.outputs[0]}, own);
        if (hasTail)
          encoder.launchElements(tail, count, operands.outputs[0],
                                 hasBias ? operands.inputs[2] : DeviceAddress(), count, p.filters,
                                 p.outputPixels, kind, alpha);
      },
      p.weightBytes + p.imageBytes + plan->workspaceBytes(), plan);
}

std::unique_ptr<CudaKernel> makeConv2dBackwardData(const CudaSetup& setup) {
  const DType dtype = setup.inputType();
  const Function& transpose = setup.typed("transpose_matrix", dtype);
  const Function& crop = setup.typed("remove_border", dtype);
  if (setup.outputShape().numElements() == 0)
    return makeKernel("empty", [](Encoder&, const Operands&) {});
  const Planned planned = planConvolution(setup,
                                          {STRATA_CONVOLUTION_BACKWARD_DATA, setup.outputShape(),
                                           setup.inputShape(1), setup.inputShape(0), dtype},
                                          false, [](StrataConvolution&) {});
  const Prepared p = planned.p;
  const std::shared_ptr<const LibraryPlan> plan = planned.plan;
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
  const DType dtype = setup.inputType(), result = setup.outputType();
  const Function& pad = setup.typed("add_border", dtype);
  if (setup.inputShape(1).numElements() == 0)
    return makeKernel(
        "empty", [bytes = setup.outputs[0].bytes()](Encoder& encoder, const Operands& operands) {
          encoder.clear(operands.outputs[0], bytes);
        });
  const Planned planned = planConvolution(
      setup,
      {STRATA_CONVOLUTION_BACKWARD_WEIGHTS, setup.inputShape(0), setup.outputShape(),
       setup.inputShape(1), dtype},
      result != dtype,
      [&](StrataConvolution& call) { call.weightGradientType = static_cast<StrataType>(result); });
  const Prepared p = planned.p;
  const std::shared_ptr<const LibraryPlan> plan = planned.plan;
  const bool casts = result != dtype && !planned.isExtended;
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
