// SPDX-License-Identifier: Apache-2.0
// A list of layers, the network's or a Block's, as rows with what feeds them written out. For the
// edits of lists; what layers mean is core/model's. Thread: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/layer_edits.h"
#include "core/project/edit.h"
#include "core/project/input_ref.h"

namespace strata {

/// What a layer takes: a row, or a name that no row has. Of rows with one name the first is meant.
struct LayerSource {
  // Of the row
  int id = -1;
  std::string name;
  // Which of its outputs
  int output = 0;
  std::string text() const { return InputRef{name, output}.text(); }
  bool operator==(const LayerSource& other) const {
    return id == other.id && output == other.output && (id >= 0 || name == other.name);
  }
};
using LayerSources = std::vector<LayerSource>;

struct LayerRow {
  // Its place when the list was read; stays with it as rows move
  int id = 0;
  std::string name, type;
  bool hasInputsKey = false;
  // Takes what the list's order says
  bool isImplicit = false;
  // Written out
  LayerSources inputs;
  bool isInput() const { return type == "Input"; }
};

class LayerRows {
 public:
  /// Without a list of layers: none.
  LayerRows(const Json& document, const LayerList& list);

  // The array, as it was read
  const Json& json() const { return m_json; }
  bool isBlock() const { return m_isBlock; }
  std::vector<LayerRow>& rows() { return m_rows; }
  const std::vector<LayerRow>& rows() const { return m_rows; }
  /// Fails: InvalidArgument where there is none.
  size_t placeOf(const LayerRef& layer) const;
  /// What a row without `inputs` takes in this place: the row before; nothing for an Input and at
  /// the top, where a Block's row takes what the Block does.
  LayerSources implied(size_t place) const;
  /// "stem", or "stem_2" and so on where a row has that name.
  std::string freshName(const std::string& stem) const;
  std::string pointerTo(size_t place) const { return m_pointer + "/" + std::to_string(place); }
  /// States what the order of the rows does not, against `before`: what each row's own `inputs`
  /// says now.
  void writeInputs(const std::vector<LayerSources>& before,
                   std::vector<EditOperation>& operations) const;
  std::vector<LayerSources> inputs() const;

 private:
  const Json& m_json;
  std::string m_pointer;
  bool m_isBlock;
  std::vector<LayerRow> m_rows;
};

/// "" where the member is none or no text.
std::string stringIn(const Json& object, const char* key);
/// stem, stem_2, ...: the first that is not taken, which it is from now on.
template <class Names>
std::string takeFreshName(Names& taken, const std::string& stem) {
  std::string name = stem;
  for (int number = 2; !taken.insert(name).second; ++number)
    name = stem + "_" + std::to_string(number);
  return name;
}

}  // namespace strata
