// SPDX-License-Identifier: GPL-3.0-or-later
// Creates the actions and menus of the window.
#include <QActionGroup>
#include <QApplication>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>

#include "ui/dialogs/file_desk.h"
#include "ui/dialogs/file_dialog.h"
#include "ui/dialogs/help_dialogs.h"
#include "ui/dialogs/launch_dialog.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/language.h"
#include "ui/main_window/command_palette.h"
#include "ui/main_window/drawer.h"
#include "ui/main_window/language_notice.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/problem_list.h"
#include "ui/main_window/side_pane.h"
#include "ui/main_window/top_bar.h"
#include "ui/theme/theme.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

void MainWindow::commitField() {
  auto* edit = qobject_cast<QLineEdit*>(QApplication::focusWidget());
  if (edit && edit->isModified()) Q_EMIT edit->editingFinished();
}

void MainWindow::makeActions() {
  const auto add = [this](const QString& name, const QString& title,
                          const QList<QKeySequence>& keys, auto slot,
                          const QString& iconName = {}) {
    QAction* action = m_actions.add(name, title, keys, iconName);
    connect(action, &QAction::triggered, this, slot);
    addAction(action);
    return action;
  };
  add(
      u"file.new"_s, tr("New project"), {QKeySequence::New}, [this] { m_files->newFromTemplate(); },
      u"add"_s);
  add(
      u"file.open"_s, tr("Open"), {QKeySequence::Open}, [this] { m_files->open(); }, u"open"_s);
  add(
      u"file.save"_s, tr("Save"), {QKeySequence::Save},
      [this] {
        commitField();
        m_files->save(m_document);
      },
      u"save"_s);
  add(u"file.saveAs"_s, tr("Save as"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, [this] {
    commitField();
    m_files->saveAs(m_document);
  });
  add(u"file.openRecording"_s, tr("Open a recording"), {},
      [this] { askForRecording(this, [this](const QString& path) { openRecording(path); }); });
  add(u"file.export"_s, tr("Export weights"), {QKeySequence(Qt::CTRL | Qt::Key_E)},
      [this] { m_navigation.trigger(u"results.export"_s); });
  add(u"file.close"_s, tr("Close the project"), {QKeySequence(Qt::CTRL | Qt::Key_W)},
      [this] { m_files->close(m_document); });
  add(u"file.quit"_s, tr("Quit"), {QKeySequence(Qt::CTRL | Qt::Key_Q)}, [this] { close(); });
  makeEditActions();
  makeViewActions();
  makeRunActions();
  add(u"help.shortcuts"_s, tr("Keyboard shortcuts"), {QKeySequence(Qt::Key_F1)},
      [this] { openShortcutsDialog(this, m_actions); });
  add(u"help.about"_s, tr("About Strata"), {}, [this] { openAboutDialog(this); });
}

void MainWindow::makeEditActions() {
  const auto add = [this](const QString& name, const QString& title,
                          const QList<QKeySequence>& keys, auto slot,
                          const QString& iconName = {}) {
    QAction* action = m_actions.add(name, title, keys, iconName);
    connect(action, &QAction::triggered, this, slot);
    addAction(action);
  };
  QUndoGroup* undo = m_workspace.undoGroup();
  add(
      u"edit.undo"_s, tr("Undo"), {QKeySequence::Undo}, [undo] { undo->undo(); }, u"undo"_s);
  add(
      u"edit.redo"_s, tr("Redo"),
      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
      [undo] { undo->redo(); }, u"redo"_s);
  QAction* undoAction = m_actions[u"edit.undo"_s];
  QAction* redoAction = m_actions[u"edit.redo"_s];
  undoAction->setEnabled(false);
  redoAction->setEnabled(false);
  connect(undo, &QUndoGroup::canUndoChanged, undoAction, &QAction::setEnabled);
  connect(undo, &QUndoGroup::canRedoChanged, redoAction, &QAction::setEnabled);
  connect(undo, &QUndoGroup::undoTextChanged, undoAction, [undoAction](const QString& what) {
    undoAction->setText(what.isEmpty() ? tr("Undo") : tr("Undo: %1").arg(what));
  });
  connect(undo, &QUndoGroup::redoTextChanged, redoAction, [redoAction](const QString& what) {
    redoAction->setText(what.isEmpty() ? tr("Redo") : tr("Redo: %1").arg(what));
  });

  // This action opens the palette and moves the focus to it.
  add(
      u"edit.add"_s, tr("Add a layer"), {QKeySequence(Qt::Key_Slash)},
      [this] {
        showPage(PageId::Design);
        m_navigation.showDesignAs(DesignView::List);
        m_left->setFolded(false);
        if (QWidget* pane = m_pages[static_cast<size_t>(PageId::Design)].leftPane)
          pane->setFocus(Qt::ShortcutFocusReason);
      },
      u"add"_s);
  add(
      u"edit.remove"_s, tr("Remove the selected layers"), {QKeySequence::Delete},
      [this] { submitRemove(*m_document, m_document->selectedLayers()); }, u"remove"_s);
  add(
      u"edit.duplicate"_s, tr("Duplicate the selected layers"),
      {QKeySequence(Qt::CTRL | Qt::Key_D)},
      [this] { submitDuplicate(*m_document, m_document->selectedLayers()); }, u"duplicate"_s);
  add(u"edit.rename"_s, tr("Rename the layer"), {QKeySequence(Qt::Key_F2)},
      [this] { Q_EMIT m_navigation.renameRequested(); });
  add(u"edit.up"_s, tr("Move the selected layers up"), {QKeySequence(Qt::ALT | Qt::Key_Up)},
      [this] { submitShift(*m_document, m_document->selectedLayers(), -1); });
  add(u"edit.down"_s, tr("Move the selected layers down"), {QKeySequence(Qt::ALT | Qt::Key_Down)},
      [this] { submitShift(*m_document, m_document->selectedLayers(), +1); });
  add(u"edit.group"_s, tr("Group the selected layers into a block"),
      {QKeySequence(Qt::CTRL | Qt::Key_G)},
      [this] { submitGroup(*m_document, m_document->selectedLayers()); });
  add(u"edit.ungroup"_s, tr("Ungroup the block"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G)},
      [this] { submitUngroup(*m_document, m_document->selectedLayers().value(0)); });
  // The list of layers handles these keys itself. In other widgets, they edit text.
  for (const QString& name : {u"edit.remove"_s, u"edit.up"_s, u"edit.down"_s})
    m_actions[name]->setShortcutContext(Qt::WidgetShortcut);
}

