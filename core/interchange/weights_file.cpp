// SPDX-License-Identifier: Apache-2.0
#include "core/interchange/weights_file.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/interchange/file_bytes.h"
#include "core/interchange/npz.h"
#include "core/interchange/zip.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr const char* kWeightsFormat = "strata-weights";

/// Whether a weights file is an .npz file. Otherwise it is a safetensors file. If the first bytes
/// fit neither format, the suffix decides, so that the reader of this format reports the problem.
/// Fails: InvalidFile if the suffix fits neither format.
bool isNpzFile(const std::string& path) {
  FileBytes file(path);
  std::array<std::byte, 9> beginning{};
  file.read(beginning.data(), std::min<uint64_t>(beginning.size(), file.size()), 0);
  if (isZip(beginning)) return true;
  if (beginning[8] == std::byte{'{'}) return false;
  const std::string suffix = std::filesystem::path(path).extension().string();
  if (suffix != ".npz" && suffix != ".safetensors")
    file.fail("is not a weights file (expected .safetensors or .npz, or a run directory" +
              (suffix.empty() ? std::string() : ", got " + excerpt(suffix, 20)) +
              "). Use one of these, or save the weights of the network in one.");
  return suffix == ".npz";
}

}  // namespace

std::string problemOfWeightsSuffix(const std::string& path) {
  const std::string suffix = std::filesystem::path(path).extension().string();
  if (suffix == ".safetensors" || suffix == ".npz") return {};
  return (suffix.empty() ? std::string("the file name has no suffix that identifies the format")
                         : "the format \"" + suffix + "\" is not in this version") +
         " (expected .safetensors or .npz). Use one of these formats.";
}

std::unique_ptr<TensorReader> openWeightsFile(const std::string& path) {
  return isNpzFile(path) ? openNpz(path) : openSafetensors(path);
}

void requireHash(TensorReader& tensors, const std::string& file) {
  const auto format = tensors.metadata().find("format"), hash = tensors.metadata().find("hash");
  if (format == tensors.metadata().end() || format->second != kWeightsFormat ||
      hash == tensors.metadata().end())
    return;
  const std::string found = weightsHash(tensors);
  if (hash->second == found) return;
  throw Error(ErrorCode::InvalidFile, file,
              "is damaged (expected the hash " + excerpt(hash->second, 40) +
                  " of its metadata, got " + found + "). Copy or export it again.");
}

void writeWeightsFile(const std::string& path, TensorReader& tensors,
                      const std::map<std::string, std::string>& metadata) {
  if (const std::string problem = problemOfWeightsSuffix(path); !problem.empty())
    throw Error(ErrorCode::UnsupportedOp, path, problem);
  if (std::filesystem::path(path).extension() == ".npz")
    writeNpz(path, tensors, metadata);
  else
    writeSafetensors(path, tensors, metadata);
}

void writeWeightsFile(const std::string& path, const TensorViews& tensors,
                      const std::map<std::string, std::string>& metadata) {
  TensorsInMemory reader(tensors);
  writeWeightsFile(path, reader, metadata);
}

}  // namespace strata
