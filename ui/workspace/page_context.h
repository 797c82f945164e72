// SPDX-License-Identifier: GPL-3.0-or-later
// The objects that pages, panes and dialogs share: the open documents, their runs, and the
// navigation to another view. They do not depend on the window or its widgets. Thread: GUI thread.
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
