// SPDX-License-Identifier: Apache-2.0
// The kernels of a run: sums, the file, the trace and the table.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/runs/profile_file.h"
#include "core/runs/trace_file.h"
#include "tests/support/paths.h"

using namespace strata;
using namespace std::chrono_literals;

namespace {

KernelRecord record(int instruction, const char* name, std::chrono::nanoseconds start,
                    std::chrono::nanoseconds duration) {
  KernelRecord result;
  result.instruction = instruction;
  result.name = name;
  result.stream = "compute";
  result.op = "matmul";
  result.layer = instruction < 2 ? "a" : "b";
  result.start = start;
  result.duration = duration;
  result.flops = 2000;
  result.bytes = 100;
  return result;
}

StepRecords step(std::chrono::nanoseconds first) {
  StepRecords result;
  result.source = StepRecords::Source::Predicted;
  result.records = {record(0, "first", 0ns, first), record(1, "second", first, 500ns),
                    record(2, "third, \"quoted\"", first + 500ns, 1500ns)};
  result.records[2].grid = {4, 2, 1};
  result.records[2].block = {128, 1, 1};
  KernelRecord copy = record(-1, "copy to the card", 0ns, 300ns);
  copy.stream = "copies";
  result.records.push_back(copy);
  return result;
}

KernelProfile twoSteps() {
  KernelProfile kernels;
  kernels.device = "simulated:card";
  kernels.add(17, step(1000ns));
  kernels.add(33, step(3000ns));
  kernels.memory = {{0, {1, 2, 3}}, {2, {4, 5, 6}}};
  kernels.contextBytes = 77;
  return kernels;
}

/// Returns the slices of a thread as (name, begin, end), in the order of the file.
struct Slice {
  std::string name;
  int64_t begin, end;
};
std::vector<Slice> slicesOf(const Json& trace, int thread) {
  std::vector<Slice> result;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" || event.at("tid") != thread) continue;
    const auto begin = std::llround(event.at("ts").get<double>() * 1000),
               duration = std::llround(event.at("dur").get<double>() * 1000);
    result.push_back({event.at("name").get<std::string>(), begin, begin + duration});
  }
  return result;
}

}  // namespace

