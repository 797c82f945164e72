// SPDX-License-Identifier: Apache-2.0
// Fused attention as a library call of a simulated card, compared with its definition in double.
// Not here: products and convolutions, which the op rows call (tst_rows_on_cards.cpp).
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu/base/error.h"
#include "gpu/cuda/card.h"
#include "gpu/cuda/plugin.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/tensor/low_precision.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/support/skip.h"

TEST_SUITE_BEGIN("library calls");

namespace strata::test {

namespace {

constexpr int64_t kBatch = 2, kHeads = 3, kQueries = 5, kKeys = 7, kHead = 8, kValue = 16;
constexpr float kScale = 0.3f;

/// A tensor [B,H,T,D] on the card whose memory order is [B,T,H,D].
struct Operand {
  int64_t rows, columns;
  std::vector<BFloat16> values;
  CUdeviceptr address = 0;

  Operand(int64_t r, int64_t c, unsigned seed) : rows(r), columns(c) {
    for (int64_t i = 0; i < kBatch * kHeads * r * c; ++i) {
      seed = seed * 1664525u + 1013904223u;
      values.push_back(toBFloat16(static_cast<float>(seed >> 16) / 32768.0f - 1.0f));
    }
  }
  size_t at(int64_t b, int64_t h, int64_t r, int64_t c) const {
    return static_cast<size_t>(((b * rows + r) * kHeads + h) * columns + c);
  }
  double get(int64_t b, int64_t h, int64_t r, int64_t c) const {
    return toFloat(values[at(b, h, r, c)]);
  }
  void setStrides(int64_t (&strides)[4]) const {
    const int64_t all[] = {rows * kHeads * columns, columns, kHeads * columns, 1};
    std::copy_n(all, 4, strides);
  }
  size_t bytes() const { return values.size() * sizeof(BFloat16); }
};

/// Runs a call on the card and reads its operands back.
void run(cuda::Card& card, const StrataLibraryCall& call, const std::vector<Operand*>& operands,
         std::vector<float>& statistics, size_t statisticsAt) {
  const cuda::Driver& driver = card.driver();
  card.use();
  CUstream stream = nullptr;
  driver.streamCreate(&stream, STRATA_CUDA_STREAM_NON_BLOCKING);
  std::vector<CUdeviceptr> addresses;
  std::vector<StrataRange> ranges;
  const auto upload = [&](const void* data, size_t bytes) {
    CUdeviceptr address = 0;
    driver.memAlloc(&address, bytes);
    driver.memcpyHtoDAsync(address, data, bytes, stream);
    addresses.push_back(address);
    ranges.push_back({address, bytes, 1});
  };
  const size_t statisticsBytes = statistics.size() * sizeof(float);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i == statisticsAt) upload(statistics.data(), statisticsBytes);
    upload(operands[i]->values.data(), operands[i]->bytes());
  }
  if (statisticsAt == operands.size()) upload(statistics.data(), statisticsBytes);
  StrataWork work{};
  work.op = "attention";
  work.ranges = ranges.data();
  work.numRanges = ranges.size();
  card.annotate(stream, &work);
  const auto plan = card.plan(call, "attention");
  const StrataLibraries& libraries = card.libraries();
  REQUIRE(libraries.run(libraries.self, plan->get(), stream, addresses.data(), addresses.size(),
                        0) == 0);
  card.annotate(stream, nullptr);
  size_t next = 0;
  for (size_t i = 0; i <= operands.size(); ++i) {
    if (i == statisticsAt)
      driver.memcpyDtoHAsync(statistics.data(), addresses[next++], statisticsBytes, stream);
    if (i < operands.size())
      driver.memcpyDtoHAsync(operands[i]->values.data(), addresses[next++], operands[i]->bytes(),
                             stream);
  }
  driver.streamSynchronize(stream);
  for (const CUdeviceptr address : addresses)
    driver.memFree(address);
  driver.streamDestroy(stream);
}

std::shared_ptr<cuda::Card> openCard() {
  if (!canRun(cuda::pluginProblem())) return nullptr;
  return cuda::Card::openSimulated("simulated:test card", testCard(), 2);
}

