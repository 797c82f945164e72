// SPDX-License-Identifier: Apache-2.0
// The inner loops of the CPU device. They are compiled once per instruction set: AVX-512, AVX2
// with FMA, and plain. The best set is chosen at run time, so that one binary runs on every x86-64
// processor. Other processors use the plain set.
// Not here: kernels, the split of work among workers, graphs.
// Thread: the tables are constant. Every function works only on the memory passed to it and may run
// on many threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata {

/// A matrix whose rows are windows over channels-last images. For each tap, row (image, p, q)
/// contains the `run` floats of a pixel, or zeros if the pixel is outside the image.
struct WindowRows {
  static constexpr int64_t kMaxTaps = 64;
  // Size of an image in pixels, with `run` floats each
  int64_t height = 0, width = 0;
  int64_t outHeight = 0, outWidth = 0, strideHeight = 1, strideWidth = 1, run = 0;
  // The index of the window that becomes row 0
  int64_t first = 0;
  int64_t taps = 0;
  // Offset of each tap's pixel from (p * strideHeight, q * strideWidth), in pixels
  int64_t row[kMaxTaps] = {}, column[kMaxTaps] = {};
  // Offset of each tap's weights in a transposed B, in floats
  int64_t weights[kMaxTaps] = {};
};

/// The arguments of a product C [m, n] = op(A) op(B) of depth k, with an optional bias per column
/// and then an optional relu. op() transposes the operand if its flag is set. Leading dimensions
/// are in floats.
struct GemmArguments {
  int64_t m = 0, n = 0, k = 0;
  const float* a = nullptr;
  int64_t lda = 0;
  bool transposeA = false;
  const float* b = nullptr;
  int64_t ldb = 0;
  bool transposeB = false;
  float* c = nullptr;
  int64_t ldc = 0;
  const float* bias = nullptr;
  bool relu = false;
  // If set, A consists of these windows of the images `a`, and a transposed B is stored tap by tap.
  // Only gemm() supports windows
  const WindowRows* windows = nullptr;
};

/// Receives a product block by block, so that the whole product is never stored. run() gets rows
/// [row, row + rows) and columns [column, column + columns) of C.
struct GemmConsumer {
  void (*run)(const void* context, int64_t row, int64_t rows, int64_t column, int64_t columns,
              const float* c, int64_t ldc) = nullptr;
  const void* context = nullptr;
};

/// A convolution of one padded channels-last image. Each output sums over `outerTaps` x `innerTaps`
/// runs of `run` neighbouring floats.
struct ConvArguments {
  int64_t outHeight = 0, outWidth = 0;
  // Number of output channels of one group, and number of floats from one output pixel to the next
  int64_t outChannels = 0, outChannelStride = 0;
  // Number of floats from one output row to the next. Only depthwiseImage() uses it
  int64_t outRowStep = 0;
  // Number of floats in x from the window of one output to the window in the next row or column
  int64_t rowStep = 0, columnStep = 0;
  int64_t outerTaps = 0, innerTaps = 0, run = 0;
  // Number of floats in x from one tap to the next
  int64_t outerStride = 0, innerStride = 0;
  const float* bias = nullptr;
  bool relu = false;
};

/// Describes how to compute dx, the gradient of a convolution for its input, for one channels-last
/// image and one group of channels.
struct ScatterArguments {
  // Size of dx, and number of floats from one pixel of dx to the next
  int64_t height = 0, width = 0, inChannels = 0, inChannelStride = 0;
  int64_t outHeight = 0, outWidth = 0, outChannels = 0, outChannelStride = 0;
  int64_t windowHeight = 1, windowWidth = 1, strideHeight = 1, strideWidth = 1, dilationHeight = 1,
          dilationWidth = 1, padHeight = 0, padWidth = 0;
};

