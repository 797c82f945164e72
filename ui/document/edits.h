// SPDX-License-Identifier: GPL-3.0-or-later
// The edits that lists and menus offer, each one undo step made of core's edits. Thread: the window's.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <memory>
#include <string>
#include <vector>

#include "core/project/edit.h"

namespace strata::ui {

class Document;

bool submitAdd(Document& document, const QString& type, int index);
/// After the selection, else at the end; -1: nothing is selected and the network is empty.
int indexAfterSelection(const Document& document);
/// The first row of each name.
QList<int> rowsOf(const Document& document, const QStringList& layers);
// Rows: of Document::layers(), as names may be had twice. Of a Block and what is in it the Block alone is meant.
bool submitRemove(Document& document, const QList<int>& rows);
bool submitRename(Document& document, const QString& layer, const QString& name);
/// False where the layer at `row` is not called `layer` (any more).
bool submitRenameAt(Document& document, int row, const QString& layer, const QString& name);
bool submitDuplicate(Document& document, const QList<int>& rows);
/// Of layers with one name the one at `row`; -1: the first. A second one that gets a name of its own leaves the others' inputs to the first.
bool submitConnect(Document& document, const QString& layer, const std::vector<std::string>& inputs, int row = -1);
bool submitField(Document& document, const QString& layer, const std::string& field, const Json& value, int row = -1);
bool submitResetField(Document& document, const QString& layer, const std::string& field, int row = -1);
/// Outside of layers: sets, or removes so that the default holds. `title`: the field's, as its form calls it; "": made from the pointer.
bool submitValue(Document& document, const std::string& pointer, const Json& value, const QString& title = {});
bool submitResetValue(Document& document, const std::string& pointer, const QString& title);
/// Layers move among those of their own list, the network's or a Block's. `index`: the row before which they shall stand, counted before they leave.
bool submitMove(Document& document, const QList<int>& rows, int index);
/// By one row up (-1) or down (+1), likewise.
bool submitShift(Document& document, const QList<int>& rows, int by);

/// A run of layers becomes a Block.
bool submitGroup(Document& document, const QList<int>& rows);
/// A Block becomes its layers, each repeat written out.
bool submitUngroup(Document& document, int row);

/// Several edits as one, each made on the document that the ones before it leave.
class EditSequence {
 public:
  explicit EditSequence(const Document& document);
  explicit EditSequence(const Json& json);
  ~EditSequence();
  const Json& document() const { return *m_json; }
  void add(const ProjectEdit& edit);
  ProjectEdit finish(const Text& name, Arguments arguments, std::vector<std::string> select);

 private:
  std::unique_ptr<Json> m_json;
  ProjectEdit m_edit;
};

}  // namespace strata::ui
