// SPDX-License-Identifier: GPL-3.0-or-later
// A lens is a widget that looks at one run: made from the run controller and the selection, registered in the one table in lens.cpp.
// Not a page: the Train page shows the table as tabs. Thread: the window's.
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
  std::function<void(const QString& layer)> showLayer;  // on the Design page
};

struct LensEntry {
  const char* id;
  Text title;
  Text whatFillsIt;  // one sentence for a lens without data
  QWidget* (*make)(const LensContext& context, QWidget* parent);
};

std::span<const LensEntry> allLenses();

}  // namespace strata::ui
