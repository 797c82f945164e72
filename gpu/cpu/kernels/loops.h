// SPDX-License-Identifier: Apache-2.0
// The inner loops of the CPU backend, compiled once per instruction set (AVX-512, AVX2 with FMA,
// plain) and chosen at run time, so that one binary runs on every x86-64 processor. Other
// processors use the plain set. Not here: kernels, splitting of work, graphs.
// Thread: tables are constant. Every function works only on the memory passed to it and may run on
// many threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata {

/// A matrix whose rows are windows over channels-last images: row (image, p, q) contains `run`
/// floats of a pixel for each tap, and zeros outside the image.
struct WindowRows {
  static constexpr int64_t kMaxTaps = 64;
  // Size of an image, with `run` floats per pixel
  int64_t height = 0, width = 0;
  int64_t outHeight = 0, outWidth = 0, strideHeight = 1, strideWidth = 1, run = 0;
  // The row that is used as row 0
  int64_t first = 0;
  int64_t taps = 0;
  // Offset of the tap's pixel from (p * strideHeight, q * strideWidth)
  int64_t row[kMaxTaps] = {}, column[kMaxTaps] = {};
  // Offset of the tap's part in a transposed B
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
  // If set (gemm only), A consists of these windows of the images `a`, and B transposed is stored
  // tap by tap
  const WindowRows* windows = nullptr;
};

/// Consumes a product block by block instead of storing it: `run` gets rows [row, row + rows) x
/// columns [column, column + columns) of C.
struct GemmConsumer {
  void (*run)(const void* context, int64_t row, int64_t rows, int64_t column, int64_t columns,
              const float* c, int64_t ldc) = nullptr;
  const void* context = nullptr;
};

/// A convolution of one padded channels-last image, as sums over `outerTaps` x `innerTaps` runs of
/// `run` neighbouring floats.
struct ConvArguments {
  int64_t outHeight = 0, outWidth = 0;
  // Output channels of one group, and floats between output pixels
  int64_t outChannels = 0, outChannelStride = 0;
  // Floats between output rows, for depthwise windows
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
  // Size of dx, and floats between its pixels
  int64_t height = 0, width = 0, inChannels = 0, inChannelStride = 0;
  int64_t outHeight = 0, outWidth = 0, outChannels = 0, outChannelStride = 0;
  int64_t windowHeight = 1, windowWidth = 1, strideHeight = 1, strideWidth = 1, dilationHeight = 1,
          dilationWidth = 1, padHeight = 0, padWidth = 0;
};

/// A convolution of one image stored as planes, one per channel, with a border; stride 1 along
/// rows. Rows end with at least `width` floats of padding.
struct PlanarArguments {
  int64_t channels = 0, planeFloats = 0, rowFloats = 0;
  int64_t outHeight = 0, outWidth = 0, outChannels = 0, strideHeight = 1;
  int64_t windowHeight = 1, windowWidth = 1, dilationHeight = 1, dilationWidth = 1;
  const float* bias = nullptr;
  bool relu = false;
};

/// A convolution of channels-last images with 3x3 windows and stride 1, divided into tiles of 4x4
/// outputs. The last tiles may extend beyond the image.
struct WinogradArguments {
  int64_t height = 0, width = 0, channels = 0, outHeight = 0, outWidth = 0, outChannels = 0,
          padHeight = 0, padWidth = 0;
  int64_t tileRows = 0, tileColumns = 0;
  // Floats from one input pixel to the next; more than `channels` if only some channels are read
  int64_t inStride = 0;
  // Floats from one output pixel to the next; more than `outChannels` if only some channels are
  // computed
  int64_t outStride = 0;
  // For backward weights: the most tiles at once
  int64_t maxTiles = 1 << 20;
  const float* bias = nullptr;
  bool relu = false;
};

/// The elements that a relu after batch normalization let through: y > 0, or x * scale + offset >
/// 0; without y and scale, all elements.
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

/// The numbers of an optimizer step; each update explains a and b.
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
/// The kinds of gpu/ops/activation_kinds.h.
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

/// Recurrent cells over whole sequences, as defined in gpu/ops/recurrent.cpp. Pointers refer to
/// sample 0 and are null if an operand is missing.
struct RecurrentArguments {
  enum class Cell : uint8_t { Simple, Lstm, Gru, GruResetBefore };
  Cell cell = Cell::Simple;
  ActivationKind activation, recurrentActivation;
  float alpha = 0, recurrentAlpha = 0;
  // Whether `gates` contains the activations' outputs or their inputs
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

/// Attention of one sample and head, as defined in gpu/ops/attention.cpp. Pointers refer to step 0;
/// rows of operands and gradients are `...Stride` floats apart.
struct AttentionArguments {
  int64_t steps = 0, keySteps = 0, size = 0, valueSize = 0;
  int64_t queryStride = 0, keyStride = 0, valueStride = 0, resultStride = 0, maskStride = 0;
  float scale = 1, rate = 0;
  bool isCausal = false, dropsHidden = false;
  const float *query = nullptr, *key = nullptr, *value = nullptr, *mask = nullptr;
  // For dropout: the key and the number of the first element
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
  // The number of floats in a vector
  int width;

