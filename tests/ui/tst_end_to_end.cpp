// SPDX-License-Identifier: GPL-3.0-or-later
// One run from Train to a prediction, by mouse and keys: every lens is opened and compared with the
// files of the run, the rate changes, the run stops and continues, weights are exported, a file is
// predicted. With every lens open, the weights have the same bits as with none.
#include <QDrag>
#include <QLineEdit>
#include <QMimeData>
#include <QMouseEvent>
#include <QTabBar>
#include <QTableView>
#include <QtTest>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/interchange/safetensors.h"
#include "core/layer_statistics/layer_file.h"
#include "core/runs/history.h"
#include "core/runs/profile_file.h"
#include "core/runs/step_memory.h"
#include "gpu/devices/devices.h"
#include "tests/support/paths.h"
#include "tests/ui/support/window.h"
#include "ui/document/edits.h"
#include "ui/lenses/devices.h"
#include "ui/lenses/layers.h"
#include "ui/lenses/memory.h"
#include "ui/lenses/time.h"
#include "ui/models/layer_health_model.h"
#include "ui/pages/results/files_card.h"
#include "ui/pages/results/run_results.h"
#include "ui/plots/memory_time_plot.h"
#include "ui/plots/stacked_bars.h"
#include "ui/plots/step_time_plot.h"
#include "ui/run/run_view.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int kPatience = 150'000;

/// A window from which a file can be dragged, as from a file manager.
class FileSource : public QWidget {
 public:
  explicit FileSource(const std::filesystem::path& file)
      : m_url(QUrl::fromLocalFile(QString::fromStdString(file.string()))) {
    setWindowFlags(Qt::Tool | Qt::WindowStaysOnTopHint | Qt::FramelessWindowHint);
    setGeometry(0, 0, 40, 40);
    show();
  }

 protected:
  void mouseMoveEvent(QMouseEvent*) override {
    auto* dragged = new QMimeData;
    dragged->setUrls({m_url});
    auto* drag = new QDrag(this);
    drag->setMimeData(dragged);
    drag->exec(Qt::CopyAction);
  }

 private:
  const QUrl m_url;
};

