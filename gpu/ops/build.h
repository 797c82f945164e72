// SPDX-License-Identifier: Apache-2.0
// Functions that append ops to a graph. Layers, losses, optimizers and gradient rules use them.
// Each op is described briefly here, with its attributes in braces and its operands in parentheses.
// The op's file describes shapes, attributes, gradient and numerics.
// Thread: the functions edit only the given graph. Fails: ShapeMismatch, InvalidArgument with the
// layer as subject.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

// --- Sources. Graph::addInput, addVariable and addConstant add the ops input, variable and
// constant.
ValueId constantScalar(Graph& g, DType dtype, double value);
/// Adds a constant filled with one value (category Temporary).
ValueId constantFill(Graph& g, TensorType type, double value);

// --- Elementwise ops with one operand, which a table in gpu/ops/unary.cpp defines: "negate",
// "abs", "sign", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "square", "reciprocal", "sin",
// "cos", "erf", "floor", "is_finite". is_finite gives 1 or 0 in the operand's dtype.
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

// --- Elementwise ops with two operands and NumPy broadcasting, which a table in gpu/ops/binary.cpp
// defines: "add", "subtract", "multiply", "divide", "maximum", "minimum", "power", and the
// comparisons "less", "less_equal", "greater", "greater_equal", "equal", "not_equal". Comparisons
// give 1 or 0 in the operands' dtype.
ValueId add(Graph& g, ValueId a, ValueId b);
ValueId subtract(Graph& g, ValueId a, ValueId b);
ValueId multiply(Graph& g, ValueId a, ValueId b);
ValueId divide(Graph& g, ValueId a, ValueId b);
// The gradient of maximum and minimum goes to the operand that is the result. If both operands are
// equal, each gets half of the gradient.
ValueId maximum(Graph& g, ValueId a, ValueId b);
ValueId minimum(Graph& g, ValueId a, ValueId b);
ValueId power(Graph& g, ValueId a, ValueId b);
ValueId less(Graph& g, ValueId a, ValueId b);
ValueId lessEqual(Graph& g, ValueId a, ValueId b);
ValueId greater(Graph& g, ValueId a, ValueId b);
ValueId greaterEqual(Graph& g, ValueId a, ValueId b);
ValueId equal(Graph& g, ValueId a, ValueId b);
ValueId notEqual(Graph& g, ValueId a, ValueId b);
/// "select": takes the elements of a where the condition is not 0, and those of b elsewhere. All
/// three are broadcast together.
ValueId select(Graph& g, ValueId condition, ValueId a, ValueId b);
/// "cast": converts to another dtype. Conversion to integers rounds toward zero.
ValueId cast(Graph& g, ValueId x, DType dtype);
/// "affine" {scale, offset, dtype}: x * scale + offset. It also converts x, which may have
/// integers, to the floating-point type `dtype`.
ValueId affine(Graph& g, ValueId x, double scale, double offset, DType dtype = DType::F32);
/// Returns x and keeps the gradient from flowing back through it.
ValueId stopGradient(Graph& g, ValueId x);
// These functions add a constant scalar of x's dtype to x, or multiply x by it.
ValueId addScalar(Graph& g, ValueId x, double value);
ValueId multiplyScalar(Graph& g, ValueId x, double value);

// --- Activations (gpu/ops/activation.cpp): "activation" {kind, alpha} and "activation_backward"
// {kind, alpha} (dy, saved) -> dx. The kinds are the names of gpu/ops/activation_kinds.h: linear
// relu relu6 leaky_relu elu selu gelu gelu_tanh tanh sigmoid hard_sigmoid silu hard_silu mish
// softplus softsign exponential celu hard_tanh tanh_shrink soft_shrink hard_shrink log_sigmoid
// squareplus sparse_plus sparse_sigmoid. `saved` is the output if the derivative can be computed
// from it, otherwise the input. It is the output for relu relu6 leaky_relu elu selu celu tanh
// sigmoid exponential linear. With alpha 0, the kind's default of Keras is used.
ValueId activation(Graph& g, ValueId x, std::string_view kind, double alpha = 0);
/// "softmax" and "log_softmax" {axis}: numerically stable.
ValueId softmax(Graph& g, ValueId x, int axis = -1);
ValueId logSoftmax(Graph& g, ValueId x, int axis = -1);

