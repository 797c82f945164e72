// SPDX-License-Identifier: Apache-2.0
#include "core/recipe/strategy_option.h"

#include "gpu/devices/device_name.h"

namespace strata {

void readStrategy(OptionReader& reader, const std::string& strategy, ExecutionOptions& options) {
  const DeviceName device(options.device);
  if (strategy == "one_device") {
    options.strategy = Strategy::OneDevice;
    if (device.copies > 1)
      reader.report("wrong_strategy", "/execution/strategy",
                    STRATA_TEXT("problem",
                                "the strategy one_device does not fit the devices %1 (expected "
                                "mirrored). Set it to mirrored, or use one device."),
                    {options.device}, {setFix("/execution/strategy", "mirrored")});
  }
  else if (strategy == "multi_worker") {
    options.strategy = Strategy::MultiWorker;
  }
  else if (strategy == "mirrored") {
    options.strategy = Strategy::Mirrored;
  }
  else if (strategy == "parameter_server") {
    options.strategy = Strategy::ParameterServer;
  }
  else if (strategy == "pipeline") {
    options.strategy = Strategy::Pipeline;
  }
  else if (!strategy.empty())
    reader.report(
        "unknown_type", "/execution/strategy",
        STRATA_TEXT("problem",
                    "there is no strategy %1 (expected one_device, mirrored, multi_worker, "
                    "parameter_server or pipeline). Set it to mirrored."),
        {strategy}, {setFix("/execution/strategy", "mirrored")});
}

}  // namespace strata
