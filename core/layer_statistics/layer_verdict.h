// SPDX-License-Identifier: Apache-2.0
// Says in words how a layer does, from its latest statistics, with the figure that decided and with
// advice. Not here: the statistics (layer_sample.h).
//
// The limits, and where they come from:
// - kMaxUpdateRatio (exploding): updates of about 1/1000 of the weights are healthy (A. Karpathy,
//   CS231n "Neural Networks Part 3", section "Ratio of weights:updates"). The limit is a hundred
//   times that. At least kMinUpdateSamples samples decide, because the first steps of Adam are
//   large.
// - kMinGradient (vanishing): a mean magnitude below 1e-7 is the default of the rule
//   VanishingGradient of Amazon SageMaker Debugger. Gradients also become small where a network has
//   learned its data. Therefore the layer must in addition have less than kMinGradientShare of the
//   largest mean magnitude of a layer.
// - kMaxDeadShare (dead): half of the units is the default of the rule DeadRelu of Amazon SageMaker
//   Debugger (threshold_layer 50).
// - kMaxSaturatedShare (saturated): half of the outputs. X. Glorot and Y. Bengio, "Understanding
//   the difficulty of training deep feedforward neural networks" (2010) describe layers whose
//   activations gather at the ends; their text has no limit, so this one is ours.
// A verdict is about the latest kVerdictSamples samples: the median of the update ratio, and the
// mean of the other figures. Dead units are those of all these samples (LayerSample::recent). The
// update ratio of a layer without problems is that of the latest sample.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layer_statistics/layer_sample.h"
#include "core/project/diagnostic.h"

namespace strata {

constexpr double kMaxUpdateRatio = 0.1;
constexpr size_t kMinUpdateSamples = 2;
constexpr double kMinGradient = 1e-7;
constexpr double kMinGradientShare = 1e-3;
constexpr double kMaxDeadShare = 0.5;
constexpr double kMaxSaturatedShare = 0.5;
constexpr size_t kVerdictSamples = 3;
/// Units are judged if the output has at least so many values for each one.
constexpr int64_t kMinValuesPerUnit = 8;

enum class LayerHealth : uint8_t { Unknown, Fine, Exploding, Dead, Saturated, Vanishing };
/// Returns "unknown", "fine", "exploding", "dead", "saturated" or "vanishing", for files and
/// options.
std::string_view healthName(LayerHealth health);
/// Returns the same as a word for people.
Text healthText(LayerHealth health);

/// Returns a share as a percentage with two digits, such as "46%" or "0.12%".
std::string percentText(double share);

struct LayerVerdict {
  std::string layer;
  LayerHealth health = LayerHealth::Unknown;
  // What decided, with its figures: "64% of 32 units have the same output for all samples"
  Phrase evidence;
  // What to do; empty for Fine and Unknown
  Phrase advice;
  // The figure of the evidence, and its limit; NaN for Unknown
  double figure = 0, limit = 0;
  bool isProblem() const { return health != LayerHealth::Unknown && health != LayerHealth::Fine; }
};

/// Returns the verdicts on all layers, in their order. `latest` are the latest samples of the run,
/// oldest first; older ones than the last kVerdictSamples are not used. If a layer has several
/// problems, the first one of LayerHealth counts, because a dead layer also has no gradient. Layers
/// without weights are dead or saturated only if they are activations, because others only pass on
/// what they get. Outputs of the network are never saturated, because a good classifier is sure.
std::vector<LayerVerdict> layerVerdicts(std::span<const LayerSample> latest);

}  // namespace strata
