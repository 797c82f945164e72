// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/design/palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "core/layers/layer.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/models/layer_item_model.h"
#include "ui/search_rank.h"
#include "ui/theme/colors.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

// The roles for the type and the group of a layer. Group titles have no type.
constexpr int kTypeRole = Qt::UserRole, kGroupRole = Qt::UserRole + 1;
// The margins of the text in a card, and the gap between the cards and the edge of the pane.
constexpr int kWordsLeft = 11, kWordsRight = 4, kGap = 10;

QString groupTitle(const std::string& group) {
  static constexpr const char* kTitles[] = {
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Input"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Dense"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Convolution"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Pooling"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Shape"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Regularization"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Normalization"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Activation"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Merge"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Preprocessing"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Attention"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Embedding"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Augmentation"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Recurrent"),
      QT_TRANSLATE_NOOP("strata::ui::Palette", "Structure")};
  for (const char* title : kTitles) {
    if (group == title) return Palette::tr(title);
  }
  return text(group);
}

class PaletteList : public QListWidget {
 public:
  explicit PaletteList(QWidget* parent) : QListWidget(parent) { setViewportMargins(0, 0, kGap, 0); }
  /// Reserves space for the longest name next to the scroll bar, regardless of the filter.
  QSize minimumSizeHint() const override {
    int widest = 0;
    for (const LayerDef* layer : allLayers())
      widest = std::max(widest, fontMetrics().horizontalAdvance(text(layer->schema.type)));
    return {widest + kWordsLeft + kWordsRight + kGap + verticalScrollBar()->sizeHint().width(),
            100};
  }

 protected:
  QMimeData* mimeData(const QList<QListWidgetItem*>& items) const override {
    auto* mime = new QMimeData;
    if (!items.isEmpty()) {
      const QString type = items.first()->data(kTypeRole).toString();
      mime->setData(kLayerTypeMime, type.toUtf8());
      mime->setText(type);
    }
    return mime;
  }
  Qt::DropActions supportedDropActions() const override { return Qt::CopyAction; }
};

class PaletteDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    painter->save();
    const Colors& colors = colorsOf(option.palette);
    const QString words = index.data().toString();
    if (index.data(kTypeRole).toString().isEmpty()) {
      QFont small = option.font;
      small.setPointSizeF(small.pointSizeF() - 1.5);
      small.setLetterSpacing(QFont::AbsoluteSpacing, 0.3);
      painter->setFont(small);
      painter->setPen(colors.muted);
      painter->drawText(option.rect.adjusted(2, 0, 0, -3), Qt::AlignBottom | Qt::AlignLeft, words);
    }
    else {
      const QRect card = option.rect.adjusted(0, 1, 0, -1);
      const bool isCurrent = option.state & QStyle::State_Selected,
                 isUnderMouse = option.state & QStyle::State_MouseOver;
      painter->setRenderHint(QPainter::Antialiasing);
      painter->setPen(Qt::NoPen);
      QColor fill = isUnderMouse ? colors.pressed : colors.hover;
      if (isCurrent) fill = colors.accentSoft;
      painter->setBrush(fill);
      painter->drawRoundedRect(card, 3, 3);
      painter->setBrush(kindColor(index.data(kGroupRole).toString(), colors.isDark));
      painter->drawRoundedRect(QRect(card.left(), card.top(), 3, card.height()), 1, 1);
      painter->setPen(colors.text);
      painter->drawText(card.adjusted(kWordsLeft, 0, -kWordsRight, 0),
                        Qt::AlignVCenter | Qt::AlignLeft,
                        option.fontMetrics.elidedText(words, Qt::ElideMiddle,
                                                      card.width() - kWordsLeft - kWordsRight));
    }
    painter->restore();
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const bool isTitle = index.data(kTypeRole).toString().isEmpty();
    int room = 13;
    if (isTitle) room = index.row() == 0 ? 4 : 9;
    return {80, option.fontMetrics.height() + room};
  }
};

}  // namespace

