// SPDX-License-Identifier: Apache-2.0
// Draws initial values with Keras's initializers (VarianceScaling and others). The numbers come
// from the counter-based generator, so they differ from those of Keras.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "core/compile/compile.h"
#include "gpu/base/rng.h"

namespace strata {

namespace {

/// Standard deviation of a standard normal distribution that is truncated at two deviations. Keras
/// divides the requested deviation by this value, so that the truncated distribution has the
/// requested deviation.
constexpr double kTruncatedDeviation = 0.87962566103423978;

double truncatedNormal(RandomStream& stream) {
  for (;;) {
    const double value = stream.normal();
    if (std::abs(value) <= 2) return value;
  }
}

/// Parameters of Keras's VarianceScaling. The Glorot, He and LeCun initializers are special cases.
struct VarianceScaling {
  double scale = 1;
  std::string mode = "fan_in", distribution = "truncated_normal";
};

std::optional<VarianceScaling> varianceScaling(const Initializer& initializer) {
  const std::string& type = initializer.type;
  if (type == "variance_scaling")
    return VarianceScaling{initializer.numbers.at("scale"), initializer.words.at("mode"),
                           initializer.words.at("distribution")};
  const size_t split = type.rfind('_');
  if (split == std::string::npos) return {};
  const std::string stem = type.substr(0, split);
  if (stem != "glorot" && stem != "he" && stem != "lecun") return {};
  return VarianceScaling{stem == "he" ? 2.0 : 1.0, stem == "glorot" ? "fan_avg" : "fan_in",
                         type.ends_with("_uniform") ? "uniform" : "truncated_normal"};
}

double varianceOf(const VarianceScaling& scaling, const VariableRequest& request) {
  const auto in = static_cast<double>(request.fanIn), out = static_cast<double>(request.fanOut);
  double fan = (in + out) / 2;
  if (scaling.mode == "fan_in") fan = in;
  if (scaling.mode == "fan_out") fan = out;
  return scaling.scale / std::max(1.0, fan);
}

/// Fills a matrix with orthogonal rows (or columns, if the matrix is tall) of length `gain`. They
/// are the columns of Q in the QR decomposition of a matrix of normally distributed random numbers,
/// computed with Householder reflections. Multiplying them by the signs of R's diagonal makes all
/// orthogonal matrices equally likely.
void fillOrthogonal(std::span<float> values, int64_t columns, double gain, RandomStream& stream) {
  const auto n = static_cast<size_t>(columns), m = values.size() / n;
  const size_t large = std::max(m, n), small = std::min(m, n);
  // Vectors of length `large`, stored one after another
  std::vector<double> a(large * small);
  for (double& value : a)
    value = stream.normal();
  std::vector<double> signs(small), lengths(small);
  const auto vectorAt = [&](size_t i) {
    return std::span(a).subspan(i * large, large);
  };
  const auto reflect = [&](std::span<const double> axis, size_t from, double halfSquare,
                           std::span<double> x) {
    double sum = 0;
    for (size_t i = from; i < large; ++i)
      sum += axis[i] * x[i];
    sum /= halfSquare;
    for (size_t i = from; i < large; ++i)
      x[i] -= sum * axis[i];
  };
  for (size_t k = 0; k < small; ++k) {
    const auto axis = vectorAt(k);
    double square = 0;
    for (size_t i = k; i < large; ++i)
      square += axis[i] * axis[i];
    const double length = std::sqrt(square), diagonal = axis[k] > 0 ? -length : length;
    signs[k] = diagonal < 0 ? -1 : 1;
    // Half of the squared norm of the reflection's axis
    lengths[k] = square - axis[k] * diagonal;
    axis[k] -= diagonal;
    if (lengths[k] == 0) lengths[k] = 1;
    for (size_t j = k + 1; j < small; ++j)
      reflect(axis, k, lengths[k], vectorAt(j));
  }
  std::vector<double> column(large);
  for (size_t j = 0; j < small; ++j) {
    std::fill(column.begin(), column.end(), 0.0);
    column[j] = signs[j] * gain;
    for (size_t k = j + 1; k-- > 0;)
      reflect(vectorAt(k), k, lengths[k], column);
    for (size_t i = 0; i < large; ++i)
      values[m >= n ? i * n + j : j * n + i] = static_cast<float>(column[i]);
  }
}

/// Fills a kernel [frame, 1, filters] like Keras 3's keras.initializers.STFT. The windows match
/// scipy.signal.windows.
void fillWaves(std::span<float> values, const Shape& shape, const Initializer& from) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const int64_t frame = shape[0], filters = shape[2];
  const auto word = [&](const char* name) {
    const auto found = from.words.find(name);
    return found == from.words.end() ? std::string() : found->second;
  };
  const std::string kind = word("window"), scaling = word("scaling");
  const double steps = static_cast<double>(from.numbers.at("periodic") != 0 ? frame : frame - 1);
  std::vector<double> window(static_cast<size_t>(frame), 1.0);
  double squares = 0, sum = 0;
  for (size_t t = 0; t < window.size(); ++t) {
    const double at = steps > 0 ? kTurn * static_cast<double>(t) / steps : std::numbers::pi;
    if (kind == "hann") window[t] = 0.5 - 0.5 * std::cos(at);
    if (kind == "hamming") window[t] = 0.54 - 0.46 * std::cos(at);
    if (kind == "blackman") window[t] = 0.42 - 0.5 * std::cos(at) + 0.08 * std::cos(2 * at);
    squares += window[t] * window[t];
    sum += std::abs(window[t]);
  }
  double scale = 1;
  if (!kind.empty() && !scaling.empty()) scale = scaling == "density" ? std::sqrt(squares) : sum;
  for (int64_t t = 0; t < frame; ++t)
    for (int64_t f = 0; f < filters; ++f) {
      const double angle = -kTurn * static_cast<double>(t) * static_cast<double>(f) /
                           static_cast<double>(2 * (filters - 1));
      const double wave = from.words.at("side") == "real" ? std::cos(angle) : std::sin(angle);
      values[static_cast<size_t>(t * filters + f)] =
          static_cast<float>(wave * window[static_cast<size_t>(t)] / scale);
    }
}

Tensor drawnValue(const VariableRequest& request, uint64_t seed) {
  const std::string& type = request.initializer.type;
  Tensor result(DType::F32, request.shape);
  const auto values = result.as<float>();
  const auto number = [&](const char* name) {
    return request.initializer.numbers.at(name);
  };
  if (type == "zeros") return result;
  if (type == "ones" || type == "constant") {
    std::fill(values.begin(), values.end(),
              type == "ones" ? 1.0f : static_cast<float>(number("value")));
    return result;
  }
  RandomStream stream(request.initializer.seed.value_or(seed), streamOf(request.name));
  const auto fillUniform = [&](double low, double high) {
    for (float& value : values)
      value = static_cast<float>(low + (high - low) * static_cast<double>(stream.uniform()));
  };
  const auto fillTruncated = [&](double mean, double deviation) {
    for (float& value : values)
      value = static_cast<float>(mean + deviation * truncatedNormal(stream));
  };
  if (type == "random_uniform") {
    fillUniform(number("minval"), number("maxval"));
  }
  else if (type == "random_normal") {
    for (float& value : values)
      value = static_cast<float>(number("mean") + number("stddev") * stream.normal());
  }
  else if (type == "truncated_normal") {
    fillTruncated(number("mean"), number("stddev"));
  }
  else if (const auto scaling = varianceScaling(request.initializer)) {
    const double variance = varianceOf(*scaling, request);
    if (scaling->distribution == "uniform") {
      fillUniform(-std::sqrt(3 * variance), std::sqrt(3 * variance));
    }
    else if (scaling->distribution == "truncated_normal") {
      fillTruncated(0, std::sqrt(variance) / kTruncatedDeviation);
    }
    else {
      for (float& value : values)
        value = static_cast<float>(std::sqrt(variance) * stream.normal());
    }
  }
  else if (type == "orthogonal") {
    if (!values.empty())
      fillOrthogonal(values, request.shape[request.shape.rank() - 1], number("gain"), stream);
  }
  else if (type == "stft") {
    fillWaves(values, request.shape, request.initializer);
  }
  else if (type == "identity") {
    const int64_t columns = request.shape[1];
    for (int64_t i = 0; i < std::min(request.shape[0], columns); ++i)
      values[static_cast<size_t>(i * columns + i)] = static_cast<float>(number("gain"));
  }
  else {
    throw Error(ErrorCode::Internal, request.name, "unknown initializer " + type);
  }
  return result;
}

}  // namespace

Tensor initialValue(const VariableRequest& request, uint64_t seed) {
  Tensor result = drawnValue(request, seed);
  const auto values = result.as<float>();
  const Initializer& from = request.initializer;
  if (from.isRooted)
    for (float& value : values)
      value = std::sqrt(value);
  std::fill(values.begin() + from.onesFrom,
            values.begin() + std::min<int64_t>(from.onesTo, result.numElements()), 1.0f);
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
