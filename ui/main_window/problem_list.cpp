// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/problem_list.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/theme/colors.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMaxShown = 200;
constexpr int kIconSize = 15;

}  // namespace

ProblemList::ProblemList(const PageContext& context, QWidget* parent)
    : QScrollArea(parent), m_context(context) {
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Problems"));
  connect(&context.workspace, &Workspace::currentChanged, this, [this](Document* document) {
    if (m_document) m_document->disconnect(this);
    m_document = document;
    if (document) {
      connect(document, &Document::inspectionChanged, this, [this] { rebuild(); });
      for (const auto signal :
           {&Document::changed, &Document::estimateChanged, &Document::refusedValuesChanged})
        connect(document, signal, this, &ProblemList::refreshReadiness);
    }
    m_current = -1;
    rebuild();
  });
  rebuild();
}

Readiness readinessOf(const Document& document) {
  const DocumentChecks& checks = document.checks();
  if (checks.errorCount() > 0) return Readiness::HasProblems;
  if (!document.refusedValues().all().isEmpty()) return Readiness::RefusedValue;
  if (!checks.isCurrent()) return Readiness::Checking;
  const Estimate& estimate = checks.estimate();
  return estimate.hasMemory && !estimate.fits ? Readiness::DoesNotFit : Readiness::Ready;
}

/// Returns what a list without problems says.
QString ProblemList::readinessText() const {
  const Estimate& estimate = m_document->checks().estimate();
  switch (readinessOf(*m_document)) {
    case Readiness::Checking: return tr("Checking the project…");
    case Readiness::RefusedValue: {
      const RefusedValue& refused = m_document->refusedValues().all().first();
      return tr("The field %1 has an invalid value: %2").arg(refused.title, refused.why);
    }
    case Readiness::DoesNotFit:
      return tr("The network does not fit in memory: it needs %1, the limit is %2. Click the "
                "memory "
                "in the top row for options.")
          .arg(formatBytes(estimate.peakBytes), formatBytes(estimate.limitBytes));
    default: return tr("No problems: the network can be trained.");
  }
}

void ProblemList::refreshReadiness() {
  if (m_readiness && m_document) m_readiness->setText(readinessText());
}

void ProblemList::rebuild() {
  m_rows = new QWidget;
  m_places.clear();
  setRole(m_rows, "pane");
  auto* column = new QVBoxLayout(m_rows);
  column->setContentsMargins(12, 6, 12, 6);
  column->setSpacing(2);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(3);
  grid->setColumnStretch(2, 1);
  const Colors& colors = colorsOf(this);
  const Diagnostics none;
  const Diagnostics& problems = m_document ? m_document->checks().inspection().diagnostics : none;
  if (problems.empty()) {
    m_readiness = new QLabel(m_document ? readinessText() : tr("No project is open."), m_rows);
    m_readiness->setWordWrap(true);
    setRole(m_readiness, "muted");
    column->addWidget(m_readiness);
  }
  for (size_t i = 0; i < problems.size() && i < kMaxShown; ++i) {
    const Diagnostic& problem = problems[i];
    const bool isError = problem.severity == Severity::Error;
    const int row = static_cast<int>(i);
    auto* mark = new QLabel(m_rows);
    mark->setPixmap(
        icon(isError ? u"error"_s : u"warning"_s, isError ? colors.problem : colors.warning)
            .pixmap(QSize(kIconSize, kIconSize), devicePixelRatioF()));
    mark->setAccessibleName(isError ? tr("Problem") : tr("Hint"));
    grid->addWidget(mark, row, 0);
    auto* place =
        new QPushButton(problem.layer.empty() ? tr("Project") : text(problem.layer), m_rows);
    setRole(place, "link");
    place->setAccessibleName(tr("Show %1").arg(place->text()));
    connect(place, &QPushButton::clicked, this, [this, i] { go(static_cast<int>(i)); });
    grid->addWidget(place, row, 1, Qt::AlignLeft);
    m_places << place;
    auto* message = new QLabel(translated(problem), m_rows);
    message->setTextFormat(Qt::PlainText);
    message->setWordWrap(true);
    message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    grid->addWidget(message, row, 2);
    auto* fixes = new QHBoxLayout;
    fixes->setSpacing(8);
    fixes->addStretch(1);
    for (const Fix& fix : problem.fixes) {
      auto* button = new QPushButton(translated(fix.label, fix.arguments), m_rows);
      button->setObjectName(u"fix"_s);
      button->setAccessibleName(button->text());
      connect(button, &QPushButton::clicked, this, [this, edit = fix.edit] {
        if (m_document) m_document->submit(edit);
      });
      fixes->addWidget(button);
    }
    if (!problem.layer.empty() && problem.field == "inputs") {
      auto* choose = new QPushButton(tr("Choose inputs"), m_rows);
      choose->setAccessibleName(tr("Choose inputs of %1").arg(text(problem.layer)));
      connect(choose, &QPushButton::clicked, this, [this, layer = text(problem.layer)] {
        m_context.navigation.showField(layer, u"inputs"_s);
      });
      fixes->addWidget(choose);
    }
    grid->addLayout(fixes, row, 3);
  }
  column->addLayout(grid);
  if (static_cast<qsizetype>(problems.size()) > kMaxShown) {
    column->addWidget(new QLabel(
        tr("and %n more", nullptr, static_cast<int>(problems.size() - kMaxShown)), m_rows));
  }
  column->addStretch(1);
  setWidget(m_rows);
  Q_EMIT rebuilt();
}

void ProblemList::changeEvent(QEvent* event) {
  QScrollArea::changeEvent(event);
  // The icons depend on the palette. The list is rebuilt later, because Qt still iterates over the
  // widgets.
  if (event->type() == QEvent::PaletteChange)
    QMetaObject::invokeMethod(this, &ProblemList::rebuild, Qt::QueuedConnection);
}

void ProblemList::go(int index) {
  if (!m_document) return;
  const Diagnostics& problems = m_document->checks().inspection().diagnostics;
  if (index < 0 || index >= static_cast<int>(problems.size())) return;
  m_current = index;
  const std::string& layer = problems[static_cast<size_t>(index)].layer;
  if (!layer.empty()) m_context.navigation.showLayer(text(layer));
}

void ProblemList::focusFirstError() {
  if (!m_document) return;
  const Diagnostics& problems = m_document->checks().inspection().diagnostics;
  const auto first = std::find_if(problems.begin(), problems.end(), [](const Diagnostic& each) {
    return each.severity == Severity::Error;
  });
  const qsizetype row = first - problems.begin();
  if (row >= m_places.size()) return;
  m_current = static_cast<int>(row);
  m_places[row]->setFocus(Qt::OtherFocusReason);
  m_rows->layout()->activate();
  ensureWidgetVisible(m_places[row]);
}

void ProblemList::goToNext() {
  if (!m_document || m_document->checks().inspection().diagnostics.empty()) return;
  const int count = static_cast<int>(m_document->checks().inspection().diagnostics.size());
  go((m_current + 1) % count);
}

}  // namespace strata::ui
