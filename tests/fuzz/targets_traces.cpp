// SPDX-License-Identifier: Apache-2.0
// Targets that read traces: of other programs, and Strata's own.
#include <stdexcept>

#include "core/project/seal.h"
#include "core/trace/binary_trace.h"
#include "core/trace/chrome_reader.h"
#include "core/trace/trace_export.h"
#include "core/trace/trace_query.h"
#include "tests/fuzz/repair.h"
#include "tests/fuzz/target.h"
#include "tests/support/paths.h"

namespace strata::fuzz {

namespace {

constexpr const char* kOfPyTorch = R"({"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::relu", "pid": 47, "tid": 47, "ts": 1700000000000100.500, "dur": 20.250, "args": {"External id": 5, "Ev Idx": 0}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 47, "tid": 47, "ts": 1700000000000105, "dur": 5, "args": {"External id": 5, "correlation": 9}},
{"ph": "s", "id": 9, "pid": 47, "tid": 47, "ts": 1700000000000105, "cat": "ac2g", "name": "ac2g"},
{"ph": "X", "cat": "kernel", "name": "relu_kernel", "pid": 0, "tid": 7, "ts": 1700000000000150, "dur": 3.002, "args": {"External id": 5, "correlation": 9, "registers per thread": 32, "grid": [64, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 50}},
{"ph": "f", "id": 9, "pid": 0, "tid": 7, "ts": 1700000000000150, "cat": "ac2g", "name": "ac2g", "bp": "e"},
{"ph": "i", "s": "t", "name": "[memory]", "pid": 47, "tid": 47, "ts": 1700000000000101, "args": {"Total Allocated": 4096, "Device Id": 0, "Device Type": 1}},
{"ph": "i", "s": "g", "name": "Iteration Start", "pid": "Traces", "tid": "Trace", "ts": 1700000000000100},
{"name": "process_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "python"}},
{"name": "thread_sort_index", "ph": "M", "pid": 0, "tid": 7, "args": {"sort_index": 7}}]})";
constexpr const char* kOfChrome = R"([
{"ph": "B", "name": "outer", "pid": "a", "tid": "t", "ts": "10"},
{"ph": "X", "name": "inner \u00e9\ud83d\ude00", "pid": "a", "tid": "t", "ts": 1.1e1, "dur": 2, "args": {"layer": "conv1", "op": "conv2d", "phase": "forward", "bytes": 8}},
{"ph": "E", "pid": "a", "tid": "t", "ts": 20},
{"ph": "X", "name": "overlaps", "pid": "a", "tid": "t", "ts": 15, "dur": 9},
{"ph": "C", "name": "memory", "pid": "a", "ts": 12, "args": {"x": 1, "y": 2.5}},
{"ph": "t", "id": 1, "name": "flow", "pid": "a", "tid": "t", "ts": 12},
{"ph": "i", "name": "mark", "pid": "a", "tid": "t", "ts": 12}])";

/// Uses a trace as the window does, and checks what its readers rely on.
void useTrace(const Trace& trace) {
  std::vector<uint32_t> lanes, columns(50);
  const double step = static_cast<double>(trace.end - trace.begin + 1) / 50;
  for (uint32_t lane = 0; lane < trace.lanes.size(); ++lane) {
    lanes.push_back(lane);
    for (uint32_t row = 0; row < trace.lanes[lane]->rows.size(); ++row) {
      const TraceRow& events = trace.lanes[lane]->rows[row];
      fillColumns(events, static_cast<double>(trace.begin), step, columns);
      for (size_t i = 0; i < events.events.size(); ++i) {
        if (i > 0 && events.events[i].begin() < events.events[i - 1].end())
          throw std::logic_error("the events of a row overlap");
        (void)trace.nameOf(events.events[i]);
        for (const EventPlace& linked : linkedEvents(trace, {lane, row, i}, 10))
          (void)eventOf(trace, linked);
      }
    }
  }
  (void)sumByName(trace, lanes, trace.begin, trace.end);
  for (const TraceNote& note : trace.notes)
    (void)noteText(note);
}

std::string readChrome(const std::string& path, uint64_t number) {
  TraceReadOptions options;
  options.maxBytes = uint64_t{64} << 20;
  if (number % 2 == 0) {
    options.interval = std::chrono::milliseconds(0);
    options.onSnapshot = [](const TracePointer& trace, double) {
      useTrace(*trace);
    };
  }
  const TracePointer trace = readChromeTrace(path, options);
  useTrace(*trace);
  // What was read can be written and read again
  const std::string copy = path + ".copy.bin";
  writeTraceFile(copy, *trace);
  if (readBinaryTrace(copy)->numEvents() != trace->numEvents())
    throw std::logic_error("a written trace has other events");
  return "";
}

std::string readBinary(const std::string& path) {
  const TracePointer trace = readBinaryTrace(path);
  useTrace(*trace);
  std::string text;
  printChromeTrace(*trace, [&](std::string_view piece) { text += piece; });
  return hashOfBytes(text);
}

std::string binaryOf(const char* text) {
  const TemporaryFolder folder;
  const Mutant file(text, "", 0, folder.path());
  const TracePointer trace = readChromeTrace(file.put("trace.json"));
  return bytesWritten([&](const std::string& path) { writeTraceFile(path, *trace); });
}

std::string repairBinary(const std::string& file) {
  constexpr size_t kHashBytes = 16;
  if (file.size() < kHashBytes) return file;
  const std::string body = file.substr(0, file.size() - kHashBytes);
  return body + hashOfBytes(body);
}

}  // namespace

void addTraceTargets(std::vector<Target>& targets) {
  targets.push_back({"chrome-trace",
                     [] {
                       return std::vector<Seed>{{kOfPyTorch, Kind::Json},
                                                {kOfPyTorch, Kind::Text},
                                                {kOfChrome, Kind::Json},
                                                {kOfChrome, Kind::Bytes}};
                     },
                     [](const Mutant& mutant) {
                       return readChrome(mutant.put("trace.json"), mutant.number);
                     }});
  targets.push_back(
      {"chrome-trace-gzip",
       [] {
         return std::vector<Seed>{{gzipOf(kOfPyTorch, 0)}, {gzipOf(kOfChrome, 9)}};
       },
       [](const Mutant& mutant) { return readChrome(mutant.put("trace.json.gz"), mutant.number); },
       repairGzip});
  targets.push_back({"binary-trace",
                     [] {
                       return std::vector<Seed>{{binaryOf(kOfPyTorch)}, {binaryOf(kOfChrome)}};
                     },
                     [](const Mutant& mutant) { return readBinary(mutant.put("trace.bin")); },
                     repairBinary, true});
}

}  // namespace strata::fuzz
