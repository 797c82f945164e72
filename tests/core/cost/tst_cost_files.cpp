// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/cost/calibration_file.h"
#include "core/cost/catalogue.h"
#include "core/train/device_plan.h"
#include "core/train/plan.h"
#include "gpu/base/error.h"
#include "gpu/cost/card_clock.h"
#include "tests/support/paths.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

Calibration sample() {
  Calibration calibration;
  calibration.threads = 2;
  calibration.processor = "A \"processor\" @ 2 GHz";
  calibration.instructions = "avx2";
  calibration.flopsPerSecond = 1.5e11;
  calibration.stepSeconds = 4e-7;
  calibration.barrierSeconds = 2e-7;
  calibration.disturbance = 1.125;
  calibration.waiting = 0.015625;
  calibration.memory = {{65536, 2e11}, {131072, 1e11}};
  calibration.families["gemm nn"] = {{1e-11, 2e-10, 0, 0, 3e-7}, 4e5, 0.5, 0.03};
  calibration.families["softmax"] = {{1e-9, 0, 0, 0, 1e-7}, 4e4, -1, 0.01};
  return calibration;
}

std::string readAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void writeAll(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Replaces the user's cache folder by a temporary one until the object is destroyed.
class CacheFolder {
 public:
  CacheFolder() { ::setenv("XDG_CACHE_HOME", m_folder.path().c_str(), 1); }
  ~CacheFolder() { ::unsetenv("XDG_CACHE_HOME"); }

 private:
  TemporaryFolder m_folder;
};

CatalogueDevice madeUp(size_t memoryBytes) {
  CatalogueDevice device;
  device.name = "Made Up 1";
  device.memoryBytes = memoryBytes;
  device.bytesPerSecond = 1e12;
  device.flopsPerSecond = {1e13, std::nullopt, 4e13, std::nullopt};
  return device;
}

}  // namespace

