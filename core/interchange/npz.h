// SPDX-License-Identifier: Apache-2.0
// NumPy archives (.npz): a ZIP of named .npy members, stored or deflated. Metadata of this program
// is in the comment of the archive, which NumPy ignores. Not here: the meaning of the tensors.
// Thread: pure functions.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/interchange/npy.h"
#include "core/interchange/tensor_reader.h"
#include "core/interchange/zip.h"

namespace strata {

/// Reads the directory and the headers of the arrays, and checks every size. Fails: InvalidFile
/// naming file, array and problem (as ZipReader and readNpyHead), when reading an array also if its
/// CRC is wrong; IoFailure.
std::unique_ptr<TensorReader> openNpz(const std::string& path);
/// Reads all arrays. Fails: as openNpz.
TensorFile readNpz(const std::string& path);
/// Writes the whole file or nothing. Fails: as `tensors`; IoFailure.
void writeNpz(const std::string& path, TensorReader& tensors,
              const std::map<std::string, std::string>& metadata, bool isDurable = true);
/// The same for tensors in memory.
void writeNpz(const std::string& path, const TensorViews& tensors,
              const std::map<std::string, std::string>& metadata, bool isDurable = true);

/// The header of an array in an archive. Each message begins with `what`. Fails: as openNpz.
NpyHead headOfMember(ZipReader& zip, const ZipMember& member, const std::string& path,
                     const std::string& what);
/// Passes its numbers in the order of the file, in pieces that are tensors of one dimension. Fails:
/// as ZipReader::eachPiece.
void eachOfMember(ZipReader& zip, const ZipMember& member, const NpyHead& head,
                  const ElementStream::Take& take);

}  // namespace strata
