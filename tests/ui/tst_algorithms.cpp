// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the algorithms in the Inspector with the mouse: a card's algorithms of a layer are listed,
// one is chosen, and undo takes it back. Skipped where simulated cards or cuDNN are missing.
#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/cost/simulated_card.h"
#include "core/train/algorithms.h"
#include "gpu/devices/devices.h"
#include "tests/ui/support/window.h"
#include "ui/dialogs/memory_panel.h"
#include "ui/format.h"
#include "ui/inspector/algorithm_section.h"
#include "ui/plots/memory_card.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

const Json::json_pointer kDevices("/execution/devices"), kAlgorithms("/execution/algorithms");

/// A window on a project for a simulated card, with the layer conv1 selected.
class CardWindow : public TestWindow {
 public:
  CardWindow() {
    document().submit({{}, {}, {setOperation("/execution/devices", "simulated:H100")}, {}});
    waitForInspection();
    document().setSelection({u"conv1"_s});
  }
  AlgorithmSection* section() { return window().findChild<AlgorithmSection*>(); }
  /// Returns the visible list of the algorithms of an op, or null.
  QComboBox* choices(const QString& op) {
    for (auto* each : window().findChildren<QComboBox*>(u"algorithm/"_s + op))
      if (each->isVisible()) return each;
    return nullptr;
  }
  QComboBox* waitForChoices(const QString& op) {
    (void)QTest::qWaitFor([&] { return choices(op) != nullptr; }, 60000);
    return choices(op);
  }
  /// Opens the list with the mouse and clicks an entry.
  void choose(QComboBox* box, int row) {
    QAbstractItemView* view = box->view();
    // The form grows when choices of other layers arrive, and may move the box away
    for (int i = 0; i < 5 && !view->isVisible(); ++i) {
      waitUntilStill(box);
      reveal(box);
      clickAt(box, box->rect().center());
      (void)QTest::qWaitFor([&] { return view->isVisible(); }, 1000);
    }
    QVERIFY(view->isVisible());
    QTest::qWait(50);
    const QModelIndex index = view->model()->index(row, 0);
    view->scrollTo(index);
    clickAt(view->viewport(), view->visualRect(index).center());
    QTRY_VERIFY(!view->isVisible());
  }
  Json algorithms() {
    const Json& json = document().json();
    return json.contains(kAlgorithms) ? json.at(kAlgorithms) : Json();
  }
};

bool isUsable() {
  if (!whyNoSimulatedCards().empty()) return false;
  TestWindow test;
  Project project = test.document().project();
  project.document()["execution"]["devices"] = "simulated:H100";
  for (const LayerAlgorithm& each : algorithmsOfLayer(CheckedProject(project), "conv1"))
    if (each.op == "conv2d" && each.offered.size() > 1) return true;
  return false;
}

}  // namespace

