// SPDX-License-Identifier: Apache-2.0
// Says the sentences of a report in a language, without Qt. The translations are those of the
// window: words.cmake copies them from resources/translations.
// Thread: any thread may call these functions.
#pragma once

#include <cstdint>
#include <string>

#include "core/project/text.h"

namespace strata {

enum class ReportLanguage : uint8_t { English, Chinese };

/// Returns a sentence with its arguments in a language, or in English if it is not translated.
struct Words {
  ReportLanguage language = ReportLanguage::English;
  std::string operator()(const Text& text, const Arguments& arguments = {}) const;
};

}  // namespace strata