  /// Does `rounds` multiply-adds in registers for each of 12 vectors and returns the number of
  /// floats. For measuring the processor's peak rate.
  double (*multiplyAdds)(int64_t rounds);

  size_t (*gemmScratchFloats)(int64_t m, int64_t n, int64_t k);
  void (*gemm)(const GemmArguments&, int64_t m0, int64_t m1, int64_t n0, int64_t n1,
               float* scratch);
  size_t (*gemmConsumedScratchFloats)(int64_t m, int64_t n, int64_t k);
  /// Like gemm without bias and relu, but C is passed to the consumer instead of stored.
  void (*gemmConsumed)(const GemmArguments&, const GemmConsumer&, int64_t m0, int64_t m1,
                       int64_t n0, int64_t n1, float* scratch);
  size_t (*convPackedFloats)(int64_t depth, int64_t channels);
  /// Packs rows [d0, d1) of weights [depth, ldw] into panels.
  void (*convPack)(const float* w, int64_t ldw, int64_t depth, int64_t channels, float* to,
                   int64_t d0, int64_t d1);
  /// Packs taps [t0, t1) of the transposed weights of backward data into panels of inChannels; the
  /// depth is taps * outChannels.
  void (*convPackTransposed)(const float* w, int64_t taps, int64_t inChannels, int64_t ldw,
                             int64_t outChannels, float* to, int64_t t0, int64_t t1);
  /// x: the padded image; y: the first output pixel.
  void (*convImage)(const ConvArguments&, const float* x, const float* packed, float* y);
  /// Adds one image's gradient to dx; w is packed by convPackTransposed.
  void (*convScatterImage)(const ScatterArguments&, const float* dy, const float* packed,
                           float* dx);
  /// The same for few input channels, by runs of a window row: one group, no dilation along rows.
  /// The number of packed weight vectors per output channel, and of chunks.
  int64_t (*scatterRunVectors)(const ScatterArguments&);
  int64_t (*scatterRunChunks)(const ScatterArguments&);
  /// Packs chunks [c0, c1).
  void (*packScatterRuns)(const ScatterArguments&, const float* w, int64_t c0, int64_t c1,
                          float* to);
  /// padded: a zeroed image with border and rows of rowFloats floats. One vector after its end is
  /// written, too.
  void (*convScatterRuns)(const ScatterArguments&, const float* dy, const float* packed,
                          float* padded, int64_t rowFloats);
  /// Adds one image's contribution to dw [taps * run, ldw].
  void (*convWeights)(const ConvArguments&, const float* x, const float* dy, float* dw,
                      int64_t ldw);

  /// One image with at most planarChannels output channels; w is not packed.
  // The output channels that fit the registers of convPlanarImage
  int planarChannels;
  void (*convPlanarImage)(const PlanarArguments&, const float* planes, const float* w, float* y);
  /// Adds one image's contribution to sums, one vector per weight. gradientPlanes: scratch of
  /// outChannels * outHeight rows of whole vectors.
  void (*convPlanarWeights)(const PlanarArguments&, const float* planes, const float* dy,
                            float* gradientPlanes, float* sums);
  /// Computes dw [first, last) from the sums of all workers, which are `floats` apart.
  void (*convPlanarFinish)(const float* sums, int64_t floats, int64_t workers, int64_t first,
                           int64_t last, float* dw);

