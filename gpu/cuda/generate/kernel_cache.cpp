// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/generate/kernel_cache.h"

#include <algorithm>

#include "gpu/base/log.h"
#include "gpu/cuda/generate/text_hash.h"

namespace strata::cuda {
namespace {

// The number changes with the text around kernels
constexpr std::string_view kFormat = "strata-kernel 1\n";
constexpr size_t kMaxFileBytes = size_t{256} << 20;
// More than the headers of an image, which are read before their contents are known
constexpr size_t kMinImageBytes = 128;

/// A file is: format, checksum of the rest, the sizes of key and image, key, image.
std::string contentsOf(std::string_view key, std::string_view image) {
  std::string rest = std::to_string(key.size()) + " " + std::to_string(image.size()) + "\n";
  rest.append(key).append("\n").append(image);
  return std::string(kFormat) + hashText(rest) + "\n" + rest;
}

std::string keyOf(std::string_view text, std::string_view compiler) {
  return "// " + std::string(compiler) + "\n" + std::string(text);
}

std::string nameOf(std::string_view text, std::string_view compiler) {
  return hashText(keyOf(text, compiler)) + ".kernel";
}

}  // namespace

std::filesystem::path KernelCache::fileOf(std::string_view text, std::string_view compiler) const {
  return m_store.fileOf(nameOf(text, compiler));
}

std::optional<std::vector<char>> KernelCache::find(std::string_view text,
                                                   std::string_view compiler) const {
  const std::optional<OwnFile> file = m_store.read(nameOf(text, compiler), kMaxFileBytes);
  if (!file) return std::nullopt;
  const std::string& contents = file->bytes;
  const std::string key = keyOf(text, compiler);
  // The image is what follows the key. If its bytes are right, so are all bytes of the file.
  const size_t keyAt = contents.find(key);
  if (keyAt != std::string::npos) {
    const std::string_view image =
        std::string_view(contents).substr(std::min(contents.size(), keyAt + key.size() + 1));
    if (image.size() >= kMinImageBytes && contents == contentsOf(key, image))
      return std::vector<char>(image.begin(), image.end());
  }
  drop(text, compiler);
  return std::nullopt;
}

void KernelCache::drop(std::string_view text, std::string_view compiler) const {
  m_store.remove(nameOf(text, compiler));
  logLine(LogLevel::Warning, "the compiled kernel " + fileOf(text, compiler).string() +
                                 " is damaged, and is compiled again");
}

void KernelCache::store(std::string_view text, std::string_view compiler,
                        const std::vector<char>& image) const {
  m_store.write(nameOf(text, compiler),
                contentsOf(keyOf(text, compiler), {image.data(), image.size()}));
}

}  // namespace strata::cuda
