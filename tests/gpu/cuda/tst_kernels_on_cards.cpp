// SPDX-License-Identifier: Apache-2.0
// Kernels of cards at sizes and values that the rows of the op table do not have: several stages,
// tiles that are not full, ties, NaN, indices out of range. They are compared with the reference.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "gpu/base/error.h"
#include "gpu/base/rng.h"
#include "gpu/exec/program.h"
#include "gpu/ops/build.h"
#include "gpu/ops/fused_pointwise.h"
#include "gpu/reference/evaluate.h"
#include "tests/gpu/cuda/test_card.h"

TEST_SUITE_BEGIN("kernels on cards");

namespace strata::test {

namespace {

using Ints = std::vector<int64_t>;

/// Returns a tensor of random numbers from low to high. Integers are rounded.
Tensor randomTensor(DType dtype, const Shape& shape, double low = -1, double high = 1,
                    uint64_t seed = 1) {
  RandomStream random(seed, 17);
  std::vector<double> numbers(static_cast<size_t>(shape.numElements()));
  for (double& number : numbers) {
    number = low + (high - low) * random.uniformDouble();
    if (!isFloating(dtype)) number = std::round(number);
  }
  return Tensor::from<double>(shape, numbers).converted(dtype);
}

/// Returns the largest difference relative to the largest magnitude, or to 1. It is infinite if
/// only one of two elements is NaN, or infinities differ.
double differenceOf(const Tensor& got, const Tensor& expected) {
  if (got.type() != expected.type()) return INFINITY;
  const Tensor a = got.converted(DType::F64), b = expected.converted(DType::F64);
  double largest = 1, worst = 0;
  for (const double value : b.as<double>())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < a.as<double>().size(); ++i) {
    const double x = a.as<double>()[i], y = b.as<double>()[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double difference = std::abs(x - y) / largest;
    worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
  }
  return worst;
}

/// A graph on a card, with its inputs.
class CardGraph {
 public:
  Graph g;

  CardGraph() : m_scope(g, "layer", Phase::Forward, Category::Activation) {}
  ValueId input(Tensor tensor) {
    const std::string name = "x" + std::to_string(m_inputs.size());
    const ValueId value = g.addInput(name, tensor.type());
    m_inputs.emplace(name, std::move(tensor));
    return value;
  }
  ValueId variable(Tensor tensor) {
    const std::string name = "s" + std::to_string(m_variables.size());
    const ValueId value = g.addVariable(name, tensor.type(), Category::Parameter, true);
    m_variables.emplace(name, std::move(tensor));
    return value;
  }
  /// Adds an update. Its results are the next values of the variables that it changes.
  void update(const std::string& op, const std::vector<ValueId>& operands,
              Attributes attributes = {}) {
    const Node node = g.node(g.addNode(opNamed(op), operands, std::move(attributes)));
    for (const auto& [output, input] : sharedPairs(node))
      if (static_cast<size_t>(output) < node.outputs.size())
        for (const Variable& variable : std::vector<Variable>(g.variables()))
          if (variable.value == node.inputs[static_cast<size_t>(input)])
            g.setNext(variable.name, node.outputs[static_cast<size_t>(output)]);
  }
  void output(ValueId value) { g.addOutput("y" + std::to_string(m_numOutputs++), value); }
  /// Adds a node and makes its results outputs.
  void add(std::string_view op, const std::vector<ValueId>& operands, Attributes attributes = {}) {
    const NodeId id = g.addNode(opNamed(op), operands, std::move(attributes));
    for (const ValueId value : std::vector<ValueId>(g.node(id).outputs))
      output(value);
  }
  /// Runs the graph three times and compares the results with those of the reference. Integers
  /// must be equal.
  void check(double tolerance = 2e-6) {
    static const std::unique_ptr<Device> device = openTestCard();
    if (!device) return;
    const Evaluation expected = evaluateGraph(g, m_inputs, m_variables);
    State state(*device);
    const std::unique_ptr<Program> program = Program::build(g, *device, state);
    program->bind();
    for (int step = 0; step < 3; ++step) {
      CAPTURE(step);
      for (const auto& [name, tensor] : m_inputs)
        program->writeInput(name, tensor);
      for (const auto& [name, tensor] : m_variables)
        state.write(name, tensor);
      REQUIRE(program->run() == Program::Outcome::Done);
      for (const auto& [name, tensor] : expected.outputs) {
        CAPTURE(name);
        CHECK(differenceOf(program->readOutput(name), tensor) <=
              (isFloating(tensor.dtype()) ? tolerance : 0));
      }
      for (const auto& [name, tensor] : expected.variables) {
        CAPTURE(name);
        CHECK(differenceOf(state.read(name), tensor) <= tolerance);
      }
    }
  }