/// A window on a project, and what a user does in it.
class User : public TestWindow {
 public:
  using TestWindow::TestWindow;
  RunController& run() { return window().runs().of(&document()); }
  RunView& view() { return window().runs().viewOf(&document()); }
  std::string directory() { return view().shown().start->runDirectory; }
  QTabBar* tabs() {
    for (auto* tabs : window().findChildren<QTabBar*>())
      if (tabs->accessibleName() == u"Views of the run"_s) return tabs;
    return nullptr;
  }
  bool openLens(const QString& title) {
    for (int i = 0; i < tabs()->count(); ++i) {
      if (tabs()->tabText(i) != title) continue;
      clickAt(tabs(), tabs()->tabRect(i).center());
      QTest::qWait(150);
      return tabs()->currentIndex() == i;
    }
    return false;
  }
  bool openEveryLens() {
    bool isAll = true;
    for (int i = 0; i < tabs()->count(); ++i)
      isAll &= openLens(tabs()->tabText(i));
    return isAll;
  }
  bool clickButton(const QString& words) {
    QAbstractButton* found = nullptr;
    const bool isThere = QTest::qWaitFor(
        [&] {
          for (auto* each : window().findChildren<QAbstractButton*>())
            if (each->isVisible() && each->isEnabled() && each->text().startsWith(words))
              found = each;
          return found != nullptr;
        },
        10'000);
    if (isThere) clickAt(found, found->rect().center());
    return isThere;
  }
  bool waitForEnd() {
    return QTest::qWaitFor([this] { return run().shown().outcome && !run().isActive(); },
                           kPatience);
  }
};

/// Compares what each lens shows of a run that has ended with the files of the run.
void compareWithFiles(User& user) {
  const std::string directory = user.directory();
  // Curves: each step of the history is in the series
  const HistoryReader history(directory + "/history.bin");
  double lastLoss = 0;
  int64_t steps = 0;
  for (size_t i = 0; i < history.size(); ++i)
    if (history[i].kind == HistoryKind::Step) {
      lastLoss = history[i].loss;
      ++steps;
    }
  QVERIFY(user.openLens(u"Curves"_s));
  QCOMPARE(user.view().shown().history.find("loss")->lastValue(), lastLoss);
  QCOMPARE(user.view().shown().step, steps);
  // Memory: the categories of memory.json, and its peak
  std::string problem;
  const auto memory = readStepMemory(directory, problem);
  QVERIFY2(memory, problem.c_str());
  QVERIFY(user.openLens(u"Memory"_s));
  const auto* lens = user.window().findChild<MemoryLens*>();
  QCOMPARE(user.view().shown().start->stepMemory->peakBytes(), memory->peakBytes());
  const auto& tops = lens->timePlots().at(0)->tops();
  QCOMPARE(tops[kNumCategories], static_cast<double>(memory->peakBytes()));
  // Time: the breakdown of profile.json
  const auto profile = readProfile(directory);
  QVERIFY(profile);
  QVERIFY(user.openLens(u"Time"_s));
  const StepBreakdown breakdown = breakdownOf(*profile);
  const StepBreakdown& shown = user.window().findChild<TimeLens*>()->stepTimes().present();
  QCOMPARE(shown.step, breakdown.step);
  for (size_t i = 0; i < kNumStepParts; ++i)
    QVERIFY(std::abs(shown.parts[i] - breakdown.parts[i]) <= 1e-9 * breakdown.step);
  // Layers: the last record of layers.bin
  const LayerFileReader layers(directory + "/" + kLayerFile);
  QVERIFY(layers.size() > 0);
  QVERIFY(user.openLens(u"Layers"_s));
  const LayerSample last = layers[layers.size() - 1];
  const LayerHealthModel& model = user.window().findChild<LayersLens*>()->model();
  QCOMPARE(model.rowCount(), static_cast<int>(last.layers.size()));
  for (int row = 0; row < model.rowCount(); ++row) {
    const float ratio = last.layers[static_cast<size_t>(row)].updateRatio;
    const double cell =
        model.index(row, LayerHealthModel::kUpdate).data(LayerHealthModel::kSortRole).toDouble();
    if (!std::isnan(ratio)) QCOMPARE(cell, static_cast<double>(ratio));
  }
  // Devices: the figures of each replica
  QVERIFY(user.openLens(u"Devices"_s));
  const auto& bars = user.window().findChild<DevicesLens*>()->memory().bars();
  const size_t replicas = profile->replicas.replicas.size();
  if (replicas < 2) return;
  QCOMPARE(bars.size(), replicas);
  for (size_t i = 0; i < replicas; ++i) {
    double sum = 0;
    for (const auto& part : bars[i].parts)
      sum += part.size;
    QCOMPARE(sum, static_cast<double>(profile->replicas.replicas[i].totalBytes()));
  }
}

/// Types a new learning rate into the form, as a user does during a run.
void changeRate(User& user, const QString& rate) {
  click(buttonWith(user.window(), u"Training"_s));
  user.openSections();
  auto* field = user.window().findChild<QLineEdit*>(u"learning_rate"_s);
  QVERIFY(field);
  reveal(field);
  clickAt(field, field->rect().center());
  QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
  QTest::keyClicks(field, rate);
  QTest::keyClick(field, Qt::Key_Return);
  QTRY_COMPARE(user.run().shown().history.find("learning_rate")->lastValue(), rate.toDouble());
}

/// Exports the weights, and compares the file with that of the run.
void exportWeights(User& user) {
  const QString target = user.folder() + u"/out.safetensors"_s;
  user.window().showPage(PageId::Results);
  press(Qt::Key_E, Qt::ControlModifier);
  chooseFile(user.window(), target);
  QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(target), 20'000);
  const TensorFile exported = readSafetensors(target.toStdString());
  const TensorFile trained = readSafetensors(user.directory() + "/weights.safetensors");
  QCOMPARE(exported.tensors.size(), trained.tensors.size());
  for (const auto& [name, tensor] : trained.tensors)
    QVERIFY2(std::ranges::equal(exported.tensors.at(name).as<float>(), tensor.as<float>()),
             name.c_str());
}

/// Drops the image of a seven on Results, and compares the prediction.
void predictASeven(User& user) {
  FileSource source(sourceDir() / "resources/mnist/digit-7.png");
  QVERIFY(QTest::qWaitForWindowExposed(&source));
  auto* page = user.window().findChild<RunResults*>();
  QVERIFY(page && page->isVisible());
  dragFromTo(&source, QPoint(20, 20), page, page->visibleRegion().boundingRect().center());
  const auto* card = user.window().findChild<FilesCard*>();
  QVERIFY(card);
  const auto* table = card->findChild<QTableView*>();
  QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() == 1, 20'000);
  QTRY_COMPARE(table->model()->index(0, 1).data().toString(), u"7"_s);
}

}  // namespace

