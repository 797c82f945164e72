// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the training form with mouse and keys: callbacks, stages, changes and live settings. The
// form is built from the schemas of core, and live settings apply to a running training.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/recipe/callbacks.h"
#include "tests/ui/support/window.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/inspector/training_tab.h"
#include "ui/main_window/train_button.h"
#include "ui/run/run_controller.h"
#include "ui/workspace/runs.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

const QList<std::pair<QString, QString>> kValidated{
    {u"\"validation_split\": 0.0"_s, u"\"validation_split\": 0.1"_s}};
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

class FormWindow : public TestWindow {
 public:
  explicit FormWindow(const QList<std::pair<QString, QString>>& replacements)
      : TestWindow(u"random-integers.json"_s, replacements) {
    waitForInspection();
    showTraining();
  }
  void showTraining() {
    click(buttonWith(window(), u"Training"_s));
    openSections();
  }
  const Json& training() { return document().json().at("training"); }
  static void reveal(QWidget* widget) { strata::ui::reveal(widget); }
  static void pressButton(QWidget* widget) {
    QVERIFY(widget);
    reveal(widget);
    click(widget);
    QTest::qWait(30);
  }
  /// Returns the visible marks of fields with this text.
  QList<QLabel*> marks(const QString& words) {
    QList<QLabel*> found;
    for (QLabel* label : window().findChildren<QLabel*>())
      if (label->isVisible() && label->objectName().endsWith(u"/mark"_s) && label->text() == words)
        found << label;
    return found;
  }
  /// Chooses the item with this text in the open menu.
  static void choose(const QString& words) {
    QMenu* menu = nullptr;
    QTRY_VERIFY((menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) != nullptr);
    for (QAction* action : menu->actions()) {
      if (action->text() != words) continue;
      QTest::qWait(50);
      clickAt(menu, menu->actionGeometry(action).center());
      QTest::qWait(30);
      return;
    }
    QFAIL(qPrintable(u"no %1 in the menu"_s.arg(words)));
  }
  /// Returns a field of an object in a list, such as "/training/callbacks/0".
  template <class T>
  T* field(const QString& item, const QString& name) {
    auto* body = window().findChild<QWidget*>(item);
    return body ? body->findChild<T*>(name) : nullptr;
  }
  static void type(QLineEdit* edit, const QString& words) {
    QVERIFY(edit);
    reveal(edit);
    clickAt(edit, QPoint(12, edit->height() / 2));
    edit->selectAll();
    QTest::keyClicks(edit, words);
    QTest::keyClick(edit, Qt::Key_Return);
    QTest::qWait(30);
  }
  QLabel* problem(const QString& words) {
    for (QLabel* label : window().findChildren<QLabel*>())
      if (label->property("role").toString() == u"problem"_s && label->isVisible() &&
          label->text().contains(words))
        return label;
    return nullptr;
  }
};

const QString kFirst = u"/training/callbacks/0"_s, kSecond = u"/training/callbacks/1"_s;

}  // namespace