/// A convolution of one image that is stored as one plane per channel, with a border. The stride
/// along rows is 1. Each row ends with at least Loops::width floats of padding.
struct PlanarArguments {
  int64_t channels = 0, planeFloats = 0, rowFloats = 0;
  int64_t outHeight = 0, outWidth = 0, outChannels = 0, strideHeight = 1;
  int64_t windowHeight = 1, windowWidth = 1, dilationHeight = 1, dilationWidth = 1;
  const float* bias = nullptr;
  bool relu = false;
};

/// A convolution of channels-last images with 3x3 windows and stride 1, divided into tiles of 4x4
/// outputs. The last tiles of a row or column may extend beyond the outputs.
struct WinogradArguments {
  int64_t height = 0, width = 0, channels = 0, outHeight = 0, outWidth = 0, outChannels = 0,
          padHeight = 0, padWidth = 0;
  int64_t tileRows = 0, tileColumns = 0;
  // Number of floats from one input pixel to the next. It is more than `channels` if only some
  // channels are read
  int64_t inStride = 0;
  // Number of floats from one output pixel to the next. It is more than `outChannels` if only some
  // channels are computed
  int64_t outStride = 0;
  // The maximum number of tiles that backward weights processes at once
  int64_t maxTiles = 1 << 20;
  const float* bias = nullptr;
  bool relu = false;
};

/// Describes the open elements, which a relu after batch normalization passes unchanged. They have
/// y > 0, or x * scale + offset > 0 if y is null. If y and scale are null, all elements are open.
struct OpenElements {
  const float* y = nullptr;
  const float* scale = nullptr;
  const float* offset = nullptr;
};

/// Pooling of one channels-last image with dilation 1.
struct PoolArguments {
  int64_t height = 0, width = 0, channels = 0, outHeight = 0, outWidth = 0;
  int64_t poolHeight = 1, poolWidth = 1, strideHeight = 1, strideWidth = 1, padHeight = 0,
          padWidth = 0;
};

/// The hyperparameters of one optimizer step. The comment on each update function explains `a`, `b`
/// and `flag`.
struct UpdateArguments {
  // `decayRate` is the weight decay times the learning rate
  float rate = 0, decayRate = 0, a = 0, b = 0, epsilon = 0;
  bool flag = false;
};

enum class UnaryOp : uint8_t {
  Negate,
  Abs,
  Sign,
  Exp,
  Expm1,
  Log,
  Log1p,
  Sqrt,
  Rsqrt,
  Square,
  Reciprocal,
  Erf,
  Floor,
  IsFinite
};
enum class BinaryOp : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Maximum,
  Minimum,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual
};
/// The activations of gpu/ops/activation_kinds.h.
enum class ActivationKind : uint8_t {
  Linear,
  Relu,
  Relu6,
  LeakyRelu,
  Elu,
  Selu,
  Celu,
  Tanh,
  Sigmoid,
  Exponential,
  Gelu,
  GeluTanh,
  HardSigmoid,
  Silu,
  HardSilu,
  Mish,
  Softplus,
  Softsign,
  HardTanh,
  TanhShrink,
  SoftShrink,
  HardShrink,
  LogSigmoid,
  Squareplus,
  SparsePlus,
  SparseSigmoid
};

/// A recurrent cell over whole sequences, as defined in gpu/ops/recurrent.cpp. Pointers refer to
/// sample 0. The pointer of an operand that is not given is null.
struct RecurrentArguments {
  enum class Cell : uint8_t { Simple, Lstm, Gru, GruResetBefore };
  Cell cell = Cell::Simple;
  ActivationKind activation, recurrentActivation;
  float alpha = 0, recurrentAlpha = 0;
  // Whether the saved gates contain the outputs of `activation` and of `recurrentActivation`.
  // Otherwise they contain the inputs
  bool savesOutput = true, recurrentSavesOutput = true;
  bool isBackwards = false;
  int64_t steps = 0, units = 0;
  const float *kernel = nullptr, *state = nullptr, *cellState = nullptr, *factors = nullptr,
              *mask = nullptr;
  // Only for the forward loop
  const float *projection = nullptr, *bias = nullptr;
  float *sequence = nullptr, *last = nullptr, *lastCell = nullptr, *gates = nullptr,
        *inner = nullptr;
  // Only for the backward loop
  const float *savedGates = nullptr, *savedSequence = nullptr, *savedInner = nullptr;
  const float *sequenceGradient = nullptr, *lastGradient = nullptr, *lastCellGradient = nullptr;
  float *projectionGradient = nullptr, *previous = nullptr, *recurrentGradient = nullptr,
        *stateGradient = nullptr, *cellStateGradient = nullptr;
};

