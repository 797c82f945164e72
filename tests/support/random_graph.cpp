// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/autodiff/autodiff.h"
#include "gpu/base/rng.h"
#include "gpu/graph/op.h"
#include "gpu/graph/verify.h"
#include "gpu/ops/activation_kinds.h"
#include "gpu/ops/build.h"

namespace strata {
namespace {

void addEveryElementwise(Graph& g, ValueId x) {
  for (const OpDef* op : allOps()) {
    if (op->kind != OpKind::Elementwise ||
        !std::all_of(op->attributes.begin(), op->attributes.end(),
                     [](const AttributeSpec& s) { return !s.required; }))
      continue;
    g.addOutput(op->name, g.add(*op, std::vector<ValueId>(static_cast<size_t>(op->maxInputs), x)));
  }
}

Tensor filled(const TensorType& type, uint64_t seed, std::string_view name) {
  RandomStream random(seed, streamOf(name));
  Tensor result(type);
  const auto real = [&] {
    return (random.below(2) == 0 ? -1.0 : 1.0) * (0.2 + 1.3 * random.uniformDouble());
  };
  switch (type.dtype) {
    case DType::F32:
      for (float& v : result.as<float>())
        v = static_cast<float>(real());
      break;
    case DType::F64:
      for (double& v : result.as<double>())
        v = real();
      break;
    case DType::I32:
      for (int32_t& v : result.as<int32_t>())
        v = static_cast<int32_t>(random.below(3));
      break;
    case DType::I64:
      for (int64_t& v : result.as<int64_t>())
        v = random.below(3);
      break;
    case DType::U8:
      for (uint8_t& v : result.as<uint8_t>())
        v = static_cast<uint8_t>(random.below(3));
      break;
    case DType::BF16:
    case DType::F16: {
      Tensor wide(DType::F32, type.shape);
      for (float& v : wide.as<float>())
        v = static_cast<float>(real());
      return wide.converted(type.dtype);
    }
  }
  return result;
}

class Generator {
 public:
  Generator(uint64_t seed, DType dtype)
      : m_random(seed, streamOf("random graph")), m_dtype(dtype) {}

  Graph run() {
    m_rows = pick(3) == 0 ? 3 : 20;
    const TensorType matrix{m_dtype, {m_rows, kColumns}};
    m_pool.push_back(m_graph.addInput("x", matrix));
    m_pool.push_back(m_graph.addInput("y", matrix));
    const ValueId row = variable("bias", {kColumns}),
                  square_ = variable("kernel", {kColumns, kColumns});
    m_other = variable("other kernel", {kColumns * kColumns});
    ValueId image;
    if (pick(2) == 0) m_pool.push_back(image = imagePart());
    for (int i = 0, count = 8 + pick(16); i < count; ++i) {
      Scope scope(m_graph, "layer_" + std::to_string(i % 4), Phase::Forward, Category::Activation);
      // Tanh keeps values small, so that rounding differences between rewrites stay comparable.
      m_pool.push_back(tame(step(row, square_)));
    }
    ValueId last = image.isValid() ? add(m_graph, m_pool.back(), image) : m_pool.back();
    // A residual connection around a layer normalization
    if (pick(3) == 0) last = add(m_graph, last, layerNorm(m_graph, last, row, {}, 1, 0.1));
    const ValueId loss =
        pick(3) == 0 ? crossEntropy(last) : meanAll(m_graph, square(m_graph, last));
    m_graph.addOutput("loss", loss);
    m_graph.addOutput("other", m_pool[static_cast<size_t>(pick(static_cast<int>(m_pool.size())))]);
    if (pick(2) == 0) train(loss);
    verify(m_graph);
    return std::move(m_graph);
  }

 private:
  static constexpr int64_t kColumns = 4;
  int pick(int count) { return static_cast<int>(m_random.below(static_cast<uint32_t>(count))); }
  ValueId any() { return m_pool[static_cast<size_t>(pick(static_cast<int>(m_pool.size())))]; }
  ValueId tame(ValueId x) { return pick(3) == 0 ? activation(m_graph, x, "tanh") : x; }
  ValueId constant(double value) {
    return pick(2) == 0 ? constantScalar(m_graph, m_dtype, value)
                        : constantFill(m_graph, {m_dtype, {m_rows, kColumns}}, value);
  }