void checkAttention(bool isCausal) {
  const std::shared_ptr<cuda::Card> card = openCard();
  if (!card) return;
  Operand q(kQueries, kHead, 1), k(kKeys, kHead, 2), v(kKeys, kValue, 3), o(kQueries, kValue, 4),
      dO(kQueries, kValue, 5), dQ(kQueries, kHead, 6), dK(kKeys, kHead, 7), dV(kKeys, kValue, 8);
  std::vector<float> statistics(static_cast<size_t>(kBatch * kHeads * kQueries), -1.0f);
  StrataLibraryCall call{};
  call.kind = STRATA_CALL_ATTENTION;
  StrataAttention& attention = call.of.attention;
  attention.isCausal = isCausal ? 1 : 0;
  attention.batch = kBatch;
  attention.heads = kHeads;
  attention.queries = kQueries;
  attention.keys = kKeys;
  attention.headSize = kHead;
  attention.valueSize = kValue;
  attention.type = static_cast<StrataType>(DType::BF16);
  attention.scale = kScale;
  q.setStrides(attention.qStrides);
  k.setStrides(attention.kStrides);
  v.setStrides(attention.vStrides);
  o.setStrides(attention.oStrides);
  run(*card, call, {&q, &k, &v, &o}, statistics, 4);
  attention.isBackward = 1;
  run(*card, call, {&q, &k, &v, &o, &dO, &dQ, &dK, &dV}, statistics, 5);

  for (int64_t b = 0; b < kBatch; ++b)
    for (int64_t h = 0; h < kHeads; ++h) {
      double p[kQueries][kKeys] = {}, dS[kQueries][kKeys] = {};
      for (int64_t i = 0; i < kQueries; ++i) {
        double sum = 0, rowSum = 0;
        const int64_t count = isCausal ? std::min(kKeys, i + 1) : kKeys;
        for (int64_t j = 0; j < count; ++j) {
          double score = 0;
          for (int64_t c = 0; c < kHead; ++c)
            score += q.get(b, h, i, c) * k.get(b, h, j, c);
          p[i][j] = std::exp(kScale * score);
          sum += p[i][j];
        }
        CHECK(statistics[static_cast<size_t>((b * kHeads + h) * kQueries + i)] ==
              doctest::Approx(std::log(sum)).epsilon(1e-4));
        double dP[kKeys] = {};
        for (int64_t j = 0; j < count; ++j) {
          p[i][j] /= sum;
          for (int64_t c = 0; c < kValue; ++c)
            dP[j] += dO.get(b, h, i, c) * v.get(b, h, j, c);
          rowSum += p[i][j] * dP[j];
        }
        for (int64_t j = 0; j < count; ++j)
          dS[i][j] = kScale * p[i][j] * (dP[j] - rowSum);
      }
      const auto compare = [&](const Operand& got, const auto& expected) {
        for (int64_t r = 0; r < got.rows; ++r)
          for (int64_t c = 0; c < got.columns; ++c)
            CHECK(std::abs(got.get(b, h, r, c) - expected(r, c)) < 0.02);
      };
      const auto sumOver = [](int64_t count, const auto& term) {
        double sum = 0;
        for (int64_t i = 0; i < count; ++i)
          sum += term(i);
        return sum;
      };
      compare(o, [&](int64_t i, int64_t c) {
        return sumOver(kKeys, [&](int64_t j) { return p[i][j] * v.get(b, h, j, c); });
      });
      compare(dQ, [&](int64_t i, int64_t c) {
        return sumOver(kKeys, [&](int64_t j) { return dS[i][j] * k.get(b, h, j, c); });
      });
      compare(dK, [&](int64_t j, int64_t c) {
        return sumOver(kQueries, [&](int64_t i) { return dS[i][j] * q.get(b, h, i, c); });
      });
      compare(dV, [&](int64_t j, int64_t c) {
        return sumOver(kQueries, [&](int64_t i) { return p[i][j] * dO.get(b, h, i, c); });
      });
    }
}

}  // namespace

TEST_CASE("attention of a simulated card agrees with its definition") { checkAttention(false); }

TEST_CASE("causal attention of a simulated card agrees with its definition") {
  checkAttention(true);
}

