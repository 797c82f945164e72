// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/design_change_line.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <nlohmann/json.hpp>

#include "core/project/edit.h"
#include "ui/document/document.h"
#include "ui/elided_label.h"
#include "ui/run/design_changes.h"
#include "ui/run/run_text.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

DesignChangeLine::DesignChangeLine(Document& document, QWidget* parent)
    : QFrame(parent), m_document(document) {
  setRole(this, "strip");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 0, 4, 0);
  row->setSpacing(8);
  m_words = new ElidedLabel(this);
  row->addWidget(m_words, 1);
  m_revert = new QPushButton(this);
  setRole(m_revert, "link");
  row->addWidget(m_revert);
  connect(m_revert, &QPushButton::clicked, this, &DesignChangeLine::revert);
  connect(&document, &Document::changed, this, &DesignChangeLine::refresh);
  keepPlace(this);
  hide();
}

void DesignChangeLine::setRun(const std::string& directory,
                              std::shared_ptr<const Project> project) {
  m_directory = directory;
  m_project = std::move(project);
  refresh();
}

QString DesignChangeLine::revertText() const {
  return tr("Revert design to %1").arg(RunText::title(m_directory).toLower());
}

bool DesignChangeLine::canRevert() const {
  return m_project && !designChanges(*m_project, m_document.project()).isEmpty();
}

void DesignChangeLine::refresh() {
  const DesignChanges changes =
      m_project ? designChanges(*m_project, m_document.project()) : DesignChanges();
  setVisible(!changes.isEmpty());
  if (changes.isEmpty()) return;
  m_words->setText(
      tr("%1. The design has changed since: %2").arg(RunText::title(m_directory), changes.text()));
  m_words->setToolTip(m_words->text() + QLatin1Char('\n') + changes.details());
  m_words->setAccessibleDescription(changes.details());
  m_revert->setText(revertText());
}

void DesignChangeLine::revert() {
  if (!m_project) return;
  ProjectEdit edit;
  edit.name = STRATA_TEXT("Edit", "Revert design to %1");
  edit.arguments = {RunText::title(m_directory).toStdString()};
  const Json& stored = m_project->document();
  for (const char* part : {"data", "model", "training", "execution"}) {
    if (!stored.contains(part)) continue;
    const ProjectEdit one =
        setValueEdit(m_document.json(), std::string("/") + part, stored.at(part));
    edit.operations.insert(edit.operations.end(), one.operations.begin(), one.operations.end());
  }
  if (m_document.submit(edit)) Q_EMIT reverted();
}

}  // namespace strata::ui
