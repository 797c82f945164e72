// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "core/cost/open_device.h"
#include "core/cost/simulated_card.h"
#include "core/project/project.h"
#include "core/recipe/options.h"
#include "gpu/base/error.h"
#include "gpu/devices/device_name.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

using namespace strata;

namespace {

Error refusalOf(const std::string& name) {
  try {
    return {ErrorCode::Internal, ownDeviceName(name), "was accepted"};
  }
  catch (const Error& error) {
    return error;
  }
}

const CatalogueDevice& cardNamed(const char* name) {
  return catalogueDevice(deviceCatalogue(), name);
}

ExecutionOptions executionOf(const char* json, std::string& problems) {
  Json document = Json::object();
  document["execution"] = Json::parse(json);
  Diagnostics diagnostics;
  ExecutionOptions options = parseExecution(Project(document), diagnostics);
  for (const Diagnostic& each : diagnostics)
    problems += each.code + " " + each.line() + "\n";
  return options;
}

}  // namespace

TEST_SUITE("simulated cards") {
  TEST_CASE("some words of a card's name are enough, and a family means its largest SXM card") {
    for (const char* other : {"cpu", "auto", "reference", "detached", "cuda:0", "tpu"})
      CHECK(ownDeviceName(other) == other);
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const auto& [name, own] :
         std::map<std::string, std::string>{{"RTX 4090", "GeForce RTX 4090"},
                                            {"geforce-rtx-4090", "GeForce RTX 4090"},
                                            {"H100", "H100 SXM"},
                                            {"NVIDIA H200", "H200 SXM"},
                                            {"A100", "A100 SXM 80GB"},
                                            {"B200", "B200"},
                                            {"h100 pcie", "H100 PCIe"}})
      CHECK(ownDeviceName("simulated:" + name) == "simulated:" + own);
    CHECK(openNamedDevice("simulated:H100", {.threads = 1})->name() == "simulated:H100 SXM");
  }

  TEST_CASE("names that mean no card are refused with the reason") {
    const auto saysOf = [](const char* name) {
      const Error error = refusalOf(name);
      return error.subject() + ": " + error.what();
    };
    CHECK(saysOf("simulated:RTX 4091").find("Did you mean \"GeForce RTX 4090\"?") !=
          std::string::npos);
    CHECK(saysOf("simulated:") ==
          "simulated:: there is no such card (expected simulated:NAME). `strata devices "
          "--catalogue` lists the cards.");
    CHECK(saysOf("simulated:A100 80GB").find("A100 PCIe 80GB, A100 SXM 80GB") != std::string::npos);
    CHECK(saysOf("simulated:RX 7600")
              .find("Radeon RX 7600: cannot be simulated: it is not an "
                    "NVIDIA GPU") == 0);
    CHECK(saysOf("simulated:GTX 1080").find("compute capability 7.5 or higher") !=
          std::string::npos);
    for (const char* several :
         {"simulated:H100*4", "simulated:H100*65", "simulated:H100,simulated:H100"})
      CHECK(refusalOf(several).code() == ErrorCode::UnsupportedOp);
    if (whyNoSimulatedCards().empty())
      CHECK(saysOf("simulated:H100*4").find("several devices cannot do this") != std::string::npos);
    CHECK(saysOf("simulated:H100*65").find("several cards must be equal") != std::string::npos);
    CHECK(saysOf("simulated:H100,simulated:H100").find("several cards must be equal") !=
          std::string::npos);
    CHECK(DeviceName("simulated:H100").isGpu());
    CHECK(DeviceName("cuda:0").isGpu());
    CHECK_FALSE(DeviceName("cpu").isGpu());
  }

  TEST_CASE("the multiprocessors of a card follow from its cores") {
    for (const auto& [name, count] : std::map<const char*, int>{{"T4", 40},
                                                                {"A100 SXM 80GB", 108},
                                                                {"RTX 3060 12GB", 28},
                                                                {"RTX 4090", 128},
                                                                {"H100 SXM", 132},
                                                                {"B200", 148},
                                                                {"RTX 5090", 170}})
      CHECK(cardDataOf(cardNamed(name)).multiprocessors() == count);
  }

  TEST_CASE("a card without its own file for cuDNN has the file of the nearest card, changed") {
    int files = 0;
    for (const CatalogueDevice& device : deviceCatalogue())
      files += device.cudnnFile.empty() ? 0 : 1;
    CHECK(files == 8);
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.path() / "cudnn-devices");
    for (const char* file : {"h100.json", "h200.json"})
      std::ofstream(folder.path() / "cudnn-devices" / file)
          << R"({"deviceName": ")" << file
          << R"(", "deviceVer": 900, "multiProcessorCount": 132, "smClockRateKHz": 1980000, "totalGlobalMem": 85000000000})";
    setenv("STRATA_RESOURCES", folder.path().c_str(), 1);
    const Json own = Json::parse(cardDataOf(cardNamed("H100 SXM")).cudnnProperties);
    CHECK(own["deviceName"] == "h100.json");
    const Json derived = Json::parse(cardDataOf(cardNamed("H100 PCIe")).cudnnProperties);
    CHECK(derived["deviceName"] == "NVIDIA H100 PCIe");
    CHECK(derived["deviceVer"] == 900);
    CHECK(derived["multiProcessorCount"] == 114);
    CHECK(derived["smClockRateKHz"] == 1755000);
    CHECK(derived["totalGlobalMem"] <= cardNamed("H100 PCIe").memoryBytes);
    CHECK(cardDataOf(cardNamed("Radeon RX 7600")).cudnnProperties.empty());
    unsetenv("STRATA_RESOURCES");
  }

  TEST_CASE("a project names simulated cards, with memory limits and tf32") {
    std::string problems;
    if (whyNoSimulatedCards().empty()) {
      const ExecutionOptions options = executionOf(
          R"({"devices": "simulated:rtx4090", "precision": "tf32", "memory_limit": {"simulated:RTX 4090": 5000, "cpu": 1}})",
          problems);
      CHECK(problems.empty());
      CHECK(options.device == "simulated:GeForce RTX 4090");
      CHECK(options.precision == Precision::Tf32);
      CHECK(options.memoryLimitBytes == 5000);
    }
    const auto problemsOf = [](const char* json) {
      std::string found;
      executionOf(json, found);
      return found;
    };
    CHECK(problemsOf(R"({"devices": "simulated:RTX 4091"})").find("unknown_choice ") == 0);
    CHECK(problemsOf(R"({"devices": "simulated:RTX 4091"})")
              .find("Did you mean \"GeForce RTX 4090\"?") != std::string::npos);
    CHECK(problemsOf(R"({"devices": "simulated:??"})").find("no device \"simulated:??\"") !=
          std::string::npos);
    CHECK(problemsOf(R"({"devices": "simulated:A100 80GB"})")
              .find("expected one of: A100 PCIe 80GB, A100 SXM 80GB") != std::string::npos);
    CHECK(problemsOf(R"({"devices": "simulated:GTX 1080"})").find("unusable_device") == 0);
    CHECK(problemsOf(R"({"devices": "simulated:H100*65"})").find("unknown_choice") == 0);
    if (whyNoSimulatedCards().empty()) {
      const ExecutionOptions options =
          executionOf(R"({"devices": "simulated:rtx4090*2"})", problems);
      CHECK(problems.empty());
      CHECK(options.device == "simulated:GeForce RTX 4090*2");
    }
    CHECK(problemsOf(R"({"devices": "cpu", "precision": "tf32"})").find("not_on_device") == 0);
    CHECK(problemsOf(R"({"memory_limit": {"simulated:XYZ": 1}})").find("unknown_device") == 0);
  }
}
