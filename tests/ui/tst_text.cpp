// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that every string fits into the visible part of its widget. This covers four pages and all
// lenses with a run, the dialogs, both themes, two window sizes, device pixel ratios of 1 and 2,
// English and Chinese. The window is painted on a device that records the strings.
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTabBar>
#include <QTableView>
#include <QTreeView>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "tests/ui/support/painted_texts.h"
#include "tests/ui/support/window.h"
#include "ui/dialogs/template_dialog.h"
#include "ui/document/edits.h"
#include "ui/plots/timeline_view.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr QSize kFirst(1440, 900), kSmallest(1100, 680), kScrolled(1440, 700);
constexpr const char* kChildMark = "STRATA_TEXT_TEST_CHILD";

/// Returns the window's translation of an English text.
QString said(const char* context, const char* english) {
  return QCoreApplication::translate(context, english);
}

bool isScrolled(const QWidget* widget) {
  for (const QWidget* parent = widget; parent; parent = parent->parentWidget()) {
    if (qobject_cast<const QAbstractScrollArea*>(parent)) return true;
  }
  return false;
}

/// Returns whether the widget is in a view that the user scrolls sideways.
bool isScrolledAside(const QWidget* widget) {
  for (; widget; widget = widget->parentWidget()) {
    const auto* area = qobject_cast<const QAbstractScrollArea*>(widget);
    if (area && area->horizontalScrollBar()->maximum() > 0) return true;
  }
  return false;
}

/// Returns whether the widget shows names in bars, as far as they fit.
bool isTimeline(const QWidget* widget) {
  return widget && qobject_cast<const TimelineView*>(widget->parentWidget());
}

/// Returns whether the text of a widget ends in an ellipsis even if it fits, as in "Open…". Buttons
/// and labels do not elide their texts.
bool endsInEllipsis(const QWidget* widget) {
  if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
    return button->text().endsWith(u'…');
  const auto* label = qobject_cast<const QLabel*>(widget);
  return label && label->text().endsWith(u'…');
}

enum class Cells { Whole, MayBeElided };

/// Returns whether the widget is the cells of a table, whose tooltips have the whole texts.
bool isCells(const QWidget* widget) {
  return widget && qobject_cast<const QTableView*>(widget->parentWidget());
}

/// Returns the texts that are partly invisible or elided.
QStringList cutWords(QWidget& window, Cells cells = Cells::Whole) {
  const std::vector<Painted> found = paintedTexts(window);
  QStringList cut;
  if (found.size() < 10) cut << u"only %1 strings were painted"_s.arg(found.size());
  // Antialiased and italic letters may exceed their rectangle slightly, and `ink` has whole pixels,
  // but begins between two.
  constexpr double kTolerance = 1.5;
  for (const Painted& painted : found) {
    // Long texts in a line edit can be scrolled.
    if (qobject_cast<const QLineEdit*>(painted.widget)) continue;
    const QRectF& ink = painted.ink;
    const QRectF& clip = painted.clip;
    // Skips text that is scrolled out of view while the frame of its widget is still visible.
    if (clip.isEmpty() && isScrolled(painted.widget)) continue;
    const bool isCutAside =
        !isScrolledAside(painted.widget) &&
        (ink.left() < clip.left() - kTolerance || ink.right() > clip.right() + kTolerance);
    // Rows of a scrolled view may be cut at its edge.
    const bool isCutAcross =
        !isScrolled(painted.widget) &&
        (ink.top() < clip.top() - kTolerance || ink.bottom() > clip.bottom() + kTolerance);
    const bool isElided = painted.text.endsWith(u'…') && !endsInEllipsis(painted.widget) &&
                          !isTimeline(painted.widget) &&
                          !(cells == Cells::MayBeElided && isCells(painted.widget));
    if (!isCutAside && !isCutAcross && !isElided) continue;
    cut << u"\"%1\" in %2 at %3,%4 to %5,%6, visible %7,%8 to %9,%10"_s
               .arg(painted.text,
                    painted.widget ? QString::fromLatin1(painted.widget->metaObject()->className())
                                   : u"?"_s)
               .arg(ink.left())
               .arg(ink.top())
               .arg(ink.right())
               .arg(ink.bottom())
               .arg(clip.left())
               .arg(clip.top())
               .arg(clip.right())
               .arg(clip.bottom());
  }
  return cut;
}

/// Returns the texts that are cut off once the layout is done.
QStringList settledCutWords(QWidget& window, Cells cells = Cells::Whole) {
  QStringList cut;
  // Layouts need some iterations of the event loop.
  (void)QTest::qWaitFor([&] { return (cut = cutWords(window, cells)).isEmpty(); }, 3000);
  return cut;
}

void check(QWidget& window, const QString& where) {
  const QStringList cut = settledCutWords(window);
  QVERIFY2(cut.isEmpty(), qPrintable(u"%1:\n%2"_s.arg(where, cut.join(u'\n'))));
}

