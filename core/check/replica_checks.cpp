// SPDX-License-Identifier: Apache-2.0
#include "core/check/replica_checks.h"

#include <algorithm>

#include <nlohmann/json.hpp>

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

}  // namespace

void checkReplicas(const ProjectParts& parts, const ExecutionOptions& execution,
                   const std::string& countedBy, Diagnostics& diagnostics) {
  const DeviceName device(execution.device);
  if (device.copies < 2) return;
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
