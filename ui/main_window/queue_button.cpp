// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/queue_button.h"

#include <QMenu>

#include "ui/run/run_text.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/run_queue.h"

namespace strata::ui {

QueueButton::QueueButton(RunQueue& queue, QWidget* parent) : QPushButton(parent), m_queue(queue) {
  setRole(this, "link");
  auto* menu = new QMenu(this);
  setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, &QueueButton::fillMenu);
  connect(&m_queue, &RunQueue::changed, this, &QueueButton::refresh);
  refresh();
}

void QueueButton::refresh() {
  const int count = m_queue.count();
  setVisible(count > 0);
  if (count == 0) return;
  setText(tr("%n run(s) waiting", nullptr, count));
  setAccessibleName(text());
  setToolTip(tr("The next one starts when the active run ends."));
}

void QueueButton::fillMenu() {
  constexpr int kMaxNameWidth = 260;
  // Menus below it stay otherwise
  qDeleteAll(menu()->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
  menu()->clear();
  int place = 0;
  for (const QueuedRun& run : m_queue.runs()) {
    const QString name =
        fontMetrics().elidedText(run.document->name(), Qt::ElideRight, kMaxNameWidth);
    QString words =
        tr("%1. %2: %3").arg(QString::number(place + 1), name, RunText::settings(run.project));
    // A single one would underline a letter
    words.replace(u'&', QLatin1String("&&"));
    QMenu* entry = menu()->addMenu(words);
    if (place > 0)
      entry->addAction(tr("Train next"), this, [this, id = run.id] { m_queue.makeNext(id); });
    entry->addAction(tr("Remove"), this, [this, id = run.id] { m_queue.remove(id); });
    ++place;
  }
  menu()->addSeparator();
  menu()->addAction(tr("Remove all"), &m_queue, &RunQueue::clear);
}

}  // namespace strata::ui