 private:
  Scope m_scope;
  NamedTensors m_inputs, m_variables;
  int m_numOutputs = 0;
};

constexpr DType kAllTypes[] = {DType::F32, DType::BF16, DType::F16,
                               DType::I32, DType::I64,  DType::U8};

double roundingOf(DType dtype) {
  if (dtype == DType::BF16) return 0x1p-7;
  return dtype == DType::F16 ? 0x1p-10 : 2e-6;
}

struct ReductionCase {
  Shape shape;
  Ints axes;
};

}  // namespace

TEST_CASE("reductions of all layouts and types agree with the reference") {
  const ReductionCase cases[] = {
      {{120000}, {0}},           {{20000, 3}, {0}},      {{9000, 40}, {0}},
      {{40, 3000}, {1}},         {{3, 30000}, {1}},      {{700, 33}, {1}},
      {{9, 40, 11}, {1}},        {{30, 40, 50}, {0, 2}}, {{3, 20, 8, 9}, {1, 3}},
      {{2, 3, 4, 5}, {0, 1, 2}}, {{5, 1, 7}, {1}},       {{4, 5}, {}},
      {{60, 5, 300}, {0, 2}}};
  for (const ReductionCase& each : cases)
    for (const DType dtype : kAllTypes) {
      CAPTURE(each.shape.toString());
      CAPTURE(dtypeName(dtype));
      CardGraph graph;
      const ValueId x =
          graph.input(randomTensor(dtype, each.shape, dtype == DType::U8 ? 0 : -9, 9));
      graph.output(reduceSum(graph.g, x, each.axes));
      graph.output(reduceMax(graph.g, x, each.axes, true));
      graph.check();
    }
  CardGraph empty;
  empty.output(reduceSum(empty.g, empty.input(Tensor(DType::F32, {0, 5})), {0}));
  empty.output(reduceSum(empty.g, empty.input(Tensor(DType::F32, {0, 5})), {1}));
  empty.check();
  for (const int64_t position : {0, 1, 40000, 69999}) {
    CardGraph graph;
    Tensor x = randomTensor(DType::F32, {2, 70000});
    x.as<float>()[static_cast<size_t>(position)] = NAN;
    graph.output(reduceMax(graph.g, graph.input(std::move(x)), {1}));
    graph.check();
  }
}

TEST_CASE("losses of classifiers agree with the reference, in one kernel and in parts") {
  // A thread, a warp or a block computes a row; some sizes need several blocks
  const Shape shapes[] = {{1, 2},  {7, 10},    {513, 10},  {1500, 3}, {0, 4},
                          {2, 65}, {160, 100}, {200, 100}, {3, 1500}, {1, 5000}};
  for (const Shape& shape : shapes)
    for (const DType dtype : {DType::F32, DType::BF16, DType::F16})
      for (const bool isDense : {false, true}) {
        CAPTURE(shape.toString());
        CAPTURE(dtypeName(dtype));
        CAPTURE(isDense);
        CardGraph graph;
        // The gradient may overwrite these logits, because nothing else uses them
        const ValueId logits = negate(graph.g, graph.input(randomTensor(dtype, shape, -9, 9)));
        const ValueId target =
            graph.input(isDense ? randomTensor(DType::F32, shape, 0, 1, 2)
                                : randomTensor(DType::I32, shape.without(-1), 0,
                                               static_cast<double>(shape.dim(-1) - 1), 2));
        graph.add("classification_loss", {logits, target},
                  {{"loss_scale", 1.0 / 64},
                   {"ranks", std::string("probabilities")},
                   {"gradient", true},
                   {"gradient_scale", 0.5},
                   {"probabilities", true}});
        graph.check(std::max(roundingOf(dtype), 5e-6));
      }
}

TEST_CASE("answers of a classifier take the first of equal values, and wrong labels give NaN") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto check = [](const std::vector<double>& logits, const std::vector<double>& labels) {
    const auto rows = static_cast<int64_t>(labels.size()),
               classes = static_cast<int64_t>(logits.size()) / rows;
    // Rows of few classes are computed by threads, others by warps and blocks
    for (const int64_t width : {classes, int64_t{100}, int64_t{1100}})
      for (const char* ranks : {"logits", "probabilities"}) {
        CAPTURE(width);
        CAPTURE(ranks);
        std::vector<double> wide;
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t i = 0; i < width; ++i)
            wide.push_back(i < classes ? logits[static_cast<size_t>(row * classes + i)] : -20);
        CardGraph graph;
        graph.add("classification_loss",
                  {graph.input(Tensor::from<double>({rows, width}, wide).converted(DType::F32)),
                   graph.input(Tensor::from<double>({rows}, labels).converted(DType::I32))},
                  {{"ranks", std::string(ranks)}, {"gradient", true}, {"probabilities", true}});
        graph.check();
      }
  };
  check({1, 1, 0, 1, 1, 0, 0, 2, 2}, {0, 1, 1});
  check({0, 1, 2}, {-1});
  check({0, 1, 2}, {5000});
  check({kNan, 1, 2, 0, 1, 2}, {0, 2});
  check({0, kNan, 2, 0, 1, 2}, {2, 2});
}

