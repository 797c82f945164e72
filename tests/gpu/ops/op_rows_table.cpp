// SPDX-License-Identifier: Apache-2.0
// The table of op rows.
#include "gpu/ops/activation_kinds.h"
#include "tests/gpu/ops/op_row_makers.h"

namespace strata::test {

namespace {

/// Rounds the operands to bf16 and computes the op on them, with a result in f32.
OpRow resultOfLow(std::string name, std::string op, std::vector<OperandSpec> operands,
                  Attributes attributes) {
  attributes.set("result", std::string("f32"));
  return {.name = std::move(name),
          .operands = std::move(operands),
          .build =
              [op, attributes](Graph& g, const Values& x) {
                return g
                    .node(g.addNode(opNamed(op),
                                    {cast(g, x[0], DType::BF16), cast(g, x[1], DType::BF16)},
                                    attributes))
                    .outputs;
              },
          .hasGradient = false};
}

void addPointwise(Rows& rows) {
  const auto add = [&](const char* name, std::vector<OperandSpec> operands, const char* program) {
    rows.push_back(
        withoutGradient(plain(std::string("fused_pointwise/") + name, "fused_pointwise",
                              std::move(operands), {{"program", std::string(program)}})));
  };
  add("repeated rows", {f({6, 5}), f({5}), f({5}, 0.5, 2)},
      "subtract x0 x1; multiply t0 x2; activation relu 0 t1");
  add("columns and a number", {f({6, 5}), f({6, 1}), f({})},
      "multiply x0 x1; add t0 x2; maximum t1 x1");
  add("read twice", {f({3, 4, 2}), f({3, 4, 2}, 0.5, 2)},
      "activation sigmoid 0 x0; multiply x0 t0; divide t1 x1; add t2 t0; activation tanh 0 t3");
  add("walked by loops of one operand", {f({4, 3}), f({3}), f({4, 1}), f({}, 0.5, 2)},
      "exp x1; square x2; log x3; add t0 t1; add t3 t2; multiply t4 x0");
  add("in the middle", {f({2, 3, 4}), f({3, 1})}, "affine 2 -0.5 x0; subtract t0 x1; abs t1");
  add("gradient", {f({5, 4}), f({5, 4}), f({5, 4})},
      "add x0 x1; activation_backward leaky_relu 0.2 t0 x2");
  add("one step", {f({7})}, "erf x0");
}

void addUnary(Rows& rows) {
  const auto add = [&](const char* op, double low, double high, double margin = 0) {
    rows.push_back(plain(op, op, {f({3, 5}, low, high, margin)}));
  };
  add("negate", -2, 2);
  add("abs", -2, 2, 0.1);
  add("sign", -2, 2, 0.1);
  add("exp", -2, 2);
  add("expm1", -2, 2);
  add("log", 0.2, 3);
  add("log1p", -0.5, 3);
  add("sqrt", 0.2, 3);
  add("rsqrt", 0.2, 3);
  add("square", -2, 2);
  add("reciprocal", -2, 2, 0.3);
  add("sin", -3, 3);
  add("cos", -3, 3);
  add("erf", -2, 2);
  add("is_finite", -2, 2);
  rows.push_back(plain("floor", "floor", {fixed({2, 3}, {-1.75, -0.5, 0.25, 1.5, 2.75, 7.125})}));
  rows.push_back(plain("exp/empty", "exp", {f({0, 3})}));
  rows.push_back(plain("exp/scalar", "exp", {f({})}));
  // This row casts to the other float type and back. The function is linear, so a large step of the
  // differences reduces the effect of rounding.
  rows.push_back({.name = "cast",
                  .operands = {f({7})},
                  .build =
                      [](Graph& g, const Values& x) {
                        const DType own = g.type(x[0]).dtype;
                        return Values{cast(
                            g, cast(g, x[0], own == DType::F32 ? DType::F64 : DType::F32), own)};
                      },
                  .step = 0.0625,
                  .gradientTolerance = 1e-5});
  rows.push_back({.name = "cast/from integers",
                  .operands = {integers({4}, DType::I32, -9, 9), integers({4}, DType::U8, 0, 255)},
                  .build = [](Graph& g, const Values& x) {
                    return Values{cast(g, x[0], DType::F32), cast(g, x[1], DType::I64)};
                  }});
  rows.push_back(
      {.name = "affine", .operands = {f({3, 3})}, .build = [](Graph& g, const Values& x) {
         return Values{affine(g, x[0], 1.75, -0.25, g.type(x[0]).dtype)};
       }});
  rows.push_back({.name = "affine/bytes",
                  .operands = {integers({2, 9}, DType::U8, 0, 255)},
                  .build = [](Graph& g, const Values& x) {
                    return Values{affine(g, x[0], 1 / 255.0, -0.5)};
                  }});
}

void addBinary(Rows& rows) {
  const std::vector<std::pair<const char*, std::vector<OperandSpec>>> operands = {
      {"same", {f({3, 4}, 0.3, 2), f({3, 4}, 0.4, 2.2)}},
      {"outer", {f({3, 1}, 0.3, 2), f({1, 4}, 0.4, 2.2)}},
      {"bias", {f({2, 3, 5}, 0.3, 2), f({5}, 0.4, 2.2)}},
      {"scalar", {f({}, 0.3, 2), f({2, 3}, 0.4, 2.2)}},
      {"empty", {f({0, 3}, 0.3, 2), f({3}, 0.4, 2.2)}},
  };
  for (const char* op : {"add", "subtract", "multiply", "divide", "maximum", "minimum", "power",
                         "less", "less_equal", "greater", "greater_equal", "equal", "not_equal"})
    for (const auto& [name, specs] : operands)
      rows.push_back(plain(std::string(op) + "/" + name, op, specs));
  rows.push_back(plain("add/integers", "add",
                       {integers({3, 4}, DType::I32, -9, 9), integers({4}, DType::I32, -9, 9)}));
  rows.push_back(plain("equal/integers", "equal",
                       {integers({9}, DType::I32, 0, 3), integers({9}, DType::I32, 0, 3)}));
  const OperandSpec condition = fixed({3, 4}, {0, 1, 1, 0, 1, 0, 0}, false);
  rows.push_back(plain("select", "select", {condition, f({3, 4}), f({3, 4})}));
  rows.push_back(
      plain("select/broadcast", "select", {fixed({3, 1}, {0, 1, 1}, false), f({4}), f({3, 4})}));
}

void addActivations(Rows& rows) {
  // The values lie on both sides of every kink of every activation, at a distance of at least 0.05.
  const OperandSpec x = fixed({2, 8}, {-4.1, -3.3, -2.2, -1.3, -0.8, -0.6, -0.4, -0.07, 0.06, 0.35,
                                       0.65, 0.8, 1.4, 2.7, 5.2, 6.6});
  const auto add = [&](std::string name, std::string kind, double alpha) {
    rows.push_back(
        {.name = std::move(name), .operands = {x}, .build = [=](Graph& g, const Values& v) {
           return Values{activation(g, v[0], kind, alpha)};
         }});
  };
  for (std::string_view kind : kActivationNames)
    add("activation/" + std::string(kind), std::string(kind), 0);
  for (const char* kind : {"leaky_relu", "elu", "celu", "soft_shrink", "hard_shrink", "squareplus"})
    add(std::string("activation/") + kind + " alpha", kind, 0.7);
  rows.push_back(plain("softmax", "softmax", {f({3, 5}, -3, 3)}));
  rows.push_back(plain("softmax/axis 1", "softmax", {f({2, 3, 4}, -3, 3)}, {{"axis", int64_t{1}}}));
  rows.push_back(plain("softmax/one class", "softmax", {f({3, 1})}));
  rows.push_back(plain("softmax/large", "softmax", {f({3, 5}, -300, 300)}));
  rows.push_back(plain("log_softmax", "log_softmax", {f({3, 5}, -3, 3)}));
  rows.push_back(
      plain("log_softmax/axis 0", "log_softmax", {f({3, 5}, -3, 3)}, {{"axis", int64_t{0}}}));
}

void addMovement(Rows& rows) {
  rows.push_back(plain("reshape", "reshape", {f({2, 6})}, {{"shape", Ints{3, 4}}}));
  rows.push_back(
      plain("transpose/matrix", "transpose", {f({3, 5})}, {{"permutation", Ints{1, 0}}}));
  rows.push_back(
      plain("transpose/four", "transpose", {f({2, 3, 4, 5})}, {{"permutation", Ints{0, 3, 1, 2}}}));
  rows.push_back(plain("transpose/bytes", "transpose", {integers({2, 3, 4}, DType::U8, 0, 255)},
                       {{"permutation", Ints{2, 0, 1}}}));
  rows.push_back(plain("broadcast_to", "broadcast_to", {f({3, 1})}, {{"shape", Ints{2, 3, 4}}}));
  rows.push_back(plain("broadcast_to/scalar", "broadcast_to", {f({})}, {{"shape", Ints{5}}}));
  rows.push_back(plain("concatenate", "concatenate", {f({2, 3, 2}), f({2, 1, 2}), f({2, 2, 2})},
                       {{"axis", int64_t{1}}}));
  rows.push_back(plain("concatenate/empty part", "concatenate", {f({2, 3}), f({2, 0})},
                       {{"axis", int64_t{-1}}}));
  rows.push_back(
      plain("slice", "slice", {f({4, 5, 3})}, {{"begin", Ints{1, 0, 2}}, {"size", Ints{2, 5, 1}}}));
  rows.push_back(plain("pad", "pad", {f({2, 3})},
                       {{"before", Ints{1, 0}}, {"after", Ints{0, 2}}, {"value", 0.5}}));
  rows.push_back(plain("gather", "gather", {f({5, 3}), integers({2, 4}, DType::I32, 0, 4)}));
  for (const char* dtype : {"bf16", "f16"}) {
    OpRow row =
        plain(std::string("gather/") + dtype, "gather",
              {f({5, 3}), integers({2, 4}, DType::I32, 0, 5)}, {{"dtype", std::string(dtype)}});
    row.operands[0].dtype = DType::F32;
    row.hasGradient = false;
    rows.push_back(std::move(row));
  }
  OpRow squares = plain("gather_backward/squares", "gather_backward",
                        {f({9, 3}), integers({9}, DType::I32, 0, 4)},
                        {{"rows", int64_t{4}}, {"squares", true}});
  squares.hasGradient = false;
  rows.push_back(std::move(squares));
  rows.push_back(
      plain("gather/no indices", "gather", {f({5, 3}), integers({0}, DType::I64, 0, 4)}));
  rows.push_back(plain("gather_backward", "gather_backward",
                       {f({2, 4, 3}), integers({2, 4}, DType::I64, 0, 4)}, {{"rows", int64_t{5}}}));
  rows.push_back(plain("one_hot", "one_hot",
                       {{.shape = {2, 3}, .dtype = DType::I32, .values = {0, 4, -1, 2, 5, 3}}},
                       {{"classes", int64_t{5}}}));
}

void addReductions(Rows& rows) {
  const auto axes = [](Ints list, bool keepdims = false) {
    return Attributes{{"axes", std::move(list)}, {"keepdims", keepdims}};
  };
  rows.push_back(plain("reduce_sum/last", "reduce_sum", {f({3, 7})}, axes({-1})));
  rows.push_back(plain("reduce_sum/first", "reduce_sum", {f({7, 3})}, axes({0}, true)));
  rows.push_back(plain("reduce_sum/middle", "reduce_sum", {f({2, 3, 4, 5})}, axes({1, 2})));
  rows.push_back(plain("reduce_sum/all", "reduce_sum", {f({3, 5})}, axes({0, 1})));
  rows.push_back(plain("reduce_sum/empty", "reduce_sum", {f({0, 3})}, axes({0})));
  rows.push_back(plain("reduce_max/last", "reduce_max", {distinct({3, 7})}, axes({-1})));
  rows.push_back(
      plain("reduce_max/outer", "reduce_max", {distinct({3, 4, 2})}, axes({0, 2}, true)));
  OpRow large = plain("reduce_sum/large", "reduce_sum", {f({9001})}, axes({0}));
  large.hasGradient = false;
  rows.push_back(std::move(large));
  rows.push_back(plain("argmax", "argmax", {distinct({4, 6})}, {{"axis", int64_t{-1}}}));
  rows.push_back(plain("argmax/axis 0", "argmax", {distinct({4, 6})}, {{"axis", int64_t{0}}}));
}

void addProducts(Rows& rows) {
  const auto flags = [](bool a, bool b) {
    return Attributes{{"transpose_a", a}, {"transpose_b", b}};
  };
  rows.push_back(plain("matmul/nn", "matmul", {f({3, 5}), f({5, 4})}));
  rows.push_back(plain("matmul/tn", "matmul", {f({5, 3}), f({5, 4})}, flags(true, false)));
  rows.push_back(plain("matmul/nt", "matmul", {f({3, 5}), f({4, 5})}, flags(false, true)));
  rows.push_back(plain("matmul/tt", "matmul", {f({5, 3}), f({4, 5})}, flags(true, true)));
  rows.push_back(plain("matmul/batched", "matmul", {f({2, 3, 5}), f({2, 5, 4})}));
  rows.push_back(
      plain("matmul/batched tt", "matmul", {f({2, 5, 3}), f({2, 4, 5})}, flags(true, true)));
  rows.push_back(plain("matmul/one", "matmul", {f({1, 1}), f({1, 1})}));
  rows.push_back(plain("matmul/no inner", "matmul", {f({2, 0}), f({0, 3})}));
  rows.push_back(plain("matmul/no rows", "matmul", {f({0, 2}), f({2, 3})}));
  rows.push_back(plain("matmul/bias", "matmul", {f({3, 5}), f({5, 4}), f({4})}));
  rows.push_back(withoutGradient(plain("matmul/bias relu", "matmul", {f({5, 7}), f({7, 9}), f({9})},
                                       {{"activation", std::string("relu")}})));
  rows.push_back(withoutGradient(plain("matmul/bias elu", "matmul", {f({5, 7}), f({7, 9}), f({9})},
                                       {{"activation", std::string("elu")}, {"alpha", 0.7}})));
  const auto siblings = [](bool transposed, bool hasBias, const char* activations) {
    return Attributes{{"transpose_b", transposed},
                      {"has_bias", hasBias},
                      {"activations", std::string(activations)}};
  };
  rows.push_back(
      withoutGradient(plain("matmul_siblings", "matmul_siblings", {f({3, 5}), f({5, 4}), f({5, 7})},
                            siblings(false, false, "linear,relu"))));
  rows.push_back(withoutGradient(
      plain("matmul_siblings/bias", "matmul_siblings",
            {f({9, 33}), f({33, 4}), f({4}), f({33, 1}), f({1}), f({33, 40}), f({40})},
            siblings(false, true, "tanh,linear,relu"))));
  rows.push_back(withoutGradient(plain("matmul_siblings/nt large", "matmul_siblings",
                                       {f({80, 65}), f({17, 65}), f({33, 65}), f({8, 65})},
                                       siblings(true, false, "linear,linear,sigmoid"))));
  rows.push_back(resultOfLow("matmul/f32 result", "matmul", {f({3, 5}), f({5, 4})}, {}));
  rows.push_back(resultOfLow("matmul/batched f32 result", "matmul", {f({2, 5, 3}), f({2, 4, 5})},
                             flags(true, true)));
  rows.push_back(resultOfLow("matmul/no inner f32 result", "matmul", {f({2, 0}), f({0, 3})}, {}));
  rows.push_back(withoutGradient(plain("matmul/wide", "matmul", {f({17, 65}), f({65, 33})})));
}

Attributes window(Ints strides, Ints dilation, Ints before, Ints after, int64_t groups = 1) {
  return {{"strides", std::move(strides)},
          {"dilation", std::move(dilation)},
          {"padding_before", std::move(before)},
          {"padding_after", std::move(after)},
          {"groups", groups}};
}

void addConvolutions(Rows& rows) {
  rows.push_back(plain("conv2d/valid", "conv2d", {f({2, 5, 6, 3}), f({3, 2, 3, 4})}));
  rows.push_back(plain("conv2d/same", "conv2d", {f({1, 5, 5, 2}), f({3, 3, 2, 3})},
                       window({1, 1}, {1, 1}, {1, 1}, {1, 1})));
  rows.push_back(plain("conv2d/same stride 2", "conv2d", {f({2, 6, 6, 2}), f({3, 3, 2, 3})},
                       window({2, 2}, {1, 1}, {0, 0}, {1, 1})));
  rows.push_back(plain("conv2d/uneven stride", "conv2d", {f({1, 7, 8, 2}), f({2, 3, 2, 3})},
                       window({3, 2}, {1, 1}, {0, 1}, {1, 1})));
  rows.push_back(plain("conv2d/dilation", "conv2d", {f({1, 7, 7, 2}), f({3, 3, 2, 2})},
                       window({1, 1}, {2, 2}, {2, 2}, {2, 2})));
  rows.push_back(plain("conv2d/groups", "conv2d", {f({1, 4, 5, 4}), f({3, 3, 2, 6})},
                       window({1, 1}, {1, 1}, {1, 1}, {1, 1}, 2)));
  rows.push_back(plain("conv2d/1x1", "conv2d", {f({2, 3, 3, 3}), f({1, 1, 3, 5})}));
  rows.push_back(plain("conv2d/one pixel", "conv2d", {f({1, 1, 1, 1}), f({3, 3, 1, 1})},
                       window({1, 1}, {1, 1}, {1, 1}, {1, 1})));
  rows.push_back(plain("conv2d/bias", "conv2d", {f({1, 4, 4, 2}), f({3, 3, 2, 3}), f({3})}));
  const auto transposed = [&](const char* name, const char* op, Shape dy, Shape w,
                              Attributes attributes, Ints input) {
    attributes.set("input_shape", std::move(input));
    rows.push_back(plain(name, op, {f(std::move(dy)), f(std::move(w))}, std::move(attributes)));
  };
  transposed("conv2d_backward_data/same stride 2", "conv2d_backward_data", {2, 3, 3, 3},
             {3, 3, 2, 3}, window({2, 2}, {1, 1}, {0, 0}, {1, 1}), {2, 6, 6, 2});
  transposed("conv2d_backward_data/dilation and groups", "conv2d_backward_data", {1, 3, 2, 4},
             {2, 2, 1, 4}, window({1, 1}, {2, 2}, {0, 0}, {0, 0}, 2), {1, 5, 4, 2});
  transposed("depthwise_conv2d_backward_data/same", "depthwise_conv2d_backward_data", {1, 4, 4, 4},
             {3, 3, 2, 2}, window({1, 1}, {1, 1}, {1, 1}, {1, 1}), {1, 4, 4, 2});
  const auto krsc = [](Attributes attributes) {
    attributes.set("weights", std::string("krsc"));
    return attributes;
  };
  rows.push_back(
      plain("conv2d/krsc", "conv2d", {f({2, 5, 6, 3}), f({4, 3, 2, 3}), f({4})}, krsc({})));
  rows.push_back(plain("conv2d/krsc same stride 2", "conv2d", {f({2, 6, 6, 2}), f({3, 3, 3, 2})},
                       krsc(window({2, 2}, {1, 1}, {0, 0}, {1, 1}))));
  rows.push_back(plain("conv2d/krsc groups and dilation", "conv2d",
                       {f({1, 6, 7, 4}), f({6, 3, 2, 2})},
                       krsc(window({2, 1}, {1, 2}, {1, 0}, {1, 2}, 2))));
  rows.push_back(plain("conv2d/krsc 1x1", "conv2d", {f({2, 3, 3, 3}), f({5, 1, 1, 3})}, krsc({})));
  rows.push_back(plain("conv2d/krsc ones", "conv2d", {f({1, 1, 1, 1}), f({1, 1, 1, 1})}, krsc({})));
  transposed("conv2d_backward_data/krsc", "conv2d_backward_data", {2, 3, 2, 4}, {4, 2, 3, 2},
             krsc(window({2, 2}, {1, 1}, {1, 0}, {0, 1}, 2)), {2, 5, 4, 4});
  const auto gradientInF32 = [&](const char* name, Shape x, Shape dy, Attributes attributes,
                                 Ints w) {
    attributes.set("weight_shape", std::move(w));
    rows.push_back(resultOfLow(std::string("conv2d_backward_weights/") + name,
                               "conv2d_backward_weights", {f(std::move(x)), f(std::move(dy))},
                               std::move(attributes)));
  };
  gradientInF32("f32 result", {2, 5, 6, 3}, {2, 3, 5, 4}, {}, {3, 2, 3, 4});
  gradientInF32("f32 result krsc", {2, 6, 6, 2}, {2, 3, 3, 3},
                krsc(window({2, 2}, {1, 1}, {0, 0}, {1, 1})), {3, 3, 3, 2});
  gradientInF32("f32 result of no samples", {0, 4, 4, 2}, {0, 2, 2, 3}, {}, {3, 3, 2, 3});
  rows.push_back(plain("conv2d/no samples", "conv2d", {f({0, 4, 4, 2}), f({3, 3, 2, 3})}));
  Attributes fused = window({1, 1}, {1, 1}, {1, 1}, {1, 1});
  fused.set("activation", std::string("relu"));
  rows.push_back(withoutGradient(plain("conv2d/krsc bias relu", "conv2d",
                                       {f({3, 9, 9, 5}), f({17, 3, 3, 5}), f({17})}, krsc(fused))));
  rows.push_back(withoutGradient(
      plain("conv2d/bias relu", "conv2d", {f({3, 9, 9, 5}), f({3, 3, 5, 17}), f({17})}, fused)));
  rows.push_back(
      plain("depthwise_conv2d/valid", "depthwise_conv2d", {f({2, 5, 4, 3}), f({3, 2, 3, 2})}));
  rows.push_back(plain("depthwise_conv2d/same stride 2", "depthwise_conv2d",
                       {f({1, 6, 5, 3}), f({3, 3, 3, 1})}, window({2, 2}, {1, 1}, {0, 1}, {1, 1})));
  rows.push_back(plain("depthwise_conv2d/dilation", "depthwise_conv2d",
                       {f({1, 6, 6, 2}), f({2, 2, 2, 3})}, window({1, 1}, {2, 2}, {1, 1}, {1, 1})));
}

void addPooling(Rows& rows) {
  const auto pool = [](Ints size, Ints strides, Ints before, Ints after) {
    return Attributes{{"pool_size", std::move(size)},
                      {"strides", std::move(strides)},
                      {"padding_before", std::move(before)},
                      {"padding_after", std::move(after)}};
  };
  for (const std::string op : {"max_pool2d", "avg_pool2d"}) {
    rows.push_back(
        plain(op + "/halves", op, {distinct({2, 4, 6, 3})}, pool({2, 2}, {2, 2}, {0, 0}, {0, 0})));
    rows.push_back(plain(op + "/same odd", op, {distinct({1, 5, 5, 2})},
                         pool({2, 2}, {2, 2}, {0, 0}, {1, 1})));
    rows.push_back(plain(op + "/overlapping", op, {distinct({1, 7, 5, 3})},
                         pool({3, 3}, {2, 1}, {1, 1}, {1, 1})));
    rows.push_back(
        plain(op + "/gaps", op, {distinct({1, 7, 7, 1})}, pool({2, 1}, {3, 4}, {0, 0}, {0, 0})));
    if (op == "max_pool2d") {
      Attributes activated = pool({2, 2}, {2, 2}, {0, 0}, {0, 0});
      activated.set("activation", std::string("relu"));
      rows.push_back(
          withoutGradient(plain(op + "/activation", op, {distinct({2, 4, 6, 3})}, activated)));
    }
    rows.push_back(
        plain(op + "/one", op, {distinct({1, 1, 1, 1})}, pool({1, 1}, {1, 1}, {0, 0}, {0, 0})));
  }
}

void addNormalizationAndLosses(Rows& rows) {
  OpRow norm = plain("batch_norm/images", "batch_norm",
                     {f({2, 3, 3, 4}, -2, 3), f({4}, 0.5, 1.5), f({4})}, {{"epsilon", 1e-3}});
  norm.seededOutputs = 1;
  rows.push_back(norm);
  norm = plain("batch_norm/features", "batch_norm", {f({7, 5}, -2, 3), f({5}, 0.5, 1.5), f({5})},
               {{"epsilon", 1e-3}});
  norm.seededOutputs = 1;
  rows.push_back(norm);
  norm = plain("batch_norm/one sample", "batch_norm", {f({1, 3}), f({3}, 0.5, 1.5), f({3})},
               {{"epsilon", 1e-3}});
  norm.seededOutputs = 1;
  rows.push_back(norm);

  const Attributes relu{{"activation", std::string("relu")}};
  rows.push_back(withoutGradient(
      plain("batch_norm/relu", "batch_norm", {f({6, 5}, -2, 3), f({5}, 0.5, 1.5), f({5})}, relu)));
  rows.push_back(withoutGradient(
      plain("batch_norm/sum relu", "batch_norm",
            {f({2, 3, 3, 4}, -2, 3), f({4}, 0.5, 1.5), f({4}), f({2, 3, 3, 4})}, relu)));

  const auto layerNorm = [&](const char* name, std::vector<OperandSpec> operands,
                             int64_t dimensions, bool hasScale, bool hasCenter) {
    OpRow row = plain(std::string("layer_norm/") + name, "layer_norm", std::move(operands),
                      {{"epsilon", 1e-3},
                       {"dimensions", dimensions},
                       {"scale", hasScale},
                       {"center", hasCenter}});
    row.seededOutputs = 1;
    rows.push_back(row);
  };
  layerNorm("steps", {f({2, 3, 5}, -2, 3), f({5}, 0.5, 1.5), f({5})}, 1, true, true);
  layerNorm("images", {f({3, 2, 3, 4}, -2, 3), f({2, 3, 4}, 0.5, 1.5), f({2, 3, 4})}, 3, true,
            true);
  layerNorm("without offset", {f({7, 9}, -2, 3), f({9}, 0.5, 1.5)}, 1, true, false);
  layerNorm("without scale", {f({4, 6}, -2, 3), f({6})}, 1, false, true);
  layerNorm("plain", {f({5, 33}, -2, 3)}, 1, false, false);
  layerNorm("one row", {f({3, 4}, -2, 3), f({3, 4})}, 2, true, false);
  rows.push_back(
      withoutGradient(plain("layer_norm_backward/adds", "layer_norm_backward",
                            {f({4, 3}), f({4, 3}), f({4}), f({4}, 0.5, 2), f({3}), f({4, 3})},
                            {{"scale", true}, {"adds", true}})));

  for (const double rate : {0.0, 0.5})
    rows.push_back(plain("dropout/" + std::to_string(rate).substr(0, 3), "dropout",
                         {f({4, 9}), scalarI64(7), scalarI64(3), scalarI64(5)},
                         {{"rate", rate}, {"stream", std::string("layer")}}));

  rows.push_back(withoutGradient(
      plain("random_uniform", "random_uniform", {scalarI64(7), scalarI64(3), scalarI64(5)},
            {{"shape", std::vector<int64_t>{4, 9}}, {"stream", std::string("layer")}})));

  rows.push_back(plain("softmax_cross_entropy/labels", "softmax_cross_entropy",
                       {f({4, 5}, -3, 3), integers({4}, DType::I32, 0, 4)}));
  rows.push_back(plain(
      "softmax_cross_entropy/ignored", "softmax_cross_entropy",
      {f({2, 3, 5}, -3, 3), {.shape = {2, 3}, .dtype = DType::I32, .values = {0, 2, 4, 2, 1, 3}}},
      {{"ignore_class", int64_t{2}}}));
  OperandSpec target = f({4, 5}, 0, 1);
  target.isDifferentiated = false;
  rows.push_back(
      plain("softmax_cross_entropy/dense", "softmax_cross_entropy", {f({4, 5}, -3, 3), target}));
  rows.push_back({"ctc_loss",
                  {f({5, 4, 3}, -2, 2),
                   {.shape = {5, 3},
                    .dtype = DType::I32,
                    .values = {1, 2, 0, 2, 2, 0, 0, 0, 0, 1, 2, 1, 1, 1, 1}}},
                  [](Graph& g, const Values& x) {
                    return Values{ctcLoss(g, x[0], x[1])};
                  }});
  for (OpRow& row : classificationLossRows())
    rows.push_back(std::move(row));
  rows.push_back(plain("sigmoid_cross_entropy", "sigmoid_cross_entropy",
                       {f({3, 5}, -4, 4, 0.1), f({3, 5}, 0, 1)}));
}

void addUpdates(Rows& rows) {
  const Shape shape{5, 7};
  const OperandSpec rate = fixed({}, {0.125}, false), step = scalarI64(3);
  const auto add = [&](std::string name, std::string op, std::vector<OperandSpec> operands,
                       Attributes attributes = {}) {
    rows.push_back(withoutGradient(
        plain(std::move(name), std::move(op), std::move(operands), std::move(attributes))));
  };
  add("assign", "assign", {state(shape), f(shape)});
  add("sgd_update", "sgd_update", {state(shape), f(shape), rate}, {{"weight_decay", 0.1}});
  add("sgd_update/momentum", "sgd_update", {state(shape), f(shape), rate, state(shape)},
      {{"momentum", 0.9}});
  add("sgd_update/nesterov", "sgd_update", {state(shape), f(shape), rate, state(shape)},
      {{"momentum", 0.9}, {"nesterov", true}, {"weight_decay", 0.1}});
  add("adam_update", "adam_update",
      {state(shape), f(shape), state(shape), state(shape, 0.1, 1), rate, step});
  add("adam_update/amsgrad", "adam_update",
      {state(shape), f(shape), state(shape), state(shape, 0.1, 1), rate, step,
       state(shape, 0.1, 1)},
      {{"amsgrad", true}, {"weight_decay", 0.1}, {"epsilon", 1e-4}});
  add("matmul_sgd_update", "matmul_sgd_update", {state(shape), f({6, 5}), f({6, 7}), rate});
  add("matmul_sgd_update/nesterov", "matmul_sgd_update",
      {state(shape), f({6, 5}), f({6, 7}), rate, state(shape)},
      {{"momentum", 0.9}, {"nesterov", true}, {"weight_decay", 0.1}});
  add("matmul_adam_update", "matmul_adam_update",
      {state(shape), f({6, 5}), f({6, 7}), state(shape), state(shape, 0.1, 1), rate, step});
  add("matmul_adam_update/amsgrad", "matmul_adam_update",
      {state(shape), f({1, 5}), f({1, 7}), state(shape), state(shape, 0.1, 1), rate, step,
       state(shape, 0.1, 1)},
      {{"amsgrad", true}, {"weight_decay", 0.1}, {"epsilon", 1e-4}});
  add("rmsprop_update", "rmsprop_update", {state(shape), f(shape), state(shape, 0.1, 1), rate});
  add("rmsprop_update/momentum", "rmsprop_update",
      {state(shape), f(shape), state(shape, 0.1, 1), rate, state(shape)}, {{"momentum", 0.9}});
  // As in training, the moving average of the gradient is small compared with that of its square.
  add("rmsprop_update/centered", "rmsprop_update",
      {state(shape), f(shape), state(shape, 0.5, 1), rate, state(shape, -0.2, 0.2)},
      {{"centered", true}});
  add("rmsprop_update/both", "rmsprop_update",
      {state(shape), f(shape), state(shape, 0.5, 1), rate, state(shape), state(shape, -0.2, 0.2)},
      {{"momentum", 0.9}, {"centered", true}, {"weight_decay", 0.1}});
  const auto apply = [](double flag) {
    return OperandSpec{
        .shape = {}, .dtype = DType::F32, .values = {flag}, .isDifferentiated = false};
  };
  add("assign/applied", "assign", {state(shape), f(shape), apply(1)});
  add("sgd_update/not applied", "sgd_update", {state(shape), f(shape), rate, apply(0)});
  add("adam_update/not applied", "adam_update",
      {state(shape), f(shape), state(shape), state(shape, 0.1, 1), rate, step, apply(0)});
  add("all_finite", "all_finite", {f(shape), f({70, 80}), f({})});
  add("all_finite/pairs", "all_finite", {f(shape), f({6, 5}), f({6, 7})}, {{"pairs", int64_t{1}}});
  add("all_finite/chained", "all_finite", {apply(0), f(shape)}, {{"chained", true}});
  add("all_finite/infinite", "all_finite", {f(shape), fixed({2}, {1, INFINITY}, false)});
  add("all_finite_and_norm", "all_finite_and_norm", {f(shape), f({70, 80}), f({})},
      {{"measured", int64_t{2}}});
  add("all_finite_and_norm/infinite", "all_finite_and_norm",
      {f(shape), fixed({2}, {1, INFINITY}, false)}, {{"measured", int64_t{1}}});
  const auto number = [](double value) {
    return OperandSpec{
        .shape = {}, .dtype = DType::I64, .values = {value}, .isDifferentiated = false};
  };
  add("gradient_norm", "gradient_norm", {number(3), f(shape), f({70, 80}), f({})});
  add("gradient_norm/not due", "gradient_norm", {number(3), f(shape)}, {{"interval", int64_t{4}}});
  add("gradient_norm/due", "gradient_norm", {number(9), f(shape)}, {{"interval", int64_t{4}}});
  add("gradient_norm/unknown", "gradient_norm", {number(1)});
  // The sum over rows is shorter for the first pair, and over columns for the second one
  add("gradient_norm/pairs", "gradient_norm",
      {number(1), f(shape), f({3, 50}), f({3, 70}), f({40, 5}), f({40, 7})},
      {{"pairs", int64_t{2}}});
  add("adagrad_update", "adagrad_update", {state(shape), f(shape), state(shape, 0.1, 1), rate},
      {{"weight_decay", 0.1}});
}

}  // namespace

const std::vector<OpRow>& opRows() {
  static const Rows kRows = [] {
    Rows rows;
    addPointwise(rows);
    addUnary(rows);
    addBinary(rows);
    addActivations(rows);
    addMovement(rows);
    addReductions(rows);
    addProducts(rows);
    addConvolutions(rows);
    addPooling(rows);
    addSequenceRows(rows);
    addNormalizationAndLosses(rows);
    addUpdates(rows);
    addJoinedRows(rows);
    addLayoutRows(rows);
    return rows;
  }();
  return kRows;
}

}  // namespace strata::test