class TestEndToEnd : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }
  void init() { QSettings().clear(); }

  void fromTrainToAPrediction_data() {
    QTest::addColumn<QString>("project");
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("epochs");
    QTest::newRow("processor") << u"mnist-cnn.json"_s << u"cpu"_s << 64 << 1;
    QTest::newRow("two replicas") << u"mnist-mlp-128.json"_s << u"cpu*2"_s << 32 << 20;
    QTest::newRow("two cards") << u"mnist-mlp-128.json"_s << u"simulated:H100*2"_s << 128 << 2;
  }
  void fromTrainToAPrediction() {
    QFETCH(QString, project);
    QFETCH(QString, device);
    QFETCH(int, batch);
    QFETCH(int, epochs);
    if (device.startsWith(u"simulated"_s) && !whyNoSimulatedCards().empty())
      QSKIP("simulated cards need the CUDA Toolkit");
    User user(project);
    submitValue(user.document(), "/execution/devices", Json(device.toStdString()));
    submitValue(user.document(), "/training/epochs", Json(epochs));
    submitValue(user.document(), "/training/batch_size", Json(batch));
    QVERIFY(user.waitForInspection());
    click(user.named(u"Train this network"_s));
    QCOMPARE(user.window().page(), PageId::Train);
    QTRY_VERIFY_WITH_TIMEOUT(user.run().shown().step > 20, kPatience);
    QVERIFY(user.openEveryLens());
    QVERIFY(user.openLens(u"Layers"_s));
    QVERIFY(user.clickButton(u"Sample now"_s));
    changeRate(user, u"0.0005"_s);
    QVERIFY(user.clickButton(u"Stop"_s));
    QVERIFY(user.waitForEnd());
    QCOMPARE(user.run().shown().outcome->outcome, Outcome::Stopped);
    const int64_t stopped = user.run().shown().step;
    QVERIFY(user.clickButton(u"Continue"_s));
    QTRY_VERIFY(user.run().isActive());
    QTRY_VERIFY_WITH_TIMEOUT(user.run().shown().step > stopped + 10, kPatience);
    QVERIFY(user.openEveryLens());
    // The rest of the run is too short for a sample by itself
    QVERIFY(user.openLens(u"Layers"_s));
    QVERIFY(user.clickButton(u"Sample now"_s));
    QVERIFY(user.waitForEnd());
    QCOMPARE(user.run().shown().outcome->outcome, Outcome::Finished);
    compareWithFiles(user);
    if (QTest::currentTestFailed()) return;
    exportWeights(user);
    if (QTest::currentTestFailed()) return;
    predictASeven(user);
  }

  void openLensesChangeNoBit_data() {
    QTest::addColumn<QString>("device");
    QTest::newRow("processor") << u"cpu"_s;
    QTest::newRow("two replicas") << u"cpu*2"_s;
  }
  void openLensesChangeNoBit() {
    QFETCH(QString, device);
    std::string watched, alone;
    for (const bool isWatched : {true, false}) {
      User user(u"mnist-mlp-128.json"_s);
      submitValue(user.document(), "/execution/devices", Json(device.toStdString()));
      submitValue(user.document(), "/training/epochs", Json(3));
      QVERIFY(user.waitForInspection());
      click(user.named(u"Train this network"_s));
      QTRY_VERIFY_WITH_TIMEOUT(user.run().shown().start, kPatience);
      if (!isWatched) user.window().showPage(PageId::Data);
      while (isWatched && user.run().isActive())
        QVERIFY(user.openEveryLens());
      QVERIFY(user.waitForEnd());
      QCOMPARE(user.run().shown().outcome->outcome, Outcome::Finished);
      if (isWatched) {
        user.window().showPage(PageId::Train);
        compareWithFiles(user);
        if (QTest::currentTestFailed()) return;
      }
      (isWatched ? watched : alone) = user.run().shown().outcome->weightsHash;
    }
    QVERIFY(!watched.empty());
    QCOMPARE(watched, alone);
  }
};

QTEST_MAIN(TestEndToEnd)
#include "tst_end_to_end.moc"
