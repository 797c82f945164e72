// SPDX-License-Identifier: Apache-2.0
#include "core/runs/step_memory.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/project/atomic_file.h"
#include "core/project/json.h"
#include "core/project/project.h"
#include "core/project/regular_file.h"
#include "core/project/seal.h"
#include "core/runs/own_file.h"
#include "gpu/base/error.h"
#include "gpu/graph/op.h"

namespace strata {

namespace {

constexpr const char* kFile = "memory.json";
constexpr size_t kMaxFileBytes = size_t{64} << 20;
constexpr std::string_view kLanes[] = {"persistent", "input", "transient"};
constexpr std::string_view kPhases[] = {"forward", "backward", "update"};

size_t laneBegin(const StepMemory& memory, Storage::Lane lane) {
  if (lane == Storage::Lane::Persistent) return 0;
  return lane == Storage::Lane::Input ? memory.persistentBytes
                                      : memory.persistentBytes + memory.inputBytes;
}

std::string nameOf(const Graph& graph, const OccupiedBytes& each) {
  if (!each.value.isValid())
    return graph.node(graph.order()[static_cast<size_t>(each.begin)]).op->name;
  const Node& producer = graph.node(graph.value(each.value).producer);
  if (producer.op->kind == OpKind::Source && producer.attributes.has("name"))
    return producer.attributes.get<std::string>("name");
  return producer.op->name;
}

/// The texts of a file, each of which is stored once.
class Texts {
 public:
  size_t indexOf(const std::string& text) {
    const auto [found, isNew] = m_index.try_emplace(text, m_list.size());
    if (isNew) m_list.push_back(text);
    return found->second;
  }
  const Json& list() const { return m_list; }

 private:
  std::map<std::string, size_t> m_index;
  Json m_list = Json::array();
};

Json toJson(const StepMemory& memory) {
  Texts texts;
  Json instructions = Json::array(), blocks = Json::array();
  for (const StepMemory::Instruction& each : memory.instructions)
    instructions.push_back(
        {texts.indexOf(each.op), texts.indexOf(each.layer), static_cast<int>(each.phase)});
  for (const StepMemory::Block& each : memory.blocks)
    blocks.push_back({texts.indexOf(each.name), texts.indexOf(each.layer),
                      static_cast<int>(each.category), static_cast<int>(each.lane), each.bytes,
                      each.offset, each.begin, each.end});
  Json categories = Json::array();
  for (size_t i = 0; i < kNumCategories; ++i)
    categories.push_back(categoryName(static_cast<Category>(i)));
  return {{"version", 1},
          {"batch_size", memory.batchSize},
          {"persistent_bytes", memory.persistentBytes},
          {"input_bytes", memory.inputBytes},
          {"transient_bytes", memory.transientBytes},
          {"lower_bound_bytes", memory.lowerBoundBytes},
          {"peak_instruction", memory.peakInstant},
          {"categories", std::move(categories)},
          {"lanes", kLanes},
          {"phases", kPhases},
          {"texts", texts.list()},
          // Text of the op, text of the layer, phase
          {"instructions", std::move(instructions)},
          // Text of the name, text of the layer, category, lane, bytes, offset, begin, end
          {"blocks", std::move(blocks)}};
}

/// Reads the document. Throws Json::exception or std::out_of_range if it is damaged.
StepMemory fromJson(const Json& json) {
  StepMemory memory;
  memory.batchSize = json.at("batch_size").get<int64_t>();
  memory.persistentBytes = json.at("persistent_bytes").get<size_t>();
  memory.inputBytes = json.at("input_bytes").get<size_t>();
  memory.transientBytes = json.at("transient_bytes").get<size_t>();
  memory.lowerBoundBytes = json.at("lower_bound_bytes").get<size_t>();
  memory.peakInstant = json.at("peak_instruction").get<int>();
  const Json& texts = json.at("texts");
  const auto textAt = [&](const Json& index) {
    return texts.at(index.get<size_t>()).get<std::string>();
  };
  const auto within = [](const Json& value, int64_t count) {
    const auto number = value.get<int64_t>();
    if (number < 0 || number >= count) throw std::out_of_range("memory.json");
    return static_cast<int>(number);
  };
  for (const Json& each : json.at("instructions"))
    memory.instructions.push_back({textAt(each.at(0)), textAt(each.at(1)),
                                   static_cast<Phase>(within(each.at(2), std::size(kPhases)))});
  const auto count = std::ssize(memory.instructions);
  for (const Json& each : json.at("blocks")) {
    StepMemory::Block block{textAt(each.at(0)),
                            textAt(each.at(1)),
                            static_cast<Category>(within(each.at(2), kNumCategories)),
                            static_cast<Storage::Lane>(within(each.at(3), std::size(kLanes))),
                            each.at(4).get<size_t>(),
                            each.at(5).get<size_t>(),
                            within(each.at(6), count),
                            within(each.at(7), count)};
    if (block.bytes > memory.peakBytes() || block.offset > memory.peakBytes() - block.bytes ||
        block.begin > block.end)
      throw std::out_of_range("memory.json");
    memory.blocks.push_back(std::move(block));
  }
  if (memory.peakInstant < 0 || (count > 0 && memory.peakInstant >= count))
    throw std::out_of_range("memory.json");
  return memory;
}

}  // namespace

BytesByCategory StepMemory::bytesAt(int instant) const {
  BytesByCategory bytes{};
  for (const Block& block : blocks)
    if (block.begin <= instant && instant <= block.end)
      bytes[static_cast<size_t>(block.category)] += block.bytes;
  return bytes;
}

size_t StepMemory::liveAt(int instant) const {
  size_t live = 0;
  for (const size_t bytes : bytesAt(instant))
    live += bytes;
  return live;
}

std::vector<size_t> StepMemory::blocksAt(int instant) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].begin <= instant && instant <= blocks[i].end) found.push_back(i);
  std::ranges::stable_sort(found, std::greater<>(), [&](size_t i) { return blocks[i].bytes; });
  return found;
}

