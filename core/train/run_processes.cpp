// SPDX-License-Identifier: Apache-2.0
#include "core/train/run_processes.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/interchange/safetensors.h"
#include "core/project/seal.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata {
namespace {

/// Returns names, types and shapes of tensors.
Json describeTensors(const std::map<std::string, Tensor>& tensors) {
  Json list = Json::array();
  for (const auto& [name, tensor] : tensors) {
    const Shape& shape = tensor.shape();
    list.push_back({name, static_cast<int>(tensor.dtype()),
                    std::vector<int64_t>(shape.dims().begin(), shape.dims().end())});
  }
  return list;
}

void addArrays(const std::vector<Tensor>& arrays, RunningHash& hash) {
  for (const Tensor& array : arrays)
    hash.add({array.data(), array.bytes()});
}

void addText(const std::string& text, RunningHash& hash) {
  hash.add(std::as_bytes(std::span(text)));
}

void addSamples(const Samples& samples, RunningHash& hash) {
  constexpr int64_t kMaxDecoded = 16;
  addArrays(samples.y, hash);
  addArrays(samples.weights, hash);
  if (!samples.decode) return addArrays(samples.x, hash);
  const int64_t count = samples.count(), step = std::max<int64_t>(1, count / kMaxDecoded);
  for (int64_t i = 0; i < count; ++i)
    if (samples.origin) addText(std::filesystem::path(samples.origin(i)).filename().string(), hash);
  for (int64_t i = 0; i < count; i += step)
    addArrays(sampleOf(samples, i), hash);
}

}  // namespace

RunProcesses::RunProcesses(ProcessLink& link) : m_link(link), m_hosts(link.gather(hostName())) {}

std::string RunProcesses::nameOf(int rank) const {
  return "process " + std::to_string(rank) + " on " + m_hosts[static_cast<size_t>(rank)];
}

std::optional<Checkpoint> RunProcesses::share(const std::optional<Checkpoint>& checkpoint) {
  Json facts = nullptr;
  if (isFirst() && checkpoint)
    facts = {{"fields", checkpointFields(*checkpoint)},
             {"tensors", describeTensors(checkpoint->tensors)}};
  facts = share(facts);
  if (facts.is_null()) return std::nullopt;
  if (isFirst()) {
    for (const auto& [name, tensor] : checkpoint->tensors)
      m_link.broadcast({const_cast<std::byte*>(tensor.data()), tensor.bytes()});
    return checkpoint;
  }
  Checkpoint result =
      checkpointOf(facts["fields"].get<std::map<std::string, std::string>>(), "the first process");
  for (const Json& entry : facts["tensors"]) {
    const auto dims = entry[2].get<std::vector<int64_t>>();
    Tensor tensor(static_cast<DType>(entry[1].get<int>()), Shape(std::span(dims)));
    m_link.broadcast({tensor.data(), tensor.bytes()});
    result.tensors.emplace(entry[0].get<std::string>(), std::move(tensor));
  }
  return result;
}

StepOrder RunProcesses::share(const StepOrder& order) {
  // The changes are rare, so they follow on their own
  struct Sent {
    double seconds = 0;
    int32_t goesOn = 1, saves = 0, hasChanges = 0, unused = 0;
  } sent{order.seconds, order.goesOn, order.saves, !order.changes.empty()};
  m_link.broadcast(std::as_writable_bytes(std::span(&sent, 1)));
  StepOrder result{sent.goesOn != 0, sent.saves != 0, sent.seconds, {}};
  if (sent.hasChanges)
    result.changes =
        changesOfText(m_link.broadcast(textOfChanges(order.changes)), "the first process");
  return result;
}

void RunProcesses::share(State& state) {
  for (const std::string& name : state.names()) {
    Tensor value = state.read(name);
    m_link.broadcast({value.data(), value.bytes()});
    if (!isFirst()) state.write(name, value);
  }
}

void RunProcesses::requireEqual(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::vector<std::string> values;
  for (const auto& [fact, value] : facts)
    values.push_back(value);
  const std::vector<std::string> all = m_link.gather(Json(values).dump());
  const auto expected = Json::parse(all.front()).get<std::vector<std::string>>();
  for (int rank = 1; rank < size(); ++rank) {
    const auto got = Json::parse(all[static_cast<size_t>(rank)]).get<std::vector<std::string>>();
    for (size_t i = 0; i < facts.size(); ++i)
      if (got[i] != expected[i])
        throw Error(ErrorCode::InvalidArgument, nameOf(rank),
                    facts[i].first + " differs from " + nameOf(0) + " (expected " + expected[i] +
                        ", got " + got[i] +
                        "). Give all processes the same program, processor and data.");
  }
}

