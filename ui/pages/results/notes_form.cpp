// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/notes_form.h"

#include <QCheckBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <algorithm>

#include "ui/format.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

NotesForm::NotesForm(QWidget* parent) : QWidget(parent) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(14, 8, 14, 10);
  grid->setHorizontalSpacing(10);
  grid->setVerticalSpacing(6);
  const auto addField = [&](const QString& title, QWidget* field, int row, int column) {
    auto* label = new QLabel(title, this);
    setRole(label, "muted");
    label->setBuddy(field);
    field->setAccessibleName(title);
    field->installEventFilter(this);
    grid->addWidget(label, row, column);
    grid->addWidget(field, row, column + 1);
  };
  m_title = new QLineEdit(this);
  m_title->setMaxLength(static_cast<int>(kMaxTitleBytes / 4));
  addField(tr("Title"), m_title, 0, 0);
  m_tags = new QLineEdit(this);
  m_tags->setPlaceholderText(tr("Words, separated by commas"));
  addField(tr("Tags"), m_tags, 0, 2);
  m_text = new QPlainTextEdit(this);
  m_text->setTabChangesFocus(true);
  m_text->setFixedHeight(3 * fontMetrics().lineSpacing() + 12);
  addField(tr("Notes"), m_text, 1, 0);
  grid->removeWidget(m_text);
  grid->addWidget(m_text, 1, 1, 1, 3);
  auto* row = new QHBoxLayout;
  row->setSpacing(16);
  m_archived = new QCheckBox(tr("Archived"), this);
  m_archived->setToolTip(tr("Hides the run from lists."));
  m_kept = new QCheckBox(tr("Keep"), this);
  m_kept->setToolTip(tr("Clean up never proposes this run."));
  row->addWidget(m_archived);
  row->addWidget(m_kept);
  m_problem = new QLabel(this);
  m_problem->setTextFormat(Qt::PlainText);
  setRole(m_problem, "problem");
  row->addWidget(m_problem, 1);
  grid->addLayout(row, 2, 1, 1, 3);
  grid->setColumnStretch(1, 1);
  grid->setColumnStretch(3, 1);
  for (QLineEdit* field : {m_title, m_tags})
    connect(field, &QLineEdit::editingFinished, this, &NotesForm::store);
  for (QCheckBox* box : {m_archived, m_kept})
    connect(box, &QCheckBox::clicked, this, &NotesForm::store);
  setRun(nullptr);
}

bool NotesForm::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_text && event->type() == QEvent::FocusOut) store();
  return QWidget::eventFilter(watched, event);
}

RunNotes NotesForm::shownNotes() const {
  RunNotes notes;
  notes.title = m_title->text().trimmed().toStdString();
  for (const QString& each : m_tags->text().split(u','))
    if (const std::string tag = each.trimmed().toStdString();
        !tag.empty() && std::ranges::find(notes.tags, tag) == notes.tags.end())
      notes.tags.push_back(tag);
  notes.text = m_text->toPlainText().toStdString();
  notes.isArchived = m_archived->isChecked();
  notes.isKept = m_kept->isChecked();
  return notes;
}

void NotesForm::store() {
  if (!m_row || m_isFilling || !m_row->notesProblem.empty()) return;
  const RunNotes notes = shownNotes();
  if (notes == m_row->notes) return;
  m_row->notes = notes;
  Q_EMIT edited(*m_row, notes);
}

void NotesForm::fill() {
  m_isFilling = true;
  const RunNotes notes = m_row ? m_row->notes : RunNotes();
  QStringList tags;
  for (const std::string& tag : notes.tags)
    tags << text(tag);
  m_title->setText(text(notes.title));
  m_tags->setText(tags.join(u", "_s));
  m_text->setPlainText(text(notes.text));
  m_archived->setChecked(notes.isArchived);
  m_kept->setChecked(notes.isKept);
  m_isFilling = false;
}

void NotesForm::setRun(const RunRow* row) {
  const bool isSame = row && m_row && row->info.listedAt == m_row->info.listedAt;
  if (!isSame) store();
  const bool isEdited = isSame && (m_title->hasFocus() || m_tags->hasFocus() || m_text->hasFocus());
  m_row = row ? std::optional(*row) : std::nullopt;
  // A damaged file must not be replaced
  const bool isEditable = row && row->notesProblem.empty();
  for (QWidget* field :
       std::initializer_list<QWidget*>{m_title, m_tags, m_text, m_archived, m_kept})
    field->setEnabled(isEditable);
  m_problem->setText(row ? text(row->notesProblem) : QString());
  if (!isEdited) fill();
}

}  // namespace strata::ui
