// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>
#include <limits>

#include <doctest/doctest.h>

#include "core/runs/history.h"
#include "gpu/base/error.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

void appendSteps(HistoryWriter& writer, int64_t from, int64_t to) {
  for (int64_t step = from; step <= to; ++step) {
    const double metrics[] = {1.0 / static_cast<double>(step), static_cast<double>(step)};
    writer.append({step, static_cast<int32_t>(step / 100), HistoryKind::Step,
                   0.1 * static_cast<double>(step), 1e-3, 64, std::sqrt(static_cast<double>(step)),
                   metrics});
  }
}

}  // namespace

TEST_SUITE("history") {
  TEST_CASE("steps, epochs and non-finite values are read exactly as they were written") {
    TemporaryFolder folder;
    const std::string path = (folder / "history.bin").string();
    {
      HistoryWriter writer(path, {"accuracy", "mean_absolute_error"});
      appendSteps(writer, 1, 5000);
      const double metrics[] = {0.5, std::numeric_limits<double>::infinity()};
      writer.append({5000, 1, HistoryKind::Validation, 2, 1e-3, 6000, std::nan(""), metrics});
    }
    const HistoryReader reader(path);
    CHECK(reader.metricNames() == std::vector<std::string>{"accuracy", "mean_absolute_error"});
    REQUIRE(reader.size() == 5001);
    for (size_t i = 0; i < 5000; ++i) {
      const HistoryRecord record = reader[i];
      const auto step = static_cast<double>(i + 1);
      if (record.step != static_cast<int64_t>(i + 1) || record.loss != std::sqrt(step) ||
          record.metrics[0] != 1.0 / step || record.metrics[1] != step)
        FAIL("step " << i + 1);
    }
    CHECK(std::isnan(reader[5000].loss));
    CHECK(reader[5000].kind == HistoryKind::Validation);
    CHECK(std::isinf(reader[5000].metrics[1]));
    CHECK(reader.firstOfStep(1) == 0);
    CHECK(reader.firstOfStep(777) == 776);
    CHECK(reader.firstOfStep(5001) == 5001);
  }

  TEST_CASE("measures are kept next to the metrics, and unknown ones are NaN") {
    TemporaryFolder folder;
    const std::string path = (folder / "history.bin").string();
    {
      HistoryWriter writer(path, {"accuracy"});
      const double metric = 0.5;
      const Measures measures{1.5F, 1024.0F, 0.25F, 0.125F};
      writer.append({1, 1, HistoryKind::Step, 1, 1e-3, 64, 2, {&metric, 1}, measures});
      writer.append({2, 1, HistoryKind::Step, 2, 1e-3, 64, 1, {&metric, 1}});
    }
    const HistoryReader reader(path);
    CHECK(reader.measureNames() ==
          std::vector<std::string>{"gradient_norm", "loss_scale", "data_wait", "replica_wait"});
    REQUIRE(reader.size() == 2);
    CHECK(reader[0].measures[0] == 1.5F);
    CHECK(reader[0].measures[3] == 0.125F);
    CHECK(reader[0].metrics[0] == 0.5);
    CHECK(std::isnan(reader[1].measures[1]));
    CHECK(reader[1].metrics[0] == 0.5);
  }

  TEST_CASE("a file of version 1 opens, and a run goes on with it") {
    TemporaryFolder folder;
    const std::string path = (folder / "history.bin").string();
    {
      std::ofstream file(path, std::ios::binary);
      const auto put = [&](auto value) {
        file.write(reinterpret_cast<const char*>(&value), sizeof value);
      };
      file.write("STRATAH1", 8);
      for (const uint32_t number : {1U, 40U, 56U, 1U})
        put(number);
      put(uint16_t{8});
      file.write("accuracy\0\0\0\0\0\0", 14);
      for (int64_t step = 1; step <= 2; ++step) {
        put(step);
        put(int32_t{1});
        put(int32_t{0});
        put(0.5 * static_cast<double>(step));
        put(1e-3);
        put(int64_t{64});
        put(static_cast<double>(step));
        put(0.25);
      }
    }
    {
      const HistoryReader reader(path);
      REQUIRE(reader.size() == 2);
      CHECK(reader.measureNames().empty());
      CHECK(reader[1].measures.empty());
      CHECK(reader[1].loss == 2);
      CHECK(reader[1].metrics[0] == 0.25);
    }
    std::string warning;
    {
      HistoryWriter writer(path, {"accuracy"}, {40 + 56, "", 1}, warning);
      const double metric = 0.75;
      writer.append({2, 1, HistoryKind::Step, 2, 1e-3, 64, 7, {&metric, 1}, Measures{1, 2, 3, 4}});
    }
    CHECK(warning.empty());
    const HistoryReader reader(path);
    REQUIRE(reader.size() == 2);
    CHECK(reader[1].loss == 7);
    CHECK(reader[1].metrics[0] == 0.75);
  }

  TEST_CASE("resuming from a checkpoint removes later records and a truncated one") {
    TemporaryFolder folder;
    const std::string path = (folder / "history.bin").string();
    uint64_t bytes = 0;
    std::string hash;
    {
      HistoryWriter writer(path, {"a", "b"});
      appendSteps(writer, 1, 10);
      writer.flush();
      bytes = writer.bytes();
      hash = writer.hash();
      appendSteps(writer, 11, 20);
    }
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
    const HistoryReader before(path);
    CHECK(before.size() == 19);
    {
      std::string warning;
      HistoryWriter writer(path, {"a", "b"}, {bytes, hash, 10}, warning);
      CHECK(warning.empty());
      appendSteps(writer, 11, 12);
    }
    const HistoryReader reader(path);
    CHECK(reader.size() == 12);
    CHECK(reader[11].step == 12);
    // Who shows the run meanwhile keeps what it had
    CHECK(before[18].step == 19);
  }

  TEST_CASE(
      "resuming with a history that is lost, damaged, truncated or has other metrics reports what "
      "the curves lack") {
    TemporaryFolder folder;
    const std::string path = (folder / "history.bin").string();
    uint64_t bytes = 0;
    std::string hash;
    const auto makeTen = [&] {
      HistoryWriter writer(path, {"a", "b"});
      appendSteps(writer, 1, 10);
      writer.flush();
      bytes = writer.bytes();
      hash = writer.hash();
    };
    const auto goOn = [&](const std::vector<std::string>& names) {
      std::string warning;
      HistoryWriter writer(path, names, {bytes, hash, 10}, warning);
      appendSteps(writer, 11, 12);
      return warning;
    };
    makeTen();
    std::filesystem::remove(path);
    CHECK(goOn({"a", "b"}).find("is missing, so the curves lack steps 1 to 10.") !=
          std::string::npos);
    CHECK(HistoryReader(path).size() == 2);

    makeTen();
    std::filesystem::resize_file(path, std::filesystem::file_size(path) * 2 / 3);
    const size_t left = HistoryReader(path).size();
    const std::string cut = "lack steps " + std::to_string(left + 1) + " to 10.";
    CHECK(goOn({"a", "b"}).find(cut) != std::string::npos);
    CHECK(HistoryReader(path).size() == left + 2);
    CHECK(HistoryReader(path)[left].step == 11);

    makeTen();
    const auto whole = std::filesystem::file_size(path);
    CHECK(goOn({"a", "c"}).find("is damaged (kept as history.damaged.bin)") != std::string::npos);
    CHECK(std::filesystem::file_size(folder / "history.damaged.bin") == whole);
    std::ofstream(path) << "no history";
    CHECK(goOn({"a", "b"}).find("(kept as history.damaged-2.bin)") != std::string::npos);
    CHECK(HistoryReader(path).size() == 2);

    makeTen();
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(200).put('x');
    CHECK(goOn({"a", "b"}).find("so the curves up to step 10 may be wrong.") != std::string::npos);
    CHECK(HistoryReader(path).size() == 12);
  }

  TEST_CASE("files of other formats are refused") {
    TemporaryFolder folder;
    const std::string path = (folder / "history.bin").string();
    {
      HistoryWriter writer(path, {"accuracy"});
      appendSteps(writer, 1, 3);
    }
    std::string whole;
    {
      std::ifstream in(path, std::ios::binary);
      whole.assign(std::istreambuf_iterator<char>(in), {});
    }
    for (size_t at = 0; at < 26; ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0xff);
      std::ofstream(path, std::ios::binary) << changed;
      CHECK_THROWS_AS(HistoryReader{path}, Error);
    }
    for (size_t size = 0; size < 32; ++size) {
      std::ofstream(path, std::ios::binary) << whole.substr(0, size);
      CHECK_THROWS_AS(HistoryReader{path}, Error);
    }
    CHECK_THROWS_AS(HistoryReader((folder / "absent").string()), Error);
  }
}
