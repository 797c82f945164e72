// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/library_file.h"

#include <elf.h>

#include <cstring>
#include <fstream>

namespace strata::cuda {

std::string faultOfLibrary(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return "is not a regular file";
  std::ifstream in(file, std::ios::binary);
  if (!in) return "cannot be read: check its permissions";
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  Elf64_Ehdr head{};
  if (!in.read(reinterpret_cast<char*>(&head), sizeof head))
    return size == 0 ? "is empty" : "is incomplete";
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
    return "is damaged: it is not a shared library";
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_type != ET_DYN)
    return "is not a 64-bit shared library";
  for (int i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part{};
    in.seekg(static_cast<std::streamoff>(head.e_phoff + sizeof part * static_cast<size_t>(i)));
    if (!in.read(reinterpret_cast<char*>(&part), sizeof part)) return "is incomplete";
    if (part.p_type == PT_LOAD && part.p_offset + part.p_filesz > size) return "is incomplete";
  }
  return {};
}

std::string explainLoader(const std::string& text) {
  // "NAME: cannot open shared object file: No such file or directory"
  if (const size_t at = text.find(": cannot open shared object file"); at != std::string::npos)
    return "needs " + text.substr(0, at) + ", which was not found";
  // "PATH: REASON"
  const size_t at = text.find(": ");
  return "cannot be opened: " + (at == std::string::npos ? text : text.substr(at + 2));
}

}  // namespace strata::cuda
