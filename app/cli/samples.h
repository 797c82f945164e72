// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the samples of INPUT arguments, and prints their numbers.
// Thread: main thread only.
#pragma once

#include <string>
#include <vector>

#include "core/data/inputs.h"
#include "core/project/json.h"
#include "core/train/evaluator.h"

namespace strata::cli {

/// Reads the samples of one INPUT argument. "-" means standard input.
std::vector<NamedInput> samplesOf(const std::string& path, const Evaluator& evaluator);
/// Returns the name of a class of an output, or its number.
std::string classNameOf(const Evaluator& evaluator, size_t output, int64_t index);
/// Formats a number with six significant digits. Returns the text of NaN and infinities.
std::string shortNumber(const Json& number);

}  // namespace strata::cli
