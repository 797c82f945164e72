// SPDX-License-Identifier: GPL-3.0-or-later
// Lets a view ask the window to show something else. The view needs no access to the window or to
// other views. Thread: GUI thread.
#pragma once

#include <QObject>
#include <QString>

namespace strata::ui {

enum class PageId { Data, Design, Train, Results };
constexpr int kNumPages = 4;
/// The two views of the Design page.
enum class DesignView { List, Compiled };

class Navigation : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  void showPage(PageId page) { Q_EMIT pageRequested(page); }
  /// Shows a layer on the Design page. Views call this on a double-click on a row, bar or event.
  void showLayer(const QString& layer) { Q_EMIT layerRequested(layer); }
  /// Shows a layer and moves the focus to the editor of one of its fields.
  void showField(const QString& layer, const QString& field) {
    Q_EMIT layerRequested(layer);
    Q_EMIT fieldRequested(field);
  }
  /// Shows a field of the project by its JSON pointer.
  void showProjectField(const QString& pointer) {
    if (pointer.startsWith(QLatin1String("/data/"))) Q_EMIT pageRequested(PageId::Data);
    Q_EMIT fieldRequested(pointer);
  }
  /// Shows the lens with this identifier on the Train page.
  void showLens(const QString& lens) {
    Q_EMIT pageRequested(PageId::Train);
    Q_EMIT lensRequested(lens);
  }
  void showDesignAs(DesignView view) { Q_EMIT designViewRequested(view); }
  /// Tells the window which view Design shows. Next to the compiled graph, the window shows the
  /// network list, because layers cannot be added to the graph.
  void designViewShown(DesignView view) { Q_EMIT designViewChanged(view); }
  /// Triggers an action of the window by name ("file.new", "run.train", ...).
  void trigger(const QString& action) { Q_EMIT actionRequested(action); }
  /// Starts a new run of the current project, or shows why it cannot start. Its weights start
  /// from a file, or from initial weights if the path is "".
  void trainFrom(const QString& weights) { Q_EMIT trainRequested(weights); }
  void log(const QString& line) { Q_EMIT logged(line); }

 Q_SIGNALS:
  /// Emitted to rename the selected layer in place.
  void renameRequested();
  /// Emitted to move the focus to the list of layers.
  void listFocusRequested();
  void pageRequested(PageId page);
  void layerRequested(const QString& layer);
  /// Emitted to focus a field. `field` is a field of the selected layer, or a JSON pointer.
  void fieldRequested(const QString& field);
  void lensRequested(const QString& lens);
  void designViewRequested(DesignView view);
  void designViewChanged(DesignView view);
  void actionRequested(const QString& action);
  void trainRequested(const QString& weights);
  void logged(const QString& line);
};

}  // namespace strata::ui
