// SPDX-License-Identifier: Apache-2.0
// Shape rules and gradient helpers that several op files share.
// Thread: the functions are pure or edit only the given graph.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu/graph/op.h"

namespace strata {

/// Returns the type of the first input.
std::vector<TensorType> inferSame(const ShapeContext& c);
/// Returns the broadcast shape of all inputs, which must have the same dtype.
std::vector<TensorType> inferBroadcast(const ShapeContext& c);

void requireFloating(const ShapeContext& c, int input);
/// Returns the type of the result of a product: that of the first operand, or f32 if the attribute
/// `result` says so. Fails: InvalidArgument.
DType resultDType(const ShapeContext& c);
void requireSameDType(const ShapeContext& c, int a, int b);
/// Returns the attribute `axes`, normalized, sorted and without duplicates. Fails: InvalidArgument.
std::vector<int> normalizedAxes(const ShapeContext& c, const Shape& shape);
int axisAttribute(const ShapeContext& c, const Shape& shape);
/// Returns the shape after a reduction over `axes`.
Shape reducedShape(const Shape& shape, std::span<const int> axes, bool keepdims);
/// Returns an attribute that is a pair (height, width) of numbers of at least `least`. Fails:
/// InvalidArgument.
std::vector<int64_t> pairAttribute(const ShapeContext& c, std::string_view name, int64_t least);

/// Returns the specifications of the attributes that Window2D contains. Dilation and groups are
/// included only if `hasDilationAndGroups` is true.
std::vector<AttributeSpec> windowAttributes(bool hasDilationAndGroups);
/// Returns the output size of a convolution or pooling along one axis. Fails: ShapeMismatch if the
/// window is larger than the padded input.
int64_t windowOutput(const ShapeContext& c, int64_t input, int64_t window, int64_t dilation,
                     int64_t stride, int64_t before, int64_t after, const char* axis);

/// Checks that the attribute is the name of an activation. Fails: InvalidArgument.
void requireActivation(const ShapeContext& c, std::string_view attribute);

/// Sums `gradient` over the axes along which a tensor of this shape was broadcast. The result has
/// this shape. It is the gradient of broadcasting.
ValueId reduceTo(Graph& g, ValueId gradient, Shape shape);
/// The gradient rule of a function whose derivative is zero almost everywhere.
std::vector<ValueId> zeroGradient(const GradientContext& c);

}  // namespace strata
