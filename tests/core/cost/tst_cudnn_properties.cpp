// SPDX-License-Identifier: Apache-2.0
// The properties of cards for cuDNN. Whether cuDNN accepts them: tests/gpu/cuda/tst_library_plans.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/cost/catalogue.h"
#include "core/cost/cudnn_properties.h"

TEST_SUITE_BEGIN("cudnn properties");

namespace strata {

TEST_CASE("every card since compute capability 7.5 has properties") {
  int numCards = 0;
  for (const CatalogueDevice& device : deviceCatalogue()) {
    CAPTURE(device.name);
    const std::string text = cudnnPropertiesOf(device);
    const bool isSupported = !device.computeCapability.empty() && !device.isTooOld();
    CHECK(text.empty() == !isSupported);
    if (text.empty()) continue;
    ++numCards;
    const nlohmann::json properties = nlohmann::json::parse(text);
    // 890 stands for 8.9
    const std::string& capability = device.computeCapability;
    const size_t point = capability.find('.');
    CHECK(properties["deviceVer"] == 100 * std::stoi(capability.substr(0, point)) +
                                         10 * std::stoi(capability.substr(point + 1)));
    const double cores = properties["multiProcessorCount"].get<double>() *
                         (capability == "7.5" || capability == "8.0" ? 64 : 128);
    CHECK(cores == device.cores);
    const auto memory = properties["totalGlobalMem"].get<double>();
    CHECK(memory > 0.85 * static_cast<double>(device.memoryBytes));
    CHECK(memory < 1.05 * static_cast<double>(device.memoryBytes));
    const int kilohertz = properties["smClockRateKHz"];
    CHECK(std::abs(kilohertz - 1000 * device.boostMegahertz) < 20000);
  }
  CHECK(numCards > 60);
}

TEST_CASE("a card with a file of its own has exactly these properties") {
  const auto& devices = deviceCatalogue();
  const auto name = [&](const char* card) {
    const std::string text = cudnnPropertiesOf(catalogueDevice(devices, card));
    return nlohmann::json::parse(text)["deviceName"].get<std::string>();
  };
  CHECK(name("H100 SXM") == "NVIDIA H100 80GB HBM3");
  CHECK(name("H200 SXM") == "NVIDIA H200");
  CHECK(name("T4") == "Tesla T4");
  CHECK(name("RTX 4080") == "NVIDIA GeForce RTX 4080");
}

}  // namespace strata

TEST_SUITE_END();
