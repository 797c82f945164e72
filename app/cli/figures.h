// SPDX-License-Identifier: GPL-3.0-or-later
// Prints the figures of evaluated outputs (core/evaluation), as JSON or as text.
// Thread: main thread only.
#pragma once

#include "core/evaluation/classification.h"
#include "core/evaluation/regression.h"
#include "core/project/json.h"

namespace strata::cli {

struct FigureOptions {
  int64_t curvePoints = 200, bins = 10;
};

/// Returns one list of counts for each true class.
Json confusionRows(const Confusion& confusion);
/// Returns the figures of an output. A figure that is unknown is {"unknown": "the reason"}.
Json figuresJson(const Figure<CollectedOutput>& output, const FigureOptions& options);
/// Prints a summary of the figures of an output.
void printFigures(const std::string& name, const Figure<CollectedOutput>& output,
                  const FigureOptions& options);

}  // namespace strata::cli
