// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "core/project/resources.h"
#include "ui/column_widths.h"
#include "ui/dialogs/file_desk.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/full_text_tips.h"
#include "ui/inspector/inspector.h"
#include "ui/layout_boundary.h"
#include "ui/main_window/command_palette.h"
#include "ui/main_window/drawer.h"
#include "ui/main_window/language_notice.h"
#include "ui/main_window/network_list.h"
#include "ui/main_window/notice_place.h"
#include "ui/main_window/problem_list.h"
#include "ui/main_window/restored_notice.h"
#include "ui/main_window/run_notice.h"
#include "ui/main_window/side_pane.h"
#include "ui/main_window/status_row.h"
#include "ui/main_window/top_bar.h"
#include "ui/pages/start/start_page.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_sheet.h"
#include "ui/theme/theme.h"
#include "ui/workspace/per_document.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize kFirstSize(1440, 900), kSmallestSize(1100, 680);
constexpr int kMinLeftWidth = 200, kLeftWidth = 216, kRightWidth = 312, kNarrowRightWidth = 292,
              kDrawerHeight = 170;
// In a narrower window, the left pane folds automatically.
constexpr int kNarrow = 1280;
constexpr QLatin1String kOpenKey("files/open");

QFrame* rule(QWidget* parent) {
  auto* line = new QFrame(parent);
  setRole(line, "line");
  line->setFixedHeight(1);
  return line;
}

QString pageKey(PageId page, const char* what) {
  static constexpr const char* kNames[] = {"data", "design", "train", "results"};
  return u"layout/%1/%2"_s.arg(QLatin1String(kNames[static_cast<int>(page)]), QLatin1String(what));
}

}  // namespace

MainWindow::MainWindow(Theme& theme, QWidget* parent)
    : QMainWindow(parent), m_theme(theme), m_files(new FileDesk(m_context, this)) {
  setWindowIcon(QIcon(u":/icons/strata.svg"_s));
  // The space that the frame of the window manager needs.
  constexpr QSize kFrame(16, 48);
  const QSize room = screen()->availableSize() - kFrame;
  setMinimumSize(kSmallestSize.boundedTo(room));
  makeActions();
  makeFrame();
  makeMenus();
  makeNotices();
  new FullTextTips(this);

  connect(&m_workspace, &Workspace::currentChanged, this, &MainWindow::onCurrentDocument);
  connect(&m_workspace, &Workspace::documentsChanged, this, &MainWindow::refreshActions);
  connect(&m_workspace, &Workspace::documentsChanged, this, &MainWindow::saveOpenFiles);
  connect(&m_workspace, &Workspace::recentChanged, this, &MainWindow::refreshRecent);
  connect(&m_workspace, &Workspace::logged, m_drawer, &Drawer::log);
  connect(&m_recovery, &Recovery::logged, m_drawer, &Drawer::log);
  connect(&m_runs, &Runs::logged, m_drawer, &Drawer::log);
  connect(&m_runs, &Runs::stateChanged, this, &MainWindow::refreshActions);
  connect(new RunNotice(m_runs, *this), &RunNotice::raised, this, [this](Document* document) {
    if (document) m_workspace.setCurrent(document);
    showPage(PageId::Train);
  });
  connect(&m_navigation, &Navigation::logged, m_drawer, &Drawer::log);
  connect(&m_navigation, &Navigation::pageRequested, this, &MainWindow::showPage);
  connect(&m_navigation, &Navigation::designViewChanged, this, [this](DesignView view) {
    m_designView = view;
    m_left->showContent(leftContent());
  });
  connect(&m_navigation, &Navigation::actionRequested, this, [this](const QString& name) {
    // Pages handle some names themselves, and the window has no actions for these names.
    if (QAction* action = m_actions.find(name)) action->trigger();
  });
  connect(&m_navigation, &Navigation::trainRequested, this, &MainWindow::train);
  connect(&m_navigation, &Navigation::fieldRequested, this, [this] { m_right->setFolded(false); });
  connect(&m_navigation, &Navigation::layerRequested, this, [this](const QString& layer) {
    if (m_document && m_document->layers().indexOf(layer) >= 0) m_document->setSelection({layer});
    showPage(PageId::Design);
  });

  QSettings settings;
  resize(kFirstSize.boundedTo(room));
  if (const QByteArray geometry = settings.value("window/geometry"_L1).toByteArray();
      !geometry.isEmpty())
    restoreGeometry(geometry);
  const int page = settings.value("window/page"_L1, static_cast<int>(PageId::Design)).toInt();
  m_page = PageId::Design;
  showPage(page >= 0 && page < kNumPages && m_pages[static_cast<size_t>(page)].view
               ? static_cast<PageId>(page)
               : PageId::Design);
  restorePageLayout();
  foldForWidth();
  showBody(false);
  refreshRecent();
  refreshActions();
}

