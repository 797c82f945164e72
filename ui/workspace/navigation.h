// SPDX-License-Identifier: GPL-3.0-or-later
// How a view asks the frame to show something else, without knowing the frame or another view.
// Thread: the window's.
#pragma once

#include <QObject>
#include <QString>

namespace strata::ui {

enum class PageId { Data, Design, Train, Results };
constexpr int kNumPages = 4;
/// The switch of the Design page.
enum class DesignView { List, Compiled };

class Navigation : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  void showPage(PageId page) { Q_EMIT pageRequested(page); }
  /// Double-click on any row, bar or event: the layer on Design.
  void showLayer(const QString& layer) { Q_EMIT layerRequested(layer); }
  /// The same, and the editor of one of its fields gets the keyboard.
  void showField(const QString& layer, const QString& field) {
    Q_EMIT layerRequested(layer);
    Q_EMIT fieldRequested(field);
  }
  /// A field of the project, by its JSON pointer.
  void showProjectField(const QString& pointer) {
    if (pointer.startsWith(QLatin1String("/data/"))) Q_EMIT pageRequested(PageId::Data);
    Q_EMIT fieldRequested(pointer);
  }
  void showDesignAs(DesignView view) { Q_EMIT designViewRequested(view); }
  /// Design has nothing to add layers to while it shows a graph: then the network list stands
  /// beside it.
  void designViewShown(DesignView view) { Q_EMIT designViewChanged(view); }
  /// Runs an action of the window by its name ("file.new", "run.train", ...), as its menu would.
  void trigger(const QString& action) { Q_EMIT actionRequested(action); }
  void log(const QString& line) { Q_EMIT logged(line); }

 Q_SIGNALS:
  // Of the selected layer, in place
  void renameRequested();
  // The keyboard goes to the list of layers
  void listFocusRequested();
  void pageRequested(PageId page);
  void layerRequested(const QString& layer);
  // Of the selected layer, or a JSON pointer
  void fieldRequested(const QString& field);
  void designViewRequested(DesignView view);
  void designViewChanged(DesignView view);
  void actionRequested(const QString& action);
  void logged(const QString& line);
};

}  // namespace strata::ui
