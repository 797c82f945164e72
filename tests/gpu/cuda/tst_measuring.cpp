// SPDX-License-Identifier: Apache-2.0
// The records of kernels: of simulated cards, of devices on host threads, and what a card answers
// that cannot be recorded.
#include <doctest/doctest.h>

#include <numeric>
#include <string_view>

#include "gpu/cuda/occupancy.h"
#include "gpu/cuda/plugin.h"
#include "gpu/reference/reference_device.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/support/guarded_step.h"
#include "tests/support/skip.h"

using namespace strata;
using test::boundGuardedStep;
using test::guardedBatch;

namespace {

/// Runs the guarded step, the last time profiled, and returns what the device did then.
StepRecords recordsOf(Device& device, int plainSteps) {
  State state(device);
  const auto program = boundGuardedStep(device, state);
  const Tensor batch = guardedBatch(1);
  program->feed("x", batch.data());
  for (int step = 0; step < plainSteps; ++step)
    REQUIRE(program->run() == StepOutcome::Done);
  program->setProfiling(true);
  REQUIRE(program->run() == StepOutcome::Done);
  StepRecords records = program->lastRecords();
  // Profiled steps compute the same
  CHECK(state.read("w").as<float>()[0] == -2.0f * static_cast<float>(plainSteps + 1));
  // The times of nodes are those of their records
  std::vector<ProfileRow> rows = program->profile();
  std::vector<int64_t> times(rows.size(), 0);
  for (const KernelRecord& record : records.records)
    if (record.instruction >= 0)
      times[static_cast<size_t>(record.instruction)] += record.duration.count();
  if (!records.records.empty())
    for (size_t i = 0; i < rows.size(); ++i)
      CHECK(rows[i].total.count() == times[i]);
  return records;
}

bool isEqual(const StepRecords& a, const StepRecords& b) {
  return std::ranges::equal(a.records, b.records, [](const auto& x, const auto& y) {
    return x.name == y.name && x.stream == y.stream && x.instruction == y.instruction &&
           x.start == y.start && x.duration == y.duration && x.grid == y.grid &&
           x.block == y.block && x.flops == y.flops;
  });
}

cuda::MultiprocessorLimits limitsOfA100() {
  cuda::MultiprocessorLimits limits;
  limits.multiprocessors = 108;
  limits.threads = 2048;
  limits.blocks = 32;
  limits.registers = 65536;
  limits.sharedBytes = 164 * 1024;
  limits.reservedSharedBytes = 1024;
  return limits;
}

cuda::Occupancy occupancyOf(int64_t grid, int64_t block, int registers, size_t sharedBytes) {
  KernelRecord record;
  record.grid = {grid, 1, 1};
  record.block = {block, 1, 1};
  record.registers = registers;
  record.sharedBytes = sharedBytes;
  return limitsOfA100().occupancy(record);
}

/// Replaces what the recorder of a card returns, as CUPTI may do.
class ChangedRecorder {
 public:
  enum class Records : uint8_t { All, None, WithoutNumbers };

  explicit ChangedRecorder(cuda::Card& card)
      : m_place(const_cast<StrataRecorder&>(card.recorder())), m_own(m_place) {
    m_place = {this, begin, end, streamNumber, lastError};
  }
  ~ChangedRecorder() { m_place = m_own; }
  ChangedRecorder(const ChangedRecorder&) = delete;
  ChangedRecorder& operator=(const ChangedRecorder&) = delete;

  Records records = Records::All;
  int begun = 0;

 private:
  static ChangedRecorder& of(void* self) { return *static_cast<ChangedRecorder*>(self); }
  static int begin(void* self) {
    ++of(self).begun;
    return of(self).m_own.begin(of(self).m_own.self);
  }
  static int end(void* self, const StrataRecord** records, size_t* count) {
    ChangedRecorder& changed = of(self);
    const int result = changed.m_own.end(changed.m_own.self, records, count);
    changed.m_changed.assign(*records, *records + *count);
    if (changed.records == Records::None) changed.m_changed.clear();
    if (changed.records == Records::WithoutNumbers)
      for (StrataRecord& record : changed.m_changed)
        record.number = 0;
    *records = changed.m_changed.data();
    *count = changed.m_changed.size();
    return result;
  }
  static int32_t streamNumber(void* self, CUstream stream) {
    return of(self).m_own.streamNumber(of(self).m_own.self, stream);
  }
  static const char* lastError(void* self) { return of(self).m_own.lastError(of(self).m_own.self); }

