// SPDX-License-Identifier: Apache-2.0
// First values by Keras's initializers (VarianceScaling and friends). The numbers come from the counter-based generator, so they are not Keras's own.
#include <algorithm>
#include <cmath>

#include "core/compile/compile.h"
#include "gpu/base/rng.h"

namespace strata {

namespace {

/// Deviation of a standard normal cut at two deviations: Keras divides by it, so that the cut distribution has the deviation asked for.
constexpr double kTruncatedDeviation = 0.87962566103423978;

double truncatedNormal(RandomStream& stream) {
  for (;;) {
    const double value = stream.normal();
    if (std::abs(value) <= 2) return value;
  }
}

double varianceScale(const std::string& type, const VariableRequest& request) {
  const double fanIn = static_cast<double>(std::max<int64_t>(1, request.fanIn));
  if (type.starts_with("glorot")) return 1 / std::max(1.0, static_cast<double>(request.fanIn + request.fanOut) / 2);
  return (type.starts_with("he") ? 2.0 : 1.0) / fanIn;
}

}  // namespace

Tensor initialValue(const VariableRequest& request, uint64_t seed) {
  const std::string& type = request.initializer.type;
  Tensor result(DType::F32, request.shape);
  const auto values = result.as<float>();
  const auto number = [&](const char* name) { return request.initializer.numbers.at(name); };
  if (type == "zeros") return result;
  if (type == "ones" || type == "constant") {
    std::fill(values.begin(), values.end(), type == "ones" ? 1.0f : static_cast<float>(number("value")));
    return result;
  }
  RandomStream stream(request.initializer.seed.value_or(seed), streamOf(request.name));
  const auto fillUniform = [&](double low, double high) {
    for (float& value : values) value = static_cast<float>(low + (high - low) * static_cast<double>(stream.uniform()));
  };
  const auto fillTruncated = [&](double mean, double deviation) {
    for (float& value : values) value = static_cast<float>(mean + deviation * truncatedNormal(stream));
  };
  if (type == "random_uniform") {
    fillUniform(number("minval"), number("maxval"));
  } else if (type == "random_normal") {
    for (float& value : values) value = static_cast<float>(number("mean") + number("stddev") * stream.normal());
  } else if (type == "truncated_normal") {
    fillTruncated(number("mean"), number("stddev"));
  } else if (type.ends_with("_uniform")) {
    const double limit = std::sqrt(3 * varianceScale(type, request));
    fillUniform(-limit, limit);
  } else if (type.ends_with("_normal")) {
    fillTruncated(0, std::sqrt(varianceScale(type, request)) / kTruncatedDeviation);
  } else {
    throw Error(ErrorCode::Internal, request.name, "unknown initializer " + type);
  }
  return result;
}

void initializeState(State& state, const StepGraph& step, uint64_t seed) {
  std::vector<const VariableRequest*> fresh;
  for (const auto* list : {&step.variables, &step.optimizerState})
    for (const auto& request : *list)
      if (!state.has(request.name)) fresh.push_back(&request);
  state.ensureVariables(step.graph);
  for (const VariableRequest* request : fresh)
    if (state.has(request->name)) state.write(request->name, initialValue(*request, seed));
}

}  // namespace strata
