// SPDX-License-Identifier: Apache-2.0
// A strict reader of JSON, and a printer. The reader accepts UTF-8 of limited depth, without
// duplicate keys, comments, trailing commas or NaN. Keys keep their order. Not here: what members
// mean.
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

/// Parses a document. Fails: InvalidProject with line and column, what was expected and what to do
/// (syntax, duplicate key, depth, size, not UTF-8). The subject of the error is `file`.
Json parseJson(std::string_view text, const std::string& file);
/// Returns the document as text, indented by two spaces. Short lists are on one line. Numbers have
/// the fewest digits that preserve their value (0.0001, not 1e-04). Parsing the text and printing
/// it again gives the same bytes.
std::string printJson(const Json& json);
/// Returns a member of an object, or a JSON null if `object` is not an object or has no such
/// member.
const Json& memberOf(const Json& object, const char* name);
/// Returns NaN and infinities as the strings "nan", "inf" and "-inf", and other values as numbers.
Json jsonNumber(double value);

}  // namespace strata
