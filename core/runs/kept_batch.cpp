// SPDX-License-Identifier: Apache-2.0
#include "core/runs/kept_batch.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <string_view>

#include "core/runs/run_record.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr const char* kFormat = "strata-bad-batch";
constexpr const char* kIndices = "indices";
// A batch has fewer samples than this. The file may be forged
constexpr int64_t kMaxIndices = int64_t{1} << 28;

std::string textOf(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

template <class Number>
Number numberOf(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? value : Number{};
}

double lossOf(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return numberOf<double>(text);
}

}  // namespace

TensorViews tensorsOf(const KeptBatch& batch, TensorViews tensors) {
  const Shape shape{static_cast<int64_t>(batch.indices.size())};
  tensors.emplace(kIndices, TensorView{{DType::I32, shape},
                                       reinterpret_cast<const std::byte*>(batch.indices.data())});
  return tensors;
}

void writeKeptBatch(const std::string& path, const KeptBatch& batch, const TensorViews& tensors) {
  writeSafetensors(path, tensors,
                   {{"format", kFormat},
                    {"step", std::to_string(batch.step)},
                    {"epoch", std::to_string(batch.epoch)},
                    {"loss", textOf(batch.loss)},
                    {"layer", batch.layer},
                    {"message", batch.message},
                    {"hash", batch.hash}},
                   true, Links::Replace);
}

std::optional<KeptBatch> readKeptBatch(const std::string& runDirectory, std::string& problem) {
  problem.clear();
  std::string recordProblem;
  const std::optional<RunRecord> record = readRunRecord(runDirectory, recordProblem);
  if (!record || record->badBatchStep == 0) return std::nullopt;
  const std::string path = (std::filesystem::path(runDirectory) / kKeptBatchFile).string();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    problem = std::string(kKeptBatchFile) + " is missing";
    return std::nullopt;
  }
  KeptBatch batch;
  batch.path = path;
  try {
    const auto reader = openSafetensors(path);
    const auto& metadata = reader->metadata();
    const auto member = [&](const char* name) {
      const auto found = metadata.find(name);
      return found == metadata.end() ? std::string() : found->second;
    };
    if (member("format") != kFormat) throw Error(ErrorCode::InvalidFile, path, "");
    batch.step = numberOf<int64_t>(member("step"));
    batch.epoch = numberOf<int64_t>(member("epoch"));
    batch.loss = lossOf(member("loss"));
    batch.layer = member("layer");
    batch.message = member("message");
    batch.hash = member("hash");
    for (const auto& [name, type] : reader->types()) {
      if (name != kIndices) {
        batch.tensors.push_back(name);
        continue;
      }
      if (type.dtype != DType::I32 || type.shape.rank() != 1 ||
          type.shape.numElements() > kMaxIndices)
        throw Error(ErrorCode::InvalidFile, path, "");
      const Tensor indices = reader->read(name);
      const auto values = indices.as<int32_t>();
      batch.indices.assign(values.begin(), values.end());
    }
    // A failure that was recorded last, but whose file was not written, left the file before it
    if (batch.step == record->badBatchStep && batch.hash == record->badBatchHash &&
        weightsHash(*reader) == batch.hash)
      return batch;
  }
  catch (const Error&) {
    // The same as a wrong hash
  }
  problem = std::string(kKeptBatchFile) + " is damaged";
  return std::nullopt;
}

}  // namespace strata
