// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the file of `train --events`. It may be new, a file of events, a pipe or a device. Other
// files are refused, because the events would replace them. Not here: what is written (core/runs).
// Thread: main thread only.
#pragma once

#include <memory>
#include <ostream>
#include <string>

namespace strata::cli {

class EventsFile {
 public:
  /// Opens the file and empties it. `runDirectory` is the directory of the run, or "" if it is not
  /// known yet. Fails: InvalidArgument for a file of a run (also through a link) or any other file
  /// that is not empty and has no events; InvalidFile for a link that is not followed; IoFailure.
  EventsFile(const std::string& path, const std::string& runDirectory);
  ~EventsFile();
  EventsFile(const EventsFile&) = delete;
  EventsFile& operator=(const EventsFile&) = delete;

  std::ostream& stream() { return m_stream; }
  /// Writes everything out. Fails: IoFailure.
  void finish();

 private:
  const std::string m_path;
  std::unique_ptr<std::streambuf> m_buffer;
  std::ostream m_stream{nullptr};
};

}  // namespace strata::cli
