// SPDX-License-Identifier: Apache-2.0
// The inner loops of the CPU backend, compiled once per instruction set (AVX-512, AVX2 with FMA,
// plain) and chosen at run time, so that one binary runs on every x86-64 (and the plain set
// elsewhere). Not here: kernels, splitting of work, graphs.
// Thread: tables are constant; every function works on the memory it is given and may run on many
// threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata {

/// Rows of a matrix that are windows over channels-last images: row (image, p, q) holds, tap after
/// tap, `run` floats of a pixel each; zeros outside.
struct WindowRows {
  static constexpr int64_t kMaxTaps = 64;
  // Of an image of pixels of `run` floats
  int64_t height = 0, width = 0;
  int64_t outHeight = 0, outWidth = 0, strideHeight = 1, strideWidth = 1, run = 0;
  // The row that counts as row 0
  int64_t first = 0;
  int64_t taps = 0;
  // The tap's pixel, from (p * strideHeight, q * strideWidth)
  int64_t row[kMaxTaps] = {}, column[kMaxTaps] = {};
  // Where the tap's part of a transposed B begins
  int64_t weights[kMaxTaps] = {};
};

/// C [m, n] = op(A) op(B) (+ bias over columns)(, relu). Leading dimensions in floats.
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
  // A (of gemm alone) is made of them, a being the images; B transposed lies tap by tap
  const WindowRows* windows = nullptr;
};

/// What is done with a product block by block instead of storing it: `run` gets rows [row, row +
/// rows) x columns [column, column + columns) of C.
struct GemmConsumer {
  void (*run)(const void* context, int64_t row, int64_t rows, int64_t column, int64_t columns,
              const float* c, int64_t ldc) = nullptr;
  const void* context = nullptr;
};

/// A convolution of one padded channels-last image as sums over `outerTaps` x `innerTaps` runs of
/// `run` neighbouring floats.
struct ConvArguments {
  int64_t outHeight = 0, outWidth = 0;
  // Of one group; floats between output pixels
  int64_t outChannels = 0, outChannelStride = 0;
  // Floats between output rows, of depthwise windows
  int64_t outRowStep = 0;
  // Floats in x between output rows, output columns
  int64_t rowStep = 0, columnStep = 0;
  int64_t outerTaps = 0, innerTaps = 0, run = 0;
  // Floats in x between taps
  int64_t outerStride = 0, innerStride = 0;
  const float* bias = nullptr;
  bool relu = false;
};

/// Backward data of one channels-last image (no border needed), one group.
struct ScatterArguments {
  // Of dx; floats between its pixels
  int64_t height = 0, width = 0, inChannels = 0, inChannelStride = 0;
  int64_t outHeight = 0, outWidth = 0, outChannels = 0, outChannelStride = 0;
  int64_t windowHeight = 1, windowWidth = 1, strideHeight = 1, strideWidth = 1, dilationHeight = 1,
          dilationWidth = 1, padHeight = 0, padWidth = 0;
};

/// A convolution of one image as planes, one a channel, with their border; stride 1 along rows.
/// Rows end with at least `width` floats of slack.
struct PlanarArguments {
  int64_t channels = 0, planeFloats = 0, rowFloats = 0;
  int64_t outHeight = 0, outWidth = 0, outChannels = 0, strideHeight = 1;
  int64_t windowHeight = 1, windowWidth = 1, dilationHeight = 1, dilationWidth = 1;
  const float* bias = nullptr;
  bool relu = false;
};

/// A convolution of channels-last images by 3x3 windows, stride 1, cut into tiles of 4x4 outputs
/// (the last ones may hang over).
struct WinogradArguments {
  int64_t height = 0, width = 0, channels = 0, outHeight = 0, outWidth = 0, outChannels = 0,
          padHeight = 0, padWidth = 0;
  int64_t tileRows = 0, tileColumns = 0;
  // Floats from one pixel of the input to the next: more than channels where only some of them are
  // read
  int64_t inStride = 0;
  // Floats from one pixel of the result to the next: more than outChannels where only some of them
  // are made
  int64_t outStride = 0;
  // Of backward weights: tiles at once
  int64_t mostTiles = 1 << 20;
  const float* bias = nullptr;
  bool relu = false;
};

/// Where a relu behind a batch normalization let through: where y is above 0, or x * scale +
/// offset; everywhere without either.
struct OpenElements {
  const float* y = nullptr;
  const float* scale = nullptr;
  const float* offset = nullptr;
};

