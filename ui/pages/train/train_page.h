// SPDX-License-Identifier: GPL-3.0-or-later
// Page 3: one run through lenses as tabs, with a banner for its end or failure. Thread: the window's.
#pragma once

#include <QWidget>

#include "ui/lenses/lens.h"

class QLabel;
class QFrame;
class QHBoxLayout;
class QStackedWidget;

namespace strata::ui {

/// What the card at the end of a run offers; each is wired by the frame.
enum class ResultAction { DrawDigit, SeeMistakes, SeeTime, Export };

class TrainPage : public QWidget {
  Q_OBJECT
 public:
  TrainPage(const LensContext& context, QWidget* parent);

 Q_SIGNALS:
  void trainRequested();
  void resultActionRequested(ResultAction action);

 private:
  QWidget* makeEmptyView();
  void makeBanner();
  void onState();
  void onEnded();

  const LensContext m_context;
  QStackedWidget* m_stack;
  QFrame* m_banner;
  QLabel* m_bannerText;
  QHBoxLayout* m_bannerActions;
};

}  // namespace strata::ui
