// SPDX-License-Identifier: Apache-2.0
// NumPy's archives of arrays (.npz): a ZIP of .npy members, stored or deflated, by name. Metadata
// of this program stands in the archive's comment, which NumPy passes over. Not here: what the
// tensors mean. Thread: pure functions.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/interchange/npy.h"
#include "core/interchange/tensor_reader.h"
#include "core/interchange/zip.h"

namespace strata {

/// Its directory and the arrays' heads, with every size checked. Fails: InvalidFile naming file,
/// array and what is wrong (as ZipReader and readNpyHead); what is read of it also where its CRC is
/// another; IoFailure.
std::unique_ptr<TensorReader> openNpz(const std::string& path);
/// All of it. Fails: as openNpz.
TensorFile readNpz(const std::string& path);
/// Whole or not at all. Fails: as `tensors`; IoFailure.
void writeNpz(const std::string& path, TensorReader& tensors,
              const std::map<std::string, std::string>& metadata, bool isDurable = true);
/// The same of tensors in memory.
void writeNpz(const std::string& path, const TensorViews& tensors,
              const std::map<std::string, std::string>& metadata, bool isDurable = true);

/// The head of an array in an archive. `what` begins each message. Fails: as openNpz.
NpyHead headOfMember(ZipReader& zip, const ZipMember& member, const std::string& path,
                     const std::string& what);
/// Its numbers in the file's order, piece by piece as tensors of one dimension. Fails: as
/// ZipReader::eachPiece.
void eachOfMember(ZipReader& zip, const ZipMember& member, const NpyHead& head,
                  const ElementStream::Take& take);

}  // namespace strata
