// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that text in a field of the Inspector belongs to the layer for which it was typed, whatever
// takes the focus away, and keeps its value.
#include <QLineEdit>
#include <QPushButton>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "tests/ui/support/window.h"
#include "ui/document/edits.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

class TestTypedText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void typedTextStaysWithItsLayer_data() {
    QTest::addColumn<QString>("way");
    for (const char* way : {"selection", "next problem", "duplicate", "project", "undo"})
      QTest::newRow(way) << QString::fromLatin1(way);
  }
  void typedTextStaysWithItsLayer() {
    QFETCH(const QString, way);
    TestWindow test;
    Document& document = test.document();
    const auto filters = [&](const QString& layer) {
      return document.json()
          .at("model")
          .at("layers")
          .at(static_cast<size_t>(document.layers().indexOf(layer)))
          .at("filters")
          .get<int>();
    };
    if (way == u"next problem"_s)
      QVERIFY(submitField(document, u"conv3"_s, "kernel_size", Json(-1)));
    if (way == u"undo"_s) QVERIFY(submitAdd(document, u"Conv2D"_s, 1));
    QVERIFY(test.waitForInspection());
    const int before = filters(u"conv1"_s), third = filters(u"conv3"_s);
    document.setSelection({u"conv1"_s});
    // The wait ensures that the form of the previous layer is deleted.
    QTest::qWait(50);
    auto* line = test.named(u"Inspector"_s)->findChild<QLineEdit*>(u"filters"_s);
    QVERIFY(line);
    line->setFocus();
    QTRY_VERIFY(line->hasFocus());
    line->selectAll();
    // The text is not confirmed with Enter.
    QTest::keyClicks(line, u"47"_s);
    QCOMPARE(filters(u"conv1"_s), before);
    if (way == u"selection"_s) document.setSelection({u"conv3"_s});
    if (way == u"next problem"_s) press(Qt::Key_F8);
    if (way == u"duplicate"_s) press(Qt::Key_D, Qt::ControlModifier);
    if (way == u"project"_s) test.window().workspace().addNew(document.project());
    if (way == u"undo"_s) document.undoStack()->undo();
    QTRY_COMPARE(filters(u"conv1"_s), 47);
    QCOMPARE(filters(u"conv3"_s), third);
    if (way == u"selection"_s || way == u"next problem"_s) {
      QCOMPARE(document.selection(), QStringList{u"conv3"_s});
      auto* shown = test.named(u"Inspector"_s)->findChild<QLineEdit*>(u"name"_s);
      QTRY_VERIFY((shown = test.named(u"Inspector"_s)->findChild<QLineEdit*>(u"name"_s)) &&
                  shown->text() == u"conv3"_s);
    }
    if (way == u"duplicate"_s) QVERIFY(document.selection().value(0) != u"conv1"_s);
    if (way == u"project"_s) {
      QVERIFY(&test.document() != &document);
      QVERIFY(!test.document().isModified());
    }
    // The text was committed as a separate undo step.
    document.undoStack()->undo();
    QCOMPARE(filters(u"conv1"_s), before);
    document.undoStack()->setIndex(0);
    QVERIFY(document.json() == loadProject(test.path().toStdString()).value().document());
  }

  void aTypedNameStaysWithItsLayer() {
    TestWindow test;
    test.document().setSelection({u"conv1"_s});
    auto* line = test.named(u"Inspector"_s)->findChild<QLineEdit*>(u"name"_s);
    QVERIFY(line);
    line->setFocus();
    QTRY_VERIFY(line->hasFocus());
    line->selectAll();
    QTest::keyClicks(line, u"first"_s);
    test.document().setSelection({u"conv3"_s});
    QCOMPARE(test.document().layers()[1].name, u"first"_s);
    QCOMPARE(test.document().layers()[5].name, u"conv3"_s);
    QCOMPARE(test.document().selection(), QStringList{u"conv3"_s});
  }

  void tinyNumbersKeepTheirValue() {
    TestWindow test;
    auto* training = qobject_cast<QPushButton*>(test.named(u"Training"_s));
    clickAt(training, training->rect().center());
    auto* rate = test.named(u"Inspector"_s)->findChild<QLineEdit*>(u"learning_rate"_s);
    QVERIFY(rate);
    QCOMPARE(rate->text(), u"0.001"_s);
    rate->setFocus();
    rate->selectAll();
    QTest::keyClicks(rate, u"2.5e-7"_s);
    QTest::keyClick(rate, Qt::Key_Return);
    QCOMPARE(
        test.document().json().at("training").at("optimizer").at("learning_rate").get<double>(),
        2.5e-7);
  }
};

QTEST_MAIN(TestTypedText)
#include "tst_typed_text.moc"
