// SPDX-License-Identifier: Apache-2.0
#include "gpu/cost/work.h"

#include <algorithm>
#include <charconv>

#include "gpu/graph/op.h"
#include "gpu/ops/activation_kinds.h"
#include "gpu/ops/fused_pointwise.h"
#include "gpu/reference/kernels/window.h"
#include "gpu/reference/low_precision_kernel.h"

namespace strata {
namespace {

using reference::Extent;
using reference::WindowGeometry;

double shareOfCount(int64_t count, int workers, int64_t grain = 1) {
  const int64_t blocks = (count + grain - 1) / grain;
  return static_cast<double>(std::min(count, (blocks + workers - 1) / workers * grain));
}

class Describer {
 public:
  Describer(const cpu::KernelSetup& setup, const std::string& implementation, bool isSolo)
      : m_setup(setup),
        m_op(opNamed(setup.op)),
        m_how(withoutPrefix(withoutPrefix(implementation, reference::kConvertedPrefix), "alone: ")),
        m_workers(isSolo ? 1 : setup.numWorkers),
        m_width(setup.loops->width) {}

  NodeWork run() {
    if (m_how == "reference") {
      plainLoops();
      return std::move(m_work);
    }
    switch (m_op.work) {
      case WorkKind::Product: product(); break;
      case WorkKind::SiblingProducts: siblings(); break;
      case WorkKind::ProductWithUpdate: productWithUpdate(); break;
      case WorkKind::DepthwiseConvolution: depthwise(); break;
      case WorkKind::Convolution: convolution(); break;
      case WorkKind::Pooling: pool(); break;
      case WorkKind::BatchNorm: batchNorm(); break;
      case WorkKind::LayerNorm: layerNorm(); break;
      case WorkKind::Recurrent: recurrent(); break;
      case WorkKind::Attention: attention(); break;
      case WorkKind::FusedSteps: fusedPointwise(); break;
      case WorkKind::Rows: rows(); break;
      case WorkKind::Elements:
      case WorkKind::Step:
      case WorkKind::ActivationStep:
      case WorkKind::Reduction:
      case WorkKind::Update: elements(); break;
    }
    return std::move(m_work);
  }

 private:
  static std::string_view withoutPrefix(std::string_view text, std::string_view prefix) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    return text;
  }
  double padded(int64_t lanes) const {
    return static_cast<double>((lanes + m_width - 1) / m_width * m_width);
  }
  bool isBackward() const { return m_op.direction == OpDirection::Backward; }
  bool isOfWeights() const { return m_op.direction == OpDirection::BackwardWeights; }
  bool isImplementation(std::string_view name) const { return m_how.starts_with(name); }
  void add(std::string family, Amounts amounts, bool hasProducts = false) {
    amounts[kAmounts - 1] = 1;
    m_work.parts.push_back({std::move(family), amounts, hasProducts});
  }
  /// Adds work whose first amount is a number of multiply-adds.
  void addProducts(std::string family, Amounts amounts) { add(std::move(family), amounts, true); }
  /// Adds the work of a fused activation. Activations except relu need another pass over the
  /// result.
  void addActivation(double count) {
    if (!m_setup.attributes.has("activation")) return;
    const std::string& kind = m_setup.text("activation");
    if (kind != "linear" && kind != "relu") add("step activation " + kind, {count});
  }

  void product() {
    const Shape &a = m_setup.inputShape(0), &b = m_setup.inputShape(1);
    const bool isTransposedA = m_setup.flag("transpose_a"),
               isTransposedB = m_setup.flag("transpose_b");
    const int64_t m = a.dim(isTransposedA ? -1 : -2), k = a.dim(isTransposedA ? -2 : -1),
                  n = b.dim(isTransposedB ? -2 : -1);
    product(a.rank() == 3 ? a[0] : 1, m, k, n, isTransposedA, isTransposedB);
  }

