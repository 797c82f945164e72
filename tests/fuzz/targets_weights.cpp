// SPDX-License-Identifier: Apache-2.0
// Targets that read files of weights and arrays.
#include "core/data/array_files.h"
#include "core/interchange/npy.h"
#include "core/interchange/npz.h"
#include "core/interchange/safetensors.h"
#include "core/interchange/weight_names.h"
#include "core/interchange/weights_file.h"
#include "gpu/base/error.h"
#include "tests/fuzz/repair.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/target.h"

namespace strata::fuzz {

namespace {

std::map<std::string, Tensor> weights() {
  std::map<std::string, Tensor> tensors;
  tensors.emplace("conv/kernel", counted<float>({3, 3, 1, 2}));
  tensors.emplace("conv/bias", counted<float>({2}));
  tensors.emplace("block/0/dense/kernel", counted<float>({4, 3}));
  tensors.emplace("block/0/dense/bias", counted<float>({3}));
  return tensors;
}

/// Returns weights with names and types as other programs write them.
std::map<std::string, Tensor> weightsOfOthers() {
  std::map<std::string, Tensor> tensors;
  tensors.emplace("model/conv/kernel:0", counted<float>({3, 3, 1, 2}));
  tensors.emplace("model/conv/bias:0", counted<double>({2}));
  tensors.emplace("model/block/dense/kernel:0", counted<float>({4, 3}));
  tensors.emplace("model/block/dense/bias:0", counted<float>({3}));
  tensors.emplace("optimizer/iterations", counted<int64_t>({1}));
  return tensors;
}

std::vector<WantedTensor> wanted() {
  std::vector<WantedTensor> result;
  for (const auto& [name, tensor] : weights())
    result.push_back({name, tensor.shape()});
  result.push_back({"gru/state", {2, 3}, true});
  return result;
}

std::string safetensorsOf(const std::map<std::string, Tensor>& tensors,
                          const std::map<std::string, std::string>& metadata = {}) {
  return bytesWritten(
      [&](const std::string& path) { writeSafetensors(path, viewsOf(tensors), metadata, false); });
}
std::string npzOf(const std::map<std::string, Tensor>& tensors,
                  const std::map<std::string, std::string>& metadata = {}) {
  return bytesWritten(
      [&](const std::string& path) { writeNpz(path, viewsOf(tensors), metadata, false); });
}

std::string npyOf(const std::string& head, const std::string& data) {
  std::string text = head + std::string((64 - (10 + head.size() + 1) % 64) % 64, ' ') + "\n";
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(text.size() & 255);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text + data;
}

void append(std::string& bytes, uint64_t value, int width) {
  for (int i = 0; i < width; ++i)
    bytes += static_cast<char>(value >> (8 * i) & 255);
}

/// Returns a .npz file with one compressed member, as numpy.savez_compressed writes it.
std::string deflatedNpz(const std::string& member, const std::string& contents) {
  const std::string inside = deflated(contents);
  // These fields are in both headers of the member.
  std::string common;
  append(common, 20, 2);
  append(common, 0, 2);
  append(common, 8, 2);
  append(common, 0x210000, 4);
  // repairZip() fills in the CRC.
  append(common, 0, 4);
  append(common, inside.size(), 4);
  append(common, contents.size(), 4);
  append(common, member.size(), 2);
  append(common, 0, 2);
  std::string file = "PK\3\4" + common + member + inside;
  const size_t directory = file.size();
  file += "PK\1\2";
  append(file, 20, 2);
  file += common;
  append(file, 0, 2);
  append(file, 0, 2);
  append(file, 0, 2);
  append(file, 0, 4);
  append(file, 0, 4);
  file += member;
  const size_t size = file.size() - directory;
  file += "PK\5\6";
  append(file, 0, 4);
  append(file, 1, 2);
  append(file, 1, 2);
  append(file, size, 4);
  append(file, directory, 4);
  append(file, 0, 2);
  return repairZip(file);
}

/// Compares the tensors that were read one by one with those of the whole file.
std::string valuesRead(TensorReader& reader, const TensorFile& file) {
  if (weightsHash(reader) != weightsHash(file.tensors))
    throw std::logic_error("its pieces are not its tensors");
  return valuesOf(file.tensors);
}

}  // namespace

std::vector<Seed> npySeeds() {
  return {
      {npyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
             std::string(24, '\x40'))},
      {npyOf("{'descr': '>i2', 'fortran_order': True, 'shape': (3, 2, 2), }",
             std::string(24, '\1'))},
      {npyOf("{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }", "abcd")},
      {npyOf("{'descr': '<f2', 'fortran_order': False, 'shape': (), }", std::string("\0\x3c", 2))},
      {npyOf("{'shape': (2,), 'fortran_order': False, 'descr': '<i8'}", std::string(16, '\0'))}};
}

std::vector<Seed> npzSeeds() {
  return {
      {npzOf(weights(), {{"format", "strata"}, {"notes", "\xc3\xa9"}})},
      {npzOf(weightsOfOthers())},
      {deflatedNpz("x.npy", npyOf("{'descr': '<f8', 'fortran_order': False, 'shape': (10, 4), }",
                                  std::string(320, '\0')))}};
}

std::string trainingArchive() {
  std::map<std::string, Tensor> tensors;
  for (const char* suffix : {"", "_test"}) {
    tensors.emplace(std::string("x") + suffix, counted<float>({4, 2, 2}));
    tensors.emplace(std::string("y") + suffix,
                    Tensor::from<int64_t>(Shape{4}, std::vector<int64_t>{0, 1, 2, 1}));
  }
  return npzOf(tensors);
}

void addWeightsTargets(std::vector<Target>& targets) {
  targets.push_back({"safetensors",
                     [] {
                       return std::vector<Seed>{
                           {safetensorsOf(weights(), {{"format", "strata"}})},
                           {safetensorsOf(weightsOfOthers())},
                           {safetensorsOf({})},
                           {safetensorsOf({{"empty", Tensor(DType::F32, {0, 3})},
                                           {"b", counted<uint8_t>({5})}})}};
                     },
                     [](const Mutant& mutant) {
                       const std::string path = mutant.put("w.safetensors");
                       return valuesRead(*openSafetensors(path), readSafetensors(path));
                     }});
  targets.push_back({"npz", npzSeeds,
                     [](const Mutant& mutant) {
                       const std::string path = mutant.put("w.npz");
                       return valuesRead(*openNpz(path), readNpz(path));
                     },
                     repairZip, true});
  targets.push_back({"npy", npySeeds, [](const Mutant& mutant) {
                       return valuesOf(
                           readNpyArray(mutant.put("a.npy"), ArrayUse::AsStored).tensor);
                     }});
  targets.push_back({"weights",
                     [] {
                       std::vector<Seed> seeds;
                       for (const auto& tensors : {weights(), weightsOfOthers()})
                         for (std::string bytes : {safetensorsOf(tensors), npzOf(tensors)})
                           seeds.push_back({std::move(bytes)});
                       return seeds;
                     },
                     [](const Mutant& mutant) {
                       const std::string path = mutant.put("w");
                       const auto reader = openWeightsFile(path);
                       return valuesOf(matchWeights(*reader, wanted(), path).tensors);
                     },
                     repairZip});
}

}  // namespace strata::fuzz
