// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/sample_list.h"

#include <QStandardItemModel>
#include <algorithm>

#include "ui/pages/sample_cells.h"
#include "ui/pages/sample_image.h"

namespace strata::ui {

static constexpr int kThumbnail = 48;

SampleList::SampleList(QWidget* parent) : QListView(parent), m_list(new QStandardItemModel(this)) {
  m_pictures = std::make_unique<SamplePictures>(m_list, kThumbnail);
  setModel(m_list);
  setResizeMode(QListView::Adjust);
  setMovement(QListView::Static);
  setUniformItemSizes(true);
  setIconSize({kThumbnail, kThumbnail});
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setMinimumHeight(2 * (kThumbnail + fontMetrics().height() + 14) + 6);
  connect(this, &QListView::activated, this, [this](const QModelIndex& index) {
    const auto row = static_cast<size_t>(index.row());
    if (row < m_listed.size()) Q_EMIT sampleOpened(m_listed[row]);
  });
}

void SampleList::clear() {
  m_pictures->stop();
  m_listed.clear();
  m_list->clear();
}

void SampleList::setItems(const Dataset& dataset, const std::shared_ptr<const Samples>& samples,
                          const std::vector<Item>& items) {
  clear();
  const bool hasImages = !items.empty() && areImages(*samples);
  setViewMode(hasImages ? QListView::IconMode : QListView::ListMode);
  const SampleCells cells(dataset);
  int widest = kThumbnail;
  for (size_t i = 0; i < std::min(items.size(), kMaxSamples); ++i) {
    const auto& [sample, words, tip] = items[i];
    m_listed.push_back(sample);
    auto* item = new QStandardItem(words);
    widest = std::max(widest, fontMetrics().horizontalAdvance(words));
    if (hasImages)
      item->setTextAlignment(Qt::AlignCenter);
    else
      item->setText(tr("%1:  %2").arg(words, cells.text(*samples, sample)));
    item->setToolTip(cells.isTable() ? tip + u'\n' + cells.lines(*samples, sample) : tip);
    m_list->appendRow(item);
  }
  if (hasImages) m_pictures->show(samples, m_listed);
  setGridSize(hasImages ? QSize(widest + 26, kThumbnail + fontMetrics().height() + 14) : QSize());
}

}  // namespace strata::ui
