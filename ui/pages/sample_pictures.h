// SPDX-License-Identifier: GPL-3.0-or-later
// Shows images of samples in a list. Images that must be decoded are added one at a time, so that
// the window stays responsive. Thread: GUI thread.
#pragma once

#include <QTimer>
#include <memory>
#include <vector>

#include "core/data/dataset.h"

class QStandardItemModel;

namespace strata::ui {

class SamplePictures {
 public:
  /// Shows images in `list`, which must outlive this object. `size` is the width and height of an
  /// image in pixels.
  SamplePictures(QStandardItemModel* list, int size);
  /// Makes row i of the list show sample indices[i].
  void show(std::shared_ptr<const Samples> samples, std::vector<int64_t> indices);
  void stop();

 private:
  void showNext();
  QStandardItemModel* m_list;
  const int m_size;
  std::shared_ptr<const Samples> m_samples;
  std::vector<int64_t> m_indices;
  size_t m_next = 0;
  QTimer m_timer;
};

}  // namespace strata::ui
