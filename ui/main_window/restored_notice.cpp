// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/restored_notice.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/document/document.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/recovery.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

QString momentText(const QDateTime& at) {
  const QLocale locale;
  const QString time = locale.toString(at.time(), u"HH:mm"_s);
  if (at.date() == QDate::currentDate()) return time;
  return RestoredNotice::tr("%1, %2").arg(at.date().toString(Qt::ISODate), time);
}

}  // namespace

RestoredNotice::RestoredNotice(Workspace& workspace, Recovery& recovery, QWidget* parent)
    : QFrame(parent), m_workspace(workspace), m_recovery(recovery), m_rows(new QVBoxLayout(this)) {
  m_rows->setContentsMargins(12, 8, 12, 8);
  m_rows->setSpacing(6);
  // The connection is queued, because a click on a button that rebuild() deletes may cause the
  // signal.
  connect(&recovery, &Recovery::restoredChanged, this, &RestoredNotice::rebuild,
          Qt::QueuedConnection);
  hide();
}

void RestoredNotice::rebuild() {
  while (QLayoutItem* item = m_rows->takeAt(0)) {
    item->widget()->hide();
    item->widget()->deleteLater();
    delete item;
  }
  for (const Recovery::Restored& each : m_recovery.restored()) {
    if (!each.document) continue;
    auto* strip = new QFrame(this);
    setRole(strip, "strip");
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(14, 4, 6, 4);
    row->setSpacing(8);
    auto* words = new QLabel(tr("Restored the unsaved changes of %1 from %2.")
                                 .arg(each.document->name(), momentText(each.editedAt)),
                             strip);
    words->setTextFormat(Qt::PlainText);
    words->setWordWrap(true);
    words->setToolTip(each.document->path().isEmpty() ? tr("This project has never been saved.")
                                                      : each.document->path());
    row->addWidget(words, 1);
    const QPointer<Document> document = each.document;
    const auto addButton = [&](const QString& title, const QString& spoken, auto slot) {
      auto* button = new QPushButton(title, strip);
      setRole(button, "link");
      button->setAccessibleName(spoken);
      connect(button, &QPushButton::clicked, this, [document, slot] {
        if (document) slot(document);
      });
      row->addWidget(button);
    };
    if (m_workspace.count() > 1) {
      addButton(tr("Show"), tr("Show %1").arg(document->name()),
                [this](Document* shown) { m_workspace.setCurrent(shown); });
    }
    addButton(tr("Discard"), tr("Discard the restored changes of %1").arg(document->name()),
              [this](Document* target) { Q_EMIT discardRequested(target); });
    auto* close = new QToolButton(strip);
    close->setIcon(icon(u"close"_s));
    close->setToolTip(tr("Keep the changes and hide this line"));
    close->setAccessibleName(close->toolTip());
    connect(close, &QToolButton::clicked, this,
            [this, document] { m_recovery.acknowledge(document); });
    row->addWidget(close);
    m_rows->addWidget(strip);
  }
  setVisible(m_rows->count() > 0);
}

}  // namespace strata::ui
