// SPDX-License-Identifier: Apache-2.0
// Rows of the ops that passes of cards create: joined updates and products, and batch normalization
// with moving statistics.
#include "gpu/graph/op.h"
#include "tests/gpu/ops/op_rows.h"

namespace strata::test {

namespace {

OperandSpec values(Shape shape, double low = -1, double high = 1) {
  return {.shape = shape, .dtype = {}, .low = low, .high = high};
}
// Cards join updates of f32 alone
OperandSpec values32(Shape shape, double low = -1, double high = 1) {
  OperandSpec result = values(shape, low, high);
  result.dtype = DType::F32;
  return result;
}
OperandSpec variable32(Shape shape, double low = -1, double high = 1) {
  OperandSpec result = values32(shape, low, high);
  result.isState = true;
  return result;
}
/// A variable of 16 bits.
OperandSpec copy(Shape shape, DType dtype) {
  OperandSpec result = variable32(shape);
  result.dtype = dtype;
  return result;
}
OperandSpec number(double value, DType dtype = DType::F32) {
  return {.shape = {}, .dtype = dtype, .values = {value}, .isDifferentiated = false};
}

OpRow rowOf(std::string name, std::string op, std::vector<OperandSpec> operands,
            Attributes attributes = {}) {
  return {.name = std::move(name),
          .operands = std::move(operands),
          .build =
              [op, attributes](Graph& g, const std::vector<ValueId>& x) {
                return g.node(g.addNode(opNamed(op), x, attributes)).outputs;
              },
          .hasGradient = false};
}

void addJoinedUpdates(std::vector<OpRow>& rows) {
  using Ints = std::vector<int64_t>;
  const Shape a{5, 7}, b{3}, large{2, 1030};
  const OperandSpec rate = number(0.125), step = number(3, DType::I64);
  const auto square = [](Shape shape) {
    return variable32(shape, 0.1, 1);
  };
  rows.push_back(rowOf("assigns", "assigns",
                       {variable32(a), variable32(b), values32(a), values32(b)},
                       {{"copies", Ints{0, 0}}}));
  rows.push_back(rowOf("sgd_updates", "sgd_updates",
                       {variable32(a), variable32(b), values32(a), values32(b), rate},
                       {{"copies", Ints{0, 0}}, {"weight_decay", 0.1}}));
  rows.push_back(rowOf("sgd_updates/momentum, copies", "sgd_updates",
                       {variable32(large), variable32(large), copy(large, DType::BF16),
                        variable32(b), variable32(b), variable32(a), variable32(a),
                        copy(a, DType::F16), values32(large), values32(b), values32(a), rate},
                       {{"copies", Ints{1, 0, 1}}, {"momentum", 0.9}}));
  rows.push_back(rowOf("adam_updates", "adam_updates",
                       {variable32(a), variable32(a), square(a), variable32(b), variable32(b),
                        square(b), values32(a), values32(b), rate, step},
                       {{"copies", Ints{0, 0}}}));
  rows.push_back(rowOf("adam_updates/amsgrad, not applied", "adam_updates",
                       {variable32(a), variable32(a), square(a), square(a), copy(a, DType::BF16),
                        values32(a), rate, step, number(0)},
                       {{"copies", Ints{1}}, {"amsgrad", true}}));
  rows.push_back(rowOf("rmsprop_updates", "rmsprop_updates",
                       {variable32(a), variable32(a, 0.5, 1), variable32(a),
                        variable32(a, -0.2, 0.2), values32(a), rate},
                       {{"copies", Ints{0}}, {"momentum", 0.9}, {"centered", true}}));
  rows.push_back(rowOf("adagrad_updates", "adagrad_updates",
                       {variable32(a), square(a), copy(a, DType::BF16), variable32(b), square(b),
                        values32(a), values32(b), rate},
                       {{"copies", Ints{1, 0}}, {"weight_decay", 0.1}}));
  // Columns of one gradient and one copy, in rows that are and are not multiples of 4 long
  for (const int64_t width : {2, 4}) {
    const Shape own{3, 1, width}, all{3, 3 * width};
    rows.push_back(rowOf("sgd_updates/joined, " + std::to_string(width), "sgd_updates",
                         {variable32(own), copy(all, DType::BF16), variable32(own), variable32(own),
                          variable32(b), values32(all), values32(b), rate},
                         {{"copies", Ints{1, 2, 2, 0}}, {"joined", Ints{0, 1, 1, 0}}}));
  }
  rows.push_back(
      rowOf("adam_updates/joined copy of vectors", "adam_updates",
            {variable32({5}), variable32({5}), square({5}), copy({8}, DType::F16), variable32({3}),
             variable32({3}), square({3}), values32({5}), values32({3}), rate, step},
            {{"copies", Ints{1, 2}}}));
  OperandSpec lowJoined = values({2, 12});
  lowJoined.dtype = DType::BF16;
  rows.push_back(
      rowOf("sgd_updates/joined gradient of 16 bits", "sgd_updates",
            {variable32({2, 4}), copy({2, 4}, DType::BF16), variable32({2, 8}), lowJoined, rate},
            {{"copies", Ints{1, 0}}, {"joined", Ints{0, 1}}}));
  OperandSpec low = values(large);
  low.dtype = DType::BF16;
  rows.push_back(rowOf("sgd_updates/gradients of 16 bits", "sgd_updates",
                       {variable32(large), variable32(b), low, values32(b), rate},
                       {{"copies", Ints{0, 0}}}));
  // More variables than fit in a small list of a launch
  std::vector<OperandSpec> many;
  constexpr int kMany = 61;
  for (int i = 0; i < 2 * kMany; ++i)
    many.push_back(i < kMany ? variable32({2}) : values32({2}));
  many.push_back(rate);
  rows.push_back(
      rowOf("sgd_updates/many", "sgd_updates", std::move(many), {{"copies", Ints(kMany, 0)}}));
}

}  // namespace

void addJoinedRows(std::vector<OpRow>& rows) {
  addJoinedUpdates(rows);
  rows.push_back(rowOf("all_reduce", "all_reduce", {values32({5, 7}), values32({3})},
                       {{"number", int64_t{0}}}));
  // The buffer of a sum over one process is empty
  OperandSpec buffer = values32({0});
  buffer.dtype = DType::U8;
  const Attributes sum{{"number", int64_t{0}}, {"count", int64_t{1}}, {"processes", int64_t{1}}};
  rows.push_back(
      rowOf("all_reduce_start", "all_reduce_start", {values32({5, 7}), values32({3})}, sum));
  rows.push_back(
      rowOf("all_reduce_done", "all_reduce_done", {values32({5, 7}), values32({3}), buffer}, sum));
  // Alone, a device takes its own values, and receives zeros
  OperandSpec token = values32({1});
  token.dtype = DType::U8;
  const Attributes to{{"number", int64_t{0}}, {"to", int64_t{1}}};
  rows.push_back(rowOf("send", "send", {values32({5, 7})}, to));
  rows.push_back(rowOf("sent", "sent", {values32({5, 7}), token}, to));
  rows.push_back(rowOf("receive", "receive", {},
                       {{"number", int64_t{0}},
                        {"from", int64_t{1}},
                        {"dtype", std::string("f32")},
                        {"shape", std::vector<int64_t>{5, 7}}}));
  rows.push_back(rowOf("all_gather", "all_gather",
                       {values32({5, 7}), values32({3}), values32({20}), values32({3})},
                       {{"number", int64_t{0}},
                        {"rank", int64_t{0}},
                        {"replicas", int64_t{2}},
                        {"begins", std::vector<int64_t>{0, 0, 20, 0}},
                        {"counts", std::vector<int64_t>{20, 3, 15, 0}}}));
  OperandSpec share = values({});
  share.low = 0.2;
  share.isDifferentiated = false;
  rows.push_back(rowOf("sync_sum", "sync_sum", {values({5, 7}), share},
                       {{"number", int64_t{0}}, {"count", int64_t{1}}, {"processes", int64_t{1}}}));
  rows.back().hasGradient = true;
  rows.push_back(
      rowOf("matmul_add", "matmul_add", {values({5, 6}), values({6, 7}), values({5, 7})}));
  rows.push_back(rowOf("matmul_add/bias, transposed", "matmul_add",
                       {values({6, 5}), values({7, 6}), values({5, 7}), values({7})},
                       {{"transpose_a", true}, {"transpose_b", true}}));
  rows.push_back(rowOf("matmul_add/batches", "matmul_add",
                       {values({3, 2, 4}), values({3, 4, 5}), values({3, 2, 5})}));
  rows.push_back(rowOf("matmul_add/one", "matmul_add",
                       {values({1, 1}), values({1, 1}), values({1, 1}), values({1})}));
  rows.push_back(
      rowOf("matmul_bias_gradient", "matmul_bias_gradient", {values({9, 5}), values({9, 7})}));
  rows.push_back(rowOf("matmul_bias_gradient/f32", "matmul_bias_gradient",
                       {values({300, 4}), values({300, 8})}, {{"result", std::string("f32")}}));
  rows.push_back(
      rowOf("matmul_bias_gradient/one", "matmul_bias_gradient", {values({1, 1}), values({1, 1})}));
  const Attributes moving{{"momentum", 0.9}, {"share", 0.1}};
  rows.push_back(rowOf(
      "batch_norm/moving", "batch_norm",
      {values({6, 5}, -2, 3), values({5}, 0.5, 1.5), values({5}), values({5}), values({5}, 0.5, 1)},
      moving));
  rows.push_back(rowOf("batch_norm/moving, sum", "batch_norm",
                       {values({400, 3}, -2, 3), values({3}, 0.5, 1.5), values({3}),
                        values({400, 3}), values({3}), values({3}, 0.5, 1)},
                       moving));
}

}  // namespace strata::test
