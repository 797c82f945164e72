// SPDX-License-Identifier: GPL-3.0-or-later
// The frame: the first start, names for screen readers, words that fit at both sizes, themes at run time, Ctrl+K, tabs, and questions asked once.
#include <QAbstractButton>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QTabBar>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "tests/ui/support/window.h"
#include "ui/document/edits.h"
#include "ui/theme/colors.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr QSize kFirst(1440, 900), kSmallest(1100, 680);

void showPage(TestWindow& test, int page) {
  test.window().showPage(static_cast<PageId>(page));
  QTest::qWait(150);
}

/// Words that a label or button cannot show whole. Bold and italic by style sheet are a little wider than the font says.
QStringList clippedWords(QWidget& window) {
  QStringList found;
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    QString words;
    if (const auto* button = qobject_cast<QAbstractButton*>(widget)) words = button->text();
    if (const auto* label = qobject_cast<QLabel*>(widget); label && !label->wordWrap() &&
                                                           label->sizePolicy().horizontalPolicy() != QSizePolicy::Ignored &&
                                                           label->textFormat() != Qt::RichText) {
      words = label->text();
    }
    if (words.isEmpty() || words.contains(u'<') || widget->property("role").toString() == u"value"_s) continue;
    if (widget->fontMetrics().horizontalAdvance(words) > widget->width() + 1)
      found << u"%1 \"%2\""_s.arg(QString::fromLatin1(widget->metaObject()->className()), words);
    if (widget->mapTo(&window, QPoint(widget->width(), 0)).x() > window.width() + 1) found << u"outside: "_s + words;
  }
  return found;
}

}  // namespace

class TestFrame : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void firstStart() {
    TestWindow test;
    QCOMPARE(test.window().size(), kFirst);
    QCOMPARE(test.window().page(), PageId::Design);
    QVERIFY(test.named(u"Train this network"_s));
    QVERIFY(!test.named(u"Close the drawer"_s));
    QVERIFY(!QApplication::activeModalWidget());
    const auto enabled = [&](const QString& name) { return test.window().actionTable()[name]->isEnabled(); };
    QVERIFY(enabled(u"run.train"_s));
    QVERIFY(!enabled(u"run.pause"_s) && !enabled(u"run.step"_s) && !enabled(u"run.stop"_s));
  }

  void everyFocusableWidgetHasAName() {
    TestWindow test;
    test.document().setSelection({u"conv2"_s});
    test.window().actionTable()[u"view.log"_s]->trigger();
    QStringList nameless;
    for (int page = 0; page < kNumPages; ++page) {
      showPage(test, page);
      for (const QString& widget : namelessWidgets(test.window())) nameless << u"page %1: %2"_s.arg(page + 1).arg(widget);
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u'\n')));
  }

  void wordsFit() {
    TestWindow test;
    test.document().setSelection({u"conv2"_s});
    QVERIFY(test.waitForInspection());
    for (const QSize size : {kFirst, kSmallest}) {
      test.window().resize(size);
      for (int page = 0; page < kNumPages; ++page) {
        showPage(test, page);
        QCOMPARE(test.window().size(), size);
        const QStringList clipped = clippedWords(test.window());
        QVERIFY2(clipped.isEmpty(), qPrintable(u"page %1 at %2: %3"_s.arg(page + 1).arg(size.width()).arg(clipped.join(u", "_s))));
      }
    }
  }

  void themesSwitchWhileItRuns() {
    TestWindow test;
    test.window().actionTable()[u"view.themeDark"_s]->trigger();
    QVERIFY(colorsOf(QApplication::palette()).isDark);
    const QImage dark = test.window().grab().toImage();
    test.window().actionTable()[u"view.themeLight"_s]->trigger();
    QVERIFY(!colorsOf(QApplication::palette()).isDark);
    const QImage light = test.window().grab().toImage();
    const QPoint card(light.width() - 20, light.height() - 60);  // in the inspector
    QVERIFY(dark.pixelColor(card).lightness() < 80);
    QVERIFY(light.pixelColor(card).lightness() > 200);
  }

  void commandsAreFoundByName() {
    TestWindow test;
    QTest::keyClick(test.window().windowHandle(), Qt::Key_K, Qt::ControlModifier);
    QLineEdit* filter = nullptr;
    QTRY_VERIFY((filter = qobject_cast<QLineEdit*>(test.named(u"Find a command"_s))) != nullptr);
    for (const char letter : {'r', 'e', 's', 'u', 'l', 't', 's'}) QTest::keyClick(test.window().windowHandle(), letter);
    QTRY_COMPARE(filter->text(), u"results"_s);
    QTest::keyClick(test.window().windowHandle(), Qt::Key_Return);
    QTRY_COMPARE(test.window().page(), PageId::Results);
    QTest::keyClick(test.window().windowHandle(), Qt::Key_2, Qt::ControlModifier);
    QTRY_COMPARE(test.window().page(), PageId::Design);
  }

  void tabsComeWithTheSecondProject() {
    TestWindow test;
    QVERIFY(!test.named(u"Open projects"_s));
    Project second = test.document().project();
    test.window().workspace().addNew(std::move(second));
    auto* tabs = qobject_cast<QTabBar*>(test.named(u"Open projects"_s));
    QVERIFY(tabs);
    QCOMPARE(tabs->count(), 2);
    QCOMPARE(tabs->currentIndex(), 1);
    test.window().actionTable()[u"file.close"_s]->trigger();  // unchanged: no question
    QTRY_VERIFY(!tabs->isVisible());
    QCOMPARE(test.window().workspace().count(), 1);
  }

  void closingAsksOnce() {
    TestWindow test;
    submitField(test.document(), u"conv1"_s, "filters", Json(8));
    test.window().close();
    QTRY_VERIFY(test.window().findChild<QMessageBox*>() != nullptr);
    auto* question = test.window().findChild<QMessageBox*>();
    QVERIFY(test.window().isVisible());
    QTRY_VERIFY(question->isVisible());
    QTest::keyClick(question, Qt::Key_Escape);
    QTRY_VERIFY(test.window().findChild<QMessageBox*>() == nullptr);
    QVERIFY(test.window().isVisible());
    test.document().undoStack()->undo();
    test.window().close();
    QTRY_VERIFY(!test.window().isVisible());
  }
};

QTEST_MAIN(TestFrame)
#include "tst_frame.moc"
