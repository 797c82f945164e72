// SPDX-License-Identifier: Apache-2.0
// Explains what a trained network computes for one sample: saliency maps (Simonyan et al. 2013),
// Grad-CAM (Selvaraju et al. 2017), occlusion maps (Zeiler and Fergus 2014), the outputs of layers,
// and the filters of convolutions.
//
// The score of a class is its logit if the output is a softmax over its last axis, or a sigmoid,
// whether as a layer or as an activation, also if training computes it together with the loss.
// Otherwise it is the value of the output. For an output with a single binary value, the score of
// class 1 is that value, and the score of class 0 is its negative. If an output has a class for
// each position, the score is the sum over the positions.
//
// Samples have raw values, which are converted as in Evaluator::predict(). Gradients are those with
// respect to the converted values. They are computed in float32, whatever the precision of the
// project is.
// Not here: files of maps (map_file.h), colors and overlays (ui).
// Thread: only one thread at a time may use an object, and its Evaluator.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/train/evaluator.h"
#include "gpu/tensor/tensor.h"

namespace strata {

/// The score to explain.
struct ExplainedScore {
  // Name of an output; "" for the first one
  std::string output = {};
  // Position of the class, or of the value; absent for the predicted class, or the largest value
  std::optional<int64_t> index = {};
  // Name of an Input layer; "" for the first one that the method can use
  std::string input = {};
};

/// A map of what matters for a score.
struct Explanation {
  // Values by place, f32
  Tensor map;
  // The score, and what it belongs to
  std::string output, input;
  int64_t index = 0;
  double score = 0;
  // Only for Grad-CAM: the layer, and the map in the size of its output
  std::string layer = {};
  Tensor layerMap = {};
};

struct OcclusionOptions {
  // Size of the patch and distance between patches, for each spatial axis or as one number for all.
  // By default, the size is a seventh of each axis, and the distance is half the size.
  std::vector<int64_t> size = {}, stride = {};
  // The raw value that covers the input
  double fill = 0;
  // A stop request ends the work, which then fails with Stopped
  std::stop_token stop = {};
};

/// An occlusion map with the patches that it used.
struct OcclusionMap {
  // The map has an element for each patch: how much the score drops. Patch i of an axis begins at
  // i * stride. The last one may be cut at the border.
  Explanation explanation;
  std::vector<int64_t> size, stride;
};

/// A layer that can be explained.
struct ExplainableLayer {
  // Name, with the number of the repeat for a layer in a Block: "block/0/conv"
  std::string name;
  // Shape of its output, without the batch dimension
  Shape shape;
  // Whether Grad-CAM can use it, and whether it is a convolution with filters
  bool hasSpatialAxes = false, hasFilters = false;
};

/// The largest number of patches of an occlusion map.
constexpr int64_t kMaxPatches = 100'000;

class Explainer {
 public:
  /// Uses the network of the evaluator, which must outlive the object.
  explicit Explainer(Evaluator& evaluator);
  ~Explainer();

  /// Returns the layers except the Input layers, in the order of the network.
  std::vector<ExplainableLayer> layers() const;
  /// Returns the number of classes or values of an output ("" for the first one) that have a score.
  /// Fails: InvalidArgument if there is no such output.
  int64_t numScores(const std::string& output = {}) const;

  // Each function below takes the arrays of a sample for all Input layers. All fail with the errors
  // of Evaluator::predict(); with InvalidArgument if an output, Input layer or layer does not
  // exist, or an index is out of range; and with UnsupportedOp if the score has no gradient with
  // respect to the input or layer, naming the reason.

  /// Returns the absolute gradient of the score with respect to an input, and its maximum over the
  /// channels, which are the last axis of an input with at least two axes.
  Explanation saliency(std::span<const Tensor> sample, const ExplainedScore& score = {});
  /// Returns the gradient of the score with respect to each value of an input, multiplied by the
  /// value as the network receives it, after the transforms. A value of 0, which is the mean of a
  /// standardized column, contributes nothing. The map has the shape of the input, and is signed.
  Explanation gradientTimesInput(std::span<const Tensor> sample, const ExplainedScore& score = {});
  /// Returns the sum of the channels of a layer's output, each weighted by the mean of its
  /// gradient, without its negative part. The map is interpolated linearly to the size of the
  /// input, with pixel centers at half coordinates, if both have equally many spatial axes. `layer`
  /// is "" for the last layer before the output whose output has spatial axes. A name without the
  /// number of a repeat means the last repeat.
  Explanation gradCam(std::span<const Tensor> sample, const ExplainedScore& score = {},
                      const std::string& layer = {});
  /// Covers the input with a patch, place by place, and returns how much the score drops. The
  /// spatial axes are all but the last one of an input with at least two axes.
  OcclusionMap occlusion(std::span<const Tensor> sample, const ExplainedScore& score = {},
                         const OcclusionOptions& options = {});
  /// Returns the output of a layer, without the batch dimension.
  Tensor featureMaps(std::span<const Tensor> sample, const std::string& layer);
  /// Returns the kernel of a convolution as one image for each filter: [filters, sizes...,
  /// channels]. The filters of a depthwise convolution have one channel.
  Tensor filters(const std::string& layer) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace strata