  void product(int64_t batch, int64_t m, int64_t k, int64_t n, bool isTransposedA,
               bool isTransposedB) {
    double ownM = static_cast<double>(m), ownK = static_cast<double>(k),
           ownN = static_cast<double>(n), matrices = static_cast<double>(batch);
    double lanes = padded(n);
    if (isImplementation("gemm by batch")) matrices = shareOfCount(batch, m_workers);
    if (isImplementation("gemm by rows")) ownM = shareOfCount(m, m_workers);
    if (isImplementation("gemm by depth")) ownK = shareOfCount(k, m_workers);
    if (isImplementation("gemm by columns")) {
      ownN = shareOfCount(n, m_workers, 2 * m_width);
      lanes = padded(static_cast<int64_t>(ownN));
    }
    std::string family =
        std::string("gemm ") + (isTransposedA ? 't' : 'n') + (isTransposedB ? 't' : 'n');
    if (isImplementation("gemm by depth")) family += " by depth";
    addProducts(family, {matrices * ownM * lanes * ownK, matrices * ownK * lanes,
                         matrices * ownM * lanes, matrices * ownM * ownK});
    addActivation(matrices * ownM * ownN);
  }

  /// Adds the work of matmul_siblings. Each worker computes whole products. This estimate assumes
  /// that the workers share the columns as evenly as possible.
  void siblings() {
    const size_t operandsEach = m_setup.flag("has_bias") ? 2 : 1;
    const Shape& a = m_setup.inputShape(0);
    int64_t columns = 0, widest = 0;
    for (size_t i = 0; 1 + i * operandsEach < m_setup.inputs.size(); ++i) {
      columns += m_setup.outputShape(i)[1];
      widest = std::max(widest, m_setup.outputShape(i)[1]);
    }
    const int64_t own = std::max(widest, (columns + m_workers - 1) / m_workers);
    product(1, a[0], a[1], own, false, m_setup.flag("transpose_b"));
  }

  void productWithUpdate() {
    const int64_t k = m_setup.inputShape(1)[0], m = m_setup.inputShape(1)[1],
                  n = m_setup.inputShape(2)[1];
    double ownM = static_cast<double>(m), ownN = static_cast<double>(n);
    if (isImplementation("gemm and update by rows")) ownM = shareOfCount(m, m_workers);
    if (isImplementation("gemm and update by columns")) ownN = shareOfCount(n, m_workers, m_width);
    const double depth = static_cast<double>(k);
    const double lanes = padded(static_cast<int64_t>(ownN));
    addProducts(m_setup.op + " " + std::to_string(m_setup.outputs.size()),
                {ownM * lanes * depth, ownM * lanes, depth * (ownM + ownN), ownM});
  }

  /// Returns the number of slices that follows `prefix` in the name of a convolution's
  /// implementation, or 1. Each slice transforms an operand again.
  double slicesOf(std::string_view prefix) const {
    int64_t slices = 1;
    if (m_how.starts_with(prefix))
      std::from_chars(m_how.data() + prefix.size(), m_how.data() + m_how.size(), slices);
    return static_cast<double>(slices);
  }

  /// Returns the shape of a convolution's output y, or of dy for one of its gradients.
  const Shape& convolved() const {
    if (isBackward()) return m_setup.inputShape(0);
    if (isOfWeights()) return m_setup.inputShape(1);
    return m_setup.outputShape();
  }

