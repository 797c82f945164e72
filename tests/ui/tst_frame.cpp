// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the main window: the first start, names for screen readers, texts that fit at two sizes,
// themes, Ctrl+K, tabs, and questions that are asked only once.
#include <QAbstractButton>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QProxyStyle>
#include <QSplitter>
#include <QStyleOptionTab>
#include <QTabBar>
#include <QTableWidget>
#include <QTreeView>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "tests/ui/support/window.h"
#include "ui/device_text.h"
#include "ui/document/edits.h"
#include "ui/main_window/project_tabs.h"
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

/// Returns the texts that do not fit into their label or button. A small excess is tolerated,
/// because bold and italic text of the style sheet is slightly wider than its font metrics.
QStringList clippedWords(QWidget& window) {
  QStringList found;
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    QString words;
    if (const auto* button = qobject_cast<QAbstractButton*>(widget)) words = button->text();
    if (const auto* label = qobject_cast<QLabel*>(widget);
        label && !label->wordWrap() &&
        label->sizePolicy().horizontalPolicy() != QSizePolicy::Ignored &&
        label->textFormat() != Qt::RichText) {
      words = label->text();
    }
    if (words.isEmpty() || words.contains(u'<') ||
        widget->property("role").toString() == u"value"_s)
      continue;
    if (widget->fontMetrics().horizontalAdvance(words) > widget->width() + 1)
      found << u"%1 \"%2\""_s.arg(QString::fromLatin1(widget->metaObject()->className()), words);
    if (widget->mapTo(&window, QPoint(widget->width(), 0)).x() > window.width() + 1)
      found << u"outside: "_s + words;
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
    const auto enabled = [&](const QString& name) {
      return test.window().actionTable()[name]->isEnabled();
    };
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
      for (const QString& widget : namelessWidgets(test.window()))
        nameless << u"page %1: %2"_s.arg(page + 1).arg(widget);
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u'\n')));
  }

  void textsFit() {
    TestWindow test;
    test.document().setSelection({u"conv2"_s});
    QVERIFY(test.waitForInspection());
    for (const QSize size : {kFirst, kSmallest}) {
      test.window().resize(size);
      for (int page = 0; page < kNumPages; ++page) {
        showPage(test, page);
        QCOMPARE(test.window().size(), size);
        const QStringList clipped = clippedWords(test.window());
        QVERIFY2(
            clipped.isEmpty(),
            qPrintable(
                u"page %1 at %2: %3"_s.arg(page + 1).arg(size.width()).arg(clipped.join(u", "_s))));
      }
    }
  }

  void themesSwitchAtRunTime() {
    TestWindow test;
    test.window().actionTable()[u"view.themeDark"_s]->trigger();
    QVERIFY(colorsOf(QApplication::palette()).isDark);
    const QImage dark = test.window().grab().toImage();
    test.window().actionTable()[u"view.themeLight"_s]->trigger();
    QVERIFY(!colorsOf(QApplication::palette()).isDark);
    const QImage light = test.window().grab().toImage();
    // This point lies in the inspector.
    const QPoint card(light.width() - 20, light.height() - 60);
    QVERIFY(dark.pixelColor(card).lightness() < 80);
    QVERIFY(light.pixelColor(card).lightness() > 200);
  }

  void commandsAreFoundByName() {
    TestWindow test;
    QTest::keyClick(test.window().windowHandle(), Qt::Key_K, Qt::ControlModifier);
    QLineEdit* filter = nullptr;
    QTRY_VERIFY((filter = qobject_cast<QLineEdit*>(test.named(u"Find a command"_s))) != nullptr);
    for (const char letter : {'r', 'e', 's', 'u', 'l', 't', 's'})
      QTest::keyClick(test.window().windowHandle(), letter);
    QTRY_COMPARE(filter->text(), u"results"_s);
    QTest::keyClick(test.window().windowHandle(), Qt::Key_Return);
    QTRY_COMPARE(test.window().page(), PageId::Results);
    QTest::keyClick(test.window().windowHandle(), Qt::Key_2, Qt::ControlModifier);
    QTRY_COMPARE(test.window().page(), PageId::Design);
  }

  void theBestCommandComesFirst() {
    TestWindow test;
    press(Qt::Key_K, Qt::ControlModifier);
    QLineEdit* filter = nullptr;
    QTRY_VERIFY((filter = qobject_cast<QLineEdit*>(test.named(u"Find a command"_s))) != nullptr);
    auto* list = qobject_cast<QListWidget*>(test.named(u"Commands"_s));
    QVERIFY(list);
    const auto best = [&](const QString& words) {
      filter->setText(words);
      return list->item(0) ? list->item(0)->text() : QString();
    };
    QCOMPARE(best(u"step"_s), u"Step"_s);
    QCOMPARE(best(u"log"_s), u"Log"_s);
    QCOMPARE(best(u"open"_s), u"Open"_s);
    QCOMPARE(best(u"train"_s), u"Train"_s);
    press(Qt::Key_Escape);
  }

  void tabsAppearWithTheSecondProject() {
    TestWindow test;
    QVERIFY(!test.named(u"Open projects"_s));
    Project second = test.document().project();
    test.window().workspace().addNew(std::move(second));
    auto* tabs = qobject_cast<QTabBar*>(test.named(u"Open projects"_s));
    QVERIFY(tabs);
    QCOMPARE(tabs->count(), 2);
    QCOMPARE(tabs->currentIndex(), 1);
    // Closing an unchanged project asks no question.
    test.window().actionTable()[u"file.close"_s]->trigger();
    QTRY_VERIFY(!tabs->isVisible());
    QCOMPARE(test.window().workspace().count(), 1);
  }

  void tabsShowNamesAsWideAsSpaceAllows() {
    TestWindow test;
    Workspace& workspace = test.window().workspace();
    for (const char* name :
         {"A network with quite a long name 1", "A network with quite a long name 2"}) {
      Project project = test.document().project();
      project.document()["name"] = name;
      workspace.addNew(std::move(project));
    }
    submitValue(*workspace.document(1), "/training/epochs", Json(3));
    auto* tabs = qobject_cast<QTabBar*>(test.named(u"Open projects"_s));
    QVERIFY(tabs);
    const auto shown = [&](int i) {
      QStyleOptionTab option;
      // The option contains the text that the style draws, which may be elided to fit its tab. Bar
      // makes the protected function accessible.
      class Bar : public QTabBar {
       public:
        using QTabBar::initStyleOption;
      };
      (static_cast<QTabBar*>(tabs)->*(&Bar::initStyleOption))(&option, i);
      return option.text;
    };
    for (const QSize size : {QSize(1920, 900), kFirst, kSmallest}) {
      test.window().resize(size);
      QTest::qWait(100);
      QCOMPARE(test.window().size(), size);
      for (int i = 0; i < tabs->count(); ++i) {
        const QString words = u"%1 at %2: %3 in %4"_s.arg(i)
                                  .arg(size.width())
                                  .arg(shown(i))
                                  .arg(tabs->tabRect(i).width());
        QVERIFY2(tabs->fontMetrics().horizontalAdvance(shown(i)) <= tabs->tabRect(i).width() - 20,
                 qPrintable(words));
        if (size.width() == 1920) QVERIFY2(shown(i) == tabs->tabText(i), qPrintable(words));
        QVERIFY2(tabs->tabRect(i).width() >= 90, qPrintable(words));
        QVERIFY(tabs->tabToolTip(i).contains(workspace.document(i)->name()));
      }
      if (size != kSmallest) {
        // The ends of the names distinguish the tabs, and the marks of unsaved changes are visible.
        QVERIFY2(shown(1).endsWith(u"1 *"_s), qPrintable(shown(1)));
        QVERIFY(tabs->tabRect(2).right() <= tabs->width());
      }
      QVERIFY(clippedWords(test.window()).isEmpty());
      // The other buttons of the row still fit, even with the longest text for Train.
      QAction* train = test.window().actionTable()[u"run.train"_s];
      const QString words = train->text();
      train->setText(u"Continue (step 123,456)"_s);
      test.window().resize(size - QSize(0, 1));
      QTest::qWait(50);
      for (const char* page : {"Data", "Design", "Train", "Results"}) {
        const QAbstractButton* button = buttonWith(test.window(), QString::fromLatin1(page));
        QVERIFY(button);
        QVERIFY2(button->width() >= button->sizeHint().width(), page);
      }
      train->setText(words);
    }
    workspace.document(1)->undoStack()->undo();
  }

  void theCurrentTabStaysVisible() {
    TestWindow test;
    Workspace& workspace = test.window().workspace();
    for (const char* name : {"mn", "rand", "people"}) {
      Project project = test.document().project();
      project.document()["name"] = name;
      workspace.addNew(std::move(project));
    }
    auto* tabs = qobject_cast<QTabBar*>(test.named(u"Open projects"_s));
    QVERIFY(tabs);
    QCOMPARE(tabs->currentIndex(), 3);
    QAction* train = test.window().actionTable()[u"run.train"_s];
    for (const QString& words :
         {u"Train"_s, u"New run from these weights"_s, u"Train"_s, u"Continue (step 123,456)"_s}) {
      train->setText(words);
      QTest::qWait(100);
      const QRect tab = tabs->tabRect(3);
      QVERIFY2(tab.left() >= 0 && tab.right() < tabs->width(),
               qPrintable(u"%1: from %2 to %3 of %4"_s.arg(words)
                              .arg(tab.left())
                              .arg(tab.right())
                              .arg(tabs->width())));
    }
  }

  void manyTabsAreLaidOutAtOnce() {
    class Counting : public QProxyStyle {
     public:
      QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                             const QWidget* widget) const override {
        if (type == CT_TabBarTab) ++asked;
        return QProxyStyle::sizeFromContents(type, option, size, widget);
      }
      mutable int asked = 0;
    };
    constexpr int kTabs = 30, kLayouts = 8;
    // A style sheet of an earlier window would replace the counting style.
    qApp->setStyleSheet({});
    auto* style = new Counting;
    ProjectTabs tabs;
    style->setParent(&tabs);
    tabs.setStyle(style);
    for (int i = 0; i < kTabs; ++i)
      tabs.addTab(u"A network with quite a long name %1"_s.arg(i));
    tabs.setRoom(900);
    tabs.show();
    QVERIFY(QTest::qWaitForWindowExposed(&tabs));
    style->asked = 0;
    tabs.setRoom(2400);
    (void)tabs.sizeHint();
    QVERIFY(style->asked > 0);
    QVERIFY2(style->asked <= kLayouts * kTabs, qPrintable(QString::number(style->asked)));
    // A new text changes the layout immediately.
    const int before = tabs.tabRect(0).width();
    tabs.setTabText(0, u"A"_s);
    QVERIFY(tabs.tabRect(0).width() < before);
    QVERIFY(tabs.sizeHint().width() <= 2400);
  }

  void theLeftPaneKeepsAReadableWidth() {
    TestWindow test;
    test.window().resize(kSmallest);
    // The pane is hidden in a narrow window until it is opened.
    test.window().actionTable()[u"view.left"_s]->trigger();
    for (int page = 0; page < kNumPages; ++page) {
      showPage(test, page);
      QCOMPARE(test.window().size(), kSmallest);
      if (QWidget* palette = test.named(u"Find a layer"_s))
        QVERIFY2(palette->parentWidget()->width() >= 200, "the palette is readable");
      QVERIFY(test.named(u"Inspector"_s)->width() >= 290);
      const QStringList clipped = clippedWords(test.window());
      QVERIFY2(clipped.isEmpty(),
               qPrintable(u"page %1: %2"_s.arg(page + 1).arg(clipped.join(u", "_s))));
    }
    // Dragging the handle does not make the pane narrower, either.
    test.window().resize(kFirst);
    showPage(test, 1);
    QWidget* palette = test.named(u"Find a layer"_s);
    QVERIFY(palette);
    auto* columns = test.window().findChild<QSplitter*>();
    for (QSplitter* splitter : test.window().findChildren<QSplitter*>())
      if (splitter->orientation() == Qt::Horizontal && splitter->isAncestorOf(palette))
        columns = splitter;
    columns->setSizes({20, 1200, 200});
    QTRY_VERIFY2(palette->parentWidget()->width() >= 200,
                 qPrintable(QString::number(palette->parentWidget()->width())));
  }

  void aSimulatedCardIsChosenInTheMenuAndLabelledAsSimulated() {
    if (offeredCards().empty()) QSKIP("simulated cards need the CUDA Toolkit");
    TestWindow test;
    QVERIFY(test.waitForInspection());
    const auto chip = [&]() -> QAbstractButton* {
      for (QAbstractButton* button : test.window().findChildren<QAbstractButton*>())
        if (button->isVisible() && button->accessibleName().startsWith(u"Device: "_s))
          return button;
      return nullptr;
    };
    QVERIFY(chip()->accessibleName().contains(u"CPU"_s));
    click(chip());
    QAction* card = nullptr;
    for (QAction* action : test.window().findChildren<QAction*>())
      if (action->text().startsWith(u"RTX 4090, 24"_s)) card = action;
    QVERIFY(card);
    QVERIFY(card->isEnabled());
    // The cards are grouped by family.
    QStringList families;
    for (const QMenu* menu : test.window().findChildren<QMenu*>())
      if (menu->actions().contains(card)) families << menu->title();
    QCOMPARE(families, QStringList{u"GeForce RTX 40"_s});
    card->trigger();
    if (QWidget* menu = QApplication::activePopupWidget()) menu->close();
    QCOMPARE(test.document().json().at("execution").at("devices"),
             Json("simulated:GeForce RTX 4090"));
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 0);
    QCOMPARE(chip()->accessibleName(), u"Device: RTX 4090, simulated"_s);
    // The Inspector shows the same card, however the project spells it.
    click(buttonWith(test.window(), u"Training"_s));
    test.openSections();
    auto* field = test.window().findChild<QComboBox*>(u"/execution/devices"_s);
    QVERIFY(field);
    QCOMPARE(field->currentText(), u"RTX 4090, simulated"_s);
    QVERIFY(field->count() > 50);
    QVERIFY(test.document().submit(
        setValueEdit(test.document().json(), "/execution/devices", Json("simulated:rtx4090"))));
    QVERIFY(test.waitForInspection());
    QTRY_COMPARE(field->currentText(), u"RTX 4090, simulated"_s);
    // The label stays complete in the smallest window.
    test.window().resize(kSmallest);
    QTest::qWait(50);
    const QStringList clipped = clippedWords(test.window());
    QVERIFY2(clipped.isEmpty(), qPrintable(clipped.join(u", "_s)));
    QVERIFY(test.document().submit(
        setValueEdit(test.document().json(), "/execution/devices", Json("simulated:RTX 4091"))));
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 1);
  }

  void allOpenProjectsReturn() {
    TestWindow test;
    const QString second = test.folder() + u"/second.json"_s,
                  third = test.folder() + u"/third.json"_s;
    for (const QString& copy : {second, third}) {
      QVERIFY(QFile::copy(test.path(), copy));
      QVERIFY(test.window().workspace().open(copy));
    }
    test.restart();
    QCOMPARE(test.window().workspace().count(), 3);
    QCOMPARE(test.document().path(), test.path());
    // A project that was closed does not return, and a file that is gone does no harm.
    test.window().workspace().close(test.window().workspace().document(1));
    QVERIFY(QFile::remove(third));
    test.restart();
    QCOMPARE(test.window().workspace().count(), 1);
  }

  void aSelectedLayerShowsItsFields() {
    TestWindow test;
    QVERIFY(test.waitForInspection());
    QAbstractButton* layer = buttonWith(test.window(), u"Layer"_s);
    for (int i = 0; i < 2; ++i) {
      click(buttonWith(test.window(), u"Training"_s));
      QVERIFY(!layer->isChecked());
      // The second click is on the layer that is already selected.
      auto* list = qobject_cast<QAbstractItemView*>(test.named(u"Layers"_s));
      QVERIFY(list);
      clickAt(list->viewport(), list->visualRect(list->model()->index(1, 0)).center());
      QTRY_VERIFY(layer->isChecked());
    }
  }

  void aColumnKeepsTheWidthThatTheUserGaveIt() {
    TestWindow test;
    QVERIFY(test.waitForInspection());
    auto* list = qobject_cast<QTreeView*>(test.named(u"Layers"_s));
    QVERIFY(list);
    QHeaderView* header = list->header();
    const int before = header->sectionSize(0);
    QWidget* titles = header->viewport();
    const QPoint edge(header->sectionViewportPosition(0) + before - 1, titles->height() / 2);
    QWindow* handle = test.window().windowHandle();
    const auto at = [&](int by) {
      return titles->mapTo(&test.window(), edge + QPoint(by, 0));
    };
    QTest::mouseMove(handle, at(-20));
    QTest::mouseMove(handle, at(0));
    QTest::mousePress(handle, Qt::LeftButton, {}, at(0));
    for (const int by : {10, 30, 60})
      QTest::mouseMove(handle, at(by));
    QTest::mouseRelease(handle, Qt::LeftButton, {}, at(60));
    QTRY_COMPARE(header->sectionSize(0), before + 60);
    submitField(test.document(), u"conv1"_s, "filters", Json(8));
    QVERIFY(test.waitForInspection());
    QTest::qWait(100);
    QCOMPARE(header->sectionSize(0), before + 60);
    test.document().undoStack()->setIndex(0);
    test.window().actionTable()[u"view.reset"_s]->trigger();
    QTRY_COMPARE(header->sectionSize(0), before);
  }

  void trainWithProblemsSaysWhyNothingStarted() {
    TestWindow test;
    submitField(test.document(), u"hidden"_s, "units", Json(-3));
    QVERIFY(test.waitForInspection());
    // The drawer is already open.
    test.window().actionTable()[u"view.problems"_s]->trigger();
    QVERIFY(test.named(u"Close the drawer"_s));
    const auto refusal = [&]() -> QLabel* {
      for (QLabel* label : test.window().findChildren<QLabel*>())
        if (label->isVisible() &&
            label->text() == u"Training did not start: fix 1 problem first."_s)
          return label;
      return nullptr;
    };
    QVERIFY(!refusal());
    press(Qt::Key_F5);
    QTRY_VERIFY(refusal());
    QVERIFY(!test.window().runs().isActive());
    QVERIFY(QApplication::focusWidget());
    QCOMPARE(QApplication::focusWidget()->accessibleName(), u"Show hidden"_s);
    QTRY_COMPARE(refusal()->parentWidget()->property("role").toString(), u"banner"_s);
    // A second refusal is also noticeable, because the banner loses its colour briefly.
    press(Qt::Key_F5);
    QCOMPARE(refusal()->parentWidget()->property("role").toString(), u"strip"_s);
    QTRY_COMPARE(refusal()->parentWidget()->property("role").toString(), u"banner"_s);
    submitField(test.document(), u"hidden"_s, "units", Json(32));
    QVERIFY(test.waitForInspection());
    QTRY_VERIFY(!refusal());
    test.document().undoStack()->setIndex(0);
  }

  void singularAndPlural() {
    TestWindow test(u"linear-regression.json"_s);
    QVERIFY(test.waitForInspection());
    const auto says = [&](const QString& words) {
      for (const QLabel* label : test.window().findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(words)) return true;
      return false;
    };
    QVERIFY(says(u"1,000 epochs,"_s));
    QVERIFY(submitValue(test.document(), "/training/epochs", Json(1)));
    QTRY_VERIFY(says(u"1 epoch,"_s));
    QVERIFY(says(u"2 parameters"_s));
    QVERIFY(submitField(test.document(), u"line"_s, "use_bias", Json(false)));
    QVERIFY(test.waitForInspection());
    QTRY_VERIFY(says(u"2 layers, 1 parameter,"_s));
    test.document().undoStack()->setIndex(0);
  }

  void everyKeyIsListedOnce() {
    TestWindow test;
    press(Qt::Key_F1);
    auto* dialog = waitForDialog<QDialog>(test.window());
    QVERIFY(dialog);
    auto* table = dialog->findChild<QTableWidget*>();
    QVERIFY(table);
    QStringList keys;
    for (int row = 0; row < table->rowCount(); ++row)
      keys += table->item(row, 1)->text().split(u"; "_s);
    QVERIFY(keys.contains(u"F6"_s) && keys.contains(u"Ctrl+F6"_s));
    QCOMPARE(keys.removeDuplicates(), 0);
    dialog->close();
  }

  void theQuestionOnClosingNamesTheProjects() {
    TestWindow test;
    Project second = test.document().project();
    second.document()["name"] = "The second";
    Document* other = test.window().workspace().addNew(std::move(second));
    Project third = other->project();
    third.document()["name"] = "Untouched";
    test.window().workspace().addNew(std::move(third));
    submitValue(*test.window().workspace().document(0), "/training/epochs", Json(3));
    submitValue(*other, "/training/epochs", Json(3));
    test.window().close();
    auto* question = waitForDialog<QMessageBox>(test.window());
    QVERIFY(question);
    QCOMPARE(question->text(), u"There are unsaved changes in %1, The second."_s.arg(
                                   test.window().workspace().document(0)->name()));
    click(buttonWith(*question, u"Keep working"_s));
    QTRY_VERIFY(test.window().findChild<QMessageBox*>() == nullptr);
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
