// SPDX-License-Identifier: Apache-2.0
// The cards of the catalogue as simulated devices: which names mean one, which cards can be
// simulated, and the data that the simulation needs.
// Not here: the simulation (gpu/simulated), the catalogue (catalogue.h).
// Thread: any.
#pragma once

#include <string>
#include <string_view>

#include "core/cost/catalogue.h"
#include "gpu/base/text.h"
#include "gpu/exec/card_data.h"

namespace strata {

/// Returns why cards with this data cannot be simulated, as a clause; empty if they can.
Text whyNotSimulated(const CatalogueDevice& device);

/// Returns the title of the GPU that a name means if it has no arithmetic in the precision, such as
/// "tf32". Returns "" if it has, if the name means no GPU, or if the GPU is unknown.
std::string cardWithoutPrecision(const std::string& deviceName, std::string_view precision);

/// Returns the data of a card for the simulation. If the installation has the file that describes
/// the card for cuDNN, cudnnProperties is its text. Otherwise it is derived from the nearest card
/// with the same compute capability. It is empty if there is none.
CardData cardDataOf(const CatalogueDevice& device);

/// What a name "simulated:..." means.
struct SimulatedName {
  enum class Problem { None, Several, Unknown, Ambiguous, Unsupported, NoPlugin };
  Problem problem = Problem::None;
  // The part after "simulated:", without the number of copies
  std::string card;
  // How many of the card: 2 for "simulated:H100*2"
  int copies = 1;
  // The devices of the catalogue with this name
  CatalogueMatch match;
  // The name of the device, such as "simulated:GeForce RTX 4090"; empty unless it is clear
  std::string ownName;
  // For Unsupported: why
  Text reason = {};
};

/// Reads a name. Requires: DeviceName::isSimulated().
SimulatedName readSimulatedName(std::string_view name);

/// Returns the name that the device itself has: "simulated:rtx4090" becomes "simulated:GeForce RTX
/// 4090". Other names stay.
/// Fails: UnsupportedOp for names of later versions, cards that cannot be simulated, and if the
/// plug-in is missing; InvalidArgument if the name means no card, or several.
std::string ownDeviceName(const std::string& name);

}  // namespace strata
