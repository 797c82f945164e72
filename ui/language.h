// SPDX-License-Identifier: GPL-3.0-or-later
// Selects the language of the window and loads its translation tables. The translated texts are in
// resources/translations. Thread: GUI thread.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

namespace strata::ui {

enum class Language { English, Chinese };

/// Returns "en" or "zh_CN". Translation tables, settings and the command line use this tag.
QString languageTag(Language language);
/// Returns the language of a tag or locale name ("zh", "zh-Hans-CN", "en_US"), or nullopt if it is
/// not available.
std::optional<Language> languageOf(const QString& tag);
/// Returns the first available language in `tags`, or English. For "System language", pass the
/// languages of the system.
Language bestLanguage(const QStringList& tags);

/// Returns the language that the user chose in View > Language, or nullopt for the language of the
/// system.
std::optional<Language> chosenLanguage();
/// Stores the user's choice for the next start. nullopt means the language of the system.
void chooseLanguage(std::optional<Language> language);
/// Returns the language that the next start will use.
Language languageOfNextStart();

/// Loads number formats and the texts of Strata and Qt for this process. Call it after creating the
/// application and before creating a window.
void loadLanguage(Language language);
/// Returns the language that was passed to loadLanguage().
Language loadedLanguage();
/// Returns the sentence "Restart Strata to use English." for the given language, written in that
/// language.
QString nextStartSentence(Language language);

}  // namespace strata::ui
