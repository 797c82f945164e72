// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/saved_file.h"

#include <QFile>

#include "core/project/project.h"

namespace strata::ui {

namespace {

QByteArray bytesOnDisk(const QString& path) {
  if (path.isEmpty()) return {};
  try {
    return QByteArray::fromStdString(
        readFile(QFile::encodeName(path).toStdString(), kMaxJsonBytes));
  }
  catch (const Error&) {
    return {};
  }
}

}  // namespace

void SavedFile::read(const QString& path) {
  m_path = path;
  m_bytes = bytesOnDisk(path);
}

void SavedFile::readSaved(const QString& path) {
  read(path);
  m_savedAt = std::chrono::steady_clock::now();
}

bool SavedFile::isChangedOnDisk() const {
  return QFile::exists(m_path) && bytesOnDisk(m_path) != m_bytes;
}

}  // namespace strata::ui
