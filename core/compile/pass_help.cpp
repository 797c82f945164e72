// SPDX-License-Identifier: Apache-2.0
#include "core/compile/pass_help.h"

#include <algorithm>
#include <utility>

namespace strata {

Text passHelp(std::string_view pass) {
  static constexpr std::pair<std::string_view, Text> kHelp[] = {
      {"remove_dead", STRATA_TEXT("pass", "Removes operations whose results nothing reads")},
      {"merge_common", STRATA_TEXT("pass", "Computes equal things once")},
      {"fuse_softmax_cross_entropy", STRATA_TEXT("pass", "Softmax or sigmoid and its cross-entropy in one stable operation")},
      {"canonicalize", STRATA_TEXT("pass", "Writes what can be said in several ways in one way; drops pairs that cancel")},
      {"fold_constants", STRATA_TEXT("pass", "Computes what depends on constants alone once, before training")},
      {"simplify_arithmetic", STRATA_TEXT("pass", "Drops additions of 0 and products with 1; joins chains of scalings")},
      {"fuse_bias_activation", STRATA_TEXT("pass", "Adds biases and applies activations inside products and convolutions")},
      {"fuse_siblings", STRATA_TEXT("pass", "Joins small products of one input; where they are many, the workers make them side by side")},
      {"fuse_batch_norm", STRATA_TEXT("pass", "Adds shortcuts and applies relu inside batch normalization")},
      {"fuse_update", STRATA_TEXT("pass", "Updates dense weights while their gradient is made")},
      {"fuse_pooling", STRATA_TEXT("pass", "Applies activations while max pooling writes its result")},
      {"fuse_pointwise", STRATA_TEXT("pass", "Runs chains of elementwise operations as one")},
      {"order", STRATA_TEXT("pass", "Puts updates of weights last and makes values just before they are read")},
      {"recompute",
       STRATA_TEXT("pass", "Makes values again in the backward part instead of keeping them, where a memory limit asks for it")},
      {"in_place", STRATA_TEXT("pass", "Lets results lie over operands that nothing reads any more")},
      {"choose_kernels", STRATA_TEXT("pass", "Takes the fastest of several kernels for an operation, as timed on this machine")},
      {"pool_gradients_first",
       STRATA_TEXT("pass", "Computes the slope and bias gradient before a max pool's gradient is spread, on the smaller side")},
  };
  const auto* const found = std::find_if(std::begin(kHelp), std::end(kHelp), [&](const auto& row) { return row.first == pass; });
  return found == std::end(kHelp) ? Text{} : found->second;
}

}  // namespace strata