  void convolution() {
    const bool isData = isBackward(), isWeights = isOfWeights();
    const Shape& weights = isWeights ? m_setup.outputShape() : m_setup.inputShape(1);
    const Shape& x = isData ? m_setup.outputShape() : m_setup.inputShape(0);
    const Shape& y = convolved();
    const WindowGeometry g = reference::windowGeometry(m_setup, x, y, {weights[0], weights[1]});
    // A convolution with a 1x1 window that is computed as a matrix product
    if (isImplementation("product: ")) {
      m_how = withoutPrefix(m_how, "product: ");
      const int64_t rows = g.n * g.output.h * g.output.w;
      if (isWeights)
        product(1, g.channels, rows, g.outputChannels, true, false);
      else
        product(1, rows, isData ? g.outputChannels : g.channels,
                isData ? g.channels : g.outputChannels, false, isData);
      return;
    }
    // These kernels divide the work evenly, by pixels or by rows of the weights. The others divide
    // it by images.
    const bool isSharedEvenly =
        isImplementation("gemm by pixels") || (isImplementation("gemm of windows") && !isData);
    const double images = isSharedEvenly ? static_cast<double>(g.n) / m_workers
                                         : shareOfCount(g.n, m_workers),
                 pixels = static_cast<double>(g.output.h * g.output.w),
                 taps = static_cast<double>(g.window.h * g.window.w),
                 c = static_cast<double>(g.channels), k = static_cast<double>(g.outputChannels),
                 groups = static_cast<double>(g.groups),
                 positions = static_cast<double>(g.input.h * g.input.w);
    const double ownC = c / groups, weightCount = taps * ownC * k, share = weightCount / m_workers;
    const double in = images * positions * c, out = images * pixels * k;
    std::string family = m_setup.op + " ";
    const bool isPoint = g.window.h * g.window.w == 1;
    const Extent map = isData ? g.input : g.output;
    const double tilesOfImage = 36 * static_cast<double>((map.h + 3) / 4 * ((map.w + 3) / 4));
    const int64_t lanes = isData ? g.channels : g.outputChannels;
    if (isImplementation("winograd by channels")) {
      const double all = static_cast<double>(g.n) * tilesOfImage,
                   again = slicesOf("winograd by channels in ");
      addProducts(family + "winograd by channels",
                  {all * (isData ? k : c) *
                       padded(static_cast<int64_t>(shareOfCount(lanes, m_workers, 2 * m_width))),
                   all * c / m_workers, all * k / m_workers * (isWeights ? again : 1),
                   36 * c * k / m_workers * (isWeights ? 1 : again)});
    }
    else if (isImplementation("gemm of windows")) {
      addProducts(family + "windows", {images * pixels * taps * (isData ? k : c) * padded(lanes),
                                       images * pixels * taps * (isData ? k : c), isData ? in : out,
                                       isWeights ? weightCount : share});
    }
    else if (isImplementation("winograd")) {
      const double tiles = images * tilesOfImage;
      // Each slice of output channels transforms the inputs again
      const double again = slicesOf("winograd in ");
      addProducts(
          family + "winograd",
          {tiles * (isData ? k : c) * padded(lanes), tiles * c * (isData ? 1 : again),
           tiles * k * (isData ? again : 1), 36 * c * k * (isWeights ? 1 : 1.0 / m_workers)});
    }
    else if (isImplementation("direct by planes")) {
      const double rows = images * static_cast<double>(g.output.h) * padded(g.output.w);
      addProducts(family + "planes", {rows * weightCount, in, out, isWeights ? share : 0});
    }
    else if (isImplementation("direct by runs")) {
      addProducts(family + "runs", {images * pixels * k * static_cast<double>(g.window.h) *
                                        padded(g.window.w * g.channels),
                                    in, out, share});
    }
    else if (isImplementation("onednn")) {
      addProducts(family + "onednn",
                  {images * pixels * weightCount, in, out, isWeights ? weightCount : share});
    }
    else if (isData) {
      addProducts(
          family + (isPoint ? "point" : "direct"),
          {images * pixels * taps * (k / groups) * groups * padded(static_cast<int64_t>(ownC)), in,
           out, share});
    }
    else {
      addProducts(
          family + (isPoint ? "point" : "direct"),
          {images * pixels * taps * ownC * groups * padded(static_cast<int64_t>(k / groups)), in,
           out, isWeights ? weightCount : share});
    }
    if (!isData && !isWeights) addActivation(out);
  }

