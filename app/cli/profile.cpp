// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/project/project.h"
#include "core/runs/moved_run.h"
#include "core/runs/output_file.h"
#include "core/runs/profile_file.h"
#include "core/runs/replica_figures.h"
#include "core/runs/trace_file.h"
#include "gpu/base/printable.h"

namespace strata::cli {

namespace {

struct ProfileOptions {
  std::string run, trace, table;
  int64_t count = 20;
  bool isJson = false;
};

std::string extent(const std::array<int64_t, 3>& size) {
  if (size[0] == 0) return "-";
  std::string text = std::to_string(size[0]);
  if (size[1] > 1 || size[2] > 1) text += "x" + std::to_string(size[1]);
  if (size[2] > 1) text += "x" + std::to_string(size[2]);
  return text;
}

std::string orDash(bool isKnown, const std::string& text) { return isKnown ? text : "-"; }

std::string ratioText(double ratio) { return formatNumber(100 * ratio, 0) + "%"; }

/// Prints lines of words in columns as wide as their widest word. The first two are left-aligned.
void printColumns(const std::vector<std::vector<std::string>>& lines) {
  std::vector<size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines)
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], line[i].size());
  for (const auto& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string space(widths[i] - line[i].size(), ' ');
      text += (i == 0 ? "" : "  ") + (i < 2 ? line[i] + space : space + line[i]);
    }
    std::cout << text.substr(0, text.find_last_not_of(' ') + 1) << "\n";
  }
}

std::string microseconds(double seconds, int64_t steps) {
  return formatNumber(1e6 * seconds / static_cast<double>(std::max<int64_t>(1, steps)), 1);
}

/// Prints what several devices did, and their collectives.
void printReplicas(const ReplicaReport& report) {
  if (report.replicas.empty()) return;
  std::vector<std::vector<std::string>> lines{
      {"device", "memory", "compute us", "exposed us", "hidden us", "waiting us"}};
  for (const ReplicaFigures& each : report.replicas)
    lines.push_back({printable(each.name), bytesText(static_cast<double>(each.totalBytes())),
                     microseconds(each.computeSeconds, report.steps),
                     microseconds(each.exposedSeconds, report.steps),
                     microseconds(each.hiddenSeconds, report.steps),
                     microseconds(each.waitingSeconds, report.steps)});
  std::cout << "A step of each device (communication is exposed or hidden by computing):\n";
  printColumns(lines);
  if (const std::string slow = slowReplicaText(report); !slow.empty())
    std::cout << printable(slow) << "\n";
  lines.assign({{"collective", "number", "calls", "bytes", "median us"}});
  for (const CollectiveFigures& each : report.collectives)
    lines.push_back({each.op, std::to_string(each.number), std::to_string(each.calls),
                     std::to_string(each.bytes), formatNumber(1e6 * each.medianSeconds, 1)});
  if (lines.size() > 1) printColumns(lines);
}

/// Returns the layer of a kernel. The update is no part of a layer's time.
std::string layerText(const KernelRecord& record) {
  if (record.layer.empty()) return record.op;
  return record.phase == Phase::Update ? "update of " + record.layer : record.layer;
}

