// SPDX-License-Identifier: Apache-2.0
// NumPy archives (.npz): ZIP files with named .npy members that are stored or deflated. The comment
// of the archive contains the metadata of this program, which NumPy ignores. Not here: the meaning
// of the tensors.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/interchange/npy.h"
#include "core/interchange/tensor_reader.h"
#include "core/interchange/zip.h"

namespace strata {

/// Opens an archive: reads the directory and the headers of the arrays, and checks every size.
/// Fails: InvalidFile naming file, array and problem (see ZipReader and readNpyHead); IoFailure.
/// Reading an array also fails if its CRC is wrong.
std::unique_ptr<TensorReader> openNpz(const std::string& path);
/// Reads all arrays. Fails with the errors of openNpz.
TensorFile readNpz(const std::string& path);
/// Writes the complete file or nothing (see AtomicFile, also for `isDurable`). Omits metadata that
/// takes more than 65535 bytes as JSON. Fails with the errors of `tensors`, or with IoFailure.
void writeNpz(const std::string& path, TensorReader& tensors,
              const std::map<std::string, std::string>& metadata, bool isDurable = true);
/// Writes tensors in memory in the same way.
void writeNpz(const std::string& path, const TensorViews& tensors,
              const std::map<std::string, std::string>& metadata, bool isDurable = true);

/// Reads the header of an array in an archive. Each error message begins with `what`. Fails with
/// the errors of openNpz.
NpyHead headOfMember(ZipReader& zip, const ZipMember& member, const std::string& path,
                     const std::string& what);
/// Passes the elements of an array to `take` in the order of the file, in tensors with one
/// dimension. Fails with the errors of ZipReader::eachPiece.
void eachOfMember(ZipReader& zip, const ZipMember& member, const NpyHead& head,
                  const ElementStream::Take& take);

}  // namespace strata
