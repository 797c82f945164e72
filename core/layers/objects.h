// SPDX-License-Identifier: Apache-2.0
// Small parts that layers name in their fields: activations, initializers, regularizers. Each is a schema; what they mean stands beside it.
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

/// Schemas of a registry ("activation", "initializer", "regularizer", "schedule"); empty where unknown.
std::span<const Schema* const> objectSchemas(std::string_view registry);

std::span<const Schema* const> activationSchemas();
std::span<const Schema* const> initializerSchemas();
std::span<const Schema* const> regularizerSchemas();

/// An initializer as it was chosen.
struct Initializer {
  std::string type = "zeros";
  std::map<std::string, double, std::less<>> numbers;  // "stddev", "value", ...
  std::optional<uint64_t> seed;                        // else the run's
};
/// Of a checked object with "type".
Initializer readInitializer(const Json& object);

/// Appends an activation: a checked object with "type". `linear` and null give x back.
ValueId applyActivation(Graph& graph, ValueId x, const Json& activation);

/// Factors of l1 * sum(|w|) + l2 * sum(w^2).
struct RegularizerFactors {
  double l1 = 0, l2 = 0;
};
RegularizerFactors regularizerFactors(const Json& regularizer);

}  // namespace strata
