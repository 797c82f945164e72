// SPDX-License-Identifier: Apache-2.0
#include "core/runs/layer_sampling.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/project/line_file.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr std::string_view kSamplingLine = R"({"event":"layer_sampling")";
constexpr size_t kMaxLineBytes = 65536;

LayerSampling samplingFrom(const Json& event) {
  LayerSampling sampling;
  sampling.device = event.value("device", std::string());
  sampling.replica = event.value("replica", std::string());
  sampling.isOff = event.value("off", false);
  if (const std::string problem = event.value("problem", std::string()); !problem.empty()) {
    sampling.problem = {STRATA_TEXT("layer sampling", "%1"), {problem}};
    return sampling;
  }
  sampling.samples = event.value("samples", int64_t{0});
  sampling.batchSize = event.value("batch_size", int64_t{0});
  sampling.bytes = event.value("bytes", size_t{0});
  return sampling;
}

}  // namespace

std::string printSampling(const LayerSampling& sampling) {
  Json json{{"event", "layer_sampling"}, {"device", sampling.device}};
  if (!sampling.replica.empty()) json["replica"] = sampling.replica;
  if (sampling.isOff) {
    json["off"] = true;
  }
  else if (sampling.isSampled()) {
    json["samples"] = sampling.samples;
    json["batch_size"] = sampling.batchSize;
    json["bytes"] = sampling.bytes;
  }
  else {
    json["problem"] = sampling.problemText();
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<LayerSampling> readLayerSampling(const std::string& runDirectory) {
  std::optional<LayerSampling> last;
  const std::string path = (std::filesystem::path(runDirectory) / "events.jsonl").string();
  try {
    LineFile events(path, kMaxLineBytes);
    for (std::string line; events.next(line);) {
      if (!line.starts_with(kSamplingLine)) continue;
      try {
        last = samplingFrom(parseJson(line, path));
      }
      catch (const Error&) {
        // A power failure may truncate a line
      }
      catch (const Json::exception&) {
        // The same
      }
    }
  }
  catch (const Error&) {
    // A run without events does not say how it sampled
  }
  return last;
}

}  // namespace strata