TEST_CASE("attention in 16-bit types is a library call where cuDNN has it") {
  if (!canRun(cuda::pluginProblem())) return;
  const auto implementationsOf = [](DType dtype, int64_t size, int64_t keyHeads, int major) {
    CardData data = testCard("card of compute capability " + std::to_string(major));
    data.major = major;
    data.memoryBytes = size_t{1} << 30;
    const std::unique_ptr<Device> device = makeSimulatedDevice(data, {.threads = 1});
    Graph graph;
    const ValueId q = graph.addInput("q", {dtype, {2, 5, 4, size}}),
                  k = graph.addInput("k", {dtype, {2, 5, keyHeads, size}}),
                  v = graph.addInput("v", {dtype, {2, 5, keyHeads, size}});
    graph.addOutput("y", attention(graph, q, k, v, {}));
    const NodeId forward = graph.value(graph.outputs()[0].value).producer;
    const std::vector<ValueId> made = graph.node(forward).outputs;
    const NodeId backward =
        graph.addNode(opNamed("attention_backward"), {q, k, v, made[0], made[1], q});
    std::string result;
    for (const NodeId id : {forward, backward})
      result += device->createKernel(graph, id)->implementation() + ", ";
    return result;
  };
  for (const DType dtype : {DType::BF16, DType::F16})
    for (const int major : {8, 9, 10, 12})
      CHECK(implementationsOf(dtype, 16, 4, major) == "cuDNN host, cuDNN host, ");
  const std::string own = "attention, attention_backward, ";
  CHECK(implementationsOf(DType::F32, 16, 4, 9) == own);
  CHECK(implementationsOf(DType::F16, 16, 4, 7) == own);
  CHECK(implementationsOf(DType::BF16, 12, 4, 9) == own);
  CHECK(implementationsOf(DType::BF16, 16, 2, 9) == own);
}

TEST_CASE("attention that cuDNN does not support is refused with the layer") {
  const std::shared_ptr<cuda::Card> card = openCard();
  if (!card) return;
  StrataLibraryCall call{};
  call.kind = STRATA_CALL_ATTENTION;
  StrataAttention& attention = call.of.attention;
  attention.batch = attention.heads = attention.queries = attention.keys = 1;
  attention.headSize = attention.valueSize = 8;
  attention.type = static_cast<StrataType>(DType::F32);
  try {
    card->plan(call, "self-attention");
    FAIL("f32 was accepted");
  }
  catch (const Error& error) {
    CHECK(error.line().starts_with("self-attention: cuDNN attention: the type is not a 16-bit"));
  }
}

TEST_CASE("an operand of a library call that is not aligned is an error") {
  const std::shared_ptr<cuda::Card> card = openCard();
  if (!card) return;
  StrataLibraryCall call{};
  call.kind = STRATA_CALL_MATMUL;
  StrataMatmul& matmul = call.of.matmul;
  matmul.m = matmul.n = matmul.k = matmul.batches = 1;
  matmul.lda = matmul.ldb = matmul.ldd = 1;
  matmul.operandType = matmul.resultType = static_cast<StrataType>(DType::F32);
  const auto plan = card->plan(call, "dense");
  card->use();
  const StrataLibraries& libraries = card->libraries();
  CUstream stream = nullptr;
  CUdeviceptr memory = 0;
  card->driver().streamCreate(&stream, 0);
  card->driver().memAlloc(&memory, 1024);
  const CUdeviceptr addresses[] = {memory, memory + 4, memory + 512};
  CHECK(libraries.run(libraries.self, plan->get(), stream, addresses, 3, 0) != 0);
  CHECK(std::string(libraries.lastError(libraries.self)).find("16 bytes") != std::string::npos);
  // Libraries need more for their workspace, even if they only get a part of one
  const CUdeviceptr good[] = {memory, memory + 16, memory + 512};
  const StrataRange range{memory, 1024, 1};
  StrataWork work{};
  work.ranges = &range;
  work.numRanges = 1;
  card->annotate(stream, &work);
  for (const CUdeviceptr workspace : {memory + 16, memory + 64, memory + 128}) {
    CHECK(libraries.run(libraries.self, plan->get(), stream, good, 3, workspace) != 0);
    CHECK(std::string(libraries.lastError(libraries.self)).find("256 bytes") != std::string::npos);
  }
  CHECK(libraries.run(libraries.self, plan->get(), stream, good, 3, memory + 256) == 0);
  card->driver().streamSynchronize(stream);
  card->driver().memFree(memory);
  card->driver().streamDestroy(stream);
}

}  // namespace strata::test

TEST_SUITE_END();
