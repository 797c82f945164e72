// SPDX-License-Identifier: Apache-2.0
// What cuDNN asks a driver about a card, for cards that this machine does not have. With it cuDNN
// plans for a simulated card (resources/cudnn-devices).
// Thread: any; reads a file.
#pragma once

#include <string>

#include "core/cost/catalogue.h"

namespace strata {

/// Returns the properties of a card as JSON: its own file, or else the file of a card with the same
/// compute capability, with the multiprocessors, clock and memory of this one. Returns "" for cards
/// that cuDNN does not support. Fails: IoFailure; InvalidFile.
std::string cudnnPropertiesOf(const CatalogueDevice& device);

}  // namespace strata
