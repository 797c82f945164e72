// SPDX-License-Identifier: Apache-2.0
// Turns library calls into operation graphs of cuDNN. Needs neither a card nor a driver.
// Not here: engines, plans and running (cudnn.h).
// Thread: a graph belongs to one thread at a time.
#pragma once

#include <array>
#include <vector>

#include "gpu/cuda/library_calls.h"
#include "gpu/cuda/plugin/cudnn_api.h"

namespace strata::plugin {

using Four = std::array<int64_t, 4>;

/// A finished operation graph.
struct CudnnGraph {
  /// A number that cuDNN reads from host memory.
  struct Scalar {
    int64_t uid;
    float value;
  };
  /// A tensor in the workspace of the call, in front of the plan's own.
  struct Scratch {
    int64_t uid;
    size_t offset;
    // Elements of 32 bits that are set to `value` before the call; 0 if cuDNN writes them
    size_t count;
    int32_t value;
  };
  // Tensors and operations, which the graph refers to
  std::vector<Descriptor> parts;
  Descriptor graph;
  // The tensors of the addresses of the call, in their order
  std::vector<int64_t> operands;
  std::vector<Scalar> scalars;
  std::vector<Scratch> scratch;
  size_t scratchBytes = 0;
};

/// Builds a graph. Tensors are numbers; functions fail with CudnnFailure.
class GraphBuilder {
 public:
  /// `handle` is null for a card that is only described.
  GraphBuilder(const CudnnApi& api, cudnnHandle_t handle) : m_api(api), m_handle(handle) {}

  /// The tensor of the next address of the call
  int64_t operand(const Four& dims, const Four& strides, cudnnDataType_t type);
  /// A value between two operations
  int64_t temporary(const Four& dims, const Four& strides, cudnnDataType_t type);
  /// A value in the workspace
  int64_t scratch(const Four& dims, const Four& strides, cudnnDataType_t type);
  int64_t scalar(float value);
  /// A tensor in the workspace with `count` times the same length, for padding masks
  int64_t lengths(int64_t count, int64_t value);

  void convolution(const StrataConvolution& call, int64_t x, int64_t w, int64_t y);
  void pointwise(cudnnPointwiseMode_t mode, int64_t x, int64_t y) { unary(mode, x, y, -1); }
  void pointwise(cudnnPointwiseMode_t mode, int64_t x, int64_t b, int64_t y,
                 cudnnDataType_t compute = CUDNN_DATA_FLOAT);
  /// y = mask ? x : b
  void select(int64_t mask, int64_t x, int64_t b, int64_t y);
  /// y is the index of each element of x on an axis.
  void index(int64_t x, int64_t axis, int64_t y) { unary(CUDNN_POINTWISE_GEN_INDEX, x, y, axis); }
  void reduction(cudnnReduceTensorOp_t mode, int64_t x, int64_t y);
  /// Tensors with the lengths of each sample, which replace the dims of a product; 0 for none.
  struct Lengths {
    int64_t m = 0, n = 0, k = 0;
  };
  void matmul(int64_t a, int64_t b, int64_t c) { matmul(a, b, c, Lengths()); }
  void matmul(int64_t a, int64_t b, int64_t c, const Lengths& lengths);
  /// y has the elements of x with other dims and strides.
  void reshape(int64_t x, int64_t y);

  CudnnGraph finish();

 private:
  int64_t tensor(const Four& dims, const Four& strides, cudnnDataType_t type, bool isVirtual,
                 bool isByValue);
  cudnnBackendDescriptor_t at(int64_t uid) const;
  void unary(cudnnPointwiseMode_t mode, int64_t x, int64_t y, int64_t axis);
  cudnnBackendDescriptor_t pointwiseMode(cudnnPointwiseMode_t mode, cudnnDataType_t compute,
                                         int64_t axis);
  cudnnBackendDescriptor_t keep(Descriptor descriptor);
  void addOperation(Descriptor operation, const char* what);

  const CudnnApi& m_api;
  cudnnHandle_t m_handle;
  CudnnGraph m_result;
  // Descriptors of tensors by uid - 1, and of operations
  std::vector<cudnnBackendDescriptor_t> m_tensors, m_operations;
};

cudnnDataType_t cudnnTypeOf(StrataType type);

/// Returns the graph of a convolution or attention call. Fails: CudnnFailure.
CudnnGraph makeCudnnGraph(const CudnnApi& api, cudnnHandle_t handle, const StrataLibraryCall& call);
/// Builds the graph of an attention call for this version of cuDNN (cudnn_attention.cpp).
void buildAttention(GraphBuilder& builder, const StrataAttention& call, int64_t version);

}  // namespace strata::plugin
