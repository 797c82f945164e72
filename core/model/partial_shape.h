// SPDX-License-Identifier: Apache-2.0
// What is known of a layer whose inputs are unknown because an earlier layer has a problem. The
// layer is lowered with several sample shapes; what all results share holds for the true shape.
// Thread: values, pure functions.
#pragma once

#include <optional>
#include <vector>

#include "core/model/model.h"

namespace strata {

/// A shape without the batch, whose dimensions (-1) or rank may be unknown.
struct PartialShape {
  bool isRankKnown = false;
  std::vector<int64_t> dims;
  bool isComplete() const;
};

struct PartialLowering {
  PartialShape output;
  // Type of the output
  DType dtype = DType::F32;
  // A problem that the layer has for any input
  std::optional<Diagnostic> problem;
};
/// Requires: `layer` has a definition and fields. Extra `inputs` are ignored; missing ones are
/// unknown.
PartialLowering lowerPartly(const Layer& layer, std::vector<PartialShape> inputs,
                            int64_t batchSize);

}  // namespace strata
