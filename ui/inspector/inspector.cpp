// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/inspector.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/document/document.h"
#include "ui/inspector/layer_tab.h"
#include "ui/inspector/training_tab.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

QScrollArea* scrolled(QWidget* content, const QString& name, QWidget* parent) {
  auto* area = new QScrollArea(parent);
  area->setWidgetResizable(true);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setFocusPolicy(Qt::NoFocus);
  area->setAccessibleName(name);
  area->setWidget(content);
  return area;
}

}  // namespace

Inspector::Inspector(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_stack(new QStackedWidget(this)) {
  setRole(this, "pane");
  setMinimumWidth(290);
  setAccessibleName(tr("Inspector"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* head = new QHBoxLayout;
  head->setSpacing(0);
  auto* group = new QButtonGroup(this);
  for (const QString& title : {tr("Layer"), tr("Training")}) {
    auto* button = new QPushButton(title, this);
    setRole(button, "tab");
    button->setCheckable(true);
    button->setAccessibleName(title);
    group->addButton(button, static_cast<int>(m_tabs.size()));
    head->addWidget(button, 1);
    m_tabs << button;
  }
  column->addLayout(head);
  auto* line = new QFrame(this);
  setRole(line, "line");
  line->setFixedHeight(1);
  column->addWidget(line);
  auto* layerTab = new LayerTab(context);
  m_stack->addWidget(scrolled(layerTab, tr("Layer"), m_stack));
  auto* trainingTab = new TrainingTab(context);
  m_stack->addWidget(scrolled(trainingTab, tr("Training"), m_stack));
  column->addWidget(m_stack, 1);
  connect(group, &QButtonGroup::idClicked, m_stack, &QStackedWidget::setCurrentIndex);
  connect(&context.navigation, &Navigation::fieldRequested, this,
          [this, layerTab, trainingTab](const QString& field) {
            const bool isOfProject = field.startsWith(u'/');
            // These fields are on the Data page.
            if (isOfProject && field.startsWith("/data/"_L1)) return;
            showTab(isOfProject ? Tab::Training : Tab::Layer);
            if (isOfProject) {
              trainingTab->focusField(field);
            }
            else {
              layerTab->focusField(field);
            }
          });
  connect(&context.workspace, &Workspace::currentChanged, this, [this](Document* document) {
    if (m_document) m_document->disconnect(this);
    m_document = document;
    if (!document) return;
    // A layer that is selected shows its fields, also if it is selected again.
    for (const auto signal : {&Document::selectionChanged, &Document::selectionClicked})
      connect(document, signal, this, [this] {
        if (!m_document->selection().isEmpty()) showTab(Tab::Layer);
      });
  });
  showTab(Tab::Layer);
}

void Inspector::showTab(Tab tab) {
  m_tabs[static_cast<int>(tab)]->setChecked(true);
  m_stack->setCurrentIndex(static_cast<int>(tab));
}

}  // namespace strata::ui
