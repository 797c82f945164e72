// SPDX-License-Identifier: Apache-2.0
// Reads traces as other programs write them, and damaged ones.
#include <zlib.h>

#include <fstream>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "core/trace/chrome_event.h"
#include "core/trace/chrome_reader.h"
#include "core/trace/trace_query.h"
#include "gpu/base/error.h"
#include "tests/support/paths.h"

namespace strata {
namespace {

TracePointer readText(const std::string& text, const TraceReadOptions& options = {}) {
  const TemporaryFolder folder;
  const std::string path = (folder / "trace.json").string();
  std::ofstream(path, std::ios::binary) << text;
  return readChromeTrace(path, options);
}

std::string messageOf(const std::string& text, const TraceReadOptions& options = {}) {
  try {
    (void)readText(text, options);
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidFile);
    return error.what();
  }
  return "";
}

const TraceLane& laneOf(const Trace& trace, const std::string& name) {
  for (const auto& lane : trace.lanes)
    if (lane->name == name) return *lane;
  throw std::runtime_error("no lane " + name);
}

int64_t countOf(const Trace& trace, TraceNote::Kind kind) {
  for (const TraceNote& note : trace.notes)
    if (note.kind == kind) return note.count;
  return 0;
}

/// As the PyTorch profiler writes it.
constexpr const char* kPyTorch = R"({"schemaVersion": 1, "deviceProperties": [{"id": 0}],
"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::relu", "pid": 47, "tid": 47, "ts": 1700000000000100.500, "dur": 20.250, "args": {"External id": 5, "Ev Idx": 0}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 47, "tid": 47, "ts": 1700000000000105, "dur": 5, "args": {"External id": 5, "cbid": 211, "correlation": 9}},
{"ph": "s", "id": 9, "pid": 47, "tid": 47, "ts": 1700000000000105, "cat": "ac2g", "name": "ac2g"},
{"ph": "X", "cat": "kernel", "name": "relu_kernel", "pid": 0, "tid": 7, "ts": 1700000000000150, "dur": 3.002, "args": {"External id": 5, "device": 0, "stream": 7, "correlation": 9, "registers per thread": 32, "shared memory": 1024, "grid": [64, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 50}},
{"ph": "f", "id": 9, "pid": 0, "tid": 7, "ts": 1700000000000150, "cat": "ac2g", "name": "ac2g", "bp": "e"},
{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 47, "tid": 47, "ts": 1700000000000101, "args": {"Total Allocated": 4096, "Bytes": 512, "Device Id": 0, "Device Type": 1}},
{"ph": "i", "s": "g", "name": "Iteration Start: PyTorch Profiler", "pid": "Traces", "tid": "Trace PyTorch Profiler", "ts": 1700000000000100},
{"ph": "b", "id": 1, "name": "async", "pid": 47, "tid": 47, "ts": 1700000000000100},
{"name": "process_name", "ph": "M", "ts": 1700000000000100, "pid": 0, "tid": 0, "args": {"name": "python"}},
{"name": "process_labels", "ph": "M", "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}},
{"name": "process_sort_index", "ph": "M", "pid": 0, "tid": 0, "args": {"sort_index": 5}},
{"name": "process_sort_index", "ph": "M", "pid": 47, "tid": 0, "args": {"sort_index": 9}},
{"name": "thread_name", "ph": "M", "pid": 0, "tid": 7, "args": {"name": "stream 7"}},
{"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "unused"}}
], "traceName": "a.json"})";

}  // namespace

TEST_SUITE_BEGIN("chrome trace");

TEST_CASE("microseconds become nanoseconds without rounding the end separately") {
  CHECK(parseMicroseconds("1700000000000100.5")->nanoseconds == 1700000000000100500);
  CHECK(parseMicroseconds("-1.0005")->nanoseconds == -1001);
  CHECK(parseMicroseconds("-1.0005")->picoseconds == 500);
  CHECK(parseMicroseconds("1e3")->nanoseconds == 1000000);
  CHECK(parseMicroseconds("0.000999999999")->nanoseconds == 0);
  CHECK(*sumOf(*parseMicroseconds("0.0006"), *parseMicroseconds("0.0006")) == 1);
  for (const char* bad : {"", "-", "x", "1.", "1x", "1e99", "99999999999999999", "nan", "inf"})
    CHECK_MESSAGE(!parseMicroseconds(bad), bad);
}