TEST_CASE("argmax takes the first of equal elements") {
  for (const auto& [shape, axis] : std::vector<std::pair<Shape, int>>{{{300000}, 0},
                                                                      {{7, 1000, 3}, 1},
                                                                      {{1000, 10}, 1},
                                                                      {{3, 33}, 1},
                                                                      {{2, 50000}, 1},
                                                                      {{70, 40, 16}, 0}})
    for (const DType dtype : kAllTypes) {
      CAPTURE(shape.toString());
      CAPTURE(dtypeName(dtype));
      CardGraph graph;
      // Few different values, so that there are ties
      const Tensor x = randomTensor(DType::I32, shape, 0, 20);
      graph.output(argmax(graph.g, graph.input(x.converted(dtype)), axis));
      graph.check();
    }
  for (const size_t first : {size_t{0}, size_t{3}, size_t{40}, size_t{2000}}) {
    CAPTURE(first);
    CardGraph graph;
    Tensor x = randomTensor(DType::F32, {2, 3000});
    x.as<float>()[first] = NAN;
    std::ranges::fill(x.as<float>().subspan(3000), -INFINITY);
    x.as<float>()[3000 + first] = NAN;
    graph.output(argmax(graph.g, graph.input(std::move(x)), 1));
    graph.check();
  }
}