  /// The size of the transformed weights U, or of one worker's dU.
  int64_t (*winogradWeightFloats)(int64_t channels, int64_t outChannels);
  /// Transforms w [3, 3, channels, outChannels] to U, or to U of backward data (isTurned): `count`
  /// output channels of U from `first`, which starts a panel of two vectors, and blocks [b0, b1) of
  /// `width` input channels.
  void (*winogradWeights)(const float* w, int64_t channels, int64_t outChannels, bool isTurned,
                          int64_t first, int64_t count, int64_t b0, int64_t b1, float* u);
  int64_t (*winogradScratchFloats)(const WinogradArguments&);
  /// Computes the outputs of tiles [t0, t1), counted over all images; x and y point to image 0.
  void (*winogradForward)(const WinogradArguments&, const float* x, const float* u, float* y,
                          int64_t t0, int64_t t1, float* scratch);
  int64_t (*winogradWeightScratchFloats)(const WinogradArguments&);
  /// Computes dU of tiles [t0, t1); zeros if the range is empty.
  void (*winogradBackwardWeights)(const WinogradArguments&, const float* x, const float* dy,
                                  int64_t t0, int64_t t1, float* du, float* scratch);
  /// Computes dw of input channels [c0, c1) from the dU of all workers, stored and added in their
  /// order.
  void (*winogradFinishWeights)(int64_t channels, int64_t outChannels, int64_t outStride,
                                const float* du, int64_t workers, int64_t c0, int64_t c1,
                                float* dw);
  // Few tiles with many channels: workers share V and Z of all tiles, and each computes output
  // channels [from, to). `from` is a multiple of a panel of two vectors.
  bool (*winogradIsDeep)(const WinogradArguments&, int64_t tiles, int64_t workers);
  /// The size of V or Z for `tiles` tiles.
  int64_t (*winogradTileFloats)(int64_t channels, int64_t tiles);
  /// Computes V of x, or Z of dy, for `count` tiles from `first`; there is room for `room` tiles.
  void (*winogradInputs)(const WinogradArguments&, const float* x, int64_t first, int64_t count,
                         int64_t room, float* v);
  void (*winogradGradients)(const WinogradArguments&, const float* dy, int64_t first, int64_t count,
                            int64_t room, float* z);
  int64_t (*winogradDeepScratchFloats)(const WinogradArguments&, int64_t tiles);
  /// Computes the outputs of `tiles` tiles from `first`; v is their V.
  void (*winogradDeepForward)(const WinogradArguments&, const float* v, const float* w,
                              bool isTurned, float* y, int64_t first, int64_t tiles, int64_t from,
                              int64_t to, float* scratch);
  void (*winogradDeepWeights)(const WinogradArguments&, const float* v, const float* z,
                              int64_t tiles, int64_t from, int64_t to, float* dw, float* scratch);

  /// One output per channel: run and biases have outChannels channels, w [taps, channels].
  void (*depthwiseImage)(const ConvArguments&, const float* x, const float* w, float* y);
  void (*depthwiseWeights)(const ConvArguments&, const float* x, const float* dy, float* dw);
  /// Applies the mask of gpu/ops/dropout_mask.h for elements first .. first + n.
  void (*dropout)(uint64_t seed, uint64_t stream, int64_t first, float rate, float scale,
                  const float* x, float* y, int64_t n);

  /// to[i] += from[i].
  void (*accumulate)(float* to, const float* from, int64_t n);
  void (*unary)(UnaryOp op, const float* x, float* y, int64_t n);
  /// A step of 0 repeats the operand's first element; a step of 1 goes through all elements.
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
  // The largest element, or NaN if there is one
  float (*maxOf)(const float* x, int64_t n);
  /// to[c] = sum over rows of x[r * ld + c].
  void (*columnSums)(const float* x, int64_t rows, int64_t columns, int64_t ld, float* to);
  // Batch normalization of rows x columns; sums are added to the totals.
  void (*columnMoments)(const float* x, int64_t rows, int64_t columns, double* sums,
                        double* squares);
  /// Adds the sums of dy and dy * (x - mean) over open elements.
  void (*columnProducts)(const float* dy, const float* x, const OpenElements& open,
                         const float* mean, int64_t rows, int64_t columns, double* sums,
                         double* products);
  /// y = x * scale + offset (+ addend, which may be null)(, relu).
  void (*normalizeColumns)(const float* x, const float* scale, const float* offset,
                           const float* addend, bool relu, int64_t rows, int64_t columns, float* y);
  /// dx = dy * a + x * b + d, where dy counts as 0 for elements that are not open.
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

  /// Samples [n0, n1) through all steps; scratch is for that many samples.
  int64_t (*recurrentScratchFloats)(const RecurrentArguments&, int64_t samples);
  void (*recurrentForward)(const RecurrentArguments&, int64_t n0, int64_t n1, float* scratch);
  int64_t (*recurrentBackwardScratchFloats)(const RecurrentArguments&, int64_t samples);
  void (*recurrentBackward)(const RecurrentArguments&, int64_t n0, int64_t n1, float* scratch);

  /// The number of query steps processed at once.
  int64_t (*attentionRows)(const AttentionArguments&);
  int64_t (*attentionScratchFloats)(const AttentionArguments&, bool isBackward);
  /// Query steps [t0, t1); t0 is a multiple of attentionRows().
  void (*attentionForward)(const AttentionArguments&, int64_t t0, int64_t t1, float* scratch);
  /// All steps. isAdded: adds to the existing gradients of key and value.
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

/// The best instruction set of this machine.
const Loops& loops();
/// All instruction sets of this machine, best first (for tests).
std::vector<const Loops*> usableLoops();

}  // namespace strata
