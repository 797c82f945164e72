// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the Time lens: its figures are those of the run's files, steps are recorded by a click, and
// traces are opened, exported and refused.
#include <QComboBox>
#include <QHeaderView>
#include <QProgressBar>
#include <QPushButton>
#include <QTabBar>
#include <QTableView>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/runs/profile_file.h"
#include "core/runs/trace_file.h"
#include "core/trace/trace_export.h"
#include "gpu/devices/devices.h"
#include "tests/support/paths.h"
#include "tests/ui/support/painted_texts.h"
#include "tests/ui/support/run_window.h"
#include "ui/format.h"
#include "ui/lenses/time.h"
#include "ui/lenses/time_table.h"
#include "ui/lenses/timeline_card.h"
#include "ui/models/time_difference_model.h"
#include "ui/models/time_row_model.h"
#include "ui/plots/qcp.h"
#include "ui/plots/roofline_plot.h"
#include "ui/plots/step_time_plot.h"
#include "ui/plots/timeline_view.h"
#include "ui/run/run_view.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

class TimeWindow : public RunWindow {
 public:
  using RunWindow::RunWindow;
  TimeLens& lens() { return *window().findChild<TimeLens*>(); }
  void showLens() {
    showPage(PageId::Train);
    for (auto* tabs : window().findChildren<QTabBar*>())
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->accessibleName() == u"Views of the run"_s && tabs->tabText(i) == u"Time"_s)
          clickAt(tabs, tabs->tabRect(i).center());
    QTest::qWait(100);
  }
  RunView& view() { return window().runs().viewOf(&document()); }
  std::string directory() { return view().shown().start->runDirectory; }
  QTableView* table() { return lens().table().findChild<QTableView*>(); }
  void setGrouping(int index) {
    auto* box = static_cast<QComboBox*>(named(u"Rows of the table"_s));
    reveal(box);
    box->setFocus();
    while (box->currentIndex() != index)
      QTest::keyClick(box, box->currentIndex() < index ? Qt::Key_Down : Qt::Key_Up);
  }
};

}  // namespace

