// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/events_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include <ext/stdio_filebuf.h>

#include "core/project/atomic_file.h"
#include "core/runs/output_file.h"
#include "core/runs/own_file.h"
#include "gpu/base/error.h"

namespace strata::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFirstBytes = "{\"event\":";

bool isSame(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Opens the file as it is. Returns -1 and sets errno if it cannot be opened.
int openEvents(const std::string& path) {
  // Opening a pipe that has no reader would block, and Ctrl-C could not end the program.
  constexpr int kFlags = O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
  const int descriptor = ::open(path.c_str(), kFlags);
  return descriptor < 0 && errno == ENOENT ? ::open(path.c_str(), kFlags | O_CREAT, 0666)
                                           : descriptor;
}

/// Whether the open file is one of the files of the run in this folder, whatever its path.
bool isFileOfRun(const struct stat& file, const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    struct stat other {};
    if (it.depth() > 1) it.disable_recursion_pending();
    const std::string name = it->path().lexically_relative(folder).begin()->string();
    if (isNameOfRun(name) && ::stat(it->path().c_str(), &other) == 0 && isSame(file, other))
      return true;
  }
  return false;
}

/// Whether the open file is empty, or has events of another run.
bool holdsOnlyEvents(int descriptor, const struct stat& status) {
  if (status.st_size == 0) return true;
  const int reader =
      ::open(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), O_RDONLY | O_CLOEXEC);
  char bytes[kFirstBytes.size()];
  const ssize_t count = reader < 0 ? -1 : ::pread(reader, bytes, sizeof bytes, 0);
  if (reader >= 0) ::close(reader);
  return count == static_cast<ssize_t>(sizeof bytes) &&
         std::string_view(bytes, sizeof bytes) == kFirstBytes;
}

constexpr const char* kOfRun =
    "is a file of a run (expected another file, because the events would replace it). Name a new "
    "file.";

/// Says why the events must not replace this file. Returns "" for one that may be replaced.
std::string faultOf(int descriptor, const struct stat& status, const std::string& runDirectory) {
  if (!runDirectory.empty() && isFileOfRun(status, runDirectory)) return kOfRun;
  if (!holdsOnlyEvents(descriptor, status))
    return "is not a file of events (expected a new file, or one of an earlier run, because its "
           "content would be lost). Name a new file.";
  if (status.st_nlink > 1)
    return "has several names (hard links), so the events might replace a file of a run. Name a "
           "new file.";
  return {};
}

}  // namespace

EventsFile::EventsFile(const std::string& path, const std::string& runDirectory) : m_path(path) {
  if (isPlaceOfRun(path, runDirectory)) throw Error(ErrorCode::InvalidArgument, path, kOfRun);
  requireFollowable(path);
  const int descriptor = openEvents(path);
  if (descriptor < 0 && errno == ENXIO)
    throw Error(ErrorCode::IoFailure, path,
                "is a pipe that nobody reads. Start its reader first, or name a file.");
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0)
    throw Error(ErrorCode::IoFailure, path,
                "can't be opened for writing. Name a writable file for the events.");
  // Closes the descriptor
  m_buffer = std::make_unique<__gnu_cxx::stdio_filebuf<char>>(descriptor, std::ios::out);
  m_stream.rdbuf(m_buffer.get());
  if (!S_ISREG(status.st_mode)) {
    // A slow reader of a pipe must not lose events
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    return;
  }
  if (const std::string fault = faultOf(descriptor, status, runDirectory); !fault.empty())
    throw Error(ErrorCode::InvalidArgument, path, fault);
  if (::ftruncate(descriptor, 0) != 0)
    throw Error(ErrorCode::IoFailure, path,
                "can't be opened for writing. Name a writable file for the events.");
}

EventsFile::~EventsFile() { m_stream.rdbuf(nullptr); }

void EventsFile::finish() {
  if (!m_stream.flush())
    throw Error(ErrorCode::IoFailure, m_path,
                "the events could not be written (disk full?). The run itself is complete.");
}

}  // namespace strata::cli