// The views must be destroyed before the documents and runs that they show.
MainWindow::~MainWindow() {
  for (QObject* sender : {static_cast<QObject*>(&m_workspace), static_cast<QObject*>(&m_recovery),
                          static_cast<QObject*>(&m_runs), static_cast<QObject*>(&m_navigation)})
    sender->disconnect(this);
  if (m_document) m_document->disconnect(this);
  delete takeCentralWidget();
}

void MainWindow::makeFrame() {
  auto* central = new QWidget(this);
  auto* column = new QVBoxLayout(central);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_top = new TopBar(m_context, m_actions, central);
  column->addWidget(m_top);
  m_underTop = rule(central);
  column->addWidget(m_underTop);
  m_left = new SidePane(tr("Layers"), kMinLeftWidth, kLeftWidth, central);
  m_network = new NetworkList(m_context, m_left);
  m_left->addContent(m_network);
  m_stack = new QStackedWidget(central);
  m_stack->setMinimumWidth(480);
  m_inspector = new Inspector(m_context, central);
  m_right = new SidePane(tr("Inspector"), kNarrowRightWidth, kRightWidth, central);
  m_right->addContent(m_inspector);

  m_columns = new QSplitter(Qt::Horizontal, central);
  m_columns->setHandleWidth(1);
  m_columns->setChildrenCollapsible(false);
  m_columns->addWidget(m_left);
  m_columns->addWidget(m_stack);
  m_columns->addWidget(m_right);
  m_columns->setStretchFactor(1, 1);

  for (SidePane* pane : {m_left, m_right})
    connect(pane, &SidePane::foldedChanged, this, &MainWindow::layOutColumns);
  m_drawer = new Drawer(m_context, central);
  m_rows = new QSplitter(Qt::Vertical, central);
  m_rows->setHandleWidth(1);
  m_rows->setChildrenCollapsible(false);
  m_body = new QStackedWidget(central);
  m_start = new StartPage(m_context, *m_files, m_body);
  m_body->addWidget(m_columns);
  m_body->addWidget(m_start);
  m_rows->addWidget(m_body);
  m_rows->addWidget(m_drawer);
  m_rows->setStretchFactor(0, 1);
  m_drawer->hide();
  column->addWidget(m_rows, 1);
  column->addWidget(rule(central));
  column->addWidget(new StatusRow(m_context, m_actions, central));
  setCentralWidget(central);

  addPage(PageId::Data, tr("Data"), makeDataPage(m_context));
  addPage(PageId::Design, tr("Design"), makeDesignPage(m_context));
  addPage(PageId::Train, tr("Train"), makeTrainPage(m_context));
  addPage(PageId::Results, tr("Results"), makeResultsPage(m_context));

  m_palette = new CommandPalette(m_actions, this);
  connect(m_top, &TopBar::pageChosen, this, &MainWindow::showPage);
  connect(m_top, &TopBar::closeRequested, m_files, &FileDesk::close);
  connect(m_drawer, &Drawer::closeRequested, this, [this] { showDrawer(false, 0); });
  connect(m_drawer, &Drawer::tabChosen, this,
          [this](Drawer::Tab tab) { showDrawer(true, static_cast<int>(tab)); });
}

