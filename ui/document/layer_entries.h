// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a project as rows of a list, with one entry per layer. They are read from the JSON
// of the project, so they are available before an inspection. Thread: a value.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <string>
#include <unordered_map>

#include "core/model/layer_path.h"
#include "core/project/project.h"

namespace strata::ui {

/// One layer. Its row follows the row of the Block that contains it.
struct LayerEntry {
  LayerPath path;
  // The path as text. A layer in a Block has a name such as "block/layer".
  QString name;
  QString type;
  // The name in the list that contains the layer, such as "layer"
  QString label;
  // Number of Blocks around the layer
  int depth = 0;
  // JSON pointer of the list that contains the layer
  std::string list;
  int place() const { return path.place(); }
  std::string pointer() const { return path.pointer(); }
  // The group in the schema of the layer type; "" if the type is unknown
  QString group;
  // Type and fields, such as "Conv2D 32, 3 × 3, relu"
  QString summary;
  // The inputs in the file; empty if the file does not contain them
  QStringList inputs;
};

class LayerEntries {
 public:
  LayerEntries() = default;
  /// Reads the list of layers. There are no entries if the document has no valid list.
  explicit LayerEntries(const Json& document);

  QList<LayerEntry>::const_iterator begin() const { return m_entries.begin(); }
  QList<LayerEntry>::const_iterator end() const { return m_entries.end(); }
  qsizetype size() const { return m_entries.size(); }
  const LayerEntry& operator[](qsizetype index) const { return m_entries[index]; }

  /// Returns the index of the first layer with the name, or -1.
  int indexOf(const QString& name) const;
  /// Returns the index of the layer with this name at this place. If there is no such layer,
  /// returns the index of the first layer with the name, or -1.
  int indexOf(const LayerPath& layer) const;
  /// Returns the path of the first layer with the name, or a path without places if there is no
  /// such layer.
  LayerPath pathOf(const QString& name) const;
  /// Returns the layers that exist, with their current places and without duplicates.
  QList<LayerPath> existing(const QList<LayerPath>& layers) const;

 private:
  void read(const Json& layers, const LayerEntry& block);

  QList<LayerEntry> m_entries;
  // The index of each layer by JSON pointer
  std::unordered_map<std::string, int> m_indexOf;
};

}  // namespace strata::ui
