// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/plugin/image_usage.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>

#include "gpu/cuda/plugin/images.h"

namespace strata::plugin {
namespace {

// A fatbin is a head and entries with a head each
constexpr uint32_t kFatbinMagic = 0xba55ed50;
constexpr uint16_t kMachineCode = 2;

struct FatbinHead {
  uint32_t magic;
  uint16_t version, headBytes;
  uint64_t bytes;
};
struct EntryHead {
  uint16_t kind, version;
  uint32_t headBytes;
  uint64_t bytes;
  uint32_t compressedBytes, unknown[2], architecture;
};

using UsageByKernel = std::map<std::string, KernelUsage, std::less<>>;

template <class T>
T readAt(const std::byte* from) {
  T result;
  std::memcpy(&result, from, sizeof result);
  return result;
}

/// Adds the kernels of one ELF file. A kernel has the section .text.NAME, whose info has the
/// registers in its highest byte, and .nv.shared.NAME, if it has shared memory.
void addKernels(const std::byte* elf, size_t bytes, UsageByKernel& usage) {
  if (bytes < sizeof(Elf64_Ehdr)) return;
  const auto head = readAt<Elf64_Ehdr>(elf);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shstrndx >= head.e_shnum ||
      head.e_shoff + uint64_t{head.e_shnum} * sizeof(Elf64_Shdr) > bytes)
    return;
  const auto section = [&](size_t i) {
    return readAt<Elf64_Shdr>(elf + head.e_shoff + i * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr names = section(head.e_shstrndx);
  if (names.sh_offset + names.sh_size > bytes || names.sh_size == 0) return;
  constexpr std::string_view kCode = ".text.", kShared = ".nv.shared.";
  for (size_t i = 0; i < head.e_shnum; ++i) {
    const Elf64_Shdr each = section(i);
    if (each.sh_name >= names.sh_size) continue;
    const std::string_view name(
        reinterpret_cast<const char*>(elf + names.sh_offset + each.sh_name));
    if (name.starts_with(kCode))
      usage[std::string(name.substr(kCode.size()))].registers =
          static_cast<int>(each.sh_info >> 24);
    else if (name.starts_with(kShared))
      usage[std::string(name.substr(kShared.size()))].sharedBytes = each.sh_size;
  }
}

/// Returns the kernels of all images by architecture. Compressed code is left out.
std::map<uint32_t, UsageByKernel> readImages() {
  std::map<uint32_t, UsageByKernel> result;
  for (size_t i = 0; i < numKernelImages; ++i) {
    const auto* image = static_cast<const std::byte*>(kernelImages[i]);
    const auto fatbin = readAt<FatbinHead>(image);
    if (fatbin.magic != kFatbinMagic) continue;
    const std::byte* at = image + fatbin.headBytes;
    const std::byte* const end = at + fatbin.bytes;
    while (static_cast<size_t>(end - at) >= sizeof(EntryHead)) {
      const auto entry = readAt<EntryHead>(at);
      const auto left = static_cast<uint64_t>(end - at);
      if (entry.headBytes > left || entry.bytes > left - entry.headBytes) break;
      if (entry.kind == kMachineCode && entry.compressedBytes == 0)
        addKernels(at + entry.headBytes, entry.bytes, result[entry.architecture]);
      at += entry.headBytes + entry.bytes;
    }
  }
  return result;
}

}  // namespace

KernelUsage usageOf(const std::string& kernel, int architecture) {
  static const auto& kImages = *new std::map<uint32_t, UsageByKernel>(readImages());
  if (kImages.empty()) return {};
  auto at = kImages.upper_bound(static_cast<uint32_t>(architecture));
  if (at != kImages.begin()) --at;
  const auto found = at->second.find(kernel);
  return found == at->second.end() ? KernelUsage{} : found->second;
}

}  // namespace strata::plugin
