// SPDX-License-Identifier: Apache-2.0
// What each pass does, in one line that can be translated: the sentences of gpu/passes, which knows no translation. Thread: constant.
#pragma once

#include <string_view>

#include "core/project/text.h"

namespace strata {

/// Empty where there is no such pass.
Text passHelp(std::string_view pass);

}  // namespace strata