void printKernels(const ProfileSnapshot& profile, int64_t count) {
  const KernelProfile& kernels = *profile.kernels;
  std::vector<const KernelRow*> rows;
  double total = 0;
  for (const KernelRow& row : kernels.rows) {
    rows.push_back(&row);
    total += static_cast<double>(row.total.count());
  }
  std::ranges::stable_sort(
      rows, [](const KernelRow* a, const KernelRow* b) { return a->total > b->total; });
  const bool isPredicted = kernels.source == StepRecords::Source::Predicted;
  std::cout << printable(kernels.device) << ": " << formatCounted(kernels.steps, "step") << " of "
            << formatNumber(profile.stepMicroseconds, 1) << " us";
  if (isPredicted) {
    std::cout << ", predicted";
    if (!kernels.traced.empty())
      std::cout << "; "
                << formatNumber(
                       1e-3 * static_cast<double>(kernels.traced.back().duration().count()), 1)
                << " us with the copy of its inputs";
    std::cout << "\n";
  }
  else {
    std::cout << "; profiling overhead " << formatNumber(100 * profile.observationFraction, 1)
              << "%\n";
  }
  for (const DeviceSummary& device : profile.devices)
    std::cout << printable(deviceText(device)) << "\n";
  std::vector<std::vector<std::string>> lines{{"layer", "kernel", "calls", "us a call", "share",
                                               "grid", "block", "registers", "shared", "occupancy",
                                               "GFLOP/s", "GB/s"}};
  const auto most = std::min(rows.size(), static_cast<size_t>(count));
  for (size_t i = 0; i < most; ++i) {
    const KernelRow& row = *rows[i];
    const KernelRecord& record = row.record;
    const auto time = static_cast<double>(row.total.count());
    const bool hasGrid = record.grid[0] > 0;
    lines.push_back(
        {printable(layerText(record)), printable(record.name), std::to_string(row.calls),
         formatNumber(time / 1000 / static_cast<double>(row.calls), 2),
         ratioText(total > 0 ? time / total : 0), extent(record.grid), extent(record.block),
         orDash(record.registers > 0, std::to_string(record.registers)),
         orDash(hasGrid, std::to_string(record.sharedBytes)),
         orDash(record.theoreticalOccupancy > 0,
                ratioText(record.occupancy) + " of " + ratioText(record.theoreticalOccupancy)),
         orDash(kernels.isMain(row), formatNumber(row.flopsPerSecond() * 1e-9, 1)),
         orDash(kernels.isMain(row), formatNumber(row.bytesPerSecond() * 1e-9, 1))});
  }
  // Only cards have launches
  constexpr size_t kFirstOfLaunch = 5, kLastOfLaunch = 8;
  if (std::ranges::none_of(rows, [](const KernelRow* row) { return row->record.grid[0] > 0; }))
    for (auto& line : lines)
      line.erase(line.begin() + kFirstOfLaunch, line.begin() + kLastOfLaunch + 1);
  printColumns(lines);
  if (most < rows.size())
    std::cout << "and " << formatCounted(static_cast<int64_t>(rows.size() - most), "other kernel")
              << " (--count)\n";
}

int show(const ProfileOptions& options) {
  std::error_code error;
  const std::string run = placeOfRun(options.run);
  if (!std::filesystem::is_directory(run, error))
    throw Error(ErrorCode::InvalidArgument, options.run,
                "is not a run (expected the directory of one, such as mnist-cnn.runs/001). Name a "
                "directory that strata train made.");
  const auto profile = readProfile(run);
  const bool hasKernels = profile && profile->kernels;
  if (!hasKernels || profile->kernels->rows.empty()) {
    std::string why = "has no kernels in profile.json";
    if (hasKernels && !profile->kernels->problem.empty()) why += ": " + profile->kernels->problem;
    throw Error(ErrorCode::InvalidArgument, options.run,
                why + ". Train with strata train --profile, for at least 20 steps.");
  }
  if (!options.trace.empty()) {
    const TracePointer recorded = readRunTrace(run);
    const std::string trace =
        recorded ? printTrace(*recorded, *profile->kernels) : printTrace(*profile->kernels);
    writeExport(options.trace, trace, trace.find("\"device\""), "a trace");
  }
  if (!options.table.empty()) {
    const std::string table = printKernelTable(*profile->kernels);
    writeExport(options.table, table, table.find('\n'), "a table of kernels");
  }
  if (options.isJson) {
    const std::string path = run + "/profile.json";
    printJsonDocument(parseJson(readFile(path, kMaxProfileBytes), path));
  }
  else {
    printKernels(*profile, options.count);
    printReplicas(profile->replicas);
    if (!options.trace.empty())
      std::cout << "Trace: " << printable(options.trace) << " (open it in ui.perfetto.dev)\n";
    if (!options.table.empty()) std::cout << "Table: " << printable(options.table) << "\n";
  }
  return kDone;
}

}  // namespace

Action setupProfile(Arguments& accepted) {
  auto options = std::make_shared<ProfileOptions>();
  accepted.text("RUN", options->run, "Directory of a run that was trained with --profile", "RUN",
                Need::Required);
  accepted.text(
      "--trace", options->trace,
      "Write the steps that --trace-steps recorded, or else the last profiled ones, to this "
      "file, for Perfetto or chrome://tracing",
      "FILE");
  accepted.text("--csv", options->table, "Write all kernels to this file, as a CSV table", "FILE");
  accepted.count("--count", options->count,
                 "Number of kernels to print, slowest first (default: 20)");
  accepted.json(options->isJson);
  return [options] {
    return show(*options);
  };
}

}  // namespace strata::cli
