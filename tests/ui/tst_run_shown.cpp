// SPDX-License-Identifier: GPL-3.0-or-later
// Tests how the window shows a run: the copy of its design next to an edited design, its times, the
// three forms of Continue, live settings, and the last run after a restart.
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTranslator>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/runs/run_directory.h"
#include "tests/support/paths.h"
#include "tests/ui/support/run_window.h"
#include "ui/format.h"
#include "ui/models/time_item_model.h"
#include "ui/pages/results/run_evaluator.h"
#include "ui/pages/results/values_card.h"
#include "ui/plots/metric_plot.h"
#include "ui/plots/qcp.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

QStringList g_warnings;

void collectWarnings(QtMsgType type, const QMessageLogContext&, const QString& message) {
  if (type != QtDebugMsg && type != QtInfoMsg) g_warnings << message;
}

/// A window with a project whose table has no test set.
class TableWindow : public TestWindow {
 public:
  explicit TableWindow(double validationSplit) : TestWindow(u"penguins.json"_s) {
    const auto table = sourceDir() / "projects" / "data" / "penguins.csv";
    submitValue(document(), "/data/source/path", Json(table.string()));
    submitValue(document(), "/data/validation_split", Json(validationSplit));
    submitValue(document(), "/data/test_split", Json(0.0));
    submitValue(document(), "/training/epochs", Json(2));
    if (document().json().at("training").contains("callbacks"))
      submitResetValue(document(), "/training/callbacks", {});
    waitForInspection();
  }
  RunController& run() { return window().runs().of(&document()); }
  bool trainToEnd() {
    window().actionTable()[u"run.train"_s]->trigger();
    return QTest::qWaitFor([this] { return run().shown().outcome && !run().isActive(); }, 60000);
  }
};

}  // namespace

