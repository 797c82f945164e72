// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/device_text.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include "core/cost/simulated_card.h"
#include "gpu/base/error.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

struct DeviceText {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::DeviceText)
};

const CatalogueDevice* cardOf(const std::string& device) {
  if (!DeviceName(device).isSimulated()) return nullptr;
  try {
    const SimulatedName name = readSimulatedName(device);
    return name.match.devices.size() == 1 ? name.match.devices.front() : nullptr;
  }
  catch (const Error&) {
    return nullptr;
  }
}

/// Returns the name that NVIDIA gives to the architecture with this compute capability.
QString architectureOf(const CatalogueDevice& card) {
  static const std::pair<const char*, const char*> kNames[] = {
      {"7.0", "Volta"}, {"7.5", "Turing"}, {"8.0", "Ampere"},     {"8.6", "Ampere"},
      {"8.9", "Ada"},   {"9.0", "Hopper"}, {"10.0", "Blackwell"}, {"12.0", "Blackwell"}};
  for (const auto& [capability, name] : kNames)
    if (card.computeCapability == capability) return QString::fromLatin1(name);
  return DeviceText::tr("compute capability %1").arg(text(card.computeCapability));
}

/// Returns the title of a card's family. GeForce cards are grouped by the first two digits of their
/// number, and the others by architecture.
QString familyOf(const CatalogueDevice& card) {
  static const QRegularExpression kGeForce(u"^(GeForce [A-Z]+ \\d\\d)\\d\\d"_s);
  const auto found = kGeForce.match(text(card.name));
  if (found.hasMatch())
    return card.kind == "laptop" ? DeviceText::tr("%1 for laptops").arg(found.captured(1))
                                 : found.captured(1);
  return card.kind == "datacenter" ? DeviceText::tr("Data center, %1").arg(architectureOf(card))
                                   : DeviceText::tr("Workstation, %1").arg(architectureOf(card));
}

}  // namespace

QString cardTitle(const std::string& card) {
  QString title = text(card);
  if (title.startsWith(u"GeForce "_s)) title.remove(0, 8);
  return title;
}

QString deviceTitle(const std::string& name) {
  const DeviceName read(name);
  if (const CatalogueDevice* card = cardOf(name)) {
    const QString title = cardTitle(card->name);
    return DeviceText::tr("%1, simulated")
        .arg(read.copies > 1 ? u"%1×%2"_s.arg(read.copies).arg(title) : title);
  }
  if (read.isCpu() && read.copies > 1)
    return DeviceText::tr("CPU, %n replicas", nullptr, read.copies);
  return read.isCpu() ? u"CPU"_s : text(name);
}

const std::vector<OfferedCard>& offeredCards() {
  static const std::vector<OfferedCard> cards = [] {
    std::vector<OfferedCard> offered;
    if (!whyNoSimulatedCards().empty()) return offered;
    try {
      for (const CatalogueDevice& card : deviceCatalogue())
        if (whyNotSimulated(card).isEmpty())
          offered.push_back({kSimulatedPrefix + card.name, familyOf(card), cardTitle(card.name),
                             card.memoryBytes});
    }
    catch (const Error&) {
      // Without its catalogue, the window offers no cards.
    }
    return offered;
  }();
  return cards;
}

size_t simulatedMemoryBytes(const std::string& device) {
  const CatalogueDevice* card = cardOf(device);
  return card ? card->memoryBytes : 0;
}

}  // namespace strata::ui