TEST_CASE("a trace of the PyTorch profiler") {
  const TracePointer trace = readText(kPyTorch);
  CHECK(trace->isComplete);
  CHECK(trace->numEvents() == 3);
  CHECK(trace->origin == 1700000000000100000);
  REQUIRE(trace->processOrder.size() == 2);
  CHECK(trace->processes[trace->processOrder[0]].name == "python (GPU 0)");
  CHECK(trace->processes[trace->processOrder[1]].name == "process 47");
  const TraceLane& host = laneOf(*trace, "thread 47");
  REQUIRE(host.rows.size() == 2);
  CHECK(host.rows[0].events[0].begin() == 500);
  CHECK(host.rows[0].events[0].duration() == 20250);
  CHECK(host.kind == LaneKind::Host);
  const TraceLane& stream = laneOf(*trace, "stream 7");
  CHECK(stream.kind == LaneKind::Device);
  const TraceEvent& kernel = stream.rows[0].events[0];
  CHECK(trace->nameOf(kernel) == "relu_kernel");
  const TraceRecord& record = trace->recordOf(kernel);
  CHECK(trace->texts[record.op] == "aten::relu");
  CHECK(trace->texts[record.category] == "kernel");
  const TraceWork& work = trace->works[record.work];
  CHECK(work.grid == std::array<int64_t, 3>{64, 1, 1});
  CHECK(work.registers == 32);
  CHECK(work.sharedBytes == 1024);
  CHECK(work.occupancy == doctest::Approx(0.5));
  // The flow repeats the correlation
  REQUIRE(trace->links.size() == 1);
  CHECK(trace->links[0].from == host.rows[1].events[0]);
  CHECK(trace->links[0].to == kernel);
  REQUIRE(trace->counters.size() == 1);
  CHECK(trace->counters[0]->series == "device 0");
  CHECK(trace->counters[0]->samples[0].value == 4096);
  CHECK(trace->marks.size() == 1);
  CHECK(countOf(*trace, TraceNote::Kind::UnknownPhase) == 1);
  CHECK(trace->notes.size() == 1);
}

TEST_CASE("begins and ends, numbers as text, and members in any order") {
  const TracePointer trace = readText(R"([
    {"ts": "10", "pid": "a", "tid": "t", "name": "outer", "ph": "B"},
    {"args": {"grid": [2, 3], "bytes": "8"}, "cat": "c", "name": "inner", "ph": "X", "pid": "a",
     "tid": "t", "ts": 11, "dur": "2"},
    {"ph": "E", "ts": 20, "pid": "a", "tid": "t"},
    {"ph": "E", "ts": 21, "pid": "a", "tid": "t"},
    {"ph": "B", "name": "open", "ts": 22, "pid": "a", "tid": "t"},
    {"args": {"x": 1, "bytes": 2.5, "y": "3"}, "ph": "C", "name": "counter", "ts": 23, "pid": "a"}
  ])");
  const TraceLane& lane = laneOf(*trace, "thread t");
  REQUIRE(lane.rows.size() == 2);
  REQUIRE(lane.rows[0].events.size() == 2);
  CHECK(lane.rows[0].events[0].duration() == 10000);
  CHECK(lane.rows[0].events[1].end() == 13000);
  const TraceWork& work = trace->works[trace->recordOf(lane.rows[1].events[0]).work];
  CHECK(work.grid == std::array<int64_t, 3>{2, 3, 0});
  CHECK(work.bytes == 8);
  CHECK(countOf(*trace, TraceNote::Kind::Unmatched) == 2);
  CHECK(trace->counters.size() == 3);
}

TEST_CASE("strange events are counted and do not move the origin") {
  std::string text = R"([{"ph": "X", "name": "early", "pid": 1, "tid": 1, "ts": 0, "dur": 1},
    {"ph": "X", "name": "no time", "pid": 1, "tid": 1}, 7, [], {"name": "no phase"},
    {"ph": "X", "name": "negative", "pid": 1, "tid": 1, "ts": 5, "dur": -1})";
  for (int i = 0; i < 300; ++i)
    text += R"(,{"ph": "X", "name": "a", "pid": 1, "tid": 1, "dur": 1, "ts": )" +
            std::to_string(1700000000000000 + 10 * i) + "}";
  const TracePointer trace = readText(text + "]");
  CHECK(trace->numEvents() == 300);
  CHECK(trace->origin == 1700000000000000000);
  CHECK(countOf(*trace, TraceNote::Kind::BadEvent) == 5);
  CHECK(countOf(*trace, TraceNote::Kind::OutOfRange) == 1);
  CHECK(noteText(trace->notes[0]).find("no time") != std::string::npos);
}

