// SPDX-License-Identifier: Apache-2.0
// Tests activations that consist of several ops. Their values and gradients must equal those of
// Keras 3.15, and invalid activations must be refused. tests/gpu tests the other activations.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/compile/compile.h"
#include "gpu/autodiff/autodiff.h"
#include "gpu/ops/build.h"
#include "gpu/reference/evaluate.h"

using namespace strata;

namespace {

using Numbers = std::vector<float>;

/// Applies the activation to a fixed input x of shape [2, 4]. Returns the result and the gradient
/// of x, where `upstream` is the gradient of the result.
std::pair<Numbers, Numbers> valuesOf(const char* activation_, const Shape& result,
                                     const Numbers& upstream) {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, Shape{2, 4}}),
                d = g.addInput("d", {DType::F32, result});
  const ValueId y = applyActivation(g, x, Json::parse(activation_));
  REQUIRE(g.shape(y) == result);
  g.addOutput("y", y);
  const ValueId sum = sumAll(g, multiply(g, y, d));
  const GradientSeed seed{sum, {}};
  g.addOutput("dx", differentiate(g, {&seed, 1}, {&x, 1})[0]);
  const auto outputs =
      evaluateGraph(g,
                    {{"x", Tensor::from<float>({2, 4}, Numbers{1.0f, 0.25f, -0.5f, 0.75f, 2.0f,
                                                               -1.0f, 0.5f, 0.1f})},
                     {"d", Tensor::from<float>(result, upstream)}},
                    {})
          .outputs;
  const auto numbers = [&](const char* name) {
    const auto span = outputs.at(name).as<float>();
    return Numbers(span.begin(), span.end());
  };
  return {numbers("y"), numbers("dx")};
}

void checkNear(const Numbers& got, const Numbers& expected) {
  REQUIRE(got.size() == expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    CHECK(got[i] == doctest::Approx(expected[i]).epsilon(1e-6).scale(1));
}

std::string problemOf(const char* activation_) {
  const Project project(Json{
      {"model",
       {{"layers",
         {Json::parse(R"({"type": "Input", "name": "in", "shape": [5]})"),
          {{"type", "Activation"}, {"name", "act"}, {"activation", Json::parse(activation_)}}}}}}});
  Diagnostics diagnostics;
  const Model model = parseModel(project, diagnostics);
  summarizeModel(model, project, 2, diagnostics);
  return diagnostics.empty()
             ? ""
             : diagnostics[0].code + " " + diagnostics[0].field + " " + diagnostics[0].line();
}

}  // namespace

TEST_SUITE("activations") {
  TEST_CASE("values and gradients equal those of Keras") {
    const Numbers all{1, -2, 0.5f, 3, 0.5f, 1, -1, 2}, half{1, -2, 0.5f, 1};
    const auto [sparse, sparseSlope] =
        valuesOf(R"({"type": "sparsemax", "axis": -1})", {2, 4}, all);
    checkNear(sparse, {0.125f, 0, 0, 0, 1, 0, 0, 0});
    checkNear(sparseSlope, {0, 0, 0, -0.5f, 0, 0, 0, 0});
    const auto [cut, cutSlope] =
        valuesOf(R"({"type": "threshold", "threshold": 0.3, "default_value": -0.7})", {2, 4}, all);
    checkNear(cut, {1, -0.7f, -0.7f, 0.75f, 2, -0.7f, 0.5f, -0.7f});
    checkNear(cutSlope, {1, 0, 0, 3, 0.5f, 0, -1, 0});
    const auto [gated, gatedSlope] = valuesOf(R"({"type": "glu", "axis": -1})", {2, 2}, half);
    checkNear(gated, {0.3775407f, 0.1697947f, 1.244919f, -0.5249792f});
    checkNear(gatedSlope, {0.3775407f, -1.358357f, 0.2350037f, -0.1089475f, 0.3112297f, 0.5249792f,
                           0.2350037f, -0.249376f});
  }

  TEST_CASE("wrong activations are refused, and the error names the field") {
    CHECK(problemOf(R"("sparsemax")").empty());
    CHECK(problemOf(R"("glu")")
              .starts_with("shape_mismatch activation act: glu halves axis -1 (expected an even "
                           "size, got 5)"));
    CHECK(
        problemOf(R"({"type": "glu", "axis": 0})")
            .starts_with("out_of_range activation act: axis of activation is 0 (expected 1 to 1"));
    CHECK(problemOf(R"({"type": "softmax", "axis": 3})")
              .starts_with("out_of_range activation act: axis of activation is 3"));
  }
}