/// Attention of one sample and head, as defined in gpu/ops/attention.cpp. Pointers refer to step 0.
/// Each stride is the number of floats from one step to the next.
struct AttentionArguments {
  int64_t steps = 0, keySteps = 0, size = 0, valueSize = 0;
  int64_t queryStride = 0, keyStride = 0, valueStride = 0, resultStride = 0, maskStride = 0;
  float scale = 1, rate = 0;
  bool isCausal = false, dropsHidden = false;
  const float *query = nullptr, *key = nullptr, *value = nullptr, *mask = nullptr;
  // Seed and stream of dropout, and the number of this head's first element
  // (gpu/ops/dropout_mask.h)
  uint64_t seed = 0, stream = 0;
  int64_t firstElement = 0;
  // Only for the forward loop
  float *result = nullptr, *logSums = nullptr;
  // Only for the backward loop
  const float *saved = nullptr, *savedLogSums = nullptr, *change = nullptr;
  float *queryGradient = nullptr, *keyGradient = nullptr, *valueGradient = nullptr;
};

/// The loops of one instruction set.
struct Loops {
  const char* name;
  // The number of floats in a vector
  int width;

  /// Does `rounds` multiply-adds on each of 12 vectors in registers, to measure the processor's
  /// peak rate. Returns the number of multiply-adds on single floats.
  double (*multiplyAdds)(int64_t rounds);

  size_t (*gemmScratchFloats)(int64_t m, int64_t n, int64_t k);
  void (*gemm)(const GemmArguments&, int64_t m0, int64_t m1, int64_t n0, int64_t n1,
               float* scratch);
  size_t (*gemmConsumedScratchFloats)(int64_t m, int64_t n, int64_t k);
  /// Like gemm() without bias and relu, but passes C to the consumer instead of storing it.
  void (*gemmConsumed)(const GemmArguments&, const GemmConsumer&, int64_t m0, int64_t m1,
                       int64_t n0, int64_t n1, float* scratch);
  size_t (*convPackedFloats)(int64_t depth, int64_t channels);
  /// Packs rows [d0, d1) of weights [depth, ldw] into panels.
  void (*convPack)(const float* w, int64_t ldw, int64_t depth, int64_t channels, float* to,
                   int64_t d0, int64_t d1);
  /// Packs taps [t0, t1) of the transposed weights for convScatterImage(), into panels of input
  /// channels. The depth is taps * outChannels.
  void (*convPackTransposed)(const float* w, int64_t taps, int64_t inChannels, int64_t ldw,
                             int64_t outChannels, float* to, int64_t t0, int64_t t1);
  /// Computes all output pixels of one image. `x` is the padded image, and `y` points to the first
  /// output pixel.
  void (*convImage)(const ConvArguments&, const float* x, const float* packed, float* y);
  /// Adds one image's gradient to dx. `packed` comes from convPackTransposed().
  void (*convScatterImage)(const ScatterArguments&, const float* dy, const float* packed,
                           float* dx);
  /// The next four functions compute the same gradient for few input channels. An output pixel adds
  /// to all elements under one row of its window at once. The functions support one group and no
  /// dilation along rows. The first two return the number of weight vectors per output channel, and
  /// the number of chunks of these vectors.
  int64_t (*scatterRunVectors)(const ScatterArguments&);
  int64_t (*scatterRunChunks)(const ScatterArguments&);
  /// Packs chunks [c0, c1) of the weights.
  void (*packScatterRuns)(const ScatterArguments&, const float* w, int64_t c0, int64_t c1,
                          float* to);
  /// Adds one image's gradient to `padded`, a zeroed image with a border and rows of `rowFloats`
  /// floats. The function may write up to one vector beyond the end of `padded`.
  void (*convScatterRuns)(const ScatterArguments&, const float* dy, const float* packed,
                          float* padded, int64_t rowFloats);
  /// Adds one image's contribution to dw [outerTaps * innerTaps * run, ldw].
  void (*convWeights)(const ConvArguments&, const float* x, const float* dy, float* dw,
                      int64_t ldw);

