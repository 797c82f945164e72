// SPDX-License-Identifier: Apache-2.0
// The rows of classification_loss.
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "tests/gpu/ops/op_rows.h"

namespace strata::test {

namespace {

/// The operands after the logits have the type of the loss, f32 or f64, and not that of the logits.
OpRow classificationLoss(const std::string& name, std::vector<OperandSpec> operands,
                         const Attributes& attributes) {
  OpRow row{"classification_loss/" + name, std::move(operands),
            [attributes](Graph& g, const std::vector<ValueId>& x) {
              std::vector<ValueId> inputs = x;
              const DType wide = g.type(x[0]).dtype == DType::F64 ? DType::F64 : DType::F32;
              for (size_t i = 1; i < x.size(); ++i)
                if (isFloating(g.type(x[i]).dtype) && g.type(x[i]).dtype != wide)
                  inputs[i] = cast(g, x[i], wide);
              return g.node(g.addNode(opNamed("classification_loss"), inputs, attributes)).outputs;
            }};
  row.hasGradient = false;
  return row;
}

OperandSpec logitsOf(Shape shape) {
  return {.shape = std::move(shape), .dtype = {}, .low = -3, .high = 3};
}
OperandSpec labelsOf(int64_t rows, int64_t classes) {
  return {.shape = {rows}, .dtype = DType::I32, .low = 0, .high = static_cast<double>(classes - 1)};
}

}  // namespace

std::vector<OpRow> classificationLossRows() {
  const std::string logits = "logits", probabilities = "probabilities";
  return {
      classificationLoss("loss alone", {logitsOf({4, 5}), labelsOf(4, 5)}, {}),
      classificationLoss("labels", {logitsOf({4, 5}), labelsOf(4, 5)},
                         {{"loss_scale", 0.25},
                          {"ranks", probabilities},
                          {"gradient", true},
                          {"gradient_scale", 0.25}}),
      classificationLoss("ignored and scaled",
                         {logitsOf({2, 3, 5}),
                          {.shape = {2, 3}, .dtype = DType::I32, .values = {0, 2, 4, 2, 1, 3}},
                          {.shape = {}, .dtype = {}, .values = {8}}},
                         {{"ignore_class", int64_t{2}},
                          {"ranks", logits},
                          {"correct_scale", 0.5},
                          {"gradient", true},
                          {"gradient_scale", 0.125}}),
      classificationLoss("dense",
                         {logitsOf({4, 70}),
                          {.shape = {4, 70}, .dtype = {}, .low = 0, .high = 1, .isDistinct = true}},
                         {{"ranks", probabilities}, {"gradient", true}, {"probabilities", true}}),
      classificationLoss("evaluation", {logitsOf({3, 70}), labelsOf(3, 70)},
                         {{"ranks", probabilities}, {"probabilities", true}})};
}

}  // namespace strata::test
