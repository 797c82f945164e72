// SPDX-License-Identifier: Apache-2.0
// Tests that creating a node with wrong operands or attributes fails with the right code, and that
// the error names the layer.
#include <doctest/doctest.h>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "gpu/reference/evaluate.h"
#include "gpu/reference/reference_device.h"

TEST_SUITE_BEGIN("op_errors");

namespace strata::test {

namespace {

using Values = std::vector<ValueId>;

struct Refusal {
  const char* name;
  ErrorCode code;
  std::vector<TensorType> inputs;
  std::function<void(Graph&, const Values&)> build;
};

std::function<void(Graph&, const Values&)> op(std::string name, Attributes attributes = {}) {
  return [=](Graph& g, const Values& x) {
    g.addNode(opNamed(name), x, attributes);
  };
}

using Ints = std::vector<int64_t>;
constexpr DType f = DType::F32, i = DType::I32;

const std::vector<Refusal>& refusals() {
  static const std::vector<Refusal> kRefusals = {
      {"shapes that do not broadcast",
       ErrorCode::ShapeMismatch,
       {{f, {2, 3}}, {f, {2}}},
       op("add")},
      {"two element types", ErrorCode::InvalidArgument, {{f, {2}}, {i, {2}}}, op("add")},
      {"logarithm of integers", ErrorCode::InvalidArgument, {{i, {2}}}, op("log")},
      {"too few operands", ErrorCode::InvalidArgument, {{f, {2}}}, op("add")},
      {"too many operands", ErrorCode::InvalidArgument, {{f, {2}}, {f, {2}}}, op("exp")},
      {"unknown activation",
       ErrorCode::InvalidArgument,
       {{f, {2}}},
       op("activation", {{"kind", std::string("rellu")}})},
      {"alpha of zero",
       ErrorCode::InvalidArgument,
       {{f, {2}}},
       op("activation", {{"kind", std::string("elu")}, {"alpha", 0.0}})},
      {"softmax axis",
       ErrorCode::InvalidArgument,
       {{f, {2, 3}}},
       op("softmax", {{"axis", int64_t{2}}})},
      {"reshape count",
       ErrorCode::ShapeMismatch,
       {{f, {2, 3}}},
       op("reshape", {{"shape", Ints{4, 2}}})},
      {"transpose twice",
       ErrorCode::InvalidArgument,
       {{f, {2, 3}}},
       op("transpose", {{"permutation", Ints{0, 0}}})},
      {"broadcast to less",
       ErrorCode::ShapeMismatch,
       {{f, {2, 3}}},
       op("broadcast_to", {{"shape", Ints{3}}})},
      {"concatenate unequal",
       ErrorCode::ShapeMismatch,
       {{f, {2, 3}}, {f, {3, 3}}},
       op("concatenate", {{"axis", int64_t{1}}})},
      {"slice outside",
       ErrorCode::ShapeMismatch,
       {{f, {4}}},
       op("slice", {{"begin", Ints{3}}, {"size", Ints{2}}})},
      {"slice beyond 64 bits",
       ErrorCode::ShapeMismatch,
       {{f, {4}}},
       op("slice", {{"begin", Ints{1}}, {"size", Ints{INT64_MAX}}})},
      {"negative padding",
       ErrorCode::InvalidArgument,
       {{f, {4}}},
       op("pad", {{"before", Ints{-1}}, {"after", Ints{0}}})},
      {"gather by reals", ErrorCode::InvalidArgument, {{f, {4, 2}}, {f, {3}}}, op("gather")},
      {"gather from a vector",
       ErrorCode::ShapeMismatch,
       {{f, {4}}, {DType::I32, {3}}},
       op("gather")},
      {"gather_backward of other rows",
       ErrorCode::ShapeMismatch,
       {{f, {4, 2}}, {DType::I32, {3}}},
       op("gather_backward", {{"rows", int64_t{5}}})},
      {"heads of the key",
       ErrorCode::ShapeMismatch,
       {{f, {2, 3, 4, 5}}, {f, {2, 3, 3, 5}}, {f, {2, 3, 3, 5}}},
       op("attention")},
      {"size of the key",
       ErrorCode::ShapeMismatch,
       {{f, {2, 3, 4, 5}}, {f, {2, 3, 4, 6}}, {f, {2, 3, 4, 5}}},
       op("attention")},
      {"attention's mask",
       ErrorCode::ShapeMismatch,
       {{f, {2, 3, 4, 5}}, {f, {2, 6, 4, 5}}, {f, {2, 6, 4, 5}}, {f, {2, 2, 6}}},
       op("attention", {{"has_mask", true}})},
      {"attention without its mask",
       ErrorCode::InvalidArgument,
       {{f, {2, 3, 4, 5}}, {f, {2, 6, 4, 5}}, {f, {2, 6, 4, 5}}},
       op("attention", {{"has_mask", true}})},
      {"attention's rate",
       ErrorCode::InvalidArgument,
       {{f, {2, 3, 4, 5}}, {f, {2, 6, 4, 5}}, {f, {2, 6, 4, 5}}},
       op("attention", {{"rate", 1.0}})},
      {"attention's scale",
       ErrorCode::InvalidArgument,
       {{f, {2, 3, 4, 5}}, {f, {2, 6, 4, 5}}, {f, {2, 6, 4, 5}}},
       op("attention", {{"scale", -1.0}})},
      {"unknown cell",
       ErrorCode::InvalidArgument,
       {{f, {2, 3, 8}}, {f, {2, 8}}},
       op("recurrent", {{"cell", std::string("lstn")}})},
      {"cell's kernel",
       ErrorCode::ShapeMismatch,
       {{f, {2, 3, 8}}, {f, {2, 6}}},
       op("recurrent", {{"cell", std::string("lstm")}})},
      {"cell's projection",
       ErrorCode::ShapeMismatch,
       {{f, {2, 3, 7}}, {f, {2, 8}}},
       op("recurrent", {{"cell", std::string("lstm")}})},
      {"cell's state",
       ErrorCode::ShapeMismatch,
       {{f, {2, 3, 2}}, {f, {2, 2}}, {f, {3, 2}}},
       op("recurrent", {{"cell", std::string("simple")}, {"has_state", true}})},
      {"missing mask",
       ErrorCode::InvalidArgument,
       {{f, {2, 3, 2}}, {f, {2, 2}}},
       op("recurrent", {{"cell", std::string("simple")}, {"has_mask", true}})},
      {"bias of another cell",
       ErrorCode::InvalidArgument,
       {{f, {2, 3, 2}}, {f, {2, 2}}, {f, {2}}},
       op("recurrent", {{"cell", std::string("simple")}, {"has_bias", true}})},
      {"gradient without its gates",
       ErrorCode::ShapeMismatch,
       {{f, {2, 2}}, {f, {2, 2}}, {f, {2, 3, 2}}},
       op("recurrent_backward", {{"cell", std::string("simple")}})},
      {"one_hot of reals",
       ErrorCode::InvalidArgument,
       {{f, {4}}},
       op("one_hot", {{"classes", int64_t{3}}})},
      {"reduction axis",
       ErrorCode::InvalidArgument,
       {{f, {4}}},
       op("reduce_sum", {{"axes", Ints{1}}})},
      {"largest of nothing",
       ErrorCode::ShapeMismatch,
       {{f, {0, 3}}},
       op("reduce_max", {{"axes", Ints{0}}})},
      {"inner sizes", ErrorCode::ShapeMismatch, {{f, {2, 3}}, {f, {4, 5}}}, op("matmul")},
      {"sibling's inner size",
       ErrorCode::ShapeMismatch,
       {{f, {2, 3}}, {f, {3, 5}}, {f, {4, 5}}},
       op("matmul_siblings", {{"activations", std::string("linear,relu")}})},
      {"sibling without activation",
       ErrorCode::ShapeMismatch,
       {{f, {2, 3}}, {f, {3, 5}}, {f, {3, 5}}},
       op("matmul_siblings", {{"activations", std::string("linear")}})},
      {"batches", ErrorCode::ShapeMismatch, {{f, {2, 3, 4}}, {f, {3, 4, 5}}}, op("matmul")},
      {"bias length", ErrorCode::ShapeMismatch, {{f, {2, 3}}, {f, {3, 5}}, {f, {4}}}, op("matmul")},
      {"window larger than image",
       ErrorCode::ShapeMismatch,
       {{f, {1, 2, 2, 1}}, {f, {3, 3, 1, 1}}},
       op("conv2d")},
      {"channels", ErrorCode::ShapeMismatch, {{f, {1, 5, 5, 3}}, {f, {3, 3, 2, 4}}}, op("conv2d")},
      {"groups",
       ErrorCode::ShapeMismatch,
       {{f, {1, 5, 5, 3}}, {f, {3, 3, 1, 4}}},
       op("conv2d", {{"groups", int64_t{2}}})},
      {"zero stride",
       ErrorCode::InvalidArgument,
       {{f, {1, 5, 5, 3}}, {f, {3, 3, 3, 4}}},
       op("conv2d", {{"strides", Ints{0, 1}}})},
      {"one stride",
       ErrorCode::InvalidArgument,
       {{f, {1, 5, 5, 3}}, {f, {3, 3, 3, 4}}},
       op("conv2d", {{"strides", Ints{1}}})},
      {"order of the weights",
       ErrorCode::InvalidArgument,
       {{f, {1, 5, 5, 3}}, {f, {3, 3, 3, 4}}},
       op("conv2d", {{"weights", std::string("kcrs")}})},
      {"order of images",
       ErrorCode::InvalidArgument,
       {{f, {1, 5, 5, 3}}, {f, {3, 3, 3, 4}}},
       op("conv2d", {{"layout", std::string("NCHW")}})},
      {"channels of images with channels first",
       ErrorCode::ShapeMismatch,
       {{f, {1, 5, 5, 3}}, {f, {3, 3, 3, 4}}},
       op("conv2d", {{"layout", std::string("channels_first")}})},
      {"channels first of features",
       ErrorCode::ShapeMismatch,
       {{f, {5, 3}}, {f, {3}}, {f, {3}}},
       op("batch_norm", {{"layout", std::string("channels_first")}})},
      {"channels of weights in krsc",
       ErrorCode::ShapeMismatch,
       {{f, {1, 5, 5, 3}}, {f, {3, 3, 3, 4}}},
       op("conv2d", {{"weights", std::string("krsc")}})},
      {"type of a result",
       ErrorCode::InvalidArgument,
       {{f, {2, 3}}, {f, {3, 5}}},
       op("matmul", {{"result", std::string("bf16")}})},
      {"narrower result",
       ErrorCode::InvalidArgument,
       {{DType::F64, {2, 3}}, {DType::F64, {3, 5}}},
       op("matmul", {{"result", std::string("f32")}})},
      {"bias of another type than the product",
       ErrorCode::InvalidArgument,
       {{DType::BF16, {2, 3}}, {DType::BF16, {3, 5}}, {DType::BF16, {5}}},
       op("matmul", {{"result", std::string("f32")}})},
      {"activation of another type than the product",
       ErrorCode::InvalidArgument,
       {{DType::BF16, {2, 3}}, {DType::BF16, {3, 5}}},
       op("matmul", {{"result", std::string("f32")}, {"activation", std::string("relu")}})},
      {"type of a gradient of weights",
       ErrorCode::InvalidArgument,
       {{f, {1, 5, 5, 3}}, {f, {1, 3, 3, 4}}},
       op("conv2d_backward_weights",
          {{"weight_shape", Ints{3, 3, 3, 4}}, {"result", std::string("f64")}})},
      {"depthwise channels",
       ErrorCode::ShapeMismatch,
       {{f, {1, 5, 5, 3}}, {f, {3, 3, 2, 1}}},
       op("depthwise_conv2d")},
      {"window above 255 elements",
       ErrorCode::UnsupportedOp,
       {{f, {1, 20, 20, 1}}},
       op("max_pool2d", {{"pool_size", Ints{16, 16}}})},
      {"padding of a whole window",
       ErrorCode::ShapeMismatch,
       {{f, {1, 5, 5, 1}}},
       op("avg_pool2d", {{"pool_size", Ints{2, 2}}, {"padding_before", Ints{2, 0}}})},
      {"gamma length",
       ErrorCode::ShapeMismatch,
       {{f, {4, 3}}, {f, {4}}, {f, {3}}},
       op("batch_norm")},
      {"empty batch",
       ErrorCode::ShapeMismatch,
       {{f, {0, 3}}, {f, {3}}, {f, {3}}},
       op("batch_norm")},
      {"epsilon of zero",
       ErrorCode::InvalidArgument,
       {{f, {4, 3}}, {f, {3}}, {f, {3}}},
       op("batch_norm", {{"epsilon", 0.0}})},
      {"addend of another shape",
       ErrorCode::ShapeMismatch,
       {{f, {4, 3}}, {f, {3}}, {f, {3}}, {f, {3}}},
       op("batch_norm")},
      {"another activation",
       ErrorCode::InvalidArgument,
       {{f, {4, 3}}, {f, {3}}, {f, {3}}},
       op("batch_norm", {{"activation", std::string("tanh")}})},
      {"dimensions above the rank",
       ErrorCode::InvalidArgument,
       {{f, {4, 3}}},
       op("layer_norm", {{"dimensions", int64_t{3}}})},
      {"scale without gamma",
       ErrorCode::ShapeMismatch,
       {{f, {4, 3}}},
       op("layer_norm", {{"scale", true}})},
      {"gamma without scale", ErrorCode::ShapeMismatch, {{f, {4, 3}}, {f, {3}}}, op("layer_norm")},
      {"beta length",
       ErrorCode::ShapeMismatch,
       {{f, {4, 3}}, {f, {4}}},
       op("layer_norm", {{"center", true}})},
      {"an addend of another shape",
       ErrorCode::ShapeMismatch,
       {{f, {4, 3}}, {f, {4, 3}}, {f, {4}}, {f, {4}}, {f, {3}}},
       op("layer_norm_backward", {{"adds", true}})},
      {"no variance and epsilon of zero",
       ErrorCode::InvalidArgument,
       {{f, {4, 3}}},
       op("layer_norm", {{"epsilon", 0.0}})},
      {"rate of one",
       ErrorCode::InvalidArgument,
       {{f, {4}}, {DType::I64, {}}, {DType::I64, {}}, {DType::I64, {}}},
       op("dropout", {{"rate", 1.0}, {"stream", std::string("a")}})},
      {"labels of another batch",
       ErrorCode::ShapeMismatch,
       {{f, {4, 3}}, {i, {5}}},
       op("softmax_cross_entropy")},
      {"a loss for labels of another batch",
       ErrorCode::ShapeMismatch,
       {{f, {4, 3}}, {i, {5}}},
       op("classification_loss")},
      {"a loss with a scale for each row",
       ErrorCode::ShapeMismatch,
       {{f, {4, 3}}, {i, {4}}, {f, {4}}},
       op("classification_loss")},
      {"a loss that ranks unknown values",
       ErrorCode::ShapeMismatch,
       {{f, {4, 3}}, {i, {4}}},
       op("classification_loss", {{"ranks", std::string("losses")}})},
      {"labels of steps",
       ErrorCode::ShapeMismatch,
       {{f, {4, 3, 2}}, {i, {4, 3, 2}}},
       op("ctc_loss")},
      {"a blank that is no class",
       ErrorCode::InvalidArgument,
       {{f, {4, 3, 2}}, {i, {4, 1}}},
       op("ctc_loss", {{"blank", int64_t{2}}})},
      {"target of another shape",
       ErrorCode::ShapeMismatch,
       {{f, {4, 3}}, {f, {4, 1}}},
       op("sigmoid_cross_entropy")},
      {"momentum without velocity",
       ErrorCode::InvalidArgument,
       {{f, {4}}, {f, {4}}, {f, {}}},
       op("sgd_update", {{"momentum", 0.9}})},
      {"gradient of another shape",
       ErrorCode::ShapeMismatch,
       {{f, {4}}, {f, {3}}, {f, {}}},
       op("sgd_update")},
  };
  return kRefusals;
}

ErrorCode codeOf(const std::function<void()>& action, std::string& subject) {
  try {
    action();
  }
  catch (const Error& error) {
    subject = error.subject();
    CHECK(std::string(error.what()).size() > 10);
    return error.code();
  }
  FAIL("nothing was refused");
  return ErrorCode::Internal;
}

}  // namespace

TEST_CASE("wrong nodes are refused with the right code and layer") {
  for (const Refusal& refusal : refusals()) {
    CAPTURE(refusal.name);
    Graph g;
    Scope scope(g, "the_layer", Phase::Forward, Category::Activation);
    Values inputs;
    for (const TensorType& type : refusal.inputs)
      inputs.push_back(g.addInput("x" + std::to_string(inputs.size()), type));
    const int before = g.numNodes();
    std::string subject;
    CHECK(codeOf([&] { refusal.build(g, inputs); }, subject) == refusal.code);
    CHECK(subject == "the_layer");
    CHECK(g.numNodes() == before);
  }
}

TEST_CASE("evaluation requires every input and variable with the right type") {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {2}});
  const ValueId w = g.addVariable("w", {DType::F32, {2}}, Category::Parameter, true);
  g.addOutput("y", add(g, x, w));
  const Tensor two(DType::F32, Shape{2}), three(DType::F32, Shape{3});
  std::string subject;
  CHECK(codeOf([&] { evaluateGraph(g, {}, {{"w", two}}); }, subject) == ErrorCode::InvalidArgument);
  CHECK(subject == "x");
  CHECK(codeOf([&] { evaluateGraph(g, {{"x", two}}, {}); }, subject) == ErrorCode::InvalidArgument);
  CHECK(subject == "w");
  CHECK(codeOf(
            [&] {
              evaluateGraph(g, {{"x", three}}, {{"w", two}});
            },
            subject) == ErrorCode::ShapeMismatch);
  CHECK(codeOf(
            [&] {
              evaluateOp(opNamed("input"), {{"name", std::string("x")}}, {});
            },
            subject) == ErrorCode::InvalidArgument);
}

TEST_CASE("an element type without a kernel is refused with the layer's name") {
  Graph g;
  Scope scope(g, "odd", Phase::Forward, Category::Activation);
  const ValueId x = g.addInput("x", {DType::I32, {2}});
  const ValueId y = negate(g, x);
  std::string subject;
  // negate has a kernel for integers.
  CHECK_NOTHROW(createReferenceKernel(g, g.value(y).producer, 1));
  CHECK(codeOf([&] { createReferenceKernel(g, g.value(x).producer, 1); }, subject) ==
        ErrorCode::UnsupportedOp);
}

}  // namespace strata::test

TEST_SUITE_END();
