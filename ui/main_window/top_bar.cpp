// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/top_bar.h"

#include <QActionGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScreen>
#include <QSignalBlocker>
#include <QTabBar>
#include <algorithm>
#include <map>

#include "core/cost/simulated_card.h"
#include "core/recipe/options.h"
#include "gpu/devices/devices.h"
#include "ui/device_text.h"
#include "ui/dialogs/memory_panel.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/main_window/chip.h"
#include "ui/main_window/project_tabs.h"
#include "ui/main_window/train_button.h"
#include "ui/segments.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/action_table.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

// In a narrower window, the chips use shorter texts.
constexpr int kShortWidth = 1240;

std::vector<DeviceInfo> readDevices() {
  try {
    return listDevices();
  }
  catch (const Error&) {
    return {};
  }
}

}  // namespace

TopBar::TopBar(const PageContext& context, ActionTable& actions, QWidget* parent)
    : QWidget(parent), m_context(context), m_actions(actions), m_devices(readDevices()) {
  setRole(this, "bar");
  auto* row = m_row = new QHBoxLayout(this);
  row->setContentsMargins(12, 8, 12, 8);
  row->setSpacing(10);

  m_name = new QLabel(this);
  setRole(m_name, "section");
  m_name->setMinimumWidth(40);
  m_name->setMaximumWidth(260);
  row->addWidget(m_name);
  m_tabs = new ProjectTabs(this);
  m_tabs->setAccessibleName(tr("Open projects"));
  m_tabs->hide();
  row->addWidget(m_tabs);

  m_pages = new Segments(this);
  row->addSpacing(8);
  row->addWidget(m_pages);
  row->addStretch(1);

  m_device = new Chip(this);
  m_device->setAccessibleDescription(tr("Choose the compute device"));
  row->addWidget(m_device);
  m_memory = new Chip(this);
  m_memoryText = static_cast<Chip*>(m_memory)->label();
  row->addWidget(m_memory);
  row->addSpacing(2);
  m_train = new TrainButton(
      {m_actions[u"run.continue"_s], m_actions[u"run.keep"_s], m_actions[u"run.train"_s]}, this);
  row->addWidget(m_train);
  addRunButton(m_pause, "run.pause", "plain");
  addRunButton(m_step, "run.step", "plain");
  addRunButton(m_stop, "run.stop", "plain");

  connect(m_pages, &Segments::chosen, this,
          [this](int id) { Q_EMIT pageChosen(static_cast<PageId>(id)); });
  connect(m_device, &QPushButton::clicked, this, &TopBar::showDeviceMenu);
  connect(m_memory, &QPushButton::clicked, this, &TopBar::showMemory);
  connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
    if (index >= 0 && index < m_context.workspace.count())
      m_context.workspace.setCurrent(m_context.workspace.document(index));
  });
  connect(m_tabs, &QTabBar::tabCloseRequested, this,
          [this](int index) { Q_EMIT closeRequested(m_context.workspace.document(index)); });

  Workspace& workspace = m_context.workspace;
  connect(&workspace, &Workspace::documentsChanged, this, &TopBar::refreshDocuments);
  connect(&workspace, &Workspace::currentChanged, this, [this](Document* document) {
    if (m_document) m_document->disconnect(this);
    m_document = document;
    if (document) {
      connect(document, &Document::changed, this, &TopBar::refreshChips);
      connect(document, &Document::estimateChanged, this, &TopBar::refreshChips);
    }
    refreshDocuments();
    refreshChips();
  });
  connect(&m_context.runs, &Runs::stateChanged, this, &TopBar::refreshRun);
  refreshRun();
}

void TopBar::addRunButton(QPushButton*& button, const char* name, const char* role) {
  QAction* action = m_actions[QString::fromLatin1(name)];
  button = new QPushButton(action->text(), this);
  setRole(button, role);
  const auto sync = [button, action] {
    button->setText(action->text());
    button->setEnabled(action->isEnabled());
    button->setAccessibleName(action->text());
    const QString key = action->shortcut().toString(QKeySequence::NativeText);
    button->setToolTip(action->toolTip().isEmpty() || action->toolTip() == action->text()
                           ? tr("%1 (%2)").arg(action->text(), key)
                           : action->toolTip());
  };
  sync();
  connect(action, &QAction::changed, button, sync);
  connect(button, &QPushButton::clicked, action, &QAction::trigger);
  layout()->addWidget(button);
}

