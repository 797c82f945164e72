// SPDX-License-Identifier: Apache-2.0
// What the families of optimizers are described with, and the lists that optimizers.cpp joins.
// Thread: pure.
#pragma once

#include <vector>

#include "core/recipe/optimizers.h"

namespace strata {

std::vector<OptimizerDef> fusedOptimizers();
std::vector<OptimizerDef> composedOptimizers();

/// Keras's order: learning_rate first, then the optimizer's own, then what all have.
Schema optimizerSchema(const char* type, Text help, const char* formula, const char* source,
                       const char* rate, const char* decay, std::vector<FieldSchema> own);
FieldSchema epsilonField();
FieldSchema momentumField(const char* value = "0.0");
FieldSchema nesterovField(const char* value = "false");
FieldSchema betaField(const char* name, const char* value, bool isSquare);

}  // namespace strata
