// SPDX-License-Identifier: Apache-2.0
// EinsumDense is a dense layer over the dimensions that an equation selects.
// Formula: y = activation(einsum(equation, x, W) + b); an example of an equation is "abc,cd->abd".
// Input: [N,...] as in the equation; "..." means any further dimensions.
// Output: as in the equation; the sizes come from the input and `output_shape`.
// Variables: W `kernel`, b `bias` over the dimensions in `bias_axes`.
// Gradient: derived from its ops.
// Numerics: one matrix product in float32.
// Errors: out_of_range for a wrong equation; shape_mismatch if it does not match the input or
//   `output_shape`.
// Source: Keras 3, keras.layers.EinsumDense.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

/// The letters of an equation. Digits represent the dimensions of "...".
struct EinsumEquation {
  std::string input, weights, output;
  size_t elided = 0;
  // Whether "..." comes first
  bool isLeft = false;
};

EinsumEquation readEquation(const LayerContext& context, int rank) {
  const std::string text = context.string("equation");
  EinsumEquation result;
  const size_t comma = text.find(','), arrow = text.find("->");
  const auto wrong = [&](const char* expected) {
    context.fail("out_of_range", "equation",
                 STRATA_TEXT("problem",
                             "the equation is \"%1\" (expected %2, such as \"abc,cd->abd\" or "
                             "\"...x,xy->...y\"). Correct it."),
                 {text, expected});
  };
  if (text.find_first_of(" \t\n") != std::string::npos)
    wrong("the form input,weights->output without spaces");
  if (comma == std::string::npos || arrow == std::string::npos || arrow < comma)
    wrong("the form input,weights->output");
  result.input = text.substr(0, comma);
  result.weights = text.substr(comma + 1, arrow - comma - 1);
  result.output = text.substr(arrow + 2);
  const size_t dots = result.input.find("...");
  if ((dots != std::string::npos) != (result.output.find("...") != std::string::npos))
    wrong("\"...\" in both input and output, or in neither");
  std::string letters = result.input;
  if (dots != std::string::npos) letters.erase(dots, 3);
  if (dots == std::string::npos ? static_cast<size_t>(rank) != letters.size()
                                : static_cast<size_t>(rank) < letters.size())
    context.fail("shape_mismatch", "equation",
                 STRATA_TEXT("problem",
                             "the equation has %1 input dimensions, but the input has %2 including "
                             "the batch (expected the same number). Correct the equation."),
                 {std::to_string(letters.size()), std::to_string(rank)});
  if (dots != std::string::npos) {
    result.elided = static_cast<size_t>(rank) - letters.size();
    result.isLeft = dots == 0;
    std::string digits;
    for (size_t i = 0; i < result.elided; ++i)
      digits += static_cast<char>('0' + i);
    result.input.replace(dots, 3, digits);
    result.output.replace(result.output.find("..."), 3, digits);
  }
  for (const std::string* part : {&result.input, &result.weights, &result.output})
    for (size_t i = 0; i < part->size(); ++i) {
      const char c = (*part)[i];
      const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (part != &result.weights && c >= '0' && c <= '9');
      if (!isLetter || part->find(c, i + 1) != std::string::npos)
        wrong("each letter at most once per operand");
    }
  const auto has = [](const std::string& part, char c) {
    return part.find(c) != std::string::npos;
  };
  for (const char c : result.output)
    if (!has(result.input, c) && !has(result.weights, c))
      wrong("only output letters that the input or the weights have");
  for (const char c : result.weights)
    if (!has(result.input, c) && !has(result.output, c))
      wrong("only weight letters that the input or the output has");
  if (result.input.empty() || result.output.empty() || result.input[0] != result.output[0])
    wrong("the batch as the first dimension of input and output");
  return result;
}

