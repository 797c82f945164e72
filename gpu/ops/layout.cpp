// SPDX-License-Identifier: Apache-2.0
#include "gpu/ops/layout.h"

#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/tensor/permute.h"

namespace strata {
namespace {

constexpr const char* kName = "layout";

}  // namespace

AttributeSpec layoutAttribute() { return {kName, std::string(kChannelsLast), false}; }

bool hasLayout(const OpDef& op) {
  return std::ranges::any_of(op.attributes,
                             [](const AttributeSpec& spec) { return spec.name == kName; });
}

bool isChannelsFirst(const Attributes& attributes) {
  return attributes.getOr<std::string>(kName, kChannelsLast) == kChannelsFirst;
}

void requireLayout(const ShapeContext& c) {
  const std::string layout = c.attributes.getOr<std::string>(kName, kChannelsLast);
  if (layout != kChannelsLast && layout != kChannelsFirst)
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "layout is \"" + layout + "\" (expected \"channels_last\" or \"channels_first\").");
}

void requireChannelsLast(const GradientContext& c) {
  if (isChannelsFirst(c.node().attributes))
    throw Error(ErrorCode::UnsupportedOp, c.node().layer,
                c.node().op->name +
                    " with channels first has no gradient. Differentiate the graph before the "
                    "pass choose_layouts.");
}

std::string imageAxesText(const Attributes& attributes) {
  return isChannelsFirst(attributes) ? "[N,C,H,W]" : "[N,H,W,C]";
}

bool isImageInput(const OpDef& op, size_t input, const Shape& shape) {
  const bool isWeights = op.work == WorkKind::Convolution && input == 1 &&
                         op.direction != OpDirection::BackwardWeights;
  return shape.rank() == 4 && !isWeights;
}

bool isImageOutput(const OpDef& op, const Shape& shape) {
  const bool isWeights =
      op.work == WorkKind::Convolution && op.direction == OpDirection::BackwardWeights;
  return shape.rank() == 4 && !isWeights;
}

Shape asChannelsLast(const Attributes& attributes, const Shape& images) {
  if (!isChannelsFirst(attributes) || images.rank() != 4) return images;
  return permutedShape(images, kToChannelsLast);
}

Shape inLayoutOf(const Attributes& attributes, const Shape& channelsLast) {
  if (!isChannelsFirst(attributes) || channelsLast.rank() != 4) return channelsLast;
  return permutedShape(channelsLast, kToChannelsFirst);
}

}  // namespace strata