class TestAlgorithms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    prepareApplication();
    if (!isUsable()) QSKIP("needs simulated cards and cuDNN");
  }

  void aCardListsTheAlgorithmsOfALayer() {
    CardWindow test;
    QComboBox* forward = test.waitForChoices(u"conv2d"_s);
    QVERIFY(forward);
    QVERIFY(test.choices(u"conv2d_backward_weights"_s));
    // The first layer has no gradient of its input
    QVERIFY(!test.choices(u"conv2d_backward_data"_s));
    QVERIFY(forward->count() > 3);
    QCOMPARE(forward->currentIndex(), 0);
    QVERIFY2(forward->currentText().contains(forward->itemData(1).toString()),
             qPrintable(forward->currentText()));
    QVERIFY(forward->itemData(1).toString().startsWith(u"eng"_s));
    QCOMPARE(namelessWidgets(*test.section()), QStringList());
    // A layer without products has none, and says so
    test.document().setSelection({u"pool1"_s});
    QTRY_VERIFY_WITH_TIMEOUT(test.section()->isVisible() && !test.choices(u"conv2d"_s), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(std::ranges::any_of(test.section()->findChildren<QLabel*>(),
                                                 [](const QLabel* label) {
                                                   return label->isVisible() &&
                                                          label->text().contains(u"one kernel"_s);
                                                 }),
                             20000);
  }

  void attentionNamesItsKernelsAndTheReason() {
    CardWindow test;
    const Json layers = Json::array(
        {{{"type", "Input"}, {"name", "image"}, {"shape", {28, 28, 1}}},
         {{"type", "Reshape"}, {"name", "rows"}, {"target_shape", {28, 28}}},
         {{"type", "MultiHeadAttention"},
          {"name", "attend"},
          {"inputs", {"rows", "rows"}},
          {"num_heads", 2},
          {"key_dim", 16}},
         {{"type", "Flatten"}, {"name", "flat"}},
         {{"type", "Dense"}, {"name", "digit"}, {"units", 10}, {"activation", "softmax"}}});
    test.document().submit({{}, {}, {setOperation("/model/layers", layers)}, {}});
    test.waitForInspection();
    test.document().setSelection({u"attend"_s});
    const auto shows = [&](const QString& op, const QString& words) {
      return std::ranges::any_of(
          test.section()->findChildren<QLabel*>(u"path/"_s + op),
          [&](const QLabel* label) { return label->isVisible() && label->text() == words; });
    };
    const QString own = u"%1: own kernel, because cuDNN has no attention in float32"_s;
    for (const QString& op : {u"attention"_s, u"attention_backward"_s})
      QTRY_VERIFY_WITH_TIMEOUT(shows(op, own.arg(op)), 60000);
    test.document().submit({{}, {}, {setOperation("/execution/precision", "bfloat16")}, {}});
    for (const QString& op : {u"attention"_s, u"attention_backward"_s})
      QTRY_VERIFY_WITH_TIMEOUT(shows(op, u"%1: cuDNN fused"_s.arg(op)), 60000);
  }

  void anAlgorithmIsChosenAndUndoTakesItBack() {
    CardWindow test;
    QComboBox* box = test.waitForChoices(u"conv2d"_s);
    QVERIFY(box);
    const QString name = box->itemData(3).toString();
    test.choose(box, 3);
    const Json expected{{"conv1", {{"conv2d", name.toStdString()}}}};
    QCOMPARE(test.algorithms(), expected);
    QTRY_VERIFY_WITH_TIMEOUT(
        test.choices(u"conv2d"_s) && test.choices(u"conv2d"_s)->currentData().toString() == name,
        60000);
    QCOMPARE(test.document().undoStack()->count(), 2);
    QVERIFY(test.document().undoStack()->undoText().contains(name));
    test.document().undoStack()->undo();
    QVERIFY(test.algorithms().is_null());
    QTRY_VERIFY_WITH_TIMEOUT(
        test.choices(u"conv2d"_s) && test.choices(u"conv2d"_s)->currentIndex() == 0, 60000);
    test.document().undoStack()->redo();
    QTRY_VERIFY_WITH_TIMEOUT(
        test.choices(u"conv2d"_s) && test.choices(u"conv2d"_s)->currentData().toString() == name,
        60000);
    // Automatic removes the entry, and with the last one the object
    test.choose(test.choices(u"conv2d"_s), 0);
    QVERIFY(test.algorithms().is_null());
  }

  void anUnknownAlgorithmIsShownAsNotOffered() {
    CardWindow test;
    test.document().submit(
        {{}, {}, {setOperation("/execution/algorithms/conv1/conv2d", "eng12345")}, {}});
    QTRY_VERIFY_WITH_TIMEOUT(
        test.choices(u"conv2d"_s) &&
            test.choices(u"conv2d"_s)->currentText().contains(u"eng12345, not offered"_s),
        60000);
  }

  void theMemoryOfTheContextIsACategoryOfItsOwn() {
    CardWindow test;
    const auto words = [](QWidget& parent) {
      QStringList result;
      for (const QLabel* label : parent.findChildren<QLabel*>())
        result << label->text();
      return result;
    };
    const DocumentChecks& checks = test.document().checks();
    QTRY_VERIFY_WITH_TIMEOUT(checks.estimate().memory.context > 0, 60000);
    const MemoryFigures& memory = checks.estimate().memory;
    QVERIFY(memory.isContextEstimated);
    QVERIFY(memory.limit + memory.context < memory.machine);
    const QString size = formatBytes(static_cast<double>(memory.context));
    auto* panel = new MemoryPanel(test.document(), &test.window());
    QVERIFY(words(*panel).contains(u"Context and libraries (estimate)"_s));
    QVERIFY(words(*panel).contains(italic(size)));
    delete panel;

    MemoryCard card;
    RunStart start;
    start.device = "simulated:H100 SXM";
    start.plannedPeakBytes = 1 << 20;
    start.memoryPlan.byCategoryAtPeak[0] = 1 << 20;
    card.setPlan(start, 1e9, {static_cast<double>(memory.context), true});
    QVERIFY(words(card).contains(u"Context and libraries (estimate)"_s));
    QVERIFY(words(card).contains(size));
    QVERIFY(!words(card).contains(u"Samples on the card"_s));
    start.keptDataBytes = 3 << 20;
    card.setPlan(start, 1e9, {});
    QVERIFY(words(card).contains(u"Samples on the card"_s));
    QVERIFY(words(card).contains(formatBytes(3 << 20)));
    QVERIFY(!words(card).contains(size));
  }

  void otherDevicesHaveNoAlgorithms() {
    CardWindow test;
    QVERIFY(test.waitForChoices(u"conv2d"_s));
    test.document().submit({{}, {}, {setOperation("/execution/devices", "cpu")}, {}});
    QTRY_VERIFY_WITH_TIMEOUT(!test.section()->isVisible(), 20000);
  }

  void aRenamedLayerKeepsItsAlgorithmAndARemovedOneTakesItAway() {
    CardWindow test;
    test.document().submit(
        {{}, {}, {setOperation("/execution/algorithms/conv1/conv2d", "eng0")}, {}});
    test.document().submit(renameLayerEdit(test.document().json(), std::string("conv1"), "first"));
    QCOMPARE(test.algorithms(), Json({{"first", {{"conv2d", "eng0"}}}}));
    test.document().submit(removeLayersEdit(test.document().json(), {std::string("first")}));
    QCOMPARE(test.algorithms(), Json::object());
  }
};

QTEST_MAIN(TestAlgorithms)
#include "tst_algorithms.moc"
