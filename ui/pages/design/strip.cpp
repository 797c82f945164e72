// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/design/strip.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "core/cost/simulated_card.h"
#include "core/project/resources.h"
#include "gpu/base/error.h"
#include "gpu/devices/device_name.h"
#include "ui/device_text.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/project_notes.h"
#include "ui/steady_layout.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

QString hiddenKey(const Document* document) {
  return u"strip/hidden/%1"_s.arg(QString::number(qHash(document->path()), 16));
}

/// Whether the document is an example of Strata that the user has not saved under another name.
bool isExample(const Document& document) {
  try {
    return !document.path().isEmpty() &&
           QFileInfo(document.path()).canonicalPath() ==
               QFileInfo(text(resourcePath("projects"))).canonicalFilePath();
  }
  catch (const Error&) {
    return false;
  }
}

}  // namespace

Strip::Strip(const PageContext& context, QWidget* parent)
    : QFrame(parent), m_context(context), m_title(new QLabel(this)), m_figures(new QLabel(this)) {
  setRole(this, "strip");
  auto* outer = new QHBoxLayout(this);
  outer->setContentsMargins(14, 10, 8, 10);
  outer->setSpacing(10);
  m_row = new QBoxLayout(QBoxLayout::LeftToRight);
  m_row->setSpacing(10);
  outer->addLayout(m_row, 1);
  auto* words = new QVBoxLayout;
  words->setSpacing(2);
  setRole(m_title, "section");
  m_title->setTextFormat(Qt::PlainText);
  m_title->setWordWrap(true);
  m_figures->setWordWrap(true);
  // Room for two lines, because the sentence gets longer as values become known.
  reserveLines(m_figures, 2, tr("%1, estimating memory and time…"));
  m_figures->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  words->addWidget(m_title);
  words->addWidget(m_figures);
  m_row->addLayout(words, 1);

  auto* train = new QPushButton(tr("Train"), this);
  setRole(train, "primary");
  train->setAccessibleName(tr("Train this network"));
  connect(train, &QPushButton::clicked, this,
          [this] { m_context.navigation.trigger(u"run.train"_s); });
  auto* other = new QPushButton(tr("Choose a template"), this);
  other->setAccessibleName(other->text());
  connect(other, &QPushButton::clicked, this,
          [this] { m_context.navigation.trigger(u"file.new"_s); });
  auto* ownData = new QPushButton(tr("Use my own data"), this);
  ownData->setAccessibleName(ownData->text());
  connect(ownData, &QPushButton::clicked, this, [this] {
    // An example stays as it was, so that it can be tried again
    if (m_document && isExample(*m_document)) {
      Project project = emptyProject();
      project.document()["name"] = tr("My project").toStdString();
      m_context.workspace.addNew(std::move(project));
    }
    m_context.navigation.showPage(PageId::Data);
  });
  auto* close = new QToolButton(this);
  close->setIcon(icon(u"close"_s));
  close->setToolTip(tr("Hide this strip"));
  close->setAccessibleName(tr("Hide this strip"));
  connect(close, &QToolButton::clicked, this, [this] {
    if (m_document) QSettings().setValue(hiddenKey(m_document), true);
    hide();
  });
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(10);
  for (QWidget* button :
       {static_cast<QWidget*>(train), static_cast<QWidget*>(other), static_cast<QWidget*>(ownData)})
    buttons->addWidget(button, 0, Qt::AlignVCenter);
  buttons->addStretch(1);
  m_row->addLayout(buttons);
  outer->addWidget(close, 0, Qt::AlignTop);
  connect(&context.runs, &Runs::stateChanged, train,
          [this, train] { train->setEnabled(!m_context.runs.isActive()); });
}

/// Puts the buttons to the right of the text if the strip is wide enough, or else below it.
void Strip::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  constexpr int kRoomForBoth = 800;
  m_row->setDirection(width() < kRoomForBoth ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void Strip::setDocument(Document* document) {
  if (m_document) m_document->disconnect(this);
  m_document = document;
  m_figures->clear();
  if (document) {
    connect(document, &Document::changed, this, &Strip::refresh);
    connect(document, &Document::inspectionChanged, this, &Strip::refresh);
    connect(document, &Document::estimateChanged, this, &Strip::refresh);
  }
  refresh();
}

/// Describes the parameters, memory and time of the current revision. Omits values that are not
/// known yet.
QString Strip::figures() const {
  if (m_document->checks().errorCount() > 0)
    return tr("The network cannot be trained yet: %n problem(s).", nullptr,
              m_document->checks().errorCount());
  const QString parameters = parametersText(m_document->checks().inspection().summary.parameters);
  const Estimate& estimate = m_document->checks().estimate();
  if (estimate.revision != m_document->revision())
    return tr("%1, estimating memory and time…").arg(parameters);
  if (!estimate.hasMemory)
    return estimate.whyNoMemory.isEmpty()
               ? tr("%1.").arg(parameters)
               : tr("%1. Memory and time are %2.").arg(parameters, estimate.whyNoMemory);
  const QString need = italic(formatBytes(estimate.peakBytes));
  if (!estimate.hasTime)
    return tr("%1. Predicted: needs %2. Time is %3.").arg(parameters, need, estimate.whyNoTime);
  if (const std::string& device = m_document->checked().execution().device;
      DeviceName(device).isSimulated())
    return (estimate.isPart ? tr("%1. Predicted: needs %2, about %3 on real hardware (%4) without "
                                 "communication.")
                            : tr("%1. Predicted: needs %2, about %3 on real hardware (%4)."))
        .arg(parameters, need, italic(formatSeconds(estimate.totalSeconds)), deviceTitle(device));
  const QString words = tr("%1. Predicted: needs %2, about %3 on this machine.")
                            .arg(parameters, need, italic(formatSeconds(estimate.totalSeconds)));
  const QString warning = busyWarning(estimate.isBusy);
  return warning.isEmpty() ? words : tr("%1 %2").arg(words, warning.toHtmlEscaped());
}

void Strip::refresh() {
  if (!m_document || QSettings().value(hiddenKey(m_document), false).toBool()) {
    hide();
    return;
  }
  const QString title = firstSentenceOfNotes(m_document->json());
  m_title->setText(title.isEmpty() ? m_document->name() : title);
  // Until the edit is inspected, keep the sentence about the previous revision.
  const QString words = m_document->checks().isCurrent() || m_figures->text().isEmpty()
                            ? figures()
                            : m_figures->text();
  if (words != m_figures->text()) m_figures->setText(words);
  show();
}

}  // namespace strata::ui
