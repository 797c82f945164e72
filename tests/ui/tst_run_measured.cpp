// SPDX-License-Identifier: GPL-3.0-or-later
// Tests how the window shows what was measured during a run: times of layers and kernels, states of
// the devices.
#include <QHeaderView>
#include <QTabBar>
#include <QTableView>
#include <QtTest>

#include "core/runs/run_directory.h"
#include "tests/support/paths.h"
#include "tests/ui/support/run_window.h"
#include "ui/format.h"
#include "ui/lenses/devices.h"
#include "ui/lenses/kernels.h"
#include "ui/models/kernel_item_model.h"

using namespace strata;
using namespace strata::ui;

class TestRunMeasured : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void slowestLayers() {
    RunWindow test;
    QVERIFY(test.trainToEnd());
    QVERIFY(test.click(u"Slowest layers"_s));
    auto* table = test.named(u"Step time by layer or op"_s);
    QTRY_VERIFY(table->hasFocus());
    QVERIFY(test.button(u"Network: Time"_s));
  }

  void kernelsOfTheRun() {
    RunWindow test;
    QVERIFY(test.trainToEnd());
    auto* tabs = static_cast<QTabBar*>(test.named(u"Views of the run"_s));
    QVERIFY(tabs);
    clickAt(tabs, tabs->tabRect(1).center());
    auto* lens = test.window().findChild<KernelsLens*>();
    QTRY_VERIFY(lens->isVisible());
    QVERIFY(labelWith(test, u"profiled step"_s));
    auto* table = static_cast<QTableView*>(test.named(u"Kernels of the run"_s));
    QVERIFY(table && table->model()->rowCount() > 5);
    // A processor has no grid
    QVERIFY(table->isColumnHidden(KernelItemModel::kGrid));
    const auto shareAt = [&](int row) {
      return table->model()
          ->index(row, KernelItemModel::kTime)
          .data(KernelItemModel::kSortRole)
          .toLongLong();
    };
    // Slowest first, and after a click on the header fastest first
    QVERIFY(shareAt(0) >= shareAt(1));
    auto* header = table->horizontalHeader();
    clickAt(header->viewport(), QPoint(header->sectionViewportPosition(KernelItemModel::kTime) + 10,
                                       header->height() / 2));
    QTRY_VERIFY(shareAt(0) <= shareAt(1));
    // A click selects the layer
    int row = 0;
    while (row < table->model()->rowCount() &&
           table->model()->index(row, KernelItemModel::kLayer).data() != u"hidden"_s)
      ++row;
    const QModelIndex hidden = table->model()->index(row, KernelItemModel::kKernel);
    QVERIFY(hidden.isValid());
    table->scrollTo(hidden);
    clickAt(table->viewport(), table->visualRect(hidden).center());
    QTRY_COMPARE(test.document().selection(), QStringList{u"hidden"_s});
    // The trace is the one of the run, and an unwritable place is told
    const TemporaryFolder folder;
    const std::string target = (folder / "trace.json").string();
    QCOMPARE(lens->writeTrace(QString::fromStdString(target)), QString());
    const Json trace = Json::parse(bytesOf(QString::fromStdString(target)).toStdString());
    QVERIFY(trace.at("traceEvents").size() > 10);
    QVERIFY(!lens->writeTrace(u"/nowhere/trace.json"_s).isEmpty());
  }

  void statesOfTheDevices() {
    RunWindow test;
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY(test.named(u"Views of the run"_s));
    auto* tabs = static_cast<QTabBar*>(test.named(u"Views of the run"_s));
    QTRY_VERIFY(tabs->isVisible());
    clickAt(tabs, tabs->tabRect(2).center());
    auto* lens = test.window().findChild<DevicesLens*>();
    QTRY_VERIFY(lens->isVisible());
    QVERIFY(test.waitForEnd());
    const auto now = [](QWidget* in, const QString& quantity) -> QLabel* {
      for (auto* label : in->findChildren<QLabel*>())
        if (label->accessibleName().startsWith(quantity + u": "_s)) return label;
      return nullptr;
    };
    QLabel* memory = now(lens, u"Memory of this process"_s);
    QVERIFY(memory && memory->isVisible());
    const DeviceSample& last = test.run().shown().devices.at(0).last();
    QVERIFY(last.state.ownBytes);
    QCOMPARE(memory->text(), formatBytes(static_cast<double>(*last.state.ownBytes)));
    QCOMPARE(memory->toolTip(), QString());
    // A processor tells no temperature, and the tooltip of the dash says why
    QCOMPARE(now(lens, u"Temperature"_s)->text(), u"—"_s);
    QVERIFY(now(lens, u"Temperature"_s)->toolTip().contains(u"processor"_s));
    QVERIFY(labelWith(test, u"whole machine"_s));
    // A window that did not train reads the file of the run. A simulated card says that it is one.
    auto past = readLastRun(test.document().project(), {});
    QVERIFY(past && !past->deviceSamples.empty());
    QCOMPARE(past->deviceSamples.front().device, std::string("cpu"));
    DeviceSample sample;
    sample.device = "simulated:H100 SXM";
    sample.isSimulated = true;
    sample.seconds = 1;
    sample.state.ownBytes = size_t{512} << 20;
    sample.state.utilization = 0.5;
    past->deviceSamples = {sample};
    RunController controller;
    DevicesLens other({test.document(), controller, {}}, nullptr);
    controller.show(std::move(*past));
    QCOMPARE(now(&other, u"Memory of this process"_s)->text(), formatBytes(512.0 * 1024 * 1024));
    QCOMPARE(now(&other, u"Utilization"_s)->text(), u"50%"_s);
    QCOMPARE(now(&other, u"Power"_s)->text(), u"—"_s);
    QVERIFY(now(&other, u"Power"_s)->toolTip().contains(u"simulated"_s));
  }
};

QTEST_MAIN(TestRunMeasured)
#include "tst_run_measured.moc"
