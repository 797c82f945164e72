// SPDX-License-Identifier: GPL-3.0-or-later
// Tests Continue where the project differs from what the run used, the number of further epochs,
// the device of an active run, and a run whose files cannot be written.
#include <QMessageBox>
#include <QtTest>
#include <csignal>

#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "tests/ui/support/run_window.h"
#include "ui/run/run_text.h"
#include "ui/workspace/continuation.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr const char* kRate = "/training/optimizer/learning_rate";

void limitFiles(rlim_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

/// Presses Ctrl+F5 and returns the question that appears.
QMessageBox* askedBy(RunWindow& test) {
  QTest::keyClick(test.window().windowHandle(), Qt::Key_F5, Qt::ControlModifier);
  return waitForDialog<QMessageBox>(test.window());
}

}  // namespace

class TestContinue : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    prepareApplication();
    std::signal(SIGXFSZ, SIG_IGN);
  }

  void continueSaysWhatTheRunUsed() {
    RunWindow test(1000000);
    QVERIFY(test.trainAndStop(100));
    const int64_t stopped = test.run().shown().outcome->steps;
    submitValue(test.document(), kRate, Json(0.25));
    submitValue(test.document(), "/training/epochs", Json(7));
    QVERIFY(test.waitForInspection());
    QMessageBox* question = askedBy(test);
    QVERIFY(question);
    const QString words = question->text();
    QVERIFY2(words.contains(u"Learning rate: 0.001 (the project has 0.25)"_s), qPrintable(words));
    QVERIFY2(words.contains(u"Epochs: 1,000,000 (the project has 7)"_s), qPrintable(words));
    QVERIFY2(!words.contains(u"Device"_s), qPrintable(words));
    click(buttonWith(*question, u"As it was"_s));
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().step > stopped + 20, 60000);
    QVERIFY(QString::fromStdString(test.run().shown().start->runDirectory).endsWith(u"/001"_s));
    QCOMPARE(test.run().shown().start->epochs, 1000000);
    QCOMPARE(test.run().shown().history.find("learning_rate")->lastValue(), 0.001);
    // A later edit applies to the run.
    submitValue(test.document(), kRate, Json(0.0625));
    QTRY_COMPARE(test.run().shown().history.find("learning_rate")->lastValue(), 0.0625);
    QVERIFY(test.click(u"Stop"_s));
    QVERIFY(test.waitForEnd());
    // The run used the last rate, so only the epochs differ.
    question = askedBy(test);
    QVERIFY(question);
    QVERIFY2(!question->text().contains(u"Learning rate"_s), qPrintable(question->text()));
    click(buttonWith(*question, u"New run with this project"_s));
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().start && test.run().shown().step > 0, 60000);
    QVERIFY(QString::fromStdString(test.run().shown().start->runDirectory).endsWith(u"/002"_s));
    QCOMPARE(test.run().shown().start->epochs, 7);
    QVERIFY(test.waitForEnd());
  }

  void continueNamesSchedulesByWhatTheyShow() {
    RunWindow test;
    const auto with = [&](const Json& rate) {
      Json project = test.document().json();
      project["training"]["optimizer"]["learning_rate"] = rate;
      return project;
    };
    const auto linesWith = [&](const Json& rate) {
      UsedRun run;
      run.device = "cpu";
      run.isFinished = true;
      run.project = std::make_shared<const Project>(with(rate));
      return usedSettings(test.document(), run).join(u'\n');
    };
    Json decay = {{"type", "ExponentialDecay"},
                  {"initial_learning_rate", 0.01},
                  {"decay_steps", 100},
                  {"decay_rate", 0.5}};
    submitValue(test.document(), kRate, decay);
    QVERIFY(!linesWith(decay).contains(u"Learning rate"_s));
    decay["decay_steps"] = 200;
    const QString other = linesWith(decay);
    QVERIFY2(other.contains(u"Learning rate: ExponentialDecay from 0.01 (other values than"_s),
             qPrintable(other));
    const QString cycle = linesWith({{"type", "OneCycleLR"}, {"max_lr", 0.1}});
    QVERIFY2(cycle.contains(u"Learning rate: OneCycleLR (the project has Exponential"_s),
             qPrintable(cycle));
    // A file that somebody edited may contain anything
    const QString edited = linesWith({{"type", 5}, {"initial_learning_rate", "high"}});
    QVERIFY2(edited.contains(u"Learning rate: default (the project has"_s), qPrintable(edited));
  }

  void continueNamesTheDevice() {
    RunWindow test(1000000);
    QVERIFY(test.trainAndStop(50));
    submitValue(test.document(), "/execution/devices", Json("reference"));
    QVERIFY(test.waitForInspection());
    QMessageBox* question = askedBy(test);
    QVERIFY(question);
    QVERIFY2(question->text().contains(u"Device: CPU (the project has reference)"_s),
             qPrintable(question->text()));
    click(buttonWith(*question, u"As it was"_s));
    QTRY_VERIFY_WITH_TIMEOUT(test.run().isActive() && test.run().shown().start, 60000);
    // The chip shows the device of the run while it is active.
    const auto chip = [&] {
      for (auto* button : test.window().findChildren<QAbstractButton*>())
        if (button->isVisible() && button->accessibleName().startsWith(u"Device: "_s))
          return button->accessibleName();
      return QString();
    };
    QTRY_VERIFY2(chip().startsWith(u"Device: CPU"_s), qPrintable(chip()));
    QVERIFY(test.click(u"Stop"_s));
    QVERIFY(test.waitForEnd());
    QTRY_VERIFY2(chip().startsWith(u"Device: reference"_s), qPrintable(chip()));
  }

  void allButtonsNameTheSameEpochs() {
    RunWindow test;
    QVERIFY(test.trainToEnd());
    submitValue(test.document(), "/training/epochs", Json(4));
    QVERIFY(test.waitForInspection());
    const auto namesThree = [](const QString& words) {
      return words.startsWith(u"Train 3 more epoch"_s);
    };
    QTRY_VERIFY(namesThree(test.window().actionTable()[u"run.continue"_s]->text()));
    test.showPage(PageId::Results);
    int buttons = 0;
    for (auto* button : test.window().findChildren<QAbstractButton*>())
      if (button->isVisible() && namesThree(button->accessibleName() + button->text())) ++buttons;
    QCOMPARE(buttons, 2);
  }

  /// A limit on the size of files stands for a full disk.
  void aFullDiskPausesTheRun() {
    RunWindow test(1000000);
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().checkpointStep.has_value(), 60000);
    limitFiles(16);
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().diskProblem.has_value(), 60000);
    const int64_t paused = test.run().shown().step;
    QTRY_COMPARE(test.run().state(), RunState::Paused);
    QTRY_VERIFY(test.button(u"Retry"_s) && test.button(u"Another folder"_s));
    // The sentence comes before the path, which may be long.
    const QString step = QLocale().toString(static_cast<qlonglong>(test.run().shown().step));
    const auto* banner = labelWith(test, u"Training is paused at step "_s + step);
    QVERIFY(banner);
    const QString error = QString::fromStdString(test.run().shown().diskProblem->line());
    QCOMPARE(banner->text(),
             u"A file cannot be written. Training is paused at step %1.\n%2"_s.arg(step, error));
    ShownRun full = test.run().shown();
    full.diskProblem = Error(ErrorCode::IoFailure, "000000000002.safetensors",
                             "cannot be written (No space left on device). Free some space.");
    QVERIFY(RunText::diskProblem(full).startsWith(u"The disk is full. Training is paused"_s));
    // Without space, a retry asks again and says so.
    QVERIFY(test.click(u"Retry"_s));
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().diskProblem.has_value(), 20000);
    QVERIFY2(QRegularExpression(u"^Tried again at \\d\\d:\\d\\d:\\d\\d: a file still cannot be "_s)
                 .match(banner->text())
                 .hasMatch(),
             qPrintable(banner->text()));
    full.diskTriedAt = QTime(14, 2, 11);
    QVERIFY(RunText::diskProblem(full).startsWith(
        u"Tried again at 14:02:11: the disk is still full. "_s));
    limitFiles(RLIM_INFINITY);
    QVERIFY(test.click(u"Go on without checkpoints"_s));
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().step > paused + 200, 60000);
    QVERIFY(!test.button(u"Retry"_s));
    QVERIFY(labelWith(test, u"Checkpoints are off until the end of the run."_s));
    QVERIFY(labelWith(test, u"checkpoints are off"_s));
    QVERIFY(test.click(u"Stop"_s));
    QVERIFY(test.waitForEnd());
    // The end saves everything.
    QCOMPARE(test.run().shown().outcome->outcome, Outcome::Stopped);
    QVERIFY(QFile::exists(QString::fromStdString(test.run().shown().outcome->weightsPath)));
    QVERIFY(test.run().canContinue());
  }
  void cleanup() { limitFiles(RLIM_INFINITY); }
};

QTEST_MAIN(TestContinue)
#include "tst_continue.moc"
