// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the Layers lens: its figures are those of the run's file, verdicts are words, a NaN leads
// to its layer and batch, and layers are drawn and checked by clicks.
#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QTabBar>
#include <QTableView>
#include <QtTest>

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/layer_statistics/layer_file.h"
#include "tests/ui/support/run_window.h"
#include "ui/format.h"
#include "ui/lenses/layer_check_card.h"
#include "ui/lenses/layer_pictures.h"
#include "ui/lenses/layers.h"
#include "ui/models/layer_health_model.h"
#include "ui/plots/distribution_plot.h"
#include "ui/plots/layer_curve.h"
#include "ui/plots/tensor_picture.h"
#include "ui/run/run_view.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

class LayersWindow : public RunWindow {
 public:
  using RunWindow::RunWindow;
  LayersLens& lens() { return *window().findChild<LayersLens*>(); }
  void showLens() {
    showPage(PageId::Train);
    for (auto* tabs : window().findChildren<QTabBar*>())
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->accessibleName() == u"Views of the run"_s && tabs->tabText(i) == u"Layers"_s)
          clickAt(tabs, tabs->tabRect(i).center());
    QTest::qWait(100);
  }
  RunView& view() { return window().runs().viewOf(&document()); }
  std::string directory() { return view().shown().start->runDirectory; }
  QTableView* table() {
    for (auto* view : lens().findChildren<QTableView*>())
      if (view->accessibleName() == u"Layers"_s && view->isVisible()) return view;
    return nullptr;
  }
};

}  // namespace