void MainWindow::makeViewActions() {
  const auto add = [this](const QString& name, const QString& title,
                          const QList<QKeySequence>& keys, auto slot) {
    QAction* action = m_actions.add(name, title, keys);
    connect(action, &QAction::triggered, this, slot);
    addAction(action);
    return action;
  };
  const QString titles[kNumPages] = {tr("Show Data"), tr("Show Design"), tr("Show Train"),
                                     tr("Show Results")};
  for (int i = 0; i < kNumPages; ++i) {
    const auto key = QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i));
    add(u"view.page%1"_s.arg(i + 1), titles[i], {key}, [this, i] {
      showPage(static_cast<PageId>(i));
    })->setVisible(false);
  }
  const std::tuple<QString, QString, DesignView> views[] = {
      {u"view.designList"_s, tr("Show the design as a list"), DesignView::List},
      {u"view.designCompiled"_s, tr("Show the compiled design"), DesignView::Compiled}};
  for (const auto& [name, title, view] : views) {
    add(name, title, {}, [this, view = view] {
      showPage(PageId::Design);
      m_navigation.showDesignAs(view);
    });
  }
  auto* themes = new QActionGroup(this);
  const std::pair<QString, QString> modes[] = {{u"view.themeSystem"_s, tr("System theme")},
                                               {u"view.themeLight"_s, tr("Light theme")},
                                               {u"view.themeDark"_s, tr("Dark theme")}};
  for (int i = 0; i < 3; ++i) {
    QAction* action = add(modes[i].first, modes[i].second, {},
                          [this, i] { m_theme.setMode(static_cast<Theme::Mode>(i)); });
    action->setCheckable(true);
    action->setChecked(static_cast<int>(m_theme.mode()) == i);
    themes->addAction(action);
  }
  makeLanguageActions();
  add(u"view.left"_s, tr("Collapse or expand the left pane"), {QKeySequence(Qt::CTRL | Qt::Key_B)},
      [this] { m_left->setFolded(!m_left->isFolded()); });
  add(u"view.right"_s, tr("Collapse or expand the inspector"), {QKeySequence(Qt::CTRL | Qt::Key_I)},
      [this] { m_right->setFolded(!m_right->isFolded()); });
  for (const int tab : {0, 1}) {
    add(tab == 0 ? u"view.problems"_s : u"view.log"_s, tab == 0 ? tr("Problems") : tr("Log"), {},
        [this, tab] {
          const bool isOpen = m_drawer->isVisible() && static_cast<int>(m_drawer->tab()) == tab;
          showDrawer(!isOpen, tab);
        })
        ->setCheckable(true);
  }
  add(u"view.nextProblem"_s, tr("Next problem"), {QKeySequence(Qt::Key_F8)}, [this] {
    showDrawer(true, 0);
    m_drawer->problems().goToNext();
  });
  add(u"view.memory"_s, tr("Memory of a training step"), {}, [this] { m_top->showMemory(); });
  add(u"view.nextPane"_s, tr("Next pane"), {QKeySequence(Qt::Key_F6)}, [this] { nextPane(); });
  add(u"view.commands"_s, tr("Find a command"), {QKeySequence(Qt::CTRL | Qt::Key_K)},
      [this] { m_palette->open(); });
  add(u"view.reset"_s, tr("Reset the layout"), {}, [this] { resetLayout(); });
}

