// SPDX-License-Identifier: Apache-2.0
// Tests the file of timed algorithms: what a person reads in it, and that damaged and outdated ones
// are ignored with one message.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/cost/algorithms_file.h"
#include "core/project/json.h"
#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

const DeviceVersions kVersions{{"card", "simulated:H100 SXM"}, {"cuDNN", "9.19.0"}};
const std::string kCall = "conv2d f32[64,28,28,1],f32[3,3,1,32] -> f32[64,26,26,32]";

KernelMeasurements measurements() {
  return {{kCall,
           {{"", 12e-6, true, "eng0", 1024},
            {"eng5{k2=3}", 8e-6, false, "", 4096},
            {"eng7", 0, false, "", 0}}}};
}

class CacheFolder {
 public:
  CacheFolder() { ::setenv("XDG_CACHE_HOME", m_folder.path().c_str(), 1); }
  ~CacheFolder() { ::unsetenv("XDG_CACHE_HOME"); }

 private:
  TemporaryFolder m_folder;
};

void write(const std::string& text) {
  const std::filesystem::path path = algorithmsPath(kVersions);
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_SUITE("file of algorithms") {
  TEST_CASE("it says what was chosen for a call, and what else was timed") {
    const Json json = parseJson(printAlgorithms(kVersions, measurements()), "file");
    CHECK(json.at("made_for").at("cuDNN") == "9.19.0");
    const Json& call = json.at("calls").at(0);
    CHECK(call.at("call") == kCall);
    CHECK(call.at("chosen") == "eng5{k2=3}");
    CHECK(call.at("microseconds") == 8.0);
    CHECK(call.at("workspace_bytes") == 4096);
    CHECK(call.at("algorithms").at(0).at("name") == "eng0");
    CHECK(call.at("algorithms").at(0).at("best_guess") == true);
    CHECK(call.at("algorithms").at(2).at("microseconds").is_null());
  }

  TEST_CASE("data of an algorithm stand next to its name, and are read again") {
    const CacheFolder cache;
    KernelMeasurements stored = measurements();
    stored[kCall][1].variant = "alg21{t20}#130100:00ff0a";
    stored[kCall][2].variant = "alg21{t20}#130100:00ff0b";
    keepAlgorithms(kVersions, stored);
    const KernelMeasurements kept = keptAlgorithms(kVersions);
    REQUIRE(kept.contains(kCall));
    CHECK(kept.at(kCall)[1].variant == "alg21{t20}#130100:00ff0a");
    CHECK(kept.at(kCall)[2].variant == "alg21{t20}#130100:00ff0b");
    const Json call = parseJson(printAlgorithms(kVersions, stored), "file").at("calls").at(0);
    CHECK(call.at("chosen") == "alg21{t20}");
    CHECK(call.at("algorithms").at(1).at("name") == "alg21{t20}");
    CHECK(call.at("algorithms").at(1).at("data") == "130100:00ff0a");
    CHECK_FALSE(call.at("algorithms").at(0).contains("data"));
  }

  TEST_CASE("a file with damaged data of an algorithm is ignored") {
    KernelMeasurements stored = measurements();
    stored[kCall][1].variant = "alg21{t20}#130100:00ff0a";
    const std::string good = printAlgorithms(kVersions, stored);
    CHECK(parseAlgorithms(good, "file", kVersions).size() == 1);
    for (const char* damaged : {"130100:00ff0", "130100:", ":00ff0a", "130100:00fg0a", "00ff0a",
                                "130100:00FF0A", "x:00ff0a", "130100:00ff0a#"}) {
      CAPTURE(damaged);
      std::string text = good;
      text.replace(text.find("130100:00ff0a"), std::string("130100:00ff0a").size(), damaged);
      CHECK_THROWS_WITH_AS(parseAlgorithms(text, "file", kVersions),
                           doctest::Contains("data are damaged"), Error);
    }
  }

  TEST_CASE("what is stored is read again") {
    const CacheFolder cache;
    CHECK(keptAlgorithms(kVersions).empty());
    keepAlgorithms(kVersions, measurements());
    const KernelMeasurements kept = keptAlgorithms(kVersions);
    REQUIRE(kept.contains(kCall));
    const auto &read = kept.at(kCall), expected = measurements().at(kCall);
    REQUIRE(read.size() == expected.size());
    for (size_t i = 0; i < read.size(); ++i) {
      CHECK(read[i].variant == expected[i].variant);
      CHECK(read[i].algorithm == expected[i].algorithm);
      CHECK(read[i].seconds == doctest::Approx(expected[i].seconds));
      CHECK(read[i].hasSameBits == expected[i].hasSameBits);
      CHECK(read[i].workspaceBytes == expected[i].workspaceBytes);
    }
    keepAlgorithms(kVersions, {{"matmul", measurements().at(kCall)}});
    CHECK(keptAlgorithms(kVersions).size() == 2);
    CHECK(algorithmsPath(kVersions).ends_with("/strata/algorithms/simulated-H100-SXM.json"));
  }

  TEST_CASE("a file for other versions is ignored, and names both") {
    const std::string text = printAlgorithms(kVersions, measurements());
    for (const DeviceVersions& other :
         {DeviceVersions{{"card", "simulated:H100 SXM"}, {"cuDNN", "9.20.0"}}, DeviceVersions{}})
      CHECK_THROWS_WITH_AS(parseAlgorithms(text, "file", other),
                           doctest::Contains("another card, driver or library"), Error);
    CHECK(parseAlgorithms(text, "file", kVersions).size() == 1);
  }

  TEST_CASE("a damaged file is ignored, and written again") {
    const std::string text = printAlgorithms(kVersions, measurements());
    const auto with = [&](const std::string& from, const std::string& to) {
      std::string result = text;
      const size_t at = result.find(from);
      REQUIRE(at != std::string::npos);
      return result.replace(at, from.size(), to);
    };
    for (const std::string& damaged :
         {std::string(), std::string("{"), std::string("[]"), text.substr(0, text.size() / 2),
          with("\"microseconds\": 12", "\"microseconds\": -12"),
          with("\"name\": \"eng0\"", "\"name\": \"\""),
          with("\"best_guess\": true", "\"best_guess\": false"), with("\"calls\"", "\"other\"")}) {
      CAPTURE(damaged);
      const CacheFolder cache;
      CHECK_THROWS_AS(parseAlgorithms(damaged, "file", kVersions), Error);
      write(damaged);
      CHECK(keptAlgorithms(kVersions).empty());
      keepAlgorithms(kVersions, measurements());
      CHECK(keptAlgorithms(kVersions).size() == 1);
    }
  }
}
