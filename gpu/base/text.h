// SPDX-License-Identifier: Apache-2.0
// Marks sentences for translation without Qt. The command line prints them in English. The window
// translates them with QCoreApplication::translate. lupdate finds them because of its option
// -tr-function-alias translate+=STRATA_TEXT.
// Not here: filling in the arguments (core/project/text.h).
// Thread: any.
#pragma once

namespace strata {

/// A sentence that may contain the placeholders %1, %2, ... for arguments.
struct Text {
  const char* context = "";
  const char* source = "";
  bool isEmpty() const { return *source == '\0'; }
};

#define STRATA_TEXT(context, source) (::strata::Text{context, source})

}  // namespace strata
