// SPDX-License-Identifier: GPL-3.0-or-later
// The four pages, each created by one function of its folder. Pages do not know each other's
// widgets. Thread: GUI thread.
#pragma once

class QWidget;

namespace strata::ui {

struct PageContext;

/// The widgets of a page. If `leftPane` is null, the frame shows its network list there.
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