  void depthwise() {
    const bool isData = isBackward(), isWeights = isOfWeights();
    const Shape& weights = isWeights ? m_setup.outputShape() : m_setup.inputShape(1);
    const Shape& x = isData ? m_setup.outputShape() : m_setup.inputShape(0);
    const Shape& y = convolved();
    const WindowGeometry g = reference::windowGeometry(m_setup, x, y, {weights[0], weights[1]});
    const double images = shareOfCount(g.n, m_workers), lanes = padded(g.outputChannels),
                 taps = static_cast<double>(g.window.h * g.window.w);
    // The gradient of the input is a convolution of the output's gradient, dilated by the stride.
    // It is computed for all pixels of the input.
    const Extent covered = isData ? g.input : g.output;
    const double copied = g.outputChannels == g.channels
                              ? 1.0
                              : static_cast<double>(g.outputChannels / g.channels) + 1;
    add(m_setup.op, {images * static_cast<double>(covered.h * covered.w) * taps * lanes,
                     images * static_cast<double>(g.input.h * g.input.w) *
                         static_cast<double>(g.channels) * copied,
                     images * static_cast<double>(g.output.h * g.output.w * g.outputChannels)});
    m_work.streams = true;
    if (!isData && !isWeights)
      addActivation(images * static_cast<double>(g.output.h * g.output.w * g.outputChannels));
  }

  void pool() {
    const Shape& x = isBackward() ? m_setup.outputShape() : m_setup.inputShape(0);
    const Shape& y = isBackward() ? m_setup.inputShape(0) : m_setup.outputShape();
    const auto& window = m_setup.list("pool_size");
    const double images = shareOfCount(x[0], m_workers);
    // If the channels do not fill whole vectors, the last ones need a masked vector or a scalar
    // loop
    const bool isNarrow = y[3] % m_width != 0;
    add(m_setup.op + (isNarrow ? " narrow" : ""),
        {images * static_cast<double>(y[1] * y[2] * window[0] * window[1]) * padded(y[3]),
         images * static_cast<double>(x[1] * x[2]) * padded(x[3]),
         images * static_cast<double>(y[1] * y[2]) * padded(y[3])});
    m_work.streams = true;
    if (!isBackward() && m_setup.attributes.has("activation"))
      addActivation(images * static_cast<double>(y[1] * y[2] * y[3]));
  }

  void batchNorm() {
    const Shape& x = m_setup.inputShape(0);
    const int64_t channels = x.dim(-1), rows = channels > 0 ? x.numElements() / channels : 0;
    const double own = shareOfCount(rows, m_workers);
    // The optional last operand is a shortcut, y or beta. It is counted only if it is as large as
    // x, because beta stays in the cache.
    const size_t third = isBackward() ? 5 : 3;
    const bool hasThird = m_setup.inputs.size() > third && m_setup.inputShape(third) == x;
    add(m_setup.op + (hasThird ? " and third" : ""),
        {own * padded(channels), own, static_cast<double>(channels)});
    m_work.streams = true;
    // The kernel reads its operands once for the sums and once for the results
    m_work.passes = 2;
  }

  void layerNorm() {
    const bool isBackward = this->isBackward();
    // Output 1 has one number per column in the backward pass, and one number per row otherwise
    const int64_t elements = m_setup.outputShape().numElements(),
                  other = m_setup.outputShape(1).numElements(), quotient = elements / other,
                  rows = isBackward ? quotient : other, size = isBackward ? other : quotient;
    const double own = shareOfCount(rows, m_workers);
    add(m_setup.op, {own * padded(size), own, isBackward ? static_cast<double>(size) : 0});
    m_work.streams = true;
  }

  /// Adds the work of a recurrent cell: matrix products, padded to whole vectors, and the
  /// activations of all gates.
  void recurrent() {
    const Shape &gates = m_setup.inputShape(0), &kernel = m_setup.inputShape(1);
    const int64_t units = kernel[0], width = kernel[1];
    const double positions = shareOfCount(gates[0], m_workers) * static_cast<double>(gates[1]),
                 lanes = padded(units) * static_cast<double>(width / units);
    add(m_setup.op + " " + m_setup.text("cell"),
        {positions * static_cast<double>(units) * lanes, positions * lanes,
         static_cast<double>(units) * lanes});
  }

