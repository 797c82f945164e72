// SPDX-License-Identifier: GPL-3.0-or-later
// The main window with top row, left pane, page, inspector, drawer, status row, menus and
// shortcuts. It creates and connects these parts, which do not depend on it. Thread: GUI thread.
#pragma once

#include <QMainWindow>
#include <QPointer>
#include <array>
#include <memory>
#include <thread>

#include "ui/pages/pages.h"
#include "ui/pages/train/train_page.h"
#include "ui/workspace/action_table.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/page_context.h"
#include "ui/workspace/recovery.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

class QMenu;
class QSplitter;
class QStackedWidget;

namespace strata::ui {

class CommandPalette;
class Drawer;
class FileDesk;
class LaunchDialog;
class Inspector;
class LanguageNotice;
class NetworkList;
class SidePane;
class StartPage;
class Theme;
class TopBar;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(Theme& theme, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens the projects that were open at the end, and the given one. Without a path, shows the
  /// last project, or otherwise the first example. If a file can't be opened, writes the
  /// error to the log. Also restores the unsaved changes of a window that was killed.
  void openAtStart(const QString& path);
  /// Shows a recording as a document of its own, and plays it.
  void showRecording(std::shared_ptr<const Recording> recording);
  Workspace& workspace() { return m_workspace; }
  Runs& runs() { return m_runs; }
  ActionTable& actionTable() { return m_actions; }
  void showPage(PageId page);
  PageId page() const { return m_page; }

 protected:
  void closeEvent(QCloseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// Commits the text of the focused field, for shortcuts that do not move the focus.
  static void commitField();
  void makeActions();
  void makeEditActions();
  void makeViewActions();
  void makeLanguageActions();
  void makeRunActions();
  void makeMenus();
  void makeFrame();
  void makeNotices();
  void addPage(PageId id, const QString& title, const Page& page);
  void onCurrentDocument(Document* document);
  void refreshActions();
  void refreshTrainActions();
  void refreshTrainToolTip();
  void refuseTraining(const QString& why);
  void refreshRecent();
  bool isReadyToTrain();
  void train(const QString& weightsFrom = {});
  void trainLater();
  bool showRefusedValue();
  void continueRun();
  void chooseCheckpoint();
  void openRecording(const QString& path);
  void reopen(const QStringList& files);
  void saveOpenFiles();
  void discardRestored(Document* document);
  void showBody(bool hasDocument);
  void showDrawer(bool shown, int tab);
  void nextPane();
  QWidget* leftContent() const;
  void foldForWidth();
  void layOutColumns();
  void savePageLayout();
  void restorePageLayout();
  void resetLayout();

  Theme& m_theme;
  Workspace m_workspace;
  Recovery m_recovery{m_workspace, this};
  Runs m_runs{m_workspace};
  Navigation m_navigation;
  ActionTable m_actions;
  PageContext m_context{m_workspace, m_runs, m_navigation};
  FileDesk* m_files;
  // Null before it was opened
  LaunchDialog* m_launch = nullptr;
  QPointer<Document> m_document;
  PageId m_page = PageId::Design;
  DesignView m_designView = DesignView::List;
  std::array<Page, kNumPages> m_pages{};

  TopBar* m_top = nullptr;
  QWidget* m_underTop = nullptr;
  // Holds the columns, or the start page while no project is open.
  QStackedWidget* m_body = nullptr;
  StartPage* m_start = nullptr;
  QSplitter* m_columns = nullptr;
  QSplitter* m_rows = nullptr;
  SidePane* m_left = nullptr;
  SidePane* m_right = nullptr;
  QStackedWidget* m_stack = nullptr;
  LanguageNotice* m_language = nullptr;
  NetworkList* m_network = nullptr;
  Inspector* m_inspector = nullptr;
  Drawer* m_drawer = nullptr;
  CommandPalette* m_palette = nullptr;
  QMenu* m_recentMenu = nullptr;
  bool m_isNarrow = false;
  bool m_isClosing = false;
  bool m_isReopening = false;
  // The last member, so that its thread ends first
  std::jthread m_recordingReader;
};

}  // namespace strata::ui
