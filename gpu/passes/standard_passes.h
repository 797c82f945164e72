// SPDX-License-Identifier: Apache-2.0
// The generic passes, one file each; their order stands in pipeline.cpp. Each is `run(Graph&,
// PassReport&)` and leaves no node without a user that it orphaned itself. Thread: edit the given
// graph only.
#pragma once

#include "gpu/passes/pass.h"

namespace strata {

void removeDead(Graph& graph, PassReport& report);
void mergeCommon(Graph& graph, PassReport& report);
void fuseSoftmaxCrossEntropy(Graph& graph, PassReport& report);
void canonicalize(Graph& graph, PassReport& report);
/// Without `evaluate` nothing is folded.
void foldConstants(Graph& graph, PassReport& report, const OpEvaluator& evaluate);
void simplifyArithmetic(Graph& graph, PassReport& report);
void fuseBiasActivation(Graph& graph, PassReport& report);
void fuseSiblings(Graph& graph, PassReport& report);
void fuseBatchNorm(Graph& graph, PassReport& report);
void fuseUpdate(Graph& graph, PassReport& report);
void fusePooling(Graph& graph, PassReport& report);
void fusePointwise(Graph& graph, PassReport& report);
void orderNodes(Graph& graph, PassReport& report);
/// The step that a choice describes.
void applyRecompute(Graph& graph, const RecomputeChoice& choice);
/// Fits the step to options.limitBytes, as far as that goes; packed, not only by its bound. Nodes
/// it adds have ids behind all others.
RecomputeChoice recomputeToFit(Graph& graph, const RecomputeOptions& options);
void recompute(Graph& graph, PassReport& report, const RecomputeOptions& options);
void reportInPlace(Graph& graph, PassReport& report);

}  // namespace strata
