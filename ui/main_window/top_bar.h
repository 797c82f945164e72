// SPDX-License-Identifier: GPL-3.0-or-later
// The top row with project name or tabs, pages, device, memory and run controls. It emits requests,
// and MainWindow handles them. Thread: GUI thread.
#pragma once

#include <QPointer>
#include <QWidget>

#include "gpu/devices/devices.h"
#include "gpu/exec/device.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/page_context.h"

class QLabel;
class QPushButton;
class QHBoxLayout;

namespace strata::ui {

class ActionTable;
class Document;
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
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void addRunButton(QPushButton*& button, const char* action, const char* role);
  void refreshDocuments();
  void refreshChips();
  void fitTabs();
  void refreshRun();
  void showDeviceMenu();
  QString deviceText() const;

  PageContext m_context;
  ActionTable& m_actions;
  QLabel* m_name;
  QHBoxLayout* m_row;
  ProjectTabs* m_tabs;
  Segments* m_pages;
  QPushButton* m_device;
  QPushButton* m_memory;
  QLabel* m_memoryText;
  TrainButton* m_train;
  QPushButton* m_pause = nullptr;
  QPushButton* m_step = nullptr;
  QPushButton* m_stop = nullptr;
  QPointer<Document> m_document;
  std::vector<DeviceInfo> m_devices;
};

}  // namespace strata::ui
