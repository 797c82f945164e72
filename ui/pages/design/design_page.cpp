// SPDX-License-Identifier: GPL-3.0-or-later
// The Design page: strip, the list of layers, and what to do next under it.
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/models/cost_menu.h"
#include "ui/models/layer_item_model.h"
#include "ui/models/selection_link.h"
#include "ui/pages/design/layer_list.h"
#include "ui/pages/design/palette.h"
#include "ui/pages/design/strip.h"
#include "ui/pages/pages.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

namespace {

/// Below the last row a drop means: at the end.
class DesignPage : public QWidget {
  Q_OBJECT
 public:
  explicit DesignPage(const PageContext& context) : m_context(context), m_model(new LayerItemModel(this)) {
    setAcceptDrops(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(11);
    m_strip = new Strip(context, this);
    column->addWidget(m_strip);

    auto* head = new QHBoxLayout;
    m_figures = new QLabel(this);
    setRole(m_figures, "muted");
    m_figures->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    head->addWidget(m_figures, 1);
    auto* cost = new QPushButton(this);
    setRole(cost, "link");
    attachCostMenu(cost, m_model, [](const QString& title) { return tr("Cost column: %1").arg(title); });
    head->addWidget(cost);
    column->addLayout(head);

    m_list = new LayerList(m_model, this);
    setFocusProxy(m_list);
    column->addWidget(m_list, 100);
    auto* hint = new QLabel(tr("Drop a layer between two rows, or press Enter to add one after the selection."), this);
    setRole(hint, "muted");
    hint->setWordWrap(true);
    column->addWidget(hint);
    column->addStretch(1);

    auto* link = new SelectionLink(m_list, m_model);
    Navigation& navigation = context.navigation;
    connect(m_list, &LayerList::addRequested, &navigation, [&navigation] { navigation.trigger(QStringLiteral("edit.add")); });
    connect(m_list, &LayerList::actionRequested, &navigation, &Navigation::trigger);
    connect(m_list, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex& index) {
      if (index.column() == LayerItemModel::Name) m_list->edit(index);
    });
    connect(&navigation, &Navigation::renameRequested, this, [this] {
      if (Document* document = m_context.workspace.current()) {
        const QModelIndex index = m_model->indexOf(document->selectedLayer());
        if (index.isValid()) m_list->edit(index);
      }
    });
    connect(&navigation, &Navigation::listFocusRequested, m_list, [this] { m_list->setFocus(Qt::OtherFocusReason); });
    connect(&context.workspace, &Workspace::currentChanged, this, [this, link](Document* document) {
      if (m_document) m_document->disconnect(this);
      m_document = document;
      m_model->setDocument(document);
      link->setDocument(document);
      m_strip->setDocument(document);
      if (document) connect(document, &Document::inspectionChanged, this, &DesignPage::refreshFigures);
      refreshFigures();
    });
  }

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override {
    if (event->mimeData()->hasFormat(kLayerTypeMime) || event->mimeData()->hasFormat(kLayerNamesMime)) event->acceptProposedAction();
  }
  void dropEvent(QDropEvent* event) override {
    m_model->dropMimeData(event->mimeData(), event->proposedAction(), m_model->rowCount(), 0, {});
    event->acceptProposedAction();
  }

 private:
  void refreshFigures() {
    if (!m_document) {
      m_figures->clear();
      return;
    }
    const ModelSummary& summary = m_document->inspection().summary;
    const QString layers = tr("%n layer(s)", nullptr, static_cast<int>(m_document->layers().size()));
    const bool isKnown = std::all_of(summary.layers.begin(), summary.layers.end(), [](const LayerSummary& layer) { return layer.isKnown; });
    m_figures->setText(
        isKnown
            ? tr("%1, %2, %3 multiply-adds forward").arg(layers, parametersText(summary.parameters), formatMagnitude(summary.multiplyAdds))
            : tr("%1; the sums are unknown, because some of them have problems").arg(layers));
  }

  PageContext m_context;
  QPointer<Document> m_document;
  LayerItemModel* m_model;
  Strip* m_strip;
  QLabel* m_figures;
  LayerList* m_list;
};

}  // namespace

Page makeDesignPage(const PageContext& context) { return {new DesignPage(context), new Palette(context)}; }

}  // namespace strata::ui

#include "design_page.moc"
