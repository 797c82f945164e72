// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <fstream>

#include "core/check/checked_project.h"
#include "core/project/atomic_file.h"
#include "core/project/regular_file.h"
#include "core/runs/step_memory.h"
#include "core/train/network.h"
#include "tests/support/paths.h"

using namespace strata;

TEST_SUITE("step memory") {
  TEST_CASE("the blocks and holes are the arena byte for byte, and the peak is that of the plan") {
    for (const char* name : {"mnist-cnn.json", "mnist-mlp-128.json", "random-integers.json"}) {
      CAPTURE(name);
      const auto loaded = loadProject((sourceDir() / "projects" / name).string());
      REQUIRE(loaded);
      NetworkOptions options;
      options.device = "cpu";
      options.threads = 1;
      Network network(CheckedProject(*loaded), options);
      network.prepare({32, 17}, {});
      const StepMemory memory = network.stepMemory();
      const MemoryPlan plan = network.memoryPlan();
      CHECK(memory.peakBytes() == plan.peakBytes());
      CHECK(memory.peakBytes() == network.allocatedBytes());
      CHECK(memory.bytesAt(memory.peakInstant) == plan.byCategoryAtPeak);
      CHECK(memory.holesAt(memory.peakInstant) == plan.holesBytes);
      // No two blocks that are live at the same time share a byte
      int checked = 0;
      for (int instant = 0; instant < std::ssize(memory.instructions); ++instant) {
        std::vector<std::pair<size_t, size_t>> taken;
        for (const size_t i : memory.blocksAt(instant))
          taken.emplace_back(memory.blocks[i].offset,
                             memory.blocks[i].offset + memory.blocks[i].bytes);
        std::ranges::sort(taken);
        for (size_t i = 1; i < taken.size(); ++i)
          CHECK(taken[i - 1].second <= taken[i].first);
        CHECK(taken.back().second <= memory.peakBytes());
        CHECK(memory.liveAt(instant) <= memory.liveAt(memory.peakInstant));
        ++checked;
      }
      CHECK(checked > 5);
    }
  }

  TEST_CASE("the file of a run has the same blocks, and damage is noticed") {
    TemporaryFolder folder;
    StepMemory memory;
    memory.batchSize = 4;
    memory.persistentBytes = 128;
    memory.inputBytes = 64;
    memory.transientBytes = 256;
    memory.instructions = {{"matmul", "dense", Phase::Forward}, {"relu", "dense", Phase::Backward}};
    memory.peakInstant = 1;
    memory.blocks = {
        {"dense/kernel", "dense", Category::Parameter, Storage::Lane::Persistent, 100, 0, 0, 1},
        {"matmul", "dense", Category::Activation, Storage::Lane::Transient, 256, 192, 1, 1}};
    writeStepMemory(folder.path().string(), memory);
    std::string problem;
    const auto read = readStepMemory(folder.path().string(), problem);
    REQUIRE(read);
    CHECK(problem.empty());
    CHECK(read->peakBytes() == 448);
    CHECK(read->blocks.size() == 2);
    CHECK(read->blocks[1].name == "matmul");
    CHECK(read->instructions[1].phase == Phase::Backward);
    CHECK(read->holesAt(1) == 448 - 356);
    CHECK(read->blocksAt(1) == std::vector<size_t>{1, 0});
    CHECK(read->blocksAt(0) == std::vector<size_t>{0});

    const std::string path = (folder / "memory.json").string();
    std::string text = readFile(path, 1 << 20);
    text.replace(text.find("256"), 3, "999");
    std::ofstream(path) << text;
    CHECK(!readStepMemory(folder.path().string(), problem));
    CHECK(problem == "memory.json is damaged");
    std::filesystem::remove(path);
    CHECK(!readStepMemory(folder.path().string(), problem));
    CHECK(problem == "memory.json is missing");
  }
}