TEST_SUITE("kernel profile") {
  TEST_CASE("steps add up by kernel") {
    const KernelProfile kernels = twoSteps();
    CHECK(kernels.steps == 2);
    REQUIRE(kernels.rows.size() == 4);
    CHECK(kernels.rows[0].calls == 2);
    CHECK(kernels.rows[0].total == 4000ns);
    // 2000 in 2 us on average
    CHECK(kernels.rows[0].flopsPerSecond() == doctest::Approx(1e9));
    CHECK(kernels.rows[0].bytesPerSecond() == doctest::Approx(5e7));
    REQUIRE(kernels.traced.size() == 2);
    CHECK(kernels.traced[1].step == 33);
    CHECK(kernels.traced[1].duration() == 5000ns);
  }

  TEST_CASE("the longest kernel of a node has its rates") {
    StepRecords records;
    records.records = {record(0, "prepare", 0ns, 100ns), record(0, "call", 100ns, 300ns),
                       record(0, "bias", 400ns, 300ns), record(1, "call", 700ns, 50ns)};
    KernelProfile kernels;
    kernels.add(1, records);
    std::string main;
    for (const KernelRow& row : kernels.rows)
      main += kernels.isMain(row) ? '1' : '0';
    CHECK(main == "0101");
    const std::string table = printKernelTable(kernels);
    CHECK(table.find("prepare,compute,1,100,,,0,0,0,0,,\n") != std::string::npos);
  }

  TEST_CASE("a missing, added or changed record keeps the others apart") {
    KernelProfile kernels = twoSteps();
    StepRecords changed = step(1000ns);
    changed.records.erase(changed.records.begin());
    changed.records[0].grid = {9, 1, 1};
    kernels.add(49, changed);
    REQUIRE(kernels.rows.size() == 5);
    CHECK(kernels.rows[0].calls == 2);
    CHECK(kernels.rows[1].calls == 2);
    CHECK(kernels.rows[2].calls == 3);
    CHECK(kernels.rows[3].calls == 3);
    CHECK(kernels.rows[4].calls == 1);
    for (int i = 0; i < 10; ++i)
      kernels.add(50 + i, changed);
    CHECK(kernels.traced.size() == kernels.maxTraced);
    CHECK(kernels.traced.back().step == 59);
  }

  TEST_CASE("a problem stays until there are records") {
    KernelProfile kernels;
    StepRecords refused;
    refused.problem = "another profiler runs";
    kernels.add(1, refused);
    CHECK(kernels.problem == "another profiler runs");
    CHECK(kernels.steps == 0);
    kernels.add(2, step(1ns));
    CHECK(kernels.problem.empty());
  }

  TEST_CASE("profile.json keeps the kernels") {
    const TemporaryFolder folder;
    ProfileSnapshot profile;
    profile.steps = 2;
    profile.kernels = std::make_shared<const KernelProfile>(twoSteps());
    writeProfile(folder.path().string(), profile);
    const auto read = readProfile(folder.path().string());
    REQUIRE(read);
    REQUIRE(read->kernels);
    const KernelProfile &from = *profile.kernels, &to = *read->kernels;
    CHECK(to.device == from.device);
    CHECK((to.source == from.source));
    CHECK(to.contextBytes == 77);
    REQUIRE(to.rows.size() == from.rows.size());
    CHECK(to.rows[2].record.name == "third, \"quoted\"");
    CHECK(to.rows[2].record.grid == from.rows[2].record.grid);
    CHECK(to.rows[2].total == from.rows[2].total);
    REQUIRE(to.memory.size() == 2);
    CHECK(to.memory[1].bytes == from.memory[1].bytes);
    CHECK(printTrace(to) == printTrace(from));
    CHECK(printKernelTable(to) == printKernelTable(from));
  }

  TEST_CASE("the trace of a run replaces a link, and keeps its target") {
    const TemporaryFolder folder;
    const std::filesystem::path other = folder / "other.bin", own = folder / "trace.bin";
    std::ofstream(other) << "kept";
    std::filesystem::create_symlink(other, own);
    writeRunTrace(folder.path().string(), *traceOf(twoSteps()));
    CHECK_FALSE(std::filesystem::is_symlink(own));
    CHECK(readRunTrace(folder.path().string())->numEvents() > 0);
    CHECK(std::filesystem::file_size(other) == 4);
  }

  TEST_CASE("a trace nests steps, layers and kernels") {
    const Json trace = parseJson(printTrace(twoSteps()), "trace");
    const std::vector<Slice> compute = slicesOf(trace, 1);
    std::vector<std::string> names;
    for (const Slice& slice : compute)
      names.push_back(slice.name);
    const std::vector<std::string> expected{
        "step 17 with inputs and results", "a", "first", "second", "b", "third, \"quoted\""};
    CHECK(std::vector(names.begin(), names.begin() + 6) == expected);
    REQUIRE(compute.size() == 12);
    // The second step begins where the first one ends, after 3 us
    CHECK(compute[6].begin == 3000);
    CHECK(compute[6].end == 8000);
    std::vector<int64_t> open;
    for (const Slice& slice : compute) {
      while (!open.empty() && open.back() <= slice.begin)
        open.pop_back();
      if (!open.empty()) CHECK(slice.end <= open.back());
      open.push_back(slice.end);
    }
    CHECK(slicesOf(trace, 2).size() == 2);
    int counters = 0;
    for (const Json& event : trace.at("traceEvents"))
      if (event.at("ph") == "C") {
        ++counters;
        CHECK(event.at("args").at("context") == 77);
        CHECK(event.at("args").at("parameter").get<int>() >= 1);
      }
    CHECK(counters == 4);
  }

  TEST_CASE("records that overlap on a stream go to another thread of the trace") {
    KernelProfile kernels;
    StepRecords records = step(1000ns);
    records.records.push_back(record(3, "beside", 500ns, 2000ns));
    kernels.add(1, records);
    const Json trace = parseJson(printTrace(kernels), "trace");
    const std::vector<Slice> compute = slicesOf(trace, 1);
    for (const Slice& slice : compute)
      CHECK(slice.name != "beside");
    bool isFound = false;
    for (int thread = 2; thread < 5; ++thread)
      for (const Slice& slice : slicesOf(trace, thread))
        isFound = isFound || slice.name == "beside";
    CHECK(isFound);
  }

  TEST_CASE("the table quotes names") {
    const std::string table = printKernelTable(twoSteps());
    CHECK(table.find(",\"third, \"\"quoted\"\"\",") != std::string::npos);
    CHECK(table.find(",4x2x1,128x1x1,") != std::string::npos);
    CHECK(std::ranges::count(table, '\n') == 5);
  }
}
