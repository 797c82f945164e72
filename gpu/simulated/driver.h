// SPDX-License-Identifier: Apache-2.0
// The driver of simulated cards: opens them, and fills the tables that the engine uses.
// Thread: any; one lock guards all cards.
#pragma once

#include <memory>
#include <mutex>

#include "gpu/cuda/interface.h"

namespace strata::simulated {

/// See StrataCudaPlugin.
int openSimulated(const StrataSimulatedCard* card, StrataCardTables* tables);
int64_t simulatedCalls(int32_t ordinal);
void setSimulatedFault(int32_t ordinal, int64_t failingCall, int32_t failure);
int simulatedState(int32_t ordinal, StrataSimulatedState* state);

/// Fills the libraries of a card: an interpreter for calls, with workspaces as cuDNN gives them.
void fillLibraries(const StrataSimulatedCard& card, StrataLibraries& libraries);

/// Locks all simulated cards.
std::unique_lock<std::recursive_mutex> lockCards();

}  // namespace strata::simulated