// --- Shape and movement
// "reshape" {shape}: gives x another shape. It is a view, so no elements are copied.
ValueId reshape(Graph& g, ValueId x, Shape shape);
// "transpose" {permutation}: axis i of the result is axis permutation[i] of x.
ValueId transpose(Graph& g, ValueId x, std::vector<int64_t> permutation);
// "broadcast_to" {shape}: repeats x by NumPy's broadcasting rules.
ValueId broadcastTo(Graph& g, ValueId x, Shape shape);
// "concatenate" {axis}: joins tensors along an axis.
ValueId concatenate(Graph& g, const std::vector<ValueId>& parts, int axis);
// "all_reduce" {number}: sums values over all replicas of a step, in the order of their ranks.
std::vector<ValueId> allReduce(Graph& g, std::vector<ValueId> values, int64_t number);
/// The place of a sum over several processes or cards in a step.
struct SumPlace {
  int64_t number = 0, count = 1, processes = 1;
  // Whether cards add
  bool isPacked = false;
};
/// Begins a sum. The last value is its buffer.
std::vector<ValueId> startAllReduce(Graph& g, std::vector<ValueId> values, const SumPlace& place);
/// Waits for the sum of the values that startAllReduce() returned.
std::vector<ValueId> finishAllReduce(Graph& g, std::vector<ValueId> started, const SumPlace& place);
// "sync_sum" {number, count, processes}: sums x over all replicas of a step. `share` is the part of
// the batch that the replica has. orderCollectives() (core/compile/step_updates.h) sets the number.
ValueId syncSum(Graph& g, ValueId x, ValueId share);
// "all_gather" {number, rank, replicas, begins, counts}: brings the parts of variables that
// different replicas have updated to all of them. The operands are the variables, then the parts.
std::vector<ValueId> allGather(Graph& g, std::vector<ValueId> operands, int64_t number,
                               int64_t rank, int64_t replicas, std::vector<int64_t> begins,
                               std::vector<int64_t> counts);
// "send" {number, to}, "receive" {number, from, dtype, shape} and "sent" {number, to}: move values
// between the parts of a step that several devices compute. send() and awaitSent() return tokens.
ValueId send(Graph& g, ValueId x, int64_t number, int64_t to);
ValueId receive(Graph& g, const TensorType& type, int64_t number, int64_t from);
ValueId awaitSent(Graph& g, ValueId x, ValueId token, int64_t number, int64_t to);
// "slice" {begin, size}: returns the elements of the box of `size` that begins at `begin`.
ValueId slice(Graph& g, ValueId x, std::vector<int64_t> begin, std::vector<int64_t> size);
// "pad" {before, after, value}: adds elements `value` before and after each axis.
ValueId pad(Graph& g, ValueId x, std::vector<int64_t> before, std::vector<int64_t> after,
            double value = 0);
/// "gather": takes the rows with the i32 or i64 indices [...] from a table [V,D] -> [..., D]. An
/// index out of range gives NaN. Backward: "gather_backward" (dy, indices) {rows}.
ValueId gather(Graph& g, ValueId table, ValueId indices);
/// "one_hot" {classes, dtype by name}: converts integer labels [...] to vectors [..., classes] that
/// are 1 at the label and 0 elsewhere. A label out of range gives zeros.
ValueId oneHot(Graph& g, ValueId indices, int64_t classes, DType dtype = DType::F32);

// --- Reductions: "reduce_sum", "reduce_max" {axes, keepdims}. The reference sums in double, and
// the CPU device in float by blocks.
ValueId reduceSum(Graph& g, ValueId x, std::vector<int64_t> axes, bool keepdims = false);
// Appends a reduce_sum and a multiplication by 1/n
ValueId reduceMean(Graph& g, ValueId x, std::vector<int64_t> axes, bool keepdims = false);
ValueId reduceMax(Graph& g, ValueId x, std::vector<int64_t> axes, bool keepdims = false);
/// Returns the sum of all elements, as a scalar.
ValueId sumAll(Graph& g, ValueId x);
ValueId meanAll(Graph& g, ValueId x);
/// "argmax" {axis}: the i32 index of the first largest element along the axis.
ValueId argmax(Graph& g, ValueId x, int axis = -1);

// --- Products
/// "matmul" {transpose_a, transpose_b, activation, alpha} (a, b[, bias]): the product of the
/// matrices a [M,K] and b [K,N], or of batches [B,M,K] and [B,K,N]. A pass may fuse a bias [N] and
/// an activation into it. This function adds the op without them. Only matmuls with activation
/// "linear" have a gradient, because fusing runs after differentiation.
ValueId matmul(Graph& g, ValueId a, ValueId b, bool transposeA = false, bool transposeB = false);
/// Returns the activations in the attributes of a matmul_siblings, one name per product.
std::vector<std::string> siblingActivations(const Attributes& attributes);

