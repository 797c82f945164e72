// SPDX-License-Identifier: GPL-3.0-or-later
// The finders of the Training tab: a range test for the learning rate, and the batch sizes with
// their time per sample and memory. A click applies a result as one undo step. A run that starts
// cancels a search. An edit of anything but the two values also removes its result. Not here: the
// searches (core/train/find_learning_rate.h, find_batch_size.h). Thread: GUI thread; the searches
// run on another thread.
#pragma once

#include <QPointer>
#include <QWidget>
#include <functional>
#include <memory>
#include <string>

#include "core/project/project.h"
#include "core/train/find_batch_size.h"
#include "core/train/find_learning_rate.h"
#include "ui/document/latest_worker.h"
#include "ui/workspace/page_context.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace strata::ui {

class CurveView;
class Document;

class FinderSection : public QWidget {
  Q_OBJECT
 public:
  FinderSection(const PageContext& context, QWidget* parent);
  ~FinderSection() override;
  /// Follows this document; null shows nothing.
  void setDocument(Document* document);

 private:
  enum class What { Rate, Batch };
  struct Request {
    quint64 number = 0;
    What what = What::Rate;
    Project project;
  };
  void begin(What what);
  void cancel();
  void end(const QString& note);
  void refresh();
  void find(const Request& request, const std::stop_token& stop);
  void post(quint64 number, const std::function<void()>& show);
  void showRates(const FoundRate& found);
  void addBatch(const TriedBatch& tried);
  void showBatches(const FoundBatch& found);
  void clearResults();

  PageContext m_context;
  QPointer<Document> m_document;
  // The project without the two values when the search began; empty without a search or result
  std::string m_searched;
  // The number of the latest search; results of others are dropped
  quint64 m_number = 0;
  bool m_isSearching = false;
  QPushButton *m_findRate, *m_findBatch, *m_cancel, *m_useRate;
  QLabel* m_note;
  CurveView* m_curve;
  QWidget* m_batches;
  QGridLayout* m_grid;
  // Declared last, so that its thread ends before the other members are destroyed.
  std::unique_ptr<LatestWorker<Request>> m_worker;
};

}  // namespace strata::ui
