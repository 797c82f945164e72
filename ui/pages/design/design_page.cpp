// SPDX-License-Identifier: GPL-3.0-or-later
// The Design page. It has a strip, a switch between List and Compiled, and below them the list of
// layers or the compiled graph.
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/elided_label.h"
#include "ui/format.h"
#include "ui/models/cost_menu.h"
#include "ui/models/layer_item_model.h"
#include "ui/models/selection_link.h"
#include "ui/pages/design/compiled_view.h"
#include "ui/pages/design/layer_list.h"
#include "ui/pages/design/palette.h"
#include "ui/pages/design/strip.h"
#include "ui/pages/pages.h"
#include "ui/segments.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/page_context.h"
#include "ui/workspace/shown_times.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

namespace {

/// The widget of the page. A drop below the last row adds the layer at the end.
class DesignPage : public QWidget {
  Q_OBJECT
 public:
  explicit DesignPage(const PageContext& context)
      : m_context(context), m_model(new LayerItemModel(this)) {
    setAcceptDrops(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(11);
    m_strip = new Strip(context, this);
    column->addWidget(m_strip);

    auto* head = new QHBoxLayout;
    m_switch = new Segments(this);
    m_switch->add(static_cast<int>(DesignView::List), tr("List"));
    m_switch->add(static_cast<int>(DesignView::Compiled), tr("Compiled"))
        ->setToolTip(tr("The graph of a training step after each pass"));
    m_switch->setCurrent(static_cast<int>(DesignView::List));
    head->addWidget(m_switch);
    m_source = new ElidedLabel(this);
    m_source->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setRole(m_source, "muted");
    // It keeps its place while it is hidden, so that the switch keeps its width.
    keepPlace(m_source);
    head->addWidget(m_source, 1);
    m_cost = new QPushButton(this);
    setRole(m_cost, "link");
    attachCostMenu(m_cost, m_model,
                   [](const QString& title) { return tr("Cost column: %1").arg(title); });
    head->addWidget(m_cost);
    column->addLayout(head);

    m_views = new QStackedWidget(this);
    column->addWidget(m_views, 1);
    auto* listSide = new QWidget(m_views);
    auto* listColumn = new QVBoxLayout(listSide);
    listColumn->setContentsMargins(0, 0, 0, 0);
    listColumn->setSpacing(column->spacing());
    m_list = new LayerList(m_model, listSide);
    setFocusProxy(m_list);
    listColumn->addWidget(m_list, 100);
    m_figures = new QLabel(listSide);
    auto* hint = new QLabel(
        tr("Drop a layer between two rows, or press Enter to add one after the selection."),
        listSide);
    for (QLabel* words : {m_figures, hint}) {
      setRole(words, "muted");
      words->setWordWrap(true);
      listColumn->addWidget(words);
    }
    listColumn->addStretch(1);
    m_compiled = new CompiledView(context, m_views);
    m_views->addWidget(listSide);
    m_views->addWidget(m_compiled);

    auto* link = new SelectionLink(m_list, m_model);
    Navigation& navigation = context.navigation;
    connect(m_switch, &Segments::chosen, this,
            [this](int id) { showView(static_cast<DesignView>(id)); });
    connect(&navigation, &Navigation::designViewRequested, this, &DesignPage::showView);
    // Connect this slot first, because the other slots of these signals need a visible list.
    connect(&navigation, &Navigation::layerRequested, this, [this] { showView(DesignView::List); });
    for (auto asked : {&Navigation::renameRequested, &Navigation::listFocusRequested})
      connect(&navigation, asked, this, [this] { showView(DesignView::List); });
    connect(m_list, &LayerList::addRequested, &navigation,
            [&navigation] { navigation.trigger(QStringLiteral("edit.add")); });
    connect(m_list, &LayerList::actionRequested, &navigation, &Navigation::trigger);
    connect(m_list, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex& index) {
      if (index.column() == LayerItemModel::Name) m_list->edit(index);
    });
    connect(&navigation, &Navigation::renameRequested, this, [this] {
      if (Document* document = m_context.workspace.current()) {
        const QModelIndex index = m_model->indexOf(document->selectedLayers().value(0));
        if (index.isValid()) m_list->edit(index);
      }
    });
    connect(&navigation, &Navigation::listFocusRequested, m_list,
            [this] { m_list->setFocus(Qt::OtherFocusReason); });
    connect(&context.workspace, &Workspace::currentChanged, this, [this, link](Document* document) {
      if (m_document) m_document->disconnect(this);
      m_document = document;
      m_model->setDocument(document);
      link->setDocument(document);
      m_strip->setDocument(document);
      m_compiled->setDocument(document);
      if (document) {
        connect(document, &Document::inspectionChanged, this, &DesignPage::refreshFigures);
        connect(document, &Document::estimateChanged, this, &DesignPage::refreshSource);
      }
      refreshFigures();
      refreshTimes();
    });
    m_times = new ShownTimes(context, this);
    connect(m_times, &ShownTimes::changed, this, &DesignPage::refreshTimes);
    connect(m_model, &LayerItemModel::headerDataChanged, this, &DesignPage::refreshSource);
  }

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override {
    if (m_views->currentIndex() != 0) return;
    if (event->mimeData()->hasFormat(kLayerTypeMime) ||
        event->mimeData()->hasFormat(kLayerNamesMime))
      event->acceptProposedAction();
  }
  void dropEvent(QDropEvent* event) override {
    m_model->dropMimeData(event->mimeData(), event->proposedAction(), m_model->rowCount(), 0, {});
    event->acceptProposedAction();
  }

