// SPDX-License-Identifier: Apache-2.0
// The statistics of all layers of a network at one step of a run. Training computes them every N
// steps (core/train/layer_sampler.h), tells them to observers (RunObserver::onLayerSample) and
// appends them to a file (layer_file.h). Not here: what they mean (layer_verdict.h).
// Thread: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/layer_statistics/tensor_statistics.h"

namespace strata {

/// A layer whose statistics are sampled.
struct WatchedLayer {
  struct Weight {
    // Name of the variable, such as "conv1/kernel"
    std::string name;
    int64_t elements = 0;
  };
  // Name of the layer. A layer in a Block has the number of the repeat: "block/0/conv"
  std::string name;
  // Type such as "Conv2D"
  std::string type;
  // Name of the activation that computes the output, such as "sigmoid"; "" if it has none
  std::string activation;
  // The size of the last axis of the output: channels or units; 0 if the output has one axis
  int64_t units = 0;
  // Whether the layer is an output of the network
  bool isOutput = false;
  // The trainable variables; empty for frozen layers and layers without weights
  std::vector<Weight> weights;
};
using WatchedLayers = std::vector<WatchedLayer>;

struct LayerStatistics {
  // Of all trainable weights of the layer together, before the update of the step, and of their
  // gradients. Of the output of the layer. Unknown for layers that have none
  TensorStatistics weights, gradients, activations;
  // The decimal logarithm of the norm of the change of the weights in the step, divided by their
  // norm before: of all weights together, and of each one of WatchedLayer::weights. NaN if it is
  // unknown, or if the norm was 0; -infinity if the step changed nothing
  float updateRatio = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> updateRatios;
  // How many units had one constant output for all samples in each of the latest samplings: 0 for
  // relu, a saturated one for activations that saturate, otherwise any. -1 if units are unknown
  int32_t deadUnits = -1;
  // The share of outputs where the activation has nearly no slope (saturatedShare()). NaN for
  // activations that do not saturate
  float saturated = std::numeric_limits<float>::quiet_NaN();
};

struct LayerSample {
  std::shared_ptr<const WatchedLayers> watched;
  // The step that computed with these weights, activations and gradients. The first one is 1
  int64_t step = 0;
  int32_t epoch = 0;
  // How many samplings `deadUnits` is about
  int32_t recent = 1;
  // Of training so far, without pauses
  double seconds = 0;
  // How long the sampling took
  double cost = 0;
  // Samples of the step's batch that were used
  int64_t samples = 0;
  // One for each watched layer
  std::vector<LayerStatistics> layers;
};

/// Returns the share of outputs of this activation that are saturated, or NaN for activations that
/// do not saturate. Saturated means:
///   tanh, softsign        |y| > 0.97 (the slope of tanh is below 0.06)
///   sigmoid               y < 0.015 or y > 0.985 (the same points, because
///                         sigmoid(x) = (1 + tanh(x / 2)) / 2)
///   hard_sigmoid          y is 0 or 1
///   hard_tanh             y is -1 or 1
///   relu6                 y is 6
/// The limit 0.97 for tanh is that of A. Karpathy, "Building makemore Part 3: Activations &
/// Gradients, BatchNorm" (2022).
float saturatedShare(const std::string& activation, std::span<const float> outputs);

}  // namespace strata
