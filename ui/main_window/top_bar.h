// SPDX-License-Identifier: GPL-3.0-or-later
// The top row with project name or tabs, pages, device, memory and run controls. It emits requests,
// and MainWindow handles them. Thread: GUI thread.
#pragma once

#include <QPointer>
#include <QWidget>
#include <optional>

#include "gpu/devices/devices.h"
#include "gpu/exec/device.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/page_context.h"

class QLabel;
class QPushButton;

namespace strata::ui {

class ActionTable;
class Document;
class Chip;
class ElidedLabel;
class Segments;
class ProjectTabs;
class TrainButton;

class TopBar : public QWidget {
  Q_OBJECT
 public:
  TopBar(const PageContext& context, ActionTable& actions, QWidget* parent = nullptr);
  void addPage(PageId page, const QString& title);
  void setPage(PageId page);
  /// Opens the memory panel below its chip.
  void showMemory();

 Q_SIGNALS:
  void pageChosen(PageId page);
  void closeRequested(Document* document);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void addRunButton(QPushButton*& button, const char* action, const char* role);
  void makeProjects();
  void refreshDocuments();
  void refreshChips();
  void refreshDevice();
  void refreshMemory();
  void reservePlaces();
  void showDeviceMenu();
  std::string shownDevice() const;
  QString deviceText() const;

  PageContext m_context;
  ActionTable& m_actions;
  // The place of the project's name, or of the tabs. Its width depends only on that of the window.
  QWidget* m_projects;
  ElidedLabel* m_name;
  ProjectTabs* m_tabs;
  Segments* m_pages;
  Chip* m_device;
  Chip* m_memory;
  TrainButton* m_train;
  QPushButton* m_pause = nullptr;
  QPushButton* m_step = nullptr;
  QPushButton* m_stop = nullptr;
  // Whether the window is narrow; nullopt before the first layout
  std::optional<bool> m_isShort;
  QPointer<Document> m_document;
  std::vector<DeviceInfo> m_devices;
};

}  // namespace strata::ui
