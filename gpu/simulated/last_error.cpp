// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/last_error.h"

namespace strata::simulated {
namespace {

/// Cards are closed when the program ends, after the objects of the thread are gone. Another text
/// takes their place then.
std::string& ofThread() {
  static std::string* const late = new std::string;
  thread_local bool isGone = false;
  struct Own {
    ~Own() { isGone = true; }
    std::string text;
  };
  if (isGone) return *late;
  thread_local Own own;
  return own.text;
}

}  // namespace

void setLastError(const std::string& text) { ofThread() = text; }
const char* lastError() { return ofThread().c_str(); }

}  // namespace strata::simulated
