// SPDX-License-Identifier: Apache-2.0
// The processes and lanes of a Chrome trace, by the ids in the file. Metadata may come before or
// after the first event of a lane, and for lanes without events, which are not shown.
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/trace/chrome_event.h"
#include "core/trace/trace_builder.h"

namespace strata {

class ChromeTracks {
 public:
  ChromeTracks(TraceBuilder& builder, size_t mostLanes)
      : m_builder(builder), m_mostLanes(mostLanes) {}
  /// Returns the lane of an event, or nullopt beyond the limit.
  std::optional<uint32_t> lane(const ChromeEvent& event);
  std::optional<uint32_t> process(const ChromeEvent& event);
  void takeMetadata(const ChromeEvent& event);
  void setDevice(uint32_t lane) { m_builder.setLaneKind(lane, LaneKind::Device); }

 private:
  struct Process {
    std::optional<uint32_t> index;
    std::string name, labels;
    int64_t place = 0;
  };
  struct Lane {
    std::optional<uint32_t> index;
    std::string name;
    int64_t place = 0;
  };
  template <class Track>
  Track* find(std::unordered_map<std::string, Track>& tracks, const std::string& key);
  void updateProcess(const Process& process, const std::string& pid);
  void updateLane(const Lane& lane, const std::string& tid);

  TraceBuilder& m_builder;
  const size_t m_mostLanes;
  std::unordered_map<std::string, Process> m_processes;
  std::unordered_map<std::string, Lane> m_lanes;
  std::string m_key;
};

}  // namespace strata
