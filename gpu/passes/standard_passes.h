// SPDX-License-Identifier: Apache-2.0
// The generic passes, one file each; pipeline.cpp has their order. A pass removes the nodes that
// are no longer used because of its own rewrites. Thread: edit the given graph only.
#pragma once

#include "gpu/passes/pass.h"

namespace strata {

void removeDead(Graph& graph, PassReport& report);
void mergeCommon(Graph& graph, PassReport& report);
void fuseSoftmaxCrossEntropy(Graph& graph, PassReport& report);
void canonicalize(Graph& graph, PassReport& report);
/// Does nothing without `evaluate`.
void foldConstants(Graph& graph, PassReport& report, const OpEvaluator& evaluate);
void simplifyArithmetic(Graph& graph, PassReport& report);
void fuseBiasActivation(Graph& graph, PassReport& report);
void fuseSiblings(Graph& graph, PassReport& report);
void fuseBatchNorm(Graph& graph, PassReport& report);
void fuseUpdate(Graph& graph, PassReport& report);
void fusePooling(Graph& graph, PassReport& report);
void fusePointwise(Graph& graph, PassReport& report);
void orderNodes(Graph& graph, PassReport& report);
/// Rewrites the graph to follow `choice`.
void applyRecompute(Graph& graph, const RecomputeChoice& choice);
/// Makes the packed step fit options.limitBytes if possible. Added nodes have larger ids than all
/// others.
RecomputeChoice recomputeToFit(Graph& graph, const RecomputeOptions& options);
void recompute(Graph& graph, PassReport& report, const RecomputeOptions& options);
void reportInPlace(Graph& graph, PassReport& report);

}  // namespace strata
