// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the runs of a project on the Results page: the table with its filter and columns, notes,
// deletion with undo, rules of retention, comparison and clones.
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTableView>
#include <QToolTip>
#include <QTranslator>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/runs/history.h"
#include "tests/core/run_list/small_runs.h"
#include "tests/ui/support/run_window.h"
#include "tests/ui/support/timed_application.h"
#include "ui/dialogs/clean_dialog.h"
#include "ui/lenses/run_picker.h"
#include "ui/pages/results/parallel_plot.h"
#include "ui/pages/results/size_plot.h"
#include "ui/plots/qcp.h"
#include "ui/run/run_view.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;
namespace fs = std::filesystem;

namespace {

/// Returns path, size, time and content of all files in a folder, except locks.
std::map<std::string, std::string> stateOf(const fs::path& folder) {
  std::map<std::string, std::string> state;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().lexically_relative(folder).string();
    if (path.starts_with(".trash")) continue;
    std::string about = std::to_string(
        static_cast<long long>(fs::last_write_time(entry).time_since_epoch().count()));
    if (entry.is_regular_file())
      about += bytesOf(QString::fromStdString(entry.path().string())).toStdString();
    state[path] = about;
  }
  return state;
}

/// A window with runs that were not trained, whose validation losses are 0.1, 0.2, ...
class RunsWindow : public TestWindow {
 public:
  explicit RunsWindow(int runs) : TestWindow(u"mnist-mlp-128.json"_s) {
    for (int i = 1; i <= runs; ++i)
      put(i, runProject(i));
    waitForInspection();
  }
  fs::path folderOfRuns() const { return fs::path(folder().toStdString()) / "mnist-mlp-128.runs"; }
  fs::path runFolder(int number) const {
    return folderOfRuns() / QStringLiteral("%1").arg(number, 3, 10, QChar(u'0')).toStdString();
  }
  static std::string runProject(int number) {
    std::string project = kRunProject;
    const std::string batch = "\"batch_size\":12";
    project.replace(project.find(batch), batch.size(),
                    "\"batch_size\":" + std::to_string(8 * number));
    return project;
  }
  void put(int number, const std::string& project, const std::string& from = {}) {
    putRun(runFolder(number), 0.1 * number, project, from);
  }
  void showTable() {
    window().showPage(PageId::Results);
    QTRY_VERIFY_WITH_TIMEOUT(
        buttonWith(window(), u"All runs"_s) && buttonWith(window(), u"All runs"_s)->isEnabled(),
        60000);
    QTest::qWait(100);
    click(buttonWith(window(), u"All runs"_s));
    QTRY_VERIFY(table());
  }
  QTableView* table() { return qobject_cast<QTableView*>(named(u"Table of all runs"_s)); }
  int rows() { return table() ? table()->model()->rowCount() : -1; }
  int columnOf(const QString& title) {
    for (int i = 0; i < table()->model()->columnCount(); ++i)
      if (table()->model()->headerData(i, Qt::Horizontal).toString() == title) return i;
    return -1;
  }
  QString cell(int row, const QString& title) {
    return table()->model()->index(row, columnOf(title)).data().toString();
  }
  QStringList columnTexts(const QString& title) {
    QStringList texts;
    for (int row = 0; row < rows(); ++row)
      texts << cell(row, title);
    return texts;
  }
  void clickRow(int row, Qt::KeyboardModifiers keys = {}) {
    const QRect cell = table()->visualRect(table()->model()->index(row, 0));
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, keys, cell.center());
    QTest::qWait(20);
  }
  QLineEdit* field(const QString& name) { return qobject_cast<QLineEdit*>(named(name)); }
  QStringList paneRows() {
    auto* list = qobject_cast<QListView*>(named(u"Runs of this project"_s));
    QStringList texts;
    for (int row = 0; list && row < list->model()->rowCount(); ++row)
      texts << list->model()->index(row, 0).data().toString().section(u'\n', 0, 0);
    return texts;
  }
  /// Opens the menu of a button and clicks an entry. The button shows its menu in an event loop of
  /// its own, so a timer clicks.
  bool chooseFrom(const QString& buttonText, const QString& words) {
    auto* button = qobject_cast<QPushButton*>(buttonWith(window(), buttonText));
    if (!button || !button->menu()) return false;
    bool isFound = false;
    QTimer::singleShot(300, &window(), [&] {
      QMenu* menu = button->menu();
      for (QAction* action : menu->actions())
        if (action->text() == words && menu->isVisible()) {
          isFound = true;
          QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        }
      menu->close();
    });
    click(button);
    return QTest::qWaitFor([&] { return isFound; }, 3000);
  }
};

