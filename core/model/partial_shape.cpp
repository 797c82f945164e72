// SPDX-License-Identifier: Apache-2.0
#include "core/model/partial_shape.h"
#include "core/model/block_lowering.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace strata {

namespace {

/// Sample sizes for unknown dimensions. The larger ones have many divisors, so most strides and
/// groups divide them. They also exceed most windows.
constexpr int64_t kSampleSizes[] = {1, 720, 1680, 5040};

/// Returns the product of the integers in the fields, limited to 2^24. It is an additional sample
/// size, because a layer may require a multiple of one of these integers.
int64_t productOfIntegers(const Json& fields) {
  int64_t product = 1;
  const auto take = [&](const Json& value) {
    if (value.is_number_integer() && value.get<int64_t>() > 1 &&
        value.get<int64_t>() < (int64_t{1} << 24) / product)
      product *= value.get<int64_t>();
  };
  for (const Json& field : fields) {
    take(field);
    if (field.is_array())
      for (const Json& element : field)
        take(element);
  }
  return product;
}

Shape fill(const PartialShape& shape, const PartialShape& whereRankIsUnknown, int64_t batchSize,
           int64_t unknown) {
  std::vector<int64_t> dims{batchSize};
  for (const int64_t size : (shape.isRankKnown ? shape : whereRankIsUnknown).dims)
    dims.push_back(size < 0 ? unknown : size);
  return Shape(dims);
}

/// Replaces numbers that differ by "?": "[720,720,32]" and "[1680,1680,32]" -> "[?,?,32]". Returns
/// nullopt if other characters differ.
std::optional<std::string> withoutSampleSizes(const std::string& a, const std::string& b) {
  const auto isDigit = [](char c) {
    return c >= '0' && c <= '9';
  };
  std::string result;
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (isDigit(a[i]) && (isDigit(b[j]) || b[j] == '?')) {
      const size_t start = i, otherStart = j;
      while (i < a.size() && isDigit(a[i]))
        ++i;
      while (j < b.size() && (isDigit(b[j]) || b[j] == '?'))
        ++j;
      const std::string number = a.substr(start, i - start);
      result += number == b.substr(otherStart, j - otherStart) ? number : "?";
    }
    else if (a[i] == b[j]) {
      result += a[i];
      ++i;
      ++j;
    }
    else {
      return std::nullopt;
    }
  }
  if (i < a.size() || j < b.size()) return std::nullopt;
  return result;
}

/// Returns the dimensions that both shapes have in common.
PartialShape common(const PartialShape& a, const PartialShape& b) {
  if (!a.isRankKnown || !b.isRankKnown || a.dims.size() != b.dims.size()) return {};
  PartialShape result = a;
  for (size_t i = 0; i < a.dims.size(); ++i)
    if (a.dims[i] != b.dims[i]) result.dims[i] = -1;
  return result;
}

/// Finds the problem that occurs with every sample shape.
class CommonProblem {
 public:
  void add(const Diagnostic& found) {
    if (!m_isFirst && !m_problem) return;
    if (m_isFirst) {
      m_isFirst = false;
      m_problem = found;
      return;
    }
    Diagnostic& known = *m_problem;
    // A sample size may cause a problem with a field, so such problems count as the same only if
    // their texts are equal. A sample size cannot cause a mismatch of ranks, or of inputs with
    // equal sample sizes. So sizes that differ between these texts are replaced by "?".
    const bool isOfInputs =
        found.code == "shape_mismatch" && (found.field.empty() || found.field == "inputs");
    bool isSame = known.code == found.code && known.field == found.field &&
                  std::string_view(known.message.source) == found.message.source &&
                  known.arguments.size() == found.arguments.size();
    for (size_t i = 0; isSame && i < known.arguments.size(); ++i) {
      if (known.arguments[i] == found.arguments[i]) continue;
      const auto argument =
          isOfInputs ? withoutSampleSizes(found.arguments[i].text(), known.arguments[i].text())
                     : std::nullopt;
      isSame = argument.has_value();
      if (argument) {
        known.arguments[i] = *argument;
        known.fixes.clear();
      }
    }
    if (!isSame) m_problem.reset();
  }
  std::optional<Diagnostic> take() { return std::move(m_problem); }

 private:
  bool m_isFirst = true;
  std::optional<Diagnostic> m_problem;
};

}  // namespace

bool PartialShape::isComplete() const {
  return isRankKnown && std::find(dims.begin(), dims.end(), -1) == dims.end();
}

PartialLowering lowerPartly(const Layer& layer, std::vector<PartialShape> inputs,
                            int64_t batchSize) {
  const LayerDef& definition = *layer.definition;
  const size_t maxInputs =
      definition.maxInputs < 0 ? inputs.size() : static_cast<size_t>(definition.maxInputs);
  if (inputs.size() > maxInputs) inputs.resize(maxInputs);
  if (inputs.size() < static_cast<size_t>(definition.minInputs))
    inputs.resize(static_cast<size_t>(definition.minInputs));

  // If the rank is unknown, tries several ranks and the ranks of the other inputs.
  std::vector<PartialShape> ranks;
  for (size_t rank = 1; rank <= 4; ++rank)
    ranks.push_back({true, std::vector<int64_t>(rank, -1)});
  for (const PartialShape& input : inputs)
    if (input.isRankKnown) ranks.push_back(input);
  if (std::all_of(inputs.begin(), inputs.end(),
                  [](const PartialShape& input) { return input.isRankKnown; }))
    ranks.resize(1);
  std::vector<int64_t> numbers(std::begin(kSampleSizes), std::end(kSampleSizes));
  numbers.push_back(productOfIntegers(*layer.fields));
  if (std::all_of(inputs.begin(), inputs.end(),
                  [](const PartialShape& input) { return input.isComplete(); }))
    numbers.resize(1);

  PartialLowering result;
  CommonProblem problem;
  bool hasWorked = false;
  for (const PartialShape& rank : ranks) {
    for (const int64_t number : numbers) {
      Graph graph;
      std::vector<ValueId> values;
      for (size_t i = 0; i < inputs.size(); ++i)
        values.push_back(graph.addInput("input" + std::to_string(i),
                                        {DType::F32, fill(inputs[i], rank, batchSize, number)}));
      try {
        std::vector<std::string> names = layer.inputs;
        names.resize(inputs.size());
        const LoweredLayer lowered =
            lowerLayer(graph, {definition, layer.name, *layer.fields, std::move(values),
                               std::move(names), StepMode::Predict, batchSize, contentsOf(layer)});
        const Shape shape = shapeWithoutBatch(graph.shape(lowered.value));
        const PartialShape output{true, {shape.dims().begin(), shape.dims().end()}};
        result.output = hasWorked ? common(result.output, output) : output;
        result.dtype = graph.type(lowered.value).dtype;
        hasWorked = true;
      }
      catch (const LayerProblem& found) {
        problem.add(found.diagnostic());
      }
      catch (const Error&) {
        // The sample size is too large for the layer, so it is skipped.
      }
    }
  }
  if (!hasWorked) result.problem = problem.take();
  return result;
}

}  // namespace strata
