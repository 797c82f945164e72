// SPDX-License-Identifier: GPL-3.0-or-later
// Tests a run in the window with mouse and keys: Train, curves, the result card, a drawn digit,
// mistakes, export, pause and stop, and closing during training.
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QListView>
#include <QMessageBox>
#include <QProcess>
#include <QTableView>
#include <QtEndian>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/runs/run_directory.h"
#include "tests/ui/support/window.h"
#include "ui/dialogs/memory_panel.h"
#include "ui/document/edits.h"
#include "ui/pages/results/values_card.h"
#include "ui/plots/metric_plot.h"
#include "ui/plots/qcp.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int kRunTimeout = 60000;

/// Replacements that reduce the run to one epoch. The run then takes seconds, and the network is
/// accurate enough to recognize a digit.
const QList<std::pair<QString, QString>> kOneEpoch{{u"\"epochs\": 5"_s, u"\"epochs\": 1"_s}};
/// Replacements that make the run longer than any test.
const QList<std::pair<QString, QString>> kEndless{{u"\"epochs\": 40"_s, u"\"epochs\": 1000000"_s}};

/// Returns the visible label that contains these words, or null.
QLabel* labelWith(QWidget& window, const QString& words) {
  for (QLabel* label : window.findChildren<QLabel*>()) {
    if (label->isVisible() && label->text().contains(words)) return label;
  }
  return nullptr;
}

/// Returns whether other programs compete for the cores. Training then gets little time, because it
/// has a low priority.
bool isMachineBusy() {
  return bytesOf(u"/proc/loadavg"_s).split(' ').value(0).toDouble() >
         QThread::idealThreadCount() + 1;
}

void stroke(QWidget* pad, const QList<QPoint>& points) {
  QWindow* handle = pad->window()->windowHandle();
  const auto place = [&](const QPoint& point) {
    return pad->mapTo(pad->window(), point);
  };
  QTest::mousePress(handle, Qt::LeftButton, {}, place(points.first()));
  for (qsizetype i = 1; i < points.size(); ++i) {
    constexpr int kSteps = 6;
    for (int step = 1; step <= kSteps; ++step)
      QTest::mouseMove(handle, place(points[i - 1] + (points[i] - points[i - 1]) * step / kSteps));
    QTest::qWait(5);
  }
  QTest::mouseRelease(handle, Qt::LeftButton, {}, place(points.last()));
}

/// Returns the class that is predicted for the drawn digit, or an empty text if there is none.
QString answer(const TestWindow& test) {
  auto* words = qobject_cast<QLabel*>(test.named(u"Prediction of the network"_s));
  if (!words || !words->text().contains(u"font-size"_s)) return {};
  QTextDocument document;
  document.setHtml(words->text());
  return document.toPlainText().section(u' ', 0, 0);
}

}  // namespace

class TestRun : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void aRunEndsWithItsCardAndADrawnDigitIsRecognized() {
    TestWindow test(u"mnist-mlp-128.json"_s, kOneEpoch);
    QVERIFY(test.waitForInspection());
    MainWindow& window = test.window();
    QElapsedTimer sinceTrain;
    sinceTrain.start();
    click(test.named(u"Train this network"_s));
    QCOMPARE(window.page(), PageId::Train);
    RunController& run = window.runs().of(&test.document());
    auto* loss = window.findChild<MetricPlot*>();
    QVERIFY(loss);
    QTRY_VERIFY_WITH_TIMEOUT(loss->plot()->graph(1)->data()->size() > 1, kRunTimeout);
    const QString moved = u"the curves moved after %1 ms"_s.arg(sinceTrain.elapsed());
    if (isMachineBusy())
      qWarning("%s, beside other programs", qPrintable(moved));
    else
      QVERIFY2(sinceTrain.elapsed() < 3000, qPrintable(moved));
    const double last = static_cast<double>(run.shown().start->totalSteps),
                 end = loss->plot()->xAxis->range().upper;
    QVERIFY2(end > last && end < 1.03 * last, "not to the last step and its mark");
    QVERIFY(run.isActive());
    QVERIFY(!QApplication::activeModalWidget());
    QTRY_VERIFY_WITH_TIMEOUT(!run.isActive(), kRunTimeout);
    QCOMPARE(window.page(), PageId::Train);
    QVERIFY(run.shown().outcome->outcome == Outcome::Finished);
    QVERIFY(labelWith(window, u" on 10,000 new "_s));

