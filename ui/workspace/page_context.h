// SPDX-License-Identifier: GPL-3.0-or-later
// What pages, panes and dialogs share: the open documents, their runs, and how to ask the frame for
// another view. They do not know the frame or each other's widgets. Thread: GUI thread.
#pragma once

namespace strata::ui {

class Navigation;
class Runs;
class Workspace;

struct PageContext {
  Workspace& workspace;
  Runs& runs;
  Navigation& navigation;
};

}  // namespace strata::ui
