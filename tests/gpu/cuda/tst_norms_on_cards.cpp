// SPDX-License-Identifier: Apache-2.0
// Normalization, attention, recurrent cells, pooling and convolutions on a simulated card, with
// sizes that the op table does not have: odd and large ones, whose work is split into several
// blocks and parts. The results are compared with those of the interpreter. Results of captured and
// uncaptured steps must have the same bits.
// STRATA_TEST_ROWS=text runs only the rows whose name contains the text.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "gpu/base/error.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/gpu/ops/op_rows.h"

TEST_SUITE_BEGIN("norms on cards");

namespace strata::test {

namespace {

using Values = std::vector<ValueId>;
using Ints = std::vector<int64_t>;
using Rows = std::vector<OpRow>;

OperandSpec random(Shape shape, double low = -1, double high = 1) {
  return {.shape = std::move(shape), .dtype = {}, .low = low, .high = high};
}
/// A parameter that is f32 in all runs.
OperandSpec wide(Shape shape, double low = -1, double high = 1) {
  return {.shape = std::move(shape), .dtype = DType::F32, .low = low, .high = high};
}
/// A bias. Its gradient is a sum, which is f32 in all runs.
OperandSpec withoutSum(OperandSpec bias) {
  bias.isDifferentiated = false;
  return bias;
}
/// A mask that hides some elements. All elements of row `hidden` are hidden.
OperandSpec mask(Shape shape, int64_t hidden = -1) {
  std::vector<double> kept;
  for (int64_t i = 0; i < shape.numElements(); ++i)
    kept.push_back(i % 3 == 1 || i % 7 == 2 || i / shape.dim(-1) == hidden ? 0 : 1);
  return {
      .shape = std::move(shape), .dtype = {}, .values = std::move(kept), .isDifferentiated = false};
}

OpRow plain(std::string name, std::string op, std::vector<OperandSpec> operands,
            Attributes attributes = {}) {
  OpRow row{std::move(name), std::move(operands), [op, attributes](Graph& g, const Values& x) {
              return g.node(g.addNode(opNamed(op), x, attributes)).outputs;
            }};
  row.seededOutputs = 1;
  return row;
}

OpRow withoutGradient(OpRow row) {
  row.hasGradient = false;
  return row;
}

/// A normalization with a fused relu and its gradient. The relu is undone by y, or by beta.
OpRow gatedNorm(std::string name, Shape x, bool hasAddend, bool readsBeta) {
  const int64_t channels = x.dim(-1);
  std::vector<OperandSpec> operands{random(x, -2, 3), wide({channels}, 0.5, 1.5), wide({channels}),
                                    random(x)};
  if (hasAddend) operands.push_back(random(x));
  return withoutGradient(
      {std::move(name), std::move(operands), [=](Graph& g, const Values& v) {
         Values inputs{v[0], v[1], v[2]};
         if (hasAddend) inputs.push_back(v[4]);
         const Values y =
             g.node(g.addNode(opNamed("batch_norm"), inputs, {{"activation", std::string("relu")}}))
                 .outputs;
         const Values dx =
             g.node(g.addNode(opNamed("batch_norm_backward"),
                              {v[3], v[0], v[1], y[1], y[2], readsBeta ? v[2] : y[0]}))
                 .outputs;
         return Values{y[0], y[1], y[2], dx[0], dx[1], dx[2]};
       }});
}

Rows normRows() {
  Rows rows;
  const auto batch = [&](const char* name, Shape x, double low = -2, double high = 3) {
    const int64_t channels = x.dim(-1);
    rows.push_back(
        plain(std::string("batch_norm/") + name, "batch_norm",
              {random(std::move(x), low, high), wide({channels}, 0.5, 1.5), wide({channels})}));
  };
  batch("one row", {1, 33});
  batch("one channel", {5000, 1});
  batch("three channels", {1000, 3});
  batch("odd channels", {33, 130});
  batch("many rows", {1000, 130});
  batch("images", {2, 17, 9, 33});
  batch("large mean", {1000, 33}, 1000, 1001);
  rows.back().hasGradient = false;
  rows.push_back(gatedNorm("batch_norm/relu, backward with y", {1000, 33}, false, false));
  rows.push_back(gatedNorm("batch_norm/relu, backward with beta", {33, 130}, false, true));
  rows.push_back(gatedNorm("batch_norm/sum relu, backward with y", {3, 11, 7, 5}, true, false));
  const auto layer = [&](const char* name, Shape x, Shape row, bool hasScale, bool hasCenter,
                         double low = -2, double high = 3) {
    std::vector<OperandSpec> operands{random(std::move(x), low, high)};
    if (hasScale) operands.push_back(wide(row, 0.5, 1.5));
    if (hasCenter) operands.push_back(wide(row));
    rows.push_back(
        plain(std::string("layer_norm/") + name, "layer_norm", std::move(operands),
              {{"dimensions", int64_t{row.rank()}}, {"scale", hasScale}, {"center", hasCenter}}));
  };
  layer("one element", {33, 1}, {1}, true, true);
  layer("many rows", {1000, 33}, {33}, true, true);
  layer("odd rows", {1000, 130}, {130}, true, false);
  layer("long rows", {7, 2000}, {2000}, false, true);
  layer("several axes", {3, 5, 11, 90}, {11, 90}, true, true);
  layer("one long row", {1, 5000}, {5000}, false, false);
  layer("large mean", {33, 1000}, {1000}, true, true, 1000, 1001);
  const auto gradient = [&](const char* name, int64_t count, int64_t size, bool hasScale) {
    std::vector<OperandSpec> operands{random({count, size}), random({count, size}), wide({count}),
                                      wide({count}, 0.5, 2)};
    if (hasScale) operands.push_back(wide({size}, 0.5, 1.5));
    operands.push_back(random({count, size}));
    rows.push_back(withoutGradient(plain(std::string("layer_norm_backward/adds, ") + name,
                                         "layer_norm_backward", std::move(operands),
                                         {{"scale", hasScale}, {"adds", true}})));
  };
  gradient("odd rows", 1000, 130, true);
  gradient("long rows", 7, 2000, false);
  rows.back().hasGradient = false;
  return rows;
}

Attributes window(Ints strides, Ints dilation, Ints before, Ints after, int64_t groups = 1) {
  return {{"strides", std::move(strides)},
          {"dilation", std::move(dilation)},
          {"padding_before", std::move(before)},
          {"padding_after", std::move(after)},
          {"groups", groups}};
}

Rows windowRows() {
  Rows rows;
  const auto same = window({1, 1}, {1, 1}, {1, 1}, {1, 1});
  rows.push_back(plain("depthwise_conv2d/odd channels", "depthwise_conv2d",
                       {random({2, 17, 19, 33}), random({3, 3, 33, 1})}, same));
  rows.push_back(plain("depthwise_conv2d/multiplier", "depthwise_conv2d",
                       {random({1, 33, 9, 3}), random({5, 4, 3, 4})},
                       window({2, 1}, {1, 2}, {2, 1}, {1, 2})));
  rows.push_back(plain("depthwise_conv2d/one channel", "depthwise_conv2d",
                       {random({3, 40, 33, 1}), random({3, 3, 1, 1})}, same));
  rows.push_back(plain("depthwise_conv2d/many channels", "depthwise_conv2d",
                       {random({2, 5, 6, 130}), random({3, 3, 130, 1})}, same));
  rows.push_back(plain("depthwise_conv2d/no samples", "depthwise_conv2d",
                       {random({0, 5, 6, 3}), random({3, 3, 3, 2})}, same));
  Attributes fused = same;
  fused.set("activation", std::string("gelu"));
  rows.push_back(
      withoutGradient(plain("depthwise_conv2d/bias gelu", "depthwise_conv2d",
                            {random({2, 9, 8, 33}), random({3, 3, 33, 2}), random({66})}, fused)));
  rows.push_back(plain("conv2d/three groups", "conv2d",
                       {random({2, 9, 11, 12}), random({3, 3, 4, 15})},
                       window({1, 1}, {1, 1}, {1, 1}, {1, 1}, 3)));
  rows.push_back(plain("conv2d/groups, dilation, uneven padding", "conv2d",
                       {random({2, 13, 11, 6}), random({3, 2, 3, 8}), withoutSum(random({8}))},
                       window({2, 1}, {2, 3}, {1, 2}, {2, 0}, 2)));
  rows.push_back(plain("conv2d/a group per channel", "conv2d",
                       {random({1, 8, 8, 33}), random({3, 3, 1, 33})},
                       window({1, 1}, {1, 1}, {1, 1}, {1, 1}, 33)));
  rows.push_back(plain("conv2d/dilation 3", "conv2d",
                       {random({1, 20, 19, 5}), random({3, 3, 5, 7})},
                       window({1, 1}, {3, 3}, {3, 3}, {3, 3})));
  Attributes krsc = window({2, 1}, {2, 3}, {1, 2}, {2, 0}, 2);
  krsc.set("weights", std::string("krsc"));
  rows.push_back(plain("conv2d/krsc, groups, dilation, uneven padding", "conv2d",
                       {random({2, 13, 11, 6}), random({8, 3, 2, 3}), withoutSum(random({8}))},
                       krsc));
  Attributes relu = krsc;
  relu.set("activation", std::string("relu"));
  rows.push_back(
      withoutGradient(plain("conv2d/krsc, uneven padding, bias relu", "conv2d",
                            {random({2, 13, 11, 6}), random({8, 3, 2, 3}), random({8})}, relu)));
  rows.push_back(plain("conv2d/uneven padding of one pixel", "conv2d",
                       {random({2, 1, 1, 3}), random({2, 2, 3, 1})},
                       window({1, 1}, {1, 1}, {0, 1}, {1, 0})));
  rows.push_back(plain("conv2d/krsc, larger", "conv2d",
                       {random({3, 17, 15, 33}), random({18, 3, 3, 33})},
                       {{"weights", std::string("krsc")}, {"strides", Ints{2, 2}}}));
  const auto pool = [](Ints size, Ints strides, Ints before, Ints after) {
    return Attributes{{"pool_size", std::move(size)},
                      {"strides", std::move(strides)},
                      {"padding_before", std::move(before)},
                      {"padding_after", std::move(after)}};
  };
  for (const std::string op : {"avg_pool2d", "max_pool2d"}) {
    const auto spread = [](Shape shape) {
      OperandSpec spec = random(std::move(shape), -2, 2);
      spec.isDistinct = true;
      return spec;
    };
    rows.push_back(plain(op + "/overlapping", op, {spread({2, 33, 17, 33})},
                         pool({3, 4}, {2, 1}, {1, 3}, {2, 1})));
    rows.push_back(plain(op + "/all pixels", op, {spread({3, 13, 15, 5})},
                         pool({13, 15}, {13, 15}, {0, 0}, {0, 0})));
    rows.push_back(plain(op + "/no samples", op, {spread({0, 4, 4, 3})},
                         pool({2, 2}, {2, 2}, {0, 0}, {0, 0})));
    if (op == "avg_pool2d") continue;
    Attributes activated = pool({3, 3}, {2, 2}, {1, 1}, {1, 1});
    activated.set("activation", std::string("leaky_relu"));
    activated.set("alpha", 0.3);
    rows.push_back(
        withoutGradient(plain(op + "/leaky relu", op, {spread({2, 9, 11, 3})}, activated)));
  }
  return rows;
}

Rows matmulRows() {
  Rows rows;
  const auto add = [&](const char* name, Shape a, Shape b, bool transposeA, bool transposeB,
                       int64_t bias = 0, const char* activation = "linear") {
    std::vector<OperandSpec> operands{random(std::move(a)), random(std::move(b))};
    if (bias > 0) operands.push_back(withoutSum(random({bias})));
    rows.push_back(plain(std::string("matmul/") + name, "matmul", std::move(operands),
                         {{"transpose_a", transposeA},
                          {"transpose_b", transposeB},
                          {"activation", std::string(activation)}}));
    if (std::string_view(activation) != "linear") rows.back().hasGradient = false;
  };
  add("long sums", {33, 1000}, {1000, 130}, false, false);
  add("one row", {1, 257}, {257, 33}, false, false, 33);
  add("one column", {130, 33}, {1, 33}, false, true);
  add("batched tn", {3, 17, 33}, {3, 17, 5}, true, false);
  add("batched nt, bias", {3, 33, 17}, {3, 5, 17}, false, true, 5);
  add("batched, bias gelu", {2, 5, 7}, {2, 7, 33}, false, false, 33, "gelu");
  add("tt, bias tanh", {7, 33}, {130, 7}, true, true, 130, "tanh");
  add("no batches", {0, 3, 4}, {0, 4, 5}, false, false);
  add("no inner, bias relu", {3, 0}, {0, 5}, false, false, 5, "relu");
  return rows;
}

OpRow pairs(std::string name, AttentionOptions options, Shape query, Shape key, int64_t valueSize,
            int64_t maskSteps = 0, int64_t hiddenRow = -1) {
  std::vector<OperandSpec> operands{random(query, -1, 1), random(key, -1, 1),
                                    random({key[0], key[1], key[2], valueSize})};
  if (maskSteps > 0) operands.push_back(mask({query[0], maskSteps, key[1]}, hiddenRow));
  OpRow row{"attention/" + name, std::move(operands), [=](Graph& g, const Values& x) {
              AttentionOptions own = options;
              own.scale = 0.4;
              if (maskSteps > 0) own.mask = x[3];
              if (own.rate > 0) {
                const auto number = [&](int64_t value) {
                  Tensor tensor(DType::I64, {});
                  tensor.as<int64_t>()[0] = value;
                  return g.addConstant(std::move(tensor));
                };
                own.seed = number(7);
                own.step = number(3);
                own.firstSample = number(5);
                own.stream = "pairs";
              }
              return Values{attention(g, x[0], x[1], x[2], own)};
            }};
  row.seededOutputs = 1;
  return row;
}

Rows attentionRows() {
  AttentionOptions causal, dropped, both, all;
  causal.isCausal = true;
  dropped.rate = 0.4;
  both.isCausal = true;
  both.rate = 0.2;
  all = both;
  all.dropsHidden = true;
  return {pairs("long", {}, {1, 70, 2, 33}, {1, 130, 2, 33}, 40),
          pairs("causal, long", causal, {1, 140, 1, 16}, {1, 140, 1, 16}, 16),
          pairs("causal, more keys", causal, {1, 70, 1, 8}, {1, 150, 1, 8}, 8),
          pairs("causal, more queries", causal, {1, 150, 1, 8}, {1, 70, 1, 8}, 8),
          pairs("wide", {}, {1, 33, 1, 150}, {1, 40, 1, 150}, 270),
          pairs("shared keys, dropped", dropped, {1, 67, 6, 5}, {1, 66, 2, 5}, 7),
          pairs("one mask", {}, {2, 65, 2, 4}, {2, 129, 2, 4}, 3, 1),
          pairs("causal mask, a step sees nothing", both, {1, 66, 2, 4}, {1, 70, 1, 4}, 3, 66, 5),
          pairs("causal mask, hidden steps dropped", all, {1, 66, 2, 4}, {1, 70, 1, 4}, 3, 66, 5),
          pairs("mask, sample sees nothing", {}, {2, 3, 1, 4}, {2, 70, 1, 4}, 5, 1, 1)};
}

OpRow sequence(std::string name, RecurrentOptions options, Shape projection, int64_t units,
               bool hasAll, int seeded = -1) {
  const int64_t samples = projection[0], steps = projection[1], width = projection[2];
  const bool hasBias = hasAll && options.cell == "gru";
  std::vector<OperandSpec> operands{random(projection), random({units, width}, -0.3, 0.3)};
  // The gradient of this kernel is made of several products, which the op table tests
  operands[1].isDifferentiated = options.cell != "gru_reset_before";
  if (hasBias) operands.push_back(withoutSum(random({width})));
  for (int i = 0; hasAll && i < (options.cell == "lstm" ? 2 : 1); ++i)
    operands.push_back(random({samples, units}));
  if (hasAll) {
    operands.push_back(
        {.shape = {samples, units}, .dtype = {}, .low = 0, .high = 2, .isDifferentiated = false});
    operands.push_back(mask({samples, steps}));
  }
  OpRow row{"recurrent/" + name, std::move(operands), [=](Graph& g, const Values& x) {
              RecurrentOptions own = options;
              size_t next = 2;
              if (hasBias) own.bias = x[next++];
              if (hasAll) own.state = x[next++];
              if (hasAll && options.cell == "lstm") own.cellState = x[next++];
              if (hasAll) own.factors = x[next++];
              if (hasAll) own.mask = x[next++];
              const RecurrentResult y = recurrent(g, x[0], x[1], own);
              Values outputs{y.last, y.sequence};
              if (y.lastCell.isValid()) outputs.push_back(y.lastCell);
              return outputs;
            }};
  row.seededOutputs = seeded;
  return row;
}

Rows recurrentRows() {
  Rows rows;
  for (const auto& [name, gates] :
       {std::pair{"simple", 1}, {"lstm", 4}, {"gru", 3}, {"gru_reset_before", 3}}) {
    RecurrentOptions options;
    options.cell = name;
    rows.push_back(sequence(std::string(name) + " long", options, {5, 60, gates * 9}, 9, false));
    rows.push_back(
        sequence(std::string(name) + " last alone", options, {33, 7, gates * 17}, 17, false, 1));
    options.isBackwards = true;
    rows.push_back(sequence(std::string(name) + " backwards, all operands", options,
                            {33, 20, gates * 17}, 17, true));
    options.activation = "leaky_relu";
    options.alpha = 0.3;
    options.recurrentActivation = "hard_sigmoid";
    rows.push_back(
        sequence(std::string(name) + " other functions", options, {3, 9, gates * 33}, 33, true));
    rows.push_back(
        sequence(std::string(name) + " no samples", options, {0, 4, gates * 3}, 3, true));
  }
  return rows;
}

/// The largest difference relative to the largest magnitude, or to 1. An element that is not finite
/// in one tensor alone counts as a large one.
double differenceOf(const Tensor& got, const Tensor& expected) {
  const Tensor a = got.converted(DType::F64), b = expected.converted(DType::F64);
  double largest = 1, worst = 0;
  for (const double value : b.as<double>())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < a.as<double>().size(); ++i) {
    const double x = a.as<double>()[i], y = b.as<double>()[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    worst = std::max(worst, std::isfinite(x - y) ? std::abs(x - y) / largest : 1e9);
  }
  return worst;
}

void compareWithReference(const RowRun& run, Device& device, double tolerance) {
  State state(device);
  const std::unique_ptr<Program> program = Program::build(run.graph, device, state);
  program->bind();
  const Evaluation expected = evaluateGraph(run.graph, run.inputs, run.variables);
  NamedTensors first;
  // The first two steps run uncaptured, the third as a graph
  for (int step = 0; step < 3; ++step) {
    for (const auto& [name, tensor] : run.inputs)
      program->writeInput(name, tensor);
    REQUIRE(program->run() == Program::Outcome::Done);
    for (const auto& [name, tensor] : expected.outputs) {
      CAPTURE(name);
      const Tensor got = program->readOutput(name);
      if (step > 0) {
        CHECK(got.isBitEqual(first.find(name)->second));
        continue;
      }
      first.emplace(name, got);
      CHECK(differenceOf(got, tensor) <= tolerance);
    }
  }
}

bool isChosen(const OpRow& row) {
  const char* chosen = std::getenv("STRATA_TEST_ROWS");
  return !chosen || row.name.find(chosen) != std::string::npos;
}

void runRows(const Rows& rows, double roundings = 4) {
  const std::unique_ptr<Device> device = openTestCard();
  if (!device) return;
  for (const DType dtype : {DType::F32, DType::BF16, DType::F16}) {
    CAPTURE(dtypeName(dtype));
    double tolerance = 2e-5;
    if (dtype != DType::F32) tolerance = roundings * (dtype == DType::BF16 ? 0x1p-8 : 0x1p-11);
    for (const OpRow& row : rows) {
      if (!isChosen(row)) continue;
      CAPTURE(row.name);
      try {
        compareWithReference(makeRowRun(row, dtype, true), *device, tolerance);
      }
      catch (const Error& error) {
        FAIL_CHECK(error.line());
      }
    }
  }
}

}  // namespace

TEST_CASE("normalizations of odd sizes on a card agree with the interpreter") {
  runRows(normRows());
}

TEST_CASE("convolutions and pooling of odd sizes on a card agree with the interpreter") {
  runRows(windowRows());
}

TEST_CASE("products of odd sizes on a card agree with the interpreter") { runRows(matmulRows()); }

TEST_CASE("attention over several tiles on a card agrees with the interpreter") {
  runRows(attentionRows());
}

TEST_CASE("recurrent cells over many steps on a card agree with the interpreter") {
  // Products read the state rounded to the type of the operands
  runRows(recurrentRows(), 8);
}

TEST_CASE("a NaN in an operand reaches the results on a card") {
  const std::unique_ptr<Device> device = openTestCard();
  if (!device) return;
  Rows rows = normRows();
  for (Rows more : {windowRows(), attentionRows(), recurrentRows(), matmulRows()})
    rows.insert(rows.end(), more.begin(), more.end());
  for (const OpRow& row : rows) {
    if (!isChosen(row)) continue;
    CAPTURE(row.name);
    RowRun run = makeRowRun(row, DType::F32, false);
    Tensor& x = run.inputs.find("x0")->second;
    if (x.shape().numElements() == 0) continue;
    x.as<float>()[static_cast<size_t>(x.shape().numElements() / 2)] =
        std::numeric_limits<float>::quiet_NaN();
    compareWithReference(run, *device, 2e-5);
  }
}

}  // namespace strata::test

TEST_SUITE_END();