  ValueId variable(const std::string& name, Shape shape) {
    return m_trained.emplace_back(
        m_graph.addVariable(name, {m_dtype, shape}, Category::Parameter, true));
  }

  /// Adds convolution, bias, activation and pooling in a random order, and then a dense layer.
  ValueId imagePart() {
    Graph& g = m_graph;
    const Scope scope(g, "image", Phase::Forward, Category::Activation);
    const ValueId image = g.addInput("image", {m_dtype, {m_rows, 6, 6, 2}});
    ValueId x = conv2d(g, image, variable("filters", {3, 3, 2, 3}), {});
    if (pick(2) == 0) x = add(g, x, variable("offsets", {3}));
    const auto pooled = [&](ValueId value) {
      return maxPool2d(g, value, {2, 2}, {.strides = {2, 2}});
    };
    switch (pick(5)) {
      case 0: x = pooled(activation(g, x, "relu")); break;
      case 1: x = pooled(activation(g, x, "tanh")); break;
      case 2: x = activation(g, pooled(x), "leaky_relu"); break;
      case 3: x = activation(g, pooled(x), "relu"); break;
      default: x = pooled(activation(g, transpose(g, x, {0, 2, 1, 3}), "relu"));
    }
    return activation(g, matmul(g, reshape(g, x, {m_rows, 12}), variable("dense", {12, kColumns})),
                      "tanh");
  }

  /// Adds the cross-entropy of probabilities as single ops, without the fused op.
  ValueId crossEntropy(ValueId logits) {
    Graph& g = m_graph;
    const ValueId target = g.addInput("target", {m_dtype, {m_rows, kColumns}});
    const ValueId clipped =
        maximum(g, minimum(g, softmax(g, logits), constantScalar(g, m_dtype, 1 - 1e-7)),
                constantScalar(g, m_dtype, 1e-7));
    return meanAll(g, negate(g, reduceSum(g, multiply(g, target, log(g, clipped)), {-1})));
  }

  ValueId step(ValueId row, ValueId square_) {
    Graph& g = m_graph;
    const ValueId a = any(), b = any();
    switch (pick(20)) {
      case 0: return add(g, a, b);
      case 1: return subtract(g, a, b);
      case 2: return activation(g, multiply(g, a, b), "tanh");
      case 3: return add(g, a, constant(0));
      case 4: return multiply(g, a, constant(1));
      case 5: return negate(g, negate(g, a));
      case 6: return affine(g, affine(g, a, 0.5, 1, m_dtype), 2, -1, m_dtype);
      case 7: return reshape(g, reshape(g, a, {m_rows * kColumns}), {m_rows, kColumns});
      case 8: return transpose(g, transpose(g, a, {1, 0}), {1, 0});
      case 9:
        return activation(g, add(g, matmul(g, a, square_), row), pick(2) == 0 ? "sigmoid" : "tanh");
      // This expression contains the same subexpression twice.
      case 10: return add(g, exp(g, activation(g, a, "tanh")), exp(g, activation(g, a, "tanh")));
      case 11: return softmax(g, a);
      // The result of exp has no consumer.
      case 12: exp(g, b); return a;
      case 13: return add(g, a, add(g, constant(0.25), constant(0.5)));
      case 14: return broadcastTo(g, reduceMean(g, a, {1}, true), {m_rows, kColumns});
      case 15: return slice(g, concatenate(g, {a, b}, 0), {1, 0}, {m_rows, kColumns});
      case 16: return activation(g, add(g, matmul(g, a, square_), row), "silu");
      // Batch normalization is followed by a residual addition in half of the cases.
      case 17: {
        const ValueId normal = batchNorm(g, a, row, row, 0.1).y;
        return activation(g, pick(2) == 0 ? normal : add(g, normal, b), "relu");
      }
      // Two products have the same input. The weights of the second product are reshaped right
      // before it.
      case 18: {
        const ValueId first = matmul(g, a, square_),
                      second = matmul(g, a, reshape(g, m_other, {kColumns, kColumns}));
        return add(g, activation(g, add(g, first, row), "tanh"), activation(g, second, "sigmoid"));
      }
      default: return subtract(g, multiply(g, a, constant(2)), add(g, b, a));
    }
  }

