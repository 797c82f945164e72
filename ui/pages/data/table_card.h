// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the project's table with their roles, the fixes for missing cells, and networks
// that fit the table. Thread: GUI thread. A worker thread reads the table.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "core/data/describe_table.h"
#include "core/project/diagnostic.h"
#include "core/project/project.h"
#include "ui/document/latest_worker.h"

class QLabel;
class QTreeView;

namespace strata::ui {

class ColumnItemModel;
class ColumnWidths;
class Document;
class FixButtons;

class TableCard : public QWidget {
  Q_OBJECT
 public:
  TableCard(Document& document, QWidget* parent);
  ~TableCard() override;
  /// Returns whether the source is a table with a path.
  bool hasTable() const;
  /// Reads the table again if the data section of the project has changed.
  void refresh();
  /// Marks the label as guessed if it comes from the name of its column, because the program has
  /// just chosen the table.
  void expectGuess() { m_isLabelChosen = false; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Request {
    quint64 revision;
    Project project;
  };
  /// The table that the worker has read.
  struct Reading {
    quint64 revision = 0;
    // If this is absent, `problem` gives the reason.
    std::optional<TableDescription> table;
    QString problem;
    std::vector<Fix> networks;
  };
  static Reading read(const Request& wanted);
  QTreeView* makeView();
  void accept(const Reading& reading);
  void markGuess(TableDescription& table) const;
  void chooseRole(int row, ColumnDescription::Role role);
  QString summaryText(const TableDescription& table) const;
  void refreshFixes();
  void layOutColumns();

  Document& m_document;
  // The project's /data as text, at the time of the last request.
  std::string m_description;
  Reading m_reading;
  // Whether the user has chosen the label, or the project had a file before
  bool m_isLabelChosen;
  QLabel* m_summary;
  QLabel* m_problem;
  ColumnItemModel* m_columns;
  QTreeView* m_view;
  ColumnWidths* m_widths = nullptr;
  QLabel* m_advice;
  FixButtons* m_missing;
  FixButtons* m_networks;
  // Declared last, so that its thread ends before the other members are destroyed.
  std::unique_ptr<LatestWorker<Request>> m_worker;
};

}  // namespace strata::ui
