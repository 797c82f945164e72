// SPDX-License-Identifier: Apache-2.0
// A list of layers, that of the network or of a Block, as rows with explicit inputs. Used by edits
// of lists. Not here: what layers mean (model.h). Thread: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/layer_edits.h"
#include "core/project/edit.h"
#include "core/project/input_ref.h"

namespace strata {

/// An input of a layer: a row, or a name that no row has. A name means the first row with that
/// name.
struct LayerSource {
  // Id of the row, -1 where no row has the name
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
  // Its place when the list was read; does not change when rows move
  int id = 0;
  std::string name, type;
  bool hasInputsKey = false;
  // Whether its input follows from the order of the list
  bool isImplicit = false;
  // Its inputs, also where they are implicit
  LayerSources inputs;
  bool isInput() const { return type == "Input"; }
};

class LayerRows {
 public:
  /// Empty where the document has no such list.
  LayerRows(const Json& document, const LayerList& list);

  // The array, as it was read
  const Json& json() const { return m_json; }
  bool isBlock() const { return m_isBlock; }
  std::vector<LayerRow>& rows() { return m_rows; }
  const std::vector<LayerRow>& rows() const { return m_rows; }
  /// Fails: InvalidArgument where there is no such layer.
  size_t placeOf(const LayerRef& layer) const;
  /// The input of a row without `inputs` at this place: the row before. Nothing for an Input and at
  /// the top, where a row of a Block takes the Block's input.
  LayerSources implied(size_t place) const;
  /// "stem", or "stem_2" and so on where the name is taken.
  std::string freshName(const std::string& stem) const;
  std::string pointerTo(size_t place) const { return m_pointer + "/" + std::to_string(place); }
  /// Appends operations that write `inputs` where the order of the rows does not imply them.
  /// `before`: the inputs as the document has them.
  void writeInputs(const std::vector<LayerSources>& before,
                   std::vector<EditOperation>& operations) const;
  std::vector<LayerSources> inputs() const;

 private:
  const Json& m_json;
  std::string m_pointer;
  bool m_isBlock;
  std::vector<LayerRow> m_rows;
};

/// The text of a member, "" where it is missing or not a string.
std::string stringIn(const Json& object, const char* key);
/// The first free name of stem, stem_2, ...; adds it to `taken`.
template <class Names>
std::string takeFreshName(Names& taken, const std::string& stem) {
  std::string name = stem;
  for (int number = 2; !taken.insert(name).second; ++number)
    name = stem + "_" + std::to_string(number);
  return name;
}

}  // namespace strata