TEST_CASE("a file that was cut keeps its events at every byte, or is refused as no trace") {
  const std::string text = kPyTorch;
  size_t before = 0;
  for (size_t size = 0; size < text.size(); ++size) {
    try {
      const TracePointer trace = readText(text.substr(0, size));
      CHECK(countOf(*trace, TraceNote::Kind::Truncated) == 1);
      CHECK(trace->numEvents() >= before);
      before = trace->numEvents();
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::InvalidFile);
      CHECK(size < text.find("cpu_op") + 200);
    }
  }
  CHECK(before == 3);
}

TEST_CASE("files that are no traces are refused with the reason") {
  CHECK(messageOf("{}").find("is not a trace (expected a list of events") == 0);
  CHECK(messageOf("3").find("is not a trace") == 0);
  CHECK(messageOf("").find("at byte 0 (expected a value, got the end of the file)") !=
        std::string::npos);
  CHECK(messageOf(R"([{"ph": "X" "name": 1}])").find("at byte 12 (expected \",\" or \"}\"") !=
        std::string::npos);
  TraceReadOptions small;
  small.maxBytes = 1000;
  CHECK(messageOf(kPyTorch, small).find("expected at most 1000 bytes of JSON") !=
        std::string::npos);
}

TEST_CASE("gzip files are read, also cut ones, and a bomb is refused") {
  const TemporaryFolder folder;
  const std::string path = (folder / "trace.json.gz").string();
  const auto pack = [&](const std::string& text) {
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  };
  pack(kPyTorch);
  CHECK(readChromeTrace(path)->numEvents() == 3);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) * 3 / 4);
  const TracePointer cut = readChromeTrace(path);
  CHECK(cut->numEvents() > 0);
  CHECK(countOf(*cut, TraceNote::Kind::Truncated) == 1);
  pack("[" + std::string(8 << 20, ' ') + "]");
  TraceReadOptions options;
  options.maxBytes = 1 << 20;
  CHECK_THROWS_AS((void)readChromeTrace(path, options), Error);
}

TEST_CASE("snapshots grow and share, and a stop ends the reading") {
  std::string text = "[";
  for (int i = 0; i < 20000; ++i)
    text += R"({"ph":"X","name":"a)" + std::to_string(i % 50) + R"(","pid":1,"tid":)" +
            std::to_string(i % 3) + R"(,"dur":4,"ts":)" + std::to_string(5 * i) + "},";
  text.back() = ']';
  TraceReadOptions options;
  options.interval = std::chrono::milliseconds(0);
  std::vector<TracePointer> snapshots;
  double before = 0;
  options.onSnapshot = [&](const TracePointer& trace, double part) {
    CHECK(!trace->isComplete);
    CHECK(part >= before);
    before = part;
    snapshots.push_back(trace);
  };
  const TracePointer whole = readText(text, options);
  CHECK(whole->numEvents() == 20000);
  REQUIRE(snapshots.size() > 20);
  for (size_t i = 1; i < snapshots.size(); ++i)
    CHECK(snapshots[i]->numEvents() > snapshots[i - 1]->numEvents());
  // The events that a snapshot has are those of the whole trace
  const TraceRow& row = snapshots[10]->lanes[0]->rows[0];
  for (size_t i = 0; i < row.events.size(); ++i)
    CHECK(row.events[i] == whole->lanes[0]->rows[0].events[i]);
  // Pieces are shared
  CHECK(&snapshots.back()->lanes[0]->rows[0].events[0] == &whole->lanes[0]->rows[0].events[0]);

  std::stop_source source;
  TraceReadOptions stopped;
  stopped.stop = source.get_token();
  stopped.interval = options.interval;
  stopped.onSnapshot = [&](const TracePointer&, double) {
    source.request_stop();
  };
  try {
    (void)readText(text, stopped);
    CHECK(false);
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::Stopped);
  }
}

TEST_SUITE_END();

}  // namespace strata
