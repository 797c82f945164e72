// SPDX-License-Identifier: GPL-3.0-or-later
// The file of a document as this program last read or wrote it, to notice changes by other
// programs. Thread: a value.
#pragma once

#include <QByteArray>
#include <QString>
#include <chrono>
#include <optional>

namespace strata::ui {

class SavedFile {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Reads the bytes of the file; an empty path or an unreadable file gives no bytes.
  void read(const QString& path);
  /// Call after the file was written: reads it and sets savedAt().
  void readSaved(const QString& path);
  /// From now on the file counts as changed, if it exists.
  void forget() { m_bytes.clear(); }
  /// True if the file exists and its bytes differ from those read last
  bool isChangedOnDisk() const;
  const QByteArray& bytes() const { return m_bytes; }
  std::optional<Time> savedAt() const { return m_savedAt; }

 private:
  QString m_path;
  QByteArray m_bytes;
  std::optional<Time> m_savedAt;
};

}  // namespace strata::ui
