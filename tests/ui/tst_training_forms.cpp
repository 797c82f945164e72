// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the training form with mouse and keys: callbacks, stages, outputs and metrics. The form is
// built from the schemas of core.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/recipe/callbacks.h"
#include "tests/ui/support/form_window.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/inspector/batch_share.h"
#include "ui/inspector/training_tab.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

const QList<std::pair<QString, QString>> kValidated{
    {u"\"validation_split\": 0.0"_s, u"\"validation_split\": 0.1"_s}};
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

  /// Several devices share a batch. The button gives each of them as many samples.
  void aBatchIsSharedByDevices() {
    TestWindow test(u"random-integers.json"_s, kValidated);
    QVERIFY(test.waitForInspection());
    click(buttonWith(test.window(), u"Training"_s));
    auto* share = test.window().findChild<BatchShare*>();
    QVERIFY(share && !share->isVisible());
    Document& document = test.document();
    submitValue(document, "/execution/devices", Json("cpu*4"));
    submitValue(document, "/training/batch_size", Json(30));
    auto* words = share->findChild<QLabel*>();
    QTRY_VERIFY(share->isVisible());
    QTRY_COMPARE(words->text(), u"Batch 30 = 2 × 8 + 2 × 7 on 4 devices"_s);
    submitValue(document, "/training/batch_size", Json(32));
    QTRY_COMPARE(words->text(), u"Batch 32 = 4 × 8 on 4 devices"_s);
    auto* scale = share->findChild<QPushButton*>();
    QVERIFY(scale && scale->isVisible());
    const Json before = document.json();
    const double rate = before.at("training").at("optimizer").at("learning_rate").get<double>();
    QCOMPARE(scale->text(), u"Batch 128, learning rate %1"_s.arg(formatValue(4 * rate, 6)));
    clickAt(scale, scale->rect().center());
    QTRY_COMPARE(words->text(), u"Batch 128 = 4 × 32 on 4 devices"_s);
    const Json& training = document.json().at("training");
    QCOMPARE(training.at("optimizer").at("learning_rate").get<double>(), 4 * rate);
    document.undoStack()->undo();
    QCOMPARE(document.json(), before);
    submitValue(document, "/execution/devices", Json("cpu"));
    QTRY_VERIFY(!share->isVisible());
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
    FormWindow::type(edit, u"balanced"_s);
    QCOMPARE(window.training().at("class_weight"), Json("balanced"));
    QCOMPARE(edit->text(), u"balanced"_s);
    const Json named{{"cat", 1}, {"dog: big", 2.5}};
    FormWindow::type(edit, u"cat: 1, dog: big: 2.5"_s);
    QCOMPARE(window.training().at("class_weight"), named);
    QCOMPARE(edit->text(), u"cat: 1, dog: big: 2.5"_s);
    for (const QString& wrong : {u"cat: 1, cat: 2"_s, u"cat: -1"_s, u": 2"_s, u"balance"_s}) {
      FormWindow::type(edit, wrong);
      QCOMPARE(window.training().at("class_weight"), named);
    }
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
};

QTEST_MAIN(TestTrainingForms)
#include "tst_training_forms.moc"