void TopBar::addPage(PageId page, const QString& title) {
  m_pages->add(static_cast<int>(page), title);
}
void TopBar::setPage(PageId page) { m_pages->setCurrent(static_cast<int>(page)); }

void TopBar::refreshDocuments() {
  const Workspace& workspace = m_context.workspace;
  const bool hasTabs = workspace.count() >= 2;
  m_name->setVisible(!hasTabs);
  m_tabs->setVisible(hasTabs);
  const auto title = [](const Document* document) {
    return document->isModified() ? tr("%1 *").arg(document->name()) : document->name();
  };
  const auto toolTip = [](const Document* document) {
    return document->path().isEmpty() ? tr("%1, not saved yet").arg(document->name())
                                      : tr("%1\n%2").arg(document->name(), document->path());
  };
  if (m_document) {
    m_name->setText(m_name->fontMetrics().elidedText(title(m_document), Qt::ElideRight,
                                                     m_name->maximumWidth()));
    m_name->setToolTip(toolTip(m_document));
  }
  else {
    m_name->clear();
  }
  const QSignalBlocker blocker(m_tabs);
  while (m_tabs->count() > workspace.count())
    m_tabs->removeTab(m_tabs->count() - 1);
  for (int i = 0; i < workspace.count(); ++i) {
    if (i >= m_tabs->count()) m_tabs->addTab({});
    m_tabs->setTabText(i, title(workspace.document(i)));
    m_tabs->setTabToolTip(i, toolTip(workspace.document(i)));
  }
  m_tabs->setCurrentIndex(workspace.currentIndex());
  fitTabs();
}

QString TopBar::deviceText() const {
  const std::string wanted = m_document ? m_document->checked().execution().device : "auto";
  for (const DeviceInfo& device : m_devices) {
    const bool isChosen = resolvedDeviceName(wanted) == device.name;
    if (!isChosen) continue;
    if (device.gpu) return text(device.title);
    if (!device.isUsable) return tr("%1, not usable").arg(text(device.name));
    if (device.name == "cpu") return tr("CPU, %n core(s)", nullptr, device.threads);
    return tr("%1, %n thread(s)", nullptr, device.threads).arg(text(device.name));
  }
  return deviceTitle(wanted);
}

void TopBar::refreshChips() {
  m_device->setVisible(m_document);
  m_memory->setVisible(m_document);
  if (!m_document) return;
  const Colors& colors = colorsOf(this);
  auto* device = static_cast<Chip*>(m_device);
  // In a narrow window the project name needs the space. The tooltip and the menu have the full
  // text.
  const bool isShort = window()->width() < kShortWidth;
  // The label of a simulated card stays complete, so that nobody takes it for a real one.
  const bool isSimulated = isSimulatedName(m_document->checked().execution().device);
  device->label()->setText(isShort && !isSimulated ? deviceText().section(u',', 0, 0)
                                                   : deviceText());
  const std::string name = resolvedDeviceName(m_document->checked().execution().device);
  const auto own =
      std::ranges::find_if(m_devices, [&](const DeviceInfo& each) { return each.name == name; });
  const bool isMissing = own != m_devices.end() && !own->isUsable;
  const QColor dot = isSimulated ? colors.faint : colors.good;
  device->setDot(isMissing ? colors.warning : dot);
  QString why = isSimulated ? tr("The results are true, the times are predicted") : QString();
  if (isMissing) why = text(own->reason);
  device->setToolTip(why);
  device->setAccessibleName(tr("Device: %1").arg(deviceText()));
  device->fit();

  const Estimate& estimate = m_document->checks().estimate();
  auto* memory = static_cast<Chip*>(m_memory);
  QString words, spoken;
  if (!estimate.hasMemory) {
    words = tr("Memory unknown");
    spoken = words;
    memory->setToolTip(estimate.whyNoMemory);
  }
  else {
    const QString need = formatBytes(estimate.peakBytes), limit = formatBytes(estimate.limitBytes);
    const bool isNarrow = window()->width() < kShortWidth;
    if (estimate.fits) {
      words = isNarrow ? tr("%1, fits").arg(italic(need))
                       : tr("Memory %1 of %2, fits").arg(italic(need), limit);
      spoken = tr("Memory: %1 of %2, fits").arg(need, limit);
    }
    else {
      words = isNarrow ? tr("%1, too large").arg(italic(need))
                       : tr("Memory %1, more than %2").arg(italic(need), limit);
      spoken = tr("Memory: %1, more than %2").arg(need, limit);
    }
    memory->setToolTip(tr("Predicted peak memory of a training step. Click for the breakdown."));
  }
  memory->label()->setText(words);
  memory->setDot(estimate.hasMemory && !estimate.fits ? colors.problem : QColor());
  memory->setAccessibleName(spoken);
  memory->fit();
  fitTabs();
}