    QAbstractButton* draw = buttonWith(window, u"Draw a digit"_s);
    QVERIFY(draw);
    click(draw);
    QTRY_COMPARE(window.page(), PageId::Results);
    QWidget* pad = nullptr;
    QTRY_VERIFY((pad = test.named(u"Drawing pad"_s)) != nullptr);
    QVERIFY(pad->hasFocus());
    const int side = pad->width();
    const auto at = [side](double x, double y) {
      return QPoint(static_cast<int>(x * side), static_cast<int>(y * side));
    };
    stroke(pad, {at(0.52, 0.18), at(0.5, 0.5), at(0.48, 0.82)});
    QTRY_COMPARE_WITH_TIMEOUT(answer(test), u"1"_s, 10000);
    click(buttonWith(window, u"Clear"_s));
    QTRY_VERIFY(answer(test).isEmpty());
    stroke(pad, {at(0.5, 0.15), at(0.3, 0.25), at(0.24, 0.5), at(0.3, 0.75), at(0.5, 0.86),
                 at(0.7, 0.75), at(0.76, 0.5), at(0.7, 0.25), at(0.5, 0.15)});
    QTRY_COMPARE_WITH_TIMEOUT(answer(test), u"0"_s, 10000);

    for (int page = 0; page < kNumPages; ++page) {
      window.showPage(static_cast<PageId>(page));
      const QStringList nameless = namelessWidgets(window);
      QVERIFY2(nameless.isEmpty(),
               qPrintable(u"page %1: %2"_s.arg(page + 1).arg(nameless.join(u", "_s))));
    }

    // The number of mistakes equals the sum of the confusion matrix outside its diagonal. A click
    // on a cell lists its samples.
    auto* matrix = qobject_cast<QTableView*>(
        test.named(u"Confusion matrix: rows are true classes, columns are predicted classes"_s));
    QTRY_VERIFY_WITH_TIMEOUT(
        (matrix = qobject_cast<QTableView*>(test.named(
             u"Confusion matrix: rows are true classes, columns are predicted classes"_s))) !=
            nullptr,
        20000);
    auto* list = qobject_cast<QListView*>(test.named(u"Misclassified samples"_s));
    QVERIFY(list);
    QVERIFY(list->model()->rowCount() > 20);
    int mistakes = 0, most = 0;
    QModelIndex worst;
    for (int row = 0; row < 10; ++row) {
      for (int column = 0; column < 10; ++column) {
        const QModelIndex cell = matrix->model()->index(row, column);
        const int count = cell.data().toInt();
        if (row != column) mistakes += count;
        if (row != column && count > most) {
          most = count;
          worst = cell;
        }
      }
    }
    QVERIFY(labelWith(window, u"%1 of 10,000 samples"_s.arg(QLocale().toString(mistakes))));
    waitUntilStill(matrix->viewport());
    clickAt(matrix->viewport(), matrix->visualRect(worst).center());
    QTRY_COMPARE(list->model()->rowCount(), most);
    QVERIFY(
        labelWith(window, u"True class %1, predicted %2."_s.arg(worst.row()).arg(worst.column())));
    QVERIFY(labelWith(window, u"Predicted class"_s));
    click(buttonWith(window, u"All mistakes"_s));
    QTRY_COMPARE(list->model()->rowCount(), std::min(mistakes, 300));
    QVERIFY(!buttonWith(window, u"All mistakes"_s));
    QVERIFY(matrix->selectionModel()->selectedIndexes().isEmpty());