StepMemory stepMemoryOf(const Graph& graph, const MemoryPlan& plan, int64_t batchSize) {
  StepMemory memory;
  memory.batchSize = batchSize;
  memory.persistentBytes = plan.persistentBytes;
  memory.inputBytes = plan.inputBytes;
  memory.transientBytes = plan.transientBytes;
  memory.lowerBoundBytes = plan.lowerBoundBytes;
  memory.peakInstant = plan.peakInstant;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    memory.instructions.push_back({node.op->name, node.layer, node.phase});
  }
  for (const OccupiedBytes& each : occupiedBytes(graph, plan)) {
    const Storage& storage = plan.storages[each.storage];
    memory.blocks.push_back({nameOf(graph, each), each.layer, each.category, storage.lane,
                             storage.bytes, laneBegin(memory, storage.lane) + storage.offset,
                             each.begin, each.end});
  }
  return memory;
}

void writeStepMemory(const std::string& runDirectory, const StepMemory& memory) {
  writeFileAtomically((std::filesystem::path(runDirectory) / kFile).string(),
                      printSealed(toJson(memory)), Links::Replace);
}

std::shared_ptr<const StepMemory> readStepMemory(const std::string& runDirectory,
                                                 std::string& problem) {
  const std::string path = (std::filesystem::path(runDirectory) / kFile).string();
  problem.clear();
  std::string text;
  try {
    text = readFile(path, kMaxFileBytes);
  }
  catch (const Error&) {
    problem = std::string(kFile) + " is missing";
    return nullptr;
  }
  try {
    const Json json = parseJson(text, path);
    if (sealOf(json) == Seal::Whole) return std::make_shared<const StepMemory>(fromJson(json));
  }
  catch (const std::exception&) {
    // The same as a broken seal
  }
  problem = std::string(kFile) + " is damaged";
  return nullptr;
}

}  // namespace strata