void MainWindow::makeNotices() {
  auto* place = new NoticePlace(menuBar());
  m_language = new LanguageNotice(place);
  place->add(m_language);
  auto* restored = new RestoredNotice(m_workspace, m_recovery, place);
  place->add(restored);
  connect(restored, &RestoredNotice::discardRequested, this, &MainWindow::discardRestored);
}

void MainWindow::addPage(PageId id, const QString& title, const Page& page) {
  auto* view = new LayoutBoundary(page.view, m_stack);
  m_pages[static_cast<size_t>(id)] = {view, page.leftPane};
  m_stack->addWidget(view);
  if (page.leftPane) m_left->addContent(page.leftPane);
  m_top->addPage(id, title);
  m_actions[u"view.page%1"_s.arg(static_cast<int>(id) + 1)]->setVisible(true);
}

void MainWindow::showPage(PageId page) {
  const Page& next = m_pages[static_cast<size_t>(page)];
  if (!next.view) return;
  if (page != m_page) {
    savePageLayout();
    m_page = page;
    restorePageLayout();
  }
  const QWidget* focus = QApplication::focusWidget();
  const bool movesFocus = !focus || m_stack->isAncestorOf(focus) || m_left->isAncestorOf(focus);
  m_stack->setCurrentWidget(next.view);
  m_left->showContent(leftContent());
  m_top->setPage(page);
  if (movesFocus) next.view->setFocus();
  QSettings().setValue("window/page"_L1, static_cast<int>(page));
  refreshActions();
}

QWidget* MainWindow::leftContent() const {
  QWidget* own = m_pages[static_cast<size_t>(m_page)].leftPane;
  const bool isGraph = m_page == PageId::Design && m_designView == DesignView::Compiled;
  return own && !isGraph ? own : static_cast<QWidget*>(m_network);
}

void MainWindow::openAtStart(const QString& path) {
  const auto attempt = [this](const QString& file) {
    const Result<Document*> opened = m_workspace.open(file);
    if (!opened) m_files->showOpenFailure(opened.error());
    return opened.has_value();
  };
  const QString last = QSettings().value("files/last"_L1).toString();
  const QStringList open = QSettings().value(kOpenKey).toStringList();
  m_isReopening = true;
  m_recovery.restore();
  reopen(open);
  m_isReopening = false;
  saveOpenFiles();
  if (!path.isEmpty() && attempt(path)) return;
  if (path.isEmpty() && !last.isEmpty() && QFileInfo::exists(last)) attempt(last);
  if (!m_recovery.restored().empty())
    m_workspace.setCurrent(m_recovery.restored().front().document);
  if (m_workspace.count() > 0) return;
  try {
    attempt(text(resourcePath("projects/mnist-cnn.json")));
  }
  catch (const Error& error) {
    m_drawer->log(text(error.line()));
  }
}

/// Opens the projects that were open when the window was last closed.
void MainWindow::reopen(const QStringList& files) {
  for (const QString& file : files) {
    const Result<Document*> opened = m_workspace.reopen(file);
    if (!opened) m_drawer->log(text(opened.error().line()));
  }
}

/// Stores which projects are open, so that they return even if the window is killed.
void MainWindow::saveOpenFiles() {
  // A window that is killed while it reopens them must not forget the rest.
  if (m_isReopening) return;
  QStringList files;
  for (int i = 0; i < m_workspace.count(); ++i)
    if (const QString file = m_workspace.document(i)->path(); !file.isEmpty()) files << file;
  if (files != QSettings().value(kOpenKey).toStringList()) QSettings().setValue(kOpenKey, files);
}

void MainWindow::onCurrentDocument(Document* document) {
  if (m_document) m_document->disconnect(this);
  m_document = document;
  if (document) {
    connect(document, &Document::selectionChanged, this, &MainWindow::refreshActions);
    connect(document, &Document::inspectionChanged, this, &MainWindow::refreshActions);
    connect(document, &Document::savedChanged, this, &MainWindow::refreshActions);
    if (!document->path().isEmpty() && !m_isReopening)
      QSettings().setValue("files/last"_L1, document->path());
  }
  showBody(document != nullptr);
  refreshActions();
}

