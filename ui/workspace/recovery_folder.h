// SPDX-License-Identifier: GPL-3.0-or-later
// Where one window keeps its unsaved edits: a folder under the user's data folder and a locked file
// beside it. The lock goes with the process, however it ends. It knows files, not what is in them.
// Thread: any, one at a time.
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

namespace strata::ui {

class RecoveryFolder {
 public:
  RecoveryFolder() = default;
  RecoveryFolder(const RecoveryFolder&) = delete;
  RecoveryFolder& operator=(const RecoveryFolder&) = delete;
  ~RecoveryFolder();

  /// The file of this number, its folder made and locked at the first call. Fails: throws
  /// Error(IoFailure).
  QString file(int number);
  /// Nothing happens where it was never made.
  void remove(int number);
  /// All of it.
  void clear();
  /// Folders of windows that are no more, locked until they are cleared or let go. Those of living
  /// windows are left alone.
  static std::vector<std::unique_ptr<RecoveryFolder>> abandoned();
  QStringList files() const;

 private:
  static QString root();
  bool lock(const QString& id, bool mayMake);

  // "" until it is locked
  QString m_path;
  int m_descriptor = -1;
};

}  // namespace strata::ui
