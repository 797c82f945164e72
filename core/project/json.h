// SPDX-License-Identifier: Apache-2.0
// Strict JSON: UTF-8, no duplicate keys, limited depth, no comments, no trailing commas, no NaN.
// Keys keep their order. Not here: what members mean. Thread: pure.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "gpu/base/error.h"

namespace strata {

using Json = nlohmann::ordered_json;

constexpr int kMaxJsonDepth = 100;
constexpr size_t kMaxJsonBytes = size_t{256} << 20;

/// Fails: InvalidProject with "FILE line L column C", what was expected and what to do (subject:
/// `file`): syntax, duplicate key, depth, size, not UTF-8.
Json parseJson(std::string_view text, const std::string& file);
/// Two-space indent, shortest numbers that read back the same (0.0001, not 1e-04), short arrays of
/// numbers on one line. Parsing and printing the output gives the same bytes.
std::string printJson(const Json& json);
/// The member of an object; null where `object` is not an object or has no such member.
const Json& memberOf(const Json& object, const char* name);
/// Returns NaN and infinities as the strings "nan", "inf" and "-inf", other values as numbers.
Json jsonNumber(double value);

}  // namespace strata