  void train(ValueId loss) {
    const std::vector<ValueId>& variables = m_trained;
    const GradientSeed seed{loss, {}};
    const std::vector<ValueId> gradients = differentiate(m_graph, std::span(&seed, 1), variables);
    const ValueId rate = m_graph.addInput("rate", {m_dtype, {}});
    for (size_t i = 0; i < variables.size(); ++i) {
      if (!gradients[i].isValid()) continue;
      Scope scope(m_graph, "", Phase::Update, Category::Parameter);
      const std::string name =
          m_graph.node(m_graph.value(variables[i]).producer).attributes.get<std::string>("name");
      m_graph.setNext(name,
                      update(m_graph, "sgd_update", {variables[i], gradients[i], rate}, {})[0]);
    }
  }

  RandomStream m_random;
  DType m_dtype;
  Graph m_graph;
  int64_t m_rows = 3;
  std::vector<ValueId> m_pool, m_trained;
  ValueId m_other;
};

double asDouble(const Tensor& tensor, size_t i) {
  switch (tensor.dtype()) {
    case DType::F32: return static_cast<double>(tensor.as<float>()[i]);
    case DType::F64: return tensor.as<double>()[i];
    case DType::I32: return tensor.as<int32_t>()[i];
    case DType::I64: return static_cast<double>(tensor.as<int64_t>()[i]);
    case DType::U8: return tensor.as<uint8_t>()[i];
    case DType::BF16: return static_cast<double>(toFloat(tensor.as<BFloat16>()[i]));
    case DType::F16: return static_cast<double>(toFloat(tensor.as<Float16>()[i]));
  }
  return 0;
}

double difference(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (size_t i = 0; i < static_cast<size_t>(a.numElements()); ++i) {
    const double x = asDouble(a, i), y = asDouble(b, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double d = std::abs(x - y) / std::max({1.0, std::abs(x), std::abs(y)});
    worst = std::isnan(d) ? std::numeric_limits<double>::infinity() : std::max(worst, d);
  }
  return worst;
}

}  // namespace

Graph graphOfEveryOp() {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {2, 3}}),
                labels = g.addInput("labels", {DType::I32, {2}});
  const ValueId rate = g.addInput("rate", {DType::F32, {}});
  const ValueId seed = g.addInput("seed", {DType::I64, {}}),
                step = g.addInput("step", {DType::I64, {}}),
                first = g.addInput("first", {DType::I64, {}});
  const ValueId image =
      g.addVariable("image", {DType::F32, {2, 6, 5, 4}}, Category::Parameter, true);
  const auto variable = [&](const std::string& name) {
    return g.addVariable(name, {DType::F32, {2, 3}}, Category::Optimizer, false);
  };
  std::vector<ValueId> state;
  for (int i = 0; i < 23; ++i)
    state.push_back(variable("state_" + std::to_string(i)));

