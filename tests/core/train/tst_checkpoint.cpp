// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <fstream>
#include <limits>
#include <numeric>

#include <sys/resource.h>

#include <doctest/doctest.h>

#include "core/train/checkpoint.h"
#include "gpu/base/error.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

Checkpoint example(int64_t step) {
  Checkpoint checkpoint;
  checkpoint.step = step;
  checkpoint.epoch = 3;
  checkpoint.stepInEpoch = 17;
  checkpoint.lossSum = 0.1 + 0.2;
  checkpoint.metricSums = {1.0 / 3, std::numeric_limits<double>::infinity()};
  checkpoint.epochSamples = 1088;
  checkpoint.epochSeconds = 1e-300;
  checkpoint.seconds = 12.5;
  checkpoint.seed = 18446744073709551615u;
  checkpoint.learningRate = 1e-3;
  checkpoint.pass = 4;
  checkpoint.passSamples = 96;
  checkpoint.stage = 2;
  checkpoint.stageStep = 11;
  checkpoint.stageEpoch = 2;
  checkpoint.rateStage = 1;
  checkpoint.rateStep = 9;
  checkpoint.updateOffset = 8;
  checkpoint.validatedStep = 6;
  checkpoint.endedBy = "EarlyStopping";
  checkpoint.callbacks = R"([{"type":"EarlyStopping","best":"nan"}])";
  checkpoint.changes = R"([[3,"drop/rate",0.5,true]])";
  checkpoint.historyBytes = 4096;
  checkpoint.historyHash = "0123456789abcdef";
  checkpoint.eventBytes = 77;
  Tensor kernel(DType::F32, Shape{40, 50});
  std::iota(kernel.as<float>().begin(), kernel.as<float>().end(), static_cast<float>(step));
  checkpoint.tensors["dense/kernel"] = kernel;
  checkpoint.tensors["dense/kernel:m"] = kernel;
  return checkpoint;
}

void flipByte(const std::filesystem::path& path, std::streamoff at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(at);
  const int byte = file.get();
  file.seekp(at);
  file.put(static_cast<char>(byte ^ 1));
}

/// Saves a checkpoint and updates the run's record, as a run does.
CheckpointSaved save(const TemporaryFolder& folder, const Checkpoint& checkpoint) {
  std::string problem;
  RunRecord record = readRunRecord(folder.path().string(), problem).value_or(RunRecord());
  return saveCheckpoint(folder.path().string(), checkpoint, viewsOf(checkpoint.tensors), record,
                        true, {});
}

