// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/visible_devices.h"

#include <cstdlib>

namespace strata::cuda {

std::string explainVisibleDevices(const char* value, int cards) {
  if (!value) return {};
  const std::string text = value;
  const std::string remedy = ". Unset it to use all GPUs";
  if (text.empty() || text == "-1" || text == "NoDevFiles")
    return "CUDA_VISIBLE_DEVICES is \"" + text + "\", which hides all GPUs" + remedy;
  const std::string first = text.substr(0, text.find(','));
  char* end = nullptr;
  const long index = std::strtol(first.c_str(), &end, 10);
  if (end == first.c_str() || *end != '\0')
    return "CUDA_VISIBLE_DEVICES is \"" + text +
           "\", and this machine has no GPU with that UUID (nvidia-smi -L lists them)" + remedy;
  if (index < 0) return "CUDA_VISIBLE_DEVICES is \"" + text + "\", which hides all GPUs" + remedy;
  if (cards < 0 || index < cards) return {};
  std::string result = "CUDA_VISIBLE_DEVICES is \"" + text + "\", but this machine has ";
  if (cards == 1)
    result += "one GPU, number 0";
  else
    result += std::to_string(cards) + " GPUs, numbers 0 to " + std::to_string(cards - 1);
  return result + ". The value is a list of GPU numbers, not a switch" + remedy;
}

}  // namespace strata::cuda
