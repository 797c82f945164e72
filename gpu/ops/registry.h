// SPDX-License-Identifier: Apache-2.0
// The functions that return the definitions of ops, one for each op file. registry.cpp lists them.
// Thread: called once, when the registry is created.
#pragma once

#include <vector>

#include "gpu/graph/op.h"

namespace strata {

std::vector<OpDef> defineSources();
std::vector<OpDef> defineUnary();
std::vector<OpDef> defineBinary();
std::vector<OpDef> defineActivation();
std::vector<OpDef> defineSoftmax();
std::vector<OpDef> defineMovement();
std::vector<OpDef> defineGather();
std::vector<OpDef> defineReduce();
std::vector<OpDef> defineMatmul();
std::vector<OpDef> defineConv2d();
std::vector<OpDef> definePool2d();
std::vector<OpDef> defineBatchNorm();
std::vector<OpDef> defineLayerNorm();
std::vector<OpDef> defineRecurrent();
std::vector<OpDef> defineAllReduce();
std::vector<OpDef> defineTransfers();
std::vector<OpDef> defineAllGather();
std::vector<OpDef> defineSyncSum();
std::vector<OpDef> defineAttention();
std::vector<OpDef> defineDropout();
std::vector<OpDef> defineRandomUniform();
std::vector<OpDef> defineCrossEntropy();
std::vector<OpDef> defineClassificationLoss();
std::vector<OpDef> defineCtc();
std::vector<OpDef> defineAllFinite();
std::vector<OpDef> defineGradientNorm();
std::vector<OpDef> defineJoinedProducts();
std::vector<OpDef> defineJoinedUpdates();
std::vector<OpDef> defineUpdate();
std::vector<OpDef> definePointwise();

}  // namespace strata
