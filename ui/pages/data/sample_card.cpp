// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/sample_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/format.h"
#include "ui/pages/data/class_card.h"
#include "ui/pages/sample_cells.h"
#include "ui/pages/sample_image.h"
#include "ui/segments.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int64_t kShownSamples = 200;
constexpr int kThumbnail = 56;

// The distance between the rows of a table
constexpr int kRowSpacing = 3;

/// Computes the heights of wrapped texts from the width in which they are drawn. The view passes a
/// smaller one, without the width of another scroll bar, so that some rows were too high.
class SampleDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem drawn = option;
    if (const auto* list = qobject_cast<const QListView*>(option.widget))
      drawn.rect.setWidth(list->viewport()->width() - 2 * list->spacing());
    return QStyledItemDelegate::sizeHint(drawn, index);
  }
};

/// Returns the number of samples in one part of the split.
int64_t countOf(const Dataset& dataset, int split) {
  switch (split) {
    case kTrain: return dataset.trainCount;
    case kValidation: return dataset.validationCount;
    default: return dataset.test ? dataset.test->count() : 0;
  }
}

}  // namespace

SampleCard::SampleCard(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 10, 14, 12);
  layout->setSpacing(8);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Samples"), this);
  setRole(title, "section");
  head->addWidget(title);
  head->addStretch();
  m_split = new Segments(this);
  m_split->add(kTrain, tr("Training"));
  m_split->add(kValidation, tr("Validation"));
  m_split->add(kTest, tr("Test"));
  m_split->setCurrent(kTrain);
  connect(m_split, &Segments::chosen, this, &SampleCard::fill);
  head->addWidget(m_split);
  layout->addLayout(head);
  m_note = new QLabel(this);
  setRole(m_note, "muted");
  m_note->setWordWrap(true);
  reserveLines(m_note, 1, tr("There are no samples in this split."));
  layout->addWidget(m_note);
  m_samples = new QStandardItemModel(this);
  m_pictures = std::make_unique<SamplePictures>(m_samples, kThumbnail);
  m_list = new QListView(this);
  m_list->setModel(m_samples);
  m_list->setItemDelegate(new SampleDelegate(m_list));
  m_list->setAccessibleName(tr("Samples"));
  m_list->setResizeMode(QListView::Adjust);
  m_list->setMovement(QListView::Static);
  m_list->setUniformItemSizes(true);
  m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
  layout->addWidget(m_list, 1);
}

void SampleCard::setDataset(std::shared_ptr<const Dataset> dataset) {
  m_dataset = std::move(dataset);
  fill();
}

/// Appends a sentence about the scaling of a sample's values to the note.
QString SampleCard::withScaling(const QString& note) const {
  const auto& transform = m_dataset->transforms[0];
  const double scale = transform.scale, offset = transform.offset;
  if (offset != 0)
    return tr("%1 Values are multiplied by %2, then %3 is added.")
        .arg(note, QString::number(scale, 'g', 4), QString::number(offset, 'g', 4));
  if (scale == 1) return note;
  const double divisor = 1 / scale;
  // A scale such as 1/255 is stored as a rounded number, so the divisor may differ slightly from an
  // integer.
  const bool isDivision = divisor > 1.5 && std::abs(divisor - std::round(divisor)) < 1e-3;
  return isDivision
             ? tr("%1 Values are divided by %2.").arg(note, formatCount(std::llround(divisor)))
             : tr("%1 Values are multiplied by %2.").arg(note, QString::number(scale, 'g', 4));
}

void SampleCard::fill() {
  m_pictures->stop();
  m_samples->clear();
  m_note->clear();
  if (!m_dataset) return;
  const Dataset& dataset = *m_dataset;
  const int split = m_split->current();
  const std::shared_ptr<const Samples>& samples = split == kTest ? dataset.test : dataset.train;
  const int64_t begin = split == kValidation ? dataset.trainCount : 0;
  const int64_t count = samples ? countOf(dataset, split) : 0;
  if (count == 0) {
    m_note->setText(split == kValidation
                        ? tr("There is no validation data. Set a validation split above 0.")
                        : tr("There are no samples in this split."));
    return;
  }
  const bool hasImages = areImages(*samples);
  m_list->setViewMode(hasImages ? QListView::IconMode : QListView::ListMode);
  m_list->setIconSize({kThumbnail, kThumbnail});
  m_list->setGridSize(hasImages ? QSize(kThumbnail + 22, kThumbnail + fontMetrics().height() + 12)
                                : QSize());
  const int64_t shown = std::min(count, kShownSamples);
  addSamples(*samples, begin, shown);
  if (hasImages) {
    std::vector<int64_t> indices;
    for (int64_t i = begin; i < begin + shown; ++i)
      indices.push_back(i);
    m_pictures->show(samples, std::move(indices));
  }
  QString note = shown < count
                     ? tr("Showing the first %1 of %2.").arg(formatCount(shown), formatCount(count))
                     : tr("%Ln sample(s).", nullptr, pluralOf(count));
  m_note->setText(withScaling(note));
}

void SampleCard::addSamples(const Samples& samples, int64_t begin, int64_t count) {
  const bool hasImages = areImages(samples);
  const SampleCells cells(*m_dataset);
  // The cells of a row are wrapped, and the rows are separated.
  m_list->setWordWrap(cells.isTable());
  m_list->setUniformItemSizes(!cells.isTable());
  m_list->setSpacing(cells.isTable() ? kRowSpacing : 0);
  // The width of the texts must not depend on their heights.
  m_list->setVerticalScrollBarPolicy(cells.isTable() ? Qt::ScrollBarAlwaysOn
                                                     : Qt::ScrollBarAsNeeded);
  for (int64_t i = begin; i < begin + count; ++i) {
    auto* item = new QStandardItem;
    const QString target = targetsText(*m_dataset, samples, i);
    QString tip = tr("Sample %1: %2").arg(formatCount(i), target);
    if (hasImages) {
      item->setText(target);
      item->setTextAlignment(Qt::AlignCenter);
    }
    else {
      item->setText(tr("%1  →  %2").arg(cells.text(samples, i), target));
      if (cells.isTable()) tip += u'\n' + cells.lines(samples, i);
    }
    item->setToolTip(tip);
    m_samples->appendRow(item);
  }
}

}  // namespace strata::ui
