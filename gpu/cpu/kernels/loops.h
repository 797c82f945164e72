// SPDX-License-Identifier: Apache-2.0
// The inner loops of the CPU backend, compiled once per instruction set (AVX-512, AVX2 with FMA, plain) and chosen at run time, so that one
// binary runs on every x86-64 (and the plain set elsewhere). Not here: kernels, splitting of work, graphs.
// Thread: tables are constant; every function works on the memory it is given and may run on many threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata {

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
};

/// A convolution of one padded channels-last image as sums over `outerTaps` x `innerTaps` runs of `run` neighbouring floats.
struct ConvArguments {
  int64_t outHeight = 0, outWidth = 0;
  int64_t outChannels = 0, outChannelStride = 0;  // of one group; floats between output pixels
  int64_t rowStep = 0, columnStep = 0;            // floats in x between output rows, output columns
  int64_t outerTaps = 0, innerTaps = 0, run = 0;
  int64_t outerStride = 0, innerStride = 0;       // floats in x between taps
  const float* bias = nullptr;
  bool relu = false;
};

struct Loops {
  const char* name;
  int width;  // floats in a vector

  size_t (*gemmScratchFloats)(int64_t m, int64_t n, int64_t k);
  void (*gemm)(const GemmArguments&, int64_t m0, int64_t m1, int64_t n0, int64_t n1, float* scratch);
  size_t (*convPackedFloats)(int64_t depth, int64_t channels);
  /// Rows [d0, d1) of weights [depth, ldw] into panels.
  void (*convPack)(const float* w, int64_t ldw, int64_t depth, int64_t channels, float* to, int64_t d0, int64_t d1);
  /// Taps [t0, t1) of the transposed and flipped weights of backward data; depth is taps * outChannels, panels are of inChannels.
  void (*convPackFlipped)(const float* w, int64_t taps, int64_t inChannels, int64_t ldw, int64_t outChannels, float* to, int64_t t0, int64_t t1);
  /// x: the padded image; y: the first output pixel.
  void (*convImage)(const ConvArguments&, const float* x, const float* packed, float* y);
  /// Adds one image's share to dw [taps * run, ldw].
  void (*convWeights)(const ConvArguments&, const float* x, const float* dy, float* dw, int64_t ldw);

  /// to[i] += from[i].
  void (*accumulate)(float* to, const float* from, int64_t n);
};

/// The best set of this machine.
const Loops& loops();
/// Every set this machine can run, best first (for tests).
std::vector<const Loops*> usableLoops();

}  // namespace strata