TEST_SUITE("cost files") {
  TEST_CASE("reading a calibration gives the values that were written") {
    const std::string text = printCalibration(sample());
    const Calibration read = parseCalibration(text, "kept.json");
    CHECK(printCalibration(read) == text);
    CHECK(read.families.at("gemm nn").seconds == sample().families.at("gemm nn").seconds);
    CHECK(read.families.at("softmax").exposed < 0);
  }

  TEST_CASE("a damaged calibration is refused, and the error names its file") {
    const std::string text = printCalibration(sample());
    const auto isRefused = [](const std::string& damaged) {
      try {
        parseCalibration(damaged, "kept.json");
        return false;
      }
      catch (const Error& error) {
        return error.code() == ErrorCode::InvalidFile && error.subject() == "kept.json";
      }
    };
    for (size_t length = 0; length + 2 < text.size(); length += 7)
      CHECK(isRefused(text.substr(0, length)));
    const auto altered = [&](const std::string& from, const std::string& to) {
      std::string copy = text;
      copy.replace(copy.find(from), from.size(), to);
      return copy;
    };
    CHECK(isRefused(altered("strata-calibration", "strata-project")));
    CHECK(isRefused(altered("\"threads\": 2", "\"threads\": 0")));
    CHECK(isRefused(altered("\"threads\": 2", "\"threads\": \"two\"")));
    CHECK(isRefused(altered("\"bytes\": 131072", "\"bytes\": 1")));
    CHECK(isRefused(altered("\"flops_per_second\": 150000000000", "\"flops_per_second\": -1")));
    CHECK(isRefused(altered("\"step_seconds\"", "\"step\"")));
  }

  TEST_CASE(
      "a calibration is saved, and measured again if its file is damaged or from another machine") {
    const CacheFolder folder;
    ThreadPool pool(1);
    const std::string path = calibrationPath(1);
    CHECK(path != calibrationPath(2));
    // A calibration that was measured on this machine while it was idle is reused.
    Calibration kept = calibrationFor(pool);
    REQUIRE(std::filesystem::exists(path));
    kept.disturbance = 1;
    kept.waiting = 0;
    // No measurement would give this step time.
    kept.stepSeconds = 0.125;
    writeAll(path, printCalibration(kept));
    CHECK(calibrationFor(pool).stepSeconds == 0.125);
    // The plan predicts the time of a step from the calibration.
    PlanOptions options;
    options.findsLargestBatch = options.measuresStepTime = false;
    options.predictsStepTime = true;
    options.threads = 1;
    const TrainingPlan plan = planTraining(smallProject(), options);
    CHECK_FALSE(plan.isPredictionDoubtful);
    REQUIRE(plan.predictedStepMicroseconds);
    CHECK(*plan.predictedStepMicroseconds > 0.125e6 / 5);
    double layers = 0;
    for (const PlanLayer& layer : plan.layers)
      layers += layer.predictedMicroseconds.value_or(0);
    CHECK(layers > 0);
    CHECK(layers < *plan.predictedStepMicroseconds);
    options.device = "reference";
    CHECK_FALSE(planTraining(smallProject(), options).predictedStepMicroseconds);

    // A calibration that was measured on a busy machine is used for ten minutes, and the plan marks
    // its prediction as doubtful.
    kept.waiting = 0.5;
    writeAll(path, printCalibration(kept));
    CHECK(calibrationFor(pool).stepSeconds == 0.125);
    options.device = "cpu";
    CHECK(planTraining(smallProject(), options).isPredictionDoubtful);
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(11));
    CHECK(calibrationFor(pool).stepSeconds < 0.1);

    kept.waiting = 0;
    writeAll(path, printCalibration(kept));
    const std::string whole = readAll(path);
    writeAll(path, whole.substr(0, whole.size() / 2));
    CHECK(calibrationFor(pool).stepSeconds < 0.1);
    CHECK(parseCalibration(readAll(path), path).stepSeconds < 0.1);
    kept.version = kCalibrationVersion + 1;
    writeAll(path, printCalibration(kept));
    CHECK(calibrationFor(pool).version == kCalibrationVersion);
  }

  TEST_CASE("the installed catalogue has plausible values with sources") {
    const auto& devices = deviceCatalogue();
    CHECK(devices.size() >= 80);
    std::set<std::string> names;
    for (const CatalogueDevice& device : devices) {
      INFO(device.name);
      CHECK(names.insert(device.name).second);
      CHECK(std::set<std::string>{"desktop", "laptop", "workstation", "datacenter"}.contains(
          device.kind));
      CHECK(device.memoryBytes >= size_t{4} << 30);
      CHECK(device.bytesPerSecond >= 1e11);
      CHECK(device.bytesPerSecond <= 1e13);
      const double plain = *device.flopsPerSecond[0];
      CHECK(plain >= 2e12);
      CHECK(plain <= 2e14);
      // The value must match two operations per core and cycle at the boost clock.
      if (device.cores > 0)
        CHECK(plain == doctest::Approx(2e6 * device.cores * device.boostMegahertz).epsilon(0.02));
      // The ratio of float16 on matrix units to float32 must be plausible. This detects values for
      // sparse data, which are twice as large. tf32 must be half as fast as float16.
      const auto tf32 = device.flopsPerSecond[1], half = device.flopsPerSecond[3];
      const double most = device.kind == "datacenter" ? 30.5 : 8.1;
      if (half) CHECK(*half <= most * plain);
      if (half) CHECK(*half >= 1.9 * plain);
      if (tf32 && half) CHECK(*tf32 == doctest::Approx(*half / 2).epsilon(0.03));
      if (device.flopsPerSecond[2] && half)
        CHECK(*device.flopsPerSecond[2] == doctest::Approx(*half));
      if (device.vendor == "NVIDIA") CHECK(device.computeCapability.size() >= 3);
    }
    CHECK(catalogueDevice(devices, "GeForce GTX 1080").isTooOld());
    CHECK(catalogueDevice(devices, "V100 SXM2 32GB").isTooOld());
    CHECK_FALSE(catalogueDevice(devices, "GTX 1650").isTooOld());
    CHECK_FALSE(catalogueDevice(devices, "B200").isTooOld());
    CHECK_FALSE(catalogueDevice(devices, "RX 7900 XTX").isTooOld());
  }

  TEST_CASE("devices are found by common names, and an unknown name suggests the nearest one") {
    const auto& devices = deviceCatalogue();
    for (const char* name : {"RTX 4090", "rtx4090", "NVIDIA GeForce RTX 4090", "geforce rtx-4090"})
      CHECK(catalogueDevice(devices, name).name == "GeForce RTX 4090");
    CHECK(catalogueDevice(devices, "h100 sxm").name == "H100 SXM");
    CHECK(catalogueDevice(devices, "Radeon RX 7600").name == "Radeon RX 7600");
    // Some words of a device's name are enough if they are unique.
    for (const auto& [name, found] :
         std::map<const char*, const char*>{{"a100-pcie-40gb", "A100 PCIe 40GB"},
                                            {"A100 40GB", "A100 PCIe 40GB"},
                                            {"A100SXM", "A100 SXM 80GB"},
                                            {"NVIDIA GH200", "GH200 96GB"},
                                            {"h200_nvl", "H200 NVL"},
                                            {"3090 Ti", "GeForce RTX 3090 Ti"},
                                            {"a2", "A2"},
                                            {"L40", "L40"},
                                            {"RX 7900 XT", "Radeon RX 7900 XT"}})
      CHECK(catalogueDevice(devices, name).name == found);
    const auto refused = [&](const char* name) -> std::string {
      try {
        return "found " + catalogueDevice(devices, name).name;
      }
      catch (const Error& error) {
        CHECK(error.code() == ErrorCode::InvalidArgument);
        return error.what();
      }
    };
    CHECK(refused("RTX 4099").find("Did you mean \"GeForce RTX 4090\"?") != std::string::npos);
    // A part of a word, such as "405", does not match the RTX 4050 Laptop.
    CHECK(refused("RTX 405").find("Did you mean ") != std::string::npos);
    CHECK(refused("--").find("`strata devices --catalogue` lists all") != std::string::npos);
    CHECK(refused("--").find("is not in the catalogue") != std::string::npos);
    // A family means its SXM card with the most memory.
    for (const auto& [name, found] : std::map<const char*, const char*>{{"h200", "H200 SXM"},
                                                                        {"NVIDIA H100", "H100 SXM"},
                                                                        {"a100", "A100 SXM 80GB"},
                                                                        {"B200", "B200"}})
      CHECK(catalogueDevice(devices, name).name == found);
    CHECK(refused("a100-80gb").find("expected one of: A100 PCIe 80GB, A100 SXM 80GB)") !=
          std::string::npos);
    CHECK(refused("RTX").find(" more)") != std::string::npos);
  }

  TEST_CASE("a wrong catalogue names the device and the field") {
    const auto messageOf = [](const std::string& device) {
      try {
        parseCatalogue(R"({"format": "strata-devices", "version": 1, "devices": [)" + device + "]}",
                       "devices.json");
        return std::string();
      }
      catch (const Error& error) {
        return error.code() == ErrorCode::InvalidFile ? std::string(error.what()) : std::string();
      }
    };
    const std::string good =
        R"({"name": "A", "vendor": "V", "kind": "desktop", "compute_capability": null, "cores": null, "boost_mhz": null, "memory_bytes": 1e9,
            "bandwidth_gb_per_second": 100, "tflops": {"float32": 10, "tf32": null, "bfloat16": null, "float16": 20}, "source": "https://example.org"})";
    const auto with = [&](const std::string& from, const std::string& to) {
      std::string copy = good;
      return copy.replace(copy.find(from), from.size(), to);
    };
    CHECK(parseCatalogue(R"({"format": "strata-devices", "version": 1, "devices": [)" + good + "]}",
                         "devices.json")
              .size() == 1);
    CHECK(messageOf(with("1e9", "0"))
              .find("device \"A\" has no positive number in \"memory_bytes\"") == 0);
    CHECK(messageOf(with("\"float32\": 10", "\"float32\": null")).find("float32") !=
          std::string::npos);
    CHECK(messageOf(with("https", "ftp")).find("source") != std::string::npos);
    CHECK(messageOf(with("\"vendor\": \"V\", ", "")).find("vendor") != std::string::npos);
    CHECK(messageOf("{}").find("without a name") != std::string::npos);
    CHECK_FALSE(messageOf("").empty());
  }

  TEST_CASE(
      "the plan for a catalogue device says whether a step fits, and its least time by layer and "
      "precision") {
    // A batch has at most all samples
    const Project project = smallProjectWith({{"/data/source/samples", "100000"}});
    const DevicePlan plan = planForDevice(project, madeUp(size_t{8} << 30));
    CHECK(plan.fits);
    CHECK(plan.peakBytes >= plan.lowerBoundBytes);
    CHECK(plan.microseconds >= 1e6 * kLaunchSeconds * plan.kernels - 1e-6);
    double layers = 0, limits = 0;
    for (const DevicePlanLayer& layer : plan.layers)
      layers += layer.microseconds;
    for (const double share : plan.limitMicroseconds)
      limits += share;
    CHECK(layers == doctest::Approx(plan.microseconds));
    CHECK(limits == doctest::Approx(plan.microseconds));
    REQUIRE(plan.precisions.size() == 2);
    CHECK(plan.precisions[0].name == "float32");
    CHECK(plan.precisions[1].name == "bfloat16");
    CHECK(plan.precisions[1].microseconds <= plan.precisions[0].microseconds);
    // A larger batch needs more time and memory.
    CHECK(planForDevice(project, madeUp(size_t{8} << 30), 64 * plan.batchSize).microseconds >
          plan.microseconds);
    CHECK(planForDevice(project, madeUp(size_t{8} << 30), 64 * plan.batchSize).peakBytes >
          plan.peakBytes);
    CHECK_FALSE(planForDevice(project, madeUp(1024)).fits);
  }
}
