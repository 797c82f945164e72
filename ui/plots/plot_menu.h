// SPDX-License-Identifier: GPL-3.0-or-later
// The entries of a plot's menu that copy and save it, the same for every plot of the window. Not
// here: writing the files (plot_files.h). Thread: GUI thread; tables are written on a worker.
#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "ui/plots/plot_files.h"

class QMenu;
class QWidget;

namespace strata::ui {

/// What a plot saves. The functions are called when the user has chosen an entry.
struct PlotSource {
  std::function<PlotPicture()> picture;
  // Returns a function that writes the values to a file and that any thread may call, or null if
  // the plot has no values now. It returns "", or the reason why the file was not written.
  std::function<std::function<QString(const QString& target)>()> table;
  // The name of the files, without suffix
  std::function<QString()> fileName;
};

/// Adds "Copy image" and "Save as" for each format. `window` is the widget that shows dialogs.
void addSaveActions(QMenu* menu, QWidget* window, const PlotSource& source);
/// Saves the plot in the format of the suffix. A failure is shown in a message box.
void savePlot(QWidget* window, const PlotSource& source, const QString& target);

/// Gives a widget that draws a plot a context menu with these entries.
class PlotMenu : public QObject {
  Q_OBJECT
 public:
  using Table = std::function<PlotTable()>;
  /// The menu belongs to `plot`. `caption` and `table` are called when the user saves.
  PlotMenu(QWidget* plot, std::function<PlotCaption()> caption, Table table);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* m_plot;
  PlotSource m_source;
};

}  // namespace strata::ui
