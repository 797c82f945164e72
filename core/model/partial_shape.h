// SPDX-License-Identifier: Apache-2.0
// What can be told of a layer whose inputs are not known, because a layer above it has a problem:
// the layer is lowered with several made-up shapes, and what is the same for all of them holds for
// the true one. No layer states anything twice for it.
// Thread: values, pure functions.
#pragma once

#include <optional>
#include <vector>

#include "core/model/model.h"

namespace strata {

/// A shape without the batch, of which dimensions (-1) or even their number may be unknown.
struct PartialShape {
  bool isRankKnown = false;
  std::vector<int64_t> dims;
  bool isComplete() const;
};

struct PartialLowering {
  PartialShape output;
  // Of the output
  DType dtype = DType::F32;
  // One that the layer has whatever its inputs are
  std::optional<Diagnostic> problem;
};
/// Requires: `layer` has a definition and fields. As many of `inputs` count as the layer takes;
/// missing ones are unknown.
PartialLowering lowerPartly(const Layer& layer, std::vector<PartialShape> inputs,
                            int64_t batchSize);

}  // namespace strata
