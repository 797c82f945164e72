// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/lens.h"

#include <QHeaderView>
#include <QTableView>

#include "ui/document/document.h"
#include "ui/lenses/curves.h"
#include "ui/lenses/devices.h"
#include "ui/lenses/layers.h"
#include "ui/lenses/memory.h"
#include "ui/lenses/overview.h"
#include "ui/lenses/time.h"

namespace strata::ui {

void setUpLayerTable(QTableView* table, const LensContext& context, int layerRole) {
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 8);
  table->setShowGrid(false);
  table->setWordWrap(false);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setTabKeyNavigation(false);
  // Returns the layer of a row, or "" if the design has none with this name
  const auto layerAt = [&document = context.document, layerRole](const QModelIndex& index) {
    const QString layer = index.data(layerRole).toString();
    return document.layers().indexOf(layer) >= 0 ? layer : QString();
  };
  QObject::connect(table, &QTableView::clicked, table,
                   [&document = context.document, layerAt](const QModelIndex& index) {
                     if (const QString layer = layerAt(index); !layer.isEmpty())
                       document.setSelection({layer});
                   });
  QObject::connect(table, &QTableView::activated, table,
                   [showLayer = context.showLayer, layerAt](const QModelIndex& index) {
                     if (const QString layer = layerAt(index); !layer.isEmpty()) showLayer(layer);
                   });
}

std::span<const LensEntry> allLenses() {
  static const LensEntry kLenses[] = {
      {"overview", STRATA_TEXT("Lens", "Overview"),
       STRATA_TEXT("Lens", "Loss, accuracy, memory and time appear here when a run starts."),
       makeOverviewLens},
      {"curves", STRATA_TEXT("Lens", "Curves"),
       STRATA_TEXT("Lens", "Curves appear here when a run trains."), makeCurvesLens},
      {"memory", STRATA_TEXT("Lens", "Memory"),
       STRATA_TEXT("Lens", "Memory appears here when a run trains."), makeMemoryLens},
      {"time", STRATA_TEXT("Lens", "Time"),
       STRATA_TEXT("Lens", "The times of steps and kernels appear here when a run trains."),
       makeTimeLens},
      {"layers", STRATA_TEXT("Lens", "Layers"),
       STRATA_TEXT("Lens", "The statistics of layers appear here when a run trains."),
       makeLayersLens},
      {"devices", STRATA_TEXT("Lens", "Devices"),
       STRATA_TEXT("Lens", "The states of the devices appear here when a run trains."),
       makeDevicesLens},
  };
  return kLenses;
}

}  // namespace strata::ui