void MainWindow::makeLanguageActions() {
  auto* languages = new QActionGroup(this);
  const std::optional<Language> chosen = chosenLanguage();
  const auto add = [&](const QString& name, const QString& title,
                       std::optional<Language> language) {
    QAction* action = m_actions.add(name, title);
    action->setCheckable(true);
    action->setChecked(chosen == language);
    connect(action, &QAction::triggered, this, [this, language] {
      chooseLanguage(language);
      m_language->refresh();
    });
    addAction(action);
    languages->addAction(action);
  };
  add(u"view.languageSystem"_s, tr("System language"), {});
  // Language names are not translated, so that speakers of each language can find theirs.
  add(u"view.languageEnglish"_s, u"English"_s, Language::English);
  add(u"view.languageChinese"_s, u"简体中文"_s, Language::Chinese);
}

void MainWindow::makeRunActions() {
  const auto add = [this](const QString& name, const QString& title, const QKeySequence& key,
                          auto slot, const QString& iconName) {
    QAction* action = m_actions.add(name, title, {key}, iconName);
    connect(action, &QAction::triggered, this, slot);
    addAction(action);
  };
  add(
      u"run.train"_s, tr("Train"), QKeySequence(Qt::Key_F5),
      [this] {
        commitField();
        train();
      },
      u"play"_s);
  add(u"run.later"_s, tr("Train later"), {},
      [this] {
        commitField();
        trainLater();
      },
      {});
  m_actions[u"run.later"_s]->setToolTip(
      tr("Queue a run of the present design, which starts when the active run has ended"));
  add(
      u"run.continue"_s, tr("Continue"), QKeySequence(Qt::CTRL | Qt::Key_F5),
      [this] { continueRun(); }, u"play"_s);
  add(u"run.checkpoint"_s, tr("Continue from a checkpoint"), {}, [this] { chooseCheckpoint(); },
      {});
  add(
      u"run.keep"_s, tr("New run from the last weights"),
      QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F5),
      [this] {
        commitField();
        if (m_document && m_actions[u"run.keep"_s]->isVisible())
          train(text(m_runs.of(m_document).shown().weightsFile));
      },
      u"play"_s);
  add(
      u"run.pause"_s, tr("Pause"), QKeySequence(Qt::Key_F6),
      [this] {
        RunController* run = m_runs.active();
        if (!run) return;
        const bool isPaused = run->state() == RunState::Paused || run->state() == RunState::Pausing;
        isPaused ? run->resume() : run->pause();
      },
      u"pause"_s);
  add(
      u"run.step"_s, tr("Step"), QKeySequence(Qt::Key_F10),
      [this] {
        if (RunController* run = m_runs.active()) run->step();
      },
      u"step"_s);
  add(
      u"run.stop"_s, tr("Stop"), QKeySequence(Qt::SHIFT | Qt::Key_F5),
      [this] {
        if (RunController* run = m_runs.active()) run->stop();
      },
      u"stop"_s);
  add(u"run.launch"_s, tr("Train in several processes"), {},
      [this] {
        commitField();
        if (!m_launch) m_launch = new LaunchDialog(*m_files, this);
        m_launch->openFor(m_document);
      },
      {});
}

