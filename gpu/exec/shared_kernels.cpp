// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/shared_kernels.h"

#include "gpu/base/error.h"
#include "gpu/exec/kernel_choices.h"
#include "gpu/exec/variant_text.h"
#include "gpu/graph/op.h"

namespace strata {

namespace {

// If more kernels are kept than this, those that no program uses are dropped
constexpr size_t kMaxUnused = 8192;

struct ByIdentity {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<SharedKernels>> kernels;
};

ByIdentity& byIdentity() {
  static ByIdentity all;
  return all;
}

/// Returns the variant with the name that a user has chosen, with its data. "" is the default
/// kernel. Fails: InvalidArgument if the device does not offer it.
std::string offeredVariant(Device& device, const Graph& graph, NodeId id, const std::string& name) {
  const Node& node = graph.node(id);
  std::string offered = device.createKernel(graph, id)->algorithm();
  if (offered == name) return {};
  std::string last = offered;
  for (const OtherVariant& other : device.otherVariants(graph, id)) {
    const std::string_view otherName = variantName(other.name);
    if (otherName == name) return other.name;
    // Variants of one name follow each other, and the name means the first of them
    if (otherName == last) continue;
    last = otherName;
    offered.append(offered.empty() ? "" : ", ").append(otherName);
  }
  throw Error(ErrorCode::InvalidArgument, node.layer,
              device.name() + " has no algorithm \"" + name + "\" for " + node.op->name +
                  " (expected " + (offered.empty() ? "none" : "one of: " + offered) +
                  "). Choose one, or remove it from execution/algorithms.");
}

}  // namespace

const std::string* Device::pinnedVariant(const Node& node) const {
  if (m_pinned.empty()) return nullptr;
  const auto layer = m_pinned.find(m_pathOf(node.layer));
  if (layer == m_pinned.end()) return nullptr;
  const auto op = layer->second.find(node.op->name);
  return op == layer->second.end() ? nullptr : &op->second;
}

std::shared_ptr<SharedKernels> SharedKernels::of(const Device& device) {
  const std::string identity = device.identity();
  if (identity.empty()) return std::make_shared<SharedKernels>();
  const std::lock_guard lock(byIdentity().mutex);
  std::shared_ptr<SharedKernels>& shared = byIdentity().kernels[identity];
  if (!shared) shared = std::make_shared<SharedKernels>();
  return shared;
}

std::shared_ptr<const Kernel> SharedKernels::kernelOf(Device& device, const Graph& graph,
                                                      NodeId id) {
  const Node& node = graph.node(id);
  std::vector<TensorType> types;
  std::string key = node.op->name;
  const auto add = [&](const std::vector<ValueId>& values) {
    key += '>';
    for (const ValueId value : values) {
      types.push_back(graph.type(value));
      for (const int64_t size : types.back().shape.dims())
        key.append(reinterpret_cast<const char*>(&size), sizeof size);
      key += ',';
    }
  };
  add(node.inputs);
  add(node.outputs);
  std::string variant;
  const std::string* const pinned = device.pinnedVariant(node);
  if (pinned)
    variant = *pinned;
  else if (!device.variants().empty())
    if (const auto chosen = device.variants().find(kernelKey(graph, id));
        chosen != device.variants().end())
      variant = chosen->second;
  const std::lock_guard lock(m_mutex);
  if (const auto candidates = m_made.find(key); candidates != m_made.end())
    for (const Made& made : candidates->second)
      if (made.slices == node.slices && made.variant == variant && made.types == types &&
          made.attributes == node.attributes && (!made.owner || made.owner == &device))
        return made.kernel;
  std::shared_ptr<const Kernel> kernel;
  const std::string wanted = pinned ? offeredVariant(device, graph, id, variant) : variant;
  if (!wanted.empty()) kernel = device.createVariant(graph, id, wanted);
  if (!kernel) kernel = device.createKernel(graph, id);
  ++m_numMade;
  m_made[key].push_back({std::move(types), node.attributes, node.slices, variant, kernel,
                         kernel && !kernel->isStateless() ? &device : nullptr});
  if (++m_numKept > 2 * kMaxUnused) dropUnused();
  return kernel;
}

void SharedKernels::dropUnused() {
  m_numKept = 0;
  for (auto& [key, candidates] : m_made) {
    std::erase_if(candidates, [](const Made& made) { return made.kernel.use_count() == 1; });
    m_numKept += candidates.size();
  }
  std::erase_if(m_made, [](const auto& entry) { return entry.second.empty(); });
}

int64_t SharedKernels::numMade() const {
  const std::lock_guard lock(m_mutex);
  return m_numMade;
}

std::optional<std::vector<MeasuredVariant>> SharedKernels::times(const std::string& key) const {
  const std::lock_guard lock(m_mutex);
  const auto found = m_times.find(key);
  if (found == m_times.end()) return std::nullopt;
  return found->second;
}

void SharedKernels::addTimes(const std::string& key, std::vector<MeasuredVariant> variants) {
  const std::lock_guard lock(m_mutex);
  m_times[key] = std::move(variants);
}

}  // namespace strata