/// Pooling of one channels-last image; dilation 1.
struct PoolArguments {
  int64_t height = 0, width = 0, channels = 0, outHeight = 0, outWidth = 0;
  int64_t poolHeight = 1, poolWidth = 1, strideHeight = 1, strideWidth = 1, padHeight = 0,
          padWidth = 0;
};

/// Numbers of an optimizer's step; what a and b are stands at each update.
struct UpdateArguments {
  // decayRate: weight decay times learning rate
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
/// As gpu/ops/activation_kinds.h.
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

/// Recurrent cells over whole sequences, as gpu/ops/recurrent.cpp says; all pointers are of sample
/// 0, null where there is none.
struct RecurrentArguments {
  enum class Cell : uint8_t { Simple, Lstm, Gru, GruResetBefore };
  Cell cell = Cell::Simple;
  ActivationKind activation, recurrentActivation;
  float alpha = 0, recurrentAlpha = 0;
  // What `gates` holds: values, or what they are values of
  bool savesOutput = true, recurrentSavesOutput = true;
  bool isBackwards = false;
  int64_t steps = 0, units = 0;
  const float *kernel = nullptr, *state = nullptr, *cellState = nullptr, *factors = nullptr,
              *mask = nullptr;
  // Forward.
  const float *projection = nullptr, *bias = nullptr;
  float *sequence = nullptr, *last = nullptr, *lastCell = nullptr, *gates = nullptr,
        *inner = nullptr;
  // Backward.
  const float *savedGates = nullptr, *savedSequence = nullptr, *savedInner = nullptr;
  const float *sequenceGradient = nullptr, *lastGradient = nullptr, *lastCellGradient = nullptr;
  float *projectionGradient = nullptr, *previous = nullptr, *recurrentGradient = nullptr,
        *stateGradient = nullptr, *cellStateGradient = nullptr;
};

/// Attention of one sample and head, as gpu/ops/attention.cpp says; all pointers are of step 0,
/// rows of operands and their gradients `...Stride` floats apart.
struct AttentionArguments {
  int64_t steps = 0, keySteps = 0, size = 0, valueSize = 0;
  int64_t queryStride = 0, keyStride = 0, valueStride = 0, resultStride = 0, maskStride = 0;
  float scale = 1, rate = 0;
  bool isCausal = false, dropsHidden = false;
  const float *query = nullptr, *key = nullptr, *value = nullptr, *mask = nullptr;
  // Of dropout, and the number of its first element
  uint64_t seed = 0, stream = 0;
  int64_t firstElement = 0;
  // Forward.
  float *result = nullptr, *logSums = nullptr;
  // Backward.
  const float *saved = nullptr, *savedLogSums = nullptr, *change = nullptr;
  float *queryGradient = nullptr, *keyGradient = nullptr, *valueGradient = nullptr;
};

struct Loops {
  const char* name;
  // Floats in a vector
  int width;

  /// Multiply-adds in registers, `rounds` of them for each of 12 vectors; returns how many floats
  /// that were. For measuring the processor's limit.
  double (*multiplyAdds)(int64_t rounds);

  size_t (*gemmScratchFloats)(int64_t m, int64_t n, int64_t k);
  void (*gemm)(const GemmArguments&, int64_t m0, int64_t m1, int64_t n0, int64_t n1,
               float* scratch);
  size_t (*gemmConsumedScratchFloats)(int64_t m, int64_t n, int64_t k);
  /// As gemm without bias and relu; C is nowhere but in the consumer's hands.
  void (*gemmConsumed)(const GemmArguments&, const GemmConsumer&, int64_t m0, int64_t m1,
                       int64_t n0, int64_t n1, float* scratch);
  size_t (*convPackedFloats)(int64_t depth, int64_t channels);
  /// Rows [d0, d1) of weights [depth, ldw] into panels.
  void (*convPack)(const float* w, int64_t ldw, int64_t depth, int64_t channels, float* to,
                   int64_t d0, int64_t d1);
  /// Taps [t0, t1) of the transposed weights of backward data; depth is taps * outChannels, panels
  /// are of inChannels.
  void (*convPackTransposed)(const float* w, int64_t taps, int64_t inChannels, int64_t ldw,
                             int64_t outChannels, float* to, int64_t t0, int64_t t1);
  /// x: the padded image; y: the first output pixel.
  void (*convImage)(const ConvArguments&, const float* x, const float* packed, float* y);
  /// Adds one image's gradient to dx, which holds zeros or what is to be added to; w as packed by
  /// convPackTransposed.
  void (*convScatterImage)(const ScatterArguments&, const float* dy, const float* packed,
                           float* dx);
  /// The same for few channels in, by runs of a window's row: one group, no dilation along rows.
  /// Vectors of packed weights an output channel, and chunks.
  int64_t (*scatterRunVectors)(const ScatterArguments&);
  int64_t (*scatterRunChunks)(const ScatterArguments&);
  /// Chunks [c0, c1).
  void (*packScatterRuns)(const ScatterArguments&, const float* w, int64_t c0, int64_t c1,
                          float* to);
  /// padded: an image with its border, rows of rowFloats floats, zero before; a vector behind its
  /// end is written, too.
  void (*convScatterRuns)(const ScatterArguments&, const float* dy, const float* packed,
                          float* padded, int64_t rowFloats);
  /// Adds one image's share to dw [taps * run, ldw].
  void (*convWeights)(const ConvArguments&, const float* x, const float* dy, float* dw,
                      int64_t ldw);