void MainWindow::showBody(bool hasDocument) {
  m_top->setVisible(hasDocument);
  m_underTop->setVisible(hasDocument);
  QWidget* next = hasDocument ? static_cast<QWidget*>(m_columns) : m_start;
  if (m_body->currentWidget() == next) return;
  m_body->setCurrentWidget(next);
  (hasDocument ? m_stack->currentWidget() : m_start)->setFocus();
}

void MainWindow::refreshActions() {
  const bool hasDocument = m_document,
             hasSelection = m_document && !m_document->selection().isEmpty();
  const bool isDesign = m_page == PageId::Design, isActive = m_runs.isActive();
  for (const QString& name :
       {u"file.save"_s, u"file.saveAs"_s, u"file.export"_s, u"file.close"_s, u"edit.add"_s,
        u"view.memory"_s, u"view.page1"_s, u"view.page2"_s, u"view.page3"_s, u"view.page4"_s,
        u"view.designList"_s, u"view.designCompiled"_s, u"view.left"_s, u"view.right"_s,
        u"run.launch"_s})
    m_actions[name]->setEnabled(hasDocument);
  for (const QString& name : {u"edit.remove"_s, u"edit.duplicate"_s, u"edit.rename"_s, u"edit.up"_s,
                              u"edit.down"_s, u"edit.group"_s})
    m_actions[name]->setEnabled(hasSelection && isDesign);
  const int selected =
      m_document ? m_document->layers().indexOf(m_document->selectedLayers().value(0)) : -1;
  m_actions[u"edit.ungroup"_s]->setEnabled(isDesign && selected >= 0 &&
                                           m_document->layers()[selected].type == u"Block"_s);
  m_actions[u"view.nextProblem"_s]->setEnabled(
      m_document && !m_document->checks().inspection().diagnostics.empty());
  const RunController* run = m_runs.active();
  const bool isStopping = run && run->state() == RunState::Stopping;
  const bool isPaused =
      run && (run->state() == RunState::Paused || run->state() == RunState::Pausing);
  m_actions[u"run.train"_s]->setEnabled(hasDocument && !isActive);
  m_actions[u"run.pause"_s]->setEnabled(isActive && !isStopping);
  m_actions[u"run.pause"_s]->setText(isPaused ? tr("Resume") : tr("Pause"));
  m_actions[u"run.step"_s]->setEnabled(isActive && !isStopping);
  m_actions[u"run.stop"_s]->setEnabled(isActive && !isStopping);
  // F6 pauses an active run and otherwise moves to the next pane. Ctrl+F6 always moves to it.
  const QKeySequence f6(Qt::Key_F6), ctrlF6(Qt::CTRL | Qt::Key_F6);
  m_actions[u"view.nextPane"_s]->setShortcuts(isActive ? QList<QKeySequence>{ctrlF6}
                                                       : QList<QKeySequence>{f6, ctrlF6});
  refreshTrainActions();
  setWindowTitle(m_document ? tr("%1[*] - Strata").arg(m_document->name()) : tr("Strata"));
  setWindowModified(m_document && m_document->isModified());
}

void MainWindow::discardRestored(Document* document) {
  if (m_recovery.discard(document)) return;
  if (m_runs.activeDocument() == document) {
    // This call asks the user whether to stop the run.
    m_files->close(document);
  }
  else {
    m_workspace.close(document);
  }
}

void MainWindow::showDrawer(bool shown, int tab) {
  m_drawer->setVisible(shown);
  if (shown) {
    m_drawer->showTab(static_cast<Drawer::Tab>(tab));
    const QList<int> sizes = m_rows->sizes();
    if (sizes.value(1) < 60) m_rows->setSizes({m_rows->height() - kDrawerHeight, kDrawerHeight});
  }
  m_actions[u"view.problems"_s]->setChecked(shown && tab == 0);
  m_actions[u"view.log"_s]->setChecked(shown && tab == 1);
}

