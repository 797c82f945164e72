// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/launches.h"

#include <cstring>

#include "gpu/cuda/call_alignment.h"
#include "gpu/simulated/driver.h"
#include "gpu/simulated/last_error.h"

namespace strata::simulated {
namespace {

constexpr unsigned kMaxGridX = 0x7fffffff, kMaxGridYz = 65535, kMaxBlockZ = 64;
constexpr size_t kMaxSharedBytes = 48 * 1024;

/// Whether an operand may have this address. An empty one may lie right after an allocation.
bool isOperand(Card& card, CUdeviceptr address) {
  return address == 0 || card.memory().contains(address, 1) ||
         card.memory().contains(address - 1, 1);
}

}  // namespace

int addLaunch(CUstream stream, const emulated::Kernel& kernel, const emulated::Index& grid,
              const emulated::Index& block, size_t sharedBytes, void** arguments) {
  const auto invalid = [&](const char* what) {
    setLastError(std::string("kernel ") + kernel.name + ": " + what);
    return STRATA_CUDA_INVALID_VALUE;
  };
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return invalid("the grid is empty");
  if (grid.x > kMaxGridX || grid.y > kMaxGridYz || grid.z > kMaxGridYz)
    return invalid("the grid is too large");
  if (block.x == 0 || block.y == 0 || block.z == 0 || block.x > kMaxThreads ||
      block.y > kMaxThreads || block.z > kMaxBlockZ ||
      static_cast<size_t>(block.x) * block.y * block.z > kMaxThreads)
    return invalid("the block has an invalid size");
  if (sharedBytes > kMaxSharedBytes) return invalid("it uses too much shared memory");
  for (size_t i = 0; i < kernel.numParameters; ++i) {
    if (kernel.parameters[i] != 'p') continue;
    uint64_t address = 0;
    std::memcpy(&address, arguments[i], sizeof address);
    if (!isOperand(*stream->card, address))
      return stream->card->failForever(STRATA_CUDA_ILLEGAL_ADDRESS,
                                       std::string("kernel ") + kernel.name + ": argument " +
                                           std::to_string(i) + " is no address of this card");
  }
  Command command;
  command.kind = Command::Kind::Launch;
  command.kernel = &kernel;
  command.bound.resize(kernel.boundBytes);
  kernel.bind(arguments, command.bound.data());
  command.grid = grid;
  command.block = block;
  return stream->card->add(stream, std::move(command));
}

int addCall(CUstream stream, std::shared_ptr<const HostCall> call, int32_t kind,
            const CallSpeed& speed, const CUdeviceptr* addresses, size_t numAddresses,
            CUdeviceptr workspace, const char* name) {
  const std::unique_lock lock = lockCards();
  if (const int error = stream->card->beginCall()) return error;
  if (const std::string problem = cuda::alignmentProblem(addresses, numAddresses, workspace);
      !problem.empty()) {
    setLastError(problem);
    return STRATA_CUDA_INVALID_VALUE;
  }
  if (kind >= 0) stream->card->loadLibrary(kind);
  Command command;
  command.kind = Command::Kind::Call;
  command.call = std::move(call);
  command.callName = name;
  command.speed = speed;
  for (size_t i = 0; i <= numAddresses; ++i) {
    const CUdeviceptr address = i < numAddresses ? addresses[i] : workspace;
    if (!isOperand(*stream->card, address))
      return stream->card->failForever(
          STRATA_CUDA_ILLEGAL_ADDRESS,
          "an operand of a library call is outside the memory of the card");
    command.addresses.push_back(address == 0 ? nullptr : hostByte(address));
  }
  return stream->card->add(stream, std::move(command));
}

}  // namespace strata::simulated
