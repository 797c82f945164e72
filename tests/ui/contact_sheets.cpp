// SPDX-License-Identifier: GPL-3.0-or-later
// Takes pictures of all pages and lenses, after a run and during one. A person looks at them before
// a release.
//
//   tests/support/with_display strata_contact_sheets FOLDER [PROJECT] [DEVICES]
//
// One picture has one page or lens, and one sheet has all pictures of a language, a theme and a
// size of the window. STRATA_TEST_LANGUAGE=zh_CN selects Chinese. Higher lenses have a picture for
// each screenful.
#include <QAbstractScrollArea>
#include <QDir>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QtTest>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "tests/ui/support/window.h"
#include "ui/document/edits.h"
#include "ui/language.h"
#include "ui/workspace/runs.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr QSize kLarge(1440, 900), kSmall(1100, 680);

class Photographer {
 public:
  Photographer(TestWindow& test, const QString& folder) : m_test(test), m_folder(folder) {}
  /// Takes pictures of all pages and lenses, and writes them and their sheet.
  void takeAll(const QString& name) {
    m_name = name;
    m_pictures.clear();
    for (int page = 0; page < kNumPages; ++page) {
      m_test.window().showPage(static_cast<PageId>(page));
      if (static_cast<PageId>(page) == PageId::Train)
        takeLenses();
      else
        takeScreens(u"page%1"_s.arg(page + 1));
    }
    writeSheet();
  }

 private:
  void takeLenses() {
    for (auto* tabs : m_test.window().findChildren<QTabBar*>()) {
      if (tabs->accessibleName() !=
          QCoreApplication::translate("strata::ui::TrainPage", "Views of the run"))
        continue;
      for (int lens = 0; lens < tabs->count(); ++lens) {
        clickAt(tabs, tabs->tabRect(lens).center());
        takeScreens(u"lens%1"_s.arg(lens + 1));
      }
    }
  }
  /// Returns the visible area with the most to scroll, or null if nothing is scrolled.
  QScrollBar* scrolledBar() {
    QScrollBar* longest = nullptr;
    for (auto* area : m_test.window().findChildren<QScrollArea*>()) {
      // The panes at both sides have a page of their own
      if (!area->isVisible() || area->width() < m_test.window().width() / 3) continue;
      QScrollBar* bar = area->verticalScrollBar();
      if (bar->maximum() > 0 && (!longest || bar->maximum() > longest->maximum())) longest = bar;
    }
    return longest;
  }
  void takeScreens(const QString& what) {
    QTest::qWait(700);
    QScrollBar* bar = scrolledBar();
    if (bar) bar->setValue(0);
    constexpr int kMostScreens = 6;
    for (int screen = 0; screen < kMostScreens; ++screen) {
      QTest::qWait(200);
      take(u"%1-%2"_s.arg(what).arg(screen + 1));
      if (!bar || bar->value() == bar->maximum()) return;
      bar->setValue(bar->value() + bar->pageStep());
    }
  }
  void take(const QString& what) {
    const QPixmap picture = m_test.window().grab();
    picture.save(u"%1/%2-%3.png"_s.arg(m_folder, m_name, what));
    m_pictures.append(picture);
  }
  void writeSheet() const {
    constexpr int kColumns = 3, kGap = 8;
    const QSize size = m_test.window().size() * 0.6;
    const int rows = static_cast<int>((m_pictures.size() + kColumns - 1) / kColumns);
    QPixmap sheet((size.width() + kGap) * kColumns, (size.height() + kGap) * rows);
    sheet.fill(Qt::darkCyan);
    QPainter painter(&sheet);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    for (qsizetype i = 0; i < m_pictures.size(); ++i) {
      const QPoint at(static_cast<int>(i % kColumns) * (size.width() + kGap),
                      static_cast<int>(i / kColumns) * (size.height() + kGap));
      painter.drawPixmap(QRect(at, size), m_pictures[i]);
    }
    sheet.save(u"%1/sheet-%2.png"_s.arg(m_folder, m_name));
  }

  TestWindow& m_test;
  const QString m_folder;
  QString m_name;
  QList<QPixmap> m_pictures;
};

/// Trains the project and takes pictures in both themes and two sizes. Returns whether it trained.
bool photograph(TestWindow& test, const QString& folder) {
  MainWindow& window = test.window();
  RunController& run = window.runs().of(&test.document());
  Photographer photographer(test, folder);
  const QString language = languageTag(loadedLanguage()).left(2);
  window.actionTable()[u"run.train"_s]->trigger();
  if (!QTest::qWaitFor([&] { return run.shown().step > 100; }, 60'000)) return false;
  run.recordSteps(5);
  QTest::qWait(3000);
  window.resize(kLarge);
  photographer.takeAll(language + u"-training"_s);
  run.stop();
  if (!QTest::qWaitFor([&] { return !run.isActive(); }, 60'000)) return false;
  window.showPage(PageId::Results);
  QTest::qWait(5000);
  for (const auto& [theme, action] :
       {std::pair{u"light"_s, u"view.themeLight"_s}, std::pair{u"dark"_s, u"view.themeDark"_s}}) {
    window.actionTable()[action]->trigger();
    for (const QSize size : {kLarge, kSmall}) {
      window.resize(size);
      photographer.takeAll(u"%1-%2-%3"_s.arg(language, theme).arg(size.width()));
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const QStringList arguments = application.arguments();
  if (arguments.size() < 2) {
    std::puts("contact_sheets FOLDER [PROJECT] [DEVICES]");
    return 2;
  }
  prepareApplication();
  const QString folder = arguments.at(1);
  QDir().mkpath(folder);
  TestWindow test(arguments.value(2, u"mnist-cnn.json"_s));
  submitValue(test.document(), "/training/epochs", Json(1000));
  if (arguments.size() > 3)
    submitValue(test.document(), "/execution/devices", Json(arguments.at(3).toStdString()));
  if (!test.waitForInspection() || !photograph(test, folder)) {
    std::puts("the project did not train");
    return 1;
  }
  return 0;
}