QLabel* visibleLabel(QWidget& window, const QString& words) {
  for (auto* each : window.findChildren<QLabel*>())
    if (each->isVisible() && each->text().contains(words)) return each;
  return nullptr;
}

}  // namespace

class TestResults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    prepareApplication();
    // The English translation contains plurals such as "2 runs".
    QVERIFY(m_plurals.load(u":/translations/strata_en.qm"_s));
    QApplication::installTranslator(&m_plurals);
  }
  void init() { QSettings().clear(); }

  void theTableSortsFiltersAndChoosesColumns() {
    RunsWindow test(5);
    test.showTable();
    QTRY_COMPARE(test.rows(), 5);
    QCOMPARE(test.columnTexts(u"Run"_s), (QStringList{u"5"_s, u"4"_s, u"3"_s, u"2"_s, u"1"_s}));
    QCOMPARE(test.cell(0, u"Best validation loss"_s), u"0.5"_s);
    // A click on a title sorts by it
    QHeaderView* header = test.table()->horizontalHeader();
    const int loss = test.columnOf(u"Best validation loss"_s);
    const auto sort = [&] {
      test.table()->scrollTo(test.table()->model()->index(0, loss));
      QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                        QPoint(header->sectionViewportPosition(loss) + 20, header->height() / 2));
    };
    sort();
    if (header->sortIndicatorOrder() == Qt::DescendingOrder) sort();
    QTRY_COMPARE(test.columnTexts(u"Run"_s), (QStringList{u"1"_s, u"2"_s, u"3"_s, u"4"_s, u"5"_s}));
    // Words filter, and a wrong filter says why and keeps the rows
    QLineEdit* filter = test.field(u"Filter of the runs"_s);
    QVERIFY(filter);
    click(filter);
    QTest::keyClicks(filter, u"best_val_loss<0.25"_s);
    QTRY_COMPARE(test.columnTexts(u"Run"_s), (QStringList{u"1"_s, u"2"_s}));
    filter->selectAll();
    QTest::keyClicks(filter, u"no_such_column>1"_s);
    QTRY_VERIFY(visibleLabel(test.window(), u"is no column"_s));
    filter->selectAll();
    QTest::keyClick(filter, Qt::Key_Delete);
    QTRY_COMPARE(test.rows(), 5);
    // Settings that differ can be columns. The choice stays after a restart.
    QVERIFY(test.columnOf(u"/training/batch_size"_s) < 0);
    QVERIFY(test.chooseFrom(u"Columns"_s, u"/training/batch_size"_s));
    QVERIFY(test.chooseFrom(u"Columns"_s, u"Duration"_s));
    QVERIFY(test.columnOf(u"/training/batch_size"_s) >= 0);
    QVERIFY(test.columnOf(u"Duration"_s) < 0);
    // The arrow stays over the column by which rows are sorted
    QVERIFY(test.columnOf(u"Best validation loss"_s) != loss);
    QCOMPARE(header->sortIndicatorSection(), test.columnOf(u"Best validation loss"_s));
    test.restart();
    test.waitForInspection();
    test.showTable();
    QTRY_COMPARE(test.rows(), 5);
    QVERIFY(test.columnOf(u"/training/batch_size"_s) >= 0);
    QVERIFY(test.columnOf(u"Duration"_s) < 0);
    QCOMPARE(test.columnTexts(u"Run"_s), (QStringList{u"1"_s, u"2"_s, u"3"_s, u"4"_s, u"5"_s}));
    header = test.table()->horizontalHeader();
    QCOMPARE(header->sortIndicatorSection(), test.columnOf(u"Best validation loss"_s));
    QCOMPARE(header->sortIndicatorOrder(), Qt::AscendingOrder);
    // Other columns keep the selected runs
    test.clickRow(1);
    test.clickRow(2, Qt::ControlModifier);
    QVERIFY(test.chooseFrom(u"Columns"_s, u"Usual columns"_s));
    QTRY_VERIFY(test.columnOf(u"Duration"_s) >= 0);
    QCOMPARE(test.table()->selectionModel()->selectedRows().size(), 2);
    QVERIFY(buttonWith(test.window(), u"Delete"_s)->isEnabled());
    QCOMPARE(namelessWidgets(test.window()), QStringList());
  }

  void runsAreLinesOverTheSettingsThatDiffer() {
    RunsWindow test(4);
    test.showTable();
    QTRY_COMPARE(test.rows(), 4);
    click(buttonWith(test.window(), u"Lines"_s));
    auto* plot = qobject_cast<ParallelPlot*>(test.named(u"Settings and results of the runs"_s));
    QVERIFY(plot);
    QVERIFY(visibleLabel(test.window(), u"1 setting that differs"_s));
    // Batch sizes 8 to 32 on the first axis, losses 0.1 to 0.4 on the second one. The newest run is
    // first, and has the largest of both.
    QVERIFY(plot->placeOf(0, 0).x() < plot->placeOf(0, 1).x());
    for (const size_t axis : {0U, 1U})
      for (size_t run = 1; run < 4; ++run)
        QVERIFY(plot->placeOf(run - 1, axis).y() < plot->placeOf(run, axis).y());
    // A click on a line selects its run, and hovering names it
    const QPointF middle = (plot->placeOf(1, 0) + plot->placeOf(1, 1)) / 2;
    QCOMPARE(plot->runAt(middle), test.runFolder(3).string());
    QCOMPARE(plot->runAt(middle + QPointF(0, 40)), std::string());
    clickAt(plot, middle.toPoint());
    QTRY_VERIFY(visibleLabel(test.window(), u"Selected: 1"_s));
    QTest::mouseMove(test.window().windowHandle(),
                     plot->mapTo(&test.window(), middle.toPoint() + QPoint(30, 0)));
    QTest::mouseMove(test.window().windowHandle(), plot->mapTo(&test.window(), middle.toPoint()));
    QTRY_VERIFY(QToolTip::text().startsWith(u"Run 3"_s));
    // The filter leaves two runs
    QLineEdit* filter = test.field(u"Filter of the runs"_s);
    click(filter);
    QTest::keyClicks(filter, u"best_val_loss<0.25"_s);
    QCOMPARE(plot->runAt(plot->placeOf(0, 0)), test.runFolder(2).string());
    click(buttonWith(test.window(), u"Table"_s));
    QTRY_COMPARE(test.columnTexts(u"Run"_s), (QStringList{u"2"_s, u"1"_s}));
    QCOMPARE(namelessWidgets(test.window()), QStringList());
  }

  void notesAreEditedAndStored() {
    RunsWindow test(3);
    test.showTable();
    QTRY_COMPARE(test.rows(), 3);
    test.clickRow(1);
    QLineEdit* title = test.field(u"Title"_s);
    QLineEdit* tags = test.field(u"Tags"_s);
    QVERIFY(title && title->isEnabled() && tags);
    click(title);
    QTest::keyClicks(title, u"wider"_s);
    click(tags);
    QTest::keyClicks(tags, u"good, slow , good"_s);
    auto* notes = qobject_cast<QPlainTextEdit*>(test.named(u"Notes"_s));
    QVERIFY(notes);
    clickAt(notes, QPoint(20, 10));
    QTest::keyClicks(notes, u"Two lines"_s);
    QTest::keyClick(notes, Qt::Key_Return);
    QTest::keyClicks(notes, u"of text"_s);
    click(test.field(u"Filter of the runs"_s));
    QTRY_COMPARE(readRunNotes(test.runFolder(2).string()).text, "Two lines\nof text");
    const RunNotes stored = readRunNotes(test.runFolder(2).string());
    QCOMPARE(stored.title, "wider");
    QCOMPARE(stored.tags, (std::vector<std::string>{"good", "slow"}));
    QTRY_COMPARE(test.cell(1, u"Title"_s), u"wider"_s);
    QTRY_VERIFY(test.paneRows().contains(u"Run 2: wider"_s));
    // Archived runs are hidden, and shown on demand
    click(buttonWith(test.window(), u"Keep"_s));
    QTRY_VERIFY(readRunNotes(test.runFolder(2).string()).isKept);
    QAbstractButton* archive = nullptr;
    for (auto* each : test.window().findChildren<QAbstractButton*>(Qt::FindChildrenRecursively))
      if (each->isVisible() && each->text() == u"Archived"_s) archive = each;
    QVERIFY(archive);
    click(archive);
    QTRY_COMPARE(test.rows(), 2);
    QTRY_COMPARE(test.paneRows().size(), 2);
    click(buttonWith(test.window(), u"Archived"_s));
    QTRY_COMPARE(test.rows(), 3);
    QTRY_COMPARE(test.paneRows().size(), 3);
    test.restart();
    test.waitForInspection();
    test.showTable();
    QTRY_COMPARE(test.rows(), 3);
    QTRY_COMPARE(test.paneRows().size(), 3);
  }

  void aDeletionIsUndoneByteForByte() {
    RunsWindow test(4);
    const auto before = stateOf(test.folderOfRuns());
    test.showTable();
    QTRY_COMPARE(test.rows(), 4);
    // By key, and back by key
    test.clickRow(1);
    test.clickRow(2, Qt::ControlModifier);
    press(Qt::Key_Delete);
    QTRY_COMPARE(test.columnTexts(u"Run"_s), (QStringList{u"4"_s, u"1"_s}));
    QVERIFY(!fs::exists(test.runFolder(2)) && !fs::exists(test.runFolder(3)));
    QTRY_VERIFY(visibleLabel(test.window(), u"2 runs are in the trash."_s));
    press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(test.rows(), 4);
    QVERIFY(stateOf(test.folderOfRuns()) == before);
    QVERIFY(!visibleLabel(test.window(), u"in the trash."_s));
    // The key belongs to the design again
    QVERIFY(submitField(test.document(), u"hidden"_s, "units", Json(64)));
    press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_VERIFY(!test.document().undoStack()->canUndo());
    // By button. A run whose place is taken can be undone later.
    test.clickRow(0);
    click(buttonWith(test.window(), u"Delete"_s));
    QTRY_COMPARE(test.rows(), 3);
    QTRY_VERIFY(visibleLabel(test.window(), u"Run 4 is in the trash."_s));
    fs::create_directory(test.runFolder(4));
    click(buttonWith(test.window(), u"Undo"_s));
    QTRY_VERIFY(visibleLabel(test.window(), u"exists"_s));
    fs::remove(test.runFolder(4));
    QTRY_VERIFY(visibleLabel(test.window(), u"Run 4 is in the trash."_s));
    click(buttonWith(test.window(), u"Undo"_s));
    QTRY_COMPARE(test.rows(), 4);
    QVERIFY(stateOf(test.folderOfRuns()) == before);
  }

  void theLensesLeaveADeletedRun() {
    RunsWindow test(2);
    for (const int number : {1, 2}) {
      HistoryWriter history((test.runFolder(number) / "history.bin").string(), {"accuracy"});
      const double accuracy = 0.5;
      for (int step = 1; step <= 10; ++step)
        history.append(
            {step, 1, HistoryKind::Step, 0.1 * step, 0.01, 12, 1.0 / step, {&accuracy, 1}});
      history.flush();
    }
    test.restart();
    test.waitForInspection();
    RunController& run = test.window().runs().of(&test.document());
    QTRY_VERIFY(run.shown().start);
    QVERIFY(run.shown().start->runDirectory.ends_with("/002"));
    // An earlier run that the lenses show
    RunView& view = test.window().runs().viewOf(&test.document());
    view.choose(test.runFolder(1).string());
    QTRY_VERIFY(view.isChosen());
    test.showTable();
    QTRY_COMPARE(test.rows(), 2);
    test.clickRow(1);
    press(Qt::Key_Delete);
    QTRY_COMPARE(test.rows(), 1);
    QTRY_VERIFY(!view.isChosen());
    QVERIFY(view.shown().start->runDirectory.ends_with("/002"));
    click(buttonWith(test.window(), u"Undo"_s));
    QTRY_COMPARE(test.rows(), 2);
    // The last run
    test.clickRow(0);
    press(Qt::Key_Delete);
    QTRY_COMPARE(test.rows(), 1);
    QTRY_VERIFY(run.shown().start && run.shown().start->runDirectory.ends_with("/001"));
    test.clickRow(0);
    press(Qt::Key_Delete);
    // Without runs, the page says so and still offers to undo
    QTRY_VERIFY(!run.shown().start);
    QTRY_VERIFY(visibleLabel(test.window(), u"Run 1 is in the trash."_s));
    QTRY_VERIFY(visibleLabel(test.window(), u"Runs of this project appear here"_s));
    click(buttonWith(test.window(), u"Undo"_s));
    QTRY_VERIFY(run.shown().start && run.shown().start->runDirectory.ends_with("/001"));
    QTRY_VERIFY(visibleLabel(test.window(), u"Run 2 is in the trash."_s));
    click(buttonWith(test.window(), u"Undo"_s));
    QTRY_VERIFY(run.shown().start && run.shown().start->runDirectory.ends_with("/002"));
  }

  void aRunThatIsNeededOrTrainsStays() {
    RunsWindow test(2);
    test.put(3, RunsWindow::runProject(3), (test.runFolder(1) / "weights.safetensors").string());
    const RunLock lock(test.runFolder(2).string());
    test.showTable();
    QTRY_COMPARE(test.rows(), 3);
    test.clickRow(2);
    press(Qt::Key_Delete);
    QTRY_VERIFY(visibleLabel(test.window(), u"is the run from which"_s));
    test.clickRow(1);
    press(Qt::Key_Delete);
    QTest::qWait(100);
    QCOMPARE(test.rows(), 3);
    QVERIFY(fs::exists(test.runFolder(1)) && fs::exists(test.runFolder(2)));
  }

  void rulesProposeRunsAndAsk() {
    RunsWindow test(6);
    const auto before = stateOf(test.folderOfRuns());
    test.showTable();
    QTRY_COMPARE(test.rows(), 6);
    click(buttonWith(test.window(), u"Clean up…"_s));
    auto* dialog = waitForDialog<CleanDialog>(test.window());
    QVERIFY(dialog);
    auto* keep = dialog->findChild<QLineEdit*>();
    QVERIFY(keep);
    clickAt(keep, keep->rect().center());
    keep->selectAll();
    QTest::keyClicks(keep, u"2"_s);
    // The best run is the first one: its loss is the smallest
    QTRY_VERIFY(buttonWith(*dialog, u"Delete 3 runs"_s));
    QVERIFY(visibleLabel(*dialog, u"3 runs of "_s));
    keep->selectAll();
    QTest::keyClicks(keep, u"x"_s);
    QTRY_VERIFY(visibleLabel(*dialog, u"enter a whole number"_s));
    QVERIFY(!buttonWith(*dialog, u"Delete"_s)->isEnabled());
    keep->selectAll();
    QTest::keyClicks(keep, u"2"_s);
    QTRY_VERIFY(buttonWith(*dialog, u"Delete 3 runs"_s));
    QAbstractButton* go = buttonWith(*dialog, u"Delete 3 runs"_s);
    clickAt(go, go->rect().center());
    QTRY_COMPARE(test.columnTexts(u"Run"_s), (QStringList{u"6"_s, u"5"_s, u"1"_s}));
    QTRY_VERIFY(buttonWith(test.window(), u"Undo"_s));
    click(buttonWith(test.window(), u"Undo"_s));
    QTRY_COMPARE(test.rows(), 6);
    QVERIFY(stateOf(test.folderOfRuns()) == before);
  }

  void runsAreComparedAndTheirCurvesShown() {
    RunsWindow test(2);
    std::string wider = RunsWindow::runProject(3);
    const std::string units = "\"units\":6";
    wider.replace(wider.find(units), units.size(), "\"units\":9");
    test.put(3, wider);
    // The parameters of a run are those of its record
    std::ofstream(test.runFolder(3) / "events.jsonl", std::ios::trunc)
        << R"({"event":"start","device":"cpu","parameters":111,"batch_size":24})"
        << "\n"
        << R"({"event":"epoch","epoch":1,"step":5,"val_loss":0.3,"val_metrics":{"accuracy":0.9}})"
        << "\n"
        << R"({"event":"end","outcome":"finished","steps":5,"seconds":1.5,"peak_bytes":4096})"
        << "\n";
    test.showTable();
    QTRY_COMPARE(test.rows(), 3);
    test.clickRow(2);
    test.clickRow(0, Qt::ControlModifier);
    QAbstractButton* compare = nullptr;
    for (auto* each : test.window().findChildren<QAbstractButton*>())
      if (each->isVisible() && each->text() == u"Compare"_s &&
          each->toolTip().contains(u"layers"_s))
        compare = each;
    QVERIFY(compare && compare->isEnabled());
    click(compare);
    QTRY_VERIFY(test.named(u"Comparison of the runs"_s));
    auto* view = qobject_cast<QTableView*>(test.named(u"Comparison of the runs"_s));
    const auto rowNamed = [&](const QString& words) {
      for (int row = 0; row < view->model()->rowCount(); ++row)
        if (view->model()->index(row, 0).data().toString().trimmed() == words) return row;
      return -1;
    };
    QTRY_VERIFY(rowNamed(u"/training/batch_size"_s) > 0);
    QCOMPARE(view->model()->headerData(1, Qt::Horizontal).toString(), u"Run 3"_s);
    const auto value = [&](const QString& name, int run) {
      return view->model()->index(rowNamed(name), 1 + run).data().toString();
    };
    QCOMPARE(value(u"/training/batch_size"_s, 0), u"24"_s);
    QCOMPARE(value(u"/training/batch_size"_s, 1), u"8"_s);
    QCOMPARE(value(u"hidden"_s, 1), u"Dense (changed)"_s);
    QCOMPARE(value(u"/units"_s, 0), u"9"_s);
    QCOMPARE(value(u"Parameters"_s, 0), u"111"_s);
    auto* plot = test.window().findChild<SizePlot*>();
    QVERIFY(plot && plot->isVisible());
    const QPoint point(static_cast<int>(plot->plot()->xAxis->coordToPixel(111)),
                       static_cast<int>(plot->plot()->yAxis->coordToPixel(
                           plot->plot()->graph(0)->dataMainValue(1))));
    QTest::mouseMove(plot->plot(), point);
    QTRY_VERIFY(plot->plot()->toolTip().startsWith(u"Run 3: 111 parameters"_s));
    QCOMPARE(namelessWidgets(test.window()), QStringList());
    click(buttonWith(test.window(), u"Show curves"_s));
    QTRY_COMPARE(test.window().page(), PageId::Train);
    QTRY_VERIFY(test.window().findChild<RunPicker*>());
    QTRY_COMPARE(test.window().findChild<RunPicker*>()->text(), u"Other runs: 2"_s);
  }

  void aCloneIsANewProject() {
    RunsWindow test(2);
    test.showTable();
    QTRY_COMPARE(test.rows(), 2);
    test.clickRow(0);
    click(buttonWith(test.window(), u"Clone"_s));
    QTRY_COMPARE(test.window().workspace().count(), 2);
    QTRY_COMPARE(test.window().page(), PageId::Design);
    QCOMPARE(test.document().json().at("training").at("batch_size").get<int>(), 16);
    QVERIFY(test.document().path().isEmpty());
  }

  /// A thousand runs are read on a worker.
  void manyRunsStayFluent() {
    RunsWindow test(0);
    for (int i = 1; i <= 1000; ++i)
      test.put(i, RunsWindow::runProject(i % 7 + 1));
    test.window().showPage(PageId::Results);
    QElapsedTimer clock;
    clock.start();
    auto* application = static_cast<TimedApplication*>(qApp);
    application->longest = 0;
    test.showTable();
    QTRY_COMPARE_WITH_TIMEOUT(test.rows(), 1000, 60000);
    const qint64 read = clock.elapsed();
    QLineEdit* filter = test.field(u"Filter of the runs"_s);
    click(filter);
    QTest::keyClicks(filter, u"best_val_loss<0.55"_s);
    QTRY_COMPARE(test.rows(), 5);
    filter->selectAll();
    QTest::keyClick(filter, Qt::Key_Delete);
    QTRY_COMPARE(test.rows(), 1000);
    for (int i = 0; i < 20; ++i)
      press(Qt::Key_PageDown);
    qInfo("1000 runs: read in %lld ms, longest dispatch %.0f ms (%s)", static_cast<long long>(read),
          1e3 * application->longest, application->longestName.constData());
    QVERIFY2(application->longest < kLongestDispatch, application->longestName.constData());
  }

 private:
  QTranslator m_plurals;
};

int main(int argc, char** argv) {
  TimedApplication application(argc, argv);
  TestResults test;
  return QTest::qExec(&test, argc, argv);
}

#include "tst_results.moc"