/// Returns the bar that scrolls the shown page, or null if it is not scrolled.
QScrollBar* scrolledBar(QWidget& window) {
  for (auto* area : window.findChildren<QScrollArea*>()) {
    QScrollBar* bar = area->verticalScrollBar();
    const bool isPane = area->width() < window.width() / 3;
    if (area->isVisible() && !isPane && bar->maximum() > 0) return bar;
  }
  return nullptr;
}

}  // namespace

class TestText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  /// If this test fails, the other tests of this file prove nothing.
  void textsThatDoNotFitAreFound() {
    QWidget window;
    window.resize(400, 400);
    QList<QLabel*> labels;
    for (int i = 0; i < 12; ++i) {
      labels << new QLabel(u"These words need more than their room"_s, &window);
      labels.back()->setGeometry(5, 5 + 30 * i, 380, 25);
    }
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QCOMPARE(cutWords(window), QStringList());
    labels[3]->resize(120, 25);
    QCOMPARE(cutWords(window).size(), 1);
    labels[5]->resize(380, 8);
    QCOMPARE(cutWords(window).size(), 2);
    labels[7]->move(300, labels[7]->y());
    QCOMPARE(cutWords(window).size(), 3);
  }

  void everyPage() {
    TestWindow test(u"mnist-mlp-128.json"_s, {{u"\"epochs\": 5"_s, u"\"epochs\": 1"_s},
                                              {u"\"batch_size\": 32"_s, u"\"batch_size\": 256"_s}});
    MainWindow& window = test.window();
    QVERIFY(test.waitForInspection());
    window.actionTable()[u"run.train"_s]->trigger();
    RunController& run = window.runs().of(&test.document());
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().outcome && !run.isActive(), 120000);
    QVERIFY(run.shown().outcome->outcome == Outcome::Finished);
    window.showPage(PageId::Results);
    QTRY_VERIFY_WITH_TIMEOUT(test.named(said("strata::ui::MistakesCard", "Misclassified samples")),
                             30000);
    test.document().setSelection({u"hidden"_s});
    for (const QString& theme : {u"view.themeLight"_s, u"view.themeDark"_s}) {
      window.actionTable()[theme]->trigger();
      for (const QSize size : {kFirst, kSmallest}) {
        window.resize(size);
        QTRY_COMPARE(window.size(), size);
        for (const QString& tab :
             {said("strata::ui::Inspector", "Layer"), said("strata::ui::Inspector", "Training")}) {
          click(test.named(tab));
          test.openSections();
          for (int page = 0; page < kNumPages; ++page) {
            window.showPage(static_cast<PageId>(page));
            QTest::qWait(page == static_cast<int>(PageId::Data) ? 200 : 20);
            check(window,
                  u"page %1, %2, %3, %4 wide"_s.arg(page + 1).arg(tab, theme).arg(size.width()));
            if (QTest::currentTestFailed()) return;
          }
        }
      }
    }
    // The palette must fit with its scroll bar in the narrowest pane.
    window.showPage(PageId::Design);
    window.resize(kScrolled);
    QTRY_COMPARE(window.size(), kScrolled);
    auto* columns = window.findChild<QSplitter*>();
    QVERIFY(columns);
    columns->setSizes({10, 2000, 10});
    const auto* palette =
        qobject_cast<QListWidget*>(test.named(said("strata::ui::Palette", "Layers to add")));
    QVERIFY(palette);
    QTRY_VERIFY(palette->verticalScrollBar()->isVisible());
    check(window, u"Design with a scrolled palette"_s);
    // Problems and their fixes must also fit.
    submitField(test.document(), u"hidden"_s, "units", Json(0));
    submitField(test.document(), u"out"_s, "activation", Json("softmx"));
    QVERIFY(test.waitForInspection());
    window.actionTable()[u"run.train"_s]->trigger();
    QVERIFY(test.named(said("strata::ui::Drawer", "Close the drawer")));
    QTest::qWait(60);
    check(window, u"Design with problems"_s);
    for (int i = 0; i < 2; ++i)
      test.document().undoStack()->undo();
  }

  void everyLens() {
    TestWindow test(u"mnist-mlp-128.json"_s, {{u"\"epochs\": 5"_s, u"\"epochs\": 2"_s}});
    MainWindow& window = test.window();
    QVERIFY(test.waitForInspection());
    window.actionTable()[u"run.train"_s]->trigger();
    RunController& run = window.runs().of(&test.document());
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().step > 20, 60000);
    run.recordSteps(5);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().outcome && !run.isActive(), 120000);
    window.showPage(PageId::Train);
    auto* tabs =
        qobject_cast<QTabBar*>(test.named(said("strata::ui::TrainPage", "Views of the run")));
    QVERIFY(tabs);
    QStringList cut;
    for (const QSize size : {kFirst, kSmallest}) {
      window.resize(size);
      QTRY_COMPARE(window.size(), size);
      for (int lens = 0; lens < tabs->count(); ++lens) {
        tabs->setCurrentIndex(lens);
        QTest::qWait(300);
        for (QScrollBar* bar = scrolledBar(window);;) {
          for (const QString& words : settledCutWords(window, Cells::MayBeElided))
            cut << u"%1, %2 wide: %3"_s.arg(tabs->tabText(lens)).arg(size.width()).arg(words);
          if (!bar || bar->value() == bar->maximum()) break;
          bar->setValue(bar->value() + bar->pageStep());
        }
      }
    }
    QVERIFY2(cut.isEmpty(), qPrintable(cut.join(u'\n')));
  }

  void columnsOfTheList() {
    for (const QString& project : {u"mnist-cnn.json"_s, u"mnist-resnet.json"_s, u"lenet5.json"_s}) {
      TestWindow test(project);
      QVERIFY(test.waitForInspection());
      // These fields add columns and long texts to the list. An edit rebuilds the entries.
      const LayerEntries entries = test.document().layers();
      for (const LayerEntry& entry : entries) {
        if (entry.type == u"Conv2D"_s && entry.depth == 0)
          submitField(test.document(), entry.name, "padding", Json("same"));
      }
      QVERIFY(test.waitForInspection());
      for (const QSize size : {kFirst, kSmallest}) {
        test.window().resize(size);
        QTRY_COMPARE(test.window().size(), size);
        check(test.window(), u"%1, %2 wide"_s.arg(project).arg(size.width()));
        if (QTest::currentTestFailed()) return;
      }
      test.document().undoStack()->setIndex(0);
    }
  }

  void startPage() {
    TestWindow test;
    test.window().actionTable()[u"file.close"_s]->trigger();
    QTRY_COMPARE(test.window().workspace().count(), 0);
    for (const QSize size : {kFirst, kSmallest}) {
      test.window().resize(size);
      QTRY_COMPARE(test.window().size(), size);
      check(test.window(), u"start page, %1 wide"_s.arg(size.width()));
    }
  }

  void dialogs() {
    TestWindow test;
    for (const QString& action :
         {u"file.new"_s, u"help.shortcuts"_s, u"help.about"_s, u"file.close"_s}) {
      // After this edit, closing the project asks a question.
      submitField(test.document(), u"conv1"_s, "filters", Json(8));
      test.window().actionTable()[action]->trigger();
      auto* dialog = waitForDialog<QDialog>(test.window());
      QVERIFY2(dialog, qPrintable(action));
      QTest::qWait(60);
      QVERIFY(paintedTexts(*dialog).size() >= 2);
      const QStringList cut = cutWords(*dialog).filter(u"\""_s);
      QVERIFY2(cut.isEmpty(), qPrintable(u"%1:\n%2"_s.arg(action, cut.join(u'\n'))));
      dialog->reject();
      QTRY_VERIFY(test.window().findChildren<QDialog*>().isEmpty());
      test.document().undoStack()->undo();
    }
  }

  void inAnotherProcess_data() {
    QTest::addColumn<QString>("scale");
    QTest::addColumn<QString>("language");
    QTest::newRow("two device pixels per pixel") << u"2"_s << u"en"_s;
    QTest::newRow("Chinese") << u"1"_s << u"zh_CN"_s;
    QTest::newRow("Chinese, two device pixels per pixel") << u"2"_s << u"zh_CN"_s;
  }

  /// A process cannot change its scale or its language, so another process is started.
  void inAnotherProcess() {
    if (qEnvironmentVariableIsSet(kChildMark)) return;
    QFETCH(QString, scale);
    QFETCH(QString, language);
    QProcess child;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"QT_SCALE_FACTOR"_s, scale);
    environment.insert(u"STRATA_TEST_LANGUAGE"_s, language);
    environment.insert(QString::fromLatin1(kChildMark), u"1"_s);
    child.setProcessEnvironment(environment);
    child.setProcessChannelMode(QProcess::MergedChannels);
    child.start(
        QCoreApplication::applicationFilePath(),
        {u"everyPage"_s, u"everyLens"_s, u"columnsOfTheList"_s, u"startPage"_s, u"dialogs"_s});
    QVERIFY(child.waitForFinished(300000));
    const QString all = QString::fromLocal8Bit(child.readAll());
    const QByteArray failure =
        all.mid(std::max<qsizetype>(0, all.indexOf(u"FAIL!"_s))).toLocal8Bit();
    QVERIFY2(child.exitStatus() == QProcess::NormalExit && child.exitCode() == 0,
             failure.constData());
  }
};

QTEST_MAIN(TestText)
#include "tst_text.moc"
