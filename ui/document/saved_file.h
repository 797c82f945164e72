// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a document's file when this program last read or wrote it. They show whether
// another program has changed the file. Thread: a value.
#pragma once

#include <QByteArray>
#include <QString>
#include <chrono>
#include <optional>

namespace strata::ui {

class SavedFile {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Reads the bytes of the file. There are no bytes if the path is empty or the file is
  /// unreadable.
  void read(const QString& path);
  /// Reads the file after it was written, and sets savedAt().
  void readSaved(const QString& path);
  /// Makes the file count as changed if it exists and is not empty.
  void forget() { m_bytes.clear(); }
  /// Returns whether the file exists and its bytes differ from bytes().
  bool isChangedOnDisk() const;
  const QByteArray& bytes() const { return m_bytes; }
  std::optional<Time> savedAt() const { return m_savedAt; }

 private:
  QString m_path;
  QByteArray m_bytes;
  std::optional<Time> m_savedAt;
};

}  // namespace strata::ui