TEST_CASE("movement of all layouts and types agrees with the reference") {
  for (const DType dtype : kAllTypes) {
    CAPTURE(dtypeName(dtype));
    CardGraph graph;
    Graph& g = graph.g;
    const auto tensor = [&](const Shape& shape, uint64_t seed) {
      return graph.input(randomTensor(dtype, shape, 0, 100, seed));
    };
    const ValueId a = tensor({33, 70, 5}, 1), b = tensor({4, 40, 3, 50}, 2),
                  c = tensor({9, 1, 7}, 3);
    for (const Ints& order :
         {Ints{0, 2, 1}, Ints{1, 0, 2}, Ints{1, 2, 0}, Ints{2, 0, 1}, Ints{2, 1, 0}, Ints{0, 1, 2}})
      graph.output(transpose(g, a, order));
    for (const Ints& order :
         {Ints{0, 2, 1, 3}, Ints{0, 3, 2, 1}, Ints{3, 0, 2, 1}, Ints{2, 3, 0, 1}, Ints{0, 1, 3, 2}})
      graph.output(transpose(g, b, order));
    graph.output(broadcastTo(g, c, {9, 6, 7}));
    graph.output(broadcastTo(g, c, {2, 9, 6, 7}));
    graph.output(slice(g, b, {1, 3, 0, 7}, {2, 30, 3, 41}));
    graph.output(slice(g, b, {0, 0, 0, 0}, {4, 40, 3, 0}));
    graph.output(pad(g, a, {1, 0, 2}, {0, 3, 1}, 5));
    graph.output(concatenate(g, {a, tensor({33, 3, 5}, 4), tensor({33, 0, 5}, 5)}, 1));
    graph.output(concatenate(g, {c, c, tensor({9, 1, 2}, 6)}, 2));
    graph.output(concatenate(g, {a, tensor({2, 70, 5}, 7)}, 0));
    const ValueId labels = graph.input(randomTensor(DType::I64, {31}, -1, 12));
    graph.output(oneHot(g, labels, 11, dtype));
    graph.output(oneHot(g, cast(g, labels, DType::U8), 11, dtype));
    graph.check(0);
  }
}

TEST_CASE("elementwise ops on integers agree with the reference") {
  for (const DType dtype : {DType::I32, DType::I64, DType::U8}) {
    CAPTURE(dtypeName(dtype));
    CardGraph graph;
    Graph& g = graph.g;
    const double low = dtype == DType::U8 ? 0 : -6;
    const ValueId a = graph.input(randomTensor(dtype, {20, 30}, low, 6)),
                  b = graph.input(randomTensor(dtype, {30}, low, 6, 2));
    for (const char* op : {"add", "subtract", "multiply", "divide", "maximum", "minimum", "less",
                           "less_equal", "greater", "greater_equal", "equal", "not_equal"})
      graph.add(op, {a, b});
    for (const char* op : {"negate", "abs", "sign", "square"})
      graph.add(op, {a});
    graph.add("select", {b, a, b});
    for (const DType to : {DType::F32, DType::BF16, DType::F16})
      graph.output(affine(g, a, 1.0 / 255, -0.5, to));
    for (const DType to : kAllTypes)
      graph.output(cast(g, a, to));
    graph.check(0);
  }
  // Conversions clamp to the range of integers
  CardGraph graph;
  const std::vector<float> values{-1e30f, -3.9f, -0.5f, 0.5f, 3.9f,
                                  300,    3e9f,  1e30f, NAN,  INFINITY};
  const ValueId x = graph.input(Tensor::from<float>({10}, values));
  for (const DType to : {DType::I32, DType::I64, DType::U8})
    graph.output(cast(graph.g, x, to));
  graph.check();
}

TEST_CASE("gather_backward adds lookups of many rows in the order of the lookups") {
  struct Case {
    int64_t rows, lookups, columns;
    DType index;
  };
  for (const Case& each : {Case{30000, 8192, 8, DType::I32}, Case{1, 500, 3, DType::I64},
                           Case{70, 3000, 300, DType::I32}, Case{66000, 40, 33, DType::I64},
                           Case{257, 33, 1, DType::I32}, Case{5, 0, 4, DType::I32}})
    for (const DType dtype : {DType::F32, DType::BF16, DType::F16}) {
      if (each.rows > 1000 && dtype != DType::F32) continue;
      CAPTURE(each.rows);
      CAPTURE(each.lookups);
      CAPTURE(dtypeName(dtype));
      CardGraph graph;
      Tensor indices = randomTensor(DType::I64, {each.lookups}, -2, static_cast<double>(each.rows));
      // A long run that spans many tiles, and some lookups outside the table
      for (size_t i = 0; i < indices.as<int64_t>().size(); ++i)
        if (i % 3 == 0) indices.as<int64_t>()[i] = each.rows / 2;
      const ValueId lookups = graph.input(indices.converted(each.index));
      graph.add("gather_backward",
                {graph.input(randomTensor(dtype, {each.lookups, each.columns})), lookups},
                {{"rows", each.rows}});
      if (each.rows < 1000)
        graph.output(
            gather(graph.g, graph.input(randomTensor(dtype, {each.rows, each.columns})), lookups));
      graph.check();
    }
}

