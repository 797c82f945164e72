// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/cost/catalogue.h"
#include "core/cost/simulated_card.h"
#include "gpu/base/bytes.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "gpu/devices/machine_report.h"
#include "gpu/replicate/mpi_link.h"

namespace strata::cli {
namespace {

/// What `strata doctor` says of a kind of device.
struct DeviceState {
  const char* device;
  bool isUsable = false;
  // Why it is not usable, or what it is
  std::string text;
};

std::vector<DeviceState> statesOf(const std::vector<DeviceInfo>& devices,
                                  const std::vector<Finding>& findings) {
  std::vector<DeviceState> states;
  for (const DeviceInfo& device : devices)
    if (DeviceName(device.name).isCpu())
      states.push_back({"cpu", true,
                        device.title + ", " + formatCounted(device.threads, "thread") + ", " +
                            bytesText(static_cast<double>(device.memoryBytes))});
  DeviceState cuda{"cuda", false, ""};
  for (const DeviceInfo& device : devices) {
    if (!device.isGpu()) continue;
    cuda.isUsable = cuda.isUsable || device.isUsable;
    cuda.text += (cuda.text.empty() ? "" : "; ") + (device.gpu ? device.title + ": " : "") +
                 (device.isUsable ? "usable" : device.reason);
  }
  states.push_back(cuda);
  const std::string& problem = whyNoSimulatedCards();
  states.push_back({"simulated", problem.empty(),
                    problem.empty() ? "NVIDIA GPUs of strata devices --catalogue, such as "
                                      "--device \"simulated:RTX 4090\""
                                    : problem});
  const MpiPluginState& mpi = mpiPluginState();
  const bool hasMpirun = std::ranges::none_of(findings, [](const Finding& finding) {
    return finding.part == "mpirun" && finding.state != FindingState::Present;
  });
  DeviceState processes{"several processes", mpi.problem.empty() && hasMpirun, mpi.problem};
  if (mpi.problem.empty())
    processes.text =
        hasMpirun ? mpi.version + ", strata launch -np N train PROJECT" : "mpirun was not found";
  states.push_back(processes);
  return states;
}

int print(const std::vector<DeviceState>& states, const std::vector<Finding>& findings) {
  for (const DeviceState& state : states) {
    std::cout << state.device << ": " << (state.isUsable ? "usable, " : "not usable: ")
              << state.text << "\n";
    for (const Finding& finding : findings) {
      if (finding.device != state.device) continue;
      std::string name(findingStateName(finding.state));
      name.resize(10, ' ');
      std::cout << "  " << name << finding.part << ": " << finding.text << "\n";
      if (!finding.command.empty()) std::cout << "            -> " << finding.command << "\n";
    }
  }
  return kDone;
}

int printJson(const std::vector<DeviceState>& states, const std::vector<Finding>& findings,
              const MachineFacts& facts) {
  Json devices = Json::array();
  for (const DeviceState& state : states) {
    Json list = Json::array();
    for (const Finding& finding : findings)
      if (finding.device == state.device)
        list.push_back(
            {{"part", finding.part},
             {"state", findingStateName(finding.state)},
             {"text", finding.text},
             {"command", finding.command.empty() ? Json(nullptr) : Json(finding.command)},
             {"version", finding.version},
             {"path", finding.path}});
    devices.push_back({{"device", state.device},
                       {"usable", state.isUsable},
                       {"text", state.text},
                       {"findings", list}});
  }
  printJsonDocument({{"devices", devices},
                     {"container", facts.isContainer},
                     {"gpus_on_bus", facts.gpusOnBus},
                     {"architectures", facts.architectures},
                     {"cuda_visible_devices",
                      facts.visibleDevices ? Json(*facts.visibleDevices) : Json(nullptr)}});
  return kDone;
}

}  // namespace

Action setupDoctor(Arguments& accepted) {
  auto asJson = std::make_shared<bool>(false);
  accepted.json(*asJson);
  return [asJson] {
    const MachineFacts facts = readMachineFacts();
    const std::vector<Finding> findings = examineMachine(facts);
    const std::vector<DeviceState> states = statesOf(listDevices(), findings);
    return *asJson ? printJson(states, findings, facts) : print(states, findings);
  };
}

}  // namespace strata::cli