/// The parameters of a convolution or pooling except its window size. All pairs are (height,
/// width). The paddings are numbers of elements that are added before and after the input.
struct Window2D {
  std::vector<int64_t> strides{1, 1}, dilation{1, 1}, paddingBefore{0, 0}, paddingAfter{0, 0};
  int64_t groups = 1;
};
/// "conv2d" {strides, dilation, padding_before, padding_after, groups, activation, alpha}: the
/// cross-correlation of x [N,H,W,C] with w [R,S,C/groups,K] -> [N,P,Q,K], as in Keras. A pass may
/// fuse a bias [K] and an activation. Backward: "conv2d_backward_data" (dy, w) {.., input_shape}
/// and "conv2d_backward_weights" (x, dy) {.., weight_shape}. With weights "krsc", w is [K,R,S,C].
ValueId conv2d(Graph& g, ValueId x, ValueId w, const Window2D& window);
/// "depthwise_conv2d": convolves each channel with its own weights. w is [R,S,C,M], and the result
/// is [N,P,Q,C*M], with channel c and multiplier m at c*M+m. The backward ops are those of conv2d
/// with the prefix depthwise_.
ValueId depthwiseConv2d(Graph& g, ValueId x, ValueId w, const Window2D& window);

/// "max_pool2d" {pool_size, strides, padding_before, padding_after, activation, alpha}: the outputs
/// are y and the u8 index (row * width + column) of the first largest element within the window.
/// Fails with UnsupportedOp if a window has more than 255 elements. Backward: "max_pool2d_backward"
/// (dy, index) {.., input_shape}.
ValueId maxPool2d(Graph& g, ValueId x, std::vector<int64_t> poolSize, const Window2D& window);
/// "avg_pool2d": the mean of each window. It divides by the number of elements inside the input, as
/// in Keras with "same". Backward: "avg_pool2d_backward" (dy) {.., input_shape}.
ValueId avgPool2d(Graph& g, ValueId x, std::vector<int64_t> poolSize, const Window2D& window);

/// "batch_norm" {epsilon, activation}: normalizes x [..., C] over all axes except the last, with
/// gamma and beta [C]. A pass may fuse an addend with the type of x and a relu. The outputs are y,
/// mean [C] and inv_std [C], with biased variance. Backward: "batch_norm_backward" (dy, x, gamma,
/// mean, inv_std[, y or beta for a fused relu]) -> dx, dgamma, dbeta. For inference, the layer uses
/// elementwise ops instead.
struct BatchNormResult {
  ValueId y, mean, invStd;
};
BatchNormResult batchNorm(Graph& g, ValueId x, ValueId gamma, ValueId beta, double epsilon);

/// "layer_norm" {epsilon, dimensions, scale, center}: normalizes x over its last `dimensions` axes,
/// then multiplies by gamma and adds beta, which have the sizes of these axes. Either may be
/// invalid, which means that it is not used. Returns y; the node also has the outputs mean and
/// inv_std. Backward: "layer_norm_backward" (dy, x, mean, inv_std[, gamma]) -> dx, dgamma, dbeta.
ValueId layerNorm(Graph& g, ValueId x, ValueId gamma, ValueId beta, int64_t dimensions,
                  double epsilon);

/// "recurrent" {cell, activation, alpha, recurrent_activation, recurrent_alpha, backwards, ...}:
/// runs a whole sequence through a cell. The cell is "simple", "lstm", "gru" (resets after the
/// product, with its own bias) or "gru_reset_before". With U units and G gates, the operands are
/// the projection [N,T,G U] of the inputs and the kernel [U,G U]. Backward: "recurrent_backward".
struct RecurrentOptions {
  std::string cell;
  std::string activation = "tanh", recurrentActivation = "sigmoid";
  double alpha = 0, recurrentAlpha = 0;
  bool isBackwards = false;
  // Optional operands, which are invalid if not given
  ValueId bias = {}, state = {}, cellState = {}, factors = {}, mask = {};
};
struct RecurrentResult {
  // `sequence` [N,T,U] contains the hidden states of all steps, and `last` [N,U] that of the last
  // step. `lastCell` [N,U] is the last cell state of an lstm; it is invalid for other cells
  ValueId sequence, last, lastCell;
};
RecurrentResult recurrent(Graph& g, ValueId projection, ValueId kernel,
                          const RecurrentOptions& options);

