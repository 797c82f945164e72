// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/kernel_variants.h"

#include <algorithm>

#include "gpu/graph/op.h"
#if defined(STRATA_HAS_ONEDNN)
#include "gpu/cpu/onednn/convolution.h"
#endif

namespace strata::cpu {

namespace {

constexpr const char* kProduct = "product";
constexpr const char* kDirect = "direct";
constexpr const char* kOnednn = "onednn";
constexpr const char* kAlone = "alone";

/// The maximum number of elements for which the variant "alone" is listed. Larger operations take
/// tens of microseconds or more and gain from a second core.
constexpr int64_t kMaxAlone = 1 << 18;

/// Returns whether the node is a convolution, or one of its gradients, with kernels of this device.
bool isConvolution(const KernelSetup& setup) {
  return setup.op.starts_with("conv2d") && setup.text("weights") == "rsck";
}

/// Returns whether the variant "alone" is worth timing. The node must have few elements and a
/// kernel of this device, which works with any number of workers.
bool canBeAlone(const KernelSetup& setup) {
  if (setup.numWorkers < 2 || findKernelMaker(setup.op) == nullptr) return false;
  int64_t elements = 0;
  for (const TensorType& type : setup.inputs)
    elements += type.shape.numElements();
  for (const TensorType& type : setup.outputs)
    elements += type.shape.numElements();
  return elements > 0 && elements <= kMaxAlone;
}

/// Returns whether the kernel may add partial sums of the workers. A single worker then adds in
/// another order, so the last bits can differ even if a trial shows no difference.
bool sumsOverWorkers(const KernelSetup& setup) {
  if (setup.op == "matmul") {
    const std::unique_ptr<HostKernel> product = makeMatmul(setup);
    return product && product->implementation().starts_with("gemm by depth");
  }
  for (const char* family :
       {"reduce_", "batch_norm", "layer_norm_backward", "conv2d", "depthwise_conv2d"})
    if (setup.op.starts_with(family)) return true;
  return false;
}

/// Returns whether the node is a convolution with 1x1 windows, stride 1 and no padding, or one of
/// its gradients. Such a convolution multiplies a matrix with one row of channels per pixel by the
/// weights.
bool isPixelwise(const KernelSetup& setup) {
  if (!isConvolution(setup) || !allF32(setup)) return false;
  const bool isWeights = setup.op.ends_with("_weights"), isData = setup.op.ends_with("_data");
  const Shape& weights = isWeights ? setup.outputShape() : setup.inputShape(1);
  const Shape& x = isData ? setup.outputShape() : setup.inputShape(0);
  const Shape& y = isData || isWeights ? setup.inputShape(isData ? 0 : 1) : setup.outputShape();
  const auto areAll = [&](const char* name, int64_t number) {
    return std::ranges::all_of(setup.list(name), [&](int64_t n) { return n == number; });
  };
  if (!areAll("strides", 1) || !areAll("padding_before", 0) || !areAll("padding_after", 0))
    return false;
  return weights[0] == 1 && weights[1] == 1 && x[1] == y[1] && x[2] == y[2] && weights[2] == x[3] &&
         x.numElements() > 0 && y[3] > 0;
}

/// Returns whether the default kernel of a convolution with 1x1 windows is a matrix product. With
/// few channels, the packing of a product does not pay. The gradient of the weights uses its own
/// kernels, which split the sum over pixels.
bool isProductByRule(const KernelSetup& setup) {
  if (!isPixelwise(setup) || setup.op.ends_with("_weights")) return false;
  const Shape& weights = setup.inputShape(1);
  return std::min(weights[2], weights[3]) >= 4 * setup.loops->width;
}

std::unique_ptr<HostKernel> makeConvolution(const KernelSetup& setup) {
  return findKernelMaker(setup.op)(setup);
}

/// Returns the setup of the matmul that computes a convolution with 1x1 windows, or its gradient.
KernelSetup productOf(const KernelSetup& setup) {
  const OpDef& matmul = opNamed("matmul");
  KernelSetup product;
  product.op = matmul.name;
  product.layer = setup.layer;
  product.numWorkers = setup.numWorkers;
  product.loops = setup.loops;
  for (const AttributeSpec& spec : matmul.attributes)
    product.attributes.set(spec.name, spec.defaultValue);
  const auto rows = [](const Shape& images) {
    return Shape{images[0] * images[1] * images[2], images[3]};
  };
  const auto f32 = [](Shape shape) {
    return TensorType{DType::F32, std::move(shape)};
  };
  const auto matrix = [](const Shape& weights) {
    return Shape{weights[2], weights[3]};
  };
  if (setup.op == "conv2d") {
    product.inputs = {f32(rows(setup.inputShape(0))), f32(matrix(setup.inputShape(1)))};
    if (setup.inputs.size() == 3) product.inputs.push_back(setup.inputs[2]);
    product.outputs = {f32(rows(setup.outputShape()))};
    product.attributes.set("activation", setup.text("activation"));
    product.attributes.set("alpha", setup.real("alpha"));
  }
  else if (setup.op == "conv2d_backward_data") {
    product.inputs = {f32(rows(setup.inputShape(0))), f32(matrix(setup.inputShape(1)))};
    product.outputs = {f32(rows(setup.outputShape()))};
    product.attributes.set("transpose_b", true);
  }
  else {
    product.inputs = {f32(rows(setup.inputShape(0))), f32(rows(setup.inputShape(1)))};
    product.outputs = {f32(matrix(setup.outputShape()))};
    product.attributes.set("transpose_a", true);
  }
  return product;
}

/// Wraps a kernel to change its name and workspace, or to run it on worker 0 only.
class VariantKernel final : public HostKernel {
 public:
  /// `workspaceBytes` and `smaller` come from the default kernel, so that memory plans do not
  /// depend on the variant.
  VariantKernel(std::unique_ptr<HostKernel> kernel, size_t workspaceBytes,
                std::vector<SmallerWorkspace> smaller, bool isSolo, std::string name)
      : m_kernel(std::move(kernel)),
        m_workspaceBytes(workspaceBytes),
        m_smaller(std::move(smaller)),
        m_isSolo(isSolo),
        m_name(std::move(name)) {}
  size_t workspaceBytes() const override { return m_workspaceBytes; }
  std::vector<SmallerWorkspace> smallerWorkspaces() const override { return m_smaller; }
  int numStages() const override { return m_kernel->numStages(); }
  bool isSolo() const override { return m_isSolo || m_kernel->isSolo(); }
  void run(const KernelArguments& arguments, int stage, int worker) const override {
    if (!m_isSolo || worker == 0) m_kernel->run(arguments, stage, worker);
  }
  std::string implementation() const override { return m_name; }

