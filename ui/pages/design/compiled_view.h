// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the graph of a training step after each pass. While the view is visible, a worker thread
// compiles the graph after each edit. Until the new graph is ready, the view shows the previous
// one. Disabling a pass edits the document. Thread: GUI thread.
#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <string>

#include "core/train/pass_trace.h"
#include "ui/document/latest_worker.h"
#include "ui/workspace/page_context.h"

class QItemSelection;
class QLabel;
class QLineEdit;
class QListView;
class QProgressBar;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QStringListModel;
class QTreeView;

namespace strata::ui {

class Document;
class NodeItemModel;
class PassItemModel;

class CompiledView : public QWidget {
  Q_OBJECT
 public:
  CompiledView(const PageContext& context, QWidget* parent);
  ~CompiledView() override;
  void setDocument(Document* document);
  /// Returns true if the graph belongs to the document's current revision.
  bool isCurrent() const;

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Request {
    quint64 ticket, revision;
    Project project;
  };
  QWidget* makeStatus();
  QWidget* makePasses();
  QWidget* makeNodes();
  void compile(const Request& request, const std::stop_token& stop);
  void onEdit();
  void schedule();
  void start();
  void cancel();
  void onProgress(quint64 ticket, int done, int total);
  void accept(quint64 ticket, quint64 revision, std::shared_ptr<const PassTrace> trace,
              const QString& why);
  void showResult(quint64 revision, std::shared_ptr<const PassTrace> trace, const QString& why);
  void showStatus(const QString& words, bool isBusy, bool offersRestart);
  void showStage(int row);
  void refreshDisabled();
  void switchPass(const QString& pass, bool isOn);
  void applyFilter();
  void fromNodes();
  void fromDocument();
  void layOutColumns();

  PageContext m_context;
  QPointer<Document> m_document;
  std::shared_ptr<const PassTrace> m_trace;
  // The revision of the graph on screen, or 0 if there is no graph.
  quint64 m_shown = 0;
  // The number of the latest request. Results of earlier requests are dropped. Revisions cannot
  // identify requests, because two documents may have the same revision.
  quint64 m_ticket = 0;
  bool m_isCancelled = false;
  bool m_isSyncing = false;
  QTimer m_debounce;

  PassItemModel* m_passes;
  NodeItemModel* m_nodes;
  QLabel* m_status = nullptr;
  QProgressBar* m_progress = nullptr;
  QPushButton* m_cancel = nullptr;
  QStackedWidget* m_pages = nullptr;
  QLabel* m_why = nullptr;
  QSplitter* m_sides = nullptr;
  QTreeView* m_passList = nullptr;
  QLabel* m_title = nullptr;
  QLabel* m_figures = nullptr;
  QPushButton* m_showDetails = nullptr;
  QListView* m_details = nullptr;
  QStringListModel* m_detailModel = nullptr;
  QLineEdit* m_find = nullptr;
  QPushButton* m_changesOnly = nullptr;
  QPushButton* m_selectedOnly = nullptr;
  QTreeView* m_nodeTable = nullptr;
  // Declared last, so that its thread ends before the other members are destroyed.
  std::unique_ptr<LatestWorker<Request>> m_worker;
};

}  // namespace strata::ui
