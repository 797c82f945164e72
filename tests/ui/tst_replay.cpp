// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that recordings are played in every lens, labelled, and not trained: those in the tree, the
// run of a test, and damaged ones.
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QMessageBox>
#include <QSlider>
#include <QTabBar>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <random>

#include "core/project/resources.h"
#include "core/runs/card_recording.h"
#include "gpu/base/error.h"
#include "tests/support/paths.h"
#include "tests/ui/support/run_window.h"
#include "ui/elided_label.h"
#include "ui/format.h"
#include "ui/lenses/time.h"
#include "ui/lenses/time_table.h"
#include "ui/main_window/status_row.h"
#include "ui/main_window/train_button.h"
#include "ui/models/run_item_model.h"
#include "ui/models/time_row_model.h"
#include "ui/pages/train/replay_bar.h"
#include "ui/run/replay.h"
#include "ui/run/run_text.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

QStringList recordingsInTree() {
  const QDir folder(text(resourcePath("recordings")));
  QStringList paths;
  for (const QString& name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
    paths << folder.filePath(name);
  return paths;
}

QTabBar* lensTabs(TestWindow& test) {
  return qobject_cast<QTabBar*>(test.named(u"Views of the run"_s));
}

/// Shows each lens, and returns what all of their visible labels say.
QStringList textsOfLenses(TestWindow& test) {
  QStringList texts;
  QTabBar* tabs = lensTabs(test);
  for (int i = 0; i < tabs->count(); ++i) {
    clickAt(tabs, tabs->tabRect(i).center());
    QTest::qWait(60);
    QString all = tabs->tabText(i) + u": "_s;
    for (auto* label : test.window().findChildren<QLabel*>())
      if (label->isVisible()) all += label->text() + u'\n';
    texts << all;
  }
  return texts;
}

class ReplayWindow : public TestWindow {
 public:
  explicit ReplayWindow(const std::string& path) {
    window().showRecording(readRecording(path));
    QTest::qWait(100);
  }
  Replay& replay() { return *window().runs().replayOf(&document()); }
  QSlider* slider() { return qobject_cast<QSlider*>(named(u"Time of the recording"_s)); }
};

std::string errorOf(const std::string& path) {
  try {
    (void)readRecording(path);
  }
  catch (const Error& error) {
    return error.line();
  }
  return "";
}

}  // namespace

