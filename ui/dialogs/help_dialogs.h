// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the dialogs of the Help menu: keyboard shortcuts and About Strata. Thread: GUI thread.
#pragma once

class QWidget;

namespace strata::ui {

class ActionTable;

void openShortcutsDialog(QWidget* parent, const ActionTable& actions);
void openAboutDialog(QWidget* parent);

}  // namespace strata::ui
