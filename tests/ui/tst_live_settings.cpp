// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the fields that are marked as live: a change applies to a running training, and other
// changes to the next run.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "tests/ui/support/form_window.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/main_window/train_button.h"
#include "ui/run/run_controller.h"
#include "ui/workspace/runs.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

const QList<std::pair<QString, QString>> kEndlessWithDropout{
    {u"\"epochs\": 40"_s, u"\"epochs\": 1000000"_s},
    {u"{\"type\": \"Dense\", \"name\": \"out\""_s,
     uR"({"type": "Dropout", "name": "drop", "rate": 0.25},
{"type": "Dense", "name": "out")"_s}};

/// Replacements that make the run endless and add every type of layer that has a live setting.
const QList<std::pair<QString, QString>> kEndlessWithAllLive{
    {u"\"epochs\": 40"_s, u"\"epochs\": 1000000"_s},
    {u"{\"type\": \"Dense\", \"name\": \"out\""_s,
     uR"({"type": "Dropout", "name": "drop", "rate": 0.25}, {"type": "GaussianDropout", "name": "gaussian", "rate": 0.25},
         {"type": "AlphaDropout", "name": "alpha", "rate": 0.25}, {"type": "Reshape", "name": "steps", "target_shape": [8, 8]},
         {"type": "GRU", "name": "rnn", "units": 6, "return_sequences": true},
         {"type": "Bidirectional", "name": "both", "layer": {"type": "SimpleRNN", "units": 4}},
         {"type": "Block", "name": "body", "layers": [{"type": "Dropout", "name": "inside", "rate": 0.5}]},
         {"type": "Dense", "name": "out")"_s}};

}  // namespace

class TestLiveSettings : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void aDropoutRateIsLiveDuringTraining() {
    FormWindow test(kEndlessWithDropout);
    RunController& run = test.window().runs().of(&test.document());
    test.document().setSelection({u"drop"_s});
    click(buttonWith(test.window(), u"Layer"_s));
    QLineEdit* rate = nullptr;
    const auto mark = [&] {
      auto* label = test.window().findChild<QLabel*>(u"rate/mark"_s);
      return label && label->isVisible() && label->property("role").toString() == u"live"_s
                 ? label->text()
                 : QString();
    };
    QTRY_VERIFY((rate = test.window().findChild<QLineEdit*>(u"rate"_s)) != nullptr);
    QCOMPARE(mark(), QString());
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().step > 5, 60000);
    QTRY_COMPARE(mark(), u"live"_s);
    test.type(rate, u"0.5"_s);
    QTRY_COMPARE(run.shown().settingSteps().size(), size_t{1});
    // An undo also changes the setting of the run. Edits of other fields do not affect the run.
    press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(run.shown().settingSteps().size(), size_t{2});
    test.type(rate, u"0.125"_s);
    QTRY_COMPARE(run.shown().settingSteps().size(), size_t{3});
    test.type(test.window().findChild<QLineEdit*>(u"seed"_s), u"7"_s);
    press(Qt::Key_Z, Qt::ControlModifier);
    QTest::qWait(200);
    QCOMPARE(run.shown().settingSteps().size(), size_t{3});
    press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!run.isActive(), 10000);
    QCOMPARE(mark(), QString());
    auto* starter = test.window().findChild<TrainButton*>()->findChild<QPushButton*>();
    // The design has not been edited since the run, so the run can be continued.
    QTRY_VERIFY2(starter->text().startsWith(u"Continue (step "_s), qPrintable(starter->text()));

    std::vector<double> values;
    for (const QByteArray& line :
         bytesOf(text(run.shown().start->runDirectory) + u"/events.jsonl"_s).split('\n')) {
      const Json event = Json::parse(line.toStdString(), nullptr, false);
      if (event.is_object() && event.value("event", "") == "setting" &&
          event.value("name", "") == "drop/rate")
        values.push_back(event.at("value").get<double>());
    }
    QCOMPARE(values, (std::vector<double>{0.5, 0.25, 0.125}));
  }

  void everyFieldMarkedAsLiveReachesTheRun() {
    FormWindow test(kEndlessWithAllLive);
    RunController& run = test.window().runs().of(&test.document());
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().step > 5, 60000);
    size_t changes = 0;
    QStringList fields;
    // Types a value into each visible live field, as a user does.
    const auto typeIntoEach = [&](const QString& form) {
      QStringList names;
      for (QLabel* mark : test.marks(u"live"_s))
        names << mark->objectName().chopped(5);
      for (const QString& name : names) {
        // Earlier forms may still exist.
        QLineEdit* edit = nullptr;
        for (auto* each : test.window().findChildren<QLineEdit*>(name))
          if (each->isVisible()) edit = each;
        QVERIFY2(edit, qPrintable(form + u" "_s + name));
        const bool isClip = name.contains(u"clip"_s);
        test.type(edit, isClip ? u"3"_s : u"0.03125"_s);
        ++changes;
        QTRY_VERIFY2(run.shown().settingSteps().size() == changes,
                     qPrintable(form + u" "_s + name));
        // Only one kind of clipping is allowed at a time.
        if (isClip) {
          test.type(edit, u"none"_s);
          ++changes;
          QTRY_VERIFY2(run.shown().settingSteps().size() == changes,
                       qPrintable(form + u" "_s + name));
        }
        fields << form + u"/"_s + name;
      }
    };
    QTRY_VERIFY(!test.marks(u"live"_s).isEmpty());
    typeIntoEach(u"training"_s);
    for (const char* layer : {"drop", "gaussian", "alpha", "rnn", "both", "body/inside"}) {
      test.document().setSelection({QString::fromLatin1(layer)});
      click(buttonWith(test.window(), u"Layer"_s));
      QTRY_VERIFY2(!test.marks(u"live"_s).isEmpty(), layer);
      typeIntoEach(QString::fromLatin1(layer));
    }
    QCOMPARE(fields.size(), 5 + 1 + 1 + 1 + 2 + 2 + 1);
    // A layer that the run lacks has no live settings.
    submitAdd(test.document(), u"Dropout"_s, 4);
    test.document().setSelection({u"dropout"_s});
    QTRY_VERIFY(test.window().findChild<QLineEdit*>(u"rate"_s));
    QTest::qWait(50);
    QVERIFY(test.marks(u"live"_s).isEmpty());
    QCOMPARE(run.shown().settingSteps().size(), changes);
    press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!run.isActive(), 10000);
  }

  void aRateInPlaceOfAScheduleIsLiveAndAScheduleAppliesToTheNextRun() {
    FormWindow test(
        {{u"\"epochs\": 40"_s, u"\"epochs\": 1000000"_s},
         {u"\"learning_rate\": 0.01"_s,
          uR"("learning_rate": {"type": "ExponentialDecay", "initial_learning_rate": 0.01,
                    "decay_steps": 1000, "decay_rate": 0.5})"_s}});
    RunController& run = test.window().runs().of(&test.document());
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().step > 5, 60000);
    const auto mark = [&](const QString& field) {
      auto* label = test.window().findChild<QLabel*>(field + u"/mark"_s);
      return label && label->isVisible() && label->property("role").toString() == u"live"_s
                 ? label->text()
                 : QString();
    };
    test.showTraining();
    QTRY_COMPARE(mark(u"learning_rate"_s), u"live"_s);
    QCOMPARE(mark(u"learning_rate/schedule"_s), QString());
    QCOMPARE(mark(u"decay_steps"_s), QString());
    // Settings that apply to the next run do not change the current run.
    test.type(test.window().findChild<QLineEdit*>(u"decay_steps"_s), u"50"_s);
    QCOMPARE(test.training().at("optimizer").at("learning_rate").at("decay_steps").get<int>(), 50);
    QTest::qWait(200);
    QVERIFY(run.shown().settingSteps().empty());
    // A typed number ends the schedule of the run.
    test.type(test.window().findChild<QLineEdit*>(u"learning_rate"_s), u"0.002"_s);
    QCOMPARE(test.training().at("optimizer").at("learning_rate"), Json(0.002));
    QTRY_COMPARE(run.shown().settingSteps().size(), size_t{1});
    QTRY_COMPARE(run.shown().history.find("learning_rate")->lastValue(), 0.002);
    test.type(test.window().findChild<QLineEdit*>(u"learning_rate"_s), u"0.004"_s);
    QTRY_COMPARE(run.shown().settingSteps().size(), size_t{2});
    QTRY_COMPARE(run.shown().history.find("learning_rate")->lastValue(), 0.004);
    // A schedule that is chosen now applies to the next run.
    auto* schedule = test.window().findChild<QComboBox*>(u"learning_rate/schedule"_s);
    QVERIFY(schedule);
    test.reveal(schedule);
    schedule->setFocus();
    QTest::keyClicks(schedule, u"CosineDecay"_s);
    QVERIFY(test.training().at("optimizer").at("learning_rate").is_object());
    QCOMPARE(mark(u"learning_rate/schedule"_s), QString());
    QTest::qWait(200);
    QCOMPARE(run.shown().settingSteps().size(), size_t{2});
    QCOMPARE(run.shown().history.find("learning_rate")->lastValue(), 0.004);
    press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!run.isActive(), 10000);
    QCOMPARE(mark(u"learning_rate/schedule"_s), QString());

    QStringList changes;
    for (const QByteArray& line :
         bytesOf(text(run.shown().start->runDirectory) + u"/events.jsonl"_s).split('\n')) {
      const Json event = Json::parse(line.toStdString(), nullptr, false);
      if (event.is_object() && event.value("event", "") == "setting")
        changes << u"%1 %2"_s.arg(text(event.at("name").get<std::string>()))
                       .arg(event.at("value").get<double>());
    }
    QCOMPARE(changes, (QStringList{u"learning_rate 0.002"_s, u"learning_rate 0.004"_s}));
  }

  void anotherOptimizerAppliesToTheNextRun() {
    FormWindow test(kEndlessWithDropout);
    RunController& run = test.window().runs().of(&test.document());
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().step > 5, 60000);
    test.document().submit(setValueEdit(test.document().json(), "/training/optimizer",
                                        Json{{"type", "sgd"}, {"learning_rate", 0.5}}));
    QTest::qWait(200);
    QVERIFY(run.shown().settingSteps().empty());
    // The fields of the other optimizer are not marked as live.
    QVERIFY(test.marks(u"live"_s).isEmpty());
    // Undo restores the optimizer of the run.
    press(Qt::Key_Z, Qt::ControlModifier);
    QTest::qWait(200);
    QVERIFY(run.shown().settingSteps().empty());
    press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!run.isActive(), 10000);
  }
};

QTEST_MAIN(TestLiveSettings)
#include "tst_live_settings.moc"
