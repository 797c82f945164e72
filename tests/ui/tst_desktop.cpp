// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the notification about the end of a run, and that the machine does not sleep during one,
// with made-up services of the desktop.
#include <QPlainTextEdit>
#include <QtTest>

#include "tests/ui/support/fake_services.h"
#include "tests/ui/support/run_window.h"
#include "ui/desktop/desktop_notice.h"
#include "ui/desktop/sleep_guard.h"
#include "ui/main_window/drawer.h"
#include "ui/main_window/status_row.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

const QString kNotifications = u"org.freedesktop.Notifications"_s;
const QString kNotificationsPath = u"/org/freedesktop/Notifications"_s;
const QString kLogin = u"org.freedesktop.login1"_s;
const QString kLoginPath = u"/org/freedesktop/login1"_s;
const QString kPower = u"org.freedesktop.PowerManagement"_s;
const QString kPowerPath = u"/org/freedesktop/PowerManagement/Inhibit"_s;

}  // namespace

class TestDesktop : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    // The made-up login1 is on the private bus of the test
    qputenv("DBUS_SYSTEM_BUS_ADDRESS", qgetenv("DBUS_SESSION_BUS_ADDRESS"));
    prepareApplication();
  }

  void aClickOnTheNoticeIsReported() {
    FakeNotifications fake;
    const FakeService service(fake, kNotifications, kNotificationsPath);
    QVERIFY(service.isThere());
    QWidget window;
    DesktopNotice notice(window);
    QSignalSpy clicks(&notice, &DesktopNotice::clicked);
    notice.show(u"Title"_s, u"a < b & c"_s);
    QTRY_COMPARE(fake.notices.size(), 1);
    QCOMPARE(fake.notices[0].title, u"Title"_s);
    QCOMPARE(fake.notices[0].words, u"a < b & c"_s);
    QCOMPARE(fake.notices[0].actions.value(0), u"default"_s);
    QTest::qWait(100);
    // Neither another notification nor another action is this click
    Q_EMIT fake.ActionInvoked(1, u"default"_s);
    Q_EMIT fake.ActionInvoked(fake.notices[0].id, u"other"_s);
    QTest::qWait(100);
    QCOMPARE(clicks.size(), 0);
    Q_EMIT fake.ActionInvoked(fake.notices[0].id, u"default"_s);
    QTRY_COMPARE(clicks.size(), 1);
  }

  void aServiceWithMarkupGetsEscapedText() {
    FakeNotifications fake;
    fake.capabilities = QStringList{u"body"_s, u"body-markup"_s};
    const FakeService service(fake, kNotifications, kNotificationsPath);
    QWidget window;
    DesktopNotice notice(window);
    notice.show(u"Title"_s, u"a < b & c"_s);
    QTRY_COMPARE(fake.notices.size(), 1);
    QCOMPARE(fake.notices[0].words, u"a &lt; b &amp; c"_s);
  }

  void withoutAServiceNothingHappensToTheProgram() {
    QWidget window;
    window.show();
    DesktopNotice notice(window);
    notice.show(u"Title"_s, u"Words"_s);
    QTest::qWait(300);
  }

  void aRunThatEndsBehindAnotherWindowIsReported() {
    FakeNotifications fake;
    const FakeService service(fake, kNotifications, kNotificationsPath);
    RunWindow test;
    QVERIFY(QTest::qWaitForWindowActive(&test.window()));
    // In front, nothing is said
    QVERIFY(test.trainToEnd());
    QTest::qWait(200);
    QCOMPARE(fake.notices.size(), 0);
    test.window().showPage(PageId::Data);
    test.window().showMinimized();
    QTRY_VERIFY(!QApplication::activeWindow());
    test.window().actionTable()[u"run.train"_s]->trigger();
    QVERIFY(test.run().isActive());
    test.window().showPage(PageId::Data);
    QVERIFY(test.waitForEnd());
    QTRY_COMPARE(fake.notices.size(), 1);
    QVERIFY2(fake.notices[0].title.startsWith(u"Training finished: "_s),
             qPrintable(fake.notices[0].title));
    QVERIFY2(fake.notices[0].words.contains(u" samples, "_s), qPrintable(fake.notices[0].words));
    QTest::qWait(100);
    Q_EMIT fake.ActionInvoked(fake.notices[0].id, u"default"_s);
    QTRY_VERIFY(!test.window().isMinimized());
    QTRY_COMPARE(QApplication::activeWindow(), &test.window());
    QCOMPARE(test.window().page(), PageId::Train);
  }

  void aRunThatFailsIsReported() {
    FakeNotifications fake;
    const FakeService service(fake, kNotifications, kNotificationsPath);
    RunWindow test(1000000);
    submitValue(test.document(), "/training/optimizer/learning_rate", Json(1e30));
    QVERIFY(test.waitForInspection());
    test.window().showMinimized();
    QTRY_VERIFY(!QApplication::activeWindow());
    test.window().actionTable()[u"run.train"_s]->trigger();
    QVERIFY(test.run().isActive());
    QVERIFY(test.waitForEnd());
    QCOMPARE(test.run().shown().outcome->outcome, Outcome::Failed);
    QTRY_COMPARE(fake.notices.size(), 1);
    QVERIFY2(fake.notices[0].title.startsWith(u"Training failed: "_s),
             qPrintable(fake.notices[0].title));
  }

  void theMachineStaysAwakeDuringARun() {
    FakeLogin login;
    const FakeService service(login, kLogin, kLoginPath);
    QVERIFY(service.isThere());
    {
      RunWindow test(1000000);
      QVERIFY(!login.isHeld());
      QVERIFY(test.press(test.starter()));
      QTRY_VERIFY(login.isHeld());
      QCOMPARE(login.requests.size(), 1);
      QVERIFY2(login.requests[0].startsWith(u"sleep:idle|Strata|"_s) &&
                   login.requests[0].endsWith(u"|block"_s),
               qPrintable(login.requests[0]));
      QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().step > 5, 60000);
      QVERIFY(login.isHeld());
      QVERIFY(test.click(u"Stop"_s));
      QVERIFY(test.waitForEnd());
      QTRY_VERIFY(!login.isHeld());
      // A run that fails releases it as well
      submitValue(test.document(), "/training/optimizer/learning_rate", Json(1e30));
      QVERIFY(test.waitForInspection());
      test.window().actionTable()[u"run.train"_s]->trigger();
      QTRY_VERIFY(login.isHeld());
      QVERIFY(test.waitForEnd());
      QTRY_VERIFY(!login.isHeld());
      submitValue(test.document(), "/training/optimizer/learning_rate", Json(0.001));
      QVERIFY(test.waitForInspection());
      test.window().actionTable()[u"run.train"_s]->trigger();
      QTRY_VERIFY(login.isHeld());
    }
    // The window was closed during the run
    QTRY_VERIFY(!login.isHeld());
  }

  void theSessionKeepsTheMachineAwakeWhereTheSystemRefuses() {
    FakeLogin login;
    login.refuses = true;
    FakePower power;
    const FakeService service(login, kLogin, kLoginPath), session(power, kPower, kPowerPath);
    QVERIFY(session.isThere());
    {
      SleepGuard guard;
      guard.hold(u"test"_s);
      QTRY_COMPARE(guard.state(), SleepGuard::State::On);
      QCOMPARE(power.held.size(), 1);
      guard.release();
      QTRY_COMPARE(power.held.size(), 0);
      // An answer after the release ends the request
      guard.hold(u"test"_s);
      guard.release();
      QTest::qWait(300);
      QCOMPARE(power.held.size(), 0);
      guard.hold(u"test"_s);
      QTRY_COMPARE(power.held.size(), 1);
    }
    QTRY_COMPARE(power.held.size(), 0);
  }

  void theRunSaysWhyTheMachineMaySleep() {
    FakeLogin login;
    login.refuses = true;
    const FakeService service(login, kLogin, kLoginPath);
    RunWindow test(1000000);
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().step > 5, 60000);
    // The tooltip of the status row says so during the run, and no banner does
    auto* row = test.window().findChild<StatusRow*>();
    const auto tipSays = [&](const QString& words) {
      for (const auto* label : row->findChildren<QLabel*>())
        if (label->toolTip().contains(words)) return true;
      return false;
    };
    QTRY_VERIFY(tipSays(u"The machine may go to sleep during the run"_s));
    QVERIFY(tipSays(u"Not allowed here."_s));
    QVERIFY(!labelWith(test, u"The machine may go to sleep"_s));
    QVERIFY(test.click(u"Stop"_s));
    QVERIFY(test.waitForEnd());
    QTRY_VERIFY(!tipSays(u"The machine may go to sleep"_s));
    // The log says it once in a session
    const auto timesInLog = [&] {
      return test.window().findChild<Drawer*>()->findChild<QPlainTextEdit*>()->toPlainText().count(
          u"The machine may go to sleep"_s);
    };
    QCOMPARE(timesInLog(), 1);
    QVERIFY(test.trainAndStop(test.run().shown().step + 5));
    QCOMPARE(timesInLog(), 1);
  }
};

QTEST_MAIN(TestDesktop)
#include "tst_desktop.moc"
