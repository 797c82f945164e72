// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that lists and menus offer. Each one is composed of edits from core and makes one undo
// step. The functions return false if the document refuses the edit. Thread: GUI thread.
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

/// Inserts a layer before the layer at this index of Document::layers().
bool submitAdd(Document& document, const QString& type, int index);
/// Returns the index in Document::layers() that follows the last selected layer and its contents.
/// If no layer is selected, returns the number of layers.
int indexAfterSelection(const Document& document);
/// Returns the path of the first layer with each name. Names without a layer are skipped.
QList<LayerPath> pathsOf(const Document& document, const QStringList& layers);
/// Removes layers. If `layers` contains a Block and some of its layers, they are removed with the
/// Block.
bool submitRemove(Document& document, const QList<LayerPath>& layers);
/// Renames a layer, and updates the inputs that refer to it. If several layers have the same name,
/// inputs refer to the first one.
bool submitRename(Document& document, const LayerPath& layer, const QString& name);
bool submitDuplicate(Document& document, const QList<LayerPath>& layers);
bool submitConnect(Document& document, const LayerPath& layer,
                   const std::vector<std::string>& inputs);
bool submitField(Document& document, const LayerPath& layer, const std::string& field,
                 const Json& value);
bool submitResetField(Document& document, const LayerPath& layer, const std::string& field);
/// The following four overloads apply to the first layer with the name.
bool submitRename(Document& document, const QString& layer, const QString& name);
bool submitConnect(Document& document, const QString& layer,
                   const std::vector<std::string>& inputs);
bool submitField(Document& document, const QString& layer, const std::string& field,
                 const Json& value);
bool submitResetField(Document& document, const QString& layer, const std::string& field);
/// Sets a field that does not belong to a layer. `title` is the title of the field in its form. If
/// it is empty, the title is derived from the pointer.
bool submitValue(Document& document, const std::string& pointer, const Json& value,
                 const QString& title = {});
bool submitResetValue(Document& document, const std::string& pointer, const QString& title);
/// Moves layers within their own list: the network or a Block. The layers are placed before the
/// layer that is at `index` of Document::layers() before the move.
bool submitMove(Document& document, const QList<LayerPath>& layers, int index);
/// Moves the layers one place up (`by` is -1) or down (`by` is 1) in their list.
bool submitShift(Document& document, const QList<LayerPath>& layers, int by);

/// Turns consecutive layers into a Block.
bool submitGroup(Document& document, const QList<LayerPath>& layers);
/// Replaces a Block by its layers. Each repetition becomes a copy.
bool submitUngroup(Document& document, const LayerPath& block);

/// Combines several edits into one undo step. Each edit applies to the result of the previous ones.
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
