/* SPDX-License-Identifier: Apache-2.0
 * Calls of cuBLASLt and cuDNN as plain structs, in the terms of these libraries. The engine fills
 * them. The plug-in either turns them into descriptors (gpu/cuda/plugin), or computes them on the
 * host for a simulated card (gpu/simulated).
 * Thread: plain values. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Element types, with the values of DType in gpu/tensor/dtype.h */
typedef int32_t StrataType;

/* How products of f32 are computed. Products of 16-bit types always sum in f32. */
enum { STRATA_COMPUTE_F32 = 0, STRATA_COMPUTE_TF32 = 1 };

/* Activations that a library can apply to results. Its relu may turn NaN into 0 */
enum { STRATA_ACTIVATION_NONE = 0, STRATA_ACTIVATION_RELU = 1, STRATA_ACTIVATION_GELU_TANH = 2 };

enum { STRATA_CALL_MATMUL = 1, STRATA_CALL_CONVOLUTION = 2, STRATA_CALL_ATTENTION = 3 };

/* cublasLtMatmul: D = activation(alpha op(A) op(B) + beta C + bias), all column-major.
 * op(A) is [m,k], op(B) is [k,n]. C and D are [m,n], of one type. C is at the address of D, or at
 * another one (if hasAddend, with beta 1). bias has m elements of the type of D, one for each row.
 * The gradient of a bias (if sumsA, without bias) is the sum of op(A) over k: m elements of f32.
 * Addresses: A, B, D, bias (if hasBias), C (if hasAddend), gradient of the bias (if sumsA). */
typedef struct StrataMatmul {
  int64_t m, n, k, batches;
  int32_t transposeA, transposeB;
  /* Elements from one column to the next */
  int64_t lda, ldb, ldd;
  /* Elements from one batch to the next; 0 repeats the operand */
  int64_t strideA, strideB, strideD;
  StrataType operandType, resultType;
  float alpha, beta;
  int32_t hasBias, activation;
  int32_t hasAddend, sumsA;
} StrataMatmul;

enum {
  STRATA_CONVOLUTION_FORWARD = 0,
  STRATA_CONVOLUTION_BACKWARD_DATA = 1,
  STRATA_CONVOLUTION_BACKWARD_WEIGHTS = 2
};

/* A cross-correlation of two-dimensional images, as in cuDNN's graph API. Dimensions are in the
 * order N, C, H, W and K, C, R, S; the memory order is NHWC and KRSC (strides in elements).
 * Addresses: forward x, w, y, bias (if hasBias: K elements of the type of y); backward data dy, w,
 * dx; backward weights x, dy, dw. */
typedef struct StrataConvolution {
  int32_t direction;
  int64_t xDims[4], xStrides[4];
  int64_t wDims[4], wStrides[4];
  int64_t yDims[4], yStrides[4];
  int64_t paddingBefore[2], paddingAfter[2], stride[2], dilation[2];
  int64_t groups;
  /* The type of x, w and y, and of dx; dw has the type weightGradientType */
  StrataType type, weightGradientType;
  int32_t hasBias, activation;
} StrataConvolution;

/* Fused attention of cuDNN for 16-bit types. Dimensions are [B,H,T,D] with these strides in
 * elements. scores = scale q k^T, masked causally if isCausal. Addresses: forward q, k, v, o,
 * statistics (f32 [B,H,T], log-sum-exp); backward q, k, v, o, do, statistics, dq, dk, dv, and
 * the sums of dq (if hasQuerySums). */
typedef struct StrataAttention {
  int32_t isBackward, isCausal;
  /* Whether blocks add to dq in any order, in contiguous sums (f32 [B,H,T,D]) that are 0 before the
   * call. Otherwise the workspace grows with the queries times the keys. */
  int32_t hasQuerySums;
  /* How many calls compute the layer; 0 means one. Only the times of simulated cards depend on
   * it. */
  int32_t numParts;
  /* The version of cuDNN, such as 91500, whose graph is built; 0 for the installed one. Only tests
   * set it. */
  int64_t cudnnVersion;
  int64_t batch, heads, queries, keys, headSize, valueSize;
  int64_t qStrides[4], kStrides[4], vStrides[4], oStrides[4];
  StrataType type;
  float scale;
} StrataAttention;

typedef struct StrataLibraryCall {
  int32_t kind;
  int32_t compute;
  /* Whether only algorithms that always give the same bits are allowed */
  int32_t isDeterministic;
  union {
    StrataMatmul matmul;
    StrataConvolution convolution;
    StrataAttention attention;
  } of;
} StrataLibraryCall;

/* Addresses are multiples of STRATA_CALL_ALIGNMENT bytes, and those of workspaces of
 * STRATA_WORKSPACE_ALIGNMENT bytes, which cuBLASLt wants from Hopper on. */
enum {
  STRATA_MAX_CALL_ADDRESSES = 12,
  STRATA_CALL_ALIGNMENT = 16,
  STRATA_WORKSPACE_ALIGNMENT = 256
};
