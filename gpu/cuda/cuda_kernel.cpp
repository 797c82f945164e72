// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/cuda_kernel.h"

#include "gpu/base/error.h"

namespace strata::cuda {
namespace {

unsigned gridSize(const Function& function, int64_t size) {
  if (size < 0 || size > 0x7fffffff)
    throw Error(ErrorCode::UnsupportedOp, function.name,
                "the grid has " + std::to_string(size) + " blocks. Use a smaller batch.");
  return static_cast<unsigned>(size);
}

}  // namespace

void Encoder::refuseArguments(const Function& function, const char* letters) {
  throw Error(ErrorCode::Internal, function.name,
              "the kernel was launched with the arguments \"" + std::string(letters) +
                  "\", but has the parameters \"" + function.parameters + "\".");
}

void Encoder::launchRaw(const Function& function, Grid grid, int threads, void** arguments) {
  if (m_predicted) {
    m_predicted->seconds += wholeNanoseconds(m_predicted->clock.take());
    return;
  }
  m_card.driver().launchKernel(function.handle, gridSize(function, grid.x),
                               gridSize(function, grid.y), gridSize(function, grid.z),
                               static_cast<unsigned>(threads), 1, 1, 0, m_stream, arguments,
                               nullptr);
}

void Encoder::call(const LibraryPlan& plan, const std::vector<DeviceAddress>& addresses,
                   DeviceAddress workspace) {
  if (m_predicted) {
    // Only simulated cards predict the rate of an algorithm
    const double relativeTime = plan.relativeTime() > 0 ? plan.relativeTime() : 1;
    m_predicted->seconds +=
        wholeNanoseconds(m_predicted->clock.take(relativeTime, plan.copiedBytes()));
    return;
  }
  std::array<CUdeviceptr, STRATA_MAX_CALL_ADDRESSES> bits{};
  require(addresses.size() <= bits.size(), "a library call has few operands");
  size_t count = 0;
  for (const DeviceAddress address : addresses)
    bits[count++] = address.bits();
  // An empty workspace may lie after the end of the arena
  if (plan.workspaceBytes() == 0) workspace = {};
  const StrataLibraries& libraries = m_card.libraries();
  const int result =
      libraries.run(libraries.self, plan.get(), m_stream, bits.data(), count, workspace.bits());
  // Simulated cards answer with the driver's status
  if (result < STRATA_STATUS_MISSING_LIBRARY) m_card.driver().check(result, "cuLaunchKernel");
  if (result != 0)
    throw Error(ErrorCode::DeviceFailure, m_card.name(),
                std::string(libraries.lastError(libraries.self)) + ". Use another device.");
}

void Encoder::clear(DeviceAddress address, size_t bytes) {
  if (bytes == 0) return;
  if (m_predicted)
    m_predicted->seconds += wholeNanoseconds(copySeconds(bytes, m_card.data().bytesPerSecond));
  else
    m_card.driver().memsetD8Async(address.bits(), 0, bytes, m_stream);
}

const Function& CudaSetup::typed(const std::string& stem, DType dtype) const {
  if (dtype != DType::F32 && !isLowPrecision(dtype)) refuse(dtype);
  return card->function(stem + "_" + std::string(dtypeName(dtype)));
}

const Function& CudaSetup::ofAny(const std::string& stem, DType dtype) const {
  return card->function(stem + "_" + nameOf(dtype));
}

const Function& CudaSetup::ofSize(const std::string& stem, DType dtype) const {
  if (dtype == DType::F64) refuse(dtype);
  return card->function(stem + "_" + std::to_string(dtypeBytes(dtype)));
}

std::string CudaSetup::nameOf(DType dtype) const {
  if (dtype == DType::F64) refuse(dtype);
  return std::string(dtypeName(dtype));
}

void joinAxes(Walk& walk) {
  int rank = 0;
  int64_t count = 1;
  for (int axis = 0; axis < walk.rank; ++axis) {
    const int64_t size = walk.dims[axis];
    count *= size;
    if (size == 1) continue;
    bool isJoined = rank > 0;
    for (const auto& strides : walk.strides)
      if (rank > 0 && strides[rank - 1] != strides[axis] * size) isJoined = false;
    if (!isJoined) ++rank;
    walk.dims[rank - 1] = isJoined ? walk.dims[rank - 1] * size : size;
    for (auto& strides : walk.strides)
      strides[rank - 1] = strides[axis];
  }
  walk.rank = rank;
  walk.isSmall = count <= INT32_MAX ? 1 : 0;
}

Walk broadcastWalk(const Shape& out, std::initializer_list<const Shape*> operands) {
  static_assert(kMaxAxes == kMaxRank);
  Walk walk;
  walk.rank = out.rank();
  for (int axis = 0; axis < out.rank(); ++axis)
    walk.dims[axis] = out[axis];
  int n = 0;
  for (const Shape* operand : operands) {
    const auto strides = reference::broadcastStrides(*operand, out);
    for (size_t axis = 0; axis < kMaxAxes; ++axis)
      walk.strides[n][axis] = strides[axis];
    ++n;
  }
  joinAxes(walk);
  return walk;
}

}  // namespace strata::cuda