void RunProcesses::requireEqualValues(const State& state) {
  const Snapshot snapshot = state.snapshot();
  std::vector<std::string> names;
  std::vector<uint64_t> own;
  for (const auto& [name, view] : snapshot.views()) {
    // Sums over micro-batches are those of a replica alone
    if (state.category(name) == Category::Gradient) continue;
    names.push_back(name);
    own.push_back(hashOf({view.data, view.type.bytes()}));
  }
  std::vector<uint64_t> all(own.size() * static_cast<size_t>(size()));
  m_link.gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
  for (int rank = 1; rank < size(); ++rank)
    for (size_t i = 0; i < names.size(); ++i)
      if (all[static_cast<size_t>(rank) * names.size() + i] != all[i])
        throw Error(ErrorCode::Internal, names[i],
                    nameOf(rank) + " has other values than " + nameOf(0) +
                        ". The run stops without a checkpoint. Continue from the last one.");
}

bool RunProcesses::isTrueInAll(bool value) {
  const int32_t own = value ? 1 : 0;
  std::vector<int32_t> all(static_cast<size_t>(size()));
  m_link.gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  return std::ranges::all_of(all, [](int32_t each) { return each != 0; });
}

std::vector<Json> RunProcesses::gather(const Json& values) {
  std::vector<Json> all;
  for (const std::string& text : m_link.gather(values.dump()))
    all.push_back(Json::parse(text));
  return all;
}

void RunProcesses::addSums(const std::vector<BatchSums>& own, size_t replicas, const Times& times,
                           BatchSums& sums) {
  constexpr size_t kTimes = 4;
  m_ownNumbers.assign({times.computing, times.exposed, times.hidden, times.waiting});
  size_t numElements = 0;
  for (const BatchSums& each : own) {
    m_ownNumbers.push_back(static_cast<double>(each.samples));
    m_ownNumbers.push_back(each.loss);
    m_ownNumbers.insert(m_ownNumbers.end(), each.metrics.begin(), each.metrics.end());
    for (const auto& elements : each.collected) {
      m_ownNumbers.push_back(static_cast<double>(elements.size()));
      numElements += elements.size();
    }
  }
  const size_t count = m_ownNumbers.size(), pieces = own.size(),
               numMetrics = own.front().metrics.size(), numCollected = own.front().collected.size(),
               width = (count - kTimes) / pieces;
  m_allNumbers.resize(count * static_cast<size_t>(size()));
  m_link.gather(std::as_bytes(std::span(m_ownNumbers)),
                std::as_writable_bytes(std::span(m_allNumbers)));
  std::vector<std::string> texts;
  if (numCollected > 0) {
    std::string text;
    text.reserve(numElements * sizeof(CollectedElement));
    for (const BatchSums& each : own)
      for (const auto& elements : each.collected)
        text.append(reinterpret_cast<const char*>(elements.data()),
                    elements.size() * sizeof(CollectedElement));
    texts = m_link.gather(text);
  }
  m_times.resize(static_cast<size_t>(size()));
  for (size_t process = 0; process < m_times.size(); ++process) {
    const double* const at = m_allNumbers.data() + process * count;
    m_times[process] = {at[0], at[1], at[2], at[3]};
  }
  // Where the next elements of each process are
  std::vector<size_t> taken(texts.size(), 0);
  sums.metrics.resize(numMetrics, 0.0);
  sums.collected.resize(numCollected);
  for (size_t round = 0; round < pieces / replicas; ++round)
    for (size_t process = 0; process < static_cast<size_t>(size()); ++process)
      for (size_t replica = 0; replica < replicas; ++replica) {
        const double* at =
            m_allNumbers.data() + process * count + kTimes + (round * replicas + replica) * width;
        sums.samples += static_cast<int64_t>(*at++);
        sums.loss += *at++;
        for (double& metric : sums.metrics)
          metric += *at++;
        for (std::vector<CollectedElement>& elements : sums.collected) {
          const auto added = static_cast<size_t>(*at++), before = elements.size();
          elements.resize(before + added);
          std::memcpy(elements.data() + before, texts[process].data() + taken[process],
                      added * sizeof(CollectedElement));
          taken[process] += added * sizeof(CollectedElement);
        }
      }
}

std::string fingerprintOf(const Dataset& dataset) {
  RunningHash hash;
  addText(std::to_string(dataset.trainCount) + " " + std::to_string(dataset.validationCount), hash);
  addSamples(*dataset.train, hash);
  addSamples(*dataset.test, hash);
  addText(preprocessingFileText(dataset), hash);
  return hash.text();
}

}  // namespace strata
