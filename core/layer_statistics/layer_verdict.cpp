// SPDX-License-Identifier: Apache-2.0
#include "core/layer_statistics/layer_verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

namespace strata {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct NamedHealth {
  LayerHealth health;
  std::string_view name;
  Text text;
};
constexpr std::array<NamedHealth, 6> kHealths{
    {{LayerHealth::Unknown, "unknown", STRATA_TEXT("layer health", "unknown")},
     {LayerHealth::Fine, "fine", STRATA_TEXT("layer health", "fine")},
     {LayerHealth::Exploding, "exploding", STRATA_TEXT("layer health", "exploding")},
     {LayerHealth::Dead, "dead", STRATA_TEXT("layer health", "dead")},
     {LayerHealth::Saturated, "saturated", STRATA_TEXT("layer health", "saturated")},
     {LayerHealth::Vanishing, "vanishing", STRATA_TEXT("layer health", "vanishing")}}};

std::string shortNumber(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g", value);
  return text.data();
}

/// Returns the lower median of sorted values, or NaN if there are none.
double medianOf(const std::vector<double>& values) {
  return values.empty() ? kUnknown : values[(values.size() - 1) / 2];
}

/// Figures of one layer over the latest samples.
class Judge {
 public:
  Judge(std::span<const LayerSample> latest, size_t layer)
      : m_latest(latest), m_layer(layer), m_watched((*latest.back().watched)[layer]) {}

  LayerVerdict verdict(double largestGradient) const {
    LayerVerdict result;
    result.layer = m_watched.name;
    if (judgeFinite(result) || judgeUpdates(result)) return result;
    if (!m_watched.weights.empty() || !m_watched.activation.empty())
      if (judgeUnits(result) || judgeSaturation(result)) return result;
    if (judgeGradient(result, largestGradient)) return result;
    describeFine(result);
    return result;
  }

  /// Returns the mean magnitude of the gradients over the samples, or NaN if it is not known.
  double gradient() const {
    return mean([](const LayerStatistics& layer) {
      return layer.gradients.isKnown() ? static_cast<double>(layer.gradients.meanMagnitude)
                                       : kUnknown;
    });
  }

 private:
  const LayerStatistics& last() const { return m_latest.back().layers[m_layer]; }

  /// Returns the mean of the known figures.
  double mean(const std::function<double(const LayerStatistics&)>& figure) const {
    double sum = 0;
    int known = 0;
    for (const LayerSample& sample : m_latest) {
      const double value = figure(sample.layers[m_layer]);
      if (std::isnan(value)) continue;
      sum += value;
      ++known;
    }
    return known > 0 ? sum / known : kUnknown;
  }

  /// Returns the norms of the updates divided by those of the weights, smallest first.
  std::vector<double> updateRatios() const {
    std::vector<double> ratios;
    for (const LayerSample& sample : m_latest)
      if (const float ratio = sample.layers[m_layer].updateRatio; !std::isnan(ratio))
        ratios.push_back(std::pow(10.0, static_cast<double>(ratio)));
    std::ranges::sort(ratios);
    return ratios;
  }

  bool judgeFinite(LayerVerdict& result) const {
    const auto judge = [&](const TensorStatistics& tensor, const Text& text) {
      if (tensor.nonFinite == 0) return false;
      result.health = LayerHealth::Exploding;
      result.figure = static_cast<double>(tensor.nonFinite);
      result.limit = 0;
      result.evidence = {text, {std::to_string(tensor.nonFinite)}};
      result.advice = {
          STRATA_TEXT("layer health",
                      "Lower the learning rate, clip the gradients, or check the data."),
          {}};
      return true;
    };
    return judge(last().weights, STRATA_TEXT("layer health", "%1 weights are NaN or infinite")) ||
           judge(last().gradients,
                 STRATA_TEXT("layer health", "%1 gradients are NaN or infinite")) ||
           judge(last().activations, STRATA_TEXT("layer health", "%1 outputs are NaN or infinite"));
  }

  bool judgeUpdates(LayerVerdict& result) const {
    const std::vector<double> ratios = updateRatios();
    if (ratios.size() < kMinUpdateSamples) return false;
    const double ratio = medianOf(ratios);
    if (ratio <= kMaxUpdateRatio) return false;
    result.health = LayerHealth::Exploding;
    result.figure = ratio;
    result.limit = kMaxUpdateRatio;
    result.evidence = {
        STRATA_TEXT("layer health",
                    "A step changes the weights by %1 of their norm (median of the latest samples; "
                    "healthy: about 0.1%)"),
        {percentText(ratio)}};
    result.advice = {STRATA_TEXT("layer health", "Lower the learning rate, or clip the gradients."),
                     {}};
    return true;
  }

