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
#include "core/runs/run_directory.h"
#include "core/runs/step_advice.h"
#include "core/runs/time_table.h"
#include "core/runs/trace_file.h"
#include "gpu/base/machine.h"
#include "gpu/base/printable.h"
#include "gpu/devices/device_name.h"

namespace strata::cli {

namespace {

struct ProfileOptions {
  std::string run, trace, table, grouping = "kernel", other;
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

bool isPredicted(const ProfileSnapshot& profile) {
  return profile.kernels && profile.kernels->source == StepRecords::Source::Predicted;
}

bool isPredicted(const ReplicaReport& report) {
  return !report.replicas.empty() && DeviceName(report.replicas.front().name).isSimulated();
}

/// Prints what several devices did.
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
  std::cout << "A step of each device (communication is exposed or hidden by computing"
            << (isPredicted(report) ? "; predicted):\n" : "):\n");
  printColumns(lines);
  if (const std::string slow = slowReplicaText(report); !slow.empty())
    std::cout << printable(slow) << "\n";
}

/// Prints the communication of a step by kind of collective, and each collective.
void printCollectives(const ReplicaReport& report) {
  if (report.collectives.empty()) return;
  std::vector<std::vector<std::string>> lines{{"collective", "calls", "bytes", "us a step",
                                               "us a call", "transfer", "waiting", "bus GB/s"}};
  for (const CollectiveSum& each : collectiveSums(report)) {
    const bool hasTimes = each.seconds > 0;
    const auto time = [&](double seconds) {
      return orDash(hasTimes, formatNumber(1e6 * seconds, 1));
    };
    lines.push_back(
        {each.op, formatNumber(each.calls, 1), formatNumber(each.bytes, 0), time(each.seconds),
         time(each.seconds / each.calls), time(each.seconds - each.waitingSeconds),
         time(each.waitingSeconds),
         orDash(each.busBytesPerSecond > 0, formatNumber(1e-9 * each.busBytesPerSecond, 2))});
  }
  std::cout << "Communication of a step, mean of the devices"
            << (isPredicted(report) ? " (predicted):\n" : ":\n");
  printColumns(lines);
  std::cout << (report.equalStep ? "The weights of all devices were compared after step " +
                                       std::to_string(*report.equalStep) + ", and are equal.\n"
                                 : "The weights of the devices were not compared.\n");
}

/// Prints each collective of a step.
void printEachCollective(const ReplicaReport& report) {
  std::vector<std::vector<std::string>> lines{
      {"collective", "number", "calls", "bytes", "mean us", "median us", "waiting us", "bus GB/s"}};
  for (const CollectiveFigures& each : report.collectives) {
    const bool hasTimes = each.totalSeconds > 0;
    const double bus = each.busBytesPerSecond(report.replicas.size());
    lines.push_back(
        {each.op, std::to_string(each.number), std::to_string(each.calls),
         std::to_string(each.bytes), orDash(hasTimes, formatNumber(1e6 * each.meanSeconds(), 1)),
         formatNumber(1e6 * each.medianSeconds, 1),
         orDash(hasTimes,
                formatNumber(1e6 * each.waitingSeconds / static_cast<double>(each.calls), 1)),
         orDash(bus > 0, formatNumber(1e-9 * bus, 2))});
  }
  printColumns(lines);
}

/// Returns the layer of a kernel. The update is no part of a layer's time.
std::string layerText(const KernelRecord& record) {
  if (record.layer.empty()) return record.op;
  return record.phase == Phase::Update ? "update of " + record.layer : record.layer;
}

/// Prints where the time of a step goes.
void printBreakdown(const ProfileSnapshot& profile) {
  const StepBreakdown breakdown = breakdownOf(profile);
  std::string text;
  for (size_t i = 0; i < kNumStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    if (breakdown.of(part) <= 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(stepPartName(part)) + " " +
            formatNumber(100 * breakdown.shareOf(part), 1) + "%";
  }
  std::cout << (isPredicted(profile) ? "A step (predicted): " : "A step: ") << text << "\n";
}

/// Returns "12.3 (45%)": a rate, and its part of a limit if both are known.
std::string rateText(double perSecond, double limit) {
  if (perSecond <= 0) return "-";
  const std::string text = formatNumber(perSecond * 1e-9, 1);
  return limit > 0 ? text + " (" + ratioText(perSecond / limit) + ")" : text;
}

std::string phaseText(const TimeRow& row) {
  return row.isCopy ? "copy" : std::string(phaseName(row.phase));
}

/// Prints layers or ops, with their rates and how near they are to the limits of the device.
void printGroups(const ProfileSnapshot& profile, TimeGrouping grouping, int64_t count) {
  const SpeedLimits& limits = profile.kernels->limits;
  const double flops = limits.flopsOf(profile.kernels->precision);
  const std::string what = grouping == TimeGrouping::Layer ? "layer" : "op";
  std::vector<std::vector<std::string>> lines{{what, "phase", "calls", "us a step", "us a call",
                                               "shortest", "longest", "share", "GFLOP/s", "GB/s"}};
  printBreakdown(profile);
  const std::vector<TimeRow> rows = timeRows(profile, grouping);
  const auto most = std::min(rows.size(), static_cast<size_t>(count));
  for (size_t i = 0; i < most; ++i) {
    const TimeRow& row = rows[i];
    const bool hasRange = row.longest > 0;
    lines.push_back({row.name.empty() ? "no layer" : printable(row.name), phaseText(row),
                     std::to_string(row.calls), formatNumber(row.total, 2),
                     formatNumber(row.mean, 2), orDash(hasRange, formatNumber(row.shortest, 2)),
                     orDash(hasRange, formatNumber(row.longest, 2)), ratioText(row.share),
                     rateText(row.flopsPerSecond, flops),
                     rateText(row.bytesPerSecond, limits.bytesPerSecond)});
  }
  printColumns(lines);
  if (most < rows.size())
    std::cout << "and " << formatCounted(static_cast<int64_t>(rows.size() - most), "other row")
              << " (--count)\n";
  if (limits.areKnown())
    std::cout << "Limits: " << formatNumber(flops * 1e-9, 1) << " GFLOP/s, "
              << formatNumber(limits.bytesPerSecond * 1e-9, 1) << " GB/s ("
              << printable(limits.source) << ")\n";
  else
    std::cout << "The limits of the device are unknown, because " << printable(limits.source)
              << ".\n";
}

/// Prints what differs from another run.
void printComparison(const ProfileSnapshot& before, const ProfileSnapshot& after,
                     TimeGrouping grouping, int64_t count) {
  const auto time = [](const ProfileSnapshot& profile) {
    return formatNumber(profile.stepMicroseconds, 1) + " us" +
           (isPredicted(profile) ? " (predicted)" : "");
  };
  std::cout << "A step: " << time(before) << " before, " << time(after) << " now\n";
  std::vector<std::vector<std::string>> lines{{"row", "phase", "us before", "us now", "change"}};
  const std::vector<TimeDifference> rows = compareTimes(before, after, grouping);
  for (size_t i = 0; i < std::min(rows.size(), static_cast<size_t>(count)); ++i) {
    const TimeDifference& row = rows[i];
    const std::string owner = row.layer.empty() || row.layer == row.name ? "" : row.layer + ": ";
    lines.push_back({printable(owner + (row.name.empty() ? "no layer" : row.name)),
                     std::string(phaseName(row.phase)), formatNumber(row.before, 2),
                     formatNumber(row.after, 2),
                     (row.change() > 0 ? "+" : "") + formatNumber(row.change(), 2)});
  }
  printColumns(lines);
}

void printAdvice(const ProfileSnapshot& profile, const std::string& run) {
  const int64_t batchSize = readRun(run).batchSize;
  for (const StepAdvice& advice : adviceOn(profile, batchSize, usableProcessors()))
    std::cout << "Advice: "
              << printable(formatText(advice.sentence.text, advice.sentence.arguments)) << "\n";
}

void printKernels(const ProfileSnapshot& profile, int64_t count) {
  const KernelProfile& kernels = *profile.kernels;
  const std::vector<TimeRow> rows = timeRows(profile, TimeGrouping::Kernel);
  std::cout << printable(kernels.device) << ": " << formatCounted(kernels.steps, "step") << " of "
            << formatNumber(profile.stepMicroseconds, 1) << " us";
  if (isPredicted(profile)) {
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
  printBreakdown(profile);
  std::vector<std::vector<std::string>> lines{{"layer", "kernel", "calls", "us a call", "share",
                                               "grid", "block", "registers", "shared", "occupancy",
                                               "GFLOP/s", "GB/s"}};
  const auto most = std::min(rows.size(), static_cast<size_t>(count));
  for (size_t i = 0; i < most; ++i) {
    const KernelRow& row = kernels.rows[static_cast<size_t>(rows[i].kernel)];
    const KernelRecord& record = row.record;
    const bool hasGrid = record.grid[0] > 0;
    lines.push_back(
        {printable(layerText(record)), printable(record.name), std::to_string(row.calls),
         formatNumber(rows[i].mean, 2), ratioText(rows[i].share), extent(record.grid),
         extent(record.block), orDash(record.registers > 0, std::to_string(record.registers)),
         orDash(hasGrid, std::to_string(record.sharedBytes)),
         orDash(record.theoreticalOccupancy > 0,
                ratioText(record.occupancy) + " of " + ratioText(record.theoreticalOccupancy)),
         orDash(kernels.isMain(row), formatNumber(row.flopsPerSecond() * 1e-9, 1)),
         orDash(kernels.isMain(row), formatNumber(row.bytesPerSecond() * 1e-9, 1))});
  }
  // Only cards have launches
  constexpr size_t kFirstOfLaunch = 5, kLastOfLaunch = 8;
  if (std::ranges::none_of(kernels.rows,
                           [](const KernelRow& row) { return row.record.grid[0] > 0; }))
    for (auto& line : lines)
      line.erase(line.begin() + kFirstOfLaunch, line.begin() + kLastOfLaunch + 1);
  printColumns(lines);
  if (most < rows.size())
    std::cout << "and " << formatCounted(static_cast<int64_t>(rows.size() - most), "other kernel")
              << " (--count)\n";
}

/// Reads the profile of a run, which is null if it has none. Fails: InvalidFile if it is damaged;
/// but only warns and returns null if it `mayBeDamaged`.
std::shared_ptr<const ProfileSnapshot> readWholeProfile(const std::string& run,
                                                        bool mayBeDamaged = false) {
  std::string problem;
  auto profile = readProfile(run, &problem);
  if (problem.empty()) return profile;
  while (problem.ends_with('.'))
    problem.pop_back();
  const Error error(ErrorCode::InvalidFile, run + "/profile.json",
                    "is damaged (" + problem + "). Restore it from a backup.");
  if (!mayBeDamaged) throw error;
  printMessage("warning: " + error.line());
  return nullptr;
}

/// Returns the profile of a run, or null if it has no kernels and needs none. Fails:
/// InvalidArgument; InvalidFile.
std::shared_ptr<const ProfileSnapshot> profileOf(const std::string& named,
                                                 bool needsKernels = true) {
  std::error_code error;
  const std::string run = placeOfRun(named);
  if (!std::filesystem::is_directory(run, error))
    throw Error(ErrorCode::InvalidArgument, named,
                "is not a run (expected the directory of one, such as mnist-cnn.runs/001). Name a "
                "directory that strata train made.");
  auto profile = readWholeProfile(run, !needsKernels);
  const bool hasKernels = profile && profile->kernels;
  if (!hasKernels || profile->kernels->rows.empty()) {
    if (!needsKernels) return nullptr;
    std::string why = "has no kernels in profile.json";
    if (hasKernels && !profile->kernels->problem.empty()) why += ": " + profile->kernels->problem;
    throw Error(ErrorCode::InvalidArgument, named,
                why + ". Train with strata train --profile, for at least 20 steps.");
  }
  return profile;
}

/// Prints the communication of a run.
int showCollectives(const ProfileOptions& options) {
  if (!options.other.empty())
    throw Error(ErrorCode::InvalidArgument, "--compare",
                "does not compare collectives (expected --by kernel, op or layer). Leave it out.");
  const std::string run = placeOfRun(options.run);
  const auto profile = readWholeProfile(run);
  if (!profile || profile->replicas.collectives.empty())
    throw Error(ErrorCode::InvalidArgument, options.run,
                "has no collectives (expected the directory of a run on several devices). Train "
                "with --device \"cpu*2\", for example.");
  if (options.isJson) {
    printJsonDocument(toJson(profile->replicas));
    return kDone;
  }
  printCollectives(profile->replicas);
  printEachCollective(profile->replicas);
  return kDone;
}

int show(const ProfileOptions& options) {
  if (options.grouping == "collective") return showCollectives(options);
  const std::string run = placeOfRun(options.run);
  const TracePointer recorded = options.trace.empty() ? nullptr : readRunTrace(run);
  // A run that was killed has recorded steps, but no profile
  const auto profile = profileOf(options.run, !recorded);
  const auto other = options.other.empty() ? nullptr : profileOf(options.other);
  TimeGrouping grouping = TimeGrouping::Kernel;
  if (options.grouping == "layer") grouping = TimeGrouping::Layer;
  if (options.grouping == "op") grouping = TimeGrouping::Op;
  if (!options.trace.empty()) {
    const KernelProfile none;
    const KernelProfile& kernels = profile ? *profile->kernels : none;
    const std::string trace = recorded ? printTrace(*recorded, kernels) : printTrace(kernels);
    writeExport(options.trace, trace, trace.find("\"device\""), "a trace");
  }
  if (!profile) {
    if (options.isJson) {
      printJsonDocument({{"trace", options.trace}, {"profile", nullptr}});
      return kDone;
    }
    std::cout << "Trace: " << printable(options.trace)
              << " (open it in ui.perfetto.dev). The run has no other profile.\n";
    return kDone;
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
    if (other)
      printComparison(*other, *profile, grouping, options.count);
    else if (grouping != TimeGrouping::Kernel)
      printGroups(*profile, grouping, options.count);
    else
      printKernels(*profile, options.count);
    if (!other) {
      printReplicas(profile->replicas);
      printCollectives(profile->replicas);
      printAdvice(*profile, run);
    }
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
  accepted.choice("--by", options->grouping, "What a row of the table is (default: kernel)", "WHAT",
                  {"kernel", "op", "layer", "collective"});
  accepted.text("--compare", options->other,
                "Print what differs from this run, which is the one before", "RUN");
  accepted.count("--count", options->count, "Number of rows to print, slowest first (default: 20)");
  accepted.json(options->isJson);
  return [options] {
    return show(*options);
  };
}

}  // namespace strata::cli
