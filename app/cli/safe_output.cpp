// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/safe_output.h"

#include <iostream>
#include <mutex>
#include <streambuf>
#include <string>
#include <string_view>

#include "gpu/base/printable.h"

namespace strata::cli {

namespace {

/// Passes text on to another buffer without control characters. Keeps an incomplete character until
/// its other bytes come, or the stream is flushed. A training thread writes events while the main
/// thread prints progress, and printing to std::cerr flushes std::cout.
class SafeBuffer : public std::streambuf {
 public:
  explicit SafeBuffer(std::streambuf& next) : m_next(next) {}

  /// Passes bytes on as they are.
  void writeRaw(std::string_view bytes) {
    const std::lock_guard lock(m_mutex);
    (void)write(m_pending.size());
    m_next.sputn(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char byte = traits_type::to_char_type(c);
    return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
  }

  std::streamsize xsputn(const char* text, std::streamsize count) override {
    const std::lock_guard lock(m_mutex);
    m_pending.append(text, static_cast<size_t>(count));
    return write(m_pending.size() - incompleteBytes()) ? count : 0;
  }

  int sync() override {
    const std::lock_guard lock(m_mutex);
    const bool isWritten = write(m_pending.size());
    return m_next.pubsync() == 0 && isWritten ? 0 : -1;
  }

 private:
  // The caller of these functions holds m_mutex.
  /// Returns the number of bytes at the end that may begin a character.
  size_t incompleteBytes() const {
    for (size_t bytes = 1; bytes <= 3 && bytes <= m_pending.size(); ++bytes) {
      const auto first = static_cast<unsigned char>(m_pending[m_pending.size() - bytes]);
      if ((first & 0xC0u) == 0x80u) continue;
      const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
      return length > bytes ? bytes : 0;
    }
    return 0;
  }

  bool write(size_t bytes) {
    const std::string safe = printable(std::string_view(m_pending).substr(0, bytes), Breaks::Keep);
    m_pending.erase(0, bytes);
    const auto count = static_cast<std::streamsize>(safe.size());
    return m_next.sputn(safe.data(), count) == count;
  }

  std::streambuf& m_next;
  std::mutex m_mutex;
  std::string m_pending;
};

}  // namespace

void makeOutputSafe() {
  // They live as long as the streams, which are flushed after main
  static auto& out = *new SafeBuffer(*std::cout.rdbuf());
  static auto& err = *new SafeBuffer(*std::cerr.rdbuf());
  std::cout.rdbuf(&out);
  std::cerr.rdbuf(&err);
}

void clearTerminalLine(std::ostream& out) {
  if (auto* safe = dynamic_cast<SafeBuffer*>(out.rdbuf())) safe->writeRaw("\r\x1b[K");
}

}  // namespace strata::cli
