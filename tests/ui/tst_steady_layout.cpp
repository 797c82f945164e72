// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that nothing moves when a run starts, goes on or ends: every control keeps its place, on
// each page, in a large and in the smallest window, with two notices, and in Chinese.
#include <QAbstractItemView>
#include <QComboBox>
#include <QHash>
#include <QLineEdit>
#include <QProcess>
#include <QTabBar>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "tests/ui/support/run_window.h"
#include "ui/main_window/project_tabs.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr QSize kFirst(1440, 900), kSmallest(1100, 680);
constexpr const char* kChildMark = "STRATA_TEST_STEADY_CHILD";

struct Place {
  QString name;
  QRect rect;
  bool mayGo = false;
  // Null after the control was deleted, whose address another one may have then
  QPointer<const QWidget> control;
};
using Places = QHash<const QWidget*, Place>;

/// Returns whether a control comes and goes within a place that stays: the buttons of a message,
/// and tables that a sentence replaces.
bool mayGo(const QWidget* control) {
  for (const QWidget* at = control->parentWidget(); at; at = at->parentWidget()) {
    const QString role = at->property("role").toString();
    if (role == u"strip"_s || role == u"banner"_s) return true;
  }
  return qobject_cast<const QAbstractItemView*>(control);
}

bool isControl(const QWidget* widget) {
  return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
         qobject_cast<const QComboBox*>(widget) || qobject_cast<const QTabBar*>(widget) ||
         qobject_cast<const QAbstractItemView*>(widget) ||
         widget->property("role").toString() == u"card"_s;
}

/// Returns the places of all visible controls in the window.
Places placesIn(const MainWindow& window) {
  Places places;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || !isControl(widget) || widget->objectName().startsWith(u"qt_"))
      continue;
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    places[widget] = {u"%1 \"%2\""_s.arg(QString::fromLatin1(widget->metaObject()->className()),
                                         button ? button->text() : widget->accessibleName()),
                      QRect(widget->mapTo(&window, QPoint(0, 0)), widget->size()), mayGo(widget),
                      widget};
  }
  return places;
}

QString text(const QRect& rect) {
  return u"%1,%2 %3x%4"_s.arg(rect.x()).arg(rect.y()).arg(rect.width()).arg(rect.height());
}

/// Returns the controls that have moved or gone.
QStringList movedFrom(const Places& before, const Places& now) {
  QStringList moved;
  for (auto each = before.begin(); each != before.end(); ++each) {
    const auto found = now.find(each.key());
    if (found == now.end() || !each->control) {
      if (!each->mayGo) moved << each->name + u" is gone"_s;
    }
    else if (found->rect != each->rect)
      moved << u"%1: from %2 to %3"_s.arg(each->name, text(each->rect), text(found->rect));
  }
  return moved;
}

void settle() { QTest::qWait(250); }

class SteadyWindow : public RunWindow {
 public:
  SteadyWindow() : RunWindow(1000000) {}
  void resizeTo(const QSize& size) {
    window().resize(size);
    settle();
  }
  /// Clicks the button of a page.
  void go(PageId page) {
    static const char* const kTitles[] = {"Data", "Design", "Train", "Results"};
    const QString title =
        QCoreApplication::translate("strata::ui::MainWindow", kTitles[static_cast<int>(page)]);
    QAbstractButton* button = buttonWith(window(), title);
    QVERIFY2(button, qPrintable(title));
    clickAt(button, button->rect().center());
    settle();
  }
  QWidget* stopButton() { return named(window().actionTable()[u"run.stop"_s]->text()); }
  bool start() {
    const int64_t before = run().isActive() ? -1 : run().shown().step;
    if (before < 0 || !starter()->isEnabled() || !press(starter())) return false;
    return QTest::qWaitFor([&] { return run().isActive() && run().shown().start; }, 20000) &&
           QTest::qWaitFor([&] { return run().shown().step > run().shown().start->firstStep; },
                           60000);
  }
  bool stop() {
    QWidget* button = stopButton();
    return button && button->isEnabled() && press(button) && waitForEnd();
  }
};

}  // namespace

