// SPDX-License-Identifier: Apache-2.0
// Defines the regularizers: schemas with the names and defaults of Keras, and penalties as ops.
#include <nlohmann/json.hpp>

#include "core/layers/objects.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

FieldSchema factorField(const char* name, const char* value, Text help) {
  return {.name = name,
          .type = FieldType::Number,
          .defaultJson = value,
          .minimum = 0.0,
          .isNullable = std::string_view(value) == "null",
          .help = help};
}

}  // namespace

std::span<const Schema* const> regularizerSchemas() {
  static const std::vector<Schema> schemas = withTitles({
      {.type = "l2",
       .group = "Regularizer",
       .help =
           STRATA_TEXT("regularizer",
                       "L2 penalty: adds the sum of squares, multiplied by a factor, to the loss"),
       .formula = "factor * sum(w^2)",
       .source = "Keras 3, keras.regularizers.L2",
       .fields = {factorField(
                      "factor", "0.01",
                      STRATA_TEXT("regularizer", "Factor by which the penalty is multiplied")),
                  factorField("l2", "null", STRATA_TEXT("regularizer", "Keras name of factor"))}},
      {.type = "l1",
       .group = "Regularizer",
       .help = STRATA_TEXT(
           "regularizer",
           "L1 penalty: adds the sum of absolute values, multiplied by a factor, to the loss"),
       .formula = "factor * sum(|w|)",
       .source = "Keras 3, keras.regularizers.L1",
       .fields = {factorField(
                      "factor", "0.01",
                      STRATA_TEXT("regularizer", "Factor by which the penalty is multiplied")),
                  factorField("l1", "null", STRATA_TEXT("regularizer", "Keras name of factor"))}},
      {.type = "l1_l2",
       .group = "Regularizer",
       .help = STRATA_TEXT("regularizer", "Both the L1 and the L2 penalty"),
       .formula = "l1 * sum(|w|) + l2 * sum(w^2)",
       .source = "Keras 3, keras.regularizers.L1L2",
       .fields = {factorField("l1", "0.0", STRATA_TEXT("regularizer", "L1 factor")),
                  factorField("l2", "0.0", STRATA_TEXT("regularizer", "L2 factor"))}},
      {.type = "orthogonal_regularizer",
       .group = "Regularizer",
       .help = STRATA_TEXT("regularizer",
                           "Encourages the rows or columns of a matrix to be orthogonal"),
       .formula = "factor * mean over pairs of |cosine|",
       .source = "Keras 3, keras.regularizers.OrthogonalRegularizer",
       .fields = {factorField(
                      "factor", "0.01",
                      STRATA_TEXT("regularizer", "Factor by which the penalty is multiplied")),
                  {.name = "mode",
                   .type = FieldType::Choice,
                   .defaultJson = "\"rows\"",
                   .choices = {"rows", "columns"},
                   .help = STRATA_TEXT(
                       "regularizer", "Whether rows or columns are encouraged to be orthogonal")}}},
  });
  static const std::vector<const Schema*> result = [] {
    std::vector<const Schema*> pointers;
    for (const Schema& schema : schemas)
      pointers.push_back(&schema);
    return pointers;
  }();
  return result;
}

Regularizer readRegularizer(const Json& regularizer) {
  if (regularizer.is_null()) return {};
  const std::string& type = regularizer.at("type").get_ref<const std::string&>();
  if (type == "l1_l2")
    return {.l1 = regularizer.at("l1").get<double>(), .l2 = regularizer.at("l2").get<double>()};
  if (type == "orthogonal_regularizer")
    return {.orthogonal = regularizer.at("factor").get<double>(),
            .isByRows = regularizer.at("mode").get_ref<const std::string&>() == "rows"};
  const double factor = regularizer.at(type).is_null() ? regularizer.at("factor").get<double>()
                                                       : regularizer.at(type).get<double>();
  return type == "l1" ? Regularizer{.l1 = factor} : Regularizer{.l2 = factor};
}

ValueId penalty(Graph& graph, ValueId x, const Regularizer& regularizer) {
  ValueId sum;
  const auto append = [&](ValueId part, double factor) {
    const ValueId weighed = multiplyScalar(graph, part, factor);
    sum = sum.isValid() ? add(graph, sum, weighed) : weighed;
  };
  if (regularizer.l1 != 0) append(sumAll(graph, abs(graph, x)), regularizer.l1);
  if (regularizer.l2 != 0) append(sumAll(graph, square(graph, x)), regularizer.l2);
  if (regularizer.orthogonal != 0) {
    const int axis = regularizer.isByRows ? 1 : 0;
    const int64_t count = graph.shape(x)[1 - axis];
    const ValueId length = sqrt(graph, reduceSum(graph, square(graph, x), {axis}, true));
    const ValueId isZero = equal(graph, length, constantScalar(graph, DType::F32, 0));
    const ValueId unit = divide(graph, x, add(graph, length, isZero));
    const ValueId cosines = matmul(graph, unit, unit, !regularizer.isByRows, regularizer.isByRows);
    Tensor others(DType::F32, Shape{count, count});
    for (int64_t i = 0; i < count * count; ++i)
      others.as<float>()[static_cast<size_t>(i)] = i % (count + 1) == 0 ? 0.0f : 1.0f;
    const double pairs = static_cast<double>(count) * (static_cast<double>(count) - 1);
    append(
        sumAll(graph, abs(graph, multiply(graph, cosines, graph.addConstant(std::move(others))))),
        pairs > 0 ? regularizer.orthogonal / pairs : 0);
  }
  return sum;
}

}  // namespace strata
