// SPDX-License-Identifier: GPL-3.0-or-later
// The menu of a MetricPlot: scale, smoothing, and saving as an image or a table. Not here: writing
// the files (plot_files.h).
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <QThreadPool>

#include "ui/format.h"
#include "ui/plots/metric_plot.h"
#include "ui/plots/plot_files.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

void MetricPlot::showMenu(const QPoint& global) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QAction* whole = menu->addAction(tr("Whole run"), m_navigator, &PlotNavigator::showWhole);
  whole->setEnabled(m_navigator->isZoomed());
  if (m_scale == Scale::Value) {
    QAction* logarithmic =
        menu->addAction(tr("Logarithmic scale"), this, &MetricPlot::setLogarithmic);
    logarithmic->setCheckable(true);
    logarithmic->setChecked(m_isLogarithmic);
  }
  addSmoothing(menu->addMenu(tr("Smoothing")));
  menu->addSeparator();
  menu->addAction(tr("Copy image"), this,
                  [this] { QApplication::clipboard()->setImage(pictureOf(*m_plot, caption())); });
  menu->addAction(tr("Save as PNG…"), this,
                  [this] { chooseFile(tr("Save the plot"), tr("PNG image (*.png)"), u"png"_s); });
  menu->addAction(tr("Save as SVG…"), this,
                  [this] { chooseFile(tr("Save the plot"), tr("SVG image (*.svg)"), u"svg"_s); });
  QAction* table = menu->addAction(tr("Save as CSV…"), this, [this] {
    chooseFile(tr("Save the values"), tr("Table (*.csv)"), u"csv"_s);
  });
  table->setEnabled(!m_historyFile.empty());
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
  add(tr("Automatic"), Smoothing::Automatic);
  add(tr("None"), Smoothing::None);
  add(u"0.6"_s, Smoothing::Weight60);
  add(u"0.9"_s, Smoothing::Weight90);
  add(u"0.99"_s, Smoothing::Weight99);
}

QString MetricPlot::metricName() const { return text(m_trainingName); }

void MetricPlot::chooseFile(const QString& title, const QString& filter, const QString& suffix) {
  auto* dialog = new QFileDialog(this, title);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilter(filter);
  dialog->setDefaultSuffix(suffix);
  dialog->selectFile(u"%1.%2"_s.arg(metricName(), suffix));
  connect(dialog, &QFileDialog::fileSelected, this, &MetricPlot::saveTo);
  dialog->open();
}

void MetricPlot::saveTo(const QString& target) {
  const auto report = [window = QPointer<MetricPlot>(this), target](const QString& why) {
    if (why.isEmpty() || !window) return;
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Not saved"),
                                tr("%1 was not saved: %2").arg(target, why), QMessageBox::Ok,
                                window.data());
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  };
  if (target.endsWith(u".csv"_s, Qt::CaseInsensitive)) {
    // A worker thread writes the table, because a long run has millions of rows.
    QThreadPool::globalInstance()->start(
        [file = m_historyFile, metric = m_trainingName, target, report] {
          const QString why = writeCurves(file, metric, target);
          QMetaObject::invokeMethod(
              qApp, [why, report] { report(why); }, Qt::QueuedConnection);
        });
    return;
  }
  m_navigator->setOverlayVisible(false);
  QString why;
  if (target.endsWith(u".svg"_s, Qt::CaseInsensitive))
    why = writeSvg(*m_plot, caption(), target);
  else if (!pictureOf(*m_plot, caption()).save(target))
    why = tr("the file cannot be written");
  m_navigator->setOverlayVisible(true);
  replot();
  report(why);
}

}  // namespace strata::ui
