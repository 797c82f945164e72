// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QRegularExpression>
#include <QSettings>
#include <QTranslator>

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr Language kAll[] = {Language::English, Language::Chinese};
constexpr auto kKey = "window/language"_L1;
Language spoken = Language::English;

QLocale localeOf(Language language) {
  if (language == Language::Chinese)
    return QLocale(QLocale::Chinese, QLocale::SimplifiedHanScript, QLocale::China);
  return QLocale(QLocale::English, QLocale::UnitedStates);
}

QString tableOf(Language language) {
  return u":/translations/strata_%1.qm"_s.arg(languageTag(language));
}

void install(const QString& file) {
  auto* table = new QTranslator(QCoreApplication::instance());
  if (table->load(file)) {
    QCoreApplication::installTranslator(table);
  }
  else {
    delete table;
  }
}

}  // namespace

QString languageTag(Language language) {
  return language == Language::Chinese ? u"zh_CN"_s : u"en"_s;
}

std::optional<Language> languageOf(const QString& tag) {
  const QString wanted = tag.left(tag.indexOf(QRegularExpression(u"[-_.@]"_s))).toLower();
  for (const Language language : kAll) {
    if (wanted == languageTag(language).left(2)) return language;
  }
  return {};
}

Language bestLanguage(const QStringList& tags) {
  for (const QString& tag : tags) {
    if (const auto language = languageOf(tag)) return *language;
  }
  return Language::English;
}

std::optional<Language> chosenLanguage() { return languageOf(QSettings().value(kKey).toString()); }

void chooseLanguage(std::optional<Language> language) {
  QSettings().setValue(kKey, language ? languageTag(*language) : u"system"_s);
}

Language languageOfNextStart() {
  const auto chosen = chosenLanguage();
  return chosen ? *chosen : bestLanguage(QLocale::system().uiLanguages());
}

void loadLanguage(Language language) {
  spoken = language;
  QLocale::setDefault(localeOf(language));
  // English has a table, too, for its plurals. Qt first searches the table that was installed last.
  if (language != Language::English)
    install(QLibraryInfo::path(QLibraryInfo::TranslationsPath) +
            u"/qtbase_%1.qm"_s.arg(languageTag(language)));
  install(tableOf(language));
}

Language loadedLanguage() { return spoken; }

QString nextStartSentence(Language language) {
  static constexpr const char* kContext = "strata::ui::Language";
  static constexpr const char* kSentence =
      QT_TRANSLATE_NOOP("strata::ui::Language", "Restart Strata to use English.");
  QTranslator table;
  const QString words =
      table.load(tableOf(language)) ? table.translate(kContext, kSentence) : QString();
  return words.isEmpty() ? QString::fromUtf8(kSentence) : words;
}

}  // namespace strata::ui
