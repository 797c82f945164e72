// SPDX-License-Identifier: GPL-3.0-or-later
// The edits that lists and menus offer, each one undo step composed of edits from core. Thread: GUI
// thread.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <memory>
#include <string>
#include <vector>

#include "core/model/layer_path.h"
#include "core/project/edit.h"

namespace strata::ui {

class Document;

/// Inserts before `index`, an index into Document::layers().
bool submitAdd(Document& document, const QString& type, int index);
/// The index after the selection, else the end; -1 if nothing is selected and the network is empty
int indexAfterSelection(const Document& document);
/// The first layer of each name; names without a layer are skipped
QList<LayerPath> pathsOf(const Document& document, const QStringList& layers);
// If a Block and some of its layers are selected, removes only the Block, which includes them.
bool submitRemove(Document& document, const QList<LayerPath>& layers);
bool submitRename(Document& document, const LayerPath& layer, const QString& name);
bool submitDuplicate(Document& document, const QList<LayerPath>& layers);
/// If the layer shares its name with another one and gets a new name, the inputs still refer to the
/// other one.
bool submitConnect(Document& document, const LayerPath& layer,
                   const std::vector<std::string>& inputs);
bool submitField(Document& document, const LayerPath& layer, const std::string& field,
                 const Json& value);
bool submitResetField(Document& document, const LayerPath& layer, const std::string& field);
// The same for the first layer with the name
bool submitRename(Document& document, const QString& layer, const QString& name);
bool submitConnect(Document& document, const QString& layer,
                   const std::vector<std::string>& inputs);
bool submitField(Document& document, const QString& layer, const std::string& field,
                 const Json& value);
bool submitResetField(Document& document, const QString& layer, const std::string& field);
/// Edits a field outside of the layers: sets it, or removes it so that the default applies. `title`
/// is the field's title in its form; "" derives it from the pointer.
bool submitValue(Document& document, const std::string& pointer, const Json& value,
                 const QString& title = {});
bool submitResetValue(Document& document, const std::string& pointer, const QString& title);
/// Layers move only within their own list, of the network or of a Block. `index` is an index into
/// Document::layers() before the move; the layers go before it.
bool submitMove(Document& document, const QList<LayerPath>& layers, int index);
/// Moves by one place up (-1) or down (+1) in the list.
bool submitShift(Document& document, const QList<LayerPath>& layers, int by);

/// Turns consecutive layers into a Block.
bool submitGroup(Document& document, const QList<LayerPath>& layers);
/// Replaces a Block by its layers, with each repetition written out.
bool submitUngroup(Document& document, const LayerPath& block);

/// Several edits as one undo step. Each edit applies to the result of the previous ones.
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
