// SPDX-License-Identifier: Apache-2.0
// Projects for the images of MNIST whose layers are written as JSON text, and checks of their
// problems. Only the thread of the test may call the checks.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/project/project.h"

namespace strata::test {

/// The Input "image" of a network, with a comma after it.
inline constexpr const char* kImage =
    R"({"type": "Input", "name": "image", "shape": [28, 28, 1]},)";

/// A Flatten "f" and a Dense "out" with one probability for each of the ten classes.
inline constexpr const char* kClassifier =
    R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})";

inline constexpr const char* kTraining =
    R"({"loss": "sparse_categorical_crossentropy", "optimizer": "adam"})";

/// Returns a project with these layers, which must include the Input.
Json documentOf(const std::string& layers, const std::string& training = kTraining);

/// Returns the problems of documentOf(), one per line (see linesOf).
std::string problemsOf(const std::string& layers, const std::string& training = kTraining);

/// Checks that the problems of a project with the Input "image" and these layers include `text`.
void checkProblem(const std::string& layers, const std::string& text);

/// Checks the problem as checkProblem() does, and then its fixes as checkFixes() does.
void checkProblemAndFixes(const std::string& layers, const std::string& text);

/// Checks the fixes of the first problem that has any. Each fix must remove the problem, and
/// reverting it must restore every byte of the document.
void checkFixes(const Json& document);

}  // namespace strata::test