TEST_CASE("softmax of all layouts agrees with the reference") {
  for (const auto& [shape, axis] : std::vector<std::pair<Shape, int>>{{{40, 1}, 1},
                                                                      {{5, 33}, 1},
                                                                      {{3, 5000}, 1},
                                                                      {{4, 50, 7}, 1},
                                                                      {{50, 3}, 0},
                                                                      {{2, 1100, 3}, 1},
                                                                      {{33, 33, 500}, 1}})
    for (const DType dtype : {DType::F32, DType::BF16, DType::F16}) {
      CAPTURE(shape.toString());
      CardGraph graph;
      const ValueId x = graph.input(randomTensor(dtype, shape, -90, 90));
      graph.output(softmax(graph.g, x, axis));
      graph.output(logSoftmax(graph.g, x, axis));
      graph.check(roundingOf(dtype));
    }
  CardGraph graph;
  Tensor x = randomTensor(DType::F32, {3, 40});
  std::ranges::fill(x.as<float>().first(40), -INFINITY);
  x.as<float>()[50] = NAN;
  graph.output(softmax(graph.g, graph.input(std::move(x))));
  graph.check();
}

TEST_CASE("random numbers have the bits of the reference") {
  for (const int64_t first : {0, 1, 7, 1000000007}) {
    CardGraph graph;
    Graph& g = graph.g;
    const ValueId seed = graph.input(Tensor::scalar<int64_t>(-5)),
                  step = graph.input(Tensor::scalar<int64_t>(3)),
                  sample = graph.input(Tensor::scalar<int64_t>(first));
    for (const Shape& shape : {Shape{1}, Shape{3, 5}, Shape{40, 7, 11}, Shape{0, 3}})
      graph.output(randomUniform(g, shape, seed, step, sample, "noise"));
    for (const DType dtype : {DType::F32, DType::BF16, DType::F16})
      graph.output(
          dropout(g, graph.input(randomTensor(dtype, {30, 7})), seed, step, sample, 0.3, "layer"));
    graph.check(0);
  }
}

TEST_CASE("all_finite finds one element in many tensors") {
  for (const int bad : {-1, 0, 186, 187, 299})
    for (const float value : {NAN, -INFINITY}) {
      CAPTURE(bad);
      CardGraph graph;
      std::vector<ValueId> operands;
      for (int i = 0; i < 300; ++i) {
        Tensor x = randomTensor(DType::F32, {i % 7 == 3 ? 0 : 1 + i * 30});
        if (i == bad) x.as<float>().back() = value;
        const DType types[] = {DType::F32, DType::BF16, DType::F16};
        operands.push_back(graph.input(x.converted(types[i % 3])));
      }
      graph.output(allFinite(graph.g, operands));
      graph.check();
    }
}

TEST_CASE("the norm of many tensors agrees with the reference") {
  for (const int64_t update : {1, 2, 5}) {
    CAPTURE(update);
    CardGraph graph;
    std::vector<ValueId> operands;
    for (int i = 0; i < 300; ++i) {
      const Tensor x = randomTensor(DType::F32, {i % 7 == 3 ? 0 : 1 + i * 300});
      const DType types[] = {DType::F32, DType::BF16, DType::F16};
      operands.push_back(graph.input(x.converted(types[i % 3])));
    }
    Tensor number(DType::I64, {});
    number.as<int64_t>()[0] = update;
    operands.insert(operands.begin(), graph.input(number));
    graph.add("gradient_norm", operands, {{"interval", int64_t{4}}});
    graph.check(1e-5);
  }
}