  // The maximum number of output channels of convPlanarImage(), which keeps the sums of all
  // channels in registers
  int planarChannels;
  /// Computes the outputs of one image. `w` is not packed.
  void (*convPlanarImage)(const PlanarArguments&, const float* planes, const float* w, float* y);
  /// Adds one image's weight gradient to `sums`, which has one vector per weight. `gradientPlanes`
  /// is scratch memory for outChannels * outHeight rows of whole vectors.
  void (*convPlanarWeights)(const PlanarArguments&, const float* planes, const float* dy,
                            float* gradientPlanes, float* sums);
  /// Computes elements [first, last) of dw from the sums of all workers, which are `floats` floats
  /// apart.
  void (*convPlanarFinish)(const float* sums, int64_t floats, int64_t workers, int64_t first,
                           int64_t last, float* dw);

  /// Returns the size of the transformed weights U, in floats. Their gradient dU has the same size.
  int64_t (*winogradWeightFloats)(int64_t channels, int64_t outChannels);
  /// Transforms w [3, 3, channels, outChannels] to columns [first, first + count) and blocks [b0,
  /// b1) of `width` rows of U. Rows are input channels and columns are output channels. If
  /// isTurned, U is for backward data, and the roles are reversed. `first` must be a multiple of
  /// two vectors.
  void (*winogradWeights)(const float* w, int64_t channels, int64_t outChannels, bool isTurned,
                          int64_t first, int64_t count, int64_t b0, int64_t b1, float* u);
  int64_t (*winogradScratchFloats)(const WinogradArguments&);
  /// Computes the outputs of tiles [t0, t1), which are numbered over all images. `x` and `y` point
  /// to image 0.
  void (*winogradForward)(const WinogradArguments&, const float* x, const float* u, float* y,
                          int64_t t0, int64_t t1, float* scratch);
  int64_t (*winogradWeightScratchFloats)(const WinogradArguments&);
  /// Computes dU, summed over tiles [t0, t1). The range may be empty.
  void (*winogradBackwardWeights)(const WinogradArguments&, const float* x, const float* dy,
                                  int64_t t0, int64_t t1, float* du, float* scratch);
  /// Computes dw of input channels [c0, c1) from the dU of all workers. `du` contains one dU per
  /// worker. They are added in the order of the workers.
  void (*winogradFinishWeights)(int64_t channels, int64_t outChannels, int64_t outStride,
                                const float* du, int64_t workers, int64_t c0, int64_t c1,
                                float* dw);
  // The following functions are for few tiles with many channels. The workers share V, the
  // transformed inputs, and Z, the transformed gradients of the outputs. Each worker computes
  // output channels [from, to) for all tiles. `from` must be a multiple of two vectors.
  /// Returns whether these functions are faster than those for many tiles.
  bool (*winogradIsDeep)(const WinogradArguments&, int64_t tiles, int64_t workers);
  /// Returns the size of V or Z for `tiles` tiles, in floats.
  int64_t (*winogradTileFloats)(int64_t channels, int64_t tiles);
  /// Compute V of x, or Z of dy, for `count` tiles from `first`. The result has room for `room`
  /// tiles.
  void (*winogradInputs)(const WinogradArguments&, const float* x, int64_t first, int64_t count,
                         int64_t room, float* v);
  void (*winogradGradients)(const WinogradArguments&, const float* dy, int64_t first, int64_t count,
                            int64_t room, float* z);
  int64_t (*winogradDeepScratchFloats)(const WinogradArguments&, int64_t tiles);
  /// Computes the outputs of `tiles` tiles from `first`. `v` contains V of these tiles.
  void (*winogradDeepForward)(const WinogradArguments&, const float* x, const float* v,
                              const float* w, bool isTurned, float* y, int64_t first, int64_t tiles,
                              int64_t from, int64_t to, float* scratch);
  void (*winogradDeepWeights)(const WinogradArguments&, const float* v, const float* z,
                              int64_t tiles, int64_t from, int64_t to, float* dw, float* scratch);

