// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that every view names predicted figures so, in italics, and says that their times may be
// too long if the machine was busy while they were measured.
#include <QProcess>
#include <QSlider>
#include <QTabBar>
#include <QtTest>
#include <memory>
#include <thread>
#include <vector>

#include "core/project/text.h"
#include "core/train/plan.h"
#include "tests/ui/support/run_window.h"
#include "ui/dialogs/memory_panel.h"
#include "ui/format.h"
#include "ui/main_window/network_list.h"
#include "ui/models/layer_item_model.h"
#include "ui/pages/design/strip.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

/// Programs that take all processors.
class BusyMachine {
 public:
  BusyMachine() {
    const unsigned count = 4 * std::max(1u, std::thread::hardware_concurrency());
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
    const BusyMachine busy;
    RunWindow test;
    const auto estimate = [&]() -> const Estimate& {
      return test.document().checks().estimate();
    };
    QTRY_VERIFY_WITH_TIMEOUT(estimate().hasTime && estimate().isBusy, 120000);
    QTRY_VERIFY_WITH_TIMEOUT(!estimate().curve.empty(), 120000);

    // The strip over the design
    test.showPage(PageId::Design);
    auto* strip = test.window().findChild<Strip*>();
    QVERIFY(strip);
    const QString words = textsIn(*strip);
    QVERIFY2(words.contains(warning()), qPrintable(words));
    QVERIFY2(words.contains(u"Predicted: needs <i>"_s), qPrintable(words));

    // The list of layers: its costs, and the line under it
    test.showPage(PageId::Train);
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
    const QModelIndex cost = test.cost(u"hidden"_s);
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
  }

  void theMemoryLensWarnsToo() {
    RunWindow test;
    QVERIFY(test.trainToEnd());
    const BusyMachine busy;
    // Another design is measured again
    submitValue(test.document(), "/training/batch_size", Json(48));
    QVERIFY(test.waitForInspection());
    const auto estimate = [&]() -> const Estimate& {
      return test.document().checks().estimate();
    };
    QTRY_VERIFY_WITH_TIMEOUT(estimate().hasTime && estimate().isBusy && !estimate().curve.empty(),
                             120000);
    test.showPage(PageId::Train);
    auto* tabs = qobject_cast<QTabBar*>(test.named(u"Views of the run"_s));
    clickAt(tabs, tabs->tabRect(2).center());
    QTest::qWait(100);
    QLabel* budget = nullptr;
    for (auto* label : test.window().findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(u"predicted peak"_s)) budget = label;
    QVERIFY(budget);
    QVERIFY2(budget->text().contains(u"<i>"_s), qPrintable(budget->text()));
    QVERIFY2(budget->text().contains(warning()), qPrintable(budget->text()));
  }

  void aQuietMachineHasNoWarning() {
    QCOMPARE(busyWarning(false), QString());
    QCOMPARE(busyWarning(true), warning());
  }
};

QTEST_MAIN(TestPredicted)
#include "tst_predicted.moc"
