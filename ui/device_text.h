// SPDX-License-Identifier: GPL-3.0-or-later
// Texts for devices, and the simulated cards that the window offers.
// Thread: any.
#pragma once

#include <QString>
#include <cstddef>
#include <string>
#include <vector>

namespace strata::ui {

/// Returns the name of a device in sentences: "CPU", "reference", "RTX 4090, simulated", or
/// "2×RTX 4090, simulated".
QString deviceTitle(const std::string& name);
/// Returns the name of a catalogue card without the brand of its series: "RTX 4090".
QString cardTitle(const std::string& card);

/// A card of the catalogue that this installation can simulate.
struct OfferedCard {
  // The name of the device, such as "simulated:GeForce RTX 4090"
  std::string device;
  // The title of its family, such as "GeForce RTX 40" or "Data center, Hopper"
  QString family;
  QString title;
  size_t memoryBytes = 0;
};
/// Returns these cards in the order of the catalogue.
const std::vector<OfferedCard>& offeredCards();

/// Returns the memory of a simulated card, or 0 for other devices.
size_t simulatedMemoryBytes(const std::string& device);

}  // namespace strata::ui
