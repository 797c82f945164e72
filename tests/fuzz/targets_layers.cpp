// SPDX-License-Identifier: Apache-2.0
// Targets that read the statistics of layers, the classes of validations, and the batch that a
// failed run keeps.
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/evaluation/class_file.h"
#include "core/interchange/safetensors.h"
#include "core/layer_statistics/layer_file.h"
#include "core/layer_statistics/layer_verdict.h"
#include "core/project/seal.h"
#include "core/project/text.h"
#include "core/runs/kept_batch.h"
#include "core/runs/run_record.h"
#include "gpu/base/error.h"
#include "tests/core/layer_statistics/sample_layers.h"
#include "tests/fuzz/target.h"
#include "tests/support/paths.h"

namespace strata::fuzz {

namespace {

std::string layerBytes(int64_t records) {
  return bytesWritten([records](const std::string& path) {
    const auto layers = watchedLayers();
    LayerFileWriter writer(path, layers);
    for (int64_t step = 1; step <= records; ++step)
      writer.append(sampleAt(10 * step, layers));
  });
}

uint32_t numberAt(const std::string& bytes, size_t at) {
  uint32_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

void putHash(std::string& bytes, size_t begin, size_t end) {
  const uint64_t hash =
      hashOf(std::as_bytes(std::span(bytes.data() + begin, end - begin - sizeof(uint64_t))));
  std::memcpy(bytes.data() + end - sizeof hash, &hash, sizeof hash);
}

/// Corrects the hashes of the header and of the records.
std::string repairLayers(const std::string& file) {
  std::string bytes = file;
  if (bytes.size() < 32) return bytes;
  const size_t head = numberAt(bytes, 12), record = numberAt(bytes, 16);
  if (head < 40 || head > bytes.size()) return bytes;
  putHash(bytes, 0, head);
  if (record < 48) return bytes;
  for (size_t begin = head; begin + record <= bytes.size(); begin += record)
    putHash(bytes, begin, begin + record);
  return bytes;
}

/// Reads all records and judges them as the window does, then continues the file as a run does.
std::string readLayers(const std::string& path) {
  std::vector<LayerSample> samples;
  std::shared_ptr<const WatchedLayers> layers;
  {
    LayerFileReader reader(path);
    layers = reader.layers();
    for (size_t i = 0; i < reader.size(); ++i)
      samples.push_back(reader[i]);
    (void)reader.update();
  }
  for (const LayerVerdict& verdict : layerVerdicts(samples)) {
    (void)formatText(verdict.evidence.text, verdict.evidence.arguments);
    if (verdict.figure > 0 && verdict.health == LayerHealth::Dead && verdict.figure > 1)
      throw std::logic_error("more dead units than units");
  }
  for (const LayerSample& sample : samples)
    for (const LayerStatistics& layer : sample.layers)
      if (layer.activations.zeros > layer.activations.count)
        throw std::logic_error("more zeros than values");
  std::string warning;
  const size_t before = samples.size();
  LayerFileWriter writer(path, layers, INT64_MAX, warning);
  if (warning.empty() && writer.size() != before)
    throw std::logic_error("the writer has another number of records than the reader");
  return "";
}

std::string classBytes() {
  return bytesWritten([](const std::string& path) {
    ClassLog log(path, std::nullopt);
    for (int64_t step = 1; step <= 3; ++step) {
      ClassValidation validation{10 * step, step, {}};
      for (const char* output : {"out", "aux"})
        validation.outputs.push_back(
            {output, {"cat", "dog", "bird"}, {3, {5, 1, 0, 2, step, 0, 0, 0, 9}}});
      log.append(validation);
    }
  });
}

/// Reads all validations as the window does, then continues the file as a run does.
std::string readClasses(const std::string& path) {
  size_t validations = 0;
  int64_t last = -1;
  readClassFile(path, [&](ClassValidation&& validation) {
    ++validations;
    if (validation.step <= std::exchange(last, validation.step))
      throw std::logic_error("the steps do not increase");
    for (const OutputClasses& output : validation.outputs)
      for (int64_t k = 0; k < output.confusion.classes; ++k) {
        const ClassScores scores = output.confusion.scores(k);
        if (!(scores.recall >= 0 && scores.recall <= 1) || scores.samples < 0)
          throw std::logic_error("impossible scores");
      }
    return true;
  });
  if (validations == 0)
    throw Error(ErrorCode::InvalidFile, kClassFile, "has no validation that can be read.");
  { const ClassLog log(path, INT64_MAX); }
  size_t kept = 0;
  readClassFile(path, [&](ClassValidation&&) { return ++kept > 0; });
  if (kept != validations) throw std::logic_error("a continued run loses validations");
  return "";
}

KeptBatch keptBatch() {
  KeptBatch batch;
  batch.step = 12;
  batch.epoch = 2;
  batch.loss = 0.5;
  batch.layer = "conv";
  batch.message = "the loss became NaN";
  batch.indices = {3, 1, 2};
  return batch;
}

std::map<std::string, Tensor> keptTensors() {
  std::map<std::string, Tensor> tensors;
  tensors.emplace("input/x", counted<float>({3, 2}));
  tensors.emplace("target/y", counted<int32_t>({3}));
  return tensors;
}

std::string keptBatchBytes() {
  return bytesWritten([](const std::string& path) {
    KeptBatch batch = keptBatch();
    const std::map<std::string, Tensor> tensors = keptTensors();
    const TensorViews all = tensorsOf(batch, viewsOf(tensors));
    batch.hash = weightsHash(all);
    writeKeptBatch(path, batch, all);
  });
}

std::string readBatch(const Mutant& mutant) {
  const std::map<std::string, Tensor> tensors = keptTensors();
  const KeptBatch expected = keptBatch();
  RunRecord record;
  record.badBatchStep = expected.step;
  record.badBatchHash = weightsHash(tensorsOf(expected, viewsOf(tensors)));
  writeRunRecord(mutant.folder.string(), record, false);
  mutant.put(kKeptBatchFile);
  std::string problem;
  const auto batch = readKeptBatch(mutant.folder.string(), problem);
  if (!batch) throw Error(ErrorCode::InvalidFile, kKeptBatchFile, problem);
  return valuesOf(readSafetensors(batch->path).tensors);
}

}  // namespace

void addLayerTargets(std::vector<Target>& targets) {
  targets.push_back({"layers",
                     [] {
                       return std::vector<Seed>{{layerBytes(3)}, {layerBytes(0)}};
                     },
                     [](const Mutant& mutant) { return readLayers(mutant.put(kLayerFile)); },
                     repairLayers});
  targets.push_back({"classes",
                     [] {
                       return std::vector<Seed>{{classBytes(), Kind::JsonLines}, {classBytes()}};
                     },
                     [](const Mutant& mutant) {
                       return readClasses(mutant.put(kClassFile));
                     }});
  targets.push_back(
      {"bad-batch", [] { return std::vector<Seed>{{keptBatchBytes()}}; }, readBatch, {}, true});
}

}  // namespace strata::fuzz
