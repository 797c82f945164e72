// SPDX-License-Identifier: GPL-3.0-or-later
// The language of the window: the available languages, the chosen one and its translation tables.
// Not the texts (resources/translations). Thread: GUI thread.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

namespace strata::ui {

enum class Language { English, Chinese };

/// "en" or "zh_CN": the name of its table, used in settings and on the command line
QString languageTag(Language language);
/// The language of a tag or locale name ("zh", "zh-Hans-CN", "en_US"); nullopt if it is not
/// available
std::optional<Language> languageOf(const QString& tag);
/// The first available language of `tags`, else English. "System" means this, with the languages of
/// the system.
Language bestLanguage(const QStringList& tags);

/// The choice in View > Language; nullopt: the language of the system
std::optional<Language> chosenLanguage();
/// Stores the choice for the next start.
void chooseLanguage(std::optional<Language> language);
/// The language that the next start would use
Language languageOfNextStart();

/// Loads number formats and the texts of Strata and Qt for this process. Requires: an application,
/// no window yet.
void speak(Language language);
/// The language passed to speak()
Language spokenLanguage();
/// "Restart Strata to use English.", in that language
QString nextStartSentence(Language language);

}  // namespace strata::ui
