// SPDX-License-Identifier: GPL-3.0-or-later
// A lens is a widget that looks at one run: made from the run controller and the selection,
// registered in the one table in lens.cpp. Not a page: the Train page shows the table as tabs.
// Thread: the window's.
#pragma once

#include <QString>
#include <functional>
#include <span>

#include "core/project/text.h"

class QWidget;

namespace strata::ui {

class Document;
class RunController;

struct LensContext {
  Document& document;
  RunController& run;
  // On the Design page
  std::function<void(const QString& layer)> showLayer;
};

struct LensEntry {
  const char* id;
  Text title;
  // One sentence for a lens without data
  Text whatFillsIt;
  QWidget* (*make)(const LensContext& context, QWidget* parent);
};

std::span<const LensEntry> allLenses();

}  // namespace strata::ui
