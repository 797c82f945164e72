// SPDX-License-Identifier: GPL-3.0-or-later
// Tests how the language of the window is chosen and changed. A Chinese window must show Chinese
// words, numbers and messages of core.
#include <QFontMetrics>
#include <QLabel>
#include <QLibraryInfo>
#include <QListWidget>
#include <QMenuBar>
#include <QRegularExpression>
#include <QSettings>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "gpu/devices/devices.h"
#include "tests/ui/support/window.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/language.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

class TestLanguage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void namesOfLanguages() {
    QCOMPARE(languageOf(u"zh_CN"_s), std::optional(Language::Chinese));
    QCOMPARE(languageOf(u"zh-Hans-CN"_s), std::optional(Language::Chinese));
    QCOMPARE(languageOf(u"en_GB.UTF-8"_s), std::optional(Language::English));
    QCOMPARE(languageOf(u"en"_s), std::optional(Language::English));
    for (const QString& tag : {u""_s, u"system"_s, u"C"_s, u"de_DE"_s, u"z"_s, u"english"_s})
      QVERIFY2(!languageOf(tag), qPrintable(tag));
    QCOMPARE(bestLanguage({u"de-DE"_s, u"zh-CN"_s, u"en-US"_s}), Language::Chinese);
    QCOMPARE(bestLanguage({u"en-US"_s, u"zh-CN"_s}), Language::English);
    QCOMPARE(bestLanguage({u"de-DE"_s}), Language::English);
    QCOMPARE(bestLanguage({}), Language::English);
  }

  void aChoiceIsSavedAndReported() {
    TestWindow test;
    ActionTable& actions = test.window().actionTable();
    QVERIFY(actions[u"view.languageSystem"_s]->isChecked());
    const auto isShown = [&](const QString& words) {
      const QList<QLabel*> labels = test.window().findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
        return label->isVisible() && label->text().contains(words);
      });
    };
    const QString chinese = u"重新启动 Strata 以使用简体中文。"_s;
    QCOMPARE(nextStartSentence(Language::Chinese), chinese);
    actions[u"view.languageChinese"_s]->trigger();
    QVERIFY(isShown(chinese) && isShown(u"Restart Strata to change the language."_s));
    QCOMPARE(chosenLanguage(), std::optional(Language::Chinese));
    QCOMPARE(languageOfNextStart(), Language::Chinese);
    actions[u"view.languageEnglish"_s]->trigger();
    QVERIFY(!isShown(chinese));
    QCOMPARE(languageOfNextStart(), Language::English);
    test.restart();
    QVERIFY(test.window().actionTable()[u"view.languageEnglish"_s]->isChecked());
    chooseLanguage({});
    QCOMPARE(chosenLanguage(), std::optional<Language>());
  }

  /// This is the last test, because it changes the language of the process.
  void aChineseWindow() {
    loadLanguage(Language::Chinese);
    QCOMPARE(loadedLanguage(), Language::Chinese);
    TestWindow test;
    QVERIFY(test.waitForInspection());
    const QList<QAction*> menus = test.window().menuBar()->actions();
    QCOMPARE(menus.front()->text(), u"文件(&F)"_s);
    QVERIFY(test.named(u"检查器"_s) ||
            test.window().actionTable()[u"run.train"_s]->text() == u"训练"_s);
    QCOMPARE(parametersText(93322), u"93,322 个参数"_s);
    QCOMPARE(parametersText(1), u"1 个参数"_s);
    QCOMPARE(formatCount(60000), u"60,000"_s);
    QCOMPARE(formatValue(0.5), u"0.5"_s);
    QCOMPARE(metricTitle("mean_absolute_error"), u"平均绝对误差"_s);
    submitField(test.document(), u"conv1"_s, "filters", Json("many"));
    QVERIFY(test.waitForInspection());
    QVERIFY(test.document().checks().errorCount() > 0);
    const Diagnostic& problem = test.document().checks().inspection().diagnostics.front();
    const QString words = translated(problem.message, problem.arguments);
    QVERIFY2(words.contains(u"应为整数"_s), qPrintable(words));
    for (const DeviceInfo& device : listDevices()) {
      if (!device.isUsable)
        QVERIFY2(translatedWords(device.reason) != text(device.reason), device.reason.c_str());
    }
    // The name of a layer is not translated, even if it equals a word that Strata translates.
    const Text remove = STRATA_TEXT("problem", "Remove %1");
    QVERIFY(translated(remove, {Argument("output")}).contains(u"output"_s));
    QVERIFY(
        !translated(remove, {Argument(STRATA_TEXT("argument", "output"))}).contains(u"output"_s));
    // A message inside a message is translated, too.
    const Json block = Json::parse(
        R"({"type": "Block", "name": "b", "repeat": 4, "layers": [{"type": "MaxPooling2D", "name": "p", "pool_size": 2}]})");
    const Json layers =
        Json::array({{{"type", "Input"}, {"name", "image"}, {"shape", {8, 8, 1}}}, block});
    QVERIFY(test.document().submit(setValueEdit(test.document().json(), "/model/layers", layers)));
    QVERIFY(test.waitForInspection());
    QString inBlock;
    for (const Diagnostic& each : test.document().checks().inspection().diagnostics)
      if (!each.around.empty()) inBlock = translated(each);
    QVERIFY2(inBlock.contains(QRegularExpression(u"第 ?4 "_s)), qPrintable(inBlock));
    QVERIFY2(!inBlock.contains(QRegularExpression(u"[a-z]+ [a-z]+"_s)), qPrintable(inBlock));
    // The title of every group of layers in the palette is translated.
    const auto* palette = qobject_cast<QListWidget*>(test.named(u"可添加的层"_s));
    QVERIFY(palette);
    for (int row = 0; row < palette->count(); ++row) {
      const QListWidgetItem& item = *palette->item(row);
      if (!item.flags().testFlag(Qt::ItemIsSelectable))
        QVERIFY2(!item.text().contains(QRegularExpression(u"[A-Za-z]"_s)), qPrintable(item.text()));
    }
    // The texts of Qt itself are translated if the system has the translations.
    if (QFile::exists(QLibraryInfo::path(QLibraryInfo::TranslationsPath) + u"/qtbase_zh_CN.qm"_s))
      QCOMPARE(QCoreApplication::translate("QPlatformTheme", "Cancel"), u"取消"_s);
    // The font has the needed characters.
    const QFontMetrics metrics(test.window().font());
    if (QFontDatabase::families(QFontDatabase::SimplifiedChinese).isEmpty())
      QSKIP("no Chinese font here: fonts-wqy-microhei is one");
    for (const QChar letter : u"训练损失准确率"_s)
      QVERIFY(metrics.inFont(letter));
  }
};

QTEST_MAIN(TestLanguage)
#include "tst_language.moc"
