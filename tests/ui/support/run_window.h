// SPDX-License-Identifier: GPL-3.0-or-later
// A window for tests of runs. Thread: GUI thread.
#pragma once

#include <QAbstractButton>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "tests/ui/support/window.h"
#include "ui/document/edits.h"
#include "ui/main_window/train_button.h"
#include "ui/models/layer_item_model.h"
#include "ui/pages/design_change_line.h"
#include "ui/run/run_controller.h"
#include "ui/workspace/runs.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

/// A window with a small network whose run takes a second or two.
class RunWindow : public TestWindow {
 public:
  enum class Data { Random, Digits };
  explicit RunWindow(int epochs = 1, Data data = Data::Random)
      : TestWindow(u"mnist-mlp-128.json"_s) {
    if (data == Data::Random)
      submitValue(document(), "/data/source",
                  Json{{"type", "random"},
                       {"samples", 960},
                       {"shape", {28, 28, 1}},
                       {"classes", 10},
                       {"seed", 4}});
    submitValue(document(), "/training/epochs", Json(epochs));
    if (data == Data::Digits) submitValue(document(), "/training/batch_size", Json(512));
    waitForInspection();
    // The wait lets the chips of the status row get their final width.
    (void)QTest::qWaitFor([this] { return document().checks().estimate().hasMemory; }, 10000);
    QTest::qWait(100);
  }
  RunController& run() { return window().runs().of(&document()); }
  void showPage(PageId page) {
    window().showPage(page);
    QTest::qWait(50);
  }
  /// Returns the button that starts training, which is Train or the first offer.
  QPushButton* starter() { return window().findChild<TrainButton*>()->findChild<QPushButton*>(); }
  bool press(QWidget* widget) {
    if (!widget->isVisible()) return false;
    clickAt(widget, widget->rect().center());
    return true;
  }
  /// Returns the visible button whose text starts with these words, or null.
  QAbstractButton* button(const QString& words) {
    for (auto* each : window().findChildren<QAbstractButton*>())
      if (each->isVisible() && each->text().startsWith(words)) return each;
    return nullptr;
  }
  bool click(const QString& words) {
    QAbstractButton* found = nullptr;
    const bool isThere = QTest::qWaitFor(
        [&] { return (found = button(words)) != nullptr && found->isEnabled(); }, 5000);
    if (isThere) clickAt(found, found->rect().center());
    return isThere;
  }
  bool waitForEnd() {
    return QTest::qWaitFor([this] { return run().shown().outcome && !run().isActive(); }, 60000);
  }
  bool trainToEnd() { return press(starter()) && waitForEnd(); }
  bool trainAndStop(int64_t steps) {
    if (!press(starter()) || !QTest::qWaitFor([&] { return run().shown().step > steps; }, 60000))
      return false;
    return click(u"Stop"_s) && waitForEnd();
  }
  DesignChangeLine* changes() {
    for (auto* line : window().findChildren<DesignChangeLine*>())
      if (line->isVisible()) return line;
    return nullptr;
  }
  QAbstractItemModel* network() {
    return static_cast<QListView*>(named(u"Layers of the network"_s))->model();
  }
  QModelIndex cost(const QString& layer) {
    for (int row = 0; row < network()->rowCount(); ++row)
      if (network()->index(row, 0).data() == layer)
        return network()->index(row, LayerItemModel::Cost);
    return {};
  }
};

/// Returns a visible label whose text contains these words, or null.
inline QLabel* labelWith(TestWindow& test, const QString& words) {
  for (auto* each : test.window().findChildren<QLabel*>())
    if (each->isVisible() && each->text().contains(words)) return each;
  return nullptr;
}

}  // namespace strata::ui
