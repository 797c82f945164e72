// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/command_palette.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <vector>

#include "ui/search_rank.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/action_table.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kWidth = 520, kHeight = 380, kTop = 70;
constexpr int kActionRole = Qt::UserRole, kKeyRole = Qt::UserRole + 1;

class CommandDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const Colors& colors = colorsOf(option.palette);
    painter->fillRect(option.rect,
                      option.state & QStyle::State_Selected ? colors.accentSoft : colors.card);
    const QRect place = option.rect.adjusted(12, 0, -12, 0);
    const bool isEnabled = option.state & QStyle::State_Enabled;
    painter->setPen(isEnabled ? colors.text : colors.faint);
    painter->drawText(place, Qt::AlignVCenter | Qt::AlignLeft, index.data().toString());
    painter->setPen(colors.muted);
    painter->drawText(place, Qt::AlignVCenter | Qt::AlignRight, index.data(kKeyRole).toString());
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
    return {100, option.fontMetrics.height() + 13};
  }
};

}  // namespace

CommandPalette::CommandPalette(ActionTable& actions, QWidget* window)
    : QFrame(window),
      m_actions(actions),
      m_filter(new QLineEdit(this)),
      m_list(new QListWidget(this)) {
  setRole(this, "card");
  setFixedSize(kWidth, kHeight);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 8, 8, 8);
  column->addWidget(m_filter);
  column->addWidget(m_list);
  m_filter->setPlaceholderText(tr("Find a command"));
  m_filter->setAccessibleName(tr("Find a command"));
  m_list->setAccessibleName(tr("Commands"));
  m_list->setItemDelegate(new CommandDelegate(m_list));
  m_list->setFocusPolicy(Qt::NoFocus);
  m_list->setUniformItemSizes(true);
  m_filter->installEventFilter(this);
  connect(m_filter, &QLineEdit::textChanged, this, &CommandPalette::refill);
  connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::run);
  hide();
}

void CommandPalette::open() {
  move((parentWidget()->width() - width()) / 2, kTop);
  m_filter->clear();
  refill();
  show();
  raise();
  m_filter->setFocus(Qt::ShortcutFocusReason);
}

void CommandPalette::refill() {
  m_list->clear();
  const QString wanted = m_filter->text().simplified();
  const QStringList words = wanted.split(u' ', Qt::SkipEmptyParts);
  struct Match {
    SearchRank rank;
    QString title;
    QAction* action;
  };
  std::vector<Match> matches;
  for (QAction* action : m_actions.all()) {
    QString title = action->text();
    title.remove(u'&');
    const bool hasAll = std::all_of(words.begin(), words.end(), [&](const QString& word) {
      return title.contains(word, Qt::CaseInsensitive);
    });
    if (!hasAll || !action->isVisible()) continue;
    const SearchRank rank = words.isEmpty() ? SearchRank::None : searchRank(title, wanted);
    matches.push_back({rank, title, action});
  }
  std::stable_sort(matches.begin(), matches.end(),
                   [](const Match& a, const Match& b) { return a.rank < b.rank; });
  for (const auto& [rank, title, action] : matches) {
    auto* item = new QListWidgetItem(title, m_list);
    item->setData(kActionRole, action->objectName());
    item->setData(kKeyRole, action->shortcut().toString(QKeySequence::NativeText));
    if (!action->isEnabled()) item->setFlags(Qt::NoItemFlags);
  }
  for (int i = 0; i < m_list->count(); ++i) {
    if (m_list->item(i)->flags() & Qt::ItemIsEnabled) {
      m_list->setCurrentRow(i);
      break;
    }
  }
}

void CommandPalette::run() {
  const QListWidgetItem* item = m_list->currentItem();
  if (!item || !(item->flags() & Qt::ItemIsEnabled)) return;
  QAction* action = m_actions[item->data(kActionRole).toString()];
  hide();
  parentWidget()->setFocus();
  QTimer::singleShot(0, action, &QAction::trigger);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != m_filter) return QFrame::eventFilter(watched, event);
  if (event->type() == QEvent::FocusOut) {
    hide();
  }
  else if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape) {
      hide();
      return true;
    }
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
      run();
      return true;
    }
    if (key == Qt::Key_Down || key == Qt::Key_Up) {
      const int by = key == Qt::Key_Down ? 1 : -1;
      int row = m_list->currentRow() + by;
      while (row >= 0 && row < m_list->count() && !(m_list->item(row)->flags() & Qt::ItemIsEnabled))
        row += by;
      if (row >= 0 && row < m_list->count()) m_list->setCurrentRow(row);
      return true;
    }
  }
  return QFrame::eventFilter(watched, event);
}

}  // namespace strata::ui
