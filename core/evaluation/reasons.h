// SPDX-License-Identifier: Apache-2.0
// The reasons for which figures are unknown.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include "core/evaluation/figure.h"

namespace strata {

inline Reason noSamples() {
  return {STRATA_TEXT("evaluation", "no sample counts, because there are none or all are ignored")};
}
inline Reason noPositives() {
  return {STRATA_TEXT("evaluation", "no sample belongs to this class")};
}
inline Reason noNegatives() {
  return {STRATA_TEXT("evaluation", "all samples belong to this class")};
}
inline Reason notFinite() { return {STRATA_TEXT("evaluation", "some values are NaN or infinite")}; }
inline Reason noProbabilities() {
  return {STRATA_TEXT("evaluation",
                      "some values are not between 0 and 1, so they are not probabilities")};
}

}  // namespace strata
