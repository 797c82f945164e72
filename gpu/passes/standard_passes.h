// SPDX-License-Identifier: Apache-2.0
// The generic passes. Each pass has a file of the same name, and pipeline.cpp defines their order.
// A pass removes the nodes that are unused after its rewrites.
// Thread: any, while no other thread uses the graph.
#pragma once

#include "gpu/passes/pass.h"

namespace strata {

void removeDead(Graph& graph, PassReport& report);
void mergeCommon(Graph& graph, PassReport& report);
void fuseSoftmaxCrossEntropy(Graph& graph, PassReport& report);
void canonicalize(Graph& graph, PassReport& report);
/// Computes constant expressions with `evaluate`. Does nothing if `evaluate` is empty.
void foldConstants(Graph& graph, PassReport& report, const OpEvaluator& evaluate);
void simplifyArithmetic(Graph& graph, PassReport& report);
/// Lets products, convolutions, attention and the ops between them compute in `precision`. The
/// types of inputs, outputs and variables do not change.
void mixedPrecision(Graph& graph, Precision precision, const DeviceTraits& device,
                    PassReport& report);
void storeFilters(Graph& graph, const DeviceTraits& device, PassReport& report);
void widenGradients(Graph& graph, const DeviceTraits& device, PassReport& report);
void fuseIntoProducts(Graph& graph, const DeviceTraits& device, PassReport& report);
void fuseLookups(Graph& graph, const DeviceTraits& device, PassReport& report);
void joinProjections(Graph& graph, const DeviceTraits& device, PassReport& report);
void keepLowWeights(Graph& graph, const DeviceTraits& device, PassReport& report);
void fuseBiasActivation(Graph& graph, const DeviceTraits& device, PassReport& report);
void fuseSiblings(Graph& graph, const DeviceTraits& device, PassReport& report);
void fuseBatchNorm(Graph& graph, const DeviceTraits& device, PassReport& report);
void fuseLoss(Graph& graph, const DeviceTraits& device, PassReport& report);
void fuseNormGradients(Graph& graph, const DeviceTraits& device, PassReport& report);
void fuseUpdate(Graph& graph, const DeviceTraits& device, PassReport& report);
void fusePooling(Graph& graph, const DeviceTraits& device, PassReport& report);
void fusePointwise(Graph& graph, const DeviceTraits& device, PassReport& report);
void orderNodes(Graph& graph, PassReport& report);
void startSums(Graph& graph, PassReport& report);
void joinGradientNorm(Graph& graph, const DeviceTraits& device, PassReport& report);
/// Gives each update a flag of its own (split_guard.cpp). Returns false, and changes nothing, if
/// the updates have no common flag of all_finite.
bool splitGuard(Graph& graph);
/// Rewrites the graph to follow `choice`.
void applyRecompute(Graph& graph, const RecomputeChoice& choice);
/// Rewrites the graph so that the memory plan of the step fits options.limitBytes, if possible.
/// Returns the choice that it applied. If updates run early, each has a flag of its own: it then
/// applies no gradient that is not finite, but a gradient that turns out not to be finite later in
/// the step leaves earlier updates done. New nodes have larger ids than the nodes of the original
/// graph.
RecomputeChoice recomputeToFit(Graph& graph, const RecomputeOptions& options);
void recompute(Graph& graph, PassReport& report, const RecomputeOptions& options);
void joinUpdates(Graph& graph, const DeviceTraits& device, PassReport& report);
/// Places updates last, so that a step can be stopped and discarded until the first update.
void updatesLast(Graph& graph, PassReport& report);
void reportInPlace(Graph& graph, const DeviceTraits& device, PassReport& report);

}  // namespace strata
