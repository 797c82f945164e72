// SPDX-License-Identifier: Apache-2.0
// A matrix product of a kernel: by cuBLASLt, or by an own kernel where cuBLASLt refuses it.
// Thread: immutable after it is planned.
#pragma once

#include <memory>
#include <string>

#include "gpu/cuda/cuda_kernel.h"
#include "gpu/cuda/kernels/matmul.h"

namespace strata::cuda {

/// The addresses of a product D = A B, and of what comes with it. Unused ones are null.
struct ProductOperands {
  DeviceAddress a, b, d, bias, addend, biasGradient;
};

class Product {
 public:
  /// Plans a product with the algorithm of `setup`, or with the best guess. cuBLASLt may refuse
  /// what comes with the product: bias, activation, addend, or gradient of a bias. Then the product
  /// is planned with the bias alone, and then without it. If cuBLASLt has no algorithm at all, an
  /// own kernel computes product and bias.
  /// Requires: `matmul` has alpha 1.
  /// Fails: UnsupportedOp with the layer as subject, if cuBLASLt is missing or has no algorithm
  /// with this name.
  static Product plan(const CudaSetup& setup, const StrataMatmul& matmul,
                      const std::string& algorithm = "");

  /// Adds the product to a stream.
  void encode(Encoder& encoder, const ProductOperands& operands, DeviceAddress workspace) const;
  /// Whether encode() adds the bias. Otherwise the caller adds it to the result.
  bool addsBias() const { return m_addsBias; }
  /// Whether encode() does the rest: activation, addend, and gradient of a bias.
  bool doesRest() const { return m_doesRest; }
  /// Returns the call of the library, or null if an own kernel computes the product.
  const std::shared_ptr<const LibraryPlan>& callPlan() const { return m_library; }
  size_t workspaceBytes() const { return m_library ? m_library->workspaceBytes() : 0; }
  /// Returns what computes the product, such as "cublasLt alg21{t20,s15}".
  std::string implementation() const;

 private:
  std::shared_ptr<const LibraryPlan> m_library;
  const Function* m_own = nullptr;
  MatmulShape m_shape;
  bool m_addsBias = true, m_doesRest = true;
};

}  // namespace strata::cuda