class TestRunShown : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    prepareApplication();
    // The English translation contains plurals such as "2 layers".
    QVERIFY(m_plurals.load(u":/translations/strata_en.qm"_s));
    QApplication::installTranslator(&m_plurals);
  }

  void theDesignHasChangedSinceTheRun() {
    RunWindow test;
    QVERIFY(test.trainToEnd());
    QVERIFY(!test.changes());
    submitField(test.document(), u"hidden"_s, "units", Json(64));
    submitAdd(test.document(), u"Dropout"_s, 3);
    QTRY_VERIFY(test.changes() != nullptr);
    auto* words = test.changes()->findChild<QLabel*>();
    QCOMPARE(words->text(), u"Run 1. The design has changed since: 2 layers"_s);
    QVERIFY(words->toolTip().contains(u"Changed: hidden"_s));
    QVERIFY(words->toolTip().contains(u"Added: dropout"_s));
    // A field that is explicitly set to its default is not a change.
    submitField(test.document(), u"out"_s, "use_bias", Json(true));
    QCOMPARE(words->text(), u"Run 1. The design has changed since: 2 layers"_s);
    // Measured times of changed layers are marked as outdated.
    auto* table = static_cast<QTableView*>(test.named(u"Step time by layer or op"_s));
    QHash<QString, QColor> colors;
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      const QModelIndex name = table->model()->index(row, TimeItemModel::kName);
      colors[name.data().toString()] = name.data(TimeItemModel::kColorRole).value<QColor>();
    }
    QVERIFY(colors.contains(u"hidden"_s) && colors.contains(u"out"_s));
    QVERIFY(colors[u"hidden"_s] != colors[u"out"_s]);
    QVERIFY(test.cost(u"hidden"_s).data(LayerItemModel::IsStaleRole).toBool());
    QVERIFY(!test.cost(u"out"_s).data(LayerItemModel::IsStaleRole).toBool());
    // The page Results shows the same line. The button in the line restores the design of the run
    // in one undo step.
    test.showPage(PageId::Results);
    QVERIFY(test.changes());
    QVERIFY(test.click(u"Revert design to run 1"_s));
    QTRY_COMPARE(test.window().page(), PageId::Design);
    QCOMPARE(test.document().json().at("model").at("layers").at(2).at("units").get<int>(), 128);
    QVERIFY(!test.layerNames().contains(u"dropout"_s));
    test.showPage(PageId::Train);
    QVERIFY(!test.changes());
    QTest::keyClick(test.window().windowHandle(), Qt::Key_Z, Qt::ControlModifier);
    QTRY_VERIFY(test.changes() != nullptr);
  }

  void timesComeFromTheRun() {
    RunWindow test;
    test.showPage(PageId::Train);
    // These times come from trial steps.
    QTRY_VERIFY_WITH_TIMEOUT(!test.cost(u"hidden"_s).data().toString().isEmpty(), 20000);
    QVERIFY(test.cost(u"hidden"_s).data(LayerItemModel::IsPredictedRole).toBool());
    QVERIFY(test.trainToEnd());
    const auto& profile = test.run().shown().profile;
    QVERIFY(profile);
    QVERIFY(!test.cost(u"hidden"_s).data(LayerItemModel::IsPredictedRole).toBool());
    QVERIFY(
        test.cost(u"hidden"_s).data(Qt::ToolTipRole).toString().contains(u"measured in run 1"_s));
    submitAdd(test.document(), u"Dense"_s, 3);
    QTRY_VERIFY(test.cost(u"dense"_s).isValid());
    // The run did not have this layer, so its time is estimated. The others keep their times.
    QTRY_VERIFY_WITH_TIMEOUT(!test.cost(u"dense"_s).data().toString().isEmpty(), 20000);
    QVERIFY(test.cost(u"dense"_s).data(LayerItemModel::IsPredictedRole).toBool());
    QVERIFY(test.cost(u"dense"_s).data(Qt::ToolTipRole).toString().contains(u"predicted on"_s));
    QVERIFY(!test.cost(u"hidden"_s).data(LayerItemModel::IsPredictedRole).toBool());
  }

  void aStoppedRunContinues() {
    RunWindow test(1000000);
    QVERIFY(test.trainAndStop(300));
    const int64_t stopped = test.run().shown().outcome->steps;
    QTRY_COMPARE(test.starter()->text(),
                 u"Continue (step %1)"_s.arg(QLocale().toString(static_cast<qlonglong>(stopped))));
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().step > stopped + 100, 60000);
    QVERIFY(QString::fromStdString(test.run().shown().start->runDirectory).endsWith(u"/001"_s));
    // The curves of the continued run still contain its earlier steps.
    QCOMPARE(test.run().shown().history.find("loss")->envelope(0, 1e9, 100000).front().step, 1.0);
    QVERIFY(test.run().shown().history.find("loss")->count() > static_cast<size_t>(stopped));
    QVERIFY(test.click(u"Stop"_s));
    QVERIFY(test.waitForEnd());
    // A new run can also be started, and does not change the first run.
    const std::string weights = test.run().shown().outcome->weightsPath;
    const QByteArray before = bytesOf(QString::fromStdString(weights));
    QTest::keyClick(test.window().windowHandle(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().step > 0, 60000);
    QVERIFY(QString::fromStdString(test.run().shown().start->runDirectory).endsWith(u"/002"_s));
    QTest::keyClick(test.window().windowHandle(), Qt::Key_F5, Qt::ShiftModifier);
    QVERIFY(test.waitForEnd());
    QCOMPARE(bytesOf(QString::fromStdString(weights)), before);
  }

  void aFinishedRunContinuesForTheEpochsInTheForm() {
    RunWindow test;
    QVERIFY(test.trainToEnd());
    const int64_t steps = test.run().shown().outcome->steps;
    submitValue(test.document(), "/training/epochs", Json(2));
    QVERIFY(test.waitForInspection());
    // The number of epochs is not part of the design.
    QVERIFY(!test.changes());
    QTest::keyClick(test.window().windowHandle(), Qt::Key_F5, Qt::ControlModifier);
    QTRY_VERIFY(test.run().isActive());
    QVERIFY(test.waitForEnd());
    QCOMPARE(test.run().shown().outcome->outcome, Outcome::Finished);
    QCOMPARE(test.run().shown().outcome->steps, 2 * steps);
  }

  void anEditedDesignKeepsMatchingWeights() {
    RunWindow test;
    QVERIFY(test.trainToEnd());
    QVERIFY(submitRename(test.document(), u"out"_s, u"answer"_s));
    QVERIFY(test.waitForInspection());
    QTRY_COMPARE(test.starter()->text(), u"New run from run 1"_s);
    QVERIFY(test.window().actionTable()[u"run.keep"_s]->text().startsWith(
        u"New run, starting from run 1's weights (1 of 2"_s));
    QVERIFY(test.starter()->toolTip().contains(u"Layers that keep their weights: hidden"_s));
    QVERIFY(
        test.starter()->toolTip().contains(u"Layers that start from initial weights: answer"_s));
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY_WITH_TIMEOUT(test.run().isActive(), 5000);
    QVERIFY(test.waitForEnd());
    QCOMPARE(test.run().shown().start->keptLayers, std::vector<std::string>{"hidden"});
    QVERIFY(QString::fromStdString(test.run().shown().start->runDirectory).endsWith(u"/002"_s));
    // The weights of a run are not offered if they match no layer.
    submitField(test.document(), u"hidden"_s, "units", Json(100));
    QVERIFY(test.waitForInspection());
    QTRY_COMPARE(test.starter()->text(), u"New run"_s);
  }

  /// Weights that were trained on samples of the new test set are only in the menu, with the
  /// reason.
  void anotherSplitOffersANewRunFirst() {
    RunWindow test;
    QVERIFY(test.trainToEnd());
    auto* offers = test.window().findChild<TrainButton*>();
    // Transforms do not move samples to another part of the split.
    submitValue(test.document(), "/data/transforms", Json::array());
    QVERIFY(test.waitForInspection());
    QCOMPARE(offers->notice(), QString());
    submitValue(test.document(), "/data/split_seed", Json(5));
    QVERIFY(test.waitForInspection());
    QTRY_COMPARE(test.starter()->text(), u"New run"_s);
    QCOMPARE(
        offers->notice(),
        u"The split has changed: the network may have been trained on samples that are now test "
        u"samples."_s);
    auto* more = qobject_cast<QPushButton*>(test.named(u"Other ways to start training"_s));
    QVERIFY(more);
    // The menu of a button runs a nested event loop, so a timer reads and closes the menu.
    QStringList words;
    QString sentence;
    QTimer::singleShot(300, this, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (!menu) return;
      for (const QAction* action : menu->actions())
        if (action->isVisible() && !action->text().isEmpty()) words << action->text();
      if (auto* label = menu->findChild<QLabel*>(); label && label->isVisible())
        sentence = label->text();
      menu->close();
    });
    clickAt(more, more->rect().center());
    QTRY_VERIFY2(words.contains(u"New run, starting from run 1's weights"_s),
                 qPrintable(words.join(u", "_s)));
    QCOMPARE(sentence, offers->notice());
    // When the split of the run is restored, the weights of the run are the first offer again.
    test.document().undoStack()->undo();
    QVERIFY(test.waitForInspection());
    QTRY_COMPARE(test.starter()->text(), u"New run from run 1"_s);
    QCOMPARE(offers->notice(), QString());
  }

  void resultsWithoutATestSetUseTheValidationData() {
    TableWindow test(0.25);
    QVERIFY(test.trainToEnd());
    QVERIFY(!test.run().shown().outcome->hasTest);
    test.window().showPage(PageId::Results);
    QTRY_VERIFY_WITH_TIMEOUT(
        labelWith(test,
                  u"There is no test set, so the results were measured on the validation data."_s),
        20000);
    // The headline also names the validation data.
    QVERIFY(labelWith(test, u"on the validation data, "_s));
    auto* matrix = qobject_cast<QTableView*>(
        test.named(u"Confusion matrix: rows are true classes, columns are predicted classes"_s));
    QVERIFY(matrix);
    int samples = 0;
    for (int row = 0; row < matrix->model()->rowCount(); ++row)
      for (int column = 0; column < matrix->model()->columnCount(); ++column)
        samples += matrix->model()->index(row, column).data().toString().toInt();
    // The validation data is a quarter of the table.
    QVERIFY2(samples > 60 && samples < 100, qPrintable(QString::number(samples)));
  }

  void resultsShowTheStepOfTheRunThatTrains() {
    RunWindow test(1000);
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().step > 20, 60000);
    test.run().pause();
    QTRY_COMPARE(test.run().state(), RunState::Paused);
    test.showPage(PageId::Results);
    const ShownRun& shown = test.run().shown();
    const QString steps =
        u"%1 of %2"_s.arg(formatCount(shown.step), formatCount(shown.start->totalSteps));
    QTRY_VERIFY2(labelWith(test, steps), qPrintable(steps));
    test.run().resume();
    QTRY_VERIFY(!labelWith(test, steps));
    // There is nothing to scroll
    auto* area = qobject_cast<QScrollArea*>(test.named(u"The selected run"_s));
    QVERIFY(area && area->verticalScrollBar()->maximum() == 0);
    QVERIFY(!area->verticalScrollBar()->isEnabled());
    test.run().stop();
    QTRY_VERIFY_WITH_TIMEOUT(!test.run().isActive(), 60000);
  }

  void aRunThatStoppedEarlySaysSo() {
    RunWindow test(40);
    // No epoch is better than the first one by so much.
    submitValue(test.document(), "/training/callbacks",
                Json::array({{{"type", "EarlyStopping"},
                              {"monitor", "loss"},
                              {"min_delta", 100.0},
                              {"patience", 3},
                              {"restore_best_weights", true}}}));
    QVERIFY(test.waitForInspection());
    QVERIFY(test.trainToEnd());
    QCOMPARE(test.run().shown().outcome->endedBy, std::string("EarlyStopping"));
    const QString words =
        u"Stopped at epoch 4: loss did not improve for 3 epochs. "
        "The weights of epoch 1 are kept."_s;
    QVERIFY(labelWith(test, words));
    test.showPage(PageId::Results);
    QVERIFY(labelWith(test, u"Run 1, finished, CPU. "_s + words));
  }

  void anInterruptedRunHasNoTime() {
    TableWindow test(0.25);
    QVERIFY(test.trainToEnd());
    // A process that was killed writes no end event.
    const QString events =
        QString::fromStdString(test.run().shown().start->runDirectory) + u"/events.jsonl"_s;
    QByteArray lines = bytesOf(events);
    lines.truncate(lines.lastIndexOf("{\"event\":\"end\""));
    QFile file(events);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(lines) == lines.size());
    file.close();
    // The page reads the runs again.
    Q_EMIT test.document().savedChanged();
    test.window().showPage(PageId::Results);
    QTRY_VERIFY(labelWith(test, u", interrupted"_s));
    const QLabel* headline = labelWith(test, u"% on the validation data"_s);
    QVERIFY(headline);
    QVERIFY2(headline->text().endsWith(u"on the validation data"_s), qPrintable(headline->text()));
  }

  void resultsWithoutSamplesToEvaluateSayWhatToDo() {
    TableWindow test(0);
    QVERIFY(test.trainToEnd());
    test.window().showPage(PageId::Results);
    QTRY_VERIFY_WITH_TIMEOUT(
        labelWith(test, u"There is no test or validation data to evaluate on."_s), 20000);
    QVERIFY(buttonWith(test.window(), u"Export weights"_s));
    for (const QFrame* banner : test.window().findChildren<QFrame*>())
      QVERIFY(!banner->isVisible() || banner->property("role").toString() != u"banner"_s);
  }

  /// The status row never mixes parameters of one revision with memory of another revision.
  void theStatusRowShowsOneRevision() {
    TestWindow test(u"mnist-mlp-128.json"_s);
    QVERIFY(test.waitForInspection());
    QTRY_VERIFY_WITH_TIMEOUT(test.document().checks().estimate().hasTime, 60000);
    QLabel* figures = nullptr;
    for (auto* label : test.window().findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(u"on this machine"_s)) figures = label;
    QVERIFY(figures);
    const QString before = figures->text();
    QVERIFY(submitField(test.document(), u"hidden"_s, "units", Json(4096)));
    QStringList said;
    const auto parameters = [](qint64 count) {
      return QLocale().toString(count) + u" parameters"_s;
    };
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
          if (said.isEmpty() || said.last() != figures->text()) said << figures->text();
          return test.document().checks().estimate().revision == test.document().revision() &&
                 test.document().checks().estimate().hasTime;
        }(),
        60000);
    const QString now = parameters(784 * 4096 + 4096 + 4096 * 10 + 10);
    const QString oldNeed = before.section(u"<i>"_s, 1, 1).section(u"</i>"_s, 0, 0);
    QVERIFY(!oldNeed.isEmpty());
    for (const QString& sentence : said) {
      if (sentence == before) continue;
      QVERIFY2(sentence.startsWith(now), qPrintable(sentence));
      QVERIFY2(!sentence.contains(oldNeed), qPrintable(sentence));
    }
  }

  void aRestartShowsTheLastRun() {
    RunWindow test(1, RunWindow::Data::Digits);
    test.window().actionTable()[u"file.save"_s]->trigger();
    QTRY_VERIFY(!test.document().isModified());
    QVERIFY(test.trainToEnd());
    const int64_t steps = test.run().shown().outcome->steps;
    const double loss = test.run().shown().history.find("loss")->lastValue();
    test.restart();
    QCOMPARE(test.window().page(), PageId::Train);
    QTRY_VERIFY(test.run().shown().outcome.has_value());
    QCOMPARE(test.run().shown().step, steps);
    QCOMPARE(test.run().shown().history.find("loss")->lastValue(), loss);
    QVERIFY(test.run().shown().history.find("val_loss")->count() == 1);
    MetricPlot* plot = nullptr;
    QVERIFY(QTest::qWaitFor([&] {
      for (auto* each : test.window().findChildren<MetricPlot*>())
        if (each->isVisible()) plot = each;
      return plot != nullptr;
    }));
    QTRY_VERIFY(plot->plot()->graph(0)->dataCount() >= 27);
    QTRY_VERIFY(test.button(u"Draw a digit"_s) != nullptr);
    QVERIFY(test.run().shown().profile);
    QVERIFY(!test.cost(u"hidden"_s).data(LayerItemModel::IsPredictedRole).toBool());
    QCOMPARE(test.starter()->text(), u"Train 1 more epoch"_s);
    QVERIFY(test.click(u"Draw a digit"_s));
    QTRY_COMPARE(test.window().page(), PageId::Results);
    QWidget* pad = nullptr;
    QTRY_VERIFY((pad = test.named(u"Drawing pad"_s)) != nullptr);
    // The weights of the last run predict the digit.
    auto* answers = static_cast<QTableView*>(test.named(u"Probability of each class"_s));
    dragFromTo(pad, pad->rect().center() - QPoint(0, 60), pad,
               pad->rect().center() + QPoint(0, 60));
    QTRY_VERIFY_WITH_TIMEOUT(answers->model()->rowCount() == 10 && answers->isVisible(), 10000);
  }

  void aRunThatEndedInTheBackgroundIsEvaluatedWhenResultsOpens() {
    RunWindow test(1, RunWindow::Data::Digits);
    // The page Results is created when it is first shown.
    test.showPage(PageId::Results);
    test.showPage(PageId::Train);
    QVERIFY(test.trainToEnd());
    QCOMPARE(test.window().page(), PageId::Train);
    QVERIFY(test.click(u"Results"_s));
    QTRY_COMPARE(test.window().page(), PageId::Results);
    const auto matrix = [&] {
      return qobject_cast<QTableView*>(
          test.named(u"Confusion matrix: rows are true classes, columns are predicted classes"_s));
    };
    QTRY_VERIFY_WITH_TIMEOUT(matrix() && matrix()->model()->rowCount() == 10, 20000);
    for (const QLabel* label : test.window().findChildren<QLabel*>())
      QVERIFY2(!label->isVisible() || !label->text().contains(u"Evaluating"_s), "still asking");
  }

  void liveSettingsAreMarked() {
    RunWindow test(1000000);
    QVERIFY(test.click(u"Training"_s));
    const auto mark = [&](const char* field) {
      auto* label = test.window().findChild<QLabel*>(QString::fromLatin1(field) + u"/mark"_s);
      return label && label->isVisible() ? label->text() : QString();
    };
    QCOMPARE(mark("/training/batch_size"), QString());
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().step > 10, 60000);
    QVERIFY(test.click(u"Training"_s));
    test.openSections();
    QTRY_COMPARE(mark("learning_rate"), u"live"_s);
    // Only live settings are marked.
    QCOMPARE(mark("/training/batch_size"), QString());
    QCOMPARE(mark("/training/loss"), QString());
    for (const char* live : {"learning_rate", "weight_decay", "clipnorm"})
      QCOMPARE(mark(live), u"live"_s);
    // A typed value applies from the next step on, and is recorded for the curves.
    auto* rate = test.window().findChild<QLineEdit*>(u"learning_rate"_s);
    QVERIFY(rate);
    reveal(rate);
    clickAt(rate, rate->rect().center());
    rate->selectAll();
    for (const char letter : {'0', '.', '0', '0', '0', '5'})
      QTest::keyClick(test.window().windowHandle(), letter);
    QTest::keyClick(test.window().windowHandle(), Qt::Key_Return);
    QTRY_COMPARE(test.run().shown().settingSteps().size(), size_t{1});
    QTRY_COMPARE(test.run().shown().history.find("learning_rate")->lastValue(), 0.0005);
    auto* clip = test.window().findChild<QLineEdit*>(u"clipnorm"_s);
    QVERIFY(clip);
    reveal(clip);
    clickAt(clip, clip->rect().center());
    clip->selectAll();
    QTest::keyClick(test.window().windowHandle(), '2');
    QTest::keyClick(test.window().windowHandle(), Qt::Key_Return);
    QTRY_COMPARE(test.run().shown().settingSteps().size(), size_t{2});
    QVERIFY(test.click(u"Stop"_s));
    QVERIFY(test.waitForEnd());
    QTRY_COMPARE(mark("/training/batch_size"), QString());
    // The form and the run have the same learning rate, so the run can continue.
    QVERIFY(test.starter()->text().startsWith(u"Continue (step "_s));
  }

  void answersThatAreNotNumbersCountAsTheWorst() {
    auto samples = std::make_shared<Samples>();
    samples->x[0] = Tensor(DType::F32, {4, 2});
    auto dataset = std::make_shared<Dataset>();
    dataset->test = samples;
    auto run = std::make_shared<EvaluatedRun>();
    run->dataset = dataset;
    run->evaluation.samples = run->comparedSamples = 4;
    run->values = {{0, 10, 11}, {1, 20, std::nan("")}, {2, 30, 33}, {3, 40, 42}};
    ValuesCard card;
    card.setRun(run);
    const QAbstractItemModel* rows = card.findChild<QTableView*>()->model();
    QStringList truths;
    for (int row = 0; row < rows->rowCount(); ++row)
      truths << rows->index(row, 1).data().toString();
    QCOMPARE(truths,
             (QStringList{formatValue(20), formatValue(30), formatValue(40), formatValue(10)}));
  }

  void plotsAreDrawnOnlyIfThereIsSpace() {
    g_warnings.clear();
    const QtMessageHandler before = qInstallMessageHandler(collectWarnings);
    {
      RunWindow test;
      const bool isDone = test.trainToEnd();
      test.showPage(PageId::Results);
      test.window().actionTable()[u"view.themeDark"_s]->trigger();
      test.showPage(PageId::Train);
      test.window().actionTable()[u"view.themeLight"_s]->trigger();
      if (!isDone) g_warnings << u"the run did not end"_s;
    }
    qInstallMessageHandler(before);
    QVERIFY2(g_warnings.isEmpty(), qPrintable(g_warnings.join(u'\n')));
  }

 private:
  QTranslator m_plurals;
};

QTEST_MAIN(TestRunShown)
#include "tst_run_shown.moc"