  StrataRecorder& m_place;
  const StrataRecorder m_own;
  std::vector<StrataRecord> m_changed;
};

}  // namespace

TEST_SUITE("card") {
  TEST_CASE("a step without records does not end the recording of later ones") {
    const auto device = test::openNewTestCard();
    if (!device) return;
    ChangedRecorder recorder(test::cardOf(*device));
    State state(*device);
    const auto program = boundGuardedStep(*device, state);
    const Tensor batch = guardedBatch(1);
    program->feed("x", batch.data());
    for (int step = 0; step < 3; ++step)
      REQUIRE(program->run() == StepOutcome::Done);
    program->setProfiling(true);
    recorder.records = ChangedRecorder::Records::None;
    for (int step = 0; step < 5; ++step) {
      REQUIRE(program->run() == StepOutcome::Done);
      CHECK(program->lastRecords().records.empty());
      CHECK(program->lastRecords().problem.find("no records of this step") != std::string::npos);
    }
    recorder.records = ChangedRecorder::Records::All;
    REQUIRE(program->run() == StepOutcome::Done);
    CHECK(!program->lastRecords().records.empty());
    CHECK(program->lastRecords().problem.empty());
  }

  TEST_CASE("records that name no node end the recording after several steps in a row") {
    const auto device = test::openNewTestCard();
    if (!device) return;
    ChangedRecorder recorder(test::cardOf(*device));
    State state(*device);
    const auto program = boundGuardedStep(*device, state);
    const Tensor batch = guardedBatch(1);
    program->feed("x", batch.data());
    for (int step = 0; step < 3; ++step)
      REQUIRE(program->run() == StepOutcome::Done);
    program->setProfiling(true);
    const auto run = [&](ChangedRecorder::Records records) {
      recorder.records = records;
      REQUIRE(program->run() == StepOutcome::Done);
    };
    // A good step between two bad ones, so that the next are not in a row
    run(ChangedRecorder::Records::WithoutNumbers);
    run(ChangedRecorder::Records::All);
    CHECK(!program->lastRecords().records.empty());
    for (int step = 0; step < 2; ++step)
      run(ChangedRecorder::Records::WithoutNumbers);
    CHECK(program->lastRecords().problem ==
          "the card does not say which node its kernels belong to");
    run(ChangedRecorder::Records::WithoutNumbers);
    CHECK(program->lastRecords().problem.find("in 3 profiled steps") != std::string::npos);
    const int begun = recorder.begun;
    const int64_t measured = program->profile().front().calls;
    // Events then measure the nodes, and the reason stays
    run(ChangedRecorder::Records::All);
    CHECK(recorder.begun == begun);
    CHECK(program->profile().front().calls == measured + 1);
    CHECK(program->lastRecords().problem.find("in 3 profiled steps") != std::string::npos);
  }

  TEST_CASE("a profiled step of a simulated card has a record of each launch") {
    const auto device = test::openTestCard();
    if (!device) return;
    const StepRecords records = recordsOf(*device, 4);
    CHECK((records.source == StepRecords::Source::Predicted));
    CHECK(records.problem.empty());
    REQUIRE(!records.records.empty());
    int64_t end = 0;
    std::string stream;
    bool hasCopy = false, hasKernel = false;
    for (const KernelRecord& record : records.records) {
      CAPTURE(record.name);
      if (record.stream != stream) end = 0;
      stream = record.stream;
      CHECK((stream == "compute" || stream == "copies"));
      CHECK(record.start.count() >= end);
      CHECK(record.duration.count() > 0);
      end = (record.start + record.duration).count();
      hasCopy = hasCopy || record.name == "copy to the card";
      if (record.instruction < 0) continue;
      CHECK(!record.op.empty());
      if (record.block[0] == 0) continue;
      hasKernel = true;
      CHECK(record.grid[0] >= 1);
      // The compiled kernel says it, if kernels were compiled for GPUs
      if (cuda::plugin()->numImages == 0) continue;
      CHECK(record.registers > 0);
      CHECK(record.theoreticalOccupancy > 0);
      CHECK(record.occupancy <= record.theoreticalOccupancy);
    }
    CHECK(hasCopy);
    CHECK(hasKernel);
  }

  TEST_CASE("records of a simulated card are the same in every run") {
    const auto first = test::openNewTestCard(), second = test::openNewTestCard();
    if (!first) return;
    CHECK(isEqual(recordsOf(*first, 5), recordsOf(*second, 5)));
    // They do not depend on what ran before
    CHECK(isEqual(recordsOf(*first, 5), recordsOf(*first, 9)));
  }

  TEST_CASE("the records of a step are not those of steps before it that are pending") {
    const auto device = test::openNewTestCard(), other = test::openNewTestCard();
    if (!device) return;
    State state(*device);
    const auto program = boundGuardedStep(*device, state);
    const Tensor batch = guardedBatch(1);
    program->feed("x", batch.data());
    std::vector<Ticket> tickets;
    for (int step = 0; step < 8; ++step) {
      program->setProfiling(step == 5);
      tickets.push_back(program->submit());
    }
    for (Ticket& ticket : tickets)
      REQUIRE(ticket.wait() == StepOutcome::Done);
    CHECK(isEqual(program->lastRecords(), recordsOf(*other, 5)));
  }

  TEST_CASE("steps before the graph is captured are measured by events") {
    const auto device = test::openTestCard();
    if (!device) return;
    CHECK(recordsOf(*device, 0).records.empty());
    CHECK(recordsOf(*device, 1).records.empty());
    CHECK(!recordsOf(*device, 2).records.empty());
  }

  TEST_CASE("devices on host threads have a record for each node") {
    const auto device = makeReferenceDevice({2, 0});
    const StepRecords records = recordsOf(*device, 1);
    CHECK((records.source == StepRecords::Source::HostClock));
    REQUIRE(!records.records.empty());
    std::chrono::nanoseconds end{0};
    for (size_t i = 0; i < records.records.size(); ++i) {
      const KernelRecord& record = records.records[i];
      CHECK(record.instruction == static_cast<int>(i));
      CHECK(record.start >= end);
      end = record.start + record.duration;
    }
  }

  TEST_CASE("a card that cannot be recorded says why") {
    if (!test::canRun(cuda::pluginProblem())) return;
    const StrataRecorder recorder = cuda::plugin()->cardRecorder();
    if (recorder.begin(recorder.self) == 0) {
      // There is a driver: nothing was done, so nothing is recorded
      const StrataRecord* records = nullptr;
      size_t count = 0;
      CHECK(recorder.end(recorder.self, &records, &count) == 0);
      CHECK(count == 0);
      return;
    }
    const std::string_view problem = recorder.lastError(recorder.self);
    CAPTURE(problem);
    CHECK(problem.size() > 20);
    CHECK((problem.find("CUPTI") != std::string_view::npos ||
           problem.find("libcupti") != std::string_view::npos));
  }

  TEST_CASE("only one recording of a simulated card runs at a time") {
    const auto device = test::openNewTestCard();
    if (!device) return;
    test::cardOf(*device).use();
    const StrataRecorder& recorder = test::cardOf(*device).recorder();
    const StrataRecord* records = nullptr;
    size_t count = 7;
    CHECK(recorder.begin(recorder.self) == 0);
    // A step then has no records, and says so
    const StepRecords refused = recordsOf(*device, 3);
    CHECK(refused.records.empty());
    CHECK(refused.problem == "the card is recorded already");
    CHECK(recorder.end(recorder.self, &records, &count) == 0);
    CHECK(count > 0);
    CHECK(!recordsOf(*device, 3).records.empty());
  }

  TEST_CASE("occupancy follows from registers, shared memory and blocks") {
    // 8 blocks of 8 warps fill the 64 warps
    CHECK(occupancyOf(100000, 256, 32, 0).theoretical == 1);
    // 64 registers: 32 warps
    CHECK(occupancyOf(100000, 256, 64, 0).theoretical == 0.5);
    // 49 KiB: 3 blocks
    CHECK(occupancyOf(100000, 256, 32, 48 * 1024).theoretical == 24.0 / 64);
    // 32 blocks of one warp
    CHECK(occupancyOf(100000, 32, 16, 0).theoretical == 0.5);
    // A part of a warp takes a whole one
    CHECK(occupancyOf(100000, 33, 16, 0).theoretical == 1);
    // One wave of 8 * 108 blocks, half of it, and one block more than it
    CHECK(occupancyOf(864, 256, 32, 0).average == 1);
    CHECK(occupancyOf(432, 256, 32, 0).average == 0.5);
    CHECK(occupancyOf(865, 256, 32, 0).average == doctest::Approx(865.0 / 1728));
    // Unknown registers, or a kernel that does not fit
    CHECK(occupancyOf(1, 256, 0, 0).theoretical == 0);
    CHECK(occupancyOf(1, 1024, 255, 0).theoretical == 0);
  }
}