  std::vector<ValueId> losses;
  Scope scope(g, "every \"op\"", Phase::Forward, Category::Activation);
  addEveryElementwise(g, x);
  g.addOutput("cast", cast(g, x, DType::I32));
  const NodeId siblings =
      g.addNode(opNamed("matmul_siblings"),
                {x, g.addInput("w1", {DType::F32, {3, 2}}), g.addInput("w2", {DType::F32, {3, 5}})},
                {{"activations", std::string("relu,linear")}});
  for (const ValueId y : g.node(siblings).outputs)
    g.addOutput("sibling_" + std::to_string(y.index), y);
  g.addOutput("fused", g.add(opNamed("fused_pointwise"), {x, x},
                             {{"program", std::string("affine 0.1 -2 x0; multiply t0 x1")}}));
  const NodeId loss = g.addNode(opNamed("classification_loss"), {x, labels, rate},
                                {{"gradient", true}, {"probabilities", true}});
  for (const ValueId y : g.node(loss).outputs)
    g.addOutput("loss_" + std::to_string(y.index), y);
  g.addOutput("dropout", dropout(g, x, seed, step, first, 0.5, "every"));
  g.addOutput("random_uniform", randomUniform(g, {2, 3}, seed, step, first, "uniform"));
  for (std::string_view kind : kActivationNames)
    losses.push_back(sumAll(g, activation(g, state[0], kind)));
  losses.push_back(sumAll(g, gather(g, state[0], labels)));
  RecurrentOptions cell;
  cell.cell = "gru";
  const ValueId projection =
                    g.addVariable("projection", {DType::F32, {2, 3, 6}}, Category::Parameter, true),
                recurrentKernel = g.addVariable("recurrent_kernel", {DType::F32, {2, 6}},
                                                Category::Parameter, true);
  losses.push_back(sumAll(g, recurrent(g, projection, recurrentKernel, cell).sequence));
  losses.push_back(sumAll(g, ctcLoss(g, projection, g.addInput("spelled", {DType::I32, {2, 2}}))));
  AttentionOptions pairs;
  pairs.rate = 0.5;
  pairs.seed = seed;
  pairs.step = step;
  pairs.firstSample = first;
  pairs.stream = "pairs";
  const ValueId query =
      g.addVariable("query", {DType::F32, {2, 3, 2, 4}}, Category::Parameter, true);
  losses.push_back(sumAll(g, attention(g, query, query, query, pairs)));
  g.addOutput("reduced", allReduce(g, {constantFill(g, {DType::F32, {2, 3}}, 0.5)}, 0)[0]);
  const ValueId sent = constantFill(g, {DType::F32, {2, 3}}, 0.5);
  g.addOutput("sent", awaitSent(g, sent, send(g, sent, 0, 1), 0, 1));
  g.addOutput("received", receive(g, {DType::F32, {2, 3}}, 1, 1));
  g.addOutput("shared", syncSum(g, sent, constantScalar(g, DType::F32, 1)));
  const ValueId gathered =
      g.addVariable("gathered", {DType::F32, {2, 3}}, Category::Parameter, true);
  g.setNext("gathered", allGather(g, {gathered, sent}, 0, 0, 1, {0}, {6})[0]);
  g.addOutput("summed",
              finishAllReduce(
                  g, startAllReduce(g, {constantFill(g, {DType::F32, {2, 3}}, 0.5)}, {}), {})[0]);
  g.addOutput("checked", g.add(opNamed("all_finite_and_norm"), {x, x}, {{"measured", int64_t{1}}}));
  for (const ValueId y :
       {softmax(g, x), logSoftmax(g, x), transpose(g, x, {1, 0}), broadcastTo(g, x, {4, 2, 3}),
        concatenate(g, {x, x}, 1), slice(g, x, {0, 1}, {2, 2}), pad(g, x, {0, 1}, {1, 0}, 0.5),
        reshape(g, x, {6}), oneHot(g, labels, 3), reduceMax(g, x, {0}), argmax(g, x),
        matmul(g, x, x, false, true), g.add(opNamed("matmul_bias_gradient"), {x, x}),
        g.add(opNamed("matmul_add"), {x, x, matmul(g, x, x, false, true)}, {{"transpose_b", true}}),
        addScalar(g, x, 1), constantScalar(g, DType::F64, 0.1), sigmoidCrossEntropy(g, x, x),
        allFinite(g, {x, x}), gradientNorm(g, constantScalar(g, DType::I64, 1), {x, x})})
    g.addOutput("output_" + std::to_string(g.outputs().size()), y);
  Window2D window;
  window.strides = {2, 1};
  window.paddingBefore = {1, 0};
  const ValueId w = g.addVariable("w", {DType::F32, {3, 3, 2, 6}}, Category::Parameter, true),
                depth =
                    g.addVariable("depth", {DType::F32, {3, 3, 4, 2}}, Category::Parameter, true);
  const ValueId gamma = g.addVariable("gamma", {DType::F32, {4}}, Category::Parameter, true);
  Window2D grouped = window;
  grouped.groups = 2;
  const ValueId normal = batchNorm(g, image, gamma, gamma, 1e-3).y;
  losses.push_back(sumAll(g, square(g, layerNorm(g, image, gamma, gamma, 1, 1e-3))));
  losses.push_back(sumAll(g, conv2d(g, normal, w, grouped)));
  losses.push_back(sumAll(g, depthwiseConv2d(g, normal, depth, window)));
  losses.push_back(sumAll(g, maxPool2d(g, normal, {2, 2}, window)));
  losses.push_back(sumAll(g, avgPool2d(g, normal, {2, 2}, window)));
  losses.push_back(sumAll(g, softmaxCrossEntropy(g, state[0], labels)));
  std::vector<GradientSeed> seeds;
  for (ValueId each : losses)
    seeds.push_back({each, {}});
  const std::vector<ValueId> targets{image, w, depth, gamma, state[0], projection, query};
  const std::vector<ValueId> gradients = differentiate(g, seeds, targets);
  for (size_t i = 0; i < targets.size(); ++i)
    g.addOutput("gradient_" + std::to_string(i), gradients[i]);

