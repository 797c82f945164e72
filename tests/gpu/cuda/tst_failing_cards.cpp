// SPDX-License-Identifier: Apache-2.0
// Steps on a simulated card whose driver fails: one clear error, and nothing stays allocated or is
// destroyed twice.
#include <doctest/doctest.h>

#include "gpu/base/error.h"
#include "gpu/cuda/cuda_stream.h"
#include "gpu/exec/program.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/support/guarded_step.h"
#include "tests/support/skip.h"

using namespace strata;
using test::cardOf;
using test::openNewTestCard;
using test::trainGuarded;

namespace {

void setFault(Device& device, int64_t call, int result) {
  cuda::plugin()->setSimulatedFault(cardOf(device).ordinal(), call, result);
}

/// Returns how often somebody destroyed what did not exist.
int64_t invalidHandles(Device& device) {
  StrataSimulatedState state{};
  REQUIRE(cuda::plugin()->simulatedState(cardOf(device).ordinal(), &state) == 0);
  return state.invalidHandles;
}

}  // namespace

TEST_SUITE("failing cards") {
  TEST_CASE("every call of the driver may fail: one clear error, and nothing stays allocated") {
    if (!test::canRun(cuda::pluginProblem())) return;
    int64_t failing = 1;
    for (bool hasFailed = true; hasFailed; ++failing) {
      CAPTURE(failing);
      REQUIRE(failing < 2000);
      const auto device = openNewTestCard();
      const size_t before = device->memoryUse()->freeBytes;
      hasFailed = false;
      setFault(*device, failing, STRATA_CUDA_OUT_OF_MEMORY);
      try {
        trainGuarded(*device, 4, 2);
      }
      catch (const Error& error) {
        hasFailed = true;
        CAPTURE(error.line());
        CHECK((error.code() == ErrorCode::OutOfMemory));
        CHECK(error.line().find("memory") != std::string::npos);
        CHECK(error.line().find("Use a smaller batch") != std::string::npos);
      }
      const int64_t calls = cuda::plugin()->simulatedCalls(cardOf(*device).ordinal());
      // A fault in a destructor is silent, so the calls decide whether all have failed once
      hasFailed = hasFailed || failing < calls;
      setFault(*device, 0, 0);
      CHECK(device->memoryUse()->freeBytes == before);
      CHECK(device->memoryUse()->transferBytes == 0);
      CHECK(invalidHandles(*device) == 0);
      CHECK(trainGuarded(*device, 4, 2).size() == 7);
    }
    const int64_t numFailed = failing - 1;
    MESSAGE(numFailed << " calls failed");
  }

  TEST_CASE("after a failed wait, a copy to the host is done before the error is reported") {
    if (!test::canRun(cuda::pluginProblem())) return;
    const auto device = openNewTestCard();
    const DeviceMemory memory(*device, sizeof(int32_t));
    const auto stream = device->makeStream();
    const int32_t value = 7;
    stream->upload(memory.address(), reinterpret_cast<const std::byte*>(&value), sizeof value);
    int32_t copy = 0;
    auto& cudaStream = dynamic_cast<cuda::CudaStream&>(*stream);
    setFault(*device, 2, STRATA_CUDA_OUT_OF_MEMORY);
    CHECK_THROWS_AS(cuda::copyToHost(cardOf(*device), cudaStream.compute(), &copy,
                                     memory.address().bits(), sizeof copy),
                    Error);
    CHECK(copy == value);
    setFault(*device, 0, 0);
  }

  TEST_CASE("a handle can be destroyed once") {
    if (!test::canRun(cuda::pluginProblem())) return;
    const auto device = openNewTestCard();
    const StrataDriverTable& table = cardOf(*device).driver().table();
    cardOf(*device).use();
    CUstream stream = nullptr;
    CUevent event = nullptr;
    CUdeviceptr memory = 0;
    void* pinned = nullptr;
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    CUmodule module = nullptr;
    REQUIRE(table.streamCreate(&stream, 0) == 0);
    REQUIRE(table.eventCreate(&event, 0) == 0);
    REQUIRE(table.memAlloc(&memory, 64) == 0);
    REQUIRE(table.memHostAlloc(&pinned, 64, 0) == 0);
    REQUIRE(table.streamBeginCapture(stream, STRATA_CUDA_CAPTURE_THREAD_LOCAL) == 0);
    REQUIRE(table.memsetD8Async(memory, 0, 64, stream) == 0);
    REQUIRE(table.streamEndCapture(stream, &graph) == 0);
    REQUIRE(table.graphInstantiate(&executable, graph, 0) == 0);
    REQUIRE(table.moduleLoadData(&module, "host") == 0);
    for (const int expected : {STRATA_CUDA_SUCCESS, STRATA_CUDA_INVALID_HANDLE}) {
      CHECK(table.graphExecDestroy(executable) == expected);
      CHECK(table.graphDestroy(graph) == expected);
      CHECK(table.moduleUnload(module) == expected);
      CHECK(table.memFree(memory) == expected);
      CHECK(table.memFreeHost(pinned) == expected);
      CHECK(table.eventDestroy(event) == expected);
      CHECK(table.streamDestroy(stream) == expected);
    }
    CHECK(invalidHandles(*device) == 7);
  }

  TEST_CASE("what a failing driver destroys is destroyed once") {
    if (!test::canRun(cuda::pluginProblem())) return;
    const auto device = openNewTestCard();
    const cuda::Card& card = cardOf(*device);
    const size_t before = device->memoryUse()->freeBytes;
    for (const int64_t failing : {1, 2, 3}) {
      const cuda::MemoryHandle first = cuda::allocateMemory(card, 64),
                               second = cuda::allocateMemory(card, 64);
      const cuda::EventHandle event = cuda::makeEvent(card);
      setFault(*device, failing, STRATA_CUDA_INVALID_VALUE);
    }
    {
      const DeviceMemory memory(*device, 64);
      setFault(*device, 1, STRATA_CUDA_INVALID_VALUE);
    }
    setFault(*device, 0, 0);
    CHECK(invalidHandles(*device) == 0);
    CHECK(device->memoryUse()->freeBytes == before);
  }

  TEST_CASE("after a failed kernel, the card answers every call with the same error") {
    if (!test::canRun(cuda::pluginProblem())) return;
    const auto device = openNewTestCard();
    setFault(*device, 60, STRATA_CUDA_ILLEGAL_ADDRESS);
    for (int i = 0; i < 2; ++i) {
      try {
        trainGuarded(*device, 20, 2);
        FAIL("the card has failed");
      }
      catch (const Error& error) {
        CHECK((error.code() == ErrorCode::DeviceFailure));
        CHECK(error.line().find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos);
      }
    }
    // Other cards go on
    CHECK(trainGuarded(*openNewTestCard(), 4, 2).size() == 7);
  }

  TEST_CASE("errors after which the process must start again end the use of the card") {
    if (!test::canRun(cuda::pluginProblem())) return;
    // cuda.h says of these that the process must be relaunched
    const std::pair<int, const char*> lasting[] = {{220, "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
                                                   {226, "CUDA_ERROR_CONTAINED"},
                                                   {721, "CUDA_ERROR_TENSOR_MEMORY_LEAK"},
                                                   {911, "CUDA_ERROR_EXTERNAL_DEVICE"}};
    for (const auto& [result, name] : lasting) {
      CAPTURE(name);
      const auto device = openNewTestCard();
      setFault(*device, 10, result);
      try {
        trainGuarded(*device, 4, 2);
        FAIL("the card has failed");
      }
      catch (const Error& error) {
        CHECK(error.line().find(name) != std::string::npos);
        CHECK(error.line().find("not usable until Strata is started again") != std::string::npos);
      }
      CHECK(!cuda::failureOfCard(device->name()).empty());
      CHECK_THROWS_AS(trainGuarded(*device, 1, 0), Error);
    }
    // Too many blocks for a cooperative launch, between two that last
    for (const int result : {int{STRATA_CUDA_OUT_OF_MEMORY}, 701, 720}) {
      CAPTURE(result);
      const auto device = openNewTestCard();
      setFault(*device, 10, result);
      CHECK_THROWS_AS(trainGuarded(*device, 4, 2), Error);
      CHECK(cuda::failureOfCard(device->name()).empty());
      CHECK(trainGuarded(*device, 4, 2).size() == 7);
    }
  }
}
