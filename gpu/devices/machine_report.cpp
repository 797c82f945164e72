// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/machine_report.h"

#include <algorithm>
#include <charconv>

namespace strata {
namespace {

// CUDA 13 needs this driver
constexpr int kOldestDriver = 580;

constexpr const char* kVisibleDevices = "CUDA_VISIBLE_DEVICES";
constexpr const char* kRepository =
    " (from NVIDIA's repository, https://developer.nvidia.com/cuda-downloads)";

/// What each library is for, and the packages that have it; null for a part of the driver.
struct LibraryHelp {
  const char *name, *purpose, *aptPackage, *wheel;
  // Whether training works without it
  bool isOptional;
};
constexpr LibraryHelp kLibraries[] = {
    {"cuBLASLt", "computes matrix products", "libcublas-13-0", "nvidia-cublas", false},
    {"cuDNN", "computes convolutions and attention", "libcudnn9-cuda-13", "nvidia-cudnn-cu13",
     false},
    {"NVRTC", "compiles fused elementwise ops", "cuda-nvrtc-13-0", "nvidia-cuda-nvrtc", false},
    {"CUPTI", "measures kernels; training works without it", "cuda-cupti-13-0", "nvidia-cuda-cupti",
     true},
    {"NCCL", "connects several GPUs; one GPU works without it", "libnccl2", "nvidia-nccl-cu13",
     true},
    {"NVML", "reports temperature, power and load; training works without it", nullptr, nullptr,
     true}};

bool hasGpu(const MachineFacts& facts) { return facts.gpusOnBus > 0 || !facts.driver.empty(); }

/// Whether this is a container that was started without its host's GPUs.
bool isClosedContainer(const MachineFacts& facts) {
  return facts.isContainer && hasGpu(facts) && !facts.hasDeviceFiles;
}

/// Returns the number before the first point of a version, or 0.
int majorOf(const std::string& version) {
  int number = 0;
  std::from_chars(version.data(), version.data() + version.size(), number);
  return number;
}

bool isDriverTooOld(const MachineFacts& facts) {
  const int driver = majorOf(facts.driver);
  return driver > 0 && driver < kOldestDriver;
}

std::string installDriver(const MachineFacts& facts) {
  if (facts.system == "ubuntu") return "sudo ubuntu-drivers install";
  return std::string("sudo apt-get install cuda-drivers") + kRepository;
}

Finding driverFinding(const MachineFacts& facts) {
  Finding finding{.device = "cuda", .part = "driver", .version = facts.driver};
  const std::string onBus = facts.gpusOnBus == 1
                                ? "an NVIDIA GPU is"
                                : std::to_string(facts.gpusOnBus) + " NVIDIA GPUs are";
  if (facts.driverAnswers) {
    finding.text =
        facts.driver.empty() ? "the driver answers" : "driver " + facts.driver + " is loaded";
  }
  else if (isClosedContainer(facts)) {
    finding.state = FindingState::Missing;
    finding.text = "the machine has an NVIDIA GPU, but this container was started without it";
    finding.command =
        "docker run --gpus all ... (the host needs the package nvidia-container-toolkit)";
  }
  else if (facts.driver.empty() && facts.gpusOnBus == 0) {
    finding.state = FindingState::Missing;
    finding.text =
        "no driver is loaded, and no NVIDIA GPU is on the PCI bus. If the machine has one, it "
        "needs "
        "the driver";
    finding.command = facts.isContainer ? "docker run --gpus all ..." : installDriver(facts);
  }
  else if (facts.driver.empty()) {
    finding.state = FindingState::Missing;
    finding.text = onBus + " on the PCI bus, but no driver is loaded";
    finding.command = installDriver(facts);
  }
  else if (isDriverTooOld(facts)) {
    finding.state = FindingState::Wrong;
    finding.text = "driver " + facts.driver + " is too old: CUDA 13 needs " +
                   std::to_string(kOldestDriver) + " or newer";
    finding.command = installDriver(facts);
  }
  else {
    finding.text = "driver " + facts.driver + " is loaded";
  }
  return finding;
}

Finding driverLibraryFinding(const MachineFacts& facts) {
  Finding finding{.device = "cuda", .part = "libcuda", .path = facts.driverLibrary};
  if (!facts.driverLibrary.empty()) {
    finding.text = "found at " + facts.driverLibrary;
    return finding;
  }
  finding.state = FindingState::Missing;
  finding.text = "libcuda.so.1, the driver's library for programs, was not found";
  if (isClosedContainer(facts))
    finding.command = "docker run --gpus all ...";
  else if (facts.driver.empty() || isDriverTooOld(facts))
    finding.text += "; it comes with the driver";
  else if (facts.system == "ubuntu")
    finding.command =
        "sudo apt-get install libnvidia-compute-" + std::to_string(majorOf(facts.driver));
  else
    finding.command = std::string("sudo apt-get install libcuda1") + kRepository;
  return finding;
}

Finding visibleFinding(const MachineFacts& facts) {
  Finding finding{.device = "cuda", .part = "visible devices"};
  if (!facts.visibleDevices) {
    finding.text = std::string(kVisibleDevices) + " is not set, so all GPUs are visible";
    return finding;
  }
  const VisibleDevices visible = explainVisibleDevices(*facts.visibleDevices, facts.gpusOnBus);
  finding.text =
      std::string(kVisibleDevices) + " is \"" + *facts.visibleDevices + "\": " + visible.meaning;
  if (visible.hidesAll) {
    finding.state = FindingState::Wrong;
    finding.command = std::string("unset ") + kVisibleDevices;
  }
  return finding;
}

Finding pluginFinding(const MachineFacts& facts, const char* device) {
  Finding finding{.device = device, .part = "plug-in"};
  if (facts.pluginProblem.empty()) {
    finding.text = "compiled for compute capability " + facts.architectures;
    return finding;
  }
  finding.state = FindingState::Missing;
  finding.text = facts.pluginProblem;
  finding.command =
      std::string("sudo apt-get install cuda-nvcc-13-0 cuda-cudart-dev-13-0 && ./dev build") +
      kRepository;
  return finding;
}

Finding libraryFinding(const FoundLibrary& library) {
  Finding finding{
      .device = "cuda", .part = library.name, .version = library.version, .path = library.path};
  const auto* help = std::ranges::find_if(
      kLibraries, [&](const LibraryHelp& each) { return library.name == each.name; });
  const bool isKnown = help != std::end(kLibraries);
  if (!library.path.empty() && library.problem.empty()) {
    finding.text =
        (library.version.empty() ? "" : "version " + library.version + ", ") + library.path;
    return finding;
  }
  const bool isOptional = isKnown && help->isOptional;
  finding.state = library.path.empty() ? FindingState::Missing : FindingState::Wrong;
  if (isOptional) finding.state = FindingState::Optional;
  finding.text = library.problem.empty() ? "was not found" : library.problem;
  if (isKnown) {
    finding.text += std::string("; it ") + help->purpose;
    if (!help->aptPackage) {
      finding.text += "; it comes with the driver";
      return finding;
    }
    finding.command = std::string("sudo apt-get install ") + help->aptPackage + kRepository +
                      ", or python3 -m pip install " + help->wheel;
  }
  return finding;
}

}  // namespace

std::string_view findingStateName(FindingState state) {
  switch (state) {
    case FindingState::Missing: return "missing";
    case FindingState::Wrong: return "wrong";
    case FindingState::Optional: return "optional";
    default: return "ok";
  }
}

VisibleDevices explainVisibleDevices(std::string_view value, int count) {
  const auto trimmed = [](std::string_view word) {
    while (!word.empty() && word.front() == ' ')
      word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ')
      word.remove_suffix(1);
    return word;
  };
  if (trimmed(value).empty()) return {"an empty value hides all GPUs", true};
  std::vector<std::string> visible;
  std::string end;
  while (!value.empty() && end.empty()) {
    const size_t comma = std::min(value.find(','), value.size());
    const std::string word(trimmed(value.substr(0, comma)));
    value.remove_prefix(std::min(comma + 1, value.size()));
    int index = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    const bool isIndex = error == std::errc() && stop == word.data() + word.size();
    if (isIndex && index < 0)
      end = word + " hides all GPUs from there on";
    else if (isIndex && count > 0 && index >= count)
      end = "this machine has no GPU " + word + " (expected " +
            (count == 1 ? "0" : "0 to " + std::to_string(count - 1)) + ")";
    else if (!isIndex && !word.starts_with("GPU-") && !word.starts_with("MIG-"))
      end = "\"" + word + "\" is neither an index nor a UUID";
    else if (std::ranges::find(visible, word) != visible.end())
      return {"GPU " + word + " is listed twice, which hides all GPUs", true};
    else
      visible.push_back(word);
  }
  std::string meaning = "it lists GPUs by index or UUID and is not a switch: ";
  if (visible.empty()) return {meaning + end + ", so all GPUs are hidden", true};
  for (size_t i = 0; i < visible.size(); ++i)
    meaning += (i > 0 ? ", " : "") + ("GPU " + visible[i]) + " is cuda:" + std::to_string(i);
  if (!end.empty()) meaning += "; " + end + ", so the rest of the list is ignored";
  return {meaning, false};
}

Text whyNoGpu(const MachineFacts& facts) {
  if (isClosedContainer(facts))
    return STRATA_TEXT("argument",
                       "this container was started without the NVIDIA GPU of its machine. Start it "
                       "with --gpus all.");
  if (facts.driver.empty() && facts.gpusOnBus == 0)
    return STRATA_TEXT("argument", "no NVIDIA GPU was found.");
  if (facts.driver.empty())
    return STRATA_TEXT("argument",
                       "no driver is loaded for the NVIDIA GPU. Run `strata doctor` for help.");
  if (isDriverTooOld(facts))
    return STRATA_TEXT("argument",
                       "the NVIDIA driver is too old for CUDA 13. Run `strata doctor` for help.");
  if (facts.visibleDevices &&
      explainVisibleDevices(*facts.visibleDevices, facts.gpusOnBus).hidesAll)
    return STRATA_TEXT("argument",
                       "CUDA_VISIBLE_DEVICES hides all NVIDIA GPUs. Run `strata doctor` for help.");
  if (!facts.pluginProblem.empty())
    return STRATA_TEXT("argument",
                       "this installation of Strata has no plug-in for NVIDIA GPUs. Run `strata "
                       "doctor` for help.");
  return STRATA_TEXT("argument",
                     "an NVIDIA driver is loaded, but it lists no GPU. Run `strata doctor` for "
                     "help.");
}

std::vector<Finding> examineMachine(const MachineFacts& facts) {
  std::vector<Finding> findings{driverFinding(facts), driverLibraryFinding(facts),
                                visibleFinding(facts), pluginFinding(facts, "cuda")};
  for (const FoundLibrary& library : facts.libraries)
    findings.push_back(libraryFinding(library));
  findings.push_back(pluginFinding(facts, "simulated"));
  Finding mpi{.device = "several processes", .part = "mpirun", .path = facts.mpirun};
  mpi.text = facts.mpirun;
  if (facts.mpirun.empty()) {
    mpi.state = FindingState::Optional;
    mpi.text = "mpirun was not found; it starts runs of several processes";
    mpi.command = "sudo apt-get install openmpi-bin";
  }
  findings.push_back(std::move(mpi));
  return findings;
}

}  // namespace strata
