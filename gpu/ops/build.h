// SPDX-License-Identifier: Apache-2.0
// Functions that append ops to a graph: what layers, losses, optimizers and gradient rules are
// written in. One line per op on what it means; shapes, attributes, gradient and numerics stand in
// the op's own file. Attribute names are the parameters' names below.
// Thread: edit the given graph only. Fails: ShapeMismatch, InvalidArgument with the layer as
// subject.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

// --- Sources: input, variable, constant are Graph::addInput, addVariable, addConstant.
ValueId constantScalar(Graph& g, DType dtype, double value);
/// A constant filled with one value (category Temporary).
ValueId constantFill(Graph& g, TensorType type, double value);

// --- Elementwise, one operand (gpu/ops/unary.cpp, a table): ops "negate", "abs", "sign", "exp",
// "expm1", "log", "log1p", "sqrt", "rsqrt", "square", "reciprocal", "sin", "cos", "erf", "floor",
// "is_finite" (1 or 0 in the operand's dtype).
ValueId negate(Graph& g, ValueId x);
ValueId abs(Graph& g, ValueId x);
ValueId sign(Graph& g, ValueId x);
ValueId exp(Graph& g, ValueId x);
ValueId expm1(Graph& g, ValueId x);
ValueId log(Graph& g, ValueId x);
ValueId log1p(Graph& g, ValueId x);
ValueId sqrt(Graph& g, ValueId x);
ValueId rsqrt(Graph& g, ValueId x);
ValueId square(Graph& g, ValueId x);
ValueId reciprocal(Graph& g, ValueId x);
ValueId sin(Graph& g, ValueId x);
ValueId cos(Graph& g, ValueId x);
ValueId erf(Graph& g, ValueId x);
ValueId floor(Graph& g, ValueId x);
ValueId isFinite(Graph& g, ValueId x);

// --- Elementwise, two operands with NumPy broadcasting (gpu/ops/binary.cpp, a table): "add",
// "subtract", "multiply", "divide", "maximum", "minimum", "power"; comparisons give 1 or 0 in the
// operands' dtype: "less", "less_equal", "greater", "greater_equal", "equal", "not_equal".
ValueId add(Graph& g, ValueId a, ValueId b);
ValueId subtract(Graph& g, ValueId a, ValueId b);
ValueId multiply(Graph& g, ValueId a, ValueId b);
ValueId divide(Graph& g, ValueId a, ValueId b);
// Gradient to the larger; halves to each where equal
ValueId maximum(Graph& g, ValueId a, ValueId b);
ValueId minimum(Graph& g, ValueId a, ValueId b);
ValueId power(Graph& g, ValueId a, ValueId b);
ValueId less(Graph& g, ValueId a, ValueId b);
ValueId lessEqual(Graph& g, ValueId a, ValueId b);
ValueId greater(Graph& g, ValueId a, ValueId b);
ValueId greaterEqual(Graph& g, ValueId a, ValueId b);
ValueId equal(Graph& g, ValueId a, ValueId b);
ValueId notEqual(Graph& g, ValueId a, ValueId b);
/// "select": condition != 0 ? a : b, all three broadcast together.
ValueId select(Graph& g, ValueId condition, ValueId a, ValueId b);
/// "cast" to another dtype (round toward zero to integers).
ValueId cast(Graph& g, ValueId x, DType dtype);
/// x * scale + offset with host numbers ("affine"; attributes scale, offset: double). Also casts
/// u8/i32 input to f32 when dtype differs.
ValueId affine(Graph& g, ValueId x, double scale, double offset, DType dtype = DType::F32);
/// x, which no gradient goes back through.
ValueId stopGradient(Graph& g, ValueId x);
// Shorthands composed of the above with a constant scalar of x's dtype.
ValueId addScalar(Graph& g, ValueId x, double value);
ValueId multiplyScalar(Graph& g, ValueId x, double value);

// --- Activations (gpu/ops/activation.cpp): "activation" {kind, alpha} and "activation_backward"
// {kind, alpha} (dy, saved) -> dx. Kinds: the names of gpu/ops/activation_kinds.h: linear relu
// relu6 leaky_relu elu selu gelu gelu_tanh tanh sigmoid hard_sigmoid silu hard_silu mish softplus
// softsign exponential celu hard_tanh tanh_shrink soft_shrink hard_shrink log_sigmoid squareplus
// sparse_plus sparse_sigmoid. `saved` is the output where the derivative can be had from it (relu
// relu6 leaky_relu elu selu celu tanh sigmoid exponential linear), else the input. alpha 0: Keras's
// default of the kind
ValueId activation(Graph& g, ValueId x, std::string_view kind, double alpha = 0);
/// "softmax" and "log_softmax" over `axis` (attribute axis), numerically stable.
ValueId softmax(Graph& g, ValueId x, int axis = -1);
ValueId logSoftmax(Graph& g, ValueId x, int axis = -1);

