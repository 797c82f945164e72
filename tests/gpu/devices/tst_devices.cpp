// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "gpu/base/error.h"
#include "gpu/devices/devices.h"
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
  for (const char* name : {"auto", "cpu", "reference"})
    CHECK(openDevice(name, options)->numWorkers() == 3);
  CHECK(openDevice("reference", {})->numWorkers() >= 1);
  CHECK(openDevice("reference", {})->name() == "reference");
}

TEST_CASE("errors about devices of later versions and unknown devices say what is available") {
  for (const char* name :
       {"cuda:0", "cuda", "all", "cpu*4", "cuda:0*2", "cuda:0,cuda:1", "cpu,cpu"}) {
    CAPTURE(name);
    try {
      openDevice(name, {});
      FAIL("no error");
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::UnsupportedOp);
      CHECK(error.subject() == name);
      CHECK(std::string(error.what()).starts_with("not in this version"));
    }
  }
  try {
    openDevice("gpu", {});
    FAIL("no error");
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidArgument);
    CHECK(std::string(error.what()).find("reference") != std::string::npos);
  }
  DeviceOptions options;
  options.threads = -1;
  CHECK_THROWS_AS(openDevice("cpu", options), Error);
}

TEST_SUITE_END();