class TestTimeLens : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }
  void init() { QSettings().clear(); }

  void theFiguresAreThoseOfTheFile() {
    TimeWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens();
    const auto file = readProfile(test.directory());
    QVERIFY(file);
    const StepBreakdown breakdown = breakdownOf(*file);
    const StepBreakdown& shown = test.lens().stepTimes().present();
    QCOMPARE(shown.step, breakdown.step);
    double sum = 0;
    for (size_t i = 0; i < kNumStepParts; ++i) {
      QVERIFY(std::abs(shown.parts[i] - breakdown.parts[i]) < 1e-9 * breakdown.step);
      sum += shown.parts[i];
    }
    QVERIFY(std::abs(sum - shown.step) < 1e-6 * shown.step);
    QVERIFY(!file->overTime.empty());
    // Each grouping has the whole time of a step
    const auto totalOf = [&] {
      double total = 0;
      for (int row = 0; row < test.table()->model()->rowCount(); ++row)
        total += test.table()
                     ->model()
                     ->index(row, TimeRowModel::kTotal)
                     .data(TimeRowModel::kSortRole)
                     .toDouble();
      return total;
    };
    for (const int grouping : {1, 2, 0}) {
      test.setGrouping(grouping);
      double expected = 0;
      for (const TimeRow& row : timeRows(*file, static_cast<TimeGrouping>(grouping)))
        expected += row.total;
      QVERIFY2(std::abs(totalOf() - expected) < 1e-6 * expected,
               qPrintable(u"%1 and %2"_s.arg(totalOf()).arg(expected)));
    }
    // The points of the roofline are the rows with known rates
    size_t known = 0;
    for (const TimeRow& row : timeRows(*file, TimeGrouping::Layer))
      known += row.flopsPerSecond > 0 && row.bytes > 0;
    QCOMPARE(test.lens().roofline().points().size(), known);
    QVERIFY(known > 0);
    QVERIFY2(namelessWidgets(test.window()).isEmpty(),
             qPrintable(namelessWidgets(test.window()).join(u", "_s)));
  }

  void theTableIsSortedAndSelectsLayers() {
    TimeWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens();
    test.setGrouping(2);
    QTableView* table = test.table();
    reveal(table);
    QVERIFY(table->model()->rowCount() > 5);
    // A processor has no grid
    QVERIFY(table->isColumnHidden(TimeRowModel::kGrid));
    const auto timeAt = [&](int row) {
      return table->model()
          ->index(row, TimeRowModel::kTotal)
          .data(TimeRowModel::kSortRole)
          .toDouble();
    };
    // Slowest first, and after a click on the header fastest first
    QVERIFY(timeAt(0) >= timeAt(1));
    auto* header = table->horizontalHeader();
    table->scrollTo(table->model()->index(0, TimeRowModel::kTotal));
    clickAt(header->viewport(), QPoint(header->sectionViewportPosition(TimeRowModel::kTotal) + 10,
                                       header->height() / 2));
    QTRY_VERIFY(timeAt(0) <= timeAt(1));
    // The arrow of the order does not cover the title
    QStyleOptionHeader option;
    option.initFrom(header);
    option.orientation = Qt::Horizontal;
    option.text = u"Time"_s;
    option.sortIndicator = QStyleOptionHeader::SortUp;
    option.rect = QRect(header->sectionViewportPosition(TimeRowModel::kTotal), 0,
                        header->sectionSize(TimeRowModel::kTotal), header->height());
    const QRect arrow = header->style()->subElementRect(QStyle::SE_HeaderArrow, &option, header),
                title = header->style()->subElementRect(QStyle::SE_HeaderLabel, &option, header);
    QVERIFY2(arrow.left() > title.right() && option.rect.contains(arrow),
             qPrintable(u"arrow %1, title %2"_s.arg(arrow.left()).arg(title.right())));
    int row = 0;
    while (row < table->model()->rowCount() &&
           table->model()->index(row, TimeRowModel::kLayer).data() != u"hidden"_s)
      ++row;
    const QModelIndex hidden = table->model()->index(row, TimeRowModel::kName);
    QVERIFY(hidden.isValid());
    table->scrollTo(hidden);
    clickAt(table->viewport(), table->visualRect(hidden).center());
    QTRY_COMPARE(test.document().selection(), QStringList{u"hidden"_s});
  }

  void stepsAreRecordedByAClick() {
    TimeWindow test(4000);
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY(test.named(u"Views of the run"_s));
    QTRY_VERIFY(test.view().isLive() && test.view().shown().start);
    test.showLens();
    auto* record = static_cast<QPushButton*>(test.button(u"Record"_s));
    QVERIFY(record);
    QTRY_VERIFY(test.view().shown().times);
    QTest::qWait(200);
    reveal(record);
    QTRY_VERIFY(record->isEnabled());
    clickAt(record, record->rect().center());
    QTRY_VERIFY_WITH_TIMEOUT(test.view().shown().traced.has_value(), 20000);
    const StepsTraced& traced = *test.view().shown().traced;
    QCOMPARE(traced.steps, 10);
    QTRY_VERIFY(test.lens().timeline().view().trace() == traced.trace);
    QVERIFY(!traced.trace->links.empty());
    // The picture is drawn with time on it: the launches have a place
    TimelineView& view = test.lens().timeline().view();
    reveal(&view);
    test.run().stop();
    QVERIFY(test.waitForEnd());
    // Another window reads the same from the file
    const TracePointer file = readRunTrace(test.directory());
    QVERIFY(file);
    const size_t events = traced.trace->numEvents();
    QCOMPARE(file->numEvents(), events);
    test.restart();
    test.waitForInspection();
    for (int i = 0; i < 2; ++i) {
      test.showLens();
      const auto& shown = test.lens().timeline().view();
      QTRY_VERIFY(shown.trace() && shown.trace()->numEvents() == events);
      test.showPage(PageId::Design);
    }
  }

  void tracesOfOtherProgramsAreOpened() {
    TimeWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens();
    TimelineCard& card = test.lens().timeline();
    QVERIFY(card.view().trace());
    const size_t own = card.view().trace()->numEvents();
    const TemporaryFolder folder;
    const QString path = QString::fromStdString((folder / "other.json").string());
    {
      std::ofstream out(path.toStdString());
      out << R"({"traceEvents":[)";
      for (int i = 0; i < 2000; ++i)
        out << (i ? "," : "") << R"({"ph":"X","name":"work","pid":1,"tid":2,"ts":)" << 10 * i
            << R"(,"dur":5})";
      out << "]}";
    }
    QSignalSpy read(&card, &TimelineCard::read);
    card.openFile(path);
    QTRY_COMPARE(read.size(), 1);
    QCOMPARE(read[0][0].toString(), QString());
    QCOMPARE(card.view().trace()->numEvents(), size_t{2000});
    // Back to the run
    auto* back = static_cast<QPushButton*>(test.button(u"Show the run"_s));
    QVERIFY(back);
    QTest::qWait(100);
    reveal(back);
    clickAt(back, back->rect().center());
    QTRY_COMPARE(card.view().trace()->numEvents(), own);
    // A file that is no trace is one sentence, and the run comes back
    const QString bad = QString::fromStdString((folder / "bad.json").string());
    std::ofstream(bad.toStdString()) << "{\"traceEvents\": [1, ";
    card.openFile(QString::fromStdString((folder / "none.json").string()));
    QTRY_COMPARE(read.size(), 2);
    QVERIFY(read[1][0].toString().contains(u"none.json"_s));
    card.openFile(u"/dev/null"_s);
    QTRY_COMPARE(read.size(), 3);
    QVERIFY(!read[2][0].toString().isEmpty());
    QTest::qWait(100);
    reveal(back);
    clickAt(back, back->rect().center());
    QTRY_VERIFY(card.view().trace() && card.view().trace()->numEvents() == own);
  }

  void aLongFileIsCancelled() {
    TimeWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens();
    const TemporaryFolder folder;
    const QString path = QString::fromStdString((folder / "long.json").string());
    {
      std::ofstream out(path.toStdString());
      out << R"({"traceEvents":[)";
      for (int i = 0; i < 1'500'000; ++i)
        out << (i ? "," : "") << R"({"ph":"X","name":"work","pid":1,"tid":2,"ts":)" << 10 * i
            << R"(,"dur":5})";
      out << "]}";
    }
    TimelineCard& card = test.lens().timeline();
    card.openFile(path);
    QVERIFY(card.isReading());
    auto* stop = static_cast<QPushButton*>(test.button(u"Stop reading"_s));
    QVERIFY(stop);
    reveal(stop);
    clickAt(stop, stop->rect().center());
    QVERIFY(!card.isReading());
    QTest::qWait(300);
    QVERIFY(!card.view().trace() || card.view().trace()->numEvents() < 1'500'000);
  }

  void theTraceIsExported() {
    TimeWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens();
    TimelineCard& card = test.lens().timeline();
    QSignalSpy written(&card, &TimelineCard::written);
    const TemporaryFolder folder;
    const QString target = QString::fromStdString((folder / "trace.json").string());
    card.writeTrace(target);
    QTRY_COMPARE(written.size(), 1);
    QCOMPARE(written[0][0].toString(), QString());
    const Json trace = Json::parse(bytesOf(target).toStdString());
    QVERIFY(trace.at("traceEvents").size() > 10);
    card.writeTrace(u"/nowhere/trace.json"_s);
    QTRY_COMPARE(written.size(), 2);
    QVERIFY(!written[1][0].toString().isEmpty());
    // Not into the directory of a run
    card.writeTrace(QString::fromStdString(test.directory()) + u"/trace.bin"_s);
    QTRY_COMPARE(written.size(), 3);
    QVERIFY(!written[2][0].toString().isEmpty());
    for (auto* box : QApplication::topLevelWidgets())
      if (box->inherits("QMessageBox")) box->close();
  }

  void twoRunsAreCompared() {
    TimeWindow test;
    QVERIFY(test.trainToEnd());
    const std::string first = test.directory();
    submitValue(test.document(), "/training/batch_size", Json(64));
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY(test.view().isLive());
    QVERIFY(test.waitForEnd());
    test.showLens();
    test.lens().table().compareWith(first);
    const auto* sorted = qobject_cast<QSortFilterProxyModel*>(test.table()->model());
    QTRY_VERIFY(qobject_cast<TimeDifferenceModel*>(sorted->sourceModel()));
    const auto* model = qobject_cast<TimeDifferenceModel*>(sorted->sourceModel());
    const auto before = readProfile(first), after = readProfile(test.directory());
    const auto expected = compareTimes(*before, *after, TimeGrouping::Layer);
    QCOMPARE(model->rows().size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      QCOMPARE(model->rows()[i].before, expected[i].before);
    QCOMPARE(
        model->headerData(TimeDifferenceModel::kBefore, Qt::Horizontal, Qt::DisplayRole).toString(),
        u"Run 1"_s);
    test.lens().table().compareWith({});
    QVERIFY(qobject_cast<TimeRowModel*>(sorted->sourceModel()));
  }

  void predictedTimesAreInItalics() {
    if (!whyNoSimulatedCards().empty()) QSKIP("skipped: this build has no simulated cards");
    TimeWindow test;
    submitValue(test.document(), "/execution/devices", "simulated:H100");
    submitValue(test.document(), "/training/batch_size", Json(32));
    QVERIFY(test.waitForInspection());
    QVERIFY(test.trainToEnd());
    test.showLens();
    test.setGrouping(2);
    const QModelIndex time = test.table()->model()->index(0, TimeRowModel::kTotal);
    QVERIFY(time.isValid());
    QVERIFY(time.data(Qt::FontRole).value<QFont>().italic());
    // The limits are those of the data sheet
    const auto& kernels = test.view().shown().profile->kernels;
    QVERIFY(kernels->limits.areKnown());
    QVERIFY(kernels->limits.source.find("H100") != std::string::npos);
    bool hasPredicted = false;
    for (auto* label : test.lens().findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(u"predicted"_s)) {
        hasPredicted = true;
        QVERIFY2(label->font().italic() || label->text().contains(u"<i>"_s),
                 qPrintable(label->text()));
      }
    QVERIFY(hasPredicted);
  }

  void theTimelineSaysWhichTimesArePredicted() {
    if (!whyNoSimulatedCards().empty()) QSKIP("skipped: this build has no simulated cards");
    TimeWindow test(4000);
    submitValue(test.document(), "/execution/devices", "simulated:H100");
    QVERIFY(test.waitForInspection());
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY_WITH_TIMEOUT(test.view().isLive() && test.view().shown().step > 5, 60000);
    test.showLens();
    test.run().recordSteps(2);
    QTRY_VERIFY_WITH_TIMEOUT(test.view().shown().traced.has_value(), 60000);
    const TracePointer trace = test.view().shown().traced->trace;
    QTRY_VERIFY(test.lens().timeline().view().trace() == trace);
    QVERIFY(labelWith(test, u"those of the devices are <i>predicted</i>"_s));
    // The names of the card and its streams are in italics, those of the host are upright
    reveal(&test.lens().timeline().view());
    bool hasHost = false, hasCard = false;
    for (const Painted& painted : paintedTexts(test.window())) {
      if (painted.text == u"training thread"_s) {
        hasHost = true;
        QVERIFY(!painted.isItalic);
      }
      if (painted.text == u"compute"_s) {
        hasCard = true;
        QVERIFY(painted.isItalic);
      }
    }
    QVERIFY(hasHost && hasCard);
    // What watching costs is measured while a run trains
    QTRY_VERIFY_WITH_TIMEOUT(labelWith(test, u"Observation overhead about"_s), 30000);
    QTRY_VERIFY_WITH_TIMEOUT(labelWith(test, u"drawing "_s), 30000);
    test.run().stop();
    QVERIFY(test.waitForEnd());
  }
};

QTEST_MAIN(TestTimeLens)
#include "tst_time_lens.moc"