/// "attention" {scale, causal, rate, stream, has_mask, drops_hidden}: query [N,T,H,D], key
/// [N,S,G,D], value [N,S,G,E] -> [N,T,H,E]. The matrix of all pairs of steps is never stored. H / G
/// consecutive query heads share one of the G key heads. Backward: "attention_backward".
struct AttentionOptions {
  double scale = 1;
  // Whether key steps that are later than a query step are hidden from it
  bool isCausal = false;
  // Optional mask [N,1 or T,S], where 0 hides a key step
  ValueId mask = {};
  // Whether the result is 0 for a query step from which all key steps are hidden. Otherwise it is
  // the mean of all values
  bool dropsHidden = false;
  // The dropout rate of the attention weights. If it is not 0, the members below are needed and
  // have the same meaning as the parameters of dropout()
  double rate = 0;
  ValueId seed = {}, step = {}, firstSample = {};
  std::string stream = {};
};
ValueId attention(Graph& g, ValueId query, ValueId key, ValueId value,
                  const AttentionOptions& options);

/// "dropout" {rate, stream}: keeps an element, scaled by 1/(1-rate), if its random number is at
/// least `rate`, and otherwise returns 0. The random number depends on seed, stream, step and the
/// number of the element in the epoch. seed, step and first_sample are i64 scalars. first_sample is
/// the position in the epoch of the batch's first sample. The gradient is the same op on dy.
ValueId dropout(Graph& g, ValueId x, ValueId seed, ValueId step, ValueId firstSample, double rate,
                std::string_view streamName);

/// "random_uniform" {shape, stream}: uniform random numbers in [0, 1). They depend on the same
/// values as the random numbers of dropout. The first dimension of `shape` is the batch.
ValueId randomUniform(Graph& g, const Shape& shape, ValueId seed, ValueId step, ValueId firstSample,
                      std::string_view streamName);

/// "softmax_cross_entropy" (logits [N..,V], target): computes loss [N..] and probabilities [N..,V].
/// The target is i32 [N..] (sparse) or float [N..,V]. Rows with the label ignore_class have loss 0.
/// With ignore_class -1, no label is ignored. Backward: "softmax_cross_entropy_backward"
/// (dloss [N..], probabilities, target) -> dlogits, which may overwrite probabilities.
ValueId softmaxCrossEntropy(Graph& g, ValueId logits, ValueId target, int64_t ignoreClass = -1);
/// "sigmoid_cross_entropy" (logits x, target t of the same shape): the loss of each element,
/// max(x,0) - x*t + log1p(exp(-|x|)). Its derivative for x is sigmoid(x) - t.
ValueId sigmoidCrossEntropy(Graph& g, ValueId logits, ValueId target);
/// "ctc_loss" {blank} (logits [N,T,C], labels i32 [N,L] padded with blank): computes the loss [N]
/// and, as its second output, the gradient [N,T,C]. Returns the loss.
ValueId ctcLoss(Graph& g, ValueId logits, ValueId labels, int64_t blank = 0);

/// "all_finite" {pairs} (x, ...[, a, b, ...]) -> f32[]: 1 if all elements of `values` are finite,
/// otherwise 0.
ValueId allFinite(Graph& g, std::vector<ValueId> values);
/// "gradient_norm" {pairs, interval} (step i64[], x, ...[, a, b, ...]) -> f32[]: the square root of
/// the sum of the squares of all elements of `values`. It is NaN in all steps but 1, 1 + interval
/// and so on.
ValueId gradientNorm(Graph& g, ValueId step, std::vector<ValueId> values);

// --- Updates of variables (gpu/ops/update.cpp, kind Update). Every op writes its state operands in
// place (mustAlias) and returns the new values in the same order. `rate` is the learning rate, an
// f32 scalar. `step` is the number of this update, counted from 1, an i64 scalar. Decoupled weight
// decay comes first, as in Keras: w -= w * weight_decay * rate. Every update may have one more
// operand, `apply` (f32[]); where it is 0, the update writes nothing (applyOf() in op.h).
/// "assign" (variable, value) -> new value.
ValueId assign(Graph& g, ValueId variable, ValueId value);
/// Appends the op with this name and returns its outputs, with Keras's formulas:
/// - "sgd_update" (w, grad, rate[, velocity]) {momentum, nesterov, weight_decay} -> w'[, velocity']
/// - "adam_update" (w, grad, m, v, rate, step[, v_max]) {beta_1, beta_2, epsilon, weight_decay,
///   amsgrad} -> w', m', v'[, v_max']
/// - "rmsprop_update" (w, grad, v, rate[, momentum][, average]) {rho, epsilon, momentum, centered,
///   weight_decay} -> w', v'[, momentum'][, average']
/// - "adagrad_update" (w, grad, accumulator, rate) {epsilon, weight_decay} -> w', accumulator'
/// - "matmul_sgd_update", "matmul_adam_update" with the operands a, b instead of grad; they compute
///   grad = a^T b
std::vector<ValueId> update(Graph& g, std::string_view op, std::vector<ValueId> operands,
                            Attributes attributes);

}  // namespace strata
