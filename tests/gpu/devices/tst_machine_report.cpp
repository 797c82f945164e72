// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "gpu/devices/gpus.h"
#include "gpu/devices/machine_report.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

MachineFacts goodMachine() {
  MachineFacts facts;
  facts.system = "debian";
  facts.gpusOnBus = 1;
  facts.driver = "580.65.06";
  facts.driverLibrary = "/usr/lib/libcuda.so.1";
  facts.hasDeviceFiles = true;
  facts.architectures = "75;80";
  facts.mpirun = "/usr/bin/mpirun";
  for (const char* name : {"cuBLASLt", "cuDNN", "NVRTC", "CUPTI", "NCCL", "NVML"})
    facts.libraries.push_back({name, std::string("/usr/lib/lib") + name, "1.2", ""});
  return facts;
}

Finding findingOf(const MachineFacts& facts, const std::string& part) {
  for (const Finding& finding : examineMachine(facts))
    if (finding.part == part) return finding;
  return {};
}

void write(const std::filesystem::path& path, const char* text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_SUITE_BEGIN("device");

TEST_CASE("CUDA_VISIBLE_DEVICES is a list, not a switch") {
  const auto hides = [](const char* value, int count) {
    return explainVisibleDevices(value, count).hidesAll;
  };
  for (const char* value : {"", " ", "-1", "1", "7", "true", "all", "1,0", "0,0"})
    CHECK_MESSAGE(hides(value, 1), value);
  for (const char* value : {"0", "0,1", "0,-1", " 0 ", "GPU-3a5f", "MIG-1"})
    CHECK_MESSAGE(!hides(value, 1), value);
  CHECK_FALSE(hides("1", 2));
  // The number of GPUs may be unknown.
  CHECK_FALSE(hides("1", 0));
  CHECK(explainVisibleDevices("1", 1).meaning ==
        "it lists GPUs by index or UUID and is not a switch: this machine has no GPU 1 (expected "
        "0), so all GPUs are hidden");
  CHECK(explainVisibleDevices("1,0", 2).meaning.find("GPU 1 is cuda:0, GPU 0 is cuda:1") !=
        std::string::npos);
  CHECK(explainVisibleDevices("0,5,1", 2).meaning.find("the rest of the list is ignored") !=
        std::string::npos);
}

TEST_CASE("each thing that a machine lacks has a finding with a command") {
  for (const Finding& finding : examineMachine(goodMachine())) {
    CHECK_MESSAGE(finding.state == FindingState::Present, finding.part);
    CHECK_FALSE(finding.text.empty());
    CHECK(finding.command.empty());
  }
  MachineFacts facts = goodMachine();
  facts.driver = "535.1";
  CHECK(findingOf(facts, "driver").state == FindingState::Wrong);
  CHECK(findingOf(facts, "driver").command.find("cuda-drivers") != std::string::npos);
  facts.driver.clear();
  CHECK(findingOf(facts, "driver").text.find("an NVIDIA GPU is on the PCI bus") == 0);
  facts.isContainer = true;
  facts.hasDeviceFiles = false;
  CHECK(findingOf(facts, "driver").command.find("--gpus all") != std::string::npos);
  CHECK(std::string(whyNoGpu(facts).source).find("--gpus all") != std::string::npos);
  facts.gpusOnBus = 0;
  CHECK(findingOf(facts, "driver").text.find("no NVIDIA GPU is on the PCI bus") !=
        std::string::npos);
  CHECK(findingOf(facts, "driver").command == "docker run --gpus all ...");
  CHECK(std::string(whyNoGpu(facts).source) == "no NVIDIA GPU was found.");
  facts.isContainer = false;
  facts.system = "ubuntu";
  CHECK(findingOf(facts, "driver").command == "sudo ubuntu-drivers install");

  facts = goodMachine();
  facts.driverLibrary.clear();
  facts.system = "ubuntu";
  CHECK(findingOf(facts, "libcuda").command.find("libnvidia-compute-580") != std::string::npos);
  facts.visibleDevices = "1";
  CHECK(findingOf(facts, "visible devices").state == FindingState::Wrong);
  CHECK(findingOf(facts, "visible devices").command == "unset CUDA_VISIBLE_DEVICES");
  facts.pluginProblem = "no plug-in.";
  CHECK(findingOf(facts, "plug-in").state == FindingState::Missing);
  for (FoundLibrary& library : facts.libraries)
    library.path.clear();
  for (const char* name : {"cuBLASLt", "cuDNN", "NVRTC"})
    CHECK(findingOf(facts, name).state == FindingState::Missing);
  for (const char* name : {"CUPTI", "NCCL", "NVML"})
    CHECK(findingOf(facts, name).state == FindingState::Optional);
  CHECK(findingOf(facts, "cuDNN").command.find("pip install nvidia-cudnn-cu13") !=
        std::string::npos);
  CHECK(findingOf(facts, "NVML").text.find("it comes with the driver") != std::string::npos);
  CHECK(findingOf(facts, "NVML").command.empty());
  facts.libraries[1].path = "/usr/lib/libcudnn.so.9";
  facts.libraries[1].problem = "it cannot be used";
  CHECK(findingOf(facts, "cuDNN").state == FindingState::Wrong);
  CHECK(findingOf(facts, "cuDNN").text ==
        "it cannot be used; it computes convolutions and attention");
  facts.mpirun.clear();
  CHECK(findingOf(facts, "mpirun").command == "sudo apt-get install openmpi-bin");
}

TEST_CASE("facts of a machine are read from its files") {
  const TemporaryFolder folder;
  const std::filesystem::path root = folder.path();
  CHECK(readMachineFacts(root).driver.empty());
  CHECK(readMachineFacts(root).gpusOnBus == 0);
  write(root / "etc/os-release", "NAME=x\nID=\"ubuntu\"\n");
  write(root / ".dockerenv", "");
  write(root / "proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Mon Jan 1\nGCC version: 12\n");
  write(root / "sys/bus/pci/devices/0000:65:00.0/vendor", "0x10de\n");
  write(root / "sys/bus/pci/devices/0000:65:00.0/class", "0x030200\n");
  // Its sound is no GPU.
  write(root / "sys/bus/pci/devices/0000:65:00.1/vendor", "0x10de\n");
  write(root / "sys/bus/pci/devices/0000:65:00.1/class", "0x040300\n");
  write(root / "dev/nvidia0", "");
  write(root / "usr/lib/x86_64-linux-gnu/libcuda.so.1", "");
  write(root / "usr/lib/python3/dist-packages/nvidia/cudnn/lib/libcudnn.so.9", "");
  write(root / "usr/lib/x86_64-linux-gnu/libnccl.so.2.32.3", "");
  std::filesystem::create_symlink("libnccl.so.2.32.3",
                                  root / "usr/lib/x86_64-linux-gnu/libnccl.so.2");
  write(root / "usr/bin/mpirun", "");
  const MachineFacts facts = readMachineFacts(root);
  CHECK(facts.system == "ubuntu");
  CHECK(facts.isContainer);
  CHECK(facts.driver == "580.65.06");
  CHECK(facts.gpusOnBus == 1);
  CHECK(facts.hasDeviceFiles);
  CHECK(facts.driverLibrary == (root / "usr/lib/x86_64-linux-gnu/libcuda.so.1").string());
  CHECK(facts.mpirun == (root / "usr/bin/mpirun").string());
  CHECK_FALSE(facts.visibleDevices);
  const auto library = [&](const char* name) {
    return *std::ranges::find(facts.libraries, name, &FoundLibrary::name);
  };
  CHECK_FALSE(library("cuDNN").path.empty());
  CHECK(library("NCCL").version == "2.32.3");
  CHECK(library("cuBLASLt").path.empty());
}

TEST_CASE("GPUs are listed as their driver describes them") {
  StrataDriverTable driver{};
  driver.init = [](unsigned) {
    return 0;
  };
  driver.driverGetVersion = [](int* version) {
    *version = 13000;
    return 0;
  };
  driver.deviceGetCount = [](int* count) {
    *count = 2;
    return 0;
  };
  driver.deviceGet = [](CUdevice* device, int ordinal) {
    *device = ordinal;
    return 0;
  };
  driver.deviceGetName = [](char* name, int, CUdevice device) {
    std::copy_n("Card 0", 7, name);
    name[5] = static_cast<char>('0' + device);
    return 0;
  };
  driver.deviceTotalMem = [](size_t* bytes, CUdevice) {
    *bytes = size_t{1} << 34;
    return 0;
  };
  driver.deviceGetAttribute = [](int* value, int attribute, CUdevice) {
    *value = attribute == STRATA_CUDA_CLOCK_KILOHERTZ ? 1980000 : 9;
    if (attribute == STRATA_CUDA_COMPUTE_MODE) *value = 0;
    return 0;
  };
  driver.deviceGetPCIBusId = [](char* id, int, CUdevice) {
    std::copy_n("0000:FF:00.0", 13, id);
    return 0;
  };
  const std::vector<DeviceInfo> gpus = listGpus(driver);
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[1].name == "cuda:1");
  CHECK(gpus[1].kind == "cuda");
  CHECK(gpus[1].title == "Card 1");
  CHECK(gpus[1].memoryBytes == size_t{1} << 34);
  REQUIRE(gpus[1].gpu);
  CHECK(gpus[1].gpu->computeCapability == "9.9");
  CHECK(gpus[1].gpu->megahertz == 1980);
  CHECK(gpus[1].gpu->driverVersion == "13.0");
  CHECK(gpus[1].gpu->busAddress == "0000:FF:00.0");
  CHECK(gpus[1].isUsable);
  driver.deviceGetAttribute = [](int* value, int, CUdevice) {
    *value = 2;
    return 0;
  };
  CHECK(listGpus(driver)[0].reason.find("prohibited") != std::string::npos);
  driver.init = [](unsigned) -> int {
    return STRATA_CUDA_NO_DEVICE;
  };
  CHECK(listGpus(driver).empty());
}

TEST_SUITE_END();