  /// The next two functions are for depthwise convolutions, whose output channels each read one
  /// input channel. x and the bias have outChannels channels, and w and dw are [taps, outChannels].
  void (*depthwiseImage)(const ConvArguments&, const float* x, const float* w, float* y);
  void (*depthwiseWeights)(const ConvArguments&, const float* x, const float* dy, float* dw);
  /// Applies the mask of gpu/ops/dropout_mask.h to elements [first, first + n), and multiplies the
  /// kept ones by `scale`.
  void (*dropout)(uint64_t seed, uint64_t stream, int64_t first, float rate, float scale,
                  const float* x, float* y, int64_t n);

  /// Adds from[i] to to[i] for each i below n.
  void (*accumulate)(float* to, const float* from, int64_t n);
  void (*unary)(UnaryOp op, const float* x, float* y, int64_t n);
  /// Computes y[i] = op(a[i], b[i]) for `n` elements. If an operand's step is 0, its first element
  /// is used `n` times. If the step is 1, the operand has `n` elements.
  void (*binary)(BinaryOp op, const float* a, int64_t aStep, const float* b, int64_t bStep,
                 float* y, int64_t n);
  void (*affine)(const float* x, float* y, int64_t n, float scale, float offset);
  void (*affineBytes)(const uint8_t* x, float* y, int64_t n, float scale, float offset);
  void (*activation)(ActivationKind kind, const float* x, float* y, int64_t n, float alpha);
  void (*activationBackward)(ActivationKind kind, const float* dy, const float* saved, float* dx,
                             int64_t n, float alpha);
  void (*activateRows)(ActivationKind kind, float* y, int64_t rows, int64_t columns, int64_t ldy,
                       float alpha);

  float (*sumOf)(const float* x, int64_t n);
  // Returns the largest element, or NaN if any element is NaN
  float (*maxOf)(const float* x, int64_t n);
  /// Computes the sums of columns: to[c] is the sum of x[r * ld + c] over all rows r.
  void (*columnSums)(const float* x, int64_t rows, int64_t columns, int64_t ld, float* to);
  // The next four functions are the loops of batch normalization over a matrix [rows, columns].
  // Sums are added to the given totals.
  /// Adds the sum and the sum of squares of each column.
  void (*columnMoments)(const float* x, int64_t rows, int64_t columns, double* sums,
                        double* squares);
  /// Adds the sums of dy and of dy * (x - mean) over the open elements of each column.
  void (*columnProducts)(const float* dy, const float* x, const OpenElements& open,
                         const float* mean, int64_t rows, int64_t columns, double* sums,
                         double* products);
  /// Computes y = x * scale + offset + addend, then an optional relu. `addend` may be null.
  void (*normalizeColumns)(const float* x, const float* scale, const float* offset,
                           const float* addend, bool relu, int64_t rows, int64_t columns, float* y);
  /// Computes dx = dy * a + x * b + d, where dy counts as 0 for elements that are not open.
  void (*combineColumns)(const float* dy, const float* x, const OpenElements& open, const float* a,
                         const float* b, const float* d, int64_t rows, int64_t columns, float* dx);
  /// The next two functions are the loops of layer normalization over the rows of a matrix
  /// [rows, size]. They store or read one mean and one inverse deviation per row. `gamma` and
  /// `beta` may be null.
  void (*normalizeRows)(const float* x, const float* gamma, const float* beta, double epsilon,
                        int64_t rows, int64_t size, float* y, float* mean, float* invStd);
  /// Computes dx, and the sums over rows of dy * (x - mean) * invStd and of dy. `partial` is
  /// scratch memory for 2 * size floats. dx may be dy.
  void (*normalizeRowsGradient)(const float* dy, const float* x, const float* mean,
                                const float* invStd, const float* gamma, int64_t rows, int64_t size,
                                float* partial, double* products, double* sums, float* dx);
  /// Computes the softmax of one row, and returns the logarithm of the sum of exp(x).
  float (*softmaxRow)(const float* x, float* y, int64_t n);
  void (*softmaxRows)(const float* x, float* y, int64_t rows, int64_t n, bool wantLog);

