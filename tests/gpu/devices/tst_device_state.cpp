// SPDX-License-Identifier: Apache-2.0
// The states of devices: of GPUs through a made-up library, of the host from made-up files, and of
// simulated cards.
#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "gpu/devices/device_state.h"
#include "gpu/devices/nvml.h"
#include "gpu/reference/reference_device.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/support/guarded_step.h"

using namespace strata;

namespace {

constexpr const char* kAddress = "0000:65:00.0";
constexpr size_t kCounted = 700;
// What the made-up library answers
bool listsOwnProcess, failsEverywhere;
unsigned numOthers;

int answer() { return failsEverywhere ? kNvmlNotSupported : 0; }

NvmlTable library() {
  NvmlTable table;
  table.handleByPciBusId = [](const char* busId, void** device) {
    *device = nullptr;
    return std::string_view(busId) == kAddress ? 0 : kNvmlNotFound;
  };
  table.memoryInfo = [](void*, NvmlMemory* memory) {
    if (memory->version != kNvmlMemoryVersion) return kNvmlNotSupported;
    memory->total = 10000;
    memory->reserved = 500;
    memory->used = 4000;
    memory->free = 5500;
    return answer();
  };
  table.computeProcesses = [](void*, unsigned* count, NvmlProcess* list) {
    const unsigned number = numOthers + (listsOwnProcess ? 1 : 0), room = *count;
    *count = number;
    if (number > room) return kNvmlInsufficientSize;
    for (unsigned i = 0; i < numOthers; ++i)
      list[i] = {1, i == 0 ? kNvmlUnknownBytes : 10, 0, 0};
    if (listsOwnProcess) list[numOthers] = {static_cast<unsigned>(getpid()), 1500, 0, 0};
    return answer();
  };
  table.utilizationRates = [](void*, NvmlUtilization* rates) {
    *rates = {97, 41};
    return answer();
  };
  table.temperature = [](void*, int, unsigned* degrees) {
    *degrees = 61;
    return answer();
  };
  table.powerUsage = [](void*, unsigned* milliwatts) {
    *milliwatts = 350500;
    return answer();
  };
  table.clockInfo = [](void*, int type, unsigned* megahertz) {
    *megahertz = type == 1 ? 1980 : 2619;
    return answer();
  };
  table.linkGeneration = table.linkWidth = [](void*, unsigned*) {
    return kNvmlNotSupported;
  };
  return table;
}

}  // namespace

TEST_SUITE("device state") {
  TEST_CASE("a GPU has the values that the library reports, and others the rest of its memory") {
    listsOwnProcess = true;
    failsEverywhere = false;
    for (const unsigned others : {0u, 3u, 200u}) {
      numOthers = others;
      const DeviceState state = stateOfGpu(library(), kAddress, kCounted);
      CHECK(state.ownBytes == size_t{1500});
      CHECK(state.otherBytes == size_t{2500});
      CHECK(state.totalBytes == size_t{10000});
      CHECK(state.utilization == 0.97);
      CHECK(state.celsius == 61);
      CHECK(state.watts == 350.5);
      CHECK(state.megahertz == 1980);
      CHECK(state.memoryMegahertz == 2619);
      // All of them are entries of one process
      REQUIRE(state.programs.size() == (others > 0 ? 1 : 0));
      if (others == 0) continue;
      CHECK(state.programs[0].process == 1);
      CHECK(state.programs[0].bytes == size_t{10} * (others - 1));
    }
  }

  TEST_CASE("where the library does not list this process, the count of the engine is taken") {
    listsOwnProcess = failsEverywhere = false;
    numOthers = 2;
    const DeviceState state = stateOfGpu(library(), kAddress, kCounted);
    CHECK(state.ownBytes == kCounted);
    CHECK(state.otherBytes == size_t{4000} - kCounted);
    // More than is in use, as another process may have ended meanwhile
    CHECK(stateOfGpu(library(), kAddress, 9000).otherBytes == size_t{0});
  }

  TEST_CASE("values are absent where functions fail or the GPU is unknown") {
    listsOwnProcess = failsEverywhere = true;
    DeviceState expected;
    expected.ownBytes = kCounted;
    CHECK((stateOfGpu(library(), kAddress, kCounted) == expected));
    failsEverywhere = false;
    CHECK((stateOfGpu(library(), "0000:66:00.0", kCounted) == expected));
  }

  TEST_CASE("the host has the memory of the machine, and the load since the call before") {
    const char* const memory = "MemTotal:       8192 kB\nMemFree: 1 kB\nMemAvailable:   2048 kB\n";
    HostTimes times;
    stateOfHost(memory, "900 10 5 1 0 7 0", "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1\n", times);
    // 60 busy of 100; idle and waiting count as not busy
    const std::string pages = "900 " + std::to_string((3 << 20) / sysconf(_SC_PAGESIZE)) + " 5";
    const DeviceState state =
        stateOfHost(memory, pages.c_str(), "cpu  140 10 55 820 70 3 1 1 0 0\n", times);
    CHECK(state.totalBytes == size_t{8} << 20);
    CHECK(state.ownBytes == size_t{3} << 20);
    CHECK(state.otherBytes == size_t{3} << 20);
    CHECK(state.utilization == 0.6);
    CHECK_FALSE(state.celsius);
    CHECK_FALSE(state.watts);
    CHECK_FALSE(state.megahertz);
    HostTimes none;
    CHECK((stateOfHost("", "", "", none) == DeviceState()));
  }

  TEST_CASE("this machine answers for a device on its processor") {
    const auto device = makeReferenceDevice({});
    const DeviceReader read = stateReaderOf(*device);
    const DeviceState state = read();
    REQUIRE(state.ownBytes);
    REQUIRE(state.totalBytes);
    CHECK(*state.ownBytes > size_t{1} << 20);
    CHECK(*state.ownBytes < *state.totalBytes);
    CHECK(*state.otherBytes < *state.totalBytes);
    if (state.utilization) CHECK(*state.utilization <= 1);
  }

  TEST_CASE(
      "a simulated card reports its allocations and its virtual load, the same in every run") {
    std::vector<std::vector<DeviceState>> runs;
    for (int run = 0; run < 2; ++run) {
      const auto device = test::openNewTestCard();
      if (!device) return;
      const DeviceReader read = stateReaderOf(*device);
      std::vector<DeviceState>& states = runs.emplace_back();
      states.push_back(read());
      State state(*device);
      const auto program = test::boundGuardedStep(*device, state);
      const Tensor batch = test::guardedBatch(1);
      program->feed("x", batch.data());
      for (int i = 0; i < 3; ++i) {
        REQUIRE(program->run() == StepOutcome::Done);
        states.push_back(read());
      }
      // No virtual time has passed
      states.push_back(read());
      CHECK((states[4] == states[3]));
      const size_t context = size_t{480} << 20;
      CHECK(states[0].ownBytes == context);
      CHECK_FALSE(states[0].utilization);
      CHECK(*states[1].ownBytes > context);
      CHECK(states[1].otherBytes == size_t{0});
      CHECK(states[1].totalBytes == size_t{1} << 30);
      CHECK(*states[3].utilization > 0);
      CHECK(*states[3].utilization <= 1);
      CHECK(states[1].megahertz == 1980);
      CHECK_FALSE(states[1].celsius);
      CHECK_FALSE(states[1].watts);
      CHECK_FALSE(states[1].memoryMegahertz);
      CHECK(*states[1].ownBytes ==
            device->memoryUse()->totalBytes - device->memoryUse()->freeBytes);
    }
    CHECK((runs[0] == runs[1]));
  }
}
