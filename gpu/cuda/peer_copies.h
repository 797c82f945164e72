// SPDX-License-Identifier: Apache-2.0
// Copies between cards of one process.
// Thread: as the driver.
#pragma once

#include <span>
#include <string>

#include "gpu/cuda/card.h"

namespace strata::cuda {

/// Adds a copy from one card to another, or the same, to a stream of the card `to`.
void copyBetween(const Card& toCard, const Card& fromCard, CUdeviceptr to, CUdeviceptr from,
                 size_t bytes, CUstream stream);

/// Lets cards access each other's memory, and tries copies between them in all directions. Returns
/// why they cannot copy directly, as the rest of a sentence, or an empty text. Some pairs of cards
/// claim that they can, but copies have other bytes, or never end.
/// Fails: as Driver; DeviceFailure if a copy never ends.
std::string tryPeerCopies(std::span<const Card* const> cards);

}  // namespace strata::cuda
