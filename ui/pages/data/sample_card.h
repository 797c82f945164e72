// SPDX-License-Identifier: GPL-3.0-or-later
// The samples of a data set as they enter the network: images, the cells of a table, or numbers.
// Thread: GUI thread.
#pragma once

#include <QWidget>
#include <memory>

#include "core/data/dataset.h"
#include "ui/pages/sample_pictures.h"

class QLabel;
class QListView;
class QStandardItemModel;

namespace strata::ui {

class Segments;

class SampleCard : public QWidget {
  Q_OBJECT
 public:
  explicit SampleCard(QWidget* parent);
  /// Shows the samples of a data set, or none if it is null.
  void setDataset(std::shared_ptr<const Dataset> dataset);

 private:
  void fill();
  void addSamples(const Samples& samples, int64_t begin, int64_t count);
  QString withScaling(const QString& note) const;

  std::shared_ptr<const Dataset> m_dataset;
  Segments* m_split;
  QLabel* m_note;
  QStandardItemModel* m_samples;
  QListView* m_list;
  std::unique_ptr<SamplePictures> m_pictures;
};

}  // namespace strata::ui
