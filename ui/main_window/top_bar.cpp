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
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "ui/device_text.h"
#include "ui/dialogs/memory_panel.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/elided_label.h"
#include "ui/format.h"
#include "ui/main_window/chip.h"
#include "ui/main_window/project_tabs.h"
#include "ui/main_window/train_button.h"
#include "ui/segments.h"
#include "ui/steady_layout.h"
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
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 8, 12, 8);

  makeProjects();
  row->addWidget(m_projects, 1);
  m_pages = new Segments(this);
  row->addWidget(m_pages);
  m_device = new Chip(Chip::Words::Plain, this);
  m_device->setAccessibleDescription(tr("Choose the compute device"));
  row->addWidget(m_device);
  m_memory = new Chip(Chip::Words::Rich, this);
  row->addWidget(m_memory);
  m_train = new TrainButton(
      {m_actions[u"run.continue"_s], m_actions[u"run.keep"_s], m_actions[u"run.train"_s],
       m_actions[u"run.checkpoint"_s], m_actions[u"run.later"_s]},
      this);
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
  connect(&m_context.runs, &Runs::stateChanged, this, &TopBar::refreshChips);
}

void TopBar::makeProjects() {
  m_projects = new QWidget(this);
  m_projects->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
  m_projects->installEventFilter(this);
  auto* row = new QHBoxLayout(m_projects);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  m_name = new ElidedLabel(m_projects);
  setRole(m_name, "section");
  row->addWidget(m_name, 1);
  m_tabs = new ProjectTabs(m_projects);
  m_tabs->setAccessibleName(tr("Open projects"));
  m_tabs->hide();
  row->addWidget(m_tabs, 0, Qt::AlignLeft);
}

