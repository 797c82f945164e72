// SPDX-License-Identifier: GPL-3.0-or-later
// Asks how to continue a run whose settings differ from those of the open project. Thread: GUI
// thread.
#pragma once

#include <QString>
#include <functional>

class QWidget;

namespace strata::ui {

class Document;
class RunController;
struct UsedRun;

/// Continues the run. If the project differs from what the run used, first says where, and offers
/// the run as it was or a new run of the project. `startNew` starts that run from the weights in a
/// file or folder, or from initial weights if it is "". `shown` is called when the run goes on.
void continueOrAsk(QWidget* window, Document& document, const UsedRun& run,
                   RunController& controller, std::function<void(const QString&)> startNew,
                   std::function<void()> shown);

}  // namespace strata::ui
