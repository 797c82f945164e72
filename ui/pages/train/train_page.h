// SPDX-License-Identifier: GPL-3.0-or-later
// The Train page. It shows one run in several views, called lenses. A banner reports how the run
// ended. Thread: GUI thread.
#pragma once

#include <QWidget>

#include "ui/lenses/lens.h"

class QFrame;
class QHBoxLayout;
class QPushButton;
class QStackedWidget;

namespace strata {
struct PlanRemedy;
}

namespace strata::ui {

class DesignChangeLine;
class ElidedLabel;
class Navigation;
class ReplayBar;

class TrainPage : public QWidget {
  Q_OBJECT
 public:
  TrainPage(const LensContext& context, Navigation& navigation, QWidget* parent);

 private:
  QWidget* makeEmptyView();
  QWidget* makeLensView();
  void makeBanner();
  void onState();
  void showReplayBar();
  void clearBanner();
  void offerDiskAnswers();
  void showOutcome();
  struct Refusal {
    QString words;
    // This is null if no remedy is known.
    const PlanRemedy* fastest;
  };
  Refusal refusal() const;
  void showTooLarge();
  QPushButton* offer(const QString& caption);
  void offer(const QString& caption, const QString& action);
  void showTime();
  void showLens(std::string_view id);

  const LensContext m_context;
  Navigation& m_navigation;
  DesignChangeLine* m_changes;
  // Null unless the page shows a recording
  ReplayBar* m_replayBar = nullptr;
  QStackedWidget* m_stack;
  QStackedWidget* m_lenses;
  // It keeps its place while it is empty, so that nothing moves when a run starts or ends.
  QFrame* m_banner;
  ElidedLabel* m_bannerText;
  // What the banner says of a run that does not fit, with marks for italics
  QString m_refusal;
  QHBoxLayout* m_bannerActions;
};

}  // namespace strata::ui
