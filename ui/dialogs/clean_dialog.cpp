// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/clean_dialog.h"

#include <QCheckBox>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

#include "gpu/base/error.h"
#include "ui/format.h"
#include "ui/run/run_text.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

CleanDialog::CleanDialog(std::shared_ptr<const RunList::Content> runs, QWidget* parent)
    : QDialog(parent), m_runs(std::move(runs)) {
  setWindowTitle(tr("Clean up runs"));
  setAttribute(Qt::WA_DeleteOnClose);
  resize(640, 520);
  auto* column = new QVBoxLayout(this);
  column->setSpacing(8);
  auto* intro = new QLabel(
      tr("Runs that no rule keeps go to the trash. The best run, the last run, archived and kept "
         "runs, and runs that others start from always stay."),
      this);
  intro->setWordWrap(true);
  setRole(intro, "muted");
  column->addWidget(intro);
  m_last = addRule(column, tr("Keep the newest"), tr("runs"), u"10"_s);
  m_best = addRule(column, tr("Keep the best"), tr("runs"), u"5"_s);
  m_days = addRule(column, tr("Keep runs of the last"), tr("days"), u"30"_s);
  m_size = addRule(column, tr("Keep at most"), tr("MiB in all runs"), u"1024"_s);
  m_rows = new QStandardItemModel(this);
  m_table = new QTableView(this);
  m_table->setModel(m_rows);
  m_table->setAccessibleName(tr("Runs that go and runs that stay"));
  m_table->setShowGrid(false);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setTabKeyNavigation(false);
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
  m_table->horizontalHeader()->setHighlightSections(false);
  // Use the same padding as the cells.
  m_table->horizontalHeader()->setStyleSheet(u"QHeaderView::section { padding: 5px 4px; }"_s);
  m_table->horizontalHeader()->setStretchLastSection(true);
  m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  column->addWidget(cardAround(m_table, this), 1);
  m_sentence = new QLabel(this);
  m_sentence->setWordWrap(true);
  m_sentence->setTextFormat(Qt::PlainText);
  column->addWidget(m_sentence);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  m_delete = buttons->addButton(tr("Delete"), QDialogButtonBox::AcceptRole);
  setRole(m_delete, "primary");
  m_delete->setAutoDefault(false);
  column->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    if (m_plan) Q_EMIT agreed(*m_plan);
    accept();
  });
  m_last.box->setChecked(true);
  refresh();
}

CleanDialog::Rule CleanDialog::addRule(QLayout* column, const QString& words, const QString& unit,
                                       const QString& value) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  Rule rule{new QCheckBox(words, this), new QLineEdit(value, this)};
  rule.field->setFixedWidth(80);
  rule.field->setAlignment(Qt::AlignRight);
  rule.field->setAccessibleName(tr("%1 (%2)").arg(words, unit));
  row->addWidget(rule.box);
  row->addWidget(rule.field);
  row->addWidget(new QLabel(unit, this));
  row->addStretch();
  static_cast<QVBoxLayout*>(column)->addLayout(row);
  connect(rule.box, &QCheckBox::toggled, this, &CleanDialog::refresh);
  connect(rule.field, &QLineEdit::textEdited, this, [this, box = rule.box] {
    box->setChecked(true);
    refresh();
  });
  return rule;
}

/// Reads the fields. Returns "", or why a field is wrong.
QString CleanDialog::readRules(RetentionRules& rules) const {
  const auto numberOf = [](const Rule& rule) -> std::optional<int64_t> {
    bool isNumber = false;
    const qlonglong value = rule.field->text().trimmed().toLongLong(&isNumber);
    constexpr qlonglong kLargest = 1'000'000'000;
    return isNumber && value >= 0 && value <= kLargest ? std::optional<int64_t>(value)
                                                       : std::nullopt;
  };
  for (const Rule* rule : {&m_last, &m_best, &m_days, &m_size}) {
    const bool isRight = !rule->box->isChecked() || numberOf(*rule);
    rule->field->setProperty("isWrong", !isRight);
    restyle(rule->field);
    if (!isRight) return tr("%1: enter a whole number, 0 or more.").arg(rule->box->text());
  }
  if (m_last.box->isChecked()) rules.keepLast = numberOf(m_last);
  if (m_best.box->isChecked()) rules.keepBest = numberOf(m_best);
  if (m_days.box->isChecked()) rules.keepDays = static_cast<double>(*numberOf(m_days));
  constexpr uint64_t kBytesPerMiB = uint64_t{1} << 20;
  if (m_size.box->isChecked())
    rules.maxBytes = static_cast<uint64_t>(*numberOf(m_size)) * kBytesPerMiB;
  const bool hasRule = rules.keepLast || rules.keepBest || rules.keepDays || rules.maxBytes;
  return hasRule ? QString() : tr("Choose at least one rule.");
}

