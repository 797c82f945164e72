// SPDX-License-Identifier: Apache-2.0
// Sentences for people, marked for translation without Qt: the command line prints them in English,
// the window through QCoreApplication::translate (lupdate finds STRATA_TEXT by
// -tr-function-alias translate+=STRATA_TEXT). Not here: filling their places (core/project/text.h).
// Thread: values.
#pragma once

namespace strata {

/// A literal sentence with places %1, %2, ... for arguments.
struct Text {
  const char* context = "";
  const char* source = "";
  bool isEmpty() const { return *source == '\0'; }
};

#define STRATA_TEXT(context, source) (::strata::Text{context, source})

}  // namespace strata