 private:
  void showView(DesignView view) {
    const bool isList = view == DesignView::List;
    m_switch->setCurrent(static_cast<int>(view));
    m_views->setCurrentIndex(isList ? 0 : 1);
    m_cost->setVisible(isList);
    m_source->setVisible(isList);
    setFocusProxy(isList ? static_cast<QWidget*>(m_list) : m_compiled);
    m_context.navigation.designViewShown(view);
  }

  void refreshTimes() {
    m_model->setMeasured(m_times->measured());
    refreshSource();
  }

  /// Says which run and device the times are of.
  void refreshSource() {
    m_source->setText(m_model->costSource());
    m_source->setToolTip(m_model->costSourceTip());
  }

  void refreshFigures() {
    if (!m_document) {
      m_figures->clear();
      return;
    }
    const ModelSummary& summary = m_document->checks().inspection().summary;
    const QString layers = tr(
        "%n layer(s)", nullptr,
        static_cast<int>(std::count_if(m_document->layers().begin(), m_document->layers().end(),
                                       [](const LayerEntry& entry) { return entry.depth == 0; })));
    const bool isKnown = std::all_of(summary.layers.begin(), summary.layers.end(),
                                     [](const LayerSummary& layer) { return layer.isKnown; });
    m_figures->setText(
        isKnown ? tr("%1, %2, %3 multiply-adds in the forward pass")
                      .arg(layers, parametersText(summary.parameters),
                           formatMagnitude(summary.multiplyAdds))
                : tr("%1; the totals are unknown, because some layers have problems").arg(layers));
  }

  PageContext m_context;
  QPointer<Document> m_document;
  LayerItemModel* m_model;
  Strip* m_strip;
  Segments* m_switch;
  ElidedLabel* m_source;
  QPushButton* m_cost;
  ShownTimes* m_times = nullptr;
  QStackedWidget* m_views;
  QLabel* m_figures;
  LayerList* m_list;
  CompiledView* m_compiled;
};

}  // namespace

Page makeDesignPage(const PageContext& context) {
  return {new DesignPage(context), new Palette(context)};
}

}  // namespace strata::ui

#include "design_page.moc"
