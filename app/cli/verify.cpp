// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <cmath>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/verify/verify.h"
#include "gpu/base/printable.h"

namespace strata::cli {

/// Formats a number, which may be infinite or NaN. NaN is printed without a sign.
static std::string numberText(double value) {
  char buffer[40];
  return std::isnan(value)
             ? "nan"
             : std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

Action setupVerify(Arguments& accepted) {
  struct Options {
    std::string manifest, device = "auto";
    bool asJson = false;
  };
  auto options = std::make_shared<Options>();
  accepted.text("MANIFEST", options->manifest,
                "Reference file (.json) with its .safetensors file in the same folder", "FILE",
                Need::Required);
  accepted.device(options->device);
  accepted.json(options->asJson);
  return [options] {
    const VerifyReport report = verifyManifest(options->manifest, options->device);
    int passed = 0, failed = 0, skipped = 0;
    Json cases = Json::array();
    for (const VerifyRow& row : report.rows) {
      const char* state = "";
      switch (row.state) {
        case VerifyRow::State::Passed:
          state = "passed";
          ++passed;
          break;
        case VerifyRow::State::Failed:
          state = "failed";
          ++failed;
          break;
        case VerifyRow::State::Skipped:
          state = "skipped";
          ++skipped;
          break;
      }
      cases.push_back({{"id", row.id},
                       {"kind", row.kind},
                       {"state", state},
                       {"largest_error", jsonNumber(row.largestError)},
                       {"tolerance", jsonNumber(row.tolerance)},
                       {"message", row.message}});
      if (options->asJson) continue;
      if (row.state == VerifyRow::State::Failed)
        std::cout << "failed  " << printable(row.id) << ": " << printable(row.message)
                  << " (largest error " << numberText(row.largestError) << ")\n";
      if (row.state == VerifyRow::State::Skipped)
        std::cout << "skipped " << printable(row.id) << ": " << printable(row.message) << "\n";
    }
    if (options->asJson)
      printJsonDocument(
          {{"passed", passed}, {"failed", failed}, {"skipped", skipped}, {"cases", cases}});
    else
      std::cout << passed << " passed, " << failed << " failed, " << skipped << " skipped\n";
    return failed > 0 ? kFailed : kDone;
  };
}

}  // namespace strata::cli