    // Export writes a file that other programs can read. A missing folder gives a clear error.
    const QString target = test.folder() + u"/out.safetensors"_s;
    press(Qt::Key_E, Qt::ControlModifier);
    chooseFile(window, target);
    QTRY_VERIFY_WITH_TIMEOUT(labelWith(window, u"out.safetensors exported and verified"_s), 20000);
    const QByteArray bytes = bytesOf(target);
    QVERIFY(bytes.size() > 8);
    const auto headerBytes = qFromLittleEndian<quint64>(bytes.constData());
    QVERIFY(headerBytes < static_cast<quint64>(bytes.size()));
    const Json header =
        Json::parse(bytes.mid(8, static_cast<qsizetype>(headerBytes)).toStdString());
    int tensors = 0;
    for (const auto& [name, tensor] : header.items())
      tensors += name != "__metadata__" && tensor.contains("data_offsets") ? 1 : 0;
    QCOMPARE(tensors, 4);
    press(Qt::Key_E, Qt::ControlModifier);
    const QString missing = test.folder() + u"/missing/out.safetensors"_s;
    chooseFile(window, missing);
    QLabel* line = nullptr;
    QTRY_VERIFY_WITH_TIMEOUT(
        (line = labelWith(window, missing)) != nullptr && !line->text().contains(u"Writing"_s),
        20000);
    QCOMPARE(line->parentWidget()->property("role").toString(), u"banner"_s);
    QVERIFY(!QFileInfo::exists(missing));
    // Results that are already shown stay visible.
    QVERIFY(matrix->isVisible());
  }

  void keysPauseStepAndStop() {
    TestWindow test(u"random-integers.json"_s, kEndless);
    RunController& run = test.window().runs().of(&test.document());
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().step > 5, kRunTimeout);
    // Escape never stops a run.
    press(Qt::Key_Escape);
    press(Qt::Key_F6);
    QTRY_COMPARE_WITH_TIMEOUT(run.state(), RunState::Paused, 10000);
    // The last steps are drawn within the longest redraw interval.
    QTest::qWait(700);
    const int64_t paused = run.shown().step;
    QTest::qWait(200);
    QCOMPARE(run.shown().step, paused);
    press(Qt::Key_F10);
    QTRY_COMPARE(run.shown().step, paused + 1);
    press(Qt::Key_F6);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().step > paused + 20, kRunTimeout);
    press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!run.isActive(), 10000);
    QVERIFY(run.shown().outcome->outcome == Outcome::Stopped);
    const int64_t stopped = run.shown().outcome->steps;
    const QString words =
        u"Continue (step %1)"_s.arg(QLocale().toString(static_cast<qlonglong>(stopped)));
    QTRY_VERIFY(buttonWith(test.window(), words));
    click(buttonWith(test.window(), words));
    QTRY_VERIFY_WITH_TIMEOUT(run.isActive() && run.shown().step > stopped, kRunTimeout);
    press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!run.isActive(), 10000);
    QVERIFY(run.shown().outcome->steps > stopped);
    QCOMPARE(QDir(test.folder() + u"/random-integers.runs"_s)
                 .entryList(QDir::Dirs | QDir::NoDotAndDotDot)
                 .size(),
             1);
  }

  void closingDuringTrainingAsksOnceAndOtherRunsContinue() {
    int64_t reached = 0;
    QString project;
    TestWindow test(u"random-integers.json"_s, kEndless);
    project = test.path();
    RunController& run = test.window().runs().of(&test.document());
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().step > 5, kRunTimeout);
    test.window().close();
    auto* question = waitForDialog<QMessageBox>(test.window());
    QVERIFY(question);
    // Training continues while the question is open.
    QVERIFY(run.isActive());
    QVERIFY(QTest::qWaitForWindowActive(question));
    click(buttonWith(*question, u"Keep working"_s));
    QTRY_VERIFY(test.window().findChildren<QMessageBox*>().isEmpty());
    QVERIFY(test.window().isVisible() && run.isActive());
    test.window().close();
    question = waitForDialog<QMessageBox>(test.window());
    QVERIFY(question);
    click(buttonWith(*question, u"Stop and quit"_s));
    QTRY_VERIFY_WITH_TIMEOUT(!test.window().isVisible(), 10000);
    QVERIFY(test.window().findChildren<QMessageBox*>().size() <= 1);
    QVERIFY(run.shown().outcome);
    reached = run.shown().outcome->steps;
    QVERIFY(reached > 5);

    const QString strata = QCoreApplication::applicationDirPath() + u"/strata"_s;
    QVERIFY2(QFileInfo::exists(strata), "the command line is built next to the tests");
    QProcess command;
    const QString steps = QString::number(reached + 7);
    command.start(strata, {u"train"_s, project, u"--resume"_s, u"latest"_s, u"--steps"_s, steps,
                           u"--events"_s, u"-"_s});
    QVERIFY(command.waitForFinished(kRunTimeout));
    const QByteArray errors = command.readAllStandardError();
    QVERIFY2(command.exitCode() == 0, errors.constData());
    int64_t first = -1, last = -1;
    for (const QByteArray& line : command.readAllStandardOutput().split('\n')) {
      const Json event = Json::parse(line.toStdString(), nullptr, false);
      if (!event.is_object() || event.value("event", std::string()) != "step") continue;
      last = event.at("step").get<int64_t>();
      if (first < 0) first = last;
    }
    QCOMPARE(first, reached + 1);
    QCOMPARE(last, reached + 7);
  }

  void runsOfAProjectThatWasNeverSavedAreFoundAfterSaving() {
    TestWindow test(u"random-integers.json"_s);
    MainWindow& window = test.window();
    window.workspace().addNew(test.document().project());
    QVERIFY(test.document().path().isEmpty());
    RunController& run = window.runs().of(&test.document());
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().outcome && !run.isActive(), kRunTimeout);
    const int64_t steps = run.shown().outcome->steps;
    QVERIFY(!test.document().isModified());
    window.close();
    auto* question = waitForDialog<QMessageBox>(window);
    QVERIFY(question);
    QVERIFY2(question->text().contains(u"to find the runs of"_s), qPrintable(question->text()));
    click(buttonWith(*question, u"Save and quit"_s));
    const QString path = test.folder() + u"/own.json"_s;
    chooseFile(window, path);
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), 10000);
    test.restart();
    QVERIFY(test.window().workspace().open(path));
    RunController& again = test.window().runs().of(&test.document());
    QTRY_VERIFY_WITH_TIMEOUT(again.shown().outcome, kRunTimeout);
    QCOMPARE(again.shown().outcome->steps, steps);
    QCOMPARE(listRuns(test.document().project()).size(), 1u);
    // The window does not ask again.
    QVERIFY(!test.window().runs().hasRunsWithoutFile(&test.document()));
  }

  void predictedNumbersAreShownOverTheTrueOnes() {
    TestWindow test(u"linear-regression.json"_s, {{u"\"epochs\": 1000"_s, u"\"epochs\": 1"_s}});
    MainWindow& window = test.window();
    RunController& run = window.runs().of(&test.document());
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().outcome && !run.isActive(), kRunTimeout);
    window.showPage(PageId::Results);
    QTableView* table = nullptr;
    const QString name = u"Predicted and true values, largest differences first"_s;
    QTRY_VERIFY_WITH_TIMEOUT((table = qobject_cast<QTableView*>(test.named(name))) != nullptr,
                             20000);
    QVERIFY(!test.named(u"Misclassified samples"_s));
    QCOMPARE(table->model()->rowCount(), 4);
    // After one step from zero, the weight is 2 · 0.01 · mean(x y) = 0.3 and the bias 0.1, so x = 4
    // gives 1.3.
    const auto cell = [&](int row, int column) {
      return table->model()->index(row, column).data().toString();
    };
    QCOMPARE(cell(0, 0), u"4"_s);
    QCOMPARE(cell(0, 1), u"8"_s);
    QCOMPARE(cell(0, 2), u"1.3"_s);
    auto* card = window.findChild<ValuesCard*>();
    QVERIFY(card && card->plot()->isVisible());
    const auto points = card->plot()->graph(1)->data();
    QCOMPARE(points->size(), 4);
    double farthest = 0;
    for (const QCPGraphData& point : *points)
      farthest = std::max(farthest, std::abs(point.value - (0.3 * point.key / 2 + 0.1)));
    QVERIFY2(farthest < 1e-5, qPrintable(QString::number(farthest)));
    QVERIFY(labelWith(window, u"4 test samples"_s));
  }

  void aRunOnATableFindsItsDataForResults() {
    TestWindow test(u"random-integers.json"_s, {{u"\"epochs\": 40"_s, u"\"epochs\": 1"_s}});
    QFile table(test.folder() + u"/points.csv"_s);
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("number,class\n");
    for (int i = 0; i < 200; ++i)
      table.write(QByteArray::number(i % 20) + ',' + QByteArray::number(i % 20) + '\n');
    table.close();
    submitValue(test.document(), "/data/source",
                Json{{"type", "csv"}, {"path", "points.csv"}, {"label", "class"}});
    submitValue(test.document(), "/data/test_split", Json(0.2));
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 0);
    RunController& run = test.window().runs().of(&test.document());
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().outcome && !run.isActive(), kRunTimeout);
    test.window().showPage(PageId::Results);
    QTRY_VERIFY_WITH_TIMEOUT(labelWith(test.window(), u" of 40 samples"_s) != nullptr, 20000);
    QVERIFY(!labelWith(test.window(), u"points.csv"_s));
    auto* list = qobject_cast<QListView*>(test.named(u"Misclassified samples"_s));
    QVERIFY(list && list->model()->rowCount() > 0);
    QVERIFY(list->viewMode() == QListView::ListMode);
    // The cells of a sample follow its classes.
    const QModelIndex first = list->model()->index(0, 0);
    const QString words = first.data().toString();
    QVERIFY2(words.contains(u":  number: "_s), qPrintable(words));
    QVERIFY(first.data(Qt::ToolTipRole).toString().contains(u"\nnumber: "_s));
  }

  void predictedNumbersOfATableShowItsCells() {
    TestWindow test(u"linear-regression.json"_s, {{u"\"epochs\": 1000"_s, u"\"epochs\": 1"_s}});
    QFile table(test.folder() + u"/trees.csv"_s);
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("soil,height\n");
    for (int i = 0; i < 40; ++i)
      table.write(i % 2 ? "sand,3\n" : "clay,9\n");
    table.close();
    submitValue(test.document(), "/data/source",
                Json{{"type", "csv"}, {"path", "trees.csv"}, {"target", "height"}});
    submitValue(test.document(), "/data/test_split", Json(0.2));
    submitValue(test.document(), "/model/layers/0/shape", Json{2});
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 0);
    RunController& run = test.window().runs().of(&test.document());
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().outcome && !run.isActive(), kRunTimeout);
    test.window().showPage(PageId::Results);
    QTableView* values = nullptr;
    const QString name = u"Predicted and true values, largest differences first"_s;
    QTRY_VERIFY_WITH_TIMEOUT((values = qobject_cast<QTableView*>(test.named(name))) != nullptr,
                             20000);
    const QModelIndex first = values->model()->index(0, 0);
    QVERIFY2(first.data().toString().startsWith(u"soil: "_s), qPrintable(first.data().toString()));
  }

  void aFailedRunSaysWhyInTheBannerOfItsPage() {
    TestWindow test(u"linear-regression.json"_s,
                    {{u"\"learning_rate\": 0.01"_s, u"\"learning_rate\": 1e30"_s}});
    RunController& run = test.window().runs().of(&test.document());
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().outcome && !run.isActive(), kRunTimeout);
    QVERIFY(run.shown().outcome->outcome == Outcome::Failed);
    QLabel* line = labelWith(test.window(), u"step"_s);
    QVERIFY(line);
    QCOMPARE(line->parentWidget()->property("role").toString(), u"banner"_s);
    QVERIFY(!QApplication::activeModalWidget());
    QVERIFY(!labelWith(test.window(), u"Times appear after the first steps"_s));
    QVERIFY(labelWith(test.window(), u"Step times are unknown, because the run failed"_s));
  }

  void aStepThatDoesNotFitIsRefusedWithSuggestions() {
    TestWindow test(u"mnist-cnn.json"_s,
                    {{u"\"memory_limit\": null"_s, u"\"memory_limit\": 6000000"_s}});
    MainWindow& window = test.window();
    Document& document = test.document();
    RunController& run = window.runs().of(&document);
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().outcome && !run.isActive(), kRunTimeout);
    QVERIFY(run.shown().outcome->outcome == Outcome::Failed);
    // The button of the message lists all options that fit.
    QAbstractButton* all = nullptr;
    QTRY_VERIFY_WITH_TIMEOUT(
        (all = buttonWith(window, u"Options that fit"_s)) && buttonWith(window, u"Use this"_s),
        60000);
    QLabel* line = labelWith(window, u"does not fit in memory: it needs "_s);
    QVERIFY(line && line->text().contains(
                        u", but the limit is 5.7 MiB. The fastest option that fits: Batch"_s));
    click(all);
    MemoryPanel* panel = nullptr;
    QTRY_VERIFY((panel = window.findChild<MemoryPanel*>()) && panel->isVisible());
    panel->close();
    // Using an option is one undo step. The message disappears, and the step fits.
    const int before = document.undoStack()->count();
    click(buttonWith(window, u"Use this"_s));
    QCOMPARE(document.undoStack()->count(), before + 1);
    QTRY_VERIFY(!line->isVisible());
    QVERIFY(QTest::qWaitFor(
        [&] {
          return document.checks().estimate().revision == document.revision() &&
                 document.checks().estimate().hasMemory;
        },
        60000));
    QVERIFY(document.checks().estimate().fits);
  }
};

QTEST_MAIN(TestRun)
#include "tst_run.moc"
