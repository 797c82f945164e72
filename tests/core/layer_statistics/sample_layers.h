// SPDX-License-Identifier: Apache-2.0
// Statistics of layers for tests. Any thread may call these functions.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/layer_statistics/layer_sample.h"

namespace strata {

inline std::shared_ptr<const WatchedLayers> watchedLayers() {
  return std::make_shared<const WatchedLayers>(
      WatchedLayers{{"conv", "Conv2D", "relu", 8, false, {{"conv/kernel", 72}, {"conv/bias", 8}}},
                    {"pool", "MaxPooling2D", "", 8, false, {}},
                    {"block/0/hidden", "Dense", "tanh", 4, false, {{"block/0/hidden/kernel", 32}}},
                    {"out", "Dense", "softmax", 3, true, {{"out/kernel", 12}}}});
}

/// A sample without problems, whose figures depend on the step.
inline LayerSample sampleAt(int64_t step, std::shared_ptr<const WatchedLayers> layers) {
  LayerSample sample;
  sample.watched = std::move(layers);
  sample.step = step;
  sample.epoch = static_cast<int32_t>(1 + step / 100);
  sample.seconds = 0.5 * static_cast<double>(step);
  sample.cost = 0.001;
  sample.samples = 16;
  for (const WatchedLayer& watched : *sample.watched) {
    LayerStatistics& layer = sample.layers.emplace_back();
    std::vector<float> values(64);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i) / 64 - 0.5f + static_cast<float>(step);
    layer.activations = statisticsOf(values);
    layer.deadUnits = 0;
    if (watched.activation == "tanh") layer.saturated = 0.25f;
    layer.updateRatios.assign(watched.weights.size(), -3);
    if (watched.weights.empty()) continue;
    layer.weights = statisticsOf(values);
    layer.gradients = statisticsOf(values);
    layer.updateRatio = -3;
  }
  return sample;
}

}  // namespace strata
