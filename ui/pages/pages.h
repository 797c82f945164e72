// SPDX-License-Identifier: GPL-3.0-or-later
// The four pages, each made by one function of its own folder. A page knows no other page's
// widgets. Thread: the window's.
#pragma once

class QWidget;

namespace strata::ui {

struct PageContext;

/// What a page puts into the frame. `leftPane` null: the frame shows its network list there.
struct Page {
  QWidget* view = nullptr;
  QWidget* leftPane = nullptr;
};

// pages/design
Page makeDesignPage(const PageContext& context);
// pages/data
Page makeDataPage(const PageContext& context);
// pages/train
Page makeTrainPage(const PageContext& context);
// pages/results
Page makeResultsPage(const PageContext& context);

}  // namespace strata::ui
