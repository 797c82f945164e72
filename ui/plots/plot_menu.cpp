// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <QRegularExpression>
#include <QThreadPool>
#include <utility>

namespace strata::ui {

using namespace Qt::StringLiterals;

static bool isTable(const QString& target) {
  return target.endsWith(u".csv"_s, Qt::CaseInsensitive) ||
         target.endsWith(u".json"_s, Qt::CaseInsensitive);
}

static void report(const QPointer<QWidget>& window, const QString& target, const QString& why) {
  if (why.isEmpty() || !window) return;
  auto* box = new QMessageBox(QMessageBox::Warning, PlotMenu::tr("Not saved"),
                              PlotMenu::tr("%1 was not saved: %2").arg(target, why),
                              QMessageBox::Ok, window.data());
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

void savePlot(QWidget* window, const PlotSource& source, const QString& target) {
  if (!isTable(target)) {
    report(window, target, writePicture(source.picture(), target));
    return;
  }
  auto write = source.table ? source.table() : nullptr;
  if (!write) return;
  // A worker thread writes the table, because a long run has millions of rows.
  QThreadPool::globalInstance()->start(
      [window = QPointer<QWidget>(window), target, write = std::move(write)] {
        const QString why = write(target);
        QMetaObject::invokeMethod(
            qApp, [window, target, why] { report(window, target, why); }, Qt::QueuedConnection);
      });
}

static void chooseFile(QWidget* window, const PlotSource& source, const QString& filter,
                       const QString& suffix) {
  auto* dialog = new QFileDialog(window, isTable(u'.' + suffix) ? PlotMenu::tr("Save the values")
                                                                : PlotMenu::tr("Save the plot"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilter(filter);
  dialog->setDefaultSuffix(suffix);
  dialog->selectFile(u"%1.%2"_s.arg(source.fileName(), suffix));
  QObject::connect(dialog, &QFileDialog::fileSelected, window,
                   [window, source](const QString& target) { savePlot(window, source, target); });
  dialog->open();
}

void addSaveActions(QMenu* menu, QWidget* window, const PlotSource& source) {
  menu->addAction(PlotMenu::tr("Copy image"), window,
                  [source] { QApplication::clipboard()->setImage(imageOf(source.picture())); });
  const auto add = [&](const QString& words, const QString& filter, const QString& suffix) {
    return menu->addAction(words, window, [window, source, filter, suffix] {
      chooseFile(window, source, filter, suffix);
    });
  };
  add(PlotMenu::tr("Save as PNG…"), PlotMenu::tr("PNG image (*.png)"), u"png"_s);
  add(PlotMenu::tr("Save as SVG…"), PlotMenu::tr("SVG image (*.svg)"), u"svg"_s);
  add(PlotMenu::tr("Save as PDF…"), PlotMenu::tr("PDF document (*.pdf)"), u"pdf"_s);
  const bool hasTable = source.table && source.table();
  add(PlotMenu::tr("Save as CSV…"), PlotMenu::tr("Table (*.csv)"), u"csv"_s)->setEnabled(hasTable);
  add(PlotMenu::tr("Save as JSON…"), PlotMenu::tr("JSON file (*.json)"), u"json"_s)
      ->setEnabled(hasTable);
}

/// Returns a name for a file from the title of a plot.
static QString fileNameOf(QString title) {
  static const QRegularExpression kOthers(u"[^\\w]+"_s,
                                          QRegularExpression::UseUnicodePropertiesOption);
  return title.toLower().replace(kOthers, u"-"_s);
}

PlotMenu::PlotMenu(QWidget* plot, std::function<PlotCaption()> caption, Table table)
    : QObject(plot), m_plot(plot) {
  m_source.picture = [plot, caption] {
    return pictureOf(*plot, caption());
  };
  m_source.fileName = [caption] {
    return fileNameOf(caption().title);
  };
  if (table)
    m_source.table = [table]() -> std::function<QString(const QString&)> {
      PlotTable values = table();
      if (values.rows.empty()) return nullptr;
      return [values](const QString& target) {
        return writeTable(values, target);
      };
    };
  plot->installEventFilter(this);
}

bool PlotMenu::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ContextMenu) return QObject::eventFilter(watched, event);
  auto* menu = new QMenu(m_plot);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  addSaveActions(menu, m_plot, m_source);
  menu->popup(static_cast<QContextMenuEvent*>(event)->globalPos());
  return true;
}

}  // namespace strata::ui
