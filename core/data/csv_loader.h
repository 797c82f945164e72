// SPDX-License-Identifier: Apache-2.0
// Loads the samples of the source `csv`: selects the columns, reports damaged rows, splits the
// rows, and encodes inputs, targets and weights. Not here: the fields of the source
// (source_csv.cpp), reading cells (csv.h), encoding columns (table.h).
// Thread: the function is pure, so any thread may call it.
#pragma once

#include "core/data/source.h"

namespace strata {

/// Returns the training, validation and test samples of the table. Fails: InvalidFile,
/// InvalidProject, IoFailure; OutOfMemory if the encoded rows do not fit.
LoadedSamples loadCsv(const SourceInput& input);

}  // namespace strata