Palette::Palette(const PageContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_filter(new QLineEdit(this)),
      m_list(new PaletteList(this)) {
  setRole(this, "pane");
  setFocusProxy(m_filter);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kGap, kGap, 0, 0);
  column->setSpacing(6);
  m_filter->setPlaceholderText(tr("Find a layer (/)"));
  m_filter->setAccessibleName(tr("Find a layer"));
  m_filter->setClearButtonEnabled(true);
  m_filter->installEventFilter(this);
  auto* inset = new QVBoxLayout;
  inset->setContentsMargins(0, 0, kGap, 0);
  inset->addWidget(m_filter);
  column->addLayout(inset);
  m_list->setAccessibleName(tr("Layers to add"));
  m_list->setItemDelegate(new PaletteDelegate(m_list));
  m_list->setMouseTracking(true);
  m_list->setDragEnabled(true);
  m_list->setDragDropMode(QAbstractItemView::DragOnly);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_list->installEventFilter(this);
  column->addWidget(m_list, 1);
  connect(m_filter, &QLineEdit::textChanged, this, &Palette::refill);
  connect(m_list, &QListWidget::itemDoubleClicked, this, &Palette::addCurrent);
  refill();
}

void Palette::addLayer(const LayerDef& layer) {
  const QString type = text(layer.schema.type), help = translated(layer.schema.help);
  auto* item = new QListWidgetItem(type, m_list);
  item->setData(kTypeRole, type);
  item->setData(kGroupRole, text(layer.schema.group));
  item->setToolTip(help);
  item->setData(Qt::AccessibleDescriptionRole, help);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled);
}

void Palette::refill() {
  const QString wanted = m_filter->text().trimmed();
  m_list->clear();
  if (wanted.isEmpty()) {
    listGroups();
  }
  else {
    listMatches(wanted);
  }
  if (m_list->count() == 0) {
    auto* none = new QListWidgetItem(tr("No matching layer"), m_list);
    none->setFlags(Qt::NoItemFlags);
  }
  else if (!wanted.isEmpty()) {
    m_list->setCurrentRow(0);
    m_list->scrollToTop();
  }
}

void Palette::listGroups() {
  std::vector<std::string> groups;
  std::map<std::string, std::vector<const LayerDef*>> byGroup;
  for (const LayerDef* layer : allLayers()) {
    auto& members = byGroup[layer->schema.group];
    if (members.empty()) groups.push_back(layer->schema.group);
    members.push_back(layer);
  }
  for (const std::string& group : groups) {
    auto* title = new QListWidgetItem(groupTitle(group).toUpper(), m_list);
    title->setFlags(Qt::ItemIsEnabled);
    for (const LayerDef* layer : byGroup[group])
      addLayer(*layer);
  }
}

/// Lists matching layers without groups. The best match is first, so that Enter adds the layer that
/// was typed. Layers that match only by their group come last.
void Palette::listMatches(const QString& wanted) {
  std::vector<std::pair<SearchRank, const LayerDef*>> matches;
  for (const LayerDef* layer : allLayers()) {
    const SearchRank rank = searchRank(text(layer->schema.type), wanted);
    const bool isInGroup = searchRank(text(layer->schema.group), wanted) != SearchRank::None ||
                           searchRank(groupTitle(layer->schema.group), wanted) != SearchRank::None;
    if (rank != SearchRank::None || isInGroup) matches.emplace_back(rank, layer);
  }
  std::stable_sort(matches.begin(), matches.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [rank, layer] : matches)
    addLayer(*layer);
}

void Palette::addCurrent() {
  Document* document = m_context.workspace.current();
  const QListWidgetItem* item = m_list->currentItem();
  const QString type = item ? item->data(kTypeRole).toString() : QString();
  if (document && !type.isEmpty()) submitAdd(*document, type, indexAfterSelection(*document));
}

bool Palette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
      addCurrent();
      return true;
    }
    if (watched == m_filter && (key == Qt::Key_Down || key == Qt::Key_Up)) {
      m_list->setFocus(Qt::OtherFocusReason);
      // Row 0 is the title of the first group.
      if (m_list->currentRow() < 0) m_list->setCurrentRow(1);
      return true;
    }
    if (key == Qt::Key_Escape) {
      m_filter->clear();
      Q_EMIT m_context.navigation.listFocusRequested();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace strata::ui
