// SPDX-License-Identifier: Apache-2.0
// Shape rules and gradient helpers that several op files share. Thread: pure, or edit the given
// graph only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu/graph/op.h"

namespace strata {

/// The type of the first input.
std::vector<TensorType> inferSame(const ShapeContext& c);
/// The broadcast shape of all inputs, which must have one dtype.
std::vector<TensorType> inferBroadcast(const ShapeContext& c);

void requireFloating(const ShapeContext& c, int input);
void requireSameDType(const ShapeContext& c, int a, int b);
/// The attribute `axes`, normalized, sorted and without duplicates. Fails: InvalidArgument.
std::vector<int> normalizedAxes(const ShapeContext& c, const Shape& shape);
int axisAttribute(const ShapeContext& c, const Shape& shape);
/// The shape after a reduction over `axes`.
Shape reducedShape(const Shape& shape, std::span<const int> axes, bool keepdims);
/// An attribute that is a pair (height, width) with both numbers >= least. Fails: InvalidArgument.
std::vector<int64_t> pairAttribute(const ShapeContext& c, std::string_view name, int64_t least);

/// The attributes of windows, in the order of Window2D.
std::vector<AttributeSpec> windowAttributes(bool hasDilationAndGroups);
/// The output size along one axis of a window. Fails: ShapeMismatch.
int64_t windowOutput(const ShapeContext& c, int64_t input, int64_t window, int64_t dilation,
                     int64_t stride, int64_t before, int64_t after, const char* axis);

/// Fails: InvalidArgument for an unknown activation in the given attribute.
void requireActivation(const ShapeContext& c, std::string_view attribute);

/// The gradient of broadcasting: sums `gradient` over the axes along which `shape` was repeated.
ValueId reduceTo(Graph& g, ValueId gradient, Shape shape);
/// The gradient rule of a function that is constant almost everywhere.
std::vector<ValueId> zeroGradient(const GradientContext& c);

}  // namespace strata
