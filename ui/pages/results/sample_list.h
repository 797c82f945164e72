// SPDX-License-Identifier: GPL-3.0-or-later
// A list of samples with a text each: their images, or the first cells of their rows. Not here:
// which samples are listed (mistakes_card.h, agreement_card.h). Thread: GUI thread.
#pragma once

#include <QListView>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/data/dataset.h"
#include "ui/pages/sample_pictures.h"

class QStandardItemModel;

namespace strata::ui {

class SampleList : public QListView {
  Q_OBJECT
 public:
  /// A longer list is cut, and its images would take long to draw.
  static constexpr size_t kMaxSamples = 300;
  struct Item {
    // Position in the samples
    int64_t sample = 0;
    // What the list shows, such as "3 → 5", and the first line of the tooltip
    QString words, tip;
  };
  explicit SampleList(QWidget* parent);
  /// Shows at most kMaxSamples items. Their rows are described by `dataset`, which has `samples`.
  void setItems(const Dataset& dataset, const std::shared_ptr<const Samples>& samples,
                const std::vector<Item>& items);
  void clear();

 Q_SIGNALS:
  /// Emitted on a double click or Enter on a sample.
  void sampleOpened(int64_t sample);

 private:
  QStandardItemModel* m_list;
  // The samples of the list, by row
  std::vector<int64_t> m_listed;
  std::unique_ptr<SamplePictures> m_pictures;
};

}  // namespace strata::ui
