// SPDX-License-Identifier: Apache-2.0
#include "core/trace/chrome_tracks.h"

namespace strata {

/// Returns a process or lane, which may be new, or null beyond the limit.
template <class Track>
Track* ChromeTracks::find(std::unordered_map<std::string, Track>& tracks, const std::string& key) {
  const auto known = tracks.find(key);
  if (known != tracks.end()) return &known->second;
  if (tracks.size() >= m_mostLanes) {
    m_builder.addNote(TraceNote::Kind::OverLimit, "the process or thread " + key);
    return nullptr;
  }
  return &tracks[key];
}

void ChromeTracks::updateProcess(const Process& process, const std::string& pid) {
  if (!process.index) return;
  std::string name = process.name.empty() ? "process " + pid : process.name;
  if (!process.labels.empty()) name += " (" + process.labels + ")";
  m_builder.setProcessName(*process.index, std::move(name));
  m_builder.setProcessPlace(*process.index, process.place);
}

void ChromeTracks::updateLane(const Lane& lane, const std::string& tid) {
  if (!lane.index) return;
  m_builder.setLaneName(*lane.index, lane.name.empty() ? "thread " + tid : lane.name);
  m_builder.setLanePlace(*lane.index, lane.place);
}

std::optional<uint32_t> ChromeTracks::process(const ChromeEvent& event) {
  Process* process = find(m_processes, event.pid);
  if (!process) return std::nullopt;
  if (!process->index) {
    process->index = m_builder.addProcess("");
    updateProcess(*process, event.pid);
  }
  return process->index;
}

std::optional<uint32_t> ChromeTracks::lane(const ChromeEvent& event) {
  m_key.assign(event.pid).append(1, '\0').append(event.tid);
  Lane* lane = find(m_lanes, m_key);
  if (!lane) return std::nullopt;
  if (lane->index) return lane->index;
  const auto owner = process(event);
  if (!owner) return std::nullopt;
  lane->index = m_builder.addLane(*owner, "");
  updateLane(*lane, event.tid);
  return lane->index;
}

void ChromeTracks::takeMetadata(const ChromeEvent& event) {
  if (event.name.starts_with("process_")) {
    Process* process = find(m_processes, event.pid);
    if (!process) return;
    if (event.name == "process_name") process->name = event.newName;
    if (event.name == "process_labels") process->labels = event.newName;
    if (event.name == "process_sort_index") process->place = event.newPlace.value_or(0);
    updateProcess(*process, event.pid);
  }
  else if (event.name.starts_with("thread_")) {
    m_key.assign(event.pid).append(1, '\0').append(event.tid);
    Lane* lane = find(m_lanes, m_key);
    if (!lane) return;
    if (event.name == "thread_name") lane->name = event.newName;
    if (event.name == "thread_sort_index") lane->place = event.newPlace.value_or(0);
    updateLane(*lane, event.tid);
  }
}

}  // namespace strata
