// SPDX-License-Identifier: GPL-3.0-or-later
// The language of the window: which there are, which is chosen, and the tables that speak it. Not
// the words (resources/translations). Thread: the window's.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

namespace strata::ui {

enum class Language { English, Chinese };

/// "en" or "zh_CN": the name of its table and what settings and the command line say.
QString languageTag(Language language);
/// The language of a tag or locale name ("zh", "zh-Hans-CN", "en_US"); nothing for one that the
/// window does not speak.
std::optional<Language> languageOf(const QString& tag);
/// The first of these that the window speaks, English where it speaks none: what "System" means,
/// with the languages of the system.
Language bestLanguage(const QStringList& tags);

/// What the person chose in View > Language; nothing: the system's.
std::optional<Language> chosenLanguage();
/// Remembers it for the next start.
void chooseLanguage(std::optional<Language> language);
/// What a start would speak now.
Language languageOfNextStart();

/// Numbers, Strata's words and those of Qt's own dialogs, for this process. Requires: an
/// application, no window yet.
void speak(Language language);
/// What speak() was told.
Language spokenLanguage();
/// "Restart Strata to use English.", in that language.
QString nextStartSentence(Language language);

}  // namespace strata::ui
