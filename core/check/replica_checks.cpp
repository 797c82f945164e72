// SPDX-License-Identifier: Apache-2.0
#include "core/check/replica_checks.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/compile/placement.h"
#include "core/recipe/option_reader.h"
#include "gpu/devices/device_name.h"

namespace strata {
namespace {

constexpr const char* kBatchSize = "/training/batch_size";
constexpr const char* kDevices = "/execution/devices";

/// Returns the largest batch up to `most` whose last batch in an epoch has enough samples, or 0.
int64_t fittingBatch(int64_t samples, int64_t most, int64_t replicas) {
  for (int64_t batch = most; batch >= replicas; --batch)
    if (samples % batch == 0 || samples % batch >= replicas) return batch;
  return 0;
}

void checkBatches(const ProjectParts& parts, int64_t replicas, Diagnostics& diagnostics) {
  const int64_t samples = parts.data.isKnown ? parts.data.trainCount : INT64_MAX,
                batch = std::min(parts.training.batchSize, samples);
  if (batch < 1) return;
  const int64_t last = parts.data.isKnown ? samples % batch : 0;
  if (batch >= replicas && (last == 0 || last >= replicas)) return;
  std::vector<Fix> fixes;
  const int64_t fitting =
      parts.data.isKnown ? fittingBatch(samples, std::max(batch, replicas), replicas) : replicas;
  if (fitting > 0 && fitting <= samples) fixes.push_back(setFix(kBatchSize, fitting));
  diagnostics.push_back(
      {Severity::Error,
       "few_samples",
       "",
       kBatchSize,
       batch < replicas
           ? STRATA_TEXT("problem",
                         "a batch has %1 samples, but %2 replicas share it (expected at least %2). "
                         "Use a larger batch_size, or fewer devices.")
           : STRATA_TEXT("problem",
                         "the last batch of an epoch has %1 samples, but %2 replicas share it "
                         "(expected at least %2). Use another batch_size, or fewer devices."),
       {std::to_string(batch < replicas ? batch : last), std::to_string(replicas)},
       std::move(fixes)});
}

bool isStateful(const Json& fields) {
  const auto field = fields.find("stateful");
  if (field != fields.end() && field->is_boolean() && field->get<bool>()) return true;
  const auto inner = fields.find("layer");
  return inner != fields.end() && inner->is_object() && isStateful(*inner);
}

void checkStates(const Model& model, Diagnostics& diagnostics) {
  for (const Layer& layer : model.layers) {
    if (layer.inner) checkStates(*layer.inner, diagnostics);
    if (!isStateful(*layer.fields)) continue;
    diagnostics.push_back(
        {Severity::Error,
         "stateful_replicas",
         layer.path,
         kDevices,
         STRATA_TEXT("problem",
                     "it is stateful, but several replicas share each batch, and its state must "
                     "continue from one batch to the next (expected one device). Use one device, "
                     "or set stateful to false."),
         {},
         {setFix(kDevices, "cpu")}});
  }
}

/// Returns the first layer with a device above `most`, or null.
const Layer* layerAbove(const Model& model, int64_t most) {
  for (const Layer& layer : model.layers) {
    const Json& device = layer.fields->at("device");
    if (!device.is_null() && device.get<int64_t>() > most) return &layer;
    if (const Layer* const inner = layer.inner ? layerAbove(*layer.inner, most) : nullptr)
      return inner;
  }
  return nullptr;
}

/// Reports devices of layers that do not fit the list of devices, or the strategy.
void checkPlacement(const Model& model, const ExecutionOptions& execution,
                    Diagnostics& diagnostics) {
  const DeviceName device(execution.device);
  const auto removal = [](const Layer& layer) {
    return makeFix(STRATA_TEXT("problem", "Remove %1"), {"device"},
                   removeOperation(layer.pointer + "/device"));
  };
  if (const Layer* const layer = layerAbove(model, device.copies - 1))
    diagnostics.push_back(
        {Severity::Error,
         "no_such_device",
         layer->path,
         "device",
         STRATA_TEXT("problem",
                     "device is %1, but the devices are %2 (expected 0 to %3). Choose another "
                     "device, or more devices."),
         {layer->fields->at("device").dump(), execution.device, std::to_string(device.copies - 1)},
         {removal(*layer)}});
  const Layer* const placed = layerAbove(model, 0);
  const Fix fix = makeFix(STRATA_TEXT("problem", "Remove %1"), {"strategy"},
                          removeOperation("/execution/strategy"));
  if (placed && device.copies > 1 && execution.strategy == Strategy::Mirrored)
    diagnostics.push_back({Severity::Warning,
                           "wrong_strategy",
                           "",
                           "/execution/strategy",
                           STRATA_TEXT("problem",
                                       "the strategy mirrored has no effect, because layers have "
                                       "devices, such as %1 (expected no strategy, or pipeline). "
                                       "Remove it."),
                           {placed->path},
                           {fix}});
  else if (placed && device.copies > 1 && execution.strategy == Strategy::ParameterServer)
    diagnostics.push_back(
        {Severity::Error,
         "wrong_strategy",
         placed->path,
         "device",
         STRATA_TEXT(
             "problem",
             "device is %1, but with the strategy parameter_server each device computes all "
             "layers (expected no device). Remove device, or the strategy."),
         {placed->fields->at("device").dump()},
         {removal(*placed), fix}});
  if (execution.strategy == Strategy::Pipeline && device.copies == 1)
    diagnostics.push_back(
        {Severity::Error,
         "wrong_strategy",
         "",
         "/execution/strategy",
         STRATA_TEXT("problem",
                     "the strategy pipeline does not fit the device %1 (expected several devices). "
                     "Use several devices, such as cpu*2, or remove the strategy."),
         {execution.device},
         {fix}});
}

}  // namespace

void checkReplicas(const ProjectParts& parts, const ExecutionOptions& execution,
                   const std::string& countedBy, Diagnostics& diagnostics) {
  checkPlacement(parts.model, execution, diagnostics);
  const DeviceName device(execution.device);
  if (device.copies < 2 || execution.strategy == Strategy::Pipeline || placesLayers(parts.model))
    return;
  checkBatches(parts, device.copies, diagnostics);
  checkStates(parts.model, diagnostics);
  if (countedBy.empty()) return;
  diagnostics.push_back(
      {Severity::Error,
       "uneven_shares",
       "",
       kDevices,
       STRATA_TEXT("problem",
                   "the number of samples that count in the loss differs between replicas (%1), so "
                   "the loss would weight the samples unequally (expected one device). Use one "
                   "device, or set reduction of the loss to sum."),
       {countedBy},
       {setFix(kDevices, "cpu")}});
}

}  // namespace strata
