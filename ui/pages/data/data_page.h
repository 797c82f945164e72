// SPDX-License-Identifier: GPL-3.0-or-later
// The Data page. It shows the data source, the split, the columns of a table, samples as they enter
// the network, and class counts. Thread: GUI thread. A worker thread reads the data.
#pragma once

#include <QString>
#include <QWidget>
#include <memory>

#include "core/data/dataset.h"
#include "ui/document/latest_worker.h"
#include "ui/pages/data/class_card.h"

class QGridLayout;
class QLabel;
class QLayout;
class QProgressBar;
class QPushButton;
class QScrollArea;

namespace strata::ui {

class FieldForm;
class Document;
class SampleCard;
class TableCard;

/// The data that the worker has read for the page.
struct DataView {
  quint64 revision = 0;
  // If this is null, `problem` gives the reason.
  std::shared_ptr<const Dataset> dataset;
  QString problem;
  // The size of the data in memory, in bytes, and its size if all samples were decoded.
  double bytes = 0, decodedBytes = 0;
  // The index of the first target that has classes. classCounts belongs to this target.
  size_t target = 0;
  ClassCounts classCounts;
};

class DataPage : public QWidget {
  Q_OBJECT
 public:
  DataPage(Document& document, QWidget* parent);
  ~DataPage() override;
  /// Moves the focus to the field of /data with this JSON pointer.
  void focusField(const QString& field);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Request {
    quint64 revision;
    Project project;
  };
  void layOut(bool isNarrow);
  void makeGrid();
  QLayout* makeSourceHead(QWidget* card);
  QWidget* makeSourceCard();
  QLayout* makeProgress(QWidget* card);
  void showProgress(quint64 revision, int64_t done, int64_t total);
  void refreshProblem();
  bool changesData(const Json& source);
  void useTable(const QString& path);
  /// Reads the data again if the data section of the project has changed.
  void request();
  void accept(const DataView& view);

  Document& m_document;
  // The project's /data as text, at the time of the last request.
  std::string m_description;
  DataView m_view;
  FieldForm* m_form = nullptr;
  QLabel* m_summary;
  QProgressBar* m_progress;
  // Cancels the reading, or starts it again
  QPushButton* m_cancel;
  bool m_isReading = false;
  // The revision that is being read
  quint64 m_reading = 0;
  QLabel* m_problem;
  QScrollArea* m_area;
  QGridLayout* m_grid;
  QWidget* m_sourceCard;
  QWidget* m_classCard;
  QWidget* m_sampleCard;
  QWidget* m_tableCard;
  bool m_isNarrow = false;
  ClassCard* m_classes;
  TableCard* m_table;
  SampleCard* m_samples;
  // Declared last, so that its thread ends before the other members are destroyed.
  std::unique_ptr<LatestWorker<Request>> m_worker;
};

}  // namespace strata::ui