void MainWindow::nextPane() {
  QList<QWidget*> panes;
  if (m_document) {
    if (!m_left->isFolded()) panes << m_left->content();
    panes << m_stack->currentWidget();
    if (!m_right->isFolded()) panes << m_inspector;
    panes << m_top;
  }
  else {
    panes << m_start;
  }
  if (m_drawer->isVisible()) panes.insert(m_document ? panes.size() - 1 : 1, m_drawer);
  const QWidget* focus = QApplication::focusWidget();
  qsizetype here = -1;
  for (qsizetype i = 0; i < panes.size(); ++i) {
    if (focus && (panes[i] == focus || panes[i]->isAncestorOf(focus))) here = i;
  }
  for (qsizetype by = 1; by <= panes.size(); ++by) {
    QWidget* pane = panes[(here + by) % panes.size()];
    for (QWidget* widget : pane->findChildren<QWidget*>()) {
      if (!widget->isVisibleTo(this) || !widget->isEnabled() ||
          !(widget->focusPolicy() & Qt::TabFocus))
        continue;
      widget->setFocus(Qt::TabFocusReason);
      return;
    }
  }
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  foldForWidth();
}

/// Folds or opens the left pane only when the width crosses the limit. Otherwise, the user's choice
/// stays.
void MainWindow::foldForWidth() {
  const bool isNarrow = width() < kNarrow;
  if (isNarrow == m_isNarrow || !m_left) return;
  m_isNarrow = isNarrow;
  m_left->setFolded(isNarrow);
  if (isNarrow) {
    layOutColumns();
  }
  else {
    restorePageLayout();
  }
}

/// Gives the width of folded panes to the page. An opened pane gets its width back.
void MainWindow::layOutColumns() {
  const int left = m_left->isFolded() ? SidePane::kStripWidth : kLeftWidth,
            open = m_isNarrow ? kNarrowRightWidth : kRightWidth,
            right = m_right->isFolded() ? SidePane::kStripWidth : open;
  m_columns->setSizes({left, std::max(480, width() - left - right), right});
}

void MainWindow::savePageLayout() {
  // A narrow window forces this layout, so the user did not choose it.
  if (m_isNarrow) return;
  QSettings settings;
  settings.setValue(pageKey(m_page, "columns"), m_columns->saveState());
  settings.setValue(pageKey(m_page, "leftFolded"), m_left->isFolded());
  settings.setValue(pageKey(m_page, "rightFolded"), m_right->isFolded());
}

void MainWindow::restorePageLayout() {
  if (m_isNarrow) return;
  const QSettings settings;
  m_left->setFolded(settings.value(pageKey(m_page, "leftFolded"), false).toBool());
  m_right->setFolded(settings.value(pageKey(m_page, "rightFolded"), false).toBool());
  const QByteArray columns = settings.value(pageKey(m_page, "columns")).toByteArray();
  if (columns.isEmpty() || !m_columns->restoreState(columns)) layOutColumns();
}

void MainWindow::resetLayout() {
  QSettings().remove("layout"_L1);
  for (auto* widths : findChildren<ColumnWidths*>())
    widths->reset();
  m_isNarrow = false;
  showDrawer(false, 0);
  restorePageLayout();
  foldForWidth();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!m_isClosing) commitField();
  QSettings settings;
  settings.setValue("window/geometry"_L1, saveGeometry());
  savePageLayout();
  if (m_document && !m_document->path().isEmpty())
    settings.setValue("files/last"_L1, m_document->path());
  if (m_isClosing) {
    event->accept();
    return;
  }
  event->ignore();
  m_files->closeAll([this] {
    m_isClosing = true;
    // Qt ignores close() within closeEvent().
    QMetaObject::invokeMethod(this, &QWidget::close, Qt::QueuedConnection);
  });
}

}  // namespace strata::ui
