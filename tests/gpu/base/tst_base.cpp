// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "gpu/base/debug.h"
#include "gpu/base/log.h"
#include "gpu/base/nearest_name.h"

using namespace strata;

TEST_SUITE("base") {
  TEST_CASE("the nearest name is found") {
    const std::string_view names[] = {"Dense", "Conv2D", "Dropout"};
    CHECK(nearestName("Dens", names) == "Dense");
    CHECK(nearestName("Conv3D", names) == "Conv2D");
    CHECK(nearestName("", names) == "");
    CHECK(nearestName(std::string(1'000'000, 'x'), names) == "");
    CHECK(nearestName("h100", std::vector<std::string_view>{"A10", "T400", "NVIDIA H100 PCIe"}) ==
          "NVIDIA H100 PCIe");
    CHECK(nearestName("x", std::vector<std::string>{}) == "");
  }

  TEST_CASE("debug switches are read from the environment") {
    setenv("STRATA_SKIP_PASS", "order,,merge_common", 1);
    setenv("STRATA_VERIFY", "1", 1);
    setenv("STRATA_DEBUG", "0", 1);
    setenv("STRATA_DUMP_GRAPH", "", 1);
    const DebugSettings settings = readDebugSettings();
    for (const char* name :
         {"STRATA_SKIP_PASS", "STRATA_VERIFY", "STRATA_DEBUG", "STRATA_DUMP_GRAPH"})
      unsetenv(name);
    CHECK(settings.skippedPasses == std::set<std::string, std::less<>>{"merge_common", "order"});
    CHECK(settings.verifies);
    CHECK_FALSE(settings.isVerbose);
    CHECK(settings.dumpFolder.empty());
  }

  TEST_CASE("log lines go to the sink, and debug lines only if they are enabled") {
    std::vector<std::string> lines;
    setLogSink([&](LogLevel level, std::string_view text) {
      lines.push_back(std::to_string(static_cast<int>(level)) + std::string(text));
    });
    logLine(LogLevel::Warning, "careful");
    logLine(LogLevel::Debug, "quiet");
    setLogSink({});
    CHECK(lines == std::vector<std::string>{"2careful"});
  }
}
