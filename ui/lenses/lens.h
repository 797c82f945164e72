// SPDX-License-Identifier: GPL-3.0-or-later
// A lens is a widget that shows one run. The Train page shows the lenses as tabs. The table in
// lens.cpp lists them. Thread: GUI thread.
#pragma once

#include <QString>
#include <functional>
#include <span>

#include "core/project/text.h"

class QTableView;
class QWidget;

namespace strata::ui {

class Document;
class RunController;
class RunView;

struct LensContext {
  Document& document;
  // For changes of the run that trains. What a lens shows is in `view`.
  RunController& run;
  RunView& view;
  // Shows the layer on the Design page.
  std::function<void(const QString& layer)> showLayer;
};

struct LensEntry {
  const char* id;
  Text title;
  // One sentence that the page shows while the lens has no data.
  Text whatFillsIt;
  QWidget* (*make)(const LensContext& context, QWidget* parent);
};

std::span<const LensEntry> allLenses();

/// Sets up a read-only table whose rows belong to layers. `layerRole` is the role of the name of a
/// row's layer. A click selects the layer, and a double click or Enter shows it on Design.
void setUpLayerTable(QTableView* table, const LensContext& context, int layerRole);

}  // namespace strata::ui