/// Gives the tabs the remaining width of the row.
void TopBar::fitTabs() {
  // In a crowded row, the buttons that need an active run are hidden. The menu still has them.
  const bool isCrowded = m_context.workspace.count() >= 2 && window()->width() < kShortWidth &&
                         !m_context.runs.isActive();
  for (QPushButton* button : {m_pause, m_step, m_stop}) {
    if (button) button->setVisible(!isCrowded);
  }
  const QMargins margins = m_row->contentsMargins();
  int taken = margins.left() + margins.right();
  for (int i = 0; i < m_row->count(); ++i) {
    const QLayoutItem* item = m_row->itemAt(i);
    if (item->widget() == m_tabs || item->isEmpty()) continue;
    taken += (item->widget() ? std::max(item->sizeHint().width(), item->widget()->minimumWidth())
                             : item->sizeHint().width()) +
             m_row->spacing();
  }
  m_tabs->setRoom(width() - taken - m_row->spacing());
}

void TopBar::refreshRun() {
  const bool isActive = m_context.runs.isActive();
  m_train->setVisible(!isActive);
  refreshChips();
}

/// A new text in the row changes the width that is left for the tabs.
bool TopBar::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) fitTabs();
  return QWidget::event(event);
}

void TopBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  refreshChips();
}

void TopBar::showDeviceMenu() {
  if (!m_document) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  auto* group = new QActionGroup(menu);
  const std::string current = m_document->checked().execution().device;
  const auto offer = [&](QMenu& list, const QString& title, const std::string& name,
                         bool isUsable) {
    QAction* action = list.addAction(title);
    action->setCheckable(true);
    action->setChecked(name == current);
    action->setEnabled(isUsable);
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, name] {
      if (m_document) submitValue(*m_document, "/execution/devices", Json(name), tr("Device"));
    });
  };
  offer(*menu, tr("Automatic: the best available device"), "auto", true);
  for (const DeviceInfo& device : m_devices) {
    const QString title = tr("%1: %2").arg(text(device.name),
                                           text(device.title.empty() ? device.kind : device.title));
    offer(*menu, device.isUsable ? title : tr("%1 (%2)").arg(title, translatedWords(device.reason)),
          device.name, device.isUsable);
  }
  menu->addSeparator();
  if (const std::string& problem = whyNoSimulatedCards(); !problem.empty()) {
    menu->addAction(tr("Simulated NVIDIA GPU (%1)").arg(translatedWords(problem)))
        ->setEnabled(false);
  }
  else {
    if (isSimulatedName(current))
      offer(*menu, tr("%1: true results, predicted times").arg(deviceTitle(current)), current,
            true);
    QMenu* simulated = menu->addMenu(tr("Simulated NVIDIA GPU: true results, predicted times"));
    std::map<std::string, QMenu*> lists;
    for (const char* kind : {"datacenter", "workstation", "desktop", "laptop"})
      lists[kind] = simulated->addMenu(cardKindTitle(kind));
    for (const OfferedCard& card : offeredCards())
      if (const auto list = lists.find(card.kind); list != lists.end())
        offer(*list->second,
              tr("%1, %2").arg(card.title, formatBytes(static_cast<double>(card.memoryBytes))),
              card.device, true);
  }
  menu->popup(m_device->mapToGlobal(QPoint(0, m_device->height() + 3)));
}

void TopBar::showMemory() {
  if (!m_document) return;
  auto* panel = new MemoryPanel(*m_document, this);
  panel->adjustSize();
  const QRect room = screen()->availableGeometry();
  QPoint at = m_memory->mapToGlobal(QPoint(0, m_memory->height() + 3));
  at.setX(std::max(room.left(), std::min(at.x(), room.right() - panel->width())));
  panel->move(at);
  panel->show();
  panel->setFocus();
}

}  // namespace strata::ui
