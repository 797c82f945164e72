// SPDX-License-Identifier: Apache-2.0
// A matrix product of a kernel: by cuBLASLt, or by an own kernel where cuBLASLt refuses it.
// Thread: immutable after it is planned.
#pragma once

#include <memory>
#include <string>

#include "gpu/cuda/cuda_kernel.h"
#include "gpu/cuda/kernels/matmul.h"

namespace strata::cuda {

class Product {
 public:
  /// Plans a product with the algorithm of `setup`, or with the best guess. cuBLASLt may refuse the
  /// bias: then the product is planned without it. If cuBLASLt has no algorithm at all, an own
  /// kernel computes it.
  /// Requires: `matmul` has alpha 1, beta 0 and no activation.
  /// Fails: UnsupportedOp with the layer as subject, if cuBLASLt is missing or has no algorithm
  /// with this name.
  static Product plan(const CudaSetup& setup, const StrataMatmul& matmul,
                      const std::string& algorithm = "");

  /// Adds the product to a stream. `bias` may be null.
  void encode(Encoder& encoder, DeviceAddress a, DeviceAddress b, DeviceAddress d,
              DeviceAddress bias, DeviceAddress workspace) const;
  /// Whether encode() adds the bias. Otherwise the caller adds it to the result.
  bool addsBias() const { return m_addsBias; }
  /// Returns the call of the library, or null if an own kernel computes the product.
  const std::shared_ptr<const LibraryPlan>& library() const { return m_library; }
  size_t workspaceBytes() const { return m_library ? m_library->workspaceBytes() : 0; }
  /// Returns what computes the product, such as "cublasLt alg21{t20,s15}".
  std::string implementation() const;

 private:
  std::shared_ptr<const LibraryPlan> m_library;
  const Function* m_own = nullptr;
  MatmulShape m_shape;
  bool m_addsBias = true;
};

}  // namespace strata::cuda
