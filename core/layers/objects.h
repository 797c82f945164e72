// SPDX-License-Identifier: Apache-2.0
// Small parts that layers name in their fields: activations, initializers, regularizers,
// constraints. Each is a schema; what they mean stands beside it.
// Not here: drawing initial values (core/compile/initial_value.cpp). Thread: constant.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/layers/schema.h"
#include "gpu/graph/graph.h"

namespace strata {

/// Another name that Keras knows ("uniform") -> its schema's ("random_uniform"); other names come
/// back as they are.
std::string wholeObjectName(std::string_view registry, const std::string& name);

std::span<const Schema* const> activationSchemas();
std::span<const Schema* const> initializerSchemas();
std::span<const Schema* const> regularizerSchemas();
std::span<const Schema* const> constraintSchemas();
/// How far BatchNormalization goes from the statistics of a batch.
std::span<const Schema* const> renormClippingSchemas();
/// Layers that another one may hold: not Input and Block, which are read as networks are.
std::span<const Schema* const> wrappableSchemas();

/// An initializer as it was chosen.
struct Initializer {
  std::string type = "zeros";
  // "stddev", "value", ...
  std::map<std::string, double, std::less<>> numbers;
  // Else the run's
  std::optional<uint64_t> seed;
  // Elements that are one whatever the type
  int64_t onesFrom = 0, onesTo = 0;
  // The square root of what is drawn
  bool isRooted = false;
  // "mode", "distribution", "window"
  std::map<std::string, std::string, std::less<>> words = {};
};
/// Of a checked object with "type".
Initializer readInitializer(const Json& object);

/// An activation that looks at each value alone, as the ops name it.
struct NamedActivation {
  std::string kind;
  double alpha = 0;
};
/// Of a checked object with "type", or null. None for those along an axis.
std::optional<NamedActivation> elementwiseActivation(const Json& activation);
/// Appends an activation: a checked object with "type". `linear` and null give x back.
ValueId applyActivation(Graph& graph, ValueId x, const Json& activation);

/// Of the fields of ReLU: negative_slope, threshold and max_value.
ValueId reluOf(Graph& graph, ValueId x, const Json& fields);

/// A cost of weights or of a layer's output: l1 * sum(|x|) + l2 * sum(x^2) + orthogonal * mean
/// |cosine| between rows (or columns).
struct Regularizer {
  double l1 = 0, l2 = 0, orthogonal = 0;
  // Of orthogonal
  bool isByRows = true;
  bool isNone() const { return l1 == 0 && l2 == 0 && orthogonal == 0; }
};
/// Of a checked object with "type", or null: none.
Regularizer readRegularizer(const Json& regularizer);
/// The cost as a scalar, f32. Requires: not isNone(); rank 2 where orthogonal is not 0.
ValueId penalty(Graph& graph, ValueId x, const Regularizer& regularizer);

/// What weights are brought to after each update.
struct Constraint {
  enum class Kind : uint8_t { None, MaxNorm, NonNegative, UnitNorm, MinMaxNorm } kind = Kind::None;
  double minimum = 0, maximum = 0, rate = 1;
  // Of the norms
  std::vector<int64_t> axes;
};
/// Of a checked object with "type", or null: none.
Constraint readConstraint(const Json& constraint);
/// Requires: its axes are of w.
ValueId constrained(Graph& graph, ValueId w, const Constraint& constraint);

}  // namespace strata
