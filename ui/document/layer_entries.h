// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a project as the lists show them: one entry per layer, in the order of the rows.
// They are read from the JSON of the project and do not wait for an inspection. Thread: a value.
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
  // name: the path as text; a layer in a Block is "block/layer"
  QString name, type;
  // The name in its own list: "layer"
  QString label;
  // Number of Blocks around the layer
  int depth = 0;
  // JSON pointer of the list that contains the layer
  std::string list;
  int place() const { return path.place(); }
  std::string pointer() const { return path.pointer(); }
  // The group of its schema, "" if the type is unknown
  QString group;
  // "Conv2D 32, 3 × 3, relu"
  QString summary;
  // As listed in the file; empty if the file lists none
  QStringList inputs;
};

class LayerEntries {
 public:
  LayerEntries() = default;
  /// Reads the list of layers; a document without a valid list has no entries.
  explicit LayerEntries(const Json& document);

  QList<LayerEntry>::const_iterator begin() const { return m_entries.begin(); }
  QList<LayerEntry>::const_iterator end() const { return m_entries.end(); }
  qsizetype size() const { return m_entries.size(); }
  const LayerEntry& operator[](qsizetype index) const { return m_entries[index]; }

  /// Index of the first layer with the name, or -1
  int indexOf(const QString& name) const;
  /// Index of the layer with this name at this place, else of the first with the name, or -1
  int indexOf(const LayerPath& layer) const;
  /// Path of the first layer with the name; a path without places if there is none
  LayerPath pathOf(const QString& name) const;
  /// The layers that exist, without duplicates and with their current places
  QList<LayerPath> existing(const QList<LayerPath>& layers) const;

 private:
  void read(const Json& layers, const LayerEntry& block);

  QList<LayerEntry> m_entries;
  // Index of each layer, by its JSON pointer
  std::unordered_map<std::string, int> m_indexOf;
};

}  // namespace strata::ui
