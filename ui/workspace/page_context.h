// SPDX-License-Identifier: GPL-3.0-or-later
// What pages, panes and dialogs share: the open documents, their runs, and how to ask the frame
// for another view. None of them knows the frame or another one's widgets. Thread: the window's.
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