TEST_CASE("a check that computes the norm finds one element in many tensors") {
  for (const int bad : {-1, 0, 159, 160, 187, 299})
    for (const float value : {NAN, -INFINITY}) {
      CAPTURE(bad);
      CardGraph graph;
      std::vector<ValueId> operands;
      for (int i = 0; i < 300; ++i) {
        Tensor x = randomTensor(DType::F32, {i % 7 == 3 && i != bad ? 0 : 1 + i * 300});
        if (i == bad) x.as<float>().back() = value;
        const DType types[] = {DType::F32, DType::BF16, DType::F16};
        operands.push_back(graph.input(x.converted(types[i % 3])));
      }
      // The norm is that of operands of two launches, and a bad one may come after them
      graph.add("all_finite_and_norm", operands, {{"measured", int64_t{250}}});
      graph.check(1e-5);
    }
}

TEST_CASE("flag and norm of tensors of all sizes and magnitudes are those of a plain loop") {
  const auto device = openTestCard();
  if (!device) return;
  for (const DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (const int64_t size : {1, 31, 32, 255, 256, 257, 4095, 4096, 4097, 70001})
      for (const double magnitude : {1.0, 1e-30, 6e4, 1e20, 3e38}) {
        if (dtype == DType::F16 && magnitude > 65504) continue;
        CAPTURE(dtypeName(dtype));
        CAPTURE(size);
        CAPTURE(magnitude);
        const Tensor x = randomTensor(dtype, {size}, 0.5 * magnitude, magnitude),
                     numbers = x.converted(DType::F32);
        double sum = 0;
        for (const float value : numbers.as<float>()) {
          // Squares are float numbers on cards
          const float square = value * value;
          sum += static_cast<double>(square);
        }
        Graph g;
        const ValueId input = g.addInput("x", x.type()),
                      loss = g.addInput("loss", {DType::F32, {}});
        const Node node = g.node(
            g.addNode(opNamed("all_finite_and_norm"), {input, loss}, {{"measured", int64_t{1}}}));
        g.addOutput("flag", node.outputs[0]);
        g.addOutput("norm", node.outputs[1]);
        State state(*device);
        const auto program = Program::build(std::move(g), *device, state);
        program->bind();
        const auto run = [&](const Tensor& values, float other) {
          program->writeInput("x", values);
          program->writeInput("loss", Tensor::scalar<float>(other));
          REQUIRE(program->run() == StepOutcome::Done);
          return std::pair{program->readOutput("flag").as<float>()[0],
                           program->readOutput("norm").as<float>()[0]};
        };
        const auto [flag, norm] = run(x, 3);
        CHECK(flag == 1);
        if (sum > std::numeric_limits<float>::max())
          CHECK(norm == INFINITY);
        else
          CHECK(static_cast<double>(norm) == doctest::Approx(std::sqrt(sum)).epsilon(1e-5));
        // The same bits in every run, also after runs with other values
        for (const float bad : {NAN, INFINITY, -INFINITY}) {
          Tensor wide = numbers;
          wide.as<float>()[static_cast<size_t>(size / 2)] = bad;
          const auto [badFlag, badNorm] = run(wide.converted(dtype), 3);
          CHECK(badFlag == 0);
          CHECK(!std::isfinite(badNorm));
          // What is only checked does not count in the norm
          const auto [lossFlag, sameNorm] = run(x, bad);
          CHECK(lossFlag == 0);
          CHECK(sameNorm == norm);
          CHECK(run(x, 3) == std::pair{flag, norm});
        }
      }
}

TEST_CASE("the CTC loss of long and invalid sequences agrees with the reference") {
  Tensor labels = randomTensor(DType::I32, {6, 40}, 1, 29);
  const std::span<int32_t> all = labels.as<int32_t>();
  // Empty, repeated, padded and invalid labels
  std::ranges::fill(all.first(40), 0);
  std::ranges::fill(all.subspan(40, 20), 5);
  std::ranges::fill(all.subspan(60, 20), 0);
  std::ranges::fill(all.subspan(90, 30), 0);
  all[130] = 30;
  for (const DType dtype : {DType::F32, DType::BF16})
    for (const int64_t steps : {90, 12}) {
      CardGraph graph;
      graph.add("ctc_loss",
                {graph.input(randomTensor(dtype, {6, steps, 30}, -5, 5)), graph.input(labels)});
      graph.check(dtype == DType::F32 ? 1e-5 : 0x1p-7);
    }
}

TEST_CASE("updates with all attributes agree with the reference, and stop where apply is 0") {
  for (const DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (const float flag : {0.0f, 1.0f}) {
      CAPTURE(dtypeName(dtype));
      CAPTURE(flag);
      CardGraph graph;
      const Shape shape{37, 29};
      const ValueId apply = graph.input(Tensor::scalar<float>(flag)),
                    rate = graph.input(Tensor::scalar<float>(0.01f)),
                    lowRate = graph.input(Tensor::scalar<float>(0.02f).converted(DType::BF16)),
                    step = graph.input(Tensor::scalar<int64_t>(1)),
                    gradient = graph.input(randomTensor(dtype, shape, -3, 3, 9));
      uint64_t seed = 20;
      const auto weight = [&] {
        return graph.variable(randomTensor(dtype, shape, -1, 1, ++seed));
      };
      const auto positive = [&] {
        return graph.variable(randomTensor(dtype, shape, 4, 9, ++seed));
      };
      graph.update("assign", {weight(), gradient, apply});
      graph.update("sgd_update", {weight(), gradient, lowRate, apply}, {{"weight_decay", 0.1}});
      graph.update("sgd_update", {weight(), gradient, rate, weight(), apply},
                   {{"momentum", 0.9}, {"nesterov", true}});
      graph.update("adam_update",
                   {weight(), gradient, weight(), positive(), rate, step, positive(), apply},
                   {{"amsgrad", true}, {"beta_2", 0.9999}, {"weight_decay", 0.1}});
      graph.update("rmsprop_update", {weight(), gradient, positive(), rate, apply}, {});
      graph.update("rmsprop_update",
                   {weight(), gradient, positive(), lowRate, weight(), weight(), apply},
                   {{"momentum", 0.5}, {"centered", true}, {"rho", 0.95}});
      graph.update("adagrad_update", {weight(), gradient, positive(), rate, apply},
                   {{"weight_decay", 0.1}});
      const ValueId bytes = graph.variable(randomTensor(DType::U8, {13}, 0, 255, 3));
      graph.update("assign", {bytes, graph.input(randomTensor(DType::U8, {13}, 0, 255)), apply});
      graph.check(roundingOf(dtype));
    }
}

TEST_CASE("programs of pointwise ops agree with the reference") {
  const char* const programs[] = {
      "subtract x0 x1; multiply t0 x2; activation relu 0 t1; add t2 x3",
      "affine 0.3 1.7 x0; activation gelu 0 t0; activation_backward tanh 0 x1 t1; "
      "maximum t2 x2; minimum t3 x3; less t4 x0; multiply t5 t3",
      "negate x0; abs t0; sign x1; square t2; exp t0; expm1 t1; log1p t1; sqrt t1; "
      "affine 1 2 t1; rsqrt t8; reciprocal t8; log t8; add t11 x2; add t12 x3; add t13 t4; "
      "divide t14 t8",
      "erf x0; floor x1; is_finite x2; greater_equal x0 x3; equal t0 t0; not_equal t1 t0; "
      "greater t2 t3; less_equal t4 t5; add t6 t7; activation elu 1 t8"};
  const Shape shapes[] = {{30, 40, 50}, {50}, {30, 1, 1}, {30, 1, 50}};
  for (const char* program : programs)
    for (const DType other : {DType::F32, DType::BF16, DType::F16})
      for (const DType result : {DType::F32, DType::BF16, DType::F16}) {
        CAPTURE(std::string(program));
        CardGraph graph;
        std::vector<ValueId> operands;
        for (uint64_t i = 0; i < 4; ++i)
          operands.push_back(
              graph.input(randomTensor(i % 2 == 0 ? other : DType::F32, shapes[i], -2, 2, i + 1)));
        graph.add("fused_pointwise", operands,
                  {{"program", std::string(program)}, {"dtype", std::string(dtypeName(result))}});
        graph.check(roundingOf(result));
      }
}

}  // namespace strata::test

TEST_SUITE_END();