  void (*maxPoolImage)(const PoolArguments&, const float* x, float* y, uint8_t* index);
  void (*maxPoolBackwardImage)(const PoolArguments&, const float* dy, const uint8_t* index,
                               float* dx);
  void (*avgPoolImage)(const PoolArguments&, const float* x, float* y);
  void (*avgPoolBackwardImage)(const PoolArguments&, const float* dy, float* dx);

  /// The next four functions are the loops of recurrent cells. Two of them run samples [n0, n1)
  /// through all steps, with scratch memory for n1 - n0 samples.
  int64_t (*recurrentScratchFloats)(const RecurrentArguments&, int64_t samples);
  void (*recurrentForward)(const RecurrentArguments&, int64_t n0, int64_t n1, float* scratch);
  int64_t (*recurrentBackwardScratchFloats)(const RecurrentArguments&, int64_t samples);
  void (*recurrentBackward)(const RecurrentArguments&, int64_t n0, int64_t n1, float* scratch);

  /// Returns the number of query steps that are processed at once.
  int64_t (*attentionRows)(const AttentionArguments&);
  int64_t (*attentionScratchFloats)(const AttentionArguments&, bool isBackward);
  /// Computes query steps [t0, t1). `t0` must be a multiple of attentionRows().
  void (*attentionForward)(const AttentionArguments&, int64_t t0, int64_t t1, float* scratch);
  /// Computes the gradients of all steps. If isAdded, the gradients of key and value are added to
  /// the existing ones.
  void (*attentionBackward)(const AttentionArguments&, bool isAdded, float* scratch);

  /// Updates weights with Adam. `rate` is bias-corrected, `a` is 1 - beta_1 and `b` is 1 - beta_2.
  /// `vMax` is null without AMSGrad.
  void (*adamUpdate)(const UpdateArguments&, float* w, const float* g, float* m, float* v,
                     float* vMax, int64_t n);
  /// Updates weights with SGD. `a` is the momentum, and `flag` selects Nesterov momentum.
  /// `velocity` is null without momentum.
  void (*sgdUpdate)(const UpdateArguments&, float* w, const float* g, float* velocity, int64_t n);
  /// Updates weights with RMSprop. `a` is rho and `b` is the momentum. The array `momentum` is null
  /// without momentum, and `average` is null if the variance is not centered.
  void (*rmspropUpdate)(const UpdateArguments&, float* w, const float* g, float* v, float* momentum,
                        float* average, int64_t n);
  void (*adagradUpdate)(const UpdateArguments&, float* w, const float* g, float* accumulator,
                        int64_t n);
};

/// Returns the loops of the best instruction set of this machine.
const Loops& loops();
/// Returns the loops of all instruction sets of this machine, best first. Tests use them.
std::vector<const Loops*> usableLoops();

}  // namespace strata