class TestTrainingForms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  /// Before a section is opened, the form shows only the fields that every training needs.
  void theFormStartsWithWhatEveryRunNeeds() {
    TestWindow test(u"random-integers.json"_s, kValidated);
    QVERIFY(test.waitForInspection());
    click(buttonWith(test.window(), u"Training"_s));
    QTest::qWait(50);
    auto* form = test.window().findChild<TrainingTab*>();
    QVERIFY(form);
    const auto shown = [&] {
      QList<std::pair<int, QString>> rows;
      for (auto* label : form->findChildren<QLabel*>())
        if (label->isVisible() && label->buddy())
          rows << std::pair{label->mapTo(form, QPoint()).y(), label->text()};
      std::sort(rows.begin(), rows.end());
      QStringList words;
      for (const auto& [y, row] : rows)
        words << row;
      return words;
    };
    const QStringList first{u"Epochs"_s,        u"Batch size"_s, u"Optimizer"_s,
                            u"Learning rate"_s, u"Schedule"_s,   u"Early stopping"_s};
    QCOMPARE(shown(), first);
    // A click or a key opens a section, which is still open after a restart.
    auto* fold = form->findChild<QPushButton*>(u"fold/batches"_s);
    QVERIFY(fold && fold->isVisible());
    clickAt(fold, QPoint(20, fold->height() / 2));
    QTRY_VERIFY(shown().contains(u"Seed"_s));
    fold->setFocus();
    QTest::keyClick(fold, Qt::Key_Space);
    QTRY_COMPARE(shown(), first);
    QTest::keyClick(fold, Qt::Key_Space);
    test.restart();
    click(buttonWith(test.window(), u"Training"_s));
    form = test.window().findChild<TrainingTab*>();
    QTRY_VERIFY(shown().contains(u"Seed"_s));
    QVERIFY(!shown().contains(u"Callbacks"_s));
    // The heading of a closed section shows its problems.
    submitValue(test.document(), "/training/loss", Json("no_such_loss"));
    fold = form->findChild<QPushButton*>(u"fold/loss"_s);
    QTRY_VERIFY(fold && fold->text().contains(u"1 problem"_s));
    QVERIFY2(namelessWidgets(test.window()).isEmpty(),
             qPrintable(namelessWidgets(test.window()).join(u", "_s)));
  }

  void earlyStoppingIsASwitch() {
    TestWindow test(u"random-integers.json"_s, kValidated);
    QVERIFY(test.waitForInspection());
    const Json before = test.document().json();
    click(buttonWith(test.window(), u"Training"_s));
    auto* toggle = test.window().findChild<QCheckBox*>(u"earlyStopping"_s);
    QVERIFY(toggle && toggle->isVisible() && !toggle->isChecked());
    clickAt(toggle, QPoint(8, toggle->height() / 2));
    QCOMPARE(test.document().json().at("training").at("callbacks"),
             Json::parse(R"([{"type": "EarlyStopping", "patience": 3}])"));
    QCOMPARE(test.document().undoStack()->undoText(), u"Change early stopping"_s);
    auto* patience = toggle->parentWidget()->findChild<QLineEdit*>(u"patience"_s);
    QTRY_VERIFY(patience && patience->isVisible());
    FormWindow::type(patience, u"7"_s);
    QCOMPARE(test.document().json().at("training").at("callbacks"),
             Json::parse(R"([{"type": "EarlyStopping", "patience": 7}])"));
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 0);
    toggle->setFocus();
    QTest::keyClick(toggle, Qt::Key_Space);
    QVERIFY(test.document().json() == before);
    press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_VERIFY(toggle->isChecked() && patience->isVisible());
  }

  void callbacksAreAddedEditedMovedAndRemoved() {
    FormWindow test(kValidated);
    const Json before = test.document().json();
    // Every callback of core is offered and has the fields of its schema.
    for (const Schema* schema : callbackSchemas()) {
      test.pressButton(test.named(u"Add to Callbacks"_s));
      test.choose(text(schema->type));
      const Json& added = test.training().at("callbacks").back();
      QCOMPARE(added, Json({{"type", schema->type}}));
      const QString item =
          u"/training/callbacks/%1"_s.arg(test.training().at("callbacks").size() - 1);
      for (const FieldSchema& field : schema->fields)
        QVERIFY2(test.field<QWidget>(item, text(field.name)), field.name.c_str());
    }
    while (test.document().undoStack()->canUndo())
      press(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(test.document().json() == before);

    test.pressButton(test.named(u"Add to Callbacks"_s));
    test.choose(u"EarlyStopping"_s);
    test.type(test.field<QLineEdit>(kFirst, u"patience"_s), u"3"_s);
    QCOMPARE(test.training().at("callbacks"),
             Json::parse(R"([{"type": "EarlyStopping", "patience": 3}])"));
    QCOMPARE(test.document().undoStack()->undoText(), u"Change patience"_s);
    auto* monitor = test.field<QComboBox>(kFirst, u"monitor"_s);
    QVERIFY(monitor);
    // The choices are the loss and the accuracy of training and of validation.
    QCOMPARE(monitor->count(), 4);
    QCOMPARE(monitor->currentText(), u"val_loss (default)"_s);
    test.reveal(monitor);
    monitor->setFocus();
    QTest::keyClick(monitor, Qt::Key_Down);
    QCOMPARE(test.training().at("callbacks")[0].at("monitor"), Json("val_accuracy"));
    // A problem is shown under its field, and the file is unchanged.
    test.type(test.field<QLineEdit>(kFirst, u"min_delta"_s), u"-1"_s);
    QVERIFY(test.problem(u"0 or more"_s));
    QVERIFY(!test.training().at("callbacks")[0].contains("min_delta"));
    test.type(test.field<QLineEdit>(kFirst, u"min_delta"_s), u"0.01"_s);
    QVERIFY(!test.problem(u"0 or more"_s));

    test.pressButton(test.named(u"Add to Callbacks"_s));
    test.choose(u"ModelCheckpoint"_s);
    auto* every = test.field<QLineEdit>(kSecond, u"save_freq"_s);
    QVERIFY(every);
    QCOMPARE(every->text(), u"epoch"_s);
    test.type(every, u"often"_s);
    QVERIFY(test.problem(u"or one of: epoch"_s));
    test.type(every, u"100"_s);
    QCOMPARE(test.training().at("callbacks")[1].at("save_freq"), Json(100));
    test.type(every, u"epoch"_s);
    QCOMPARE(test.training().at("callbacks")[1].at("save_freq"), Json("epoch"));
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 0);

    test.pressButton(test.named(u"2. ModelCheckpoint: Move up"_s));
    QCOMPARE(test.training().at("callbacks")[0].at("type"), Json("ModelCheckpoint"));
    QCOMPARE(test.training().at("callbacks")[1].at("patience"), Json(3));
    const Json whole = test.document().json();
    const int edits = test.document().undoStack()->index();
    test.pressButton(test.named(u"1. ModelCheckpoint: Remove"_s));
    QCOMPARE(test.training().at("callbacks").size(), size_t{1});
    QVERIFY(!test.field<QLineEdit>(kFirst, u"save_freq"_s) ||
            !test.field<QLineEdit>(kFirst, u"save_freq"_s)->isVisible());
    press(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(test.document().json() == whole);
    press(Qt::Key_S, Qt::ControlModifier);
    QTRY_VERIFY(!test.document().isModified());
    QVERIFY(Json::parse(bytesOf(test.path()).toStdString()) == whole);
    while (test.document().undoStack()->canUndo())
      press(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(test.document().json() == before);
    while (test.document().undoStack()->index() < edits)
      press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(test.document().json() == whole);
    QVERIFY2(namelessWidgets(test.window()).isEmpty(),
             qPrintable(namelessWidgets(test.window()).join(u", "_s)));
  }

  void textTypedInARemovedItemIsDropped() {
    FormWindow test(kValidated);
    test.pressButton(test.named(u"Add to Callbacks"_s));
    test.choose(u"EarlyStopping"_s);
    test.pressButton(test.named(u"Add to Callbacks"_s));
    test.choose(u"ReduceLROnPlateau"_s);
    auto* factor = test.field<QLineEdit>(kSecond, u"factor"_s);
    QVERIFY(factor);
    test.reveal(factor);
    clickAt(factor, QPoint(12, factor->height() / 2));
    factor->selectAll();
    QTest::keyClicks(factor, u"0.5"_s);
    // The undo removes the second callback while its field has the focus.
    test.document().undoStack()->undo();
    QTest::qWait(50);
    QCOMPARE(test.training().at("callbacks"), Json::parse(R"([{"type": "EarlyStopping"}])"));
  }

  void stagesNameLayersOfTheNetwork() {
    FormWindow test(kValidated);
    test.pressButton(test.named(u"Add to Stages"_s));
    const QString first = u"/training/stages/0"_s;
    test.pressButton(test.field<QPushButton>(first, u"trainable"_s));
    test.choose(u"out"_s);
    QCOMPARE(test.training().at("stages"), Json::parse(R"([{"trainable": ["out"]}])"));
    test.pressButton(test.named(u"Add to Stages"_s));
    // The first stage needs an end, because another stage follows it.
    QTRY_VERIFY(test.problem(u"neither epochs nor steps"_s));
    test.type(test.field<QLineEdit>(first, u"epochs"_s), u"2"_s);
    test.type(test.field<QLineEdit>(first, u"name"_s), u"head"_s);
    QTRY_VERIFY(!test.problem(u"neither epochs nor steps"_s));
    QVERIFY(test.named(u"1. head: Remove"_s));
    test.type(test.field<QLineEdit>(u"/training/stages/1"_s, u"learning_rate"_s), u"0.0001"_s);
    QCOMPARE(
        test.training().at("stages"),
        Json::parse(
            R"([{"trainable": ["out"], "epochs": 2, "name": "head"}, {"learning_rate": 0.0001}])"));
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 0);
    // If the last layer is removed from the list, the field is removed, too. With an empty list,
    // nothing would be trained.
    test.pressButton(test.field<QPushButton>(first, u"trainable"_s));
    test.choose(u"out"_s);
    QVERIFY(!test.training().at("stages")[0].contains("trainable"));

    test.pressButton(test.named(u"Add to Changes"_s));
    auto* setting = test.field<QComboBox>(u"/training/changes/0"_s, u"name"_s);
    QVERIFY(setting);
    QCOMPARE(setting->currentText(), u"learning_rate"_s);
    QVERIFY(setting->findText(u"clipnorm"_s) >= 0);
    test.type(test.field<QLineEdit>(u"/training/changes/0"_s, u"step"_s), u"400"_s);
    QCOMPARE(test.training().at("changes"),
             Json::parse(R"([{"step": 400, "name": "learning_rate", "value": 0.001}])"));
  }

  void eachOutputHasItsLossWeightAndMetrics() {
    const QString branch =
        u"{\"type\": \"Dense\", \"name\": \"half\", \"units\": 1, \"inputs\": [\"hidden2\"]},\n"_s;
    FormWindow test(
        {{u"{\"type\": \"Dense\", \"name\": \"out\""_s,
          branch + u"{\"type\": \"Dense\", \"inputs\": [\"hidden2\"], \"name\": \"out\""_s}});
    const Json before = test.document().json();
    // The network now has a second output. The existing loss belongs to the last output, and the
    // other output has no loss.
    auto* own = test.window().findChild<QComboBox*>(u"/training/loss/out"_s);
    auto* other = test.window().findChild<QComboBox*>(u"/training/loss/half"_s);
    QVERIFY(own && other);
    QCOMPARE(own->currentText(), u"sparse_categorical_crossentropy"_s);
    QVERIFY(test.document().checks().errorCount() > 0);
    test.reveal(other);
    other->setFocus();
    QTest::keyClicks(other, u"mean_sq"_s);
    QCOMPARE(
        test.training().at("loss"),
        Json::parse(
            R"({"half": "mean_squared_error", "out": {"type": "sparse_categorical_crossentropy"}})"));
    QCOMPARE(test.training().at("metrics"), Json::parse(R"({"out": ["accuracy"]})"));
    QCOMPARE(test.document().undoStack()->undoText(), u"Change loss of half"_s);
    test.type(test.window().findChild<QLineEdit*>(u"/training/loss_weights/half"_s), u"0.25"_s);
    QCOMPARE(test.training().at("loss_weights"), Json::parse(R"({"half": 0.25})"));
    // A metric can be added to an output and removed again.
    auto* label = test.window().findChild<QWidget*>(u"/training/metrics/half"_s);
    QVERIFY(label);
    auto* add = label->findChild<QPushButton*>();
    test.pressButton(add);
    test.choose(u"mean_absolute_error"_s);
    QCOMPARE(test.training().at("metrics"),
             Json::parse(R"({"half": [{"type": "mean_absolute_error"}], "out": ["accuracy"]})"));
    test.pressButton(test.named(u"1. mean_absolute_error: Remove"_s));
    QCOMPARE(test.training().at("metrics"), Json::parse(R"({"out": ["accuracy"]})"));
    while (test.document().undoStack()->canUndo())
      press(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(test.document().json() == before);
    // Without the branch, the network has a single loss again.
    test.document().setSelection({u"half"_s});
    QVERIFY(submitRemove(test.document(), pathsOf(test.document(), {u"half"_s})));
    QVERIFY(test.waitForInspection());
    QTRY_VERIFY(test.window().findChild<QComboBox*>(u"/training/loss"_s));
    QCOMPARE(test.document().checks().errorCount(), 0);
    QVERIFY2(namelessWidgets(test.window()).isEmpty(),
             qPrintable(namelessWidgets(test.window()).join(u", "_s)));
  }

  void classesHaveTheirWeights() {
    FormWindow window({{u"\"epochs\": 40"_s, u"\"epochs\": 40, \"class_weight\": {\"2\": 3.5}"_s}});
    auto* edit = window.window().findChild<QLineEdit*>(u"/training/class_weight"_s);
    QVERIFY(edit);
    QCOMPARE(edit->text(), u"1.0, 1.0, 3.5"_s);
    FormWindow::type(edit, u"1, 2.5, 0"_s);
    QCOMPARE(window.training().at("class_weight"), Json::parse("[1, 2.5, 0]"));
    FormWindow::type(edit, u"1, -2"_s);
    QCOMPARE(window.training().at("class_weight"), Json::parse("[1, 2.5, 0]"));
    FormWindow::type(edit, u"none"_s);
    QVERIFY(!window.training().contains("class_weight") ||
            window.training().at("class_weight").is_null());
    // After a click on a field with a default value, typed text replaces that value.
    auto* clip = window.window().findChild<QLineEdit*>(u"clipnorm"_s);
    QVERIFY(clip);
    QCOMPARE(clip->text(), u"none"_s);
    FormWindow::reveal(clip);
    clickAt(clip, QPoint(12, clip->height() / 2));
    QTest::qWait(30);
    QTest::keyClicks(clip, u"0.5"_s);
    QCOMPARE(clip->text(), u"0.5"_s);
  }

  void metricsHaveTheirFields() {
    FormWindow test(kValidated);
    test.pressButton(test.named(u"Add to Metrics"_s));
    test.choose(u"sparse_top_k_categorical_accuracy"_s);
    test.type(test.field<QLineEdit>(u"/training/metrics/1"_s, u"k"_s), u"3"_s);
    QCOMPARE(test.training().at("metrics"),
             Json::parse(R"(["accuracy", {"type": "sparse_top_k_categorical_accuracy", "k": 3}])"));
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 0);
    test.pressButton(test.named(u"1. accuracy: Remove"_s));
    QCOMPARE(test.training().at("metrics"),
             Json::parse(R"([{"type": "sparse_top_k_categorical_accuracy", "k": 3}])"));
  }

  void theDataPageHasAFormForSourceSplitAndTransforms() {
    FormWindow test(kValidated);
    const Json before = test.document().json();
    test.window().showPage(PageId::Data);
    test.pressButton(test.named(u"Add to Transforms"_s));
    test.choose(u"clip"_s);
    const auto transforms = test.document().json().at("data").at("transforms");
    QCOMPARE(transforms.size(), size_t{1});
    QCOMPARE(transforms[0].at("type"), Json("clip"));
    QTRY_VERIFY(test.problem(u"minimum is missing"_s));
    test.document().undoStack()->undo();
    auto* source = test.window().findChild<QComboBox*>(u"/data/source"_s);
    QVERIFY(source && source->isVisible());
    QCOMPARE(source->count(), static_cast<int>(sourceSchemas().size()));
    test.reveal(source);
    source->setFocus();
    QTest::keyClicks(source, u"csv"_s);
    QCOMPARE(test.document().json().at("data").at("source"), Json({{"type", "csv"}}));
    test.type(test.window().findChild<QLineEdit*>(u"path"_s), u"data/points.csv"_s);
    QCOMPARE(test.document().json().at("data").at("source"),
             Json::parse(R"({"type": "csv", "path": "data/points.csv"})"));
    // The form reports that the file does not exist.
    QTRY_VERIFY(test.problem(u"data/points.csv"_s));
    while (test.document().undoStack()->canUndo())
      test.document().undoStack()->undo();
    QVERIFY(test.document().json() == before);
    QVERIFY2(namelessWidgets(test.window()).isEmpty(),
             qPrintable(namelessWidgets(test.window()).join(u", "_s)));
  }

  void aDropoutRateIsLiveDuringTraining() {
    FormWindow test(kEndlessWithDropout);
    RunController& run = test.window().runs().of(&test.document());
    test.document().setSelection({u"drop"_s});
    click(buttonWith(test.window(), u"Layer"_s));
    QLineEdit* rate = nullptr;
    const auto mark = [&] {
      auto* label = test.window().findChild<QLabel*>(u"rate/mark"_s);
      return label && label->isVisible() ? label->text() : QString();
    };
    QTRY_VERIFY((rate = test.window().findChild<QLineEdit*>(u"rate"_s)) != nullptr);
    QCOMPARE(mark(), QString());
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().step > 5, 60000);
    QTRY_COMPARE(mark(), u"live"_s);
    test.type(rate, u"0.5"_s);
    QTRY_COMPARE(run.shown().settingSteps.size(), size_t{1});
    // An undo also changes the setting of the run. Edits of other fields do not affect the run.
    press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(run.shown().settingSteps.size(), size_t{2});
    test.type(rate, u"0.125"_s);
    QTRY_COMPARE(run.shown().settingSteps.size(), size_t{3});
    test.type(test.window().findChild<QLineEdit*>(u"seed"_s), u"7"_s);
    press(Qt::Key_Z, Qt::ControlModifier);
    QTest::qWait(200);
    QCOMPARE(run.shown().settingSteps.size(), size_t{3});
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
        QTRY_VERIFY2(run.shown().settingSteps.size() == changes, qPrintable(form + u" "_s + name));
        // Only one kind of clipping is allowed at a time.
        if (isClip) {
          test.type(edit, u"none"_s);
          ++changes;
          QTRY_VERIFY2(run.shown().settingSteps.size() == changes,
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
    QCOMPARE(run.shown().settingSteps.size(), changes);
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
      return label && label->isVisible() ? label->text() : QString();
    };
    test.showTraining();
    QTRY_COMPARE(mark(u"learning_rate"_s), u"live"_s);
    QCOMPARE(mark(u"learning_rate/schedule"_s), QString());
    QCOMPARE(mark(u"decay_steps"_s), QString());
    // Settings that apply to the next run do not change the current run.
    test.type(test.window().findChild<QLineEdit*>(u"decay_steps"_s), u"50"_s);
    QCOMPARE(test.training().at("optimizer").at("learning_rate").at("decay_steps").get<int>(), 50);
    QTest::qWait(200);
    QVERIFY(run.shown().settingSteps.empty());
    // A typed number ends the schedule of the run.
    test.type(test.window().findChild<QLineEdit*>(u"learning_rate"_s), u"0.002"_s);
    QCOMPARE(test.training().at("optimizer").at("learning_rate"), Json(0.002));
    QTRY_COMPARE(run.shown().settingSteps.size(), size_t{1});
    QTRY_COMPARE(run.shown().history.find("learning_rate")->lastValue(), 0.002);
    test.type(test.window().findChild<QLineEdit*>(u"learning_rate"_s), u"0.004"_s);
    QTRY_COMPARE(run.shown().settingSteps.size(), size_t{2});
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
    QCOMPARE(run.shown().settingSteps.size(), size_t{2});
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
    QVERIFY(run.shown().settingSteps.empty());
    // The fields of the other optimizer are not marked as live.
    QVERIFY(test.marks(u"live"_s).isEmpty());
    // Undo restores the optimizer of the run.
    press(Qt::Key_Z, Qt::ControlModifier);
    QTest::qWait(200);
    QVERIFY(run.shown().settingSteps.empty());
    press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!run.isActive(), 10000);
  }
};

QTEST_MAIN(TestTrainingForms)
#include "tst_training_forms.moc"
