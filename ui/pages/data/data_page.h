// SPDX-License-Identifier: GPL-3.0-or-later
// The Data page. It shows the data source, the split, samples as they enter the network, and class
// counts. Thread: GUI thread. A worker thread reads the data.
#pragma once

#include <QString>
#include <QWidget>
#include <memory>

#include "core/data/dataset.h"
#include "ui/document/latest_worker.h"
#include "ui/pages/sample_pictures.h"

class QGridLayout;
class QLabel;
class QListView;
class QStandardItemModel;
class QTableView;

namespace strata::ui {

class FieldForm;
class Document;
class Segments;

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
  // For each class, the numbers of training, validation and test samples.
  std::vector<std::array<int64_t, 3>> classCounts;
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
  void changeEvent(QEvent* event) override;

 private:
  struct Request {
    quint64 revision;
    Project project;
  };
  void layOut(bool isNarrow);
  QWidget* makeSourceCard();
  QWidget* makeClassCard();
  QWidget* makeSampleCard();
  /// Reads the data again if the data section of the project has changed.
  void request();
  void accept(const DataView& view);
  static QString balanceText(int64_t least, int64_t most);
  void fillClasses();
  QString withScaling(const QString& note) const;
  void fillSamples();

  Document& m_document;
  // The project's /data as text, at the time of the last request.
  std::string m_description;
  DataView m_view;
  FieldForm* m_form = nullptr;
  QLabel* m_summary;
  QLabel* m_problem;
  QGridLayout* m_grid;
  QWidget* m_sourceCard;
  QWidget* m_classCard;
  QWidget* m_sampleCard;
  bool m_isNarrow = false;
  QLabel* m_balance;
  QStandardItemModel* m_classes;
  QTableView* m_classTable;
  Segments* m_split;
  QLabel* m_sampleNote;
  QStandardItemModel* m_samples;
  QListView* m_sampleList;
  std::unique_ptr<SamplePictures> m_pictures;
  // Declared last, so that its thread ends before the other members are destroyed.
  std::unique_ptr<LatestWorker<Request>> m_worker;
};

}  // namespace strata::ui
