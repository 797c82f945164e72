// SPDX-License-Identifier: Apache-2.0
// Reads one list of layers, the network or the contents of a Block, into a Model. It reports every
// problem that it finds. Not here: shapes (summary.cpp), edits of layers (layer_edits.h).
// Thread: one thread uses a reader. Readers on different threads need different diagnostics.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "core/project/input_ref.h"

namespace strata {

/// A layer of the list while it is being read.
struct ParsedLayer {
  const Json* json = nullptr;
  std::string pointer, name, path, type;
  Layer layer;
  bool hasSoundFields = true;
  // Whether the contents of a Block are valid
  bool isSoundInside = true;
  bool hasOwnName = true;
  bool hasConnections = true;
  bool isSound() const {
    return hasSoundFields && isSoundInside && hasOwnName && hasConnections && layer.definition;
  }
};

/// A list of layers whose names are unique: the network, or the contents of a Block.
struct LayerScope {
  const Json* layers = nullptr;
  // JSON pointer to the list
  std::string pointer = "/model/layers";
  // Prefix of the paths of its layers, such as "block/"
  std::string prefix;
  // Number of enclosing Blocks
  int depth = 0;
  // Whether all enclosing Blocks are trainable
  bool isTrainable = true;
  // Product of the factors of all enclosing Blocks
  double learningRateFactor = 1;
};

/// Reads the layers of a scope. model.cpp defines read(). The other methods are in read_fields.cpp
/// (names, types and fields), read_inputs.cpp (connections), read_block.cpp (contents of Blocks)
/// and sort_layers.cpp (order, cycles and outputs).
class ModelReader {
 public:
  /// `project` and `diagnostics` must outlive the reader.
  ModelReader(const Project& project, LayerScope scope, Diagnostics& diagnostics)
      : m_project(project), m_scope(std::move(scope)), m_diagnostics(diagnostics) {}

  /// Reads the whole list. Call it only once.
  Model read();

 private:
  /// Sets the pointers of the problems at index `before` and later. Problems in a Block already
  /// have a pointer.
  void addPointers(const ParsedLayer& entry, size_t before);
  bool isInBlock() const { return m_scope.depth > 0; }
  void report(Severity severity, const char* code, const std::string& layer, std::string field,
              Text message, Arguments arguments, std::vector<Fix> fixes = {});
  static ProjectEdit makeEdit(Text name, Arguments arguments, EditOperation operation,
                              std::vector<std::string> layers = {});

  // Names, types and fields
  void readName(ParsedLayer& entry, const Json& json, size_t index);
  std::string freshName(const std::string& stem);
  ProjectEdit renameEdit(const ParsedLayer& entry, const std::string& name) const;
  void readFields(ParsedLayer& entry);
  /// Reports a missing, invalid or unknown type.
  void reportType(const ParsedLayer& entry);

  // Connections
  void readInputs(size_t index);
  /// Returns the most similar name of a layer other than `own`, or "" if there is none. Also
  /// returns "" after kMaxCompared comparisons, so that many wrong inputs do not take long.
  std::string nearestLayer(const std::string& name, const std::string& own);
  /// Reports an output that the source layer does not have.
  void checkOutputOf(ParsedLayer& entry, const ParsedLayer& source, const InputRef& ref);
  /// Checks the number of inputs against the definition of the layer itself, or of `taker`.
  void checkCount(ParsedLayer& entry);
  void checkCount(ParsedLayer& entry, const LayerDef& taker);

  // Contents of Blocks
  void readBlock(ParsedLayer& entry);
  void checkBlockInputs(ParsedLayer& entry, const Model& inner, int64_t repeat);

  // Order, cycles and outputs
  Model sortedModel();
  /// Reports unused outputs in a Block, because the Block returns only the output of its last
  /// layer.
  void reportUnusedOutputs(const std::set<std::string, std::less<>>& used);
  /// Reports cycles. If several cycles share layers, it may report only one of them. `missing`
  /// contains the number of unsorted inputs of each layer.
  void reportCycles(const std::vector<int>& missing);

  static constexpr size_t kMaxCompared = 20000;

  const Project& m_project;
  const LayerScope m_scope;
  Diagnostics& m_diagnostics;
  // In the order of the list
  std::vector<ParsedLayer> m_entries;
  // Index of each name in m_entries
  std::map<std::string, size_t, std::less<>> m_byName;
  // The number that freshName() tries next for each stem
  std::map<std::string, int, std::less<>> m_freshNumbers;
  // Number of layers read so far, with all Blocks expanded
  int64_t m_expandedLayers = 0;
  // Number of names that nearestLayer() has compared
  size_t m_numCompared = 0;
};

}  // namespace strata
