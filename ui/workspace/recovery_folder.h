// SPDX-License-Identifier: GPL-3.0-or-later
// Where one window stores its unsaved edits: a folder under the user's data folder with a locked
// file next to it. The lock ends with the process. It knows files, not their contents. Thread: any,
// one at a time.
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

  /// The file with this number. The first call creates and locks the folder. Throws:
  /// Error(IoFailure).
  QString file(int number);
  /// Does nothing if the file does not exist.
  void remove(int number);
  /// Removes everything.
  void clear();
  /// Folders of ended windows, locked until they are cleared or released. Folders of running
  /// windows are skipped.
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
