// SPDX-License-Identifier: GPL-3.0-or-later
// The folder in which one window stores its unsaved edits. It is in the user's data folder, with a
// locked file next to it. The lock ends with the process. This class does not know the contents of
// the files. Thread: any, but only one at a time.
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

  /// Returns the path of the file with this number. The first call creates and locks the folder.
  /// Throws IoFailure.
  QString file(int number);
  /// Removes the file with this number if it exists.
  void remove(int number);
  /// Removes the folder and its lock.
  void clear();
  /// Returns the folders of windows that have ended. They stay locked until they are cleared or
  /// destroyed. The folders of running windows are skipped.
  static std::vector<std::unique_ptr<RecoveryFolder>> abandoned();
  /// Returns the paths of the files in the folder.
  QStringList files() const;

 private:
  static QString root();
  bool lock(const QString& id, bool mayMake);

  // Empty until the folder is locked.
  QString m_path;
  int m_descriptor = -1;
};

}  // namespace strata::ui
