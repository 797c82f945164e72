// SPDX-License-Identifier: Apache-2.0
// Matrix products that cuBLASLt refuses: with an own kernel, or without the bias.
// Not here: the rows of the op table with such products (tst_rows_on_cards.cpp).
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gpu/base/error.h"
#include "gpu/cuda/cuda_stream.h"
#include "gpu/cuda/ops/product.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/tensor/low_precision.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/support/skip.h"

TEST_SUITE_BEGIN("own products");

namespace strata::test {
namespace {

std::unique_ptr<Device> openRefusing(int refused) {
  return openRefusingCard("card with own products", refused);
}

/// A column-major operand in host memory, and its address on the card.
struct Matrix {
  DType dtype;
  std::vector<std::byte> bytes;
  cuda::MemoryHandle memory;

  Matrix(const cuda::Card& card, CUstream stream, DType type, int64_t elements, unsigned seed)
      : dtype(type),
        bytes(static_cast<size_t>(elements) * dtypeBytes(type)),
        // Not aligned to 16 bytes: the own kernel must not need it
        memory(cuda::allocateMemory(card, bytes.size() + 4)) {
    for (int64_t i = 0; i < elements; ++i) {
      seed = seed * 1664525u + 1013904223u;
      const float value = static_cast<float>(seed >> 16) / 32768.0f - 1.0f;
      const auto at = static_cast<size_t>(i);
      if (type == DType::F32) reinterpret_cast<float*>(bytes.data())[at] = value;
      if (type == DType::BF16) reinterpret_cast<BFloat16*>(bytes.data())[at] = toBFloat16(value);
      if (type == DType::F16) reinterpret_cast<Float16*>(bytes.data())[at] = toFloat16(value);
    }
    card.driver().memcpyHtoDAsync(address().bits(), bytes.data(), bytes.size(), stream);
  }
  DeviceAddress address() const {
    return DeviceAddress::fromBits(memory.get()) + dtypeBytes(dtype);
  }
  double at(int64_t i) const {
    const auto place = static_cast<size_t>(i);
    if (dtype == DType::BF16)
      return toFloat(reinterpret_cast<const BFloat16*>(bytes.data())[place]);
    if (dtype == DType::F16) return toFloat(reinterpret_cast<const Float16*>(bytes.data())[place]);
    return reinterpret_cast<const float*>(bytes.data())[place];
  }
};

/// Returns the largest error of a product on the card.
double errorOf(Device& device, const StrataMatmul& p) {
  cuda::Card& card = cardOf(device);
  card.use();
  cuda::CudaSetup setup;
  setup.card = card.shared_from_this();
  const cuda::Product product = cuda::Product::plan(setup, p);
  CHECK(product.implementation() == "matmul");
  CHECK(product.workspaceBytes() == 0);
  CUstream stream = nullptr;
  card.driver().streamCreate(&stream, STRATA_CUDA_STREAM_NON_BLOCKING);
  const cuda::StreamHandle owner(card, stream);
  const auto operand = static_cast<DType>(p.operandType), type = static_cast<DType>(p.resultType);
  const Matrix a(card, stream, operand,
                 p.strideA * (p.batches - 1) + p.lda * (p.transposeA ? p.m : p.k), 1),
      b(card, stream, operand, p.strideB * (p.batches - 1) + p.ldb * (p.transposeB ? p.k : p.n), 2),
      bias(card, stream, type, p.m, 3);
  Matrix d(card, stream, type, p.strideD * (p.batches - 1) + p.ldd * p.n, 4);
  const std::vector<std::byte> before = d.bytes;
  StrataRange ranges[4];
  int next = 0;
  for (const Matrix* each : {&a, &b, &bias, static_cast<const Matrix*>(&d)})
    ranges[next++] = {each->memory.get(), each->bytes.size() + 4, each == &d};
  StrataWork work{};
  work.op = "matmul";
  work.layer = "";
  work.ranges = ranges;
  work.numRanges = 4;
  card.annotate(stream, &work);
  cuda::Encoder encoder(card, stream);
  product.encode(
      encoder,
      {a.address(), b.address(), d.address(), p.hasBias ? bias.address() : DeviceAddress(), {}, {}},
      {});
  card.annotate(stream, nullptr);
  cuda::copyToHost(card, stream, d.bytes.data(), d.address().bits(), d.bytes.size());
  double worst = 0;
  std::vector<bool> isResult(d.bytes.size() / dtypeBytes(type), false);
  for (int64_t batch = 0; batch < p.batches; ++batch)
    for (int64_t j = 0; j < p.n; ++j)
      for (int64_t i = 0; i < p.m; ++i) {
        double sum = p.hasBias ? bias.at(i) : 0;
        for (int64_t k = 0; k < p.k; ++k)
          sum += a.at(batch * p.strideA + (p.transposeA ? k + i * p.lda : i + k * p.lda)) *
                 b.at(batch * p.strideB + (p.transposeB ? j + k * p.ldb : k + j * p.ldb));
        const int64_t place = batch * p.strideD + j * p.ldd + i;
        isResult[static_cast<size_t>(place)] = true;
        worst = std::max(worst, std::abs(d.at(place) - sum) / std::max(1.0, std::abs(sum)));
      }
  // Elements between the columns stay
  for (size_t i = 0; i < isResult.size(); ++i)
    if (!isResult[i])
      CHECK(std::equal(d.bytes.begin() + static_cast<std::ptrdiff_t>(i * dtypeBytes(type)),
                       d.bytes.begin() + static_cast<std::ptrdiff_t>((i + 1) * dtypeBytes(type)),
                       before.begin() + static_cast<std::ptrdiff_t>(i * dtypeBytes(type))));
  return worst;
}

}  // namespace

TEST_CASE("the own product agrees with its definition for all sizes, strides and types") {
  const auto device = openRefusing(STRATA_REFUSED_ALL);
  if (!device) return;
  const int64_t sizes[][4] = {{1, 1, 1, 1},    {1, 5, 3, 1},    {7, 1, 2, 3},    {3, 2, 1, 2},
                              {65, 63, 17, 2}, {64, 64, 16, 1}, {129, 3, 33, 1}, {1, 200, 31, 1}};
  const std::pair<DType, DType> types[] = {{DType::F32, DType::F32},
                                           {DType::BF16, DType::BF16},
                                           {DType::F16, DType::F16},
                                           {DType::BF16, DType::F32},
                                           {DType::F16, DType::F32}};
  int combination = 0;
  for (const auto& size : sizes)
    for (const auto& [operand, result] : types)
      for (int form = 0; form < 8; ++form) {
        StrataMatmul p{};
        p.m = size[0];
        p.n = size[1];
        p.k = size[2];
        p.batches = size[3];
        p.transposeA = form & 1;
        p.transposeB = form >> 1 & 1;
        p.hasBias = form >> 2 & 1;
        // Odd distances between columns, and operands that all batches share
        const int64_t extra = combination++ % 3;
        p.lda = (p.transposeA ? p.k : p.m) + extra;
        p.ldb = (p.transposeB ? p.n : p.k) + extra;
        p.ldd = p.m + extra;
        p.strideA = combination % 4 == 0 ? 0 : p.lda * (p.transposeA ? p.m : p.k) + 1;
        p.strideB = p.ldb * (p.transposeB ? p.k : p.n);
        p.strideD = p.ldd * p.n + 3;
        p.operandType = static_cast<StrataType>(operand);
        p.resultType = static_cast<StrataType>(result);
        p.alpha = 1;
        CAPTURE(p.m);
        CAPTURE(p.n);
        CAPTURE(p.k);
        CAPTURE(form);
        CAPTURE(dtypeName(operand));
        CAPTURE(dtypeName(result));
        double tolerance = 1e-5;
        if (result == DType::BF16) tolerance = 0x1p-8;
        if (result == DType::F16) tolerance = 0x1p-11;
        CHECK(errorOf(*device, p) <= tolerance);
      }
}

TEST_CASE("a product is the library's where it can be, and its kernel is named") {
  const auto implementationOf = [](int refused, bool hasBias) {
    const auto device = openRefusing(refused);
    Graph graph;
    const ValueId x = graph.addInput("x", {DType::F32, Shape{4, 3}}),
                  w = graph.addInput("w", {DType::F32, Shape{3, 5}});
    const ValueId bias = graph.addInput("b", {DType::F32, Shape{5}});
    NodeId node = graph.value(matmul(graph, x, w)).producer;
    if (hasBias) node = graph.addNode(opNamed("matmul"), {x, w, bias}, graph.node(node).attributes);
    const auto kernel = device->createKernel(graph, node);
    CHECK(kernel->algorithm() == (kernel->implementation() == "matmul" ? "matmul" : "host"));
    // An algorithm that somebody pinned is not replaced silently
    CHECK((device->createVariant(graph, node, "host") != nullptr) ==
          (kernel->implementation() != "matmul"));
    return kernel->implementation();
  };
  if (!canRun(cuda::pluginProblem())) return;
  CHECK(implementationOf(STRATA_REFUSED_NONE, true) == "cublasLt host");
  CHECK(implementationOf(STRATA_REFUSED_WITH_BIAS, true) == "cublasLt host");
  CHECK(implementationOf(STRATA_REFUSED_WITH_BIAS, false) == "cublasLt host");
  CHECK(implementationOf(STRATA_REFUSED_ALL, true) == "matmul");
  CHECK(implementationOf(STRATA_REFUSED_ALL, false) == "matmul");
}

}  // namespace strata::test

TEST_SUITE_END();
