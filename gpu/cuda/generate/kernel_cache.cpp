// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/generate/kernel_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <sstream>

#include "gpu/base/log.h"
#include "gpu/cuda/generate/text_hash.h"

namespace strata::cuda {
namespace {

namespace fs = std::filesystem;

// The number changes with the text around kernels
constexpr std::string_view kFormat = "strata-kernel 1\n";

/// A file is: format, checksum of the rest, the sizes of key and image, key, image.
std::string contentsOf(std::string_view key, std::string_view image) {
  std::string rest = std::to_string(key.size()) + " " + std::to_string(image.size()) + "\n";
  rest.append(key).append("\n").append(image);
  return std::string(kFormat) + hashText(rest) + "\n" + rest;
}

std::string keyOf(std::string_view text, std::string_view compiler) {
  return "// " + std::string(compiler) + "\n" + std::string(text);
}

/// Returns the contents of a file that this user owns. Others may put files into a folder among the
/// temporary files.
std::optional<std::string> readOwnFile(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || status.st_uid != ::getuid()) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::stringstream contents;
  contents << file.rdbuf();
  return std::move(contents).str();
}

}  // namespace

fs::path KernelCache::fileOf(std::string_view text, std::string_view compiler) const {
  return m_folder / (hashText(keyOf(text, compiler)) + ".kernel");
}

std::optional<std::vector<char>> KernelCache::find(std::string_view text,
                                                   std::string_view compiler) const {
  const fs::path path = fileOf(text, compiler);
  const std::optional<std::string> contents = readOwnFile(path);
  if (!contents) return std::nullopt;
  const std::string key = keyOf(text, compiler);
  // The image is what follows the key. If its bytes are right, so are all bytes of the file.
  const size_t keyAt = contents->find(key);
  if (keyAt != std::string::npos) {
    const std::string_view image =
        std::string_view(*contents).substr(std::min(contents->size(), keyAt + key.size() + 1));
    if (!image.empty() && *contents == contentsOf(key, image))
      return std::vector<char>(image.begin(), image.end());
  }
  std::error_code error;
  fs::remove(path, error);
  logLine(LogLevel::Warning,
          "the compiled kernel " + path.string() + " is damaged, and is compiled again");
  return std::nullopt;
}

void KernelCache::store(std::string_view text, std::string_view compiler,
                        const std::vector<char>& image) const {
  static std::atomic<int> number = 0;
  std::error_code error;
  fs::create_directories(m_folder, error);
  const fs::path path = fileOf(text, compiler);
  // Other processes must never see a part of a file
  fs::path temporary = path;
  temporary += "." + std::to_string(::getpid()) + "-" + std::to_string(++number);
  {
    std::ofstream file(temporary, std::ios::binary);
    file << contentsOf(keyOf(text, compiler), {image.data(), image.size()});
    file.close();
    if (!file) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) fs::rename(temporary, path, error);
  if (!error) return;
  logLine(LogLevel::Debug, "cannot store a compiled kernel: " + error.message());
  fs::remove(temporary, error);
}

}  // namespace strata::cuda
