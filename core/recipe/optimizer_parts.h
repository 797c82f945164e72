// SPDX-License-Identifier: Apache-2.0
// Building blocks of the optimizers, and the lists that optimizers.cpp joins.
// Not here: the definition of an optimizer (optimizers.h).
// Thread: the functions have no side effects, so any thread may call them.
#pragma once

#include <vector>

#include "core/recipe/optimizers.h"

namespace strata {

std::vector<OptimizerDef> fusedOptimizers();
std::vector<OptimizerDef> composedOptimizers();

/// Returns a schema with the fields in Keras's order: learning_rate, the optimizer's fields, then
/// the fields of all optimizers.
Schema optimizerSchema(const char* type, Text help, const char* formula, const char* source,
                       const char* rate, const char* decay, std::vector<FieldSchema> own);
FieldSchema epsilonField();
FieldSchema momentumField(const char* value = "0.0");
FieldSchema nesterovField(const char* value = "false");
FieldSchema betaField(const char* name, const char* value, bool isSquare);

}  // namespace strata