  /// One image, at most planarChannels output channels; w as given.
  // Fit the registers of convPlanarImage
  int planarChannels;
  void (*convPlanarImage)(const PlanarArguments&, const float* planes, const float* w, float* y);
  /// Adds one image's share to sums, a vector for each weight. gradientPlanes: scratch of
  /// outChannels * outHeight rows of whole vectors.
  void (*convPlanarWeights)(const PlanarArguments&, const float* planes, const float* dy,
                            float* gradientPlanes, float* sums);
  /// dw [first, last) from the sums of all workers, `floats` apart.
  void (*convPlanarFinish)(const float* sums, int64_t floats, int64_t workers, int64_t first,
                           int64_t last, float* dw);

  /// Transformed weights U, or dU of one worker.
  int64_t (*winogradWeightFloats)(int64_t channels, int64_t outChannels);
  /// w [3, 3, channels, outChannels] to U, or to U of backward data (isTurned): `count` of U's
  /// output channels from `first` on, which begins a panel of two vectors; blocks [b0, b1) of
  /// `width` of its input channels.
  void (*winogradWeights)(const float* w, int64_t channels, int64_t outChannels, bool isTurned,
                          int64_t first, int64_t count, int64_t b0, int64_t b1, float* u);
  int64_t (*winogradScratchFloats)(const WinogradArguments&);
  /// Outputs of tiles [t0, t1), counted over all images; x and y are those of image 0.
  void (*winogradForward)(const WinogradArguments&, const float* x, const float* u, float* y,
                          int64_t t0, int64_t t1, float* scratch);
  int64_t (*winogradWeightScratchFloats)(const WinogradArguments&);
  /// dU of tiles [t0, t1); zeros where there are none.
  void (*winogradBackwardWeights)(const WinogradArguments&, const float* x, const float* dy,
                                  int64_t t0, int64_t t1, float* du, float* scratch);
  /// dw of input channels [c0, c1) from the dU of all workers, one behind the other, added in their
  /// order.
  void (*winogradFinishWeights)(int64_t channels, int64_t outChannels, int64_t outStride,
                                const float* du, int64_t workers, int64_t c0, int64_t c1,
                                float* dw);
  // Few tiles of many channels: V and Z of all tiles are shared, a worker owns output channels
  // [from, to), from in whole panels of two vectors.
  bool (*winogradIsDeep)(const WinogradArguments&, int64_t tiles, int64_t workers);
  /// What V or Z of `tiles` tiles takes.
  int64_t (*winogradTileFloats)(int64_t channels, int64_t tiles);
  /// V of x, or Z of dy, for `count` tiles from `first` on; `room` tiles fit.
  void (*winogradInputs)(const WinogradArguments&, const float* x, int64_t first, int64_t count,
                         int64_t room, float* v);
  void (*winogradGradients)(const WinogradArguments&, const float* dy, int64_t first, int64_t count,
                            int64_t room, float* z);
  int64_t (*winogradDeepScratchFloats)(const WinogradArguments&, int64_t tiles);
  /// Outputs of `tiles` tiles from `first` on, whose V it is.
  void (*winogradDeepForward)(const WinogradArguments&, const float* v, const float* w,
                              bool isTurned, float* y, int64_t first, int64_t tiles, int64_t from,
                              int64_t to, float* scratch);
  void (*winogradDeepWeights)(const WinogradArguments&, const float* v, const float* z,
                              int64_t tiles, int64_t from, int64_t to, float* dw, float* scratch);

