// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "gpu/base/error.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "gpu/devices/gpus.h"
#include "gpu/exec/device.h"

using namespace strata;

TEST_SUITE_BEGIN("device");

TEST_CASE("the machine's devices have a name, threads and memory") {
  const auto devices = listDevices();
  REQUIRE(devices.size() >= 2);
  CHECK(devices[0].name == "cpu");
  CHECK(devices[1].name == "reference");
  for (const DeviceInfo& device : devices) {
    if (!device.isUsable) {
      CHECK_FALSE(device.reason.empty());
      CHECK_FALSE(device.title.empty());
      continue;
    }
    CHECK_FALSE(device.title.empty());
    CHECK(device.threads >= 1);
    CHECK(device.memoryBytes > (size_t{64} << 20));
    CHECK(device.memoryBytes < (size_t{1} << 50));
    CHECK(device.availableBytes <= device.memoryBytes);
  }
}

TEST_CASE("auto, cpu and reference open with the requested threads") {
  DeviceOptions options;
  options.threads = 3;
  for (const char* name : {"cpu", "reference"})
    CHECK(openDevice(name, options)->numWorkers() == 3);
  CHECK(openDevice("auto", options)->name() == resolvedDeviceName("auto"));
  CHECK(openDevice("reference", {})->numWorkers() >= 1);
  CHECK(openDevice("reference", {})->name() == "reference");
}

TEST_CASE("a name says what kind of device it means, which one, and how many") {
  using Kind = DeviceName::Kind;
  struct Row {
    const char* name;
    Kind kind;
    int ordinal = 0;
    const char* card = "";
    int copies = 1;
  };
  for (const Row& row : {Row{"auto", Kind::Auto},
                         {"cpu", Kind::Cpu},
                         {"cpu*4", Kind::Cpu, 0, "", 4},
                         {"reference", Kind::Reference},
                         {"cuda:0", Kind::Cuda},
                         {"cuda:12", Kind::Cuda, 12},
                         {"cuda:0*2", Kind::Cuda, 0, "", 2},
                         {"cuda:3,cuda:1", Kind::Cuda, 3, "", 2},
                         {"cuda:1,cuda:1", Kind::Unknown},
                         {"cuda:1,cpu", Kind::Unknown},
                         {"cuda:1,", Kind::Unknown},
                         {"cuda:0*2,cuda:1", Kind::Unknown},
                         {"cpu,cpu", Kind::Unknown},
                         {"all", Kind::All},
                         {"simulated:H100", Kind::Simulated, 0, "H100"},
                         {"simulated:RTX 4090*3", Kind::Simulated, 0, "RTX 4090", 3},
                         {"simulated:", Kind::Simulated},
                         {"", Kind::Unknown},
                         {"cpu*0", Kind::Unknown},
                         {"cpu*x", Kind::Unknown},
                         {"cpu*99999999999", Kind::Unknown},
                         {"cuda", Kind::Unknown},
                         {"cuda:", Kind::Unknown},
                         {"cuda:-1", Kind::Unknown},
                         {"cuda:99999", Kind::Unknown},
                         {"CPU", Kind::Unknown}}) {
    CAPTURE(row.name);
    const DeviceName name(row.name);
    CHECK((name.kind == row.kind));
    CHECK(name.ordinal == row.ordinal);
    CHECK(name.card == row.card);
    CHECK(name.copies == row.copies);
    CHECK(name.isGpu() == (row.kind == Kind::Cuda || row.kind == Kind::Simulated));
    CHECK(name.isOnHost() == (row.kind == Kind::Cpu || row.kind == Kind::Reference));
  }
}

TEST_CASE("each device of a name has a different name, and one by which it is opened") {
  using Names = std::vector<std::string>;
  CHECK(DeviceName("cpu*2").each() == Names{"cpu:0", "cpu:1"});
  CHECK(DeviceName("cpu*2").at(1) == "cpu");
  CHECK(DeviceName("cuda:3,cuda:1").each() == Names{"cuda:3", "cuda:1"});
  CHECK(DeviceName("cuda:3,cuda:1").at(1) == "cuda:1");
  CHECK(DeviceName("cuda:2*2").each() == Names{"cuda:2:0", "cuda:2:1"});
  CHECK(DeviceName("cuda:2*2").at(1) == "cuda:2");
  CHECK(DeviceName("cuda:2").each() == Names{"cuda:2"});
}

TEST_CASE("a GPU that is not there is refused with the reason, and auto then means the CPU") {
  const bool hasGpu = whyGpuNotUsable("cuda:0").empty();
  CHECK(resolvedDeviceName("auto") == (hasGpu ? "cuda:0" : "cpu"));
  CHECK(resolvedDeviceName("cuda:3") == "cuda:3");
  try {
    openDevice("cuda:9999", {});
    FAIL("no error");
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::UnsupportedOp);
    CHECK(error.subject() == "cuda:9999");
    CHECK(std::string(error.what()).ends_with("."));
  }
}

TEST_CASE("kernels run on GPUs of their architecture, and through PTX on later ones") {
  CHECK(hasKernelsFor("75", 75));
  CHECK(hasKernelsFor("75", 90));
  CHECK(hasKernelsFor("80 90", 86));
  CHECK(hasKernelsFor("90", 120));
  CHECK_FALSE(hasKernelsFor("90", 89));
  CHECK_FALSE(hasKernelsFor("80 90", 75));
  CHECK_FALSE(hasKernelsFor("", 90));
}

TEST_CASE("errors about several devices and unknown devices say what is available") {
  for (const auto& [name, one] :
       {std::pair("cpu*4", "cpu"), {"cuda:1*2", "cuda:1"}, {"cuda:3,cuda:1", "cuda:3"}}) {
    CAPTURE(std::string(name));
    CHECK_THROWS_WITH_AS(openDevice(name, {}),
                         doctest::Contains(("expected one, such as " + std::string(one)).c_str()),
                         Error);
  }
  if (!whyGpuNotUsable("cuda:0").empty())
    CHECK_THROWS_WITH_AS(openDevice("all", {}), whyGpuNotUsable("cuda:0").c_str(), Error);
  for (const char* name :
       {"gpu", "", "cuda", "cuda*2", "cpu,cpu", "cuda:0,cuda:0", "cuda:", "cuda:x", "cuda:-1"}) {
    CAPTURE(name);
    try {
      openDevice(name, {});
      FAIL("no error");
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::InvalidArgument);
      CHECK(error.subject() == name);
      CHECK(std::string(error.what()) ==
            "there is no such device (expected auto, cpu, reference, cpu*N, cuda:N, all or "
            "simulated:NAME). "
            "`strata devices` lists the devices.");
    }
  }
  DeviceOptions options;
  options.threads = -1;
  CHECK_THROWS_AS(openDevice("cpu", options), Error);
}

TEST_SUITE_END();
