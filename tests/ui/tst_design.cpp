// SPDX-License-Identifier: GPL-3.0-or-later
// Tests Design and the Inspector with real mouse and key events: adding, removing, reordering,
// renaming and fixing layers. Clicking through every field must not change the file.
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QTreeView>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "tests/ui/support/window.h"
#include "ui/document/edits.h"
#include "ui/models/layer_item_model.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

QPoint rowCenter(QTreeView* list, int row) {
  return list->visualRect(list->model()->index(row, 0)).center();
}

int selectedIndex(const Document& document) {
  return document.layers().indexOf(document.selectedLayers().value(0));
}

/// Hides the notice above the list. Its text changes when results arrive, which would move rows
/// under the mouse.
void hideStrip(const TestWindow& test) {
  QWidget* close = test.named(u"Hide this strip"_s);
  QVERIFY(close);
  clickAt(close, close->rect().center());
  QTest::qWait(50);
}

}  // namespace

class TestDesign : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void showsShapesAndCounts() {
    TestWindow test;
    auto* list = qobject_cast<QTreeView*>(test.named(u"Layers"_s));
    QVERIFY(list);
    QVERIFY(test.waitForInspection());
    const auto cell = [&](int row, int column) {
      return list->model()->index(row, column).data().toString();
    };
    QCOMPARE(cell(1, 0), u"conv1"_s);
    QCOMPARE(cell(1, 1), u"Conv2D 32, 3 × 3, relu"_s);
    QCOMPARE(cell(1, 2), u"26 × 26 × 32"_s);
    QCOMPARE(cell(3, 3), u"18,496"_s);
    QCOMPARE(cell(0, 2), u"28 × 28 × 1"_s);
    QVERIFY(cell(3, 4).contains(u"143"_s));
    submitField(test.document(), u"conv1"_s, "filters", Json(16));
    QVERIFY(test.waitForInspection());
    QCOMPARE(cell(1, 2), u"26 × 26 × 16"_s);
    QCOMPARE(cell(1, 3), u"160"_s);
  }

  void layersWithOneNameShowTheirOwnFields() {
    TestWindow test(u"mnist-cnn.json"_s, {{u"\"name\": \"conv3\""_s, u"\"name\": \"conv1\""_s}});
    auto* list = qobject_cast<QTreeView*>(test.named(u"Layers"_s));
    QVERIFY(list);
    QVERIFY(test.waitForInspection());
    const auto cell = [&](int row, int column) {
      return list->model()->index(row, column).data().toString();
    };
    QCOMPARE(cell(1, 0), u"conv1"_s);
    QCOMPARE(cell(5, 0), u"conv1"_s);
    const LayerSummary *first = test.document().checks().summary(1),
                       *second = test.document().checks().summary(5);
    QVERIFY(first && second && first != second);
    QVERIFY(cell(1, 2) != cell(5, 2));
    QVERIFY(cell(1, 3) != cell(5, 3) || !second->isKnown);
    // The inspector shows and edits the clicked layer.
    const Json before = test.document().json().at("model").at("layers").at(1);
    clickAt(list->viewport(), rowCenter(list, 5));
    QTRY_COMPARE(selectedIndex(test.document()), 5);
    auto* filters = qobject_cast<QLineEdit*>(test.named(u"Filters"_s));
    QTRY_VERIFY((filters = qobject_cast<QLineEdit*>(test.named(u"Filters"_s))) != nullptr &&
                filters->text() == u"64"_s);
    filters->setFocus();
    filters->selectAll();
    QTest::keyClicks(filters, u"48"_s);
    press(Qt::Key_Return);
    QCOMPARE(test.document().json().at("model").at("layers").at(5).at("filters"), Json(48));
    QCOMPARE(test.document().json().at("model").at("layers").at(1), before);
    QCOMPARE(selectedIndex(test.document()), 5);
    QVERIFY(submitRename(test.document(), test.document().layers()[5].path, u"conv9"_s));
    QCOMPARE(test.document().layers()[5].name, u"conv9"_s);
    QCOMPARE(test.document().json().at("model").at("layers").at(1), before);
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 0);
    test.document().undoStack()->setIndex(0);
  }

  void enterInThePaletteAddsAfterTheSelection() {
    TestWindow test;
    auto* list = qobject_cast<QTreeView*>(test.named(u"Layers"_s));
    clickAt(list->viewport(), rowCenter(list, 3));
    QCOMPARE(test.document().selection(), QStringList{u"conv2"_s});
    QTest::keyClick(test.window().windowHandle(), Qt::Key_Return);
    for (const char letter : {'d', 'r', 'o', 'p'})
      QTest::keyClick(test.window().windowHandle(), letter);
    auto* filter = qobject_cast<QLineEdit*>(test.named(u"Find a layer"_s));
    QTRY_COMPARE(filter->text(), u"drop"_s);
    QTest::keyClick(test.window().windowHandle(), Qt::Key_Return);
    QTRY_COMPARE(test.document().layers().size(), 10);
    QCOMPARE(test.document().layers()[4].type, u"Dropout"_s);
    QCOMPARE(list->selectionModel()->selectedRows().value(0).row(), 4);
  }

  void thePaletteOffersTheBestMatchFirst() {
    TestWindow test;
    auto* filter = qobject_cast<QLineEdit*>(test.named(u"Find a layer"_s));
    auto* palette = qobject_cast<QListWidget*>(test.named(u"Layers to add"_s));
    QVERIFY(filter && palette);
    const auto best = [&](const QString& words) {
      filter->setText(words);
      return palette->currentItem() ? palette->currentItem()->text() : QString();
    };
    QCOMPARE(best(u"add"_s), u"Add"_s);
    QCOMPARE(best(u"dense"_s), u"Dense"_s);
    QCOMPARE(best(u"lstm"_s), u"LSTM"_s);
    QCOMPARE(best(u"conv2d"_s), u"Conv2D"_s);
    QVERIFY(best(u"max"_s).startsWith(u"Max"_s));
    // Matches at the start of a word come before matches in the middle.
    QStringList order;
    best(u"pool"_s);
    for (int i = 0; i < palette->count(); ++i)
      order << palette->item(i)->text();
    QVERIFY(order.size() > 3);
    QVERIFY(order.contains(u"GlobalMaxPooling2D"_s));
    // Enter adds the layer whose name was typed.
    clickAt(filter, filter->rect().center());
    filter->clear();
    for (const char letter : {'a', 'd', 'd'})
      press(letter - 'a' + Qt::Key_A);
    QTRY_COMPARE(filter->text(), u"add"_s);
    press(Qt::Key_Return);
    QTRY_COMPARE(test.document().layers().size(), 10);
    QVERIFY(test.layerNames().contains(u"add"_s));
    test.document().undoStack()->setIndex(0);
  }

  void tabSelectsTheTextOfTheNextField() {
    TestWindow test;
    test.document().setSelection({u"conv1"_s});
    QVERIFY(test.waitForInspection());
    QLineEdit* filters = nullptr;
    QTRY_VERIFY((filters = qobject_cast<QLineEdit*>(test.named(u"Filters"_s))) != nullptr);
    QTest::qWait(50);
    clickAt(filters, filters->rect().center());
    filters->selectAll();
    QTest::keyClicks(filters, u"24"_s);
    // Tab selects the text of each line edit in the form, also after new results have arrived.
    int lines = 0;
    for (int i = 0; i < 12; ++i) {
      press(Qt::Key_Tab);
      auto* edit = qobject_cast<QLineEdit*>(QApplication::focusWidget());
      if (!edit) continue;
      ++lines;
      QVERIFY(test.waitForInspection());
      QTest::qWait(50);
      QVERIFY2(edit->selectedText() == edit->text(), qPrintable(edit->accessibleName()));
      // An edit elsewhere refreshes every field.
      submitValue(test.document(), "/training/epochs", Json(30 + i));
      QVERIFY(test.waitForInspection());
      QVERIFY2(edit->selectedText() == edit->text(), qPrintable(edit->accessibleName()));
    }
    QVERIFY(lines >= 3);
    QCOMPARE(test.document().json()["model"]["layers"][1]["filters"], Json(24));
    test.document().undoStack()->setIndex(0);
  }

  void branchesAreShownInTheRows() {
    TestWindow test;
    QVERIFY(submitAdd(test.document(), u"Add"_s, 4));
    QVERIFY(submitConnect(test.document(), u"add"_s, {"conv2", "pool1"}));
    QVERIFY(test.waitForInspection());
    auto* list = qobject_cast<QTreeView*>(test.named(u"Layers"_s));
    QVERIFY(list);
    using Model = LayerItemModel;
    const auto* model = qobject_cast<Model*>(list->model());
    QVERIFY(model);
    const auto inputs = [&](int row) {
      return model->index(row, Model::Inputs).data().toString();
    };
    QCOMPARE(inputs(4), u"conv2, pool1"_s);
    for (const int row : {0, 1, 2, 3, 5})
      QCOMPARE(inputs(row), QString());
    QVERIFY(!list->isColumnHidden(Model::Inputs));
    // A line connects pool1 with the Add layer and passes by conv2.
    const auto lanes = [&](int row) {
      return model->index(row, 0).data(Model::LanesRole).value<RowLanes>();
    };
    QCOMPARE(lanes(1).up | lanes(1).down, 0U);
    QCOMPARE(lanes(2).starts, 1U);
    QCOMPARE(lanes(2).down, 1U);
    QCOMPARE(lanes(3).up & lanes(3).down, 1U);
    QCOMPARE(lanes(4).ends, 1U);
    QCOMPARE(lanes(4).down, 0U);
    test.document().undoStack()->setIndex(0);
    // A network without branches needs no lines and no column for inputs.
    QTRY_VERIFY(list->isColumnHidden(Model::Inputs));
    QCOMPARE(lanes(2).count, 0);
  }

  void fixesOfShapesAreInTheInspectorAndTheDrawer() {
    TestWindow test(u"mnist-cnn.json"_s);
    // Without its Flatten, the first Dense gets an image, and the output has the shape of an image.
    QVERIFY(submitRemove(test.document(), pathsOf(test.document(), {u"flat"_s})));
    QVERIFY(test.waitForInspection());
    QVERIFY(test.document().checks().errorCount() > 0);
    test.document().setSelection({u"out"_s});
    auto* inspector = test.named(u"Inspector"_s);
    QVERIFY(inspector);
    QAbstractButton* fix = nullptr;
    QTRY_VERIFY((fix = buttonWith(*inspector, u"Insert Flatten before out"_s)) != nullptr);
    test.window().actionTable()[u"view.problems"_s]->trigger();
    QTRY_VERIFY(test.named(u"Problems"_s));
    click(fix);
    QVERIFY(test.waitForInspection());
    QTRY_COMPARE(test.document().checks().errorCount(), 0);
    test.document().undoStack()->setIndex(0);
  }

  void inputsAreChosenFromTheProblem() {
    TestWindow test;
    QVERIFY(submitAdd(test.document(), u"Add"_s, 2));
    test.document().setSelection({u"out"_s});
    QVERIFY(test.waitForInspection());
    test.window().actionTable()[u"view.problems"_s]->trigger();
    QTRY_VERIFY(test.named(u"Choose inputs of add"_s));
    click(test.named(u"Choose inputs of add"_s));
    QTRY_COMPARE(test.document().selection().value(0), u"add"_s);
    QTRY_VERIFY(qobject_cast<QMenu*>(QApplication::activePopupWidget()));
    QApplication::activePopupWidget()->close();
    test.document().undoStack()->setIndex(0);
  }

  void aRefusedValueIsKeptWithTheDocument() {
    TestWindow test;
    test.document().setSelection({u"conv1"_s});
    QVERIFY(test.waitForInspection());
    QLineEdit* filters = nullptr;
    const auto find = [&] {
      return filters = qobject_cast<QLineEdit*>(test.named(u"Filters"_s));
    };
    QTRY_VERIFY(find());
    waitUntilStill(filters);
    clickAt(filters, filters->rect().center());
    filters->selectAll();
    QTest::keyClicks(filters, u"many"_s);
    press(Qt::Key_Return);
    QCOMPARE(test.document().refusedValues().all().size(), 1);
    // The refused text is kept while another layer is shown and another field is edited.
    test.document().setSelection({u"out"_s});
    QVERIFY(submitValue(test.document(), "/training/epochs", Json(3)));
    QVERIFY(test.waitForInspection());
    QTRY_VERIFY(!test.named(u"Filters"_s));
    // The action Train shows the field, which still contains the text.
    test.window().showPage(PageId::Results);
    press(Qt::Key_F5);
    QVERIFY(!test.window().runs().isActive());
    QTRY_COMPARE(test.document().selection().value(0), u"conv1"_s);
    QCOMPARE(test.window().page(), PageId::Design);
    QTRY_VERIFY(find() && filters->hasFocus());
    QCOMPARE(filters->text(), u"many"_s);
    QCOMPARE(filters->selectedText(), u"many"_s);
    QVERIFY(filters->property("isWrong").toBool());
    // Escape discards the text, and so does any other edit of the field.
    press(Qt::Key_Escape);
    QTRY_COMPARE(filters->text(), u"32"_s);
    QVERIFY(test.document().refusedValues().all().isEmpty());
    filters->selectAll();
    QTest::keyClicks(filters, u"-"_s);
    press(Qt::Key_Return);
    QCOMPARE(test.document().refusedValues().all().size(), 1);
    QVERIFY(submitField(test.document(), u"conv1"_s, "filters", Json(8)));
    QVERIFY(test.document().refusedValues().all().isEmpty());
    QTRY_COMPARE(filters->text(), u"8"_s);
    test.document().undoStack()->setIndex(0);
  }

  void chosenValuesAndDefaultsAreReadable() {
    TestWindow test;
    test.document().setSelection({u"conv1"_s});
    QVERIFY(test.waitForInspection());
    const auto luminance = [](const QColor& color) {
      const auto part = [](double value) {
        return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
      };
      return 0.2126 * part(color.redF()) + 0.7152 * part(color.greenF()) +
             0.0722 * part(color.blueF());
    };
    // Returns the largest contrast between the background of the box and its other pixels. The part
    // with the arrow is ignored.
    const auto contrast = [&](QWidget* box) {
      const QImage image = box->grab().toImage();
      const double ground = luminance(image.pixelColor(image.width() / 2, 4));
      double best = 1;
      for (int y = 5; y < image.height() - 5; ++y)
        for (int x = 6; x < image.width() * 2 / 3; ++x) {
          const double ink = luminance(image.pixelColor(x, y));
          best = std::max(best, (std::max(ink, ground) + 0.05) / (std::min(ink, ground) + 0.05));
        }
      return best;
    };
    for (const QString& theme : {u"view.themeLight"_s, u"view.themeDark"_s}) {
      test.window().actionTable()[theme]->trigger();
      QTest::qWait(50);
      // This box shows relu, which the file contains.
      auto* chosen = qobject_cast<QComboBox*>(test.named(u"Activation"_s));
      // This box shows valid, which is the default.
      auto* standard = qobject_cast<QComboBox*>(test.named(u"Padding"_s));
      QVERIFY(chosen && standard);
      QVERIFY2(contrast(chosen) > 10, qPrintable(u"%1: %2"_s.arg(theme).arg(contrast(chosen))));
      QVERIFY2(contrast(standard) > 5.5,
               qPrintable(u"%1: %2"_s.arg(theme).arg(contrast(standard))));
    }
  }

  void dragFromThePaletteBetweenRows() {
    TestWindow test;
    hideStrip(test);
    auto* list = qobject_cast<QTreeView*>(test.named(u"Layers"_s));
    auto* palette = qobject_cast<QListWidget*>(test.named(u"Layers to add"_s));
    QVERIFY(palette);
    const QList<QListWidgetItem*> found =
        palette->findItems(u"BatchNormalization"_s, Qt::MatchExactly);
    QCOMPARE(found.size(), 1);
    palette->scrollToItem(found[0]);
    const QRect row = list->visualRect(list->model()->index(2, 0));
    dragFromTo(palette->viewport(), palette->visualItemRect(found[0]).center(), list->viewport(),
               QPoint(row.center().x(), row.top() + 1));
    QTRY_COMPARE(test.document().layers().size(), 10);
    QCOMPARE(test.document().layers()[2].type, u"BatchNormalization"_s);
    test.window().actionTable()[u"edit.undo"_s]->trigger();
    QCOMPARE(test.document().layers().size(), 9);
  }

  void dragReordersRows() {
    TestWindow test;
    hideStrip(test);
    auto* list = qobject_cast<QTreeView*>(test.named(u"Layers"_s));
    const QRect target = list->visualRect(list->model()->index(5, 0));
    dragFromTo(list->viewport(), rowCenter(list, 2), list->viewport(),
               QPoint(target.center().x(), target.bottom()));
    QTRY_COMPARE(test.layerNames().indexOf(u"pool1"_s), 5);
    QCOMPARE(test.document().layers().size(), 9);
  }

  void keysMoveRemoveAndUndo() {
    TestWindow test;
    auto* list = qobject_cast<QTreeView*>(test.named(u"Layers"_s));
    clickAt(list->viewport(), rowCenter(list, 3));
    QTest::keyClick(test.window().windowHandle(), Qt::Key_Up, Qt::AltModifier);
    QTRY_COMPARE(test.layerNames().indexOf(u"conv2"_s), 2);
    QTest::keyClick(test.window().windowHandle(), Qt::Key_Down, Qt::AltModifier);
    QTRY_COMPARE(test.layerNames().indexOf(u"conv2"_s), 3);
    QTest::keyClick(test.window().windowHandle(), Qt::Key_Delete);
    QTRY_COMPARE(test.layerNames().indexOf(u"conv2"_s), -1);
    QTest::keyClick(test.window().windowHandle(), Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(test.layerNames().indexOf(u"conv2"_s), 3);
  }

  void renameInPlace() {
    TestWindow test;
    auto* list = qobject_cast<QTreeView*>(test.named(u"Layers"_s));
    QVERIFY(test.waitForInspection());
    clickAt(list->viewport(), rowCenter(list, 7));
    QTRY_COMPARE(test.document().selection(), QStringList{u"hidden"_s});
    QTest::keyClick(test.window().windowHandle(), Qt::Key_F2);
    QLineEdit* edit = nullptr;
    QTRY_VERIFY((edit = list->findChild<QLineEdit*>()) != nullptr && edit->hasFocus());
    QAbstractItemModel* model = list->model();
    const auto figuresComeIn = [&] {
      Q_EMIT model->dataChanged(model->index(0, 0),
                                model->index(model->rowCount() - 1, model->columnCount() - 1));
    };
    figuresComeIn();
    QTest::keyClicks(edit, u"wid"_s);
    figuresComeIn();
    QTest::keyClicks(edit, u"e"_s);
    QTest::keyClick(edit, Qt::Key_Return);
    QTRY_VERIFY(test.layerNames().contains(u"wide"_s));
    QVERIFY(!test.layerNames().contains(u"hidden"_s));
  }

  void aDuplicateNameIsRefusedWhereItIsTyped() {
    TestWindow test;
    auto* list = qobject_cast<QTreeView*>(test.named(u"Layers"_s));
    QVERIFY(test.waitForInspection());
    clickAt(list->viewport(), rowCenter(list, 7));
    QLineEdit* name = nullptr;
    QTRY_VERIFY((name = test.named(u"Inspector"_s)->findChild<QLineEdit*>(u"name"_s)) &&
                name->text() == u"hidden"_s);
    const Json before = test.document().json();
    name->setFocus();
    name->selectAll();
    QTest::keyClicks(name, u"conv1"_s);
    QTest::keyClick(name, Qt::Key_Return);
    QCOMPARE(test.document().json(), before);
    // The refused text is kept and marked as wrong.
    QCOMPARE(name->text(), u"conv1"_s);
    QVERIFY(name->property("isWrong").toBool());
    QCOMPARE(test.document().selection(), QStringList{u"hidden"_s});
    QTest::keyClick(name, Qt::Key_Escape);
    QCOMPARE(name->text(), u"hidden"_s);
    QVERIFY(!name->property("isWrong").toBool());
  }

  void aProblemIsShownAndItsFixIsOneUndoStep() {
    TestWindow test;
    submitField(test.document(), u"hidden"_s, "units", Json(0));
    QVERIFY(test.waitForInspection());
    QVERIFY(test.document().checks().errorCount() > 0);
    // Training is refused, and the drawer with the problems opens.
    test.window().actionTable()[u"run.train"_s]->trigger();
    auto* problems = test.named(u"Problems"_s);
    QVERIFY(problems);
    QPushButton* fix = nullptr;
    QTRY_VERIFY((fix = test.window().findChild<QPushButton*>(u"fix"_s)) != nullptr);
    QVERIFY(fix->isVisible());
    clickAt(fix, fix->rect().center());
    QVERIFY(test.waitForInspection());
    QTRY_COMPARE(test.document().checks().errorCount(), 0);
    test.document().undoStack()->undo();
    QCOMPARE(test.document().json().at("model").at("layers").at(7).at("units"), Json(0));
  }

  void clickingThroughEveryFieldChangesNoByte() {
    TestWindow test;
    // The first save may format the file; later saves must not change a byte.
    test.window().actionTable()[u"file.save"_s]->trigger();
    const QByteArray before = bytesOf(test.path());
    QVERIFY(!before.isEmpty());
    int visited = 0;
    for (const QString& layer : test.layerNames()) {
      test.document().setSelection({layer});
      QTest::qWait(10);
      for (QWidget* editor : test.named(u"Inspector"_s)->findChildren<QWidget*>()) {
        auto* line = qobject_cast<QLineEdit*>(editor);
        if (!editor->isVisible() || (!line && !qobject_cast<QComboBox*>(editor))) continue;
        editor->setFocus(Qt::TabFocusReason);
        if (line) {
          QTest::keyClick(line, Qt::Key_End);
          QTest::keyClick(line, Qt::Key_Return);
        }
        QWheelEvent wheel({5, 5}, editor->mapToGlobal(QPointF(5, 5)), {}, {0, -120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(editor, &wheel);
        ++visited;
      }
    }
    auto* training = qobject_cast<QPushButton*>(test.named(u"Training"_s));
    QVERIFY(training);
    clickAt(training, training->rect().center());
    QTest::qWait(50);
    test.openSections();
    for (QWidget* editor : test.named(u"Inspector"_s)->findChildren<QWidget*>()) {
      auto* line = qobject_cast<QLineEdit*>(editor);
      if (!editor->isVisible() || (!line && !qobject_cast<QComboBox*>(editor))) continue;
      editor->setFocus(Qt::TabFocusReason);
      if (line) QTest::keyClick(line, Qt::Key_Return);
      ++visited;
    }
    QVERIFY(visited > 60);
    QCOMPARE(test.document().undoStack()->count(), 0);
    test.window().actionTable()[u"file.save"_s]->trigger();
    QCOMPARE(bytesOf(test.path()), before);
  }

  void fieldsAreValidatedAndReset() {
    TestWindow test;
    test.document().setSelection({u"conv2"_s});
    QWidget* inspector = test.named(u"Inspector"_s);
    const auto field = [&](const char* name) {
      return inspector->findChild<QLineEdit*>(QString::fromLatin1(name));
    };
    QLineEdit* filters = field("filters");
    QVERIFY(filters);
    filters->setFocus();
    filters->selectAll();
    QTest::keyClicks(filters, u"1e3x"_s);
    QTest::keyClick(filters, Qt::Key_Return);
    QVERIFY(filters->property("isWrong").toBool());
    QCOMPARE(test.document().undoStack()->count(), 0);
    filters->selectAll();
    QTest::keyClicks(filters, u"48"_s);
    QTest::keyClick(filters, Qt::Key_Return);
    QCOMPARE(test.document().undoStack()->count(), 1);
    QCOMPARE(test.document().json().at("model").at("layers").at(3).at("filters"), Json(48));

    QLineEdit* strides = field("strides");
    QVERIFY(strides);
    QVERIFY(strides->property("isDefault").toBool());
    strides->setFocus();
    strides->selectAll();
    QTest::keyClicks(strides, u"2"_s);
    QTest::keyClick(strides, Qt::Key_Return);
    QCOMPARE(test.document().json().at("model").at("layers").at(3).at("strides"),
             Json::parse("[2,2]"));
    QVERIFY(!strides->property("isDefault").toBool());
    strides->setFocus();
    strides->selectAll();
    QTest::keyClick(strides, Qt::Key_Delete);
    QTest::keyClick(strides, Qt::Key_Return);
    QVERIFY(!test.document().json().at("model").at("layers").at(3).contains("strides"));
    QVERIFY(strides->property("isDefault").toBool());
  }
};

QTEST_MAIN(TestDesign)
#include "tst_design.moc"
