// SPDX-License-Identifier: Apache-2.0
#include "core/runs/card_recording.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/project/atomic_file.h"
#include "core/project/json.h"
#include "core/project/line_file.h"
#include "core/runs/history.h"
#include "core/runs/profile_file.h"
#include "gpu/base/error.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCardEvents = "recording-mnist-cnn.jsonl";
constexpr const char* kCardProfile = "recording-profile.json";
constexpr size_t kMaxCardLineBytes = size_t{64} << 20;
// A network has fewer metrics
constexpr size_t kMaxCardMetrics = 256, kMaxCardNameBytes = 1000;

bool hasCardFile(const std::string& folder, const char* name) {
  std::error_code error;
  return fs::is_regular_file(fs::path(folder) / name, error);
}

/// Returns a member as a number. Texts such as "nan" and other values become NaN.
double cardNumber(const Json& event, const char* key) {
  const Json& value = memberOf(event, key);
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// Returns a member as an integer, or 0.
int64_t cardCount(const Json& event, const char* key) {
  const double value = cardNumber(event, key);
  return std::abs(value) < 9e15 ? static_cast<int64_t>(value) : 0;
}

/// Writes the steps and epochs of an events file to a history.
class StepsOfEvents {
 public:
  explicit StepsOfEvents(std::string path) : m_path(std::move(path)) {}
  /// Takes an event. Returns whether it belongs only into the history.
  bool add(const Json& event) {
    const Json& kind = memberOf(event, "event");
    if (kind == "start") m_batch = cardCount(event, "batch_size");
    if (kind == "step") addStep(event);
    if (kind == "epoch" || kind == "validation") addMeans(event, kind == "epoch");
    return kind == "step";
  }
  void finish() { writerFor(Json::object()).flush(); }

 private:
  /// Returns the writer. The first event with metrics determines their names.
  HistoryWriter& writerFor(const Json& metrics) {
    if (m_writer) return *m_writer;
    if (metrics.is_object())
      for (const auto& [name, value] : metrics.items())
        if (m_names.size() < kMaxCardMetrics && name.size() <= kMaxCardNameBytes)
          m_names.push_back(name);
    m_writer = std::make_unique<HistoryWriter>(m_path, m_names);
    return *m_writer;
  }
  std::vector<double> valuesOf(const Json& metrics) const {
    std::vector<double> values;
    for (const std::string& name : m_names)
      values.push_back(cardNumber(metrics, name.c_str()));
    return values;
  }
  void addStep(const Json& event) {
    HistoryWriter& writer = writerFor(memberOf(event, "metrics"));
    // Recordings of earlier versions have no times, and the speed tells them
    const double seconds = cardNumber(event, "seconds"),
                 rate = cardNumber(event, "samples_per_second");
    if (std::isfinite(seconds))
      m_seconds = std::max(m_seconds, seconds);
    else if (rate > 0 && std::isfinite(rate))
      m_seconds += static_cast<double>(m_batch) / rate;
    const std::vector<double> values = valuesOf(memberOf(event, "metrics"));
    writer.append({cardCount(event, "step"), epochOf(event), HistoryKind::Step, m_seconds,
                   cardNumber(event, "learning_rate"), m_batch, cardNumber(event, "loss"), values});
  }
  void addMeans(const Json& event, bool hasTraining) {
    HistoryWriter& writer = writerFor(memberOf(event, "metrics"));
    const double seconds = cardNumber(event, "seconds");
    const auto append = [&](HistoryKind kind, const char* loss, const char* metrics) {
      const std::vector<double> values = valuesOf(memberOf(event, metrics));
      writer.append({cardCount(event, "step"), epochOf(event), kind, seconds, 0, 0,
                     cardNumber(event, loss), values});
    };
    if (hasTraining) append(HistoryKind::Epoch, "loss", "metrics");
    if (memberOf(event, "val_loss").is_number())
      append(HistoryKind::Validation, "val_loss", "val_metrics");
  }
  static int32_t epochOf(const Json& event) {
    return static_cast<int32_t>(
        std::clamp<int64_t>(cardCount(event, "epoch"), 0, std::numeric_limits<int32_t>::max()));
  }

  const std::string m_path;
  std::vector<std::string> m_names;
  std::unique_ptr<HistoryWriter> m_writer;
  int64_t m_batch = 0;
  double m_seconds = 0;
};

/// Returns the events of a folder that has only a profile: those of its device.
std::string startOfProfile(const ProfileSnapshot* profile) {
  const bool hasDevice = profile && profile->kernels;
  const Json start{{"event", "start"}, {"device", hasDevice ? profile->kernels->device : "cuda:0"}};
  return start.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

bool hasCardRecording(const std::string& folder) {
  return hasCardFile(folder, kCardEvents) || hasCardFile(folder, kCardProfile);
}

void makeRunOfCardRecording(const std::string& folder, const Project& project,
                            const std::string& target) {
  if (!hasCardRecording(folder))
    throw Error(ErrorCode::InvalidFile, folder,
                std::string("has no recording of a card (expected ") + kCardEvents + " or " +
                    kCardProfile + "). Name a folder that ./dev gpu-test --out wrote.");
  const fs::path to = target;
  if (hasCardFile(folder, kCardProfile))
    writeFileAtomically((to / "profile.json").string(),
                        readFile((fs::path(folder) / kCardProfile).string(), kMaxProfileBytes));
  StepsOfEvents steps((to / "history.bin").string());
  AtomicFile events((to / "events.jsonl").string());
  if (hasCardFile(folder, kCardEvents)) {
    LineFile lines((fs::path(folder) / kCardEvents).string(), kMaxCardLineBytes);
    for (std::string line; lines.next(line);) {
      try {
        if (steps.add(parseJson(line, kCardEvents))) continue;
      }
      catch (const Error&) {
        continue;
      }
      events.write(line + "\n");
    }
  }
  else {
    events.write(startOfProfile(readProfile(target).get()));
  }
  steps.finish();
  events.commit(false);
  writeFileAtomically((to / "project.json").string(), printJson(project.document()));
}

}  // namespace strata
