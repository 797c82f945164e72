// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/devices.h"

#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/peer_copies.h"
#include "gpu/cuda/plugin.h"
#include "gpu/detached/detached_device.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/gpus.h"
#include "gpu/devices/nvml.h"
#include "gpu/passes/pass.h"
#include "gpu/reference/reference_device.h"

namespace strata {

/// Returns the passes of all devices.
static std::vector<Pass> allPasses() {
  std::vector<Pass> passes = standardPasses();
  for (const std::vector<Pass>& own : {cpuPasses(), cuda::cardPasses()})
    passes.insert(passes.end(), own.begin(), own.end());
  return passes;
}

std::vector<std::string> passNames() {
  std::vector<std::string> names;
  for (const Pass& pass : allPasses())
    names.push_back(pass.name);
  return names;
}

Text passHelp(std::string_view name) {
  for (const Pass& pass : allPasses())
    if (pass.name == name) return pass.help;
  return {};
}

std::span<const std::string> deviceNames() {
  static const std::vector<std::string> names{"auto", "cpu", "reference"};
  return names;
}

std::string deviceNamesText() {
  std::string text;
  for (const std::string& name : deviceNames())
    text += (text.empty() ? "" : ", ") + name;
  return text + ", cpu*N, cuda:N, all or " + kSimulatedPrefix + "NAME";
}

std::string resolvedDeviceName(const std::string& name) {
  const DeviceName::Kind kind = DeviceName(name).kind;
  if (kind == DeviceName::Kind::All) {
    std::string all;
    for (const DeviceInfo& gpu : listGpus())
      if (gpu.reason.empty() && cuda::failureOfCard(gpu.name).empty())
        all += (all.empty() ? "" : ",") + gpu.name;
    return all.empty() ? name : all;
  }
  if (kind != DeviceName::Kind::Auto) return name;
  return firstGpuIsUsable() && cuda::failureOfCard("cuda:0").empty() ? "cuda:0" : "cpu";
}

const std::string& whyGpuNotUsable(const std::string& name) {
  const std::vector<DeviceInfo>& gpus = listGpus();
  if (const DeviceInfo* gpu = findGpu(name)) return gpu->reason;
  // The first entry says why there are no GPUs at all
  if (!gpus.front().gpu) return gpus.front().reason;
  static const std::string kNone =
      STRATA_TEXT("argument",
                  "this machine has no GPU with that number. `strata devices` lists the GPUs.")
          .source;
  return kNone;
}

const std::string& whyNoGpus() {
  if (const std::string& reason = whyGpuNotUsable("cuda:0"); !reason.empty()) return reason;
  // A card that has failed stays so
  static const std::string kFailed = cuda::failureOfCard("cuda:0") + ". Start Strata again.";
  return kFailed;
}

const std::string& whyNoSimulatedCards() { return cuda::pluginProblem(); }

std::vector<DeviceInfo> listDevices() {
  std::vector<DeviceInfo> devices;
  for (const char* name : {"cpu", "reference"}) {
    DeviceInfo info;
    info.name = name;
    info.kind = "cpu";
    info.title = processorTitle();
    info.threads = usableProcessors();
    info.memoryBytes = usableMemoryBytes();
    info.availableBytes = availableMemoryBytes();
    info.isUsable = true;
    devices.push_back(std::move(info));
  }
  for (DeviceInfo info : listGpus()) {
    if (const std::string failure = cuda::failureOfCard(info.name); !failure.empty()) {
      info.isUsable = false;
      info.reason = "it has failed: " + failure + ". Start Strata again.";
    }
    devices.push_back(std::move(info));
  }
  return devices;
}

std::vector<std::pair<std::string, std::string>> libraryVersions() { return cpuLibraries(); }

std::unique_ptr<Device> openDevice(const std::string& name, const DeviceOptions& options) {
  if (options.threads < 0)
    throw Error(ErrorCode::InvalidArgument, "threads",
                "the number of threads is negative (expected 0 or more, got " +
                    std::to_string(options.threads) + "). Use 0 for all cores.");
  DeviceOptions resolved = options;
  if (resolved.threads == 0) resolved.threads = usableProcessors();
  if (name == kDetachedDevice) return makeDetachedDevice(resolved);
  const DeviceName read(name);
  if (read.copies > 1 && read.kind != DeviceName::Kind::Unknown)
    throw Error(ErrorCode::UnsupportedOp, name,
                "several devices cannot do this (expected one, such as " + read.at(0) +
                    "). Name one device.");
  switch (read.kind) {
    case DeviceName::Kind::Auto: return openDevice(resolvedDeviceName(name), options);
    case DeviceName::Kind::All: {
      const std::string all = resolvedDeviceName(name);
      if (all == name) throw Error(ErrorCode::UnsupportedOp, name, whyNoGpus());
      return openDevice(all, options);
    }
    case DeviceName::Kind::Reference: return makeReferenceDevice(resolved);
    case DeviceName::Kind::Cpu: return makeCpuDevice(resolved);
    case DeviceName::Kind::Simulated:
      require(options.card != nullptr, "a simulated card is opened with its data");
      return makeSimulatedDevice(*options.card, resolved);
    case DeviceName::Kind::Cuda: {
      if (const std::string& reason = whyGpuNotUsable(name); !reason.empty())
        throw Error(ErrorCode::UnsupportedOp, name, reason);
      const DeviceInfo* gpu = findGpu(name);
      const NvmlTable* library = nvml();
      const auto state = library && gpu && gpu->gpu ? gpuStateOf(*library, gpu->gpu->busAddress)
                                                    : std::optional<GpuState>();
      const size_t takenBytes = state && state->memory ? state->memory->used : 0;
      return makeCudaDevice(name, read.ordinal, resolved, takenBytes);
    }
    case DeviceName::Kind::Unknown: break;
  }
  throw Error(ErrorCode::InvalidArgument, name,
              "there is no such device (expected " + deviceNamesText() +
                  "). `strata devices` lists the devices.");
}

std::string connectDevices(std::span<const std::unique_ptr<Device>> devices) {
  std::vector<cuda::CudaDevice*> cards;
  for (const std::unique_ptr<Device>& device : devices)
    if (auto* const card = dynamic_cast<cuda::CudaDevice*>(device.get())) cards.push_back(card);
  if (cards.size() < 2) return {};
  std::vector<const cuda::Card*> opened;
  for (const cuda::CudaDevice* card : cards)
    opened.push_back(card->card().get());
  std::string problem = cuda::tryPeerCopies(opened);
  for (cuda::CudaDevice* card : cards)
    card->setCopiesThroughHost(!problem.empty());
  return problem;
}

void joinCards(Device& device, ProcessLink& link, bool isFast) {
  if (auto* const card = dynamic_cast<cuda::CudaDevice*>(&device))
    card->joinProcesses(link, isFast);
}

}  // namespace strata