  /// One output a channel: run and biases are of outChannels channels, w [taps, channels].
  void (*depthwiseImage)(const ConvArguments&, const float* x, const float* w, float* y);
  void (*depthwiseWeights)(const ConvArguments&, const float* x, const float* dy, float* dw);
  /// The mask of gpu/ops/dropout_mask.h for elements first .. first + n.
  void (*dropout)(uint64_t seed, uint64_t stream, int64_t first, float rate, float scale,
                  const float* x, float* y, int64_t n);

  /// to[i] += from[i].
  void (*accumulate)(float* to, const float* from, int64_t n);
  void (*unary)(UnaryOp op, const float* x, float* y, int64_t n);
  /// A step of 0 repeats the operand's first element, 1 walks it.
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
  // NaN where there is one
  float (*maxOf)(const float* x, int64_t n);
  /// to[c] = sum over rows of x[r * ld + c].
  void (*columnSums)(const float* x, int64_t rows, int64_t columns, int64_t ld, float* to);
  // Batch normalization of rows x columns; totals are added to.
  void (*columnMoments)(const float* x, int64_t rows, int64_t columns, double* sums,
                        double* squares);
  /// Sums of dy and dy * (x - mean) over open elements.
  void (*columnProducts)(const float* dy, const float* x, const OpenElements& open,
                         const float* mean, int64_t rows, int64_t columns, double* sums,
                         double* products);
  /// y = x * scale + offset (+ addend, which may be null)(, relu).
  void (*normalizeColumns)(const float* x, const float* scale, const float* offset,
                           const float* addend, bool relu, int64_t rows, int64_t columns, float* y);
  /// dx = dy * a + x * b + d, dy being 0 where it is not open.
  void (*combineColumns)(const float* dy, const float* x, const OpenElements& open, const float* a,
                         const float* b, const float* d, int64_t rows, int64_t columns, float* dx);
  /// Softmax of one row; returns log of the sum of exp(x).
  float (*softmaxRow)(const float* x, float* y, int64_t n);
  void (*softmaxRows)(const float* x, float* y, int64_t rows, int64_t n, bool wantLog);

  void (*maxPoolImage)(const PoolArguments&, const float* x, float* y, uint8_t* index);
  void (*maxPoolBackwardImage)(const PoolArguments&, const float* dy, const uint8_t* index,
                               float* dx);
  void (*avgPoolImage)(const PoolArguments&, const float* x, float* y);
  void (*avgPoolBackwardImage)(const PoolArguments&, const float* dy, float* dx);

  /// Samples [n0, n1) through all steps; scratch for as many samples.
  int64_t (*recurrentScratchFloats)(const RecurrentArguments&, int64_t samples);
  void (*recurrentForward)(const RecurrentArguments&, int64_t n0, int64_t n1, float* scratch);
  int64_t (*recurrentBackwardScratchFloats)(const RecurrentArguments&, int64_t samples);
  void (*recurrentBackward)(const RecurrentArguments&, int64_t n0, int64_t n1, float* scratch);

  /// Steps of the query that are done at once.
  int64_t (*attentionRows)(const AttentionArguments&);
  int64_t (*attentionScratchFloats)(const AttentionArguments&, bool isBackward);
  /// Steps [t0, t1) of the query, t0 a multiple of attentionRows().
  void (*attentionForward)(const AttentionArguments&, int64_t t0, int64_t t1, float* scratch);
  /// All steps; isAdded: to the gradients of key and value that are there.
  void (*attentionBackward)(const AttentionArguments&, bool isAdded, float* scratch);

  /// rate: bias-corrected; a, b: 1 - beta_1, 1 - beta_2. vMax may be null.
  void (*adamUpdate)(const UpdateArguments&, float* w, const float* g, float* m, float* v,
                     float* vMax, int64_t n);
  /// a: momentum; flag: Nesterov. velocity may be null.
  void (*sgdUpdate)(const UpdateArguments&, float* w, const float* g, float* velocity, int64_t n);
  /// a: rho, b: momentum. momentum and average may be null.
  void (*rmspropUpdate)(const UpdateArguments&, float* w, const float* g, float* v, float* momentum,
                        float* average, int64_t n);
  void (*adagradUpdate)(const UpdateArguments&, float* w, const float* g, float* accumulator,
                        int64_t n);
};

/// The best set of this machine.
const Loops& loops();
/// Every set this machine can run, best first (for tests).
std::vector<const Loops*> usableLoops();

}  // namespace strata