 private:
  std::unique_ptr<HostKernel> m_kernel;
  size_t m_workspaceBytes;
  std::vector<SmallerWorkspace> m_smaller;
  bool m_isSolo;
  std::string m_name;
};

}  // namespace

std::unique_ptr<HostKernel> createPixelwise(const KernelSetup& setup) {
  if (!isPixelwise(setup)) return nullptr;
  std::unique_ptr<HostKernel> product = makeMatmul(productOf(setup)),
                              direct = makeConvolution(setup);
  if (!product || !direct) return direct;
  const size_t workspaceBytes = std::max(product->workspaceBytes(), direct->workspaceBytes());
  std::unique_ptr<HostKernel>& kernel = isProductByRule(setup) ? product : direct;
  const std::string name = (isProductByRule(setup) ? "product: " : "") + kernel->implementation();
  return std::make_unique<VariantKernel>(std::move(kernel), workspaceBytes,
                                         std::vector<SmallerWorkspace>{}, false, name);
}

std::vector<OtherVariant> otherVariants(const KernelSetup& setup) {
  std::vector<OtherVariant> variants;
  if (isPixelwise(setup))
    variants.push_back(isProductByRule(setup) ? OtherVariant{kDirect, true}
                                              : OtherVariant{kProduct, true});
#if defined(STRATA_HAS_ONEDNN)
  if (isConvolution(setup) && !isPixelwise(setup)) variants.push_back({kOnednn, false});
#endif
  if (canBeAlone(setup)) variants.push_back({kAlone, !sumsOverWorkers(setup)});
  return variants;
}

std::unique_ptr<HostKernel> createKernelVariant(const KernelSetup& setup,
                                                std::string_view variant) {
  const std::vector<OtherVariant> variants = otherVariants(setup);
  if (std::none_of(variants.begin(), variants.end(),
                   [&](const OtherVariant& other) { return other.name == variant; }))
    return nullptr;
  const std::unique_ptr<HostKernel> rule = createKernel(setup);
  std::unique_ptr<HostKernel> other;
  std::string name;
  if (variant == kProduct) {
    other = makeMatmul(productOf(setup));
    if (other) name = "product: " + other->implementation();
  }
  else if (variant == kDirect) {
    other = makeConvolution(setup);
    if (other) name = other->implementation();
  }
  else if (variant == kAlone) {
    if (rule->isSolo()) return nullptr;
    KernelSetup alone = setup;
    alone.numWorkers = 1;
    other = createKernel(alone);
    name = "alone: " + other->implementation();
#if defined(STRATA_HAS_ONEDNN)
  }
  else if (variant == kOnednn && rule->implementation().starts_with("winograd")) {
    other = makeOnednnConvolution(setup);
    if (other) name = other->implementation();
#endif
  }
  if (!other || other->workspaceBytes() > rule->workspaceBytes()) return nullptr;
  return std::make_unique<VariantKernel>(std::move(other), rule->workspaceBytes(),
                                         rule->smallerWorkspaces(), variant == kAlone,
                                         std::move(name));
}

}  // namespace strata::cpu
