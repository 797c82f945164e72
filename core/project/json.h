// SPDX-License-Identifier: Apache-2.0
// JSON as Strata reads it: UTF-8, no duplicate keys, limited depth, no comments, no trailing
// commas, no NaN; keys keep their order. Thread: pure.
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
/// numbers on one line; a document that parseJson read prints to the same bytes from the first
/// print on.
std::string printJson(const Json& json);
/// null where `object` is no object, or has no such member.
const Json& memberOf(const Json& object, const char* name);
/// NaN and infinities as the strings "nan", "inf", "-inf"; everything else as a number.
Json jsonNumber(double value);

}  // namespace strata
