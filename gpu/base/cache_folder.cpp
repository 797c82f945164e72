// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/cache_folder.h"

#include <unistd.h>

#include <mutex>
#include <set>
#include <vector>

#include "gpu/base/debug.h"
#include "gpu/base/error.h"
#include "gpu/base/log.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// A folder that the user chose, and the name of Strata's folder in it.
struct CachePlace {
  fs::path outer;
  std::string own;
};

CachePlace cachePlace() {
  if (const auto cache = environmentVariable("XDG_CACHE_HOME"); cache && cache->front() == '/')
    return {*cache, "strata"};
  if (const auto home = environmentVariable("HOME"); home && home->front() == '/')
    return {fs::path(*home) / ".cache", "strata"};
  std::error_code error;
  fs::path temporary = fs::temp_directory_path(error);
  if (error) temporary = "/tmp";
  return {temporary, "strata-" + std::to_string(::geteuid())};
}

/// Logs an error. A folder that must not be used is a warning, once for each folder.
void report(const Error& error) {
  static std::mutex mutex;
  static auto& reported = *new std::set<std::string>;
  LogLevel level = LogLevel::Debug;
  if (error.code() == ErrorCode::InvalidFile) {
    const std::lock_guard lock(mutex);
    if (reported.insert(error.subject()).second) level = LogLevel::Warning;
  }
  logLine(level, error.line() + " Until then, nothing is cached.");
}

}  // namespace

fs::path cacheFolder() {
  const CachePlace place = cachePlace();
  return place.outer / place.own;
}

fs::path CacheStore::fileOf(const std::string& name) const { return cacheFolder() / m_kind / name; }

std::optional<OwnFile> CacheStore::read(const std::string& name, size_t maxBytes) const {
  try {
    const CachePlace place = cachePlace();
    const auto folder = OwnFolder::find(place.outer, {place.own, m_kind}, OthersMay::Nothing);
    return folder ? folder->read(name, maxBytes) : std::nullopt;
  }
  catch (const Error& error) {
    report(error);
    return std::nullopt;
  }
}

void CacheStore::write(const std::string& name, std::string_view bytes) const {
  try {
    const CachePlace place = cachePlace();
    OwnFolder::make(place.outer, {place.own, m_kind}, OthersMay::Nothing).write(name, bytes);
  }
  catch (const Error& error) {
    report(error);
  }
}

void CacheStore::remove(const std::string& name) const {
  try {
    const CachePlace place = cachePlace();
    if (const auto folder = OwnFolder::find(place.outer, {place.own, m_kind}, OthersMay::Nothing))
      folder->remove(name);
  }
  catch (const Error& error) {
    report(error);
  }
}

}  // namespace strata
