// SPDX-License-Identifier: Apache-2.0
// Brings the inputs of a step to the card: scalars, indices and arrays travel in one copy, on the
// stream for copies while earlier steps compute. One launch on the compute stream then puts them
// into their places, and gathers the rows that the card keeps.
// Thread: as Runner.
#pragma once

#include <vector>

#include "gpu/cuda/cuda_kernel.h"
#include "gpu/cuda/cuda_stream.h"
#include "gpu/cuda/kernels/inputs.h"
#include "gpu/exec/runner.h"

namespace strata::cuda {

/// What the launches for the inputs of a step do.
struct InputWork {
  // Read and written, as if kept rows had the types of the inputs
  double bytes = 0;
  int launches = 0;
};
InputWork inputWorkOf(const Graph& graph, const MemoryPlan& memory);

class StepInputs {
 public:
  /// `layout` and `addresses` are those of the runner.
  StepInputs(CudaStream& stream, const StepLayout& layout, const StepAddresses& addresses);
  /// Returns the bytes that a slot of the stream needs.
  size_t slotBytes() const;
  /// Adds the copy and the launch. Fails: Internal if rows of a type cannot be gathered into an
  /// input of another type.
  void encode(Encoder& encoder, const SubmittedStep& step);

 private:
  struct Piece {
    InputPiece piece;
    // Of a gather; null for a copy
    const KeptRows* rows = nullptr;
    size_t targetBytes = 0;
  };
  size_t pack(CudaStream::InputSlot& slot, const std::byte* from, size_t bytes);
  void addCopy(CudaStream::InputSlot& slot, DeviceAddress to, const std::byte* from, size_t bytes);
  void addGather(const RowGather& gather);
  void annotate(DeviceAddress indices, size_t indexBytes);
  void place(Encoder& encoder, size_t first, DeviceAddress indices);

  CudaStream& m_stream;
  const InputWork m_work;
  // The memory of all inputs
  DeviceAddress m_begin;
  size_t m_bytes = 0;
  // Those of the step that is encoded, and the bytes of its slot that are in use
  std::vector<Piece> m_pieces;
  std::vector<StrataRange> m_ranges;
  size_t m_packed = 0;
};

}  // namespace strata::cuda
