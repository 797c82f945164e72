// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that every view names predicted figures so, in italics, and says that their times may be
// too long if the machine was busy while they were measured.
#include <QProcess>
#include <QTabBar>
#include <QtTest>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/project/resources.h"
#include "core/project/text.h"
#include "core/train/plan.h"
#include "tests/ui/support/run_window.h"
#include "ui/dialogs/memory_panel.h"
#include "ui/format.h"
#include "ui/main_window/network_list.h"
#include "ui/models/layer_item_model.h"
#include "ui/pages/design/strip.h"
#include "ui/run/recording.h"
#include "ui/run/replay.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

/// Programs that take all processors.
class BusyMachine {
 public:
  BusyMachine() {
    const unsigned count = 3 * std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; ++i) {
      m_programs.push_back(std::make_unique<QProcess>());
      m_programs.back()->start(u"sh"_s, {u"-c"_s, u"while :; do :; done"_s});
      m_programs.back()->waitForStarted();
    }
  }
  ~BusyMachine() {
    for (const auto& each : m_programs) {
      each->kill();
      each->waitForFinished();
    }
  }
  BusyMachine(const BusyMachine&) = delete;
  BusyMachine& operator=(const BusyMachine&) = delete;

 private:
  std::vector<std::unique_ptr<QProcess>> m_programs;
};

QString warning() { return QString::fromStdString(formatText(kBusyTimes)); }

/// Returns the texts and tooltips of the visible labels in a widget.
QString textsIn(const QWidget& widget) {
  QString all;
  for (const auto* label : widget.findChildren<QLabel*>())
    if (label->isVisible()) all += label->text() + u'\n' + label->toolTip() + u'\n';
  return all;
}

}  // namespace

class TestPredicted : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void everyViewSaysThatTheMachineWasBusy() {
    std::optional<BusyMachine> busy(std::in_place);
    TestWindow test;
    // A recording has lenses without training on the busy machine
    test.window().showRecording(readRecording(resourcePath("recordings/simulated-h100x2-run")));
    test.window().runs().replayOf(&test.document())->setPlaying(false);
    submitValue(test.document(), "/execution/devices", Json("cpu"));
    QVERIFY(test.waitForInspection());
    const auto estimate = [&]() -> const Estimate& {
      return test.document().checks().estimate();
    };
    QTRY_VERIFY_WITH_TIMEOUT(estimate().device == "cpu" && estimate().hasTime && estimate().isBusy,
                             120000);
    QTRY_VERIFY_WITH_TIMEOUT(estimate().curve.size() > 1, 120000);

    busy.reset();

    // The strip over the design
    test.window().showPage(PageId::Design);
    QTest::qWait(50);
    auto* strip = test.window().findChild<Strip*>();
    QVERIFY(strip);
    const QString words = textsIn(*strip);
    QVERIFY2(words.contains(warning()), qPrintable(words));
    QVERIFY2(words.contains(u"Predicted: needs <i>"_s), qPrintable(words));

    // The list of layers: its costs, and the line under it
    test.window().showPage(PageId::Train);
    QTest::qWait(50);
    auto* list = test.window().findChild<NetworkList*>();
    auto* model = list->findChild<LayerItemModel*>();
    for (const CostKind kind : {CostKind::Time, CostKind::Memory}) {
      model->setCostKind(kind);
      QTest::qWait(30);
      const QString source = textsIn(*list);
      QVERIFY2(source.contains(u"Predicted"_s), qPrintable(source));
      QCOMPARE(source.contains(warning()), kind == CostKind::Time);
    }
    model->setCostKind(CostKind::Time);
    const QModelIndex cost = model->index(1, LayerItemModel::Cost);
    QVERIFY(cost.data(LayerItemModel::IsPredictedRole).toBool());
    QVERIFY(cost.data(Qt::ToolTipRole).toString().contains(u"predicted on"_s));
    QVERIFY(cost.data(Qt::ToolTipRole).toString().contains(warning()));

    // The inspector
    test.document().setSelection({u"hidden"_s});
    QTest::qWait(50);
    bool hasTime = false;
    for (const auto* label : test.window().findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(u"which was busy"_s)) {
        hasTime = true;
        QCOMPARE(label->toolTip(), warning());
        QVERIFY2(label->text().contains(u"<i>"_s) && label->text().contains(u"predicted"_s),
                 qPrintable(label->text()));
      }
    QVERIFY(hasTime);
    QVERIFY(labelWith(test, u"predicted at the peak"_s));

    // The panel of the memory chip
    test.window().actionTable()[u"view.memory"_s]->trigger();
    MemoryPanel* panel = nullptr;
    QTRY_VERIFY((panel = test.window().findChild<MemoryPanel*>()) && panel->isVisible());
    const QString figures = textsIn(*panel);
    QVERIFY2(figures.contains(warning()), qPrintable(figures));
    for (const QString& title :
         {u"Predicted at the peak"_s, u"Predicted during a run"_s, u"more time, predicted"_s})
      QVERIFY2(figures.contains(title), qPrintable(figures));
    panel->close();

    // The Memory lens: the answer of What if, and the slider of budgets
    auto* tabs = qobject_cast<QTabBar*>(test.named(u"Views of the run"_s));
    QVERIFY(tabs);
    clickAt(tabs, tabs->tabRect(2).center());
    QTest::qWait(100);
    const auto labelOf = [&](const QString& part) -> QLabel* {
      for (auto* label : test.window().findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(part)) return label;
      return nullptr;
    };
    QLabel* budget = nullptr;
    QTRY_VERIFY((budget = labelOf(u"predicted peak"_s)));
    QVERIFY2(budget->text().contains(u"<i>"_s), qPrintable(budget->text()));
    QVERIFY2(budget->text().contains(warning()), qPrintable(budget->text()));
    QLabel* answer = nullptr;
    QTRY_VERIFY_WITH_TIMEOUT((answer = labelOf(u"<i>Predicted time of a step"_s)), 60000);
  }

  void theTimesOfASimulatedCardAreNamedPredicted() {
    TestWindow test;
    test.window().showRecording(readRecording(resourcePath("recordings/simulated-h100x2-run")));
    Replay* replay = test.window().runs().replayOf(&test.document());
    replay->seek(replay->duration());
    QLabel* total = nullptr;
    for (auto* label : test.window().findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith(u"predicted "_s) &&
          label->text().contains(u"H100"_s))
        total = label;
    QVERIFY(total);
    QVERIFY(total->font().italic());
  }

  void aQuietMachineHasNoWarning() {
    QCOMPARE(busyWarning(false), QString());
    QCOMPARE(busyWarning(true), warning());
  }
};

QTEST_MAIN(TestPredicted)
#include "tst_predicted.moc"
