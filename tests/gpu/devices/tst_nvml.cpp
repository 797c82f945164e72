// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string_view>

#include "gpu/devices/nvml.h"

using namespace strata;

namespace {

/// A library with one GPU, which does not report its power.
NvmlTable madeUpLibrary() {
  NvmlTable table;
  table.init = [] {
    return 0;
  };
  table.handleByPciBusId = [](const char* busId, void** device) {
    static int handle = 0;
    *device = &handle;
    return std::string_view(busId) == "0000:65:00.0" ? 0 : kNvmlNotFound;
  };
  table.memoryInfo = [](void*, NvmlMemory* memory) {
    *memory = {memory->version, 80, 0, 50, 30};
    return 0;
  };
  table.computeProcesses = [](void*, unsigned*, NvmlProcess*) {
    return kNvmlNotSupported;
  };
  table.utilizationRates = [](void*, NvmlUtilization* rates) {
    *rates = {97, 41};
    return 0;
  };
  table.temperature = [](void*, int sensor, unsigned* degrees) {
    *degrees = 61;
    return sensor;
  };
  table.powerUsage = [](void*, unsigned*) {
    return kNvmlNotSupported;
  };
  table.clockInfo = [](void*, int type, unsigned* megahertz) {
    *megahertz = type == 1 ? 1980 : 2619;
    return 0;
  };
  table.linkGeneration = [](void*, unsigned* generation) {
    *generation = 5;
    return 0;
  };
  table.linkWidth = [](void*, unsigned* lanes) {
    *lanes = 16;
    return 0;
  };
  return table;
}

}  // namespace

TEST_SUITE_BEGIN("device");

TEST_CASE("the state of a GPU has what the library reports, and nothing else") {
  const NvmlTable library = madeUpLibrary();
  const std::optional<GpuState> state = gpuStateOf(library, "0000:65:00.0");
  REQUIRE(state);
  REQUIRE(state->memory);
  CHECK(state->memory->free == 50);
  CHECK(state->memory->used == 30);
  CHECK_FALSE(state->ownBytes);
  CHECK(state->utilization == 97u);
  CHECK(state->memoryUtilization == 41u);
  CHECK(state->degrees == 61u);
  CHECK_FALSE(state->milliwatts);
  CHECK(state->megahertz == 1980u);
  CHECK(state->memoryMegahertz == 2619u);
  CHECK(state->linkGeneration == 5u);
  CHECK(state->linkLanes == 16u);
  CHECK_FALSE(gpuStateOf(library, "0000:66:00.0"));
}

TEST_SUITE_END();
