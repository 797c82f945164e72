// SPDX-License-Identifier: GPL-3.0-or-later
// A card with a drawing pad and the network's prediction for each class. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <vector>

#include "gpu/tensor/tensor.h"

class QLabel;
class QStandardItemModel;
class QTableView;

namespace strata::ui {

class DigitPad;

class TryCard : public QWidget {
  Q_OBJECT
 public:
  explicit TryCard(QWidget* parent = nullptr);
  /// Sets the size of the network's input in pixels.
  void setInput(int height, int width);
  void setAnswer(const std::vector<float>& output);
  void clear();
  void focusPad();

 Q_SIGNALS:
  void asked(const Tensor& sample);

 private:
  void ask();
  void clearAnswer();
  DigitPad* m_pad;
  QLabel* m_answer;
  QStandardItemModel* m_classes;
  QTableView* m_table;
  int m_height = 28, m_width = 28;
};

}  // namespace strata::ui
