// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/device_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "gpu/cuda/cuda_device.h"
#include "gpu/devices/nvml.h"

namespace strata {
namespace {

/// The beginning of a file of /proc. Reading it allocates no memory.
class ProcText {
 public:
  explicit ProcText(const char* path) {
    const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    const ssize_t bytes = ::read(descriptor, m_text.data(), m_text.size() - 1);
    ::close(descriptor);
    m_text[static_cast<size_t>(std::max<ssize_t>(0, bytes))] = 0;
  }
  const char* get() const { return m_text.data(); }

 private:
  std::array<char, 4096> m_text{};
};

/// Returns the number after a word, in bytes, or nullopt if it is not there.
std::optional<size_t> kibibytesAfter(const char* text, const char* word) {
  const char* found = std::strstr(text, word);
  if (!found) return std::nullopt;
  return static_cast<size_t>(std::strtoull(found + std::strlen(word), nullptr, 10)) * 1024;
}

/// Rounds, because smaller changes happen all the time and mean nothing.
size_t wholeMebibytes(size_t bytes) { return bytes >> 20 << 20; }

DeviceState readHost(HostTimes& times) {
  const ProcText memory("/proc/meminfo"), own("/proc/self/statm"), processors("/proc/stat");
  return stateOfHost(memory.get(), own.get(), processors.get(), times);
}

std::string busAddressOf(const cuda::Card& card) {
  std::array<char, 64> address{};
  const StrataDriverTable& driver = card.driver().table();
  CUdevice device = 0;
  if (driver.deviceGet(&device, card.ordinal()) != 0 ||
      driver.deviceGetPCIBusId(address.data(), static_cast<int>(address.size()) - 1, device) != 0)
    return {};
  return address.data();
}

/// Returns the name of a process; "" if the system does not tell it.
std::string nameOfProcess(unsigned process) {
  const ProcText name(("/proc/" + std::to_string(process) + "/comm").c_str());
  const std::string text = name.get();
  return text.substr(0, text.find('\n'));
}

}  // namespace

DeviceState stateOfHost(const char* memoryInfo, const char* ownMemory, const char* processorTimes,
                        HostTimes& times) {
  DeviceState state;
  state.totalBytes = kibibytesAfter(memoryInfo, "MemTotal:");
  // The first number counts all pages, the second one resident pages
  char* rest = nullptr;
  std::strtoull(ownMemory, &rest, 10);
  if (const unsigned long long pages = std::strtoull(rest, nullptr, 10))
    state.ownBytes =
        wholeMebibytes(static_cast<size_t>(pages) * static_cast<size_t>(::sysconf(_SC_PAGESIZE)));
  const auto available = kibibytesAfter(memoryInfo, "MemAvailable:");
  if (state.totalBytes && available && state.ownBytes) {
    const size_t used = *state.totalBytes - std::min(*available, *state.totalBytes);
    state.otherBytes = wholeMebibytes(used - std::min(*state.ownBytes, used));
  }
  // user, nice, system, idle, iowait, irq, softirq, steal
  constexpr int kFields = 8, kIdle = 3, kWaiting = 4;
  if (std::strncmp(processorTimes, "cpu ", 4) != 0) return state;
  HostTimes now;
  const char* at = processorTimes + 4;
  for (int i = 0; i < kFields; ++i) {
    char* end = nullptr;
    const unsigned long long ticks = std::strtoull(at, &end, 10);
    at = end;
    now.all += ticks;
    if (i != kIdle && i != kWaiting) now.busy += ticks;
  }
  if (now.all > times.all && now.busy >= times.busy)
    state.utilization =
        std::min(1.0, std::round(100.0 * static_cast<double>(now.busy - times.busy) /
                                 static_cast<double>(now.all - times.all)) /
                          100);
  times = now;
  return state;
}

DeviceState stateOfGpu(const NvmlTable& library, const std::string& busAddress,
                       size_t countedBytes) {
  DeviceState state;
  state.ownBytes = countedBytes;
  const std::optional<GpuState> gpu = gpuStateOf(library, busAddress);
  if (!gpu) return state;
  if (gpu->ownBytes) state.ownBytes = *gpu->ownBytes;
  if (gpu->memory) {
    state.totalBytes = gpu->memory->total;
    state.otherBytes = gpu->memory->used - std::min<size_t>(*state.ownBytes, gpu->memory->used);
  }
  if (gpu->utilization) state.utilization = *gpu->utilization / 100.0;
  const auto copy = [](std::optional<int>& to, const std::optional<unsigned>& from) {
    if (from) to = static_cast<int>(*from);
  };
  copy(state.celsius, gpu->degrees);
  if (gpu->milliwatts) state.watts = *gpu->milliwatts / 1000.0;
  copy(state.megahertz, gpu->megahertz);
  copy(state.memoryMegahertz, gpu->memoryMegahertz);
  for (const NvmlProcess& process : gpu->others) {
    ProgramMemory program{static_cast<int64_t>(process.pid), nameOfProcess(process.pid), {}};
    if (process.usedBytes != kNvmlUnknownBytes) program.bytes = process.usedBytes;
    state.programs.push_back(std::move(program));
  }
  std::ranges::stable_sort(state.programs, [](const ProgramMemory& a, const ProgramMemory& b) {
    return a.bytes.value_or(0) > b.bytes.value_or(0);
  });
  return state;
}

DeviceReader stateReaderOf(const Device& device) {
  if (const auto* onCard = dynamic_cast<const cuda::CudaDevice*>(&device)) {
    const NvmlTable* library = onCard->isSimulated() ? &simulatedNvml() : nvml();
    return [card = onCard->card(), address = busAddressOf(*onCard->card()), library] {
      if (library) return stateOfGpu(*library, address, card->ownBytes());
      DeviceState state;
      state.ownBytes = card->ownBytes();
      state.totalBytes = card->data().memoryBytes;
      return state;
    };
  }
  HostTimes times;
  readHost(times);
  return [times]() mutable {
    return readHost(times);
  };
}

}  // namespace strata