  /// Adds the work of attention: the products of all pairs of steps and the exponentials of their
  /// weights. Causal attention computes only half of the pairs.
  void attention() {
    const Shape &q = m_setup.inputShape(0), &k = m_setup.inputShape(1), &v = m_setup.inputShape(2);
    const double heads = shareOfCount(q[0] * (isBackward() ? k[2] : q[2]), m_workers) *
                         static_cast<double>(isBackward() ? q[2] / k[2] : 1),
                 seen = m_setup.flag("causal") ? 0.5 : 1, steps = static_cast<double>(q[1]),
                 keys = static_cast<double>(k[1]);
    const double sizes =
        isBackward() ? 3 * padded(q[3]) + 2 * padded(v[3]) : padded(q[3]) + padded(v[3]);
    add(m_setup.op + (m_setup.real("rate") > 0 ? " dropped" : ""),
        {heads * steps * keys * seen * sizes, heads * steps * padded(k[1]) * seen,
         heads * keys * static_cast<double>(q[3] + v[3])});
  }

  /// Adds one part for each step of the program. A step processes a block that is in the cache of
  /// the core, so it has the same family as the op that it computes.
  void fusedPointwise() {
    const double count = shareOfCount(m_setup.outputShape().numElements(), m_workers, 16);
    for (const PointwiseStep& step :
         parsePointwise(m_setup.text("program"), static_cast<int>(m_setup.inputs.size())))
      add("step " + step.op + (step.kind.empty() ? "" : " " + step.kind), {count});
    m_work.streams = true;
  }

  void rows() {
    // Take the shape from an operand with all classes, because the loss has one element per row
    const Shape& all = isBackward() ? m_setup.outputShape() : m_setup.inputShape(0);
    const int64_t classes = all.rank() > 0 ? all.dim(-1) : 1,
                  count = classes > 0 ? all.numElements() / classes : 0;
    const double own = shareOfCount(count, m_workers);
    add(m_setup.op, {own * padded(classes), own});
  }

  void elements() {
    const bool isReduction = m_op.work == WorkKind::Reduction;
    const Shape& covered = isReduction ? m_setup.inputShape(0) : m_setup.outputShape();
    std::string family = m_setup.op;
    if (isReduction && isImplementation("vector rows"))
      family += " rows";
    else if (isReduction)
      family += isImplementation("vector partial") ? " partial" : " columns";
    else if (m_op.work == WorkKind::ActivationStep)
      family = "step " + family + " " + m_setup.text("kind");
    else if (m_op.work == WorkKind::Update)
      family += " " + std::to_string(m_setup.outputs.size());
    else if (m_op.work == WorkKind::Step)
      family = "step " + family;
    const bool isColumns =
        isReduction && (isImplementation("vector alone") || isImplementation("vector partial"));
    const double count = shareOfCount(covered.numElements(), m_workers, 16);
    add(family, {count, isColumns ? static_cast<double>(m_setup.outputShape().numElements()) : 0});
    m_work.streams = true;
  }

  void plainLoops() {
    double count = 0;
    for (const TensorType& type : m_setup.outputs)
      count += static_cast<double>(type.shape.numElements());
    double read = 0;
    for (const TensorType& type : m_setup.inputs)
      read += static_cast<double>(type.shape.numElements());
    add("reference " + m_setup.op, {count / m_workers, read / m_workers});
  }

  const cpu::KernelSetup& m_setup;
  const OpDef& m_op;
  std::string_view m_how;
  const int m_workers, m_width;
  NodeWork m_work;
};

}  // namespace

NodeWork workOf(const cpu::KernelSetup& setup, const std::string& implementation, bool isSolo) {
  return Describer(setup, implementation, isSolo).run();
}

}  // namespace strata
