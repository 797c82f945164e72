// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/device_text.h"

#include <QCoreApplication>

#include "core/cost/simulated_card.h"
#include "gpu/base/error.h"
#include "gpu/devices/devices.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

struct DeviceText {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::DeviceText)
};

const CatalogueDevice* cardOf(const std::string& device) {
  if (!isSimulatedName(device)) return nullptr;
  try {
    const SimulatedName name = readSimulatedName(device);
    return name.match.devices.size() == 1 ? name.match.devices.front() : nullptr;
  }
  catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

QString cardTitle(const std::string& card) {
  QString title = text(card);
  if (title.startsWith(u"GeForce "_s)) title.remove(0, 8);
  return title;
}

QString deviceTitle(const std::string& name) {
  if (const CatalogueDevice* card = cardOf(name))
    return DeviceText::tr("%1, simulated").arg(cardTitle(card->name));
  return name == "cpu" ? u"CPU"_s : text(name);
}

const std::vector<OfferedCard>& offeredCards() {
  static const std::vector<OfferedCard> cards = [] {
    std::vector<OfferedCard> offered;
    if (!whyNoSimulatedCards().empty()) return offered;
    try {
      for (const CatalogueDevice& card : deviceCatalogue())
        if (whyNotSimulated(card).isEmpty())
          offered.push_back(
              {kSimulatedPrefix + card.name, card.kind, cardTitle(card.name), card.memoryBytes});
    }
    catch (const Error&) {
      // Without its catalogue, the window offers no cards.
    }
    return offered;
  }();
  return cards;
}

QString cardKindTitle(const std::string& kind) {
  if (kind == "datacenter") return DeviceText::tr("Data center");
  if (kind == "workstation") return DeviceText::tr("Workstation");
  if (kind == "laptop") return DeviceText::tr("Laptop");
  return DeviceText::tr("Desktop");
}

size_t simulatedMemoryBytes(const std::string& device) {
  const CatalogueDevice* card = cardOf(device);
  return card ? card->memoryBytes : 0;
}

}  // namespace strata::ui