void CleanDialog::refresh() {
  m_plan.reset();
  RetentionRules rules;
  QString problem = readRules(rules);
  if (problem.isEmpty()) {
    try {
      m_plan = retentionPlan(m_runs->rows, rules, QDateTime::currentSecsSinceEpoch());
    }
    catch (const Error& error) {
      problem = text(error.line());
    }
  }
  if (m_plan) fill(*m_plan);
  if (!m_plan) m_rows->removeRows(0, m_rows->rowCount());
  const int going = m_plan ? static_cast<int>(m_plan->going.size()) : 0;
  setRole(m_sentence, problem.isEmpty() ? "plain" : "problem");
  if (!problem.isEmpty())
    m_sentence->setText(problem);
  else if (going == 0)
    m_sentence->setText(tr("All runs stay."));
  else
    m_sentence->setText(tr("%Ln run(s) of %1 go to the trash. This can be undone.", nullptr, going)
                            .arg(formatBytes(static_cast<double>(m_plan->goingBytes))));
  m_delete->setEnabled(going > 0);
  m_delete->setText(going > 0 ? tr("Delete %Ln run(s)", nullptr, going) : tr("Delete"));
}

QString CleanDialog::reasonText(const RetentionEntry& entry) const {
  switch (entry.reason) {
    case RetentionReason::Training: return tr("stays: it trains");
    case RetentionReason::Best: return tr("stays: the best run");
    case RetentionReason::Last: return tr("stays: the last run");
    case RetentionReason::Archived: return tr("stays: archived");
    case RetentionReason::Kept: return tr("stays: marked to keep");
    case RetentionReason::NeededBy:
      return tr("stays: %1 starts from it").arg(RunText::title(entry.neededBy));
    case RetentionReason::AmongLast: return tr("stays: among the newest");
    case RetentionReason::AmongBest: return tr("stays: among the best");
    case RetentionReason::Young: return tr("stays: recent");
    case RetentionReason::FitsSize: return tr("stays: fits the size");
    case RetentionReason::NoRule: return tr("goes: no rule keeps it");
    case RetentionReason::TooLarge: return tr("goes: exceeds the size");
  }
  return {};
}

void CleanDialog::fill(const RetentionPlan& plan) {
  m_rows->clear();
  m_rows->setHorizontalHeaderLabels({tr("Run"), tr("Title"), tr("Size on disk"), tr("Decision")});
  for (const auto* entries : {&plan.going, &plan.staying})
    for (const RetentionEntry& entry : *entries) {
      QList<QStandardItem*> row{new QStandardItem(RunText::title(entry.run)),
                                new QStandardItem(text(entry.title)),
                                new QStandardItem(formatBytes(static_cast<double>(entry.bytes))),
                                new QStandardItem(reasonText(entry))};
      row[2]->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      if (entries == &plan.going)
        for (QStandardItem* item : row) {
          QFont bold = font();
          bold.setWeight(QFont::DemiBold);
          item->setFont(bold);
        }
      m_rows->appendRow(row);
    }
  m_rows->setHeaderData(2, Qt::Horizontal, QVariant(Qt::AlignRight | Qt::AlignVCenter),
                        Qt::TextAlignmentRole);
  for (int column = 0; column < 3; ++column)
    m_table->resizeColumnToContents(column);
}

}  // namespace strata::ui
