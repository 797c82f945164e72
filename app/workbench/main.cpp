// SPDX-License-Identifier: GPL-3.0-or-later
// The entry point of the window: strata-workbench [PROJECT] [--replay PATH].
#include <QApplication>
#include <QCommandLineParser>
#include <QFile>
#include <QTimer>
#include <clocale>
#include <csignal>
#include <cstdio>

#include "gpu/base/standard_streams.h"
#include "ui/language.h"
#include "ui/main_window/main_window.h"
#include "ui/run/recording.h"
#include "ui/theme/theme.h"

using namespace Qt::StringLiterals;

/// Returns whether the user asks for help or the version. Printing them needs no display.
static bool asksForWords(int argc, char** argv) {
  const QByteArrayList arguments(argv + 1, argv + argc);
  for (const char* option : {"-h", "--help", "--help-all", "-v", "--version"})
    if (arguments.contains(option)) return true;
  return false;
}

/// Whether the window has these actions. Prints an error with the valid ones if it lacks one.
static bool hasActions(const strata::ui::ActionTable& table, const QStringList& wanted) {
  for (const QString& name : wanted) {
    if (table.find(name)) continue;
    QStringList names;
    for (const QAction* const action : table.all())
      names << action->objectName();
    names.sort();
    std::fprintf(stderr, "strata-workbench: --trigger %s: is not an action (expected one of %s).\n",
                 qPrintable(name.simplified()), qPrintable(names.join(u", "_s)));
    return false;
  }
  return true;
}

int main(int argc, char** argv) {
  strata::openMissingStreams();
  // Ignore SIGXFSZ, so that a write beyond the file size limit fails with an error instead of
  // ending the process.
  std::signal(SIGXFSZ, SIG_IGN);
  if (asksForWords(argc, argv)) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  // QApplication has set the locale of the user, but numbers in files need a decimal point.
  std::setlocale(LC_NUMERIC, "C");
  QApplication::setOrganizationName(u"Strata"_s);
  QApplication::setApplicationName(u"strata-workbench"_s);
  QApplication::setApplicationVersion(u"0.1.0"_s);

  // The option --language is parsed first, because the help of the other options depends on it.
  const QString languageName = u"language"_s;
  QCommandLineParser early;
  early.addOption({languageName, {}, u"TAG"_s});
  early.parse(QApplication::arguments());
  const auto wanted = strata::ui::languageOf(early.value(languageName));
  strata::ui::loadLanguage(wanted ? *wanted : strata::ui::languageOfNextStart());

  QCommandLineParser parser;
  parser.setApplicationDescription(
      QApplication::translate("main", "Design, train and inspect neural networks."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(
      u"project"_s,
      QApplication::translate("main", "Project file to open (default: the last project)."),
      u"[PROJECT]"_s);
  const QCommandLineOption screenshot(
      u"screenshot"_s,
      QApplication::translate("main", "Save a screenshot of the window to FILE and quit."),
      u"FILE"_s);
  const QCommandLineOption delay(
      u"screenshot-after"_s,
      QApplication::translate("main", "Milliseconds to wait before the screenshot."), u"MS"_s,
      u"3000"_s);
  const QCommandLineOption run(
      u"trigger"_s,
      QApplication::translate(
          "main", "Trigger the named action at startup, such as run.train or view.page3."),
      u"ACTION"_s);
  const QCommandLineOption size(
      u"size"_s, QApplication::translate("main", "Width and height of the window in pixels."),
      u"WxH"_s);
  const QCommandLineOption select(
      u"select"_s, QApplication::translate("main", "Select this layer at startup."), u"LAYER"_s);
  const QCommandLineOption language(
      languageName, QApplication::translate("main", "Language for this session: en or zh_CN."),
      u"TAG"_s);
  const QCommandLineOption replay(
      u"replay"_s,
      QApplication::translate("main",
                              "Show a recording: a run directory, or a folder that ./dev "
                              "gpu-test --out wrote."),
      u"PATH"_s);
  parser.addOptions({language, screenshot, delay, run, size, select, replay});
  parser.process(application);
  std::shared_ptr<const strata::ui::Recording> recording;
  if (parser.isSet(replay)) {
    try {
      recording = strata::ui::readRecording(QFile::encodeName(parser.value(replay)).toStdString());
    }
    catch (const strata::Error& error) {
      std::fprintf(stderr, "strata-workbench: %s\n", error.line().c_str());
      return 2;
    }
  }

  strata::ui::Theme theme(application);
  strata::ui::MainWindow window(theme);
  if (!hasActions(window.actionTable(), parser.values(run))) return 2;
  if (const QStringList sides = parser.value(size).split(u'x'); sides.size() == 2)
    window.resize(sides[0].toInt(), sides[1].toInt());
  window.show();
  window.openAtStart(parser.positionalArguments().value(0));
  if (recording) window.showRecording(std::move(recording));
  if (parser.isSet(select) && window.workspace().current())
    window.workspace().current()->setSelection({parser.value(select)});
  for (const QString& action : parser.values(run))
    QTimer::singleShot(0, &window, [&window, action] { window.actionTable()[action]->trigger(); });
  if (parser.isSet(screenshot)) {
    QTimer::singleShot(parser.value(delay).toInt(), &window, [&] {
      const bool isWritten = window.grab().save(parser.value(screenshot));
      std::_Exit(isWritten ? 0 : 1);
    });
  }
  return QApplication::exec();
}
