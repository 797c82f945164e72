// SPDX-License-Identifier: Apache-2.0
// A list of layers of the network or of a Block, as rows with explicit inputs. Edits of lists use
// these rows. Not here: the meaning of layers (model.h). Thread: value types without shared state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/layer_edits.h"
#include "core/project/edit.h"
#include "core/project/input_ref.h"

namespace strata {

/// An input of a layer: a row, or a name that no row has. If several rows have the name, the input
/// refers to the first of them.
struct LayerSource {
  // Id of the row; -1 if no row has the name
  int id = -1;
  std::string name;
  // Index of the output
  int output = 0;
  std::string text() const { return InputRef{name, output}.text(); }
  bool operator==(const LayerSource& other) const {
    return id == other.id && output == other.output && (id >= 0 || name == other.name);
  }
};
using LayerSources = std::vector<LayerSource>;

struct LayerRow {
  // Position of the row when the list was read. It does not change when rows move.
  int id = 0;
  std::string name, type;
  bool hasInputsKey = false;
  // Whether the input follows from the order of the list
  bool isImplicit = false;
  // The inputs, including implicit ones
  LayerSources inputs;
  bool isInput() const { return type == "Input"; }
};

class LayerRows {
 public:
  /// Reads the list. It is empty if the document does not contain it.
  LayerRows(const Json& document, const LayerList& list);

  // Returns the array that was read from the document.
  const Json& json() const { return m_json; }
  bool isBlock() const { return m_isBlock; }
  std::vector<LayerRow>& rows() { return m_rows; }
  const std::vector<LayerRow>& rows() const { return m_rows; }
  /// Returns the position of a layer in the list. Fails: InvalidArgument if the layer does not
  /// exist.
  size_t placeOf(const LayerRef& layer) const;
  /// Returns the input of a row without `inputs` at this position, which is the row before it.
  /// Returns an empty list for an Input layer and for the first row. The first row of a Block takes
  /// the input of the Block.
  LayerSources implied(size_t place) const;
  /// Returns `stem`, or "stem_2", "stem_3", ... if the name is taken.
  std::string freshName(const std::string& stem) const;
  std::string pointerTo(size_t place) const { return m_pointer + "/" + std::to_string(place); }
  /// Appends operations that write all `inputs` that the order of the rows does not imply. `before`
  /// contains the inputs in the document.
  void writeInputs(const std::vector<LayerSources>& before,
                   std::vector<EditOperation>& operations) const;
  std::vector<LayerSources> inputs() const;

 private:
  const Json& m_json;
  std::string m_pointer;
  bool m_isBlock;
  std::vector<LayerRow> m_rows;
};

/// Returns the text of a member, or "" if it is missing or not a string.
std::string stringIn(const Json& object, const char* key);
/// Returns the first unused name among stem, stem_2, ..., and adds it to `taken`.
template <class Names>
std::string takeFreshName(Names& taken, const std::string& stem) {
  std::string name = stem;
  for (int number = 2; !taken.insert(name).second; ++number)
    name = stem + "_" + std::to_string(number);
  return name;
}

}  // namespace strata