void MainWindow::makeMenus() {
  const auto fill = [this](QMenu* menu, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (*name == '-') {
        menu->addSeparator();
      }
      else {
        menu->addAction(m_actions[QString::fromLatin1(name)]);
      }
    }
  };
  QMenu* file = menuBar()->addMenu(tr("&File"));
  fill(file, {"file.new", "file.open"});
  m_recentMenu = file->addMenu(tr("Open recent"));
  fill(file, {"file.openRecording"});
  fill(file, {"-", "file.save", "file.saveAs", "file.export", "-", "file.close", "file.quit"});
  fill(menuBar()->addMenu(tr("&Edit")),
       {"edit.undo", "edit.redo", "-", "edit.add", "edit.duplicate", "edit.rename", "edit.remove",
        "-", "edit.up", "edit.down", "-", "edit.group", "edit.ungroup"});
  QMenu* view = menuBar()->addMenu(tr("&View"));
  fill(view, {"view.page1", "view.page2", "view.page3", "view.page4", "-", "view.designList",
              "view.designCompiled", "-", "view.problems", "view.log", "view.nextProblem",
              "view.memory", "-", "view.left", "view.right", "view.nextPane", "view.reset", "-"});
  fill(view->addMenu(tr("Theme")), {"view.themeSystem", "view.themeLight", "view.themeDark"});
  fill(view->addMenu(tr("Language")),
       {"view.languageSystem", "view.languageEnglish", "view.languageChinese"});
  fill(view, {"-", "view.commands"});
  fill(menuBar()->addMenu(tr("&Run")),
       {"run.train", "run.later", "run.continue", "run.checkpoint", "run.keep", "run.pause",
        "run.step", "run.stop", "-", "run.launch"});
  fill(menuBar()->addMenu(tr("&Help")), {"help.shortcuts", "help.about"});
}

void MainWindow::refreshRecent() {
  m_recentMenu->clear();
  const QStringList files = m_workspace.recentFiles();
  for (const QString& file : files) {
    QAction* action = m_recentMenu->addAction(
        tr("%1  (%2)").arg(QFileInfo(file).fileName(), QFileInfo(file).path()));
    connect(action, &QAction::triggered, this, [this, file] { m_files->openPath(file); });
  }
  if (!files.isEmpty()) {
    m_recentMenu->addSeparator();
    connect(m_recentMenu->addAction(tr("Clear the list")), &QAction::triggered, &m_workspace,
            &Workspace::clearRecentFiles);
  }
  m_recentMenu->setEnabled(!files.isEmpty());
}

}  // namespace strata::ui