size_t countFiles(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_SUITE("checkpoint") {
  TEST_CASE("reading a checkpoint returns the same bits, and the newest two are kept") {
    TemporaryFolder folder;
    std::vector<std::string> warnings;
    CHECK(!loadCheckpoint(folder.path().string(), warnings));
    for (int64_t step = 1; step <= 5; ++step)
      save(folder, example(step));
    CHECK(countFiles(folder / "checkpoints") == 2);
    const auto back = loadCheckpoint(folder.path().string(), warnings);
    REQUIRE(back);
    const Checkpoint expected = example(5);
    CHECK(warnings.empty());
    CHECK(back->step == 5);
    CHECK(back->epoch == expected.epoch);
    CHECK(back->stepInEpoch == expected.stepInEpoch);
    CHECK(back->lossSum == expected.lossSum);
    CHECK(back->metricSums == expected.metricSums);
    CHECK(back->epochSamples == expected.epochSamples);
    CHECK(back->epochSeconds == expected.epochSeconds);
    CHECK(back->seconds == expected.seconds);
    CHECK(back->seed == expected.seed);
    CHECK(back->learningRate == expected.learningRate);
    CHECK(back->pass == expected.pass);
    CHECK(back->passSamples == expected.passSamples);
    CHECK(back->stage == expected.stage);
    CHECK(back->stageStep == expected.stageStep);
    CHECK(back->stageEpoch == expected.stageEpoch);
    CHECK(back->rateStage == expected.rateStage);
    CHECK(back->rateStep == expected.rateStep);
    CHECK(back->updateOffset == expected.updateOffset);
    CHECK(back->validatedStep == expected.validatedStep);
    CHECK(back->endedBy == expected.endedBy);
    CHECK(back->callbacks == expected.callbacks);
    CHECK(back->changes == expected.changes);
    CHECK(back->historyBytes == expected.historyBytes);
    CHECK(back->historyHash == expected.historyHash);
    CHECK(back->eventBytes == expected.eventBytes);
    CHECK(back->tensors.at("dense/kernel:m").isBitEqual(expected.tensors.at("dense/kernel:m")));
  }

  TEST_CASE("the newest checkpoint is skipped with a warning if any part of it is damaged") {
    TemporaryFolder folder;
    save(folder, example(1));
    const auto saved = save(folder, example(2));
    const auto bytes = static_cast<std::streamoff>(saved.bytes);
    for (std::streamoff at = 0; at < bytes; at += at < 1000 ? 13 : 997) {
      flipByte(saved.path, at);
      std::vector<std::string> warnings;
      const auto back = loadCheckpoint(folder.path().string(), warnings);
      CHECK_MESSAGE((back && back->step == 1 && warnings.size() == 1), "byte " << at);
      flipByte(saved.path, at);
    }
    std::filesystem::resize_file(saved.path, saved.bytes / 2);
    std::vector<std::string> warnings;
    CHECK(loadCheckpoint(folder.path().string(), warnings)->step == 1);
    for (const auto& entry : std::filesystem::directory_iterator(folder / "checkpoints"))
      std::filesystem::resize_file(entry.path(), 20);
    CHECK_THROWS_AS(loadCheckpoint(folder.path().string(), warnings), Error);
  }

  TEST_CASE("a full disk leaves the previous checkpoint unchanged") {
    TemporaryFolder folder;
    const auto first = save(folder, example(1));
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{first.bytes / 2, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    ErrorCode code = ErrorCode::Internal;
    try {
      save(folder, example(2));
    }
    catch (const Error& error) {
      code = error.code();
    }
    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    CHECK(code == ErrorCode::IoFailure);
    CHECK(countFiles(folder / "checkpoints") == 1);
    std::vector<std::string> warnings;
    CHECK(loadCheckpoint(folder.path().string(), warnings)->step == 1);
  }

  TEST_CASE("a checkpoint that a killed process recorded but did not write is skipped silently") {
    TemporaryFolder folder;
    save(folder, example(1));
    std::string problem;
    RunRecord record = *readRunRecord(folder.path().string(), problem);
    record.checkpoints.push_back({checkpointName(2), 2, "not written", true, false});
    writeRunRecord(folder.path().string(), record);
    std::vector<std::string> warnings;
    CHECK(loadCheckpoint(folder.path().string(), warnings)->step == 1);
    CHECK(warnings.empty());
    std::filesystem::remove_all(folder / "checkpoints");
    record.checkpoints.erase(record.checkpoints.begin());
    writeRunRecord(folder.path().string(), record);
    // There is no warning, because the process was killed while it wrote its first checkpoint.
    CHECK(!loadCheckpoint(folder.path().string(), warnings));
    CHECK(warnings.empty());
  }

  TEST_CASE("while a checkpoint replaces one of the same step, one of the two is always valid") {
    TemporaryFolder folder;
    save(folder, example(1));
    Checkpoint other = example(1);
    other.seconds = 99;
    std::string problem;
    RunRecord record = *readRunRecord(folder.path().string(), problem);
    record.checkpoints.push_back({checkpointName(1), 1, "not written", true, false});
    writeRunRecord(folder.path().string(), record);
    std::vector<std::string> warnings;
    CHECK(loadCheckpoint(folder.path().string(), warnings)->seconds == 12.5);
    save(folder, other);
    save(folder, example(2));
    CHECK(countFiles(folder / "checkpoints") == 2);
    std::filesystem::remove(folder / "checkpoints/000000000002.safetensors");
    CHECK(loadCheckpoint(folder.path().string(), warnings)->seconds == 99);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("000000000002.safetensors: is missing") != std::string::npos);
  }

  TEST_CASE("a record with names outside the folder is damaged") {
    for (const char* name : {"../weights.safetensors", "1.safetensors", "000000000002.safetensors",
                             "000000000001.safetensors/x", ""}) {
      TemporaryFolder folder;
      RunRecord record;
      record.checkpoints.push_back({name, 1, "", false, false});
      writeRunRecord(folder.path().string(), record);
      std::string problem;
      CHECK(!readRunRecord(folder.path().string(), problem));
      CHECK(problem == "has a damaged record.json");
    }
  }
}
