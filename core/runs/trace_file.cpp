// SPDX-License-Identifier: Apache-2.0
#include "core/runs/trace_file.h"

#include <charconv>
#include <filesystem>

#include "core/runs/device_lanes.h"
#include "core/trace/binary_trace.h"
#include "core/trace/trace_export.h"

namespace strata {

namespace {

std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

std::string extent(const std::array<int64_t, 3>& size) {
  return size[0] == 0 ? ""
                      : std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" +
                            std::to_string(size[2]);
}

std::string number(double value) {
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

}  // namespace

TracePointer traceOf(const KernelProfile& kernels) {
  TraceBuilder builder;
  DeviceLanes lanes(builder, kernels.device, kernels.source == StepRecords::Source::Predicted);
  std::chrono::nanoseconds offset{0};
  for (const TracedStep& step : kernels.traced) {
    lanes.addStep(kernels, step, offset);
    offset += step.duration();
  }
  return builder.finish();
}

std::string printTrace(const KernelProfile& kernels) {
  return printTrace(*traceOf(kernels), kernels);
}

std::string printTrace(const Trace& trace, const KernelProfile& kernels) {
  std::string text;
  printChromeTrace(
      trace, [&](std::string_view piece) { text += piece; },
      {{"device", kernels.device}, {"source", std::string(sourceName(kernels.source))}});
  return text;
}

std::string runTracePath(const std::string& runDirectory) { return runDirectory + "/trace.bin"; }

void writeRunTrace(const std::string& runDirectory, const Trace& trace) {
  writeTraceFile(runTracePath(runDirectory), trace, Links::Replace);
}

TracePointer readRunTrace(const std::string& runDirectory, const std::stop_token& stop) {
  const std::string path = runTracePath(runDirectory);
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return nullptr;
  return readBinaryTrace(path, stop);
}

std::string printKernelTable(const KernelProfile& kernels) {
  std::string text =
      "device,source,layer,op,phase,kernel,stream,calls,nanoseconds,grid,block,registers,"
      "shared_bytes,theoretical_occupancy,occupancy,flops_per_second,bytes_per_second\n";
  for (const KernelRow& row : kernels.rows) {
    const KernelRecord& record = row.record;
    for (const std::string& field :
         {csvField(kernels.device), std::string(sourceName(kernels.source)), csvField(record.layer),
          csvField(record.op), std::string(phaseName(record.phase)), csvField(record.name),
          csvField(record.stream), std::to_string(row.calls), std::to_string(row.total.count()),
          extent(record.grid), extent(record.block), std::to_string(record.registers),
          std::to_string(record.sharedBytes), number(record.theoreticalOccupancy),
          number(record.occupancy), kernels.isMain(row) ? number(row.flopsPerSecond()) : ""})
      text += field + ",";
    if (kernels.isMain(row)) text += number(row.bytesPerSecond());
    text += "\n";
  }
  return text;
}

}  // namespace strata