  bool judgeUnits(LayerVerdict& result) const {
    if (last().deadUnits < 0 || m_watched.units == 0) return false;
    const double share =
        static_cast<double>(last().deadUnits) / static_cast<double>(m_watched.units);
    if (share < kMaxDeadShare) return false;
    result.health = LayerHealth::Dead;
    result.figure = share;
    result.limit = kMaxDeadShare;
    result.evidence = {
        STRATA_TEXT("layer health", "%1 of %2 units have the same output for all samples"),
        {std::to_string(last().deadUnits), std::to_string(m_watched.units)}};
    result.advice = {STRATA_TEXT("layer health",
                                 "Lower the learning rate, use leaky_relu or elu as activation, or "
                                 "use other initial weights."),
                     {}};
    return true;
  }

  bool judgeSaturation(LayerVerdict& result) const {
    if (m_watched.isOutput) return false;
    const double share =
        mean([](const LayerStatistics& layer) { return static_cast<double>(layer.saturated); });
    if (std::isnan(share) || share < kMaxSaturatedShare) return false;
    result.health = LayerHealth::Saturated;
    result.figure = share;
    result.limit = kMaxSaturatedShare;
    result.evidence = {
        STRATA_TEXT("layer health", "%1 of the outputs are where %2 has nearly no slope"),
        {percentText(share), m_watched.activation}};
    result.advice = {STRATA_TEXT("layer health",
                                 "Normalize the inputs of the layer, lower the learning rate, use "
                                 "smaller initial weights, or use relu as activation."),
                     {}};
    return true;
  }

  bool judgeGradient(LayerVerdict& result, double largest) const {
    const double magnitude = gradient();
    if (std::isnan(magnitude) || magnitude >= kMinGradient ||
        magnitude >= kMinGradientShare * largest)
      return false;
    result.health = LayerHealth::Vanishing;
    result.figure = magnitude;
    result.limit = kMinGradient;
    result.evidence = {STRATA_TEXT("layer health",
                                   "The mean gradient is %1, and the largest one of a layer is %2"),
                       {shortNumber(magnitude), shortNumber(largest)}};
    result.advice = {STRATA_TEXT("layer health",
                                 "Use relu instead of sigmoid or tanh, add BatchNormalization, or "
                                 "add connections that skip layers."),
                     {}};
    return true;
  }

  void describeFine(LayerVerdict& result) const {
    // This sentence is next to the figures of the latest sample, so it is about that one
    const double ratio = std::pow(10.0, static_cast<double>(last().updateRatio));
    result.figure = ratio;
    result.limit = kMaxUpdateRatio;
    if (!std::isnan(ratio)) {
      result.health = LayerHealth::Fine;
      result.evidence = {
          STRATA_TEXT("layer health", "A step changes the weights by %1 of their norm"),
          {percentText(ratio)}};
      return;
    }
    if (!last().activations.isKnown() && !last().weights.isKnown()) {
      result.figure = result.limit = kUnknown;
      return;
    }
    result.health = LayerHealth::Fine;
    result.evidence = {
        STRATA_TEXT("layer health", "%1 of the outputs are 0"),
        {percentText(last().activations.isKnown() ? last().activations.zeroShare() : 0)}};
  }

  std::span<const LayerSample> m_latest;
  size_t m_layer;
  const WatchedLayer& m_watched;
};

}  // namespace

std::string percentText(double share) {
  const double value = 100 * share;
  // Two digits would round this to 1e+02
  if (value >= 99.5) return std::to_string(std::llround(std::min(value, 1e15))) + "%";
  return shortNumber(value) + "%";
}

std::string_view healthName(LayerHealth health) {
  return kHealths[static_cast<size_t>(health)].name;
}

Text healthText(LayerHealth health) { return kHealths[static_cast<size_t>(health)].text; }

std::vector<LayerVerdict> layerVerdicts(std::span<const LayerSample> latest) {
  std::vector<LayerVerdict> verdicts;
  if (latest.empty()) return verdicts;
  if (latest.size() > kVerdictSamples) latest = latest.last(kVerdictSamples);
  // Layers of another stage of the run may have other weights
  while (latest.front().layers.size() != latest.back().layers.size())
    latest = latest.subspan(1);
  double largestGradient = 0;
  const size_t count = latest.back().layers.size();
  for (size_t layer = 0; layer < count; ++layer)
    if (const double gradient = Judge(latest, layer).gradient(); gradient > largestGradient)
      largestGradient = gradient;
  for (size_t layer = 0; layer < count; ++layer)
    verdicts.push_back(Judge(latest, layer).verdict(largestGradient));
  return verdicts;
}

}  // namespace strata
