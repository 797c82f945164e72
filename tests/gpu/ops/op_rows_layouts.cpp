// SPDX-License-Identifier: Apache-2.0
// Rows of ops on images [N,C,H,W]. Passes of cards set this order after differentiation.
#include "tests/gpu/ops/op_row_makers.h"

namespace strata::test {
namespace {

OpRow channelsFirst(std::string name, const std::string& op, std::vector<OperandSpec> operands,
                    Attributes attributes = {}) {
  attributes.set("layout", std::string("channels_first"));
  return withoutGradient(
      plain(op + "/first " + std::move(name), op, std::move(operands), std::move(attributes)));
}

Attributes window(Ints strides, Ints before, Ints after, int64_t groups = 1) {
  return {{"strides", std::move(strides)},
          {"padding_before", std::move(before)},
          {"padding_after", std::move(after)},
          {"groups", groups}};
}

Attributes with(Attributes attributes, const char* name, AttributeValue value) {
  attributes.set(name, std::move(value));
  return attributes;
}

void addConvolutions(Rows& rows) {
  const std::string krsc = "krsc", relu = "relu", f32 = "f32";
  const Attributes same = window({1, 1}, {1, 1}, {1, 1}), uneven = window({2, 2}, {0, 0}, {1, 1}),
                   grouped = window({2, 1}, {1, 0}, {1, 2}, 2);
  rows.push_back(channelsFirst("rsck", "conv2d", {f({2, 3, 5, 6}), f({3, 2, 3, 4})}));
  rows.push_back(channelsFirst("bias relu", "conv2d", {f({3, 5, 9, 7}), f({17, 3, 3, 5}), f({17})},
                               with(with(same, "weights", krsc), "activation", relu)));
  rows.push_back(channelsFirst("bias", "conv2d", {f({2, 3, 5, 4}), f({6, 3, 3, 3}), f({6})},
                               with(same, "weights", krsc)));
  rows.push_back(channelsFirst("uneven", "conv2d", {f({2, 2, 6, 6}), f({3, 3, 3, 2})},
                               with(uneven, "weights", krsc)));
  rows.push_back(channelsFirst("groups", "conv2d", {f({1, 4, 6, 7}), f({6, 3, 2, 2})},
                               with(grouped, "weights", krsc)));
  rows.push_back(channelsFirst("one", "conv2d", {f({1, 1, 1, 1}), f({1, 1, 1, 1})}));
  rows.push_back(channelsFirst("no samples", "conv2d", {f({0, 2, 4, 4}), f({3, 3, 2, 3})}));
  const auto data = [](Attributes attributes, Ints shape) {
    return with(std::move(attributes), "input_shape", std::move(shape));
  };
  rows.push_back(channelsFirst("rsck", "conv2d_backward_data", {f({2, 4, 3, 4}), f({3, 3, 5, 4})},
                               data({}, {2, 5, 5, 6})));
  rows.push_back(channelsFirst("uneven", "conv2d_backward_data", {f({2, 3, 3, 3}), f({3, 3, 3, 2})},
                               data(with(uneven, "weights", krsc), {2, 2, 6, 6})));
  const auto weights = [](Attributes attributes, Ints shape) {
    return with(std::move(attributes), "weight_shape", std::move(shape));
  };
  rows.push_back(channelsFirst("rsck", "conv2d_backward_weights",
                               {f({2, 5, 5, 6}), f({2, 4, 3, 4})}, weights({}, {3, 3, 5, 4})));
  rows.push_back(channelsFirst("uneven", "conv2d_backward_weights",
                               {f({2, 2, 6, 6}), f({2, 3, 3, 3})},
                               weights(with(uneven, "weights", krsc), {3, 3, 3, 2})));
}

void addPooling(Rows& rows) {
  const auto pool = [](Ints size, Ints strides, Ints before, Ints after) {
    return with(window(std::move(strides), std::move(before), std::move(after)), "pool_size",
                std::move(size));
  };
  const Attributes halves = pool({2, 2}, {2, 2}, {0, 0}, {0, 0}),
                   overlapping = pool({3, 3}, {2, 1}, {1, 1}, {1, 1});
  const auto own = [](Attributes attributes) {
    attributes.remove("groups");
    return attributes;
  };
  const std::string relu = "relu";
  for (const std::string op : {"max_pool2d", "avg_pool2d"}) {
    rows.push_back(channelsFirst("halves", op, {distinct({2, 3, 4, 6})}, own(halves)));
    rows.push_back(channelsFirst("overlapping", op, {distinct({1, 3, 7, 5})}, own(overlapping)));
  }
  rows.push_back(channelsFirst("activation", "max_pool2d", {distinct({2, 3, 4, 6})},
                               with(own(halves), "activation", relu)));
  rows.push_back(channelsFirst("overlapping", "max_pool2d_backward",
                               {f({1, 3, 4, 5}), integers({1, 3, 4, 5}, DType::U8, 3, 8)},
                               with(own(overlapping), "input_shape", Ints{1, 3, 7, 5})));
  rows.push_back(channelsFirst("overlapping", "avg_pool2d_backward", {f({1, 3, 4, 5})},
                               with(own(overlapping), "input_shape", Ints{1, 3, 7, 5})));
}

void addBatchNorm(Rows& rows) {
  const Attributes relu{{"activation", std::string("relu")}},
      moving{{"momentum", 0.9}, {"share", 0.1}};
  const auto channels = [](int64_t count, double low, double high) {
    return f({count}, low, high);
  };
  rows.push_back(channelsFirst("plain", "batch_norm",
                               {f({2, 4, 3, 3}, -2, 3), channels(4, 0.5, 1.5), f({4})}));
  rows.push_back(channelsFirst(
      "sum relu", "batch_norm",
      {f({2, 4, 3, 5}, -2, 3), channels(4, 0.5, 1.5), f({4}), f({2, 4, 3, 5})}, relu));
  // Several parts of a channel
  rows.push_back(channelsFirst(
      "moving", "batch_norm",
      {f({40, 3, 9, 11}, -2, 3), channels(3, 0.5, 1.5), f({3}), f({3}), channels(3, 0.5, 1)},
      moving));
  rows.push_back(channelsFirst("one pixel", "batch_norm",
                               {f({7, 5, 1, 1}, -2, 3), channels(5, 0.5, 1.5), f({5})}));
  const auto gradient = [&](const char* name, Shape x, std::vector<OperandSpec> more) {
    const int64_t count = x[1];
    std::vector<OperandSpec> operands{f(x), f(x), channels(count, 0.5, 1.5),
                                      channels(count, -0.1, 0.1), channels(count, 0.5, 2)};
    for (OperandSpec& each : more)
      operands.push_back(std::move(each));
    rows.push_back(channelsFirst(name, "batch_norm_backward", std::move(operands)));
  };
  gradient("plain", {2, 4, 3, 3}, {});
  gradient("gate of y", {40, 3, 9, 11}, {f({40, 3, 9, 11}, -1, 1, 0.01)});
  gradient("gate of beta", {3, 5, 4, 2}, {f({5})});
}

}  // namespace

void addLayoutRows(Rows& rows) {
  addConvolutions(rows);
  addPooling(rows);
  addBatchNorm(rows);
}

}  // namespace strata::test
