// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/restored_notice.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLocale>
#include <QPushButton>
#include <QToolButton>

#include "ui/document/document.h"
#include "ui/elided_label.h"
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
    : QFrame(parent),
      m_workspace(workspace),
      m_recovery(recovery),
      m_words(new ElidedLabel(this)),
      m_show(new QPushButton(tr("Show"), this)),
      m_discard(new QPushButton(tr("Discard"), this)) {
  setRole(this, "strip");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 0, 2, 0);
  row->setSpacing(4);
  row->addWidget(m_words, 1);
  for (QPushButton* button : {m_show, m_discard}) {
    setRole(button, "link");
    row->addWidget(button);
  }
  auto* close = new QToolButton(this);
  close->setIcon(icon(u"close"_s));
  close->setToolTip(tr("Keep the changes and hide this line"));
  close->setAccessibleName(close->toolTip());
  row->addWidget(close);
  connect(m_show, &QPushButton::clicked, this, [this] {
    if (m_document) m_workspace.setCurrent(m_document);
  });
  connect(m_discard, &QPushButton::clicked, this, [this] {
    if (m_document) Q_EMIT discardRequested(m_document);
  });
  connect(close, &QToolButton::clicked, this, [this] { m_recovery.acknowledge(m_document); });
  connect(&recovery, &Recovery::restoredChanged, this, &RestoredNotice::refresh);
  connect(&workspace, &Workspace::documentsChanged, this, &RestoredNotice::refresh);
  hide();
}

/// Shows the first restored project. The next one follows when the user has decided about it.
void RestoredNotice::refresh() {
  int others = -1;
  m_document = nullptr;
  QDateTime editedAt;
  for (const Recovery::Restored& each : m_recovery.restored()) {
    if (!each.document) continue;
    if (!m_document) {
      m_document = each.document;
      editedAt = each.editedAt;
    }
    ++others;
  }
  setVisible(m_document);
  if (!m_document) return;
  const QString name = m_document->name(), moment = momentText(editedAt);
  m_words->setText(
      (others > 0 ? tr("Restored the unsaved changes of %1 from %2. %n other project(s) follow.",
                       nullptr, others)
                  : tr("Restored the unsaved changes of %1 from %2."))
          .arg(name, moment));
  const QString path = m_document->path();
  m_words->setToolTip(m_words->text() + u'\n' +
                      (path.isEmpty() ? tr("This project has never been saved.") : path));
  m_show->setVisible(m_workspace.count() > 1);
  m_show->setAccessibleName(tr("Show %1").arg(name));
  m_discard->setAccessibleName(tr("Discard the restored changes of %1").arg(name));
}

}  // namespace strata::ui
