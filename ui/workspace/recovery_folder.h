// SPDX-License-Identifier: GPL-3.0-or-later
// The folder in which one window stores its unsaved edits. It is in the user's data folder, and
// only this user may read and write it (gpu/base/own_folder.h). A locked file is next to it. The
// lock ends with the process. This class does not know the contents of the files. Thread: any, but
// only one at a time.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/base/error.h"

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
  /// destroyed. The folders of running windows are skipped. Skips a folder that is not this user's,
  /// and calls `refused` with the reason. Throws InvalidFile if the folder of all of them is not
  /// this user's.
  static std::vector<std::unique_ptr<RecoveryFolder>> abandoned(
      const std::function<void(const Error&)>& refused);
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
