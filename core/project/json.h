// SPDX-License-Identifier: Apache-2.0
// A strict reader of JSON. It accepts UTF-8 of limited depth, without duplicate keys, comments,
// trailing commas or NaN. Keys keep their order. Not here: what members mean.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "gpu/base/error.h"

namespace strata {

using Json = nlohmann::ordered_json;

constexpr int kMaxJsonDepth = 100;
constexpr size_t kMaxJsonBytes = size_t{256} << 20;

/// Parses a document. Fails: InvalidProject with "FILE line L column C", what was expected and what
/// to do (syntax, duplicate key, depth, size, not UTF-8). The subject is `file`.
Json parseJson(std::string_view text, const std::string& file);
/// Prints a document with an indent of two spaces, and with short lists of numbers on one line.
/// Numbers have the fewest digits that preserve their value (0.0001, not 1e-04). Parsing and
/// printing the output gives the same bytes.
std::string printJson(const Json& json);
/// Returns a member of an object. Returns null if `object` is not an object or has no such member.
const Json& memberOf(const Json& object, const char* name);
/// Returns NaN and infinities as the strings "nan", "inf" and "-inf", and other values as numbers.
Json jsonNumber(double value);

}  // namespace strata