// --- Shape and movement
// "reshape" {shape}: View
ValueId reshape(Graph& g, ValueId x, Shape shape);
// "transpose" {permutation}
ValueId transpose(Graph& g, ValueId x, std::vector<int64_t> permutation);
// "broadcast_to" {shape}
ValueId broadcastTo(Graph& g, ValueId x, Shape shape);
// "concatenate" {axis}
ValueId concatenate(Graph& g, const std::vector<ValueId>& parts, int axis);
// "slice" {begin, size}
ValueId slice(Graph& g, ValueId x, std::vector<int64_t> begin, std::vector<int64_t> size);
ValueId pad(Graph& g, ValueId x, std::vector<int64_t> before, std::vector<int64_t> after,
            // "pad" {before, after, value}
            double value = 0);
/// "gather": rows of a table [V,D] by i32 or i64 indices [...] -> [..., D]; an index out of range
/// gives NaN. Backward: "gather_backward" (dy, indices) {rows}.
ValueId gather(Graph& g, ValueId table, ValueId indices);
/// "one_hot" {classes, dtype by name}: integer labels [...] -> [..., classes]; an index out of
/// range gives zeros.
ValueId oneHot(Graph& g, ValueId indices, int64_t classes, DType dtype = DType::F32);

// --- Reductions: "reduce_sum", "reduce_max" {axes, keepdims}; sums accumulate in double on the
// reference, in float with pairwise or blocked sums on cpu.
ValueId reduceSum(Graph& g, ValueId x, std::vector<int64_t> axes, bool keepdims = false);
// composed: sum * 1/n
ValueId reduceMean(Graph& g, ValueId x, std::vector<int64_t> axes, bool keepdims = false);
ValueId reduceMax(Graph& g, ValueId x, std::vector<int64_t> axes, bool keepdims = false);
/// All elements to a scalar.
ValueId sumAll(Graph& g, ValueId x);
ValueId meanAll(Graph& g, ValueId x);
/// "argmax" {axis}: i32 index of the first largest.
ValueId argmax(Graph& g, ValueId x, int axis = -1);

// --- Products
/// "matmul" {transpose_a, transpose_b, activation, alpha}: rank 2, or [B,M,K] x [B,K,N] batched.
/// Optional bias [N]; activation applied after it (fused by a pass; "linear" when built). Inputs a,
/// b[, bias]. Gradient defined for activation "linear" only: fusing runs after differentiation.
ValueId matmul(Graph& g, ValueId a, ValueId b, bool transposeA = false, bool transposeB = false);
/// Of matmul_siblings: one name a product.
std::vector<std::string> siblingActivations(const Attributes& attributes);

/// Windows of convolution and pooling; order of all pairs: height, width. padding: before and
/// after, in samples of the input.
struct Window2D {
  std::vector<int64_t> strides{1, 1}, dilation{1, 1}, paddingBefore{0, 0}, paddingAfter{0, 0};
  int64_t groups = 1;
};
/// "conv2d" {strides, dilation, padding_before, padding_after, groups, activation, alpha}: x
/// [N,H,W,C], w [R,S,C/groups,K] (+ bias [K] fused) -> [N,P,Q,K]. Cross-correlation (Keras).
/// Backward ops: "conv2d_backward_data" (dy, w) {.., input_shape}, "conv2d_backward_weights" (x,
/// dy) {.., weight_shape}.
ValueId conv2d(Graph& g, ValueId x, ValueId w, const Window2D& window);
/// "depthwise_conv2d": w [R,S,C,M] -> [N,P,Q,C*M] (channel c, multiplier m at c*M+m); backward ops
/// as above with the prefix depthwise_.
ValueId depthwiseConv2d(Graph& g, ValueId x, ValueId w, const Window2D& window);

/// "max_pool2d" {pool_size, strides, padding_before, padding_after, activation, alpha}: outputs y
/// and a u8 index within the window (row * width + column; windows above 255 cells: UnsupportedOp).
/// First largest wins. Backward: "max_pool2d_backward" (dy, index) {.., input_shape}.
ValueId maxPool2d(Graph& g, ValueId x, std::vector<int64_t> poolSize, const Window2D& window);
/// "avg_pool2d": divides by the cells inside the input (Keras "same"). Backward:
/// "avg_pool2d_backward" (dy) {.., input_shape}.
ValueId avgPool2d(Graph& g, ValueId x, std::vector<int64_t> poolSize, const Window2D& window);

/// "batch_norm" {epsilon, activation}: x [..., C] over all axes but the last; gamma, beta [C] (+
/// addend as x fused). Outputs y, mean [C], inv_std [C] (biased variance). Backward:
/// "batch_norm_backward" (dy, x, gamma, mean, inv_std (+ y or beta for a fused relu)) -> dx,
/// dgamma, dbeta. Inference is composed of elementwise ops by the layer.
struct BatchNormResult {
  ValueId y, mean, invStd;
};
BatchNormResult batchNorm(Graph& g, ValueId x, ValueId gamma, ValueId beta, double epsilon);