class TestReplay : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void theTreeHasSmallRecordings() {
    const QStringList paths = recordingsInTree();
    QVERIFY(paths.size() >= 2);
    qint64 bytes = 0;
    for (const QString& path : paths) {
      QVERIFY2(QFileInfo(path).fileName().startsWith(u"simulated-"_s), qPrintable(path));
      for (const QFileInfo& file : QDir(path).entryInfoList(QDir::Files)) {
        bytes += file.size();
        QFile content(file.filePath());
        QVERIFY(content.open(QIODevice::ReadOnly));
        QVERIFY2(!content.readAll().contains("/tmp/"), qPrintable(file.filePath()));
      }
    }
    QVERIFY(bytes < 1 << 20);
  }

  void recordingsOfTheTreeArePlayedInEveryLens_data() {
    QTest::addColumn<QString>("path");
    for (const QString& path : recordingsInTree())
      QTest::newRow(qPrintable(QFileInfo(path).fileName())) << path;
  }
  void recordingsOfTheTreeArePlayedInEveryLens() {
    QFETCH(QString, path);
    ReplayWindow test(path.toStdString());
    Replay& replay = test.replay();
    // It says what it is, and that its card is simulated
    QVERIFY2(test.window().windowTitle().startsWith(u"Recording: "_s),
             qPrintable(test.window().windowTitle()));
    QVERIFY(labelWith(test, u"Recording: "_s + QFileInfo(path).fileName()));
    QVERIFY(labelWith(test, u", simulated"_s));
    QVERIFY(!labelWith(test, u"strata-replay"_s));
    QVERIFY(replay.isPlaying());
    QVERIFY(replay.duration() > 0);
    QCOMPARE(test.window().page(), PageId::Train);
    // It goes on by itself
    QTRY_VERIFY(replay.shown().step > 0);
    const int64_t early = replay.shown().step;
    QTRY_VERIFY(replay.shown().step > early);
    QVERIFY(!replay.isAtEnd());
    for (const QString& words : textsOfLenses(test))
      QVERIFY2(words.size() > 20, qPrintable(words));
    // The end shows what the files have
    replay.seek(replay.duration());
    QVERIFY(replay.isAtEnd());
    QVERIFY(!replay.isPlaying());
    const ShownRun& shown = replay.shown();
    QCOMPARE(shown.step, replay.recording().run.info.steps);
    QVERIFY(shown.outcome->hasTest);
    const MetricSeries* loss = shown.history.find("loss");
    QVERIFY(loss);
    QCOMPARE(loss->count(), static_cast<size_t>(shown.step));
    QVERIFY(shown.profile && shown.profile->kernels && !shown.profile->kernels->rows.empty());
    QVERIFY(!shown.devices.empty());
    for (const QString& words : textsOfLenses(test))
      QVERIFY2(words.size() > 20, qPrintable(words));
  }

  void aRecordingIsLikeTheRunThatWasTrained() {
    RunWindow trained;
    QVERIFY(trained.trainToEnd());
    const ShownRun& run = trained.run().shown();
    const std::string directory = run.start->runDirectory;
    ReplayWindow test(directory);
    Replay& replay = test.replay();
    replay.setPlaying(false);
    // At a moment, the curve has the steps before it
    replay.seek(replay.duration() / 2);
    const MetricSeries* loss = replay.shown().history.find("loss");
    const size_t half = loss->count();
    QVERIFY(half > 0 && half < run.history.find("loss")->count());
    QCOMPARE(static_cast<int64_t>(half), replay.shown().step);
    QVERIFY(replay.shown().seconds <= replay.duration() / 2);
    // Back and forth shows the same
    replay.seek(replay.duration());
    QCOMPARE(replay.shown().history.find("loss")->count(), run.history.find("loss")->count());
    QCOMPARE(replay.shown().history.find("loss")->lastValue(),
             run.history.find("loss")->lastValue());
    replay.seek(replay.duration() / 2);
    QCOMPARE(replay.shown().history.find("loss")->count(), half);
    QVERIFY(!replay.isAtEnd());
    QCOMPARE(replay.shown().outcome.has_value(), false);
  }

  void layersAndClassesAppearAsTheStepReachesThem() {
    RunWindow trained(40);
    QVERIFY(trained.press(trained.starter()));
    const ShownRun& run = trained.run().shown();
    // Asks for samples all the time
    QTRY_VERIFY(trained.run().isActive());
    while (trained.run().isActive()) {
      trained.run().setSamplesLayers(true);
      QTest::qWait(20);
    }
    QVERIFY(trained.waitForEnd());
    QVERIFY(run.layers.samples().size() > 2);
    QVERIFY(run.classes.points().size() > 2);
    ReplayWindow test(run.start->runDirectory);
    Replay& replay = test.replay();
    replay.setPlaying(false);
    replay.seek(0);
    QVERIFY(replay.shown().classes.isEmpty());
    size_t layers = 0, classes = 0;
    for (const double part : {0.3, 0.6, 0.9}) {
      replay.seek(part * replay.duration());
      const ShownRun& shown = replay.shown();
      QVERIFY(!shown.layers.isEmpty());
      QVERIFY(shown.layers.last().step <= shown.step);
      QVERIFY(!shown.classes.isEmpty());
      QVERIFY(shown.classes.latest().step <= shown.step);
      QVERIFY(shown.layers.samples().size() >= layers);
      QVERIFY(shown.classes.points().size() > classes);
      layers = shown.layers.samples().size();
      classes = shown.classes.points().size();
      for (const auto& sample : run.layers.samples())
        if (sample->step <= shown.step) QVERIFY(shown.layers.last().step >= sample->step);
    }
    replay.seek(replay.duration());
    QCOMPARE(replay.shown().layers.last().step, run.layers.last().step);
    QCOMPARE(replay.shown().classes.latest().step, run.classes.latest().step);
    QVERIFY(replay.shown().classes.latest().outputs[0].confusion.counts ==
            run.classes.latest().outputs[0].confusion.counts);
    // Back again
    replay.seek(replay.duration() * 0.3);
    QVERIFY(replay.shown().layers.last().step <= replay.shown().step);
  }

  void theButtonsOfTheBarWork() {
    ReplayWindow test(recordingsInTree().front().toStdString());
    Replay& replay = test.replay();
    auto* bar = test.window().findChild<ReplayBar*>();
    QVERIFY(bar);
    click(buttonWith(*bar, u"Pause"_s));
    QVERIFY(!replay.isPlaying());
    const double at = replay.seconds();
    QTest::qWait(200);
    QCOMPARE(replay.seconds(), at);
    // A click to the right of the handle goes on a page
    QSlider* slider = test.slider();
    QVERIFY(slider);
    clickAt(slider, QPoint(slider->width() * 3 / 4, slider->height() / 2));
    QTRY_VERIFY(replay.seconds() > at);
    const double later = replay.seconds();
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Home);
    QTRY_VERIFY(replay.seconds() < later);
    auto* speed = qobject_cast<QComboBox*>(test.named(u"Speed of the recording"_s));
    QVERIFY(speed);
    speed->setFocus();
    QTest::keyClick(speed, Qt::Key_End);
    QCOMPARE(replay.speed(), 1000.0);
    click(buttonWith(*bar, u"Play"_s));
    QTRY_VERIFY(replay.isAtEnd());
    // After the end, it begins again
    speed->setFocus();
    QTest::keyClick(speed, Qt::Key_Home);
    click(buttonWith(*bar, u"Play"_s));
    QTRY_VERIFY(replay.isPlaying());
    QVERIFY(!replay.isAtEnd());
  }

  void aRecordingIsNotTrained() {
    ReplayWindow test(recordingsInTree().front().toStdString());
    QAction* train = test.window().actionTable()[u"run.train"_s];
    QVERIFY(!train->isEnabled());
    QVERIFY2(train->toolTip().startsWith(u"This window shows a recording"_s),
             qPrintable(train->toolTip()));
    auto* button = test.window().findChild<TrainButton*>()->findChild<QPushButton*>();
    QVERIFY(!button->isEnabled());
    QVERIFY(button->toolTip().startsWith(u"This window shows a recording"_s));
    QTest::keyClick(test.window().windowHandle(), Qt::Key_F5);
    QTest::qWait(200);
    QVERIFY(!test.window().runs().isActive());
    QVERIFY(!buttonWith(test.window(), u"Stop profiling"_s)->isEnabled());
    // The project next to it can be trained
    test.window().workspace().setCurrent(test.window().workspace().document(0));
    QTRY_VERIFY(train->isEnabled());
    QVERIFY(!train->toolTip().contains(u"recording"_s));
  }

  void resultsSayWhereTheRunIs() {
    ReplayWindow test(resourcePath("recordings/simulated-h100x2-run"));
    test.window().showPage(PageId::Results);
    QTRY_VERIFY(labelWith(test, u"To evaluate its network, open the project"_s));
    const RunInfo& info = test.replay().recording().run.info;
    QVERIFY(labelWith(test, runStatusText(info)));
    click(buttonWith(test.window(), u"Show on Train"_s));
    QTRY_VERIFY(test.named(u"Views of the run"_s)->isVisible());
  }

  void theStatusRowKeepsItsPlaces() {
    ReplayWindow test(recordingsInTree().front().toStdString());
    Replay& replay = test.replay();
    replay.setPlaying(false);
    QString first;
    for (const double part : {0.02, 0.3, 0.6, 0.9}) {
      replay.seek(part * replay.duration());
      const auto labels = test.window().findChild<StatusRow*>()->findChildren<ElidedLabel*>();
      QString words;
      for (const ElidedLabel* label : labels)
        if (label->text().contains(u"elapsed"_s)) words = label->text();
      QVERIFY2(words.startsWith(u"Recording: Epoch "_s), qPrintable(words));
      QVERIFY2(words.contains(u" left"_s), qPrintable(words));
      // No number stands apart from its word
      for (const QChar space : {QChar(0x2007), QChar(0x2008)})
        for (qsizetype at = words.indexOf(space); at >= 0; at = words.indexOf(space, at + 1))
          QVERIFY2(at + 1 < words.size() && words[at + 1].isSpace(), qPrintable(words));
      const QString places = words.left(words.lastIndexOf(u"   "_s));
      const QFontMetrics metrics(labels.front()->font());
      if (first.isEmpty()) first = places;
      QCOMPARE(places.size(), first.size());
      QCOMPARE(metrics.horizontalAdvance(places), metrics.horizontalAdvance(first));
    }
  }

  void theMenuOpensARecording() {
    TestWindow test;
    test.window().actionTable()[u"file.openRecording"_s]->trigger();
    auto* dialog = waitForDialog<QFileDialog>(test.window());
    QVERIFY(dialog);
    chooseFile(test.window(), recordingsInTree().front());
    QTRY_VERIFY_WITH_TIMEOUT(test.window().windowTitle().startsWith(u"Recording: "_s), 10000);
  }

  void wrongPlacesAreRefusedWithOneSentence() {
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    QVERIFY(errorOf(path).find("is no recording (expected a run directory") != std::string::npos);
    QVERIFY(errorOf(path + "/none").find("is no recording") != std::string::npos);
    TestWindow test;
    test.window().actionTable()[u"file.openRecording"_s]->trigger();
    QVERIFY(waitForDialog<QFileDialog>(test.window()));
    chooseFile(test.window(), folder.path());
    auto* message = waitForDialog<QMessageBox>(test.window());
    QVERIFY(message);
    QVERIFY2(message->text().contains(u"recording was not opened"_s) ||
                 message->windowTitle().contains(u"recording was not opened"_s) ||
                 message->informativeText().contains(u"is no recording"_s),
             qPrintable(message->text()));
    message->close();
  }

  void whatIsDamagedIsLeftOut() {
    QTemporaryDir folder;
    const QString from = text(resourcePath("recordings/simulated-h100x2-run"));
    for (const QString& name : QDir(from).entryList(QDir::Files))
      QVERIFY(QFile::copy(from + u'/' + name, folder.filePath(name)));
    QVERIFY(QFile::remove(folder.filePath(u"history.bin"_s)));
    QVERIFY(QFile::remove(folder.filePath(u"memory.json"_s)));
    ReplayWindow test(folder.path().toStdString());
    QVERIFY(test.replay().isAtEnd());
    QVERIFY(labelWith(test, u"history.bin"_s));
    for (const QString& words : textsOfLenses(test))
      QVERIFY2(words.size() > 20, qPrintable(words));
  }

  void damagedRecordingsArePlayedOrRefused() {
    // STRATA_MUTANTS sets the number
    const int mutants = qEnvironmentVariableIntValue("STRATA_MUTANTS") > 0
                            ? qEnvironmentVariableIntValue("STRATA_MUTANTS")
                            : 200;
    std::mt19937 random(5);
    const auto below = [&](qsizetype limit) {
      return static_cast<qsizetype>(random() %
                                    static_cast<unsigned>(std::max<qsizetype>(1, limit)));
    };
    int played = 0;
    for (int mutant = 0; mutant < mutants; ++mutant) {
      const QString from = recordingsInTree()[mutant % 2];
      const QStringList names = QDir(from).entryList(QDir::Files);
      const QString damaged = names[below(names.size())];
      QTemporaryDir folder;
      for (const QString& name : names) {
        QByteArray bytes = bytesOf(from + u'/' + name);
        if (name == damaged) {
          for (qsizetype i = 0, count = 1 + below(8); i < count; ++i)
            bytes[below(bytes.size())] = static_cast<char>(random());
          if (below(4) == 0) bytes.truncate(below(bytes.size()));
        }
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
      }
      try {
        Replay replay(readRecording(folder.path().toStdString()));
        replay.seek(replay.duration() / 2);
        replay.seek(replay.duration());
        QVERIFY(replay.isAtEnd());
        replay.seek(0);
        ++played;
      }
      catch (const Error& error) {
        QVERIFY(!error.line().empty());
      }
    }
    // Most damage concerns a part of a recording
    QVERIFY(played > mutants / 2);
  }

  void aCardTestWithoutATrainingShowsItsProfile() {
    QTemporaryDir folder;
    const QString from = text(resourcePath("recordings/simulated-rtx4090-card-test"));
    QVERIFY(QFile::copy(from + u"/recording-profile.json"_s,
                        folder.filePath(u"recording-profile.json"_s)));
    ReplayWindow test(folder.path().toStdString());
    QVERIFY(test.replay().shown().profile);
    (void)textsOfLenses(test);
    auto* lens = test.window().findChild<TimeLens*>();
    QVERIFY(lens && !lens->table().model().rows().empty());
  }
};

QTEST_MAIN(TestReplay)
#include "tst_replay.moc"
