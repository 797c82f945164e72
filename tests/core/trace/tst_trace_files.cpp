// SPDX-License-Identifier: Apache-2.0
// Writes random traces and reads them again: Strata's own format, JSON and CSV. Damaged files of
// Strata's own format are refused.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include <doctest/doctest.h>

#include "core/project/seal.h"
#include "core/trace/binary_trace.h"
#include "core/trace/chrome_reader.h"
#include "core/trace/trace_builder.h"
#include "gpu/base/error.h"
#include "tests/support/paths.h"

namespace strata {
namespace {

TracePointer randomTrace(unsigned seed) {
  TraceBuilder builder;
  std::mt19937 random(seed);
  builder.setOrigin(1'700'000'000'000'000'123);
  const uint32_t host = builder.addProcess("host \"é\"");
  const uint32_t device = builder.addProcess("cuda:0, the first");
  builder.setProcessPlace(host, 5);
  std::vector<uint32_t> lanes;
  for (int i = 0; i < 4; ++i) {
    lanes.push_back(*builder.addLane(i < 2 ? host : device, "lane " + std::to_string(i),
                                     i < 2 ? LaneKind::Host : LaneKind::Device));
    builder.setLanePlace(lanes.back(), -i);
  }
  std::vector<std::pair<uint32_t, TraceEvent>> events;
  for (int i = 0; i < 400; ++i) {
    TraceRecord record;
    record.name = builder.text("event, \"" + std::to_string(random() % 9) + "\"");
    record.category = builder.text(random() % 2 == 0 ? "kernel" : "");
    record.layer = builder.text("conv" + std::to_string(random() % 3));
    if (random() % 2 == 0) {
      TraceWork work;
      work.grid = {1 + static_cast<int64_t>(random() % 4), 2, 1};
      work.block = {128, 1, 1};
      work.registers = 32;
      work.occupancy = 0.375;
      work.bytes = 1e6;
      record.work = builder.work(work);
    }
    const uint32_t lane = lanes[random() % lanes.size()];
    // Nested or apart, so that other programs show the same
    const int64_t begin = 1000 * static_cast<int64_t>(i);
    if (const auto event = builder.addEvent(lane, begin, random() % 900, builder.record(record)))
      events.emplace_back(lane, *event);
  }
  for (int i = 0; i < 20; ++i) {
    const auto& [from, first] = events[random() % 200];
    const auto& [to, second] = events[200 + random() % 200];
    if (first.duration() > 0 && second.duration() > 0) builder.addLink({from, to, first, second});
    builder.addMark(i % 2 == 0 ? std::optional(lanes[0]) : std::nullopt, i * 777, 1);
    builder.addSample(device, "memory", i % 2 == 0 ? "parameter" : "gradient", i / 2 * 500, i);
  }
  builder.addNote(TraceNote::Kind::UnknownPhase, "b", 7);
  return builder.finish();
}

std::string bytesOf(const TracePointer& trace) {
  std::string bytes;
  printBinaryTrace(*trace, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

std::string textOf(const TracePointer& trace) {
  std::string text;
  printChromeTrace(*trace, [&](std::string_view piece) { text += piece; });
  return text;
}

/// Returns the lines of the table, sorted, because the lanes may have other numbers.
std::vector<std::string> eventsOf(const TracePointer& trace) {
  std::stringstream table;
  printEventTable(*trace, [&](std::string_view piece) { table << piece; });
  std::vector<std::string> lines;
  for (std::string line; std::getline(table, line);)
    lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

TracePointer readBytes(const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = (folder / "trace.bin").string();
  std::ofstream(path, std::ios::binary) << bytes;
  CHECK(isBinaryTrace(path) == bytes.starts_with("STRATAT1"));
  return readBinaryTrace(path);
}

}  // namespace

TEST_SUITE_BEGIN("trace files");

TEST_CASE("Strata's own files keep everything") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const TracePointer trace = randomTrace(seed);
    const std::string bytes = bytesOf(trace);
    const TracePointer read = readBytes(bytes);
    CHECK(eventsOf(read) == eventsOf(trace));
    CHECK(bytesOf(read).size() == bytes.size());
    CHECK(bytesOf(readBytes(bytesOf(read))) == bytesOf(read));
    CHECK(textOf(read).size() == textOf(trace).size());
    CHECK(read->origin == trace->origin);
    CHECK(read->begin == trace->begin);
    CHECK(read->end == trace->end);
    CHECK(read->notes == trace->notes);
    CHECK(read->links.size() == trace->links.size());
    CHECK(read->processes[read->processOrder[0]].name == "cuda:0, the first");
  }
  CHECK(readBytes(bytesOf(TraceBuilder().finish()))->numEvents() == 0);
}

TEST_CASE("every changed or missing byte of Strata's own file is noticed") {
  const std::string bytes = bytesOf(randomTrace(1));
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
    CHECK_THROWS_AS((void)readBytes(damaged), Error);
    CHECK_THROWS_AS((void)readBytes(bytes.substr(0, random() % bytes.size())), Error);
  }
  CHECK_THROWS_AS((void)readBytes(bytes + "x"), Error);
}

TEST_CASE("a file with a right checksum and wrong contents is refused") {
  std::string bytes = bytesOf(randomTrace(1));
  const auto messageOf = [&](size_t at, char value) {
    std::string changed = bytes.substr(0, bytes.size() - 16);
    changed[at] = value;
    try {
      (void)readBytes(changed + hashOfBytes(changed));
    }
    catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(messageOf(0, 'X').find("expected \"STRATAT1\" at byte 0") != std::string::npos);
  CHECK(messageOf(8, 2).find("has version 2 (expected 1)") != std::string::npos);
  // The count of the texts
  CHECK(messageOf(27, 0x7f).find("a list has") != std::string::npos);
}

TEST_CASE("JSON for other programs has the same events, links, marks and counters") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const TemporaryFolder folder;
    const TracePointer trace = randomTrace(seed);
    const std::string path = (folder / "trace.json").string();
    writeTraceFile(path, *trace);
    const TracePointer read = readChromeTrace(path);
    CHECK(read->notes.empty());
    CHECK(textOf(read) == [&] {
      std::ifstream file(path, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    }());
    CHECK(read->numEvents() == trace->numEvents());
    CHECK(read->links.size() == trace->links.size());
    CHECK(eventsOf(read) == eventsOf(trace));
    CHECK(read->origin + read->begin == trace->origin + trace->begin);
  }
}

TEST_CASE("the table has a line for each event") {
  const TemporaryFolder folder;
  const std::string path = (folder / "trace.csv").string();
  writeTraceFile(path, *randomTrace(3));
  std::ifstream file(path);
  std::string line;
  int count = 0;
  while (std::getline(file, line)) {
    if (count == 0) CHECK(line.starts_with("process,lane,depth,name,"));
    ++count;
  }
  CHECK(count == 401);
}

TEST_SUITE_END();

}  // namespace strata
