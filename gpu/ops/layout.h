// SPDX-License-Identifier: Apache-2.0
// The order of the axes of images, as the attribute `layout` of ops: "channels_last" for [N,H,W,C],
// which is the order everywhere else, or "channels_first" for [N,C,H,W]. The same order applies to
// all operands, results and attributes of the op that have the shape of images. A pass of cards
// sets it after differentiation (gpu/cuda/passes/choose_layouts.h).
// Thread: pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "gpu/graph/op.h"

namespace strata {

inline constexpr const char *kChannelsLast = "channels_last", *kChannelsFirst = "channels_first";
/// The axes of transposes from one order to the other.
inline constexpr std::array<int64_t, 4> kToChannelsFirst{0, 3, 1, 2}, kToChannelsLast{0, 2, 3, 1};

/// Returns the specification of the attribute.
AttributeSpec layoutAttribute();
/// Returns whether an op has the attribute.
bool hasLayout(const OpDef& op);
/// Returns whether images are [N,C,H,W]. They are not if there is no such attribute.
bool isChannelsFirst(const Attributes& attributes);
/// Checks the attribute of a node. Fails: InvalidArgument.
void requireLayout(const ShapeContext& c);
/// Checks that channels are last. Gradients exist only for this order, because a pass chooses the
/// other one after differentiation. Fails: UnsupportedOp.
void requireChannelsLast(const GradientContext& c);
/// Returns "[N,H,W,C]" or "[N,C,H,W]", for messages.
std::string imageAxesText(const Attributes& attributes);
/// Return whether an operand or result of an op with the attribute is in this order. Weights are
/// not.
bool isImageInput(const OpDef& op, size_t input, const Shape& shape);
bool isImageOutput(const OpDef& op, const Shape& shape);
/// Returns the shape of images of a node with these attributes as [N,H,W,C]. A shape that is not of
/// rank 4 stays as it is.
Shape asChannelsLast(const Attributes& attributes, const Shape& images);
/// Returns a shape [N,H,W,C] in the order of a node with these attributes.
Shape inLayoutOf(const Attributes& attributes, const Shape& channelsLast);

}  // namespace strata
