// SPDX-License-Identifier: GPL-3.0-or-later
// The menu of a MetricPlot: scale, smoothing and saving.
#include <QActionGroup>
#include <QLocale>
#include <QMenu>

#include "ui/format.h"
#include "ui/plots/metric_plot.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"
#include "ui/plots/smoothing_setting.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

void MetricPlot::showMenu(const QPoint& global) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QAction* whole = menu->addAction(tr("Whole run"), m_navigator, &PlotNavigator::showWhole);
  whole->setEnabled(m_navigator->isZoomed());
  if (m_scale != Scale::Percent) {
    QAction* logarithmic =
        menu->addAction(tr("Logarithmic scale"), this, &MetricPlot::setLogarithmic);
    logarithmic->setCheckable(true);
    logarithmic->setChecked(m_isLogarithmic);
  }
  QAction* outliers = menu->addAction(tr("Leave out outliers"), this, [this](bool on) {
    storeIgnoresOutliers(on);
    setIgnoresOutliers(on);
    Q_EMIT outliersChosen(on);
  });
  outliers->setToolTip(
      tr("The largest and the smallest 5% of the values of a curve do not decide "
         "the range of the axis."));
  outliers->setCheckable(true);
  outliers->setChecked(m_range.ignoresOutliers());
  addSmoothing(menu->addMenu(tr("Smoothing")));
  menu->addSeparator();
  if (m_addEntries) {
    m_addEntries(menu);
    menu->addSeparator();
  }
  addSaveActions(menu, this, source());
  menu->popup(global);
}

void MetricPlot::addSmoothing(QMenu* menu) {
  auto* group = new QActionGroup(menu);
  const auto add = [&](const QString& words, Smoothing smoothing) {
    QAction* action = group->addAction(words);
    action->setCheckable(true);
    action->setChecked(m_smoothing == smoothing);
    menu->addAction(action);
    connect(action, &QAction::triggered, this, [this, smoothing] {
      setSmoothing(smoothing);
      Q_EMIT smoothingChosen(smoothing);
    });
  };
  add(tr("Automatic"), Smoothing::automatic());
  add(tr("None"), Smoothing::none());
  for (const double weight : {0.6, 0.9, 0.99})
    add(QLocale().toString(weight), Smoothing::ofWeight(weight));
}

PlotSource MetricPlot::source() {
  const auto picture = [this] {
    PlotPicture whole = pictureOf(*m_plot, caption());
    whole.draw = [this, draw = whole.draw](QPainter& painter) {
      m_navigator->setOverlayVisible(false);
      draw(painter);
      m_navigator->setOverlayVisible(true);
      replot();
    };
    return whole;
  };
  const auto table = [this]() -> std::function<QString(const QString&)> {
    if (m_historyFile.empty()) return nullptr;
    return [file = m_historyFile, series = m_trainingName](const QString& target) {
      return writeCurves(file, series, target);
    };
  };
  return {picture, table, [this] {
            return text(m_trainingName);
          }};
}

void MetricPlot::saveTo(const QString& target) { savePlot(this, source(), target); }

}  // namespace strata::ui
