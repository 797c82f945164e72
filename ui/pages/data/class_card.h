// SPDX-License-Identifier: GPL-3.0-or-later
// The classes of a data set with the number of samples in each part of the split. Thread: GUI
// thread.
#pragma once

#include <QWidget>
#include <array>
#include <string>
#include <vector>

class QLabel;
class QStandardItemModel;
class QTableView;

namespace strata::ui {

/// The parts of the split, which are indices of ClassCounts.
enum Split { kTrain, kValidation, kTest };
/// For each class, the numbers of training, validation and test samples.
using ClassCounts = std::vector<std::array<int64_t, 3>>;

class ClassCard : public QWidget {
  Q_OBJECT
 public:
  explicit ClassCard(QWidget* parent);
  /// Shows the classes. `names` may have fewer entries than `counts`.
  void setClasses(ClassCounts counts, std::vector<std::string> names);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  static QString balanceText(int64_t least, int64_t most);
  void fill();

  ClassCounts m_counts;
  std::vector<std::string> m_names;
  QLabel* m_balance;
  QStandardItemModel* m_classes = nullptr;
  QTableView* m_table;
};

}  // namespace strata::ui