/// Returns the size of each letter, from the input and from `output_shape`, which contains neither
/// the batch nor the dimensions of "...".
std::map<char, int64_t> einsumSizes(const LayerContext& context, const EinsumEquation& equation) {
  std::map<char, int64_t> sizes;
  const Shape& in = context.inputShape();
  for (size_t i = 0; i < equation.input.size(); ++i)
    sizes[equation.input[i]] = in[static_cast<int>(i)];
  const Json& given = context.fields.at("output_shape");
  const std::vector<int64_t> wanted = given.is_array() ? given.get<std::vector<int64_t>>()
                                                       : std::vector<int64_t>{given.get<int64_t>()};
  std::string named;
  for (size_t i = 0; i < equation.output.size(); ++i) {
    const char c = equation.output[i];
    const bool isDigit = c >= '0' && c <= '9';
    if (!isDigit && (equation.isLeft || i > 0)) named += c;
  }
  if (wanted.size() != named.size())
    context.fail(
        "shape_mismatch", "output_shape",
        STRATA_TEXT("problem",
                    "output_shape has %1 entries, but the output of the equation has %2 dimensions "
                    "without the batch (expected the same number). Change output_shape."),
        {std::to_string(wanted.size()), std::to_string(named.size())});
  for (size_t i = 0; i < named.size(); ++i) {
    const auto known = sizes.find(named[i]);
    if (wanted[i] < 0 ? known == sizes.end() : known != sizes.end() && known->second != wanted[i])
      context.fail("shape_mismatch", "output_shape",
                   STRATA_TEXT("problem",
                               "the letter %1 has size %2 in output_shape but %3 in the input "
                               "(expected the same size). Change output_shape."),
                   {std::string(1, named[i]), wanted[i] < 0 ? "null" : std::to_string(wanted[i]),
                    known == sizes.end() ? "-" : std::to_string(known->second)});
    if (wanted[i] >= 0) sizes[named[i]] = wanted[i];
  }
  return sizes;
}

/// Transposes x from the letters `from` to the letters `to`. Sums over letters that `to` lacks.
ValueId arranged(Graph& g, ValueId x, std::string from, const std::string& to) {
  std::vector<int64_t> summed;
  std::string kept;
  for (size_t i = 0; i < from.size(); ++i) {
    if (to.find(from[i]) == std::string::npos)
      summed.push_back(static_cast<int64_t>(i));
    else
      kept += from[i];
  }
  if (!summed.empty()) x = reduceSum(g, x, summed);
  if (kept == to) return x;
  std::vector<int64_t> order;
  for (const char c : to)
    order.push_back(static_cast<int64_t>(kept.find(c)));
  return transpose(g, x, order);
}

