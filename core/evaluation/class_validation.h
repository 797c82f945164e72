// SPDX-License-Identifier: Apache-2.0
// What a validation of a run found about each class. Not here: counting it (core/train/
// class_counter.h), its file (class_file.h).
// Thread: value types without shared state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/evaluation/confusion.h"

namespace strata {

/// The classes of one output.
struct OutputClasses {
  // Name of the output's layer
  std::string output;
  // As many as the confusion matrix has classes
  std::vector<std::string> classNames;
  // Samples that the loss ignores do not count
  Confusion confusion;
};

struct ClassValidation {
  int64_t step = 0, epoch = 0;
  // Only the outputs that classify a sample as a whole
  std::vector<OutputClasses> outputs;
};

}  // namespace strata
