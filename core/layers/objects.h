// SPDX-License-Identifier: Apache-2.0
// Objects that fields of layers refer to: activations, initializers, regularizers and constraints.
// Not here: drawing initial values (core/compile/initial_value.cpp).
// Thread: any thread may call these functions. The schemas are constant, and ops are added only to
// the given graph.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layers/schema.h"
#include "gpu/graph/graph.h"

namespace strata {

/// Returns the full name of a Keras alias ("uniform" -> "random_uniform"). Returns other names
/// unchanged.
std::string fullObjectName(std::string_view registry, const std::string& name);

/// Sets the titles of the fields by their names. Equal names have equal titles in all objects.
void addTitles(Schema& schema);
/// Calls addTitles() for all schemas and returns them.
std::vector<Schema> withTitles(std::vector<Schema> schemas);

std::span<const Schema* const> activationSchemas();
std::span<const Schema* const> initializerSchemas();
std::span<const Schema* const> regularizerSchemas();
std::span<const Schema* const> constraintSchemas();
/// Returns the schema of `renorm_clipping`, the limits in BatchNormalization's renormalization.
std::span<const Schema* const> renormClippingSchemas();
/// Returns the schemas of the layers that a wrapper may contain: all except Input and Block.
std::span<const Schema* const> wrappableSchemas();

/// An initializer with its options.
struct Initializer {
  std::string type = "zeros";
  // Numbers by name: "stddev", "value", ...
  std::map<std::string, double, std::less<>> numbers;
  // Seed of this initializer; absent to use the seed of the run
  std::optional<uint64_t> seed;
  // Range of elements that are set to one, whatever the type (unit_forget_bias)
  int64_t onesFrom = 0, onesTo = 0;
  // Whether the variable is the square root of the drawn values
  bool isRooted = false;
  // Texts by name: "mode", "distribution", "window"
  std::map<std::string, std::string, std::less<>> words = {};
};
/// Reads an initializer from a checked object with "type".
Initializer readInitializer(const Json& object);

/// An element-wise activation, with the name that the op "activation" uses.
struct NamedActivation {
  std::string kind;
  double alpha = 0;
};
/// Reads an activation from a checked object with "type", or from null. Returns nullopt for an
/// activation along an axis, for `threshold`, and for a ReLU with a slope, threshold or maximum.
std::optional<NamedActivation> elementwiseActivation(const Json& activation);
/// Applies the activation in a checked object with "type". Returns x unchanged for `linear` and
/// null.
ValueId applyActivation(Graph& graph, ValueId x, const Json& activation);

/// Applies a ReLU with the fields negative_slope, threshold and max_value.
ValueId reluOf(Graph& graph, ValueId x, const Json& fields);

/// A penalty on weights or on a layer's output: l1 * sum(|x|) + l2 * sum(x^2) + orthogonal * mean
/// of |cosine| between rows or columns.
struct Regularizer {
  double l1 = 0, l2 = 0, orthogonal = 0;
  // Whether `orthogonal` compares rows; otherwise it compares columns
  bool isByRows = true;
  bool isNone() const { return l1 == 0 && l2 == 0 && orthogonal == 0; }
};
/// Reads a regularizer from a checked object with "type", or from null, which means no regularizer.
Regularizer readRegularizer(const Json& regularizer);
/// Returns the penalty as an f32 scalar.
/// Requires: isNone() is false; x has rank 2 if `orthogonal` is not 0.
ValueId penalty(Graph& graph, ValueId x, const Regularizer& regularizer);

/// A constraint that is applied to weights after each update.
struct Constraint {
  enum class Kind : uint8_t { None, MaxNorm, NonNegative, UnitNorm, MinMaxNorm } kind = Kind::None;
  double minimum = 0, maximum = 0, rate = 1;
  // Axes over which norms are computed
  std::vector<int64_t> axes;
};
/// Reads a constraint from a checked object with "type", or from null, which means no constraint.
Constraint readConstraint(const Json& constraint);
/// Returns w changed so that it satisfies the constraint. Requires: w has all axes of the
/// constraint.
ValueId constrained(Graph& graph, ValueId w, const Constraint& constraint);

}  // namespace strata
