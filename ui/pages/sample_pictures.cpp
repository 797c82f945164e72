// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/sample_pictures.h"

#include <QPixmap>
#include <QStandardItemModel>

#include "ui/pages/sample_image.h"

namespace strata::ui {

SamplePictures::SamplePictures(QStandardItemModel* list, int size) : m_list(list), m_size(size) {
  m_timer.setInterval(0);
  QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { showNext(); });
}

void SamplePictures::show(std::shared_ptr<const Samples> samples, std::vector<int64_t> indices) {
  stop();
  m_samples = std::move(samples);
  m_indices = std::move(indices);
  if (!m_samples->decode) {
    while (m_next < m_indices.size())
      showNext();
    return;
  }
  // The list uses the size of the first row for all rows, so blank images reserve the space.
  QPixmap blank(m_size, m_size);
  blank.fill(Qt::transparent);
  for (int row = 0; row < m_list->rowCount(); ++row)
    m_list->item(row)->setIcon(blank);
  m_timer.start();
}

void SamplePictures::stop() {
  m_timer.stop();
  m_indices.clear();
  m_next = 0;
}

void SamplePictures::showNext() {
  if (m_next >= m_indices.size()) return m_timer.stop();
  const QImage image = sampleImage(*m_samples, m_indices[m_next]);
  QStandardItem* item = m_list->item(static_cast<int>(m_next++));
  if (item && !image.isNull())
    item->setIcon(QPixmap::fromImage(
        image.scaled(m_size, m_size, Qt::KeepAspectRatio, Qt::FastTransformation)));
}

}  // namespace strata::ui
