// SPDX-License-Identifier: GPL-3.0-or-later
// Declares the functions that create the four pages. A page does not know the widgets of another
// page. Thread: GUI thread.
#pragma once

class QWidget;

namespace strata::ui {

struct PageContext;

/// The widgets of a page. If `leftPane` is null, the left pane shows the network list.
struct Page {
  QWidget* view = nullptr;
  QWidget* leftPane = nullptr;
};

/// Creates the Design page. Defined in pages/design.
Page makeDesignPage(const PageContext& context);
/// Creates the Data page. Defined in pages/data.
Page makeDataPage(const PageContext& context);
/// Creates the Train page. Defined in pages/train.
Page makeTrainPage(const PageContext& context);
/// Creates the Results page. Defined in pages/results.
Page makeResultsPage(const PageContext& context);

}  // namespace strata::ui
