// SPDX-License-Identifier: GPL-3.0-or-later
// Proposes runs to delete by rules, lists what would go and why the others stay, and asks. Not
// here: the rules (core/run_list/retention.h), deleting (run/run_list.h). Thread: GUI thread.
#pragma once

#include <QDialog>
#include <memory>
#include <optional>

#include "ui/run/run_list.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStandardItemModel;
class QTableView;

namespace strata::ui {

class CleanDialog : public QDialog {
  Q_OBJECT
 public:
  CleanDialog(std::shared_ptr<const RunList::Content> runs, QWidget* parent);

 Q_SIGNALS:
  /// Emitted when the user has agreed.
  void agreed(const RetentionPlan& plan);

 private:
  struct Rule {
    QCheckBox* box;
    QLineEdit* field;
  };
  Rule addRule(QLayout* column, const QString& words, const QString& unit, const QString& value);
  QString readRules(RetentionRules& rules) const;
  void refresh();
  void fill(const RetentionPlan& plan);
  QString reasonText(const RetentionEntry& entry) const;

  const std::shared_ptr<const RunList::Content> m_runs;
  Rule m_last, m_best, m_days, m_size;
  QStandardItemModel* m_rows;
  QTableView* m_table;
  QLabel* m_sentence;
  QPushButton* m_delete;
  std::optional<RetentionPlan> m_plan;
};

}  // namespace strata::ui
