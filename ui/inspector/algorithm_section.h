// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the algorithm and workspace of each op of the selected layer on the project's GPU, and lets
// the user choose one. It is hidden for other devices. Thread: GUI thread; another thread asks the
// libraries.
#pragma once

#include <QPointer>
#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "core/project/project.h"
#include "core/train/algorithms.h"
#include "ui/document/latest_worker.h"

class QGridLayout;
class QLabel;

namespace strata::ui {

class Document;

class AlgorithmSection : public QWidget {
  Q_OBJECT
 public:
  explicit AlgorithmSection(QWidget* parent);
  /// Shows the algorithms of a layer, "block/conv1". Null hides the section. Call it again after
  /// each change of the document.
  void show(Document* document, const QString& layer);

 private:
  struct Request {
    quint64 number = 0;
    Project project;
    std::string layer;
  };
  void accept(quint64 number, const std::vector<LayerAlgorithm>& algorithms,
              const QString& problem);
  void clear();
  void addPath(const LayerAlgorithm& algorithm);
  void addRow(const LayerAlgorithm& algorithm);

  QPointer<Document> m_document;
  QString m_layer;
  // The revision of the document that is shown or asked for
  quint64 m_revision = 0;
  // The number of the latest request; answers to others are dropped
  quint64 m_request = 0;
  QLabel* m_title;
  QLabel* m_note;
  QGridLayout* m_grid;
  QList<QWidget*> m_rows;
  // Declared last, so that its thread ends before the other members are destroyed.
  std::unique_ptr<LatestWorker<Request>> m_worker;
};

}  // namespace strata::ui