/// "recurrent" {cell, activation, alpha, recurrent_activation, recurrent_alpha, backwards, ...}: a
/// whole sequence through a cell "simple", "lstm", "gru" (reset after the product, with a bias of
/// its own) or "gru_reset_before". projection [N,T,G U] of the inputs; kernel [U,G U]. Backward:
/// "recurrent_backward".
struct RecurrentOptions {
  std::string cell;
  std::string activation = "tanh", recurrentActivation = "sigmoid";
  double alpha = 0, recurrentAlpha = 0;
  bool isBackwards = false;
  // Those there are
  ValueId bias = {}, state = {}, cellState = {}, factors = {}, mask = {};
};
struct RecurrentResult {
  // [N,T,U], each h at its own step; [N,U]; [N,U] of lstm
  ValueId sequence, last, lastCell;
};
RecurrentResult recurrent(Graph& g, ValueId projection, ValueId kernel,
                          const RecurrentOptions& options);

/// "attention" {scale, causal, rate, stream, has_mask, drops_hidden}: query [N,T,H,D], key
/// [N,S,G,D], value [N,S,G,E] -> [N,T,H,E] without the matrix of all pairs of steps; heads of the
/// query share the G of the key in rows of H / G. Backward: "attention_backward".
struct AttentionOptions {
  double scale = 1;
  // No step sees a later one
  bool isCausal = false;
  // [N,1 or T,S], 0 hides; where given
  ValueId mask = {};
  // A step that sees nothing takes nothing, else the mean of all
  bool dropsHidden = false;
  // Of dropout of the weights, by the three numbers
  double rate = 0;
  ValueId seed = {}, step = {}, firstSample = {};
  std::string stream = {};
};
ValueId attention(Graph& g, ValueId query, ValueId key, ValueId value,
                  const AttentionOptions& options);

/// "dropout" {rate, stream}: keeps an element where a random number keyed by (seed, stream, step,
/// global element index) is >= rate, scaled by 1/(1-rate). Inputs x, seed (i64 scalar), step (i64
/// scalar), first_sample (i64 scalar: global position of the batch's first sample, keys the
/// element). Its gradient is itself on dy.
ValueId dropout(Graph& g, ValueId x, ValueId seed, ValueId step, ValueId firstSample, double rate,
                std::string_view streamName);

/// "random_uniform" {shape, stream}: numbers in [0, 1), keyed as dropout's; the first dimension of
/// `shape` is the batch.
ValueId randomUniform(Graph& g, const Shape& shape, ValueId seed, ValueId step, ValueId firstSample,
                      std::string_view streamName);

/// "softmax_cross_entropy" (logits [N..,V], target): outputs loss [N..] and probabilities [N..,V].
/// target i32 [N..] (sparse; attribute ignore_class, -1 none: those rows give 0) or float [N..,V].
/// Backward: "softmax_cross_entropy_backward" (dloss [N..], probabilities, target) -> dlogits, in
/// place over probabilities.
ValueId softmaxCrossEntropy(Graph& g, ValueId logits, ValueId target, int64_t ignoreClass = -1);
/// "sigmoid_cross_entropy" (logits, target same shape) -> elementwise loss max(x,0) - x*t +
/// log1p(exp(-|x|)); gradient sigmoid(x) - t.
ValueId sigmoidCrossEntropy(Graph& g, ValueId logits, ValueId target);
/// "ctc_loss" {blank} (logits [N,T,C], labels i32 [N,L] padded with blank) -> loss [N]; its second
/// output is the gradient [N,T,C].
ValueId ctcLoss(Graph& g, ValueId logits, ValueId labels, int64_t blank = 0);

// --- State updates (gpu/ops/update.cpp, kind Update): every op writes its state operands in place
// (mustAlias) and returns the new values in the order given. `rate`, `step` are scalars (f32
// learning rate; i64 number of this update, from 1). weight_decay is decoupled (w -= w *
// weight_decay * rate first, as Keras).
/// "assign" (variable, value) -> next.
ValueId assign(Graph& g, ValueId variable, ValueId value);
/// "sgd_update" (w, grad, rate[, velocity]) {momentum, nesterov, weight_decay} -> w'[, velocity']
/// with Keras's formulas. "matmul_sgd_update", "matmul_adam_update": a, b in the place of grad,
/// which is a^T b. "adam_update" (w, grad, m, v, rate, step[, v_max]) {beta_1, beta_2, epsilon,
/// weight_decay, amsgrad} -> w', m', v'[, v_max']. "rmsprop_update" (w, grad, v, rate[, momentum][,
/// average]) {rho, epsilon, momentum, centered, weight_decay}: state operands in the order v,
/// momentum, average as present. "adagrad_update" (w, grad, accumulator, rate) {epsilon,
/// weight_decay}. Appends the op named above; returns its outputs.
std::vector<ValueId> update(Graph& g, std::string_view op, std::vector<ValueId> operands,
                            Attributes attributes);

}  // namespace strata
