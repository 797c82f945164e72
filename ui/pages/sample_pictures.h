// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of samples in a list. Those of samples that have to be decoded come one after the other,
// so that the window goes on.
// Thread: the ui thread.
#pragma once

#include <QTimer>
#include <memory>
#include <vector>

#include "core/data/dataset.h"

class QStandardItemModel;

namespace strata::ui {

class SamplePictures {
 public:
  /// list: outlives this. size: of a picture, in pixels.
  SamplePictures(QStandardItemModel* list, int size);
  /// Row i of the list, from now on: sample indices[i].
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
