// SPDX-License-Identifier: Apache-2.0
// Shape rules and gradient pieces that several op files share. Thread: pure, or editing the given
// graph only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu/graph/op.h"

namespace strata {

/// First input's type.
std::vector<TensorType> inferSame(const ShapeContext& c);
/// All inputs broadcast together, all of one dtype.
std::vector<TensorType> inferBroadcast(const ShapeContext& c);

void requireFloating(const ShapeContext& c, int input);
void requireSameDType(const ShapeContext& c, int a, int b);
/// Axes normalized, sorted and unique. Fails: InvalidArgument.
std::vector<int> normalizedAxes(const ShapeContext& c, const Shape& shape);
int axisAttribute(const ShapeContext& c, const Shape& shape);
/// Shape after a reduction over `axes`.
Shape reducedShape(const Shape& shape, std::span<const int> axes, bool keepdims);
/// An attribute of pairs (height, width): length 2, each >= least. Fails: InvalidArgument.
std::vector<int64_t> pairAttribute(const ShapeContext& c, std::string_view name, int64_t least);

/// Attributes of windows, in the order of Window2D.
std::vector<AttributeSpec> windowAttributes(bool hasDilationAndGroups);
/// Cells of one axis of a window's output. Fails: ShapeMismatch.
int64_t windowOutput(const ShapeContext& c, int64_t input, int64_t window, int64_t dilation,
                     int64_t stride, int64_t before, int64_t after, const char* axis);

/// Fails: InvalidArgument for an unknown activation kind in attribute `activation` or `kind`.
void requireActivation(const ShapeContext& c, std::string_view attribute);

/// The gradient of broadcasting: sums `gradient` over what was repeated to reach it from `shape`.
ValueId reduceTo(Graph& g, ValueId gradient, Shape shape);
/// Gradient rule of a function that is constant almost everywhere.
std::vector<ValueId> zeroGradient(const GradientContext& c);

}  // namespace strata
