// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/recovery_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QUuid>
#include <cerrno>
#include <cstring>

#include "gpu/base/error.h"
#include "gpu/base/own_folder.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

const QString kLockSuffix = u".lock"_s, kFileSuffix = u".recovery"_s;

bool isSameFile(int descriptor, const QByteArray& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.constData(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

QString dataFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
}

/// Returns the names of the folders within dataFolder().
std::vector<std::string> foldersOf(const QString& id) {
  std::vector<std::string> names{"strata", "recovery"};
  if (!id.isEmpty()) names.push_back(QFile::encodeName(id).toStdString());
  return names;
}

OwnFolder makeFolder(const QString& id) {
  return OwnFolder::make(QFile::encodeName(dataFolder()).toStdString(), foldersOf(id),
                         OthersMay::Nothing);
}

std::optional<OwnFolder> findFolder(const QString& id) {
  return OwnFolder::find(QFile::encodeName(dataFolder()).toStdString(), foldersOf(id),
                         OthersMay::Nothing);
}

}  // namespace

QString RecoveryFolder::root() { return dataFolder() + u"/strata/recovery"_s; }

RecoveryFolder::~RecoveryFolder() {
  if (m_descriptor >= 0) ::close(m_descriptor);
}

bool RecoveryFolder::lock(const QString& id, bool mayMake) {
  const QString path = root() + u'/' + id;
  const QByteArray file = QFile::encodeName(path + kLockSuffix);
  const int descriptor =
      ::open(file.constData(),
             O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (mayMake ? O_CREAT : 0), 0600);
  if (descriptor < 0) return false;
  // Between opening and locking, another window may have regarded the folder as abandoned and
  // removed it.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 || !isSameFile(descriptor, file)) {
    const int error = errno;
    ::close(descriptor);
    errno = error;
    return false;
  }
  m_descriptor = descriptor;
  m_path = path;
  return true;
}

QString RecoveryFolder::file(int number) {
  if (m_path.isEmpty()) {
    const auto fail = [](const QString& path) {
      throw Error(ErrorCode::IoFailure, path.toStdString(),
                  std::string("unsaved changes cannot be stored here (") + std::strerror(errno) +
                      "). Save often, or free some space.");
    };
    errno = 0;
    (void)makeFolder({});
    constexpr int kMaxTries = 3;
    for (int i = 0; i < kMaxTries && m_path.isEmpty(); ++i)
      lock(QUuid::createUuid().toString(QUuid::WithoutBraces), true);
    if (m_path.isEmpty()) fail(root());
  }
  (void)makeFolder(QFileInfo(m_path).fileName());
  return m_path + u'/' + QString::number(number) + kFileSuffix;
}

void RecoveryFolder::remove(int number) {
  if (!m_path.isEmpty()) QFile::remove(m_path + u'/' + QString::number(number) + kFileSuffix);
}

QStringList RecoveryFolder::files() const {
  QStringList paths;
  if (m_path.isEmpty()) return paths;
  const QDir folder(m_path);
  for (const QString& name :
       folder.entryList({u'*' + kFileSuffix}, QDir::Files | QDir::NoSymLinks, QDir::Name))
    paths << folder.filePath(name);
  return paths;
}

void RecoveryFolder::clear() {
  if (m_path.isEmpty()) return;
  QDir(m_path).removeRecursively();
  // The lock file is removed last, because windows ignore a folder without a lock.
  QFile::remove(m_path + kLockSuffix);
  ::close(m_descriptor);
  m_descriptor = -1;
  m_path.clear();
}

std::vector<std::unique_ptr<RecoveryFolder>> RecoveryFolder::abandoned(
    const std::function<void(const Error&)>& refused) {
  std::vector<std::unique_ptr<RecoveryFolder>> found;
  if (!findFolder({})) return found;
  for (const QString& name :
       QDir(root()).entryList({u'*' + kLockSuffix}, QDir::Files, QDir::Name)) {
    auto folder = std::make_unique<RecoveryFolder>();
    const QString id = name.chopped(kLockSuffix.size());
    if (!folder->lock(id, false)) continue;
    try {
      (void)findFolder(id);
      found.push_back(std::move(folder));
    }
    catch (const Error& error) {
      refused(error);
    }
  }
  return found;
}

}  // namespace strata::ui