class TestSteadyLayout : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void startsAndEndsOfRunsMoveNothing_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("hasNotices");
    QTest::newRow("large") << kFirst << false;
    QTest::newRow("large, notices") << kFirst << true;
    QTest::newRow("smallest") << kSmallest << false;
    QTest::newRow("smallest, notices") << kSmallest << true;
  }

  /// Five runs in each of four windows: one after a look at each page, and one more.
  void startsAndEndsOfRunsMoveNothing() {
    QFETCH(QSize, size);
    QFETCH(bool, hasNotices);
    SteadyWindow test;
    test.resizeTo(size);
    if (hasNotices) {
      test.window().actionTable()[u"view.languageChinese"_s]->trigger();
      if (!test.named(u"Hide this line"_s))
        test.window().actionTable()[u"view.languageEnglish"_s]->trigger();
      settle();
    }
    // The first run fills the pages Train and Results.
    const Places empty = placesIn(test.window());
    QVERIFY(test.start());
    test.go(PageId::Design);
    compare(empty, placesIn(test.window()), "first start");
    QVERIFY(test.stop());
    if (hasNotices) submitField(test.document(), u"hidden"_s, "activation", Json("tanh"));
    QVERIFY(test.waitForInspection());
    for (const PageId page :
         {PageId::Train, PageId::Results, PageId::Design, PageId::Data, PageId::Train}) {
      test.go(page);
      // Data and mistakes are computed in the background.
      for (const char* words : {"Reading", "Evaluating"})
        QTRY_VERIFY_WITH_TIMEOUT(!labelWith(test, QString::fromLatin1(words)), 20000);
      QTest::qWait(600);
      const Places before = placesIn(test.window());
      QVERIFY(test.start());
      test.go(page);
      const Places during = placesIn(test.window());
      compare(before, during, "start");
      QTest::qWait(300);
      compare(during, placesIn(test.window()), "progress");
      QVERIFY(test.stop());
      QTRY_VERIFY_WITH_TIMEOUT(!labelWith(test, u"Evaluating"_s), 20000);
      QTest::qWait(600);
      compare(during, placesIn(test.window()), "end");
      compare(before, placesIn(test.window()), "start and end");
    }
  }

  void resultsWithoutRunsDoesNotMove() {
    for (const QSize& size : {kFirst, kSmallest}) {
      SteadyWindow test;
      test.resizeTo(size);
      test.go(PageId::Results);
      const Places before = placesIn(test.window());
      QVERIFY(test.start());
      QVERIFY(test.stop());
      test.go(PageId::Results);
      const Places after = placesIn(test.window());
      for (const char* name : {"Inspector", "Runs of this project"}) {
        const QWidget* widget = test.named(QString::fromLatin1(name));
        if (widget && before.contains(widget))
          QCOMPARE(text(after[widget].rect), text(before[widget].rect));
      }
    }
  }

  /// Pages stay where they are while projects are opened and closed.
  void projectTabsDoNotPushThePages() {
    for (const QSize& size : {kFirst, kSmallest}) {
      SteadyWindow test;
      test.resizeTo(size);
      QAbstractButton* data =
          buttonWith(test.window(), QCoreApplication::translate("strata::ui::MainWindow", "Data"));
      QVERIFY(data);
      const QPoint before = data->mapTo(&test.window(), QPoint(0, 0));
      for (int i = 0; i < 6; ++i) {
        Project project = test.document().project();
        project.document()["name"] = "A network with quite a long name " + std::to_string(i);
        test.window().workspace().addNew(std::move(project));
        settle();
        QCOMPARE(data->mapTo(&test.window(), QPoint(0, 0)), before);
      }
      auto* tabs = test.window().findChild<ProjectTabs*>();
      QVERIFY(tabs && tabs->isVisible());
      QVERIFY(tabs->mapTo(&test.window(), QPoint(tabs->width(), 0)).x() <= before.x());
    }
  }

  void inChinese() {
    if (qEnvironmentVariableIsSet(kChildMark)) return;
    QProcess child;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"STRATA_TEST_LANGUAGE"_s, u"zh_CN"_s);
    environment.insert(QString::fromLatin1(kChildMark), u"1"_s);
    child.setProcessEnvironment(environment);
    child.setProcessChannelMode(QProcess::MergedChannels);
    child.start(
        QCoreApplication::applicationFilePath(),
        {u"startsAndEndsOfRunsMoveNothing:smallest, notices"_s, u"projectTabsDoNotPushThePages"_s});
    QVERIFY(child.waitForFinished(300000));
    const QString all = QString::fromLocal8Bit(child.readAll());
    const QByteArray failure =
        all.mid(std::max<qsizetype>(0, all.indexOf(u"FAIL!"_s))).toLocal8Bit();
    QVERIFY2(child.exitStatus() == QProcess::NormalExit && child.exitCode() == 0,
             failure.constData());
  }

 private:
  static void compare(const Places& before, const Places& now, const char* when) {
    const QStringList moved = movedFrom(before, now);
    QVERIFY2(moved.isEmpty(),
             qPrintable(u"%1: %2"_s.arg(QLatin1String(when), moved.join(u"\n"_s))));
  }
};

QTEST_MAIN(TestSteadyLayout)
#include "tst_steady_layout.moc"