class TestLayersLens : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }
  void init() { QSettings().clear(); }

  void theFiguresAreThoseOfTheFile() {
    LayersWindow test(150);
    QVERIFY(test.trainToEnd());
    test.showLens();
    const LayerFileReader file(test.directory() + "/" + kLayerFile);
    QVERIFY(file.size() > 0);
    const LayerSample last = file[file.size() - 1];
    QTableView* table = test.table();
    QVERIFY(table);
    QCOMPARE(table->model()->rowCount(), static_cast<int>(last.layers.size()));
    const auto hidden = file.find("hidden");
    QVERIFY(hidden);
    // A click on its row shows the layer
    QString change;
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      const QModelIndex index = table->model()->index(row, LayerHealthModel::kName);
      if (index.data() != u"hidden"_s) continue;
      QCOMPARE(table->model()
                   ->index(row, LayerHealthModel::kUpdate)
                   .data(LayerHealthModel::kSortRole)
                   .toDouble(),
               static_cast<double>(last.layers[*hidden].updateRatio));
      change = index.siblingAtColumn(LayerHealthModel::kUpdate).data().toString();
      reveal(table);
      table->scrollTo(index);
      clickAt(table->viewport(), table->visualRect(index).center());
    }
    QTRY_COMPARE(test.document().selection(), QStringList{u"hidden"_s});
    const auto& weights = test.lens().distributions()[0]->points();
    QVERIFY(!weights.empty());
    QCOMPARE(weights.back().statistics.mean, last.layers[*hidden].weights.mean);
    QCOMPARE(weights.back().statistics.bins, last.layers[*hidden].weights.bins);
    QCOMPARE(test.lens().updateRatio().points().back().second,
             static_cast<double>(last.layers[*hidden].updateRatio));
    // The sentence has the figure of the table
    QVERIFY(change.endsWith(u'%'));
    QVERIFY2(labelWith(test, u"A step changes the weights by %1 of"_s.arg(change)),
             qPrintable(change));
    QVERIFY(labelWith(test, u"hidden: "_s));
    QVERIFY2(namelessWidgets(test.window()).isEmpty(),
             qPrintable(namelessWidgets(test.window()).join(u", "_s)));
  }

  void aShortRunIsSampledOnlyWhenItIsAsked() {
    LayersWindow test(2);
    QVERIFY(test.trainToEnd());
    test.showLens();
    QVERIFY(test.view().shown().layers.isEmpty());
    QVERIFY(labelWith(test, u"a sample would take more than 3% of the time of only"_s));
    auto* now = test.button(u"Sample now"_s);
    QVERIFY(now);
    QVERIFY(!now->isEnabled());
  }

  void samplingIsSwitchedWhileTheRunTrains() {
    LayersWindow test(2000);
    test.run().setSamplesLayers(false);
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY(test.run().shown().step > 2);
    test.showLens();
    QCheckBox* box = test.lens().findChild<QCheckBox*>();
    QVERIFY(box && !box->isChecked());
    QVERIFY(labelWith(test, u"does not sample its layers"_s));
    QVERIFY(!test.table());
    auto* now = test.button(u"Sample now"_s);
    QVERIFY(now && now->isEnabled());
    reveal(now);
    clickAt(now, now->rect().center());
    QTRY_VERIFY(!test.view().shown().layers.isEmpty());
    QTRY_VERIFY(test.table());
    QVERIFY(box->isChecked());
    QVERIFY(test.run().isActive());
    const int64_t first = test.view().shown().layers.last().step;
    // A second one is asked for at once
    clickAt(now, now->rect().center());
    QTRY_VERIFY(test.view().shown().layers.last().step > first);
    reveal(box);
    clickAt(box, QPoint(8, box->height() / 2));
    QTRY_VERIFY(test.view().shown().layers.sampling()->isOff);
    QTRY_VERIFY(labelWith(test, u"sampling is off"_s));
    const int64_t last = test.view().shown().layers.last().step, step = test.run().shown().step;
    QTRY_VERIFY(test.run().shown().step > step + 50);
    QCOMPARE(test.view().shown().layers.last().step, last);
    QVERIFY(test.click(u"Stop"_s));
    QVERIFY(test.waitForEnd());
  }

  void aContinuedRunKeepsItsSamples() {
    LayersWindow test(1000000);
    QVERIFY(test.trainAndStop(300));
    QVERIFY(!test.view().shown().layers.isEmpty());
    const int64_t first = test.view().shown().layers.samples().front()->step;
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY(test.view().isLive() && test.run().shown().start);
    QVERIFY(test.run().shown().start->firstStep > first);
    QVERIFY(!test.view().shown().layers.isEmpty());
    QCOMPARE(test.view().shown().layers.samples().front()->step, first);
    QVERIFY(test.click(u"Stop"_s));
    QVERIFY(test.waitForEnd());
  }

  void samplingIsSwitchedOffByAClick() {
    LayersWindow test(150);
    QVERIFY(test.trainToEnd());
    QVERIFY(!test.view().shown().layers.isEmpty());
    const std::string sampled = test.run().shown().outcome->weightsHash;
    test.showLens();
    QCheckBox* box = test.lens().findChild<QCheckBox*>();
    QVERIFY(box && box->isChecked());
    reveal(box);
    clickAt(box, QPoint(8, box->height() / 2));
    QVERIFY(!box->isChecked());
    // A new run, because a continued one samples as before
    test.run().start(test.document().project());
    QTRY_VERIFY(test.view().isLive());
    QVERIFY(test.waitForEnd());
    QVERIFY(test.view().shown().layers.isEmpty());
    QVERIFY(labelWith(test, u"did not sample them"_s));
    // Sampling changed no bit
    QCOMPARE(test.run().shown().outcome->weightsHash, sampled);
  }

  void aNanLeadsToItsLayerAndBatch() {
    LayersWindow test(3);
    submitValue(test.document(), "/training/optimizer",
                Json{{"type", "sgd"}, {"learning_rate", 1e30}});
    QVERIFY(test.waitForInspection());
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY(test.view().shown().outcome.has_value());
    QCOMPARE(test.view().shown().outcome->outcome, Outcome::Failed);
    test.showLens();
    const auto& batch = test.view().shown().keptBatch;
    QVERIFY(batch);
    QVERIFY(!batch->indices.empty());
    QVERIFY(labelWith(test, text(batch->message)));
    if (!batch->layer.empty()) {
      auto* show = test.button(u"Show "_s + text(batch->layer));
      QVERIFY(show);
      reveal(show);
      clickAt(show, show->rect().center());
      QTRY_COMPARE(test.document().selection(), QStringList{text(batch->layer)});
    }
  }

  void layersAreDrawnAndChecked() {
    LayersWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens();
    test.lens().selectLayer(u"hidden"_s);
    LayerPictures& pictures = test.lens().pictures();
    auto* kind = static_cast<QComboBox*>(test.named(u"What to show"_s));
    QVERIFY(kind);
    QSignalSpy drawn(&pictures, &LayerPictures::finished);
    const auto showWith = [&](int index) {
      reveal(kind);
      kind->setCurrentIndex(index);
      auto* show = pictures.findChild<QPushButton*>();
      reveal(show);
      clickAt(show, show->rect().center());
    };
    showWith(1);
    QTRY_COMPARE(drawn.size(), 1);
    QCOMPARE(drawn[0][0].toString(), QString());
    QCOMPARE(pictures.values()->numElements(), 128);
    QVERIFY(!pictures.image().isNull());
    showWith(2);
    QTRY_COMPARE(drawn.size(), 2);
    QCOMPARE(drawn[1][0].toString(), QString());
    QCOMPARE(pictures.values()->shape()[0], 28);
    // A dense layer has no filters, and the card says so
    showWith(0);
    QTRY_COMPARE(drawn.size(), 3);
    QVERIFY(drawn[2][0].toString().contains(u"hidden"_s));
    LayerCheckCard& check = test.lens().check();
    QSignalSpy checked(&check, &LayerCheckCard::finished);
    auto* start = check.findChild<QPushButton*>();
    reveal(start);
    clickAt(start, start->rect().center());
    QTRY_COMPARE_WITH_TIMEOUT(checked.size(), 1, 20000);
    QVERIFY(check.result());
    QVERIFY(check.result()->isEqual());
    QCOMPARE(check.result()->tensors.front().name, std::string("output"));
  }

  void picturesHaveTheirValues() {
    Tensor values(DType::F32, {2, 3, 4});
    for (size_t i = 0; i < 24; ++i)
      values.as<float>()[i] = static_cast<float>(i);
    QCOMPARE(numPictures(values), 4);
    const QImage grid = tensorPicture(values, 400, Qt::blue);
    // The first value of each channel is its smallest one, and the last its largest
    QCOMPARE(qGray(grid.pixel(1, 1)), 0);
    QVERIFY(!tensorPicture(values, 400, Qt::blue, 1).isNull());
    QVERIFY(tensorPicture(Tensor(DType::F32, {0}), 400, Qt::blue).isNull());
  }
};

QTEST_MAIN(TestLayersLens)
#include "tst_layers_lens.moc"
