// SPDX-License-Identifier: Apache-2.0
// Records the work of a simulated card with its virtual times.
// Thread: as the driver.
#pragma once

#include <vector>

#include "gpu/cuda/interface.h"

namespace strata::simulated {

class Card;
struct Command;

/// What a card has done since recording began.
struct Recording {
  bool isOn = false;
  std::vector<StrataRecord> records;
  /// Adds a command that begins at `seconds`. Records and waits for events are left out.
  void add(const Command& command, int stream, double seconds);
};

/// Fills the functions that record the card.
void fillRecorder(Card& card, StrataRecorder& recorder);

}  // namespace strata::simulated
