// SPDX-License-Identifier: Apache-2.0
#include "core/project/line_file.h"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

namespace strata {

LineFile::LineFile(const std::string& path, size_t maxLineBytes, uint64_t begin)
    : m_file(path), m_maxLineBytes(maxLineBytes), m_offset(begin) {}

/// Reads the next part of the file into the buffer. Returns false at the end of the file. The file
/// may grow while it is read, but not beyond its size at the beginning.
bool LineFile::fill() {
  constexpr size_t kBufferBytes = 65536;
  if (m_offset >= m_file.size()) return false;
  m_buffer.resize(static_cast<size_t>(std::min<uint64_t>(kBufferBytes, m_file.size() - m_offset)));
  m_at = 0;
  ssize_t count = 0;
  do {
    count = ::pread(m_file.descriptor(), m_buffer.data(), m_buffer.size(),
                    static_cast<off_t>(m_offset));
  } while (count < 0 && errno == EINTR);
  m_buffer.resize(count > 0 ? static_cast<size_t>(count) : 0);
  m_offset += m_buffer.size();
  return !m_buffer.empty();
}

bool LineFile::next(std::string& line) {
  line.clear();
  m_isCutOff = false;
  bool isTooLong = false, hasBytes = false;
  for (;;) {
    if (m_at == m_buffer.size() && !fill()) {
      m_isCutOff = true;
      return hasBytes && !isTooLong;
    }
    hasBytes = true;
    const size_t end = m_buffer.find('\n', m_at);
    const size_t bytes = std::min(end, m_buffer.size()) - m_at;
    isTooLong = isTooLong || bytes > m_maxLineBytes - line.size();
    if (!isTooLong) line.append(m_buffer, m_at, bytes);
    m_at += bytes;
    if (end == std::string::npos) continue;
    ++m_at;
    if (!isTooLong) return true;
    line.clear();
    isTooLong = hasBytes = false;
  }
}

}  // namespace strata