  const auto write = [&](const char* op, std::vector<ValueId> operands, Attributes attributes,
                         std::vector<int> states) {
    const std::vector<ValueId> next = update(g, op, std::move(operands), std::move(attributes));
    for (size_t i = 0; i < next.size(); ++i)
      g.setNext("state_" + std::to_string(states[i]), next[i]);
  };
  g.setNext("state_1", assign(g, state[1], x));
  write("sgd_update", {state[2], x, rate, state[3]}, {{"momentum", 0.9}}, {2, 3});
  write("adam_update", {state[4], x, state[5], state[6], rate, step}, {}, {4, 5, 6});
  const ValueId left = g.addInput("left", {DType::F32, {5, 2}}),
                right = g.addInput("right", {DType::F32, {5, 3}});
  write("matmul_sgd_update", {state[10], left, right, rate}, {}, {10});
  write("matmul_adam_update", {state[11], left, right, state[12], state[13], rate, step}, {},
        {11, 12, 13});
  write("rmsprop_update", {state[7], x, state[8], rate}, {}, {7, 8});
  write("adagrad_update", {state[9], x, state[0], rate}, {}, {9, 0});
  const Attributes single{{"copies", std::vector<int64_t>{0}}};
  write("assigns", {state[14], x}, single, {14});
  write("sgd_updates", {state[15], x, rate}, single, {15});
  write("adam_updates", {state[16], state[17], state[18], x, rate, step}, single, {16, 17, 18});
  write("rmsprop_updates", {state[19], state[20], x, rate}, single, {19, 20});
  write("adagrad_updates", {state[21], state[22], x, rate}, single, {21, 22});
  verify(g);
  return g;
}

Graph randomGraph(uint64_t seed, DType dtype) { return Generator(seed, dtype).run(); }

NamedTensors randomInputs(const Graph& graph, uint64_t seed) {
  NamedTensors result;
  for (const NamedValue& input : graph.inputs())
    result[input.name] = filled(graph.type(input.value), seed, input.name);
  return result;
}

NamedTensors randomVariables(const Graph& graph, uint64_t seed) {
  NamedTensors result;
  for (const Variable& variable : graph.variables())
    result[variable.name] = filled(graph.type(variable.value), seed, variable.name);
  return result;
}

double largestDifference(const Evaluation& a, const Evaluation& b) {
  if (a.outputs.size() != b.outputs.size() || a.variables.size() != b.variables.size())
    return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (const auto& [name, tensor] : a.outputs)
    worst = std::max(worst, b.outputs.contains(name) ? difference(tensor, b.outputs.at(name))
                                                     : std::numeric_limits<double>::infinity());
  for (const auto& [name, tensor] : a.variables)
    worst = std::max(worst, b.variables.contains(name) ? difference(tensor, b.variables.at(name))
                                                       : std::numeric_limits<double>::infinity());
  return worst;
}

double differenceOnRandomValues(const Graph& before, const Graph& after, uint64_t seed) {
  const NamedTensors inputs = randomInputs(before, seed), variables = randomVariables(before, seed);
  return largestDifference(evaluateGraph(before, inputs, variables),
                           evaluateGraph(after, inputs, variables));
}

std::string firstBitDifference(const Evaluation& a, const Evaluation& b) {
  if (a.outputs.size() != b.outputs.size() || a.variables.size() != b.variables.size())
    return "number of outputs or variables";
  for (const auto& [name, tensor] : a.outputs)
    if (!b.outputs.contains(name) || !tensor.isBitEqual(b.outputs.at(name)))
      return "output " + name;
  for (const auto& [name, tensor] : a.variables)
    if (!b.variables.contains(name) || !tensor.isBitEqual(b.variables.at(name)))
      return "variable " + name;
  return "";
}

}  // namespace strata
