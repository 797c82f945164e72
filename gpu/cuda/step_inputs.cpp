// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/step_inputs.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "gpu/base/error.h"
#include "gpu/base/round_up.h"

namespace strata::cuda {
namespace {

constexpr size_t kPieceAlignment = kCopyBytes;

PieceKind gatherKind(DType from, DType to) {
  if (to == DType::F32) {
    if (from == DType::U8) return kGatheredU8ToF32;
    if (from == DType::I32) return kGatheredI32ToF32;
    if (from == DType::F32) return kGatheredF32ToF32;
  }
  if (to == DType::I32) {
    if (from == DType::U8) return kGatheredU8ToI32;
    if (from == DType::I32) return kGatheredI32ToI32;
  }
  throw Error(ErrorCode::Internal, "place_inputs",
              "rows of " + std::string(dtypeName(from)) + " cannot be gathered into an input of " +
                  std::string(dtypeName(to)) + ".");
}

/// Returns how many blocks work on a piece.
int64_t blocksOf(const InputPiece& piece) {
  const int64_t units = piece.kind == kCopied ? piece.count / kCopyBytes : piece.count;
  return std::max<int64_t>(1, Encoder::blocksFor(units, kBlock * kPerThread));
}

}  // namespace

InputWork inputWorkOf(const Graph& graph, const MemoryPlan& memory) {
  InputWork work;
  size_t pieces = 0;
  bool hasScalars = false;
  for (const NamedValue& input : graph.inputs()) {
    const TensorType& type = graph.type(input.value);
    if (memory.storageOf[static_cast<size_t>(input.value.index)] < 0 || type.bytes() == 0) continue;
    work.bytes += 2 * static_cast<double>(type.bytes());
    if (type.shape.rank() == 0)
      hasScalars = true;
    else
      ++pieces;
  }
  pieces += hasScalars ? 1 : 0;
  work.launches = static_cast<int>((pieces + kMaxInputPieces - 1) / kMaxInputPieces);
  return work;
}

StepInputs::StepInputs(CudaStream& stream, const StepLayout& layout, const StepAddresses& addresses)
    : m_stream(stream), m_work(inputWorkOf(layout.graph, layout.plan)) {
  uint64_t begin = UINT64_MAX, end = 0;
  for (size_t i = 0; i < layout.plan.storages.size(); ++i) {
    const Storage& storage = layout.plan.storages[i];
    const DeviceAddress address = addresses.storages[i];
    if (storage.lane != Storage::Lane::Input || address.isNull()) continue;
    begin = std::min(begin, address.bits());
    end = std::max(end, address.bits() + storage.bytes);
  }
  if (end == 0) return;
  m_begin = DeviceAddress::fromBits(begin);
  m_bytes = end - begin;
}

size_t StepInputs::slotBytes() const { return roundUp(m_bytes, kPieceAlignment); }

/// Copies bytes into the slot, and returns where they lie in it.
size_t StepInputs::pack(CudaStream::InputSlot& slot, const std::byte* from, size_t bytes) {
  const size_t offset = m_packed;
  m_packed += roundUp(bytes, kPieceAlignment);
  require(m_packed <= slotBytes(), "a slot has room for all inputs");
  std::memcpy(slot.pinned + offset, from, bytes);
  return offset;
}

void StepInputs::addCopy(CudaStream::InputSlot& slot, DeviceAddress to, const std::byte* from,
                         size_t bytes) {
  // Programs that share the inputs of another one may get scalars that they do not have
  const DeviceAddress begin = std::max(to, m_begin), end = std::min(to + bytes, m_begin + m_bytes);
  if (begin >= end) return;
  require(begin.bits() % kPieceAlignment == 0, "inputs are aligned");
  Piece piece;
  piece.targetBytes = end - begin;
  const size_t offset = pack(slot, from + (begin - to), piece.targetBytes);
  piece.piece.from.bits = (slot.staging + offset).bits();
  piece.piece.to.bits = begin.bits();
  piece.piece.count = static_cast<int64_t>(piece.targetBytes);
  m_pieces.push_back(piece);
}

void StepInputs::addGather(const RowGather& gather) {
  const KeptRows& rows = *gather.from;
  Piece piece;
  piece.rows = &rows;
  piece.piece.kind = gatherKind(rows.dtype, gather.type);
  piece.piece.from.bits = rows.memory.address().bits();
  piece.piece.to.bits = gather.to.bits();
  piece.piece.shiftAndScale.bits = rows.shiftAndScale.address().bits();
  piece.piece.count = gather.rows * gather.elements;
  piece.piece.columns = rows.elements;
  piece.piece.targetColumns = gather.elements;
  piece.piece.scale = rows.scale;
  piece.piece.offset = rows.offset;
  piece.targetBytes = static_cast<size_t>(piece.piece.count) * dtypeBytes(gather.type);
  m_pieces.push_back(piece);
}

void StepInputs::encode(Encoder& encoder, const SubmittedStep& step) {
  if (step.copies.empty() && step.scalars.empty() && step.gathers.empty()) return;
  CudaStream::InputSlot& slot = m_stream.nextInputSlot();
  m_pieces.clear();
  m_packed = 0;
  addCopy(slot, step.scalarsTo, step.scalars.data(), step.scalars.size());
  size_t indexOffset = 0, indexBytes = 0;
  for (const RowGather& gather : step.gathers) {
    if (gather.elements == 0) continue;
    addGather(gather);
    // All arrays of a batch have the same samples
    if (indexBytes > 0) continue;
    indexBytes = static_cast<size_t>(gather.rows) * sizeof(int32_t);
    indexOffset = pack(slot, reinterpret_cast<const std::byte*>(gather.indices), indexBytes);
  }
  for (const HostCopy& copy : step.copies)
    addCopy(slot, copy.to, copy.from, copy.bytes);
  const Driver& driver = m_stream.card().driver();
  if (m_packed > 0)
    driver.memcpyHtoDAsync(slot.staging.bits(), slot.pinned, m_packed, m_stream.copies());
  driver.eventRecord(slot.copied.get(), m_stream.copies(), 0);
  driver.streamWaitEvent(m_stream.compute(), slot.copied.get(), 0);
  annotate(slot.staging + indexOffset, indexBytes);
  for (size_t first = 0; first < m_pieces.size(); first += kMaxInputPieces)
    place(encoder, first, slot.staging + indexOffset);
  driver.eventRecord(slot.taken.get(), m_stream.compute(), 0);
}

/// Says which bytes the launches access.
void StepInputs::annotate(DeviceAddress indices, size_t indexBytes) {
  m_ranges.clear();
  for (const Piece& piece : m_pieces) {
    m_ranges.push_back({piece.piece.to.bits, piece.targetBytes, 1});
    if (!piece.rows) {
      m_ranges.push_back({piece.piece.from.bits, piece.targetBytes, 0});
      continue;
    }
    m_ranges.push_back({indices.bits(), indexBytes, 0});
    m_ranges.push_back({piece.piece.from.bits, piece.rows->memory.bytes(), 0});
    m_ranges.push_back({piece.piece.shiftAndScale.bits, piece.rows->shiftAndScale.bytes(), 0});
  }
  StrataWork work{};
  work.op = "inputs";
  work.layer = "";
  work.ranges = m_ranges.data();
  work.numRanges = m_ranges.size();
  work.bytes = m_work.bytes;
  m_stream.card().annotate(m_stream.compute(), &work);
}

/// Adds a launch for the pieces from `first` on, as many as fit in its parameters.
void StepInputs::place(Encoder& encoder, size_t first, DeviceAddress indices) {
  InputList list;
  list.indices.bits = indices.bits();
  int64_t blocks = 0;
  for (size_t i = first; i < std::min(m_pieces.size(), first + kMaxInputPieces); ++i) {
    InputPiece& piece = list.pieces[list.count++] = m_pieces[i].piece;
    piece.firstBlock = static_cast<int32_t>(blocks);
    blocks += blocksOf(piece);
  }
  encoder.launch(m_stream.card().function("place_inputs"), {blocks}, kBlock, list);
}

}  // namespace strata::cuda
