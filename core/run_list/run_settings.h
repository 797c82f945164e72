// SPDX-License-Identifier: Apache-2.0
// The settings of a project as a flat list: a JSON pointer and a value for each. Settings that the
// project leaves out have their defaults, so that projects can be compared. Not here: checks
// (core/check), layers as a graph (comparison.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <map>
#include <string>

#include "core/layers/schema.h"
#include "core/project/json.h"

namespace strata {

/// Returns an object with all fields of its schema: those that it leaves out have their defaults.
/// Words that stand for an object, such as "adam", become that object. Values of the wrong type
/// stay as they are.
Json withDefaults(const Schema& schema, Json object);
/// Returns the sections `data`, `training` and `execution` of a project with defaults.
Json resolvedSettings(const Json& document);
/// Returns a layer with defaults, also those of layers inside it.
Json resolvedLayer(const Json& layer);

/// Settings by JSON pointer, such as "/training/optimizer/learning_rate".
using FlatSettings = std::map<std::string, Json, std::less<>>;
/// Returns all values of an object that are no objects. Lists of objects count by the index of
/// their elements; other lists are one value.
FlatSettings flattened(const Json& object, const std::string& pointer = {});

}  // namespace strata
