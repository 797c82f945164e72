// SPDX-License-Identifier: GPL-3.0-or-later
// The card of the Time lens with a table: the time of a step by layer, op or kernel, or what
// differs from another run. Thread: GUI thread; profiles of other runs are read on a worker.
#pragma once

#include <QWidget>
#include <memory>
#include <string>

#include "core/runs/time_table.h"
#include "ui/document/latest_worker.h"
#include "ui/lenses/lens.h"

class QComboBox;
class QLabel;
class QMenu;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace strata::ui {

class TimeDifferenceModel;
class TimeRowModel;

class TimeTable : public QWidget {
  Q_OBJECT
 public:
  TimeTable(const LensContext& context, QWidget* parent);
  /// Shows this profile; null shows `whyEmpty` instead.
  void setProfile(std::shared_ptr<const ProfileSnapshot> profile, const QString& whyEmpty);
  TimeGrouping grouping() const;
  const TimeRowModel& model() const { return *m_model; }
  /// Compares with another run, or with none if the directory is "".
  void compareWith(const std::string& directory);

 Q_SIGNALS:
  // The rows are grouped differently.
  void groupingChanged();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QLayout* makeHead();
  void makeTable();
  void fitColumns();
  void fitNames();
  void fillMenu();
  bool isPredicted() const;
  void showRows();
  void showComparison();
  void takeOther(const std::string& directory, std::shared_ptr<const ProfileSnapshot> profile);

  const LensContext m_context;
  TimeRowModel* m_model;
  TimeDifferenceModel* m_differences;
  QSortFilterProxyModel* m_sorted;
  QTableView* m_table;
  QComboBox* m_grouping;
  QPushButton* m_compare;
  QMenu* m_menu;
  QLabel *m_note, *m_empty;
  std::shared_ptr<const ProfileSnapshot> m_profile;
  // The run that is compared, and its profile; null while it is read
  std::string m_otherRun;
  std::shared_ptr<const ProfileSnapshot> m_other;
  // The last member, so that its thread ends first
  LatestWorker<std::string> m_reader;
};

}  // namespace strata::ui
