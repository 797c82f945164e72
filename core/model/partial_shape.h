// SPDX-License-Identifier: Apache-2.0
// Determines what is known about a layer if an earlier layer has a problem. The layer is lowered
// with several sample shapes. Properties that all results share are assumed to hold for the true
// shape, too.
// Thread: value types and pure functions, so any thread may use them.
#pragma once

#include <optional>
#include <vector>

#include "core/model/model.h"

namespace strata {

/// A shape without the batch. Its dimensions (-1) or its rank may be unknown.
struct PartialShape {
  bool isRankKnown = false;
  std::vector<int64_t> dims;
  bool isComplete() const;
};

struct PartialLowering {
  PartialShape output;
  // Element type of the output
  DType dtype = DType::F32;
  // A problem that the layer has with all sample shapes
  std::optional<Diagnostic> problem;
};
/// Lowers a layer whose inputs may be unknown. Missing `inputs` count as unknown, and extra ones
/// are ignored. Requires: `layer` has a definition and fields.
PartialLowering lowerPartly(const Layer& layer, std::vector<PartialShape> inputs,
                            int64_t batchSize);

}  // namespace strata
