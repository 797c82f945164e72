// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/cost/simulated_card.h"
#include "core/model/model.h"
#include "core/project/text.h"
#include "gpu/base/bytes.h"
#include "gpu/base/machine.h"
#include "gpu/base/thread_pool.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "gpu/passes/pass.h"

namespace strata::cli {

std::string deviceText(const DeviceSummary& summary) {
  const auto bytes = [](const std::optional<size_t>& value) {
    return value ? bytesText(static_cast<double>(*value)) : std::string("unknown");
  };
  std::string text = summary.device + ": memory " + bytes(summary.ownPeakBytes) +
                     ", other processes " + bytes(summary.otherPeakBytes) + ", total " +
                     bytes(summary.totalBytes);
  const auto add = [&](const char* name, const MeanAndMaximum& values, double scale,
                       const char* unit) {
    if (values.count == 0) return;
    const std::string mean = formatNumber(scale * values.mean, 0),
                      most = formatNumber(scale * values.maximum, 0);
    text += std::string("; ") + name + " " + mean + unit;
    if (most != mean) text += ", at most " + most + unit;
  };
  add("utilization", summary.utilization, 100, "%");
  add("temperature", summary.celsius, 1, " °C");
  add("power", summary.watts, 1, " W");
  add("clock", summary.megahertz, 1, " MHz");
  add("memory clock", summary.memoryMegahertz, 1, " MHz");
  return text + "; " + formatCounted(summary.samples, "sample") +
         (summary.isSimulated ? " (simulated)" : "");
}

/// Returns an energy in joules, kilojoules or megajoules.
static std::string joulesText(double joules) {
  if (joules < 1000) return formatNumber(joules, joules < 1 ? 4 : 1) + " J";
  if (joules < 1e6) return formatNumber(joules / 1000, 1) + " kJ";
  return formatNumber(joules / 1e6, 1) + " MJ";
}

std::string energyText(const RunEnergy& energy) {
  if (!energy.isKnown())
    return "unknown, because " + formatText(energy.problem.text, energy.problem.arguments);
  std::string text = joulesText(energy.joules);
  if (energy.joulesPerSample) text += ", " + joulesText(*energy.joulesPerSample) + " per sample";
  return text;
}

std::string memoryText(const MemoryFigures& memory) {
  const auto bytes = [](size_t count) {
    return bytesText(static_cast<double>(count));
  };
  std::string text = "Memory: network " + bytes(memory.network);
  if (memory.samples > 0)
    text += memory.isCard ? ", samples " + bytes(memory.samples) + " (on the card if they fit)"
                          : ", data set " + bytes(memory.samples);
  if (memory.transfers > 0) text += ", transfers " + bytes(memory.transfers);
  if (memory.context > 0)
    text += ", context and libraries " + bytes(memory.context) +
            (memory.isContextEstimated ? " (an estimate)" : "");
  return text + "; together " + bytes(memory.total()) + " of " + bytes(memory.machine) +
         (memory.isCard ? " on the card" : " on this machine");
}

Json memoryToJson(const MemoryFigures& memory) {
  return {{"network_bytes", memory.network},    {"samples_bytes", memory.samples},
          {"transfer_bytes", memory.transfers}, {"context_bytes", memory.context},
          {"total_bytes", memory.total()},      {"limit_bytes", memory.limit},
          {"machine_bytes", memory.machine}};
}

int exitCodeOf(const Error& error) {
  switch (error.code()) {
    case ErrorCode::InvalidArgument:
    case ErrorCode::InvalidProject:
    case ErrorCode::InvalidFile:
    case ErrorCode::ShapeMismatch:
    case ErrorCode::UnsupportedOp: return kWrongUsage;
    case ErrorCode::Stopped: return kStopped;
    default: return kFailed;
  }
}

void ProjectArgument::addTo(Arguments& accepted) {
  accepted.text("PROJECT", m_path, "Project file (.json)", "FILE", Need::Required);
  accepted.repeated("--set", m_assignments,
                    "Override a value of the project for this command, such as /training/seed=2 "
                    "(repeatable)",
                    "POINTER=VALUE");
}

void ProjectArgument::addPrecisionTo(Arguments& accepted) {
  accepted.choice("--precision", m_precision,
                  "Numbers of products, convolutions, attention and activations (default: the "
                  "project's); tf32 is for NVIDIA GPUs",
                  "PRECISION", {"float32", "bfloat16", "float16", "tf32"});
}

void ProjectArgument::addDeviceTo(Arguments& accepted, std::string& value, const char* otherwise) {
  accepted.device(value, otherwise);
  m_device = &value;
}

void ProjectArgument::addPassesTo(Arguments& accepted) {
  addPrecisionTo(accepted);
  accepted.choice("--deterministic-attention", m_deterministicAttention,
                  "Whether the gradient of attention has the same bits in each run (default: the "
                  "project's); false needs less memory on NVIDIA GPUs and may be faster",
                  "BOOLEAN", {"true", "false"});
  accepted.repeated("--disable-pass", m_disabledPasses,
                    "Disable this pass in addition to those that the project disables (repeatable)",
                    "NAME");
}

/// Adds passes to the project's list of disabled passes. If `disabled_passes` is not a list, it
/// stays unchanged and the check reports the problem.
static void disablePasses(Project& project, const std::vector<std::string>& passes) {
  requirePasses({passes.begin(), passes.end()}, passNames());
  Json& execution = project.document()["execution"];
  if (!execution.is_object() && !execution.is_null()) return;
  Json& disabled = execution["disabled_passes"];
  if (!disabled.is_array() && !disabled.is_null()) return;
  for (const std::string& pass : passes)
    disabled.push_back(pass);
}

Project ProjectArgument::load() const { return prepared(loadProject(m_path)); }

Project ProjectArgument::loadSound(Diagnostics& wrong) const {
  return prepared(loadSoundParts(m_path, wrong));
}

Project ProjectArgument::prepared(Result<Project> loaded) const {
  if (!loaded) {
    // A project file that can't be opened counts as wrong usage. IoFailure would give exit code 1.
    const bool isMissing = loaded.error().code() == ErrorCode::IoFailure;
    std::error_code unknown;
    if (!std::filesystem::exists(m_path, unknown) &&
        std::filesystem::is_regular_file(m_path + ".json", unknown))
      throw Error(ErrorCode::InvalidFile, m_path,
                  "does not exist (expected a project file). Did you mean " + m_path + ".json?");
    throw Error(isMissing ? ErrorCode::InvalidFile : loaded.error().code(),
                loaded.error().subject(), loaded.error().what());
  }
  Project project = std::move(loaded).value();
  for (const std::string& assignment : m_assignments)
    setByPointer(project, assignment);
  if (!m_disabledPasses.empty()) disablePasses(project, m_disabledPasses);
  if (!m_precision.empty()) {
    Json& execution = project.document()["execution"];
    if (execution.is_object() || execution.is_null()) execution["precision"] = m_precision;
  }
  if (!m_deterministicAttention.empty()) {
    Json& execution = project.document()["execution"];
    if (execution.is_object() || execution.is_null())
      execution["deterministic_attention"] = m_deterministicAttention == "true";
  }
  applyDevice(project);
  return project;
}

void ProjectArgument::applyDevice(Project& project) const {
  if (!m_device || m_device->empty()) return;
  const DeviceName read(*m_device);
  std::string own = ownDeviceName(read.isSimulated() ? read.single() : *m_device);
  if (read.isSimulated() && read.copies > 1) own += "*" + std::to_string(read.copies);
  Json& document = project.document();
  if (!document.is_object()) return;
  const Json execution = document.value("execution", Json());
  if (!execution.is_object() && !execution.is_null()) return;
  const Json present = execution.is_object() ? execution.value("devices", Json()) : Json();
  const bool isTf32 = execution.is_object() && execution.value("precision", Json()) == "tf32";
  const DeviceName before(present.is_string() ? present.get<std::string>() : "auto"), name(own);
  // auto may mean the CPU, which would refuse a project in TF32
  if (name.isGpu() || name.kind == DeviceName::Kind::All ||
      (isTf32 ? name.kind != DeviceName::Kind::Auto : before.isGpu()) ||
      (name.copies > 1 && name.copies != before.copies))
    document["execution"]["devices"] = own;
}

std::vector<std::string> ProjectArgument::assigned() const {
  std::vector<std::string> pointers;
  for (const std::string& assignment : m_assignments)
    pointers.push_back(assignment.substr(0, assignment.find('=')));
  if (!m_disabledPasses.empty()) pointers.emplace_back("/execution/disabled_passes");
  if (!m_precision.empty()) pointers.emplace_back("/execution/precision");
  if (!m_deterministicAttention.empty())
    pointers.emplace_back("/execution/deterministic_attention");
  if (m_device && !m_device->empty()) pointers.emplace_back("/execution/devices");
  return pointers;
}

/// A project file may have fields that only other programs know; --set may not.
void ProjectArgument::refuseUnknownField(const Diagnostic& problem) const {
  if (problem.code != "unknown_field") return;
  for (const std::string& assignment : m_assignments) {
    const std::string assigned = assignment.substr(0, assignment.find('='));
    if ((problem.pointer + "/").starts_with(assigned + "/"))
      throw Error(ErrorCode::InvalidArgument, "--set " + assigned, problem.sentence());
  }
}

CheckedProject ProjectArgument::loadChecked() const {
  CheckedProject project = load();
  check(project);
  return project;
}

void ProjectArgument::check(const CheckedProject& project) const {
  const Diagnostics diagnostics = validate(project);
  for (const Diagnostic& each : diagnostics)
    refuseUnknownField(each);
  printDiagnostics(m_path, diagnostics);
  if (hasErrors(diagnostics)) throw Reported{kWrongUsage};
}

void addRecompute(Arguments& accepted, std::string& how) {
  accepted.choice("--recompute", how,
                  "When to save memory by running operations twice: never (none), as the memory "
                  "limit requires (auto), or wherever it saves memory (all)",
                  "HOW", {"none", "auto", "all"});
}

std::optional<Recompute> recomputeFor(const CheckedProject& project, const std::string& how) {
  const std::optional<Recompute> chosen = recomputeFromName(how);
  if (chosen.value_or(Recompute::None) != Recompute::None &&
      project.execution().disabledPasses.contains("recompute"))
    throw Error(ErrorCode::InvalidArgument, "--recompute " + how,
                "needs the pass recompute, which is disabled (expected none). Omit --recompute, or "
                "enable the pass (disabled_passes, --disable-pass).");
  return chosen;
}

void addMemoryLimit(Arguments& accepted, int64_t& bytes) {
  accepted.bytes("--memory-limit", bytes,
                 "Maximum memory to use, such as 500MiB (default: the project's limit, or else the "
                 "available memory)");
}

void printMessage(const std::string& text) { std::cerr << "strata: " + asOneLine(text) + "\n"; }

void warnOfThreads(int threads) {
  if (const int most = usableProcessors(); threads > most)
    printMessage("warning: --threads " + std::to_string(threads) + ": " +
                 counted(most, "processor") + (most == 1 ? " is" : " are") +
                 " available, and training is slower with more threads than processors. Omit "
                 "--threads to use all processors.");
}

std::vector<const Diagnostic*> mostImportant(const Diagnostics& diagnostics) {
  constexpr size_t kMaxShown = 50;
  std::vector<const Diagnostic*> shown;
  for (const Diagnostic& each : diagnostics)
    shown.push_back(&each);
  if (shown.size() <= kMaxShown) return shown;
  std::stable_partition(shown.begin(), shown.end(),
                        [](const Diagnostic* each) { return each->severity == Severity::Error; });
  shown.resize(kMaxShown);
  return shown;
}

void printDiagnostics(const std::string& path, const Diagnostics& diagnostics) {
  const std::vector<const Diagnostic*> shown = mostImportant(diagnostics);
  for (const Diagnostic* each : shown)
    printMessage((each->severity == Severity::Warning ? "warning: " : "") + path + ": " +
                 each->line());
  if (const auto hidden = static_cast<int64_t>(diagnostics.size() - shown.size()); hidden > 0)
    printMessage(path + ": " + formatCounted(hidden, "more problem") +
                 (hidden == 1 ? " is" : " are") + " not shown.");
}

void printJsonDocument(const Json& json) {
  std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
}

std::string formatNumber(double value, int decimals) {
  // The sign of a NaN has no meaning
  if (std::isnan(value)) return "nan";
  char buffer[400];
  return {
      buffer,
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals).ptr};
}

std::string formatCount(double value) {
  if (value >= 1e10) return formatNumber(value / 1e9, 1) + " G";
  if (value >= 1e7) return formatNumber(value / 1e6, 1) + " M";
  std::string digits = formatNumber(std::round(value), 0);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<size_t>(i), ",");
  return digits;
}

std::string formatCounted(int64_t count, const char* noun) {
  return formatCount(static_cast<double>(count)) + " " + nounFor(count, noun);
}

}  // namespace strata::cli