void TopBar::addRunButton(QPushButton*& button, const char* name, const char* role) {
  QAction* action = m_actions[QString::fromLatin1(name)];
  button = new QPushButton(action->text(), this);
  setRole(button, role);
  const auto sync = [this, button, action] {
    const bool isShort = m_isShort.value_or(false);
    button->setText(isShort ? QString() : action->text());
    button->setIcon(isShort ? action->icon() : QIcon());
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
    m_name->setText(title(m_document));
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
}

/// Returns the device of the document's run while it is active, or else that of the project.
std::string TopBar::shownDevice() const {
  if (!m_document) return "auto";
  if (m_context.runs.activeDocument() == m_document)
    if (const auto& start = m_context.runs.active()->shown().start) return start->device;
  return m_document->checked().execution().device;
}

QString TopBar::deviceText() const {
  const std::string wanted = shownDevice();
  for (const DeviceInfo& device : m_devices) {
    const bool isChosen = resolvedDeviceName(wanted) == device.name;
    if (!isChosen) continue;
    if (device.gpu) return text(device.title);
    if (!device.isUsable) return tr("%1, not usable").arg(text(device.name));
    if (DeviceName(device.name).isCpu()) return tr("CPU, %n core(s)", nullptr, device.threads);
    return tr("%1, %n thread(s)", nullptr, device.threads).arg(text(device.name));
  }
  return deviceTitle(wanted);
}

void TopBar::refreshChips() {
  m_device->setVisible(m_document);
  m_memory->setVisible(m_document);
  if (!m_document) return;
  refreshDevice();
  refreshMemory();
}

void TopBar::refreshDevice() {
  const Colors& colors = colorsOf(this);
  const std::string wanted = shownDevice(), name = resolvedDeviceName(wanted);
  // The label of a simulated card stays complete, so that nobody takes it for a real one.
  const bool isSimulated = DeviceName(wanted).isSimulated();
  const QString whole = deviceText();
  m_device->label()->setText(m_isShort.value_or(false) && !isSimulated ? whole.section(u',', 0, 0)
                                                                       : whole);
  const auto own =
      std::ranges::find_if(m_devices, [&](const DeviceInfo& each) { return each.name == name; });
  const bool isMissing = own != m_devices.end() && !own->isUsable;
  const QColor dot = isSimulated ? colors.faint : colors.good;
  m_device->setDot(isMissing ? colors.warning : dot);
  QStringList words{whole};
  if (isSimulated) words << tr("The results are true, the times are predicted");
  if (isMissing) words << text(own->reason);
  const bool isOfRun = m_context.runs.activeDocument() == m_document;
  if (isOfRun) words << tr("The device of the run. A new choice applies to the next run.");
  m_device->setToolTip(words.join(u'\n'));
  m_device->setAccessibleName(tr("Device: %1").arg(whole));
}

void TopBar::refreshMemory() {
  const Estimate& estimate = m_document->checks().estimate();
  QString words = tr("Memory unknown"), spoken = words;
  if (!estimate.hasMemory) {
    m_memory->setToolTip(estimate.whyNoMemory);
  }
  else {
    const QString need = formatBytes(estimate.peakBytes), limit = formatBytes(estimate.limitBytes);
    const bool isShort = m_isShort.value_or(false);
    if (estimate.fits) {
      words = isShort ? tr("%1, fits").arg(italic(need))
                      : tr("%1 of %2, fits").arg(italic(need), limit);
      spoken = tr("Memory: predicted %1 of %2, fits").arg(need, limit);
    }
    else {
      words = isShort ? tr("%1, too large").arg(italic(need))
                      : tr("%1, more than %2").arg(italic(need), limit);
      spoken = tr("Memory: predicted %1, more than %2").arg(need, limit);
    }
    m_memory->setToolTip(tr("Predicted peak memory of a training step. Click for the breakdown."));
  }
  m_memory->label()->setText(words);
  m_memory->setDot(estimate.hasMemory && !estimate.fits ? colorsOf(this).problem : QColor());
  m_memory->setAccessibleName(spoken);
}

/// Fixes the widths of all parts except the projects, for the widest texts that they may show.
void TopBar::reservePlaces() {
  const bool isShort = window()->width() < kShortWidth;
  if (m_isShort == isShort) return;
  m_isShort = isShort;
  const QString most = formatBytes(888.0 * 1024 * 1024);
  QStringList memory{tr("Memory unknown")};
  if (isShort)
    memory << tr("%1, fits").arg(italic(most)) << tr("%1, too large").arg(italic(most));
  else
    memory << tr("%1 of %2, fits").arg(italic(most), most)
           << tr("%1, more than %2").arg(italic(most), most);
  m_memory->setRoom(widthOf(m_memory->label(), memory));
  m_device->setRoom(m_device->fontMetrics().averageCharWidth() * (isShort ? 17 : 23));
  // A narrow window has less space around its buttons and their words.
  layout()->setSpacing(isShort ? 6 : 8);
  setProperty("isShort", isShort);
  for (QWidget* button : findChildren<QPushButton*>())
    restyle(button);
  m_train->reserve({tr("Train"), tr("Train later"), tr("New run"),
                    tr("New run from %1").arg(u"run 88"_s),
                    tr("Continue (step %1)").arg(formatCount(isShort ? 8'888 : 88'888)),
                    tr("Train %Ln more epoch(s)", nullptr, isShort ? 8 : 88)});
  const std::pair<QPushButton*, const char*> buttons[] = {
      {m_pause, "run.pause"}, {m_step, "run.step"}, {m_stop, "run.stop"}};
  for (const auto& [button, name] : buttons) {
    const QAction* action = m_actions[QString::fromLatin1(name)];
    QStringList texts{action->text()};
    if (button == m_pause) texts = QStringList{tr("Pause"), tr("Resume")};
    constexpr int kIconButton = 34;
    button->setIcon(isShort ? action->icon() : QIcon());
    button->setText(isShort ? QString() : action->text());
    if (isShort)
      button->setFixedWidth(kIconButton);
    else
      fixWidth(button, texts);
  }
}

bool TopBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_projects && event->type() == QEvent::Resize)
    m_tabs->setRoom(m_projects->width());
  return QWidget::eventFilter(watched, event);
}

void TopBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  reservePlaces();
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
  QMenu* replicas = menu->addMenu(tr("CPU, several replicas: each trains on a share of a batch"));
  const int64_t batch = m_document->checked().recipe().batchSize;
  for (const int count : {2, 3, 4, 8}) {
    const std::string name = "cpu*" + std::to_string(count);
    offer(*replicas,
          batch % count == 0 ? tr("%1: batch %2 = %3 x %4")
                                   .arg(deviceTitle(name), formatCount(batch), formatCount(count),
                                        formatCount(batch / count))
                             : tr("%1: batch %2 in %3 shares")
                                   .arg(deviceTitle(name), formatCount(batch), formatCount(count)),
          name, batch >= count);
  }
  menu->addSeparator();
  if (const std::string& problem = whyNoSimulatedCards(); !problem.empty()) {
    menu->addAction(tr("Simulated NVIDIA GPU (%1)").arg(translatedWords(problem)))
        ->setEnabled(false);
  }
  else {
    if (DeviceName(current).isSimulated())
      offer(*menu, tr("%1: true results, predicted times").arg(deviceTitle(current)), current,
            true);
    QMenu* simulated = menu->addMenu(tr("Simulated NVIDIA GPU: true results, predicted times"));
    std::map<QString, QMenu*> families;
    for (const OfferedCard& card : offeredCards()) {
      QMenu*& family = families[card.family];
      if (!family) family = simulated->addMenu(card.family);
      offer(*family,
            tr("%1, %2").arg(card.title, formatBytes(static_cast<double>(card.memoryBytes))),
            card.device, true);
    }
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