ValueId lowerEinsumDense(LayerContext& context) {
  Graph& g = context.graph;
  const EinsumEquation equation = readEquation(context, context.inputShape().rank());
  std::map<char, int64_t> sizes = einsumSizes(context, equation);
  const auto has = [](const std::string& part, char c) {
    return part.find(c) != std::string::npos;
  };
  const auto shapeOf = [&](const std::string& letters) {
    Shape shape;
    for (const char c : letters)
      shape.append(sizes.at(c));
    return shape;
  };
  // The letters of the equation: `batch` has the letters that occur in x, the weights and y. `rows`
  // has those only in x and y, and `columns` those only in the weights and y. `inner` has those
  // only in x and the weights; the product sums over them. arranged() sums over letters that only x
  // has.
  std::string batch, rows, inner, columns;
  int64_t fanIn = 1, fanOut = 1;
  for (const char c : equation.input) {
    if (has(equation.weights, c))
      (has(equation.output, c) ? batch : inner) += c;
    else if (has(equation.output, c))
      rows += c;
  }
  for (const char c : equation.weights) {
    (has(equation.output, c) ? fanOut : fanIn) *= sizes.at(c);
    if (!has(equation.input, c)) columns += c;
  }
  const Shape kernel = shapeOf(equation.weights);
  context.requireSize(shapeOf(equation.output));
  const ValueId w = context.variable("kernel", kernel, "kernel_initializer", true, fanIn, fanOut,
                                     "kernel_regularizer");
  const int64_t b = shapeOf(batch).numElements(), m = shapeOf(rows).numElements(),
                k = shapeOf(inner).numElements(), n = shapeOf(columns).numElements();
  const ValueId left = arranged(g, context.floatInput(), equation.input, batch + rows + inner);
  // The matrix product can read transposed weights, so no transpose op is needed
  const bool isTurned = batch.empty() && !inner.empty() && equation.weights == columns + inner;
  const ValueId right = isTurned ? w : arranged(g, w, equation.weights, batch + inner + columns);
  const ValueId product =
      batch.empty()
          ? matmul(g, reshape(g, left, {m, k}),
                   reshape(g, right, isTurned ? Shape{n, k} : Shape{k, n}), false, isTurned)
          : matmul(g, reshape(g, left, {b, m, k}), reshape(g, right, {b, k, n}));
  ValueId y = arranged(g, reshape(g, product, shapeOf(batch + rows + columns)),
                       batch + rows + columns, equation.output);
  if (const Json& axes = context.fields.at("bias_axes"); !axes.is_null()) {
    const std::string letters = axes.get<std::string>();
    size_t first = std::string::npos;
    for (const char c : letters) {
      if (!has(equation.output, c))
        context.fail(
            "out_of_range", "bias_axes",
            STRATA_TEXT("problem",
                        "bias_axes contains %1 (expected letters of the output, %2). Correct it."),
            {std::string(1, c), equation.output});
      first = std::min(first, equation.output.find(c));
    }
    Shape shape;
    for (size_t i = first; i < equation.output.size(); ++i)
      shape.append(has(letters, equation.output[i]) ? sizes.at(equation.output[i]) : 1);
    if (first != std::string::npos)
      y = add(g, y,
              context.variable("bias", shape, "bias_initializer", true, 0, 0, "bias_regularizer"));
  }
  return context.activate(y);
}

}  // namespace

const LayerDef& einsumDenseLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "EinsumDense",
           .group = "Dense",
           .help = STRATA_TEXT("layers",
                               "A dense layer over the dimensions that an einsum equation selects"),
           .formula = "y = activation(einsum(equation, x, W) + b)",
           .source = "Keras 3, keras.layers.EinsumDense",
           .fields =
               {{.name = "equation",
                 .type = FieldType::String,
                 .exampleJson = "\"...x,xy->...y\"",
                 .help = STRATA_TEXT("layers",
                                     "Einsum equation of input, weights and output, such as "
                                     "ab,bc->ac; ... denotes all other dimensions"),
                 .title = STRATA_TEXT("layers", "Equation")},
                {.name = "output_shape",
                 .type = FieldType::IntegerOrList,
                 .exampleJson = "64",
                 .minimum = 1.0,
                 .maximum = 1e9,
                 .hasNullItems = true,
                 .help = STRATA_TEXT("layers",
                                     "Shape of the output without the batch and the dimensions of "
                                     "...; a null entry is inferred from the input"),
                 .title = STRATA_TEXT("layers", "Output shape")},
                activationField(),
                {.name = "bias_axes",
                 .type = FieldType::String,
                 .defaultJson = "null",
                 .isNullable = true,
                 .help = STRATA_TEXT(
                     "layers",
                     "Letters of the output dimensions that have a bias; by default no bias"),
                 .title = STRATA_TEXT("layers", "Bias axes")},
                initializerField("kernel_initializer", "\"glorot_uniform\"",
                                 STRATA_TEXT("layers", "Kernel initializer")),
                initializerField("bias_initializer", "\"zeros\"",
                                 STRATA_TEXT("layers", "Bias initializer")),
                regularizerField("kernel_regularizer", STRATA_TEXT("layers", "Kernel regularizer")),
                regularizerField("bias_regularizer", STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = lowerEinsumDense,
  };
  return definition;
}

}  // namespace strata
