// SPDX-License-Identifier: Apache-2.0
// Reads the layers and objects of a case. They must be valid and have no unknown fields. Not here:
// tensors (reference_case.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <string>

#include "core/model/model.h"
#include "core/project/diagnostic.h"
#include "core/recipe/options.h"

namespace strata {

/// Returns the "type" of an object, or "?" if it has none. Returns a string unchanged.
std::string typeNameOf(const Json& value);
/// Throws if there is an error or an unknown field. Fails: InvalidProject.
void requireClean(const Diagnostics& diagnostics);
/// Reads a list of layers. Throws MissingType for an unknown type of layer. Fails: InvalidProject.
Model modelOf(const Json& layers);
/// Reads an object with this schema, such as a loss. `what` is the word in messages. Fails:
/// InvalidProject.
TypedFields typedFields(const Schema& schema, const Json& value, const std::string& what);
/// Throws MissingType for an unknown schedule in an optimizer or a schedule.
void requireSchedules(const Json& value);

}  // namespace strata
