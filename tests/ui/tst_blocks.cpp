// SPDX-License-Identifier: GPL-3.0-or-later
// Tests Blocks in the window. The layers of a Block are rows below it. Editing, moving, grouping
// and ungrouping are one undo step each.
#include <QSignalSpy>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/model/layer_edits.h"
#include "core/project/json.h"
#include "tests/support/paths.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/models/layer_item_model.h"
#include "ui/run/design_changes.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

Project project(const char* name) {
  return loadProject((sourceDir() / "projects" / (std::string(name) + ".json")).string()).value();
}

QStringList names(const Document& document) {
  QStringList out;
  for (const LayerEntry& entry : document.layers())
    out << entry.name;
  return out;
}

QList<LayerPath> pathsAt(const Document& document, const QList<int>& rows) {
  QList<LayerPath> paths;
  for (const int row : rows)
    paths << document.layers()[row].path;
  return paths;
}

QList<int> selectedRows(const Document& document) {
  QList<int> rows;
  for (const LayerPath& layer : document.selectedLayers())
    rows << document.layers().indexOf(layer);
  return rows;
}

}  // namespace

class TestBlocks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void layersOfABlockAreRows() {
    Document document(project("mnist-resnet"));
    document.checks().inspectNow();
    QCOMPARE(document.checks().errorCount(), 0);
    const int block = document.layers().indexOf(u"fine"_s),
              conv = document.layers().indexOf(u"fine/conv1"_s);
    QVERIFY(document.layers()[block].summary.startsWith(u"Block 7 layer"_s));
    QCOMPARE(conv, block + 2);
    QCOMPARE(document.layers()[conv].label, u"conv1"_s);
    QCOMPARE(document.layers()[conv].depth, 1);
    QCOMPARE(document.checks().summary(conv)->parameters, int64_t(3 * 3 * 16 * 16));
    QCOMPARE(document.checks().summary(block)->parameters, int64_t(9472));
    LayerItemModel model;
    model.setDocument(&document);
    QCOMPARE(model.index(conv, LayerItemModel::Name).data().toString(), u"conv1"_s);
    QCOMPARE(model.index(conv, LayerItemModel::Name).data(LayerItemModel::DepthRole).toInt(), 1);
    const int rows = model.rowCount();
    model.setFolded(u"fine"_s, true);
    QCOMPARE(model.rowCount(), rows - 7);
    QCOMPARE(document.layers().size(), rows);
    // Selecting a layer in a folded Block unfolds it.
    document.setSelection({u"fine/norm1"_s});
    QCOMPARE(model.rowCount(), rows);
  }

  void editsInABlockAreUndoneToTheSameBytes() {
    Document document(project("mnist-resnet"));
    QStringList states{QString::fromStdString(printJson(document.json()))};
    const auto note = [&] {
      states << QString::fromStdString(printJson(document.json()));
    };
    QVERIFY(submitField(document, u"fine/conv1"_s, "filters", Json(8)));
    QCOMPARE(document.json()["model"]["layers"][3]["layers"][1]["filters"], Json(8));
    note();
    QVERIFY(submitRename(document, u"fine/given"_s, u"taken"_s));
    QCOMPARE(document.json()["model"]["layers"][3]["layers"][6]["inputs"],
             Json(std::vector<std::string>{"norm2", "taken"}));
    QCOMPARE(document.selection().value(0), u"fine/taken"_s);
    note();
    QVERIFY(submitShift(document, pathsOf(document, {u"fine/relu"_s}), +1));
    QCOMPARE(document.json()["model"]["layers"][3]["layers"][4]["name"], Json("relu"));
    note();
    QVERIFY(submitDuplicate(document, pathsOf(document, {u"fine/conv2"_s})));
    note();
    document.setSelection({u"fine/sum"_s});
    QVERIFY(submitAdd(document, u"Dropout"_s, indexAfterSelection(document)));
    QVERIFY(document.layers().indexOf(u"fine/dropout"_s) >= 0);
    note();
    QVERIFY(submitRemove(document, pathsOf(document, {u"fine/dropout"_s})));
    note();
    QVERIFY(submitConnect(document, u"fine/sum"_s, {"norm2", "norm1"}));
    note();
    QVERIFY(submitField(document, u"fine"_s, "repeat", Json(5)));
    note();
    for (qsizetype i = states.size() - 1; i > 0; --i) {
      QCOMPARE(QString::fromStdString(printJson(document.json())), states[i]);
      document.undoStack()->undo();
    }
    QCOMPARE(QString::fromStdString(printJson(document.json())), states[0]);
  }

  void groupAndUngroup() {
    Document document(project("mnist-cnn"));
    const QString before = QString::fromStdString(printJson(document.json()));
    const QStringList rows = names(document);
    QVERIFY(submitGroup(document, pathsOf(document, {u"conv2"_s, u"pool1"_s})));
    QCOMPARE(document.undoStack()->count(), 1);
    QCOMPARE(document.selection().value(0), u"block"_s);
    QVERIFY(document.layers().indexOf(u"block/conv2"_s) > document.layers().indexOf(u"block"_s));
    document.checks().inspectNow();
    QCOMPARE(document.checks().errorCount(), 0);
    QVERIFY(submitUngroup(document, document.layers().pathOf(u"block"_s)));
    QCOMPARE(document.undoStack()->count(), 2);
    QCOMPARE(names(document), rows);
    document.undoStack()->undo();
    document.undoStack()->undo();
    QCOMPARE(QString::fromStdString(printJson(document.json())), before);
    QSignalSpy refused(&document, &Document::editRefused);
    QVERIFY(!submitGroup(document, pathsOf(document, {u"image"_s, u"conv1"_s})));
    QVERIFY(!submitUngroup(document, document.layers().pathOf(u"conv1"_s)));
    QCOMPARE(refused.count(), 2);
  }

  void aFoldedBlockShowsItsProblemsOnItsRow() {
    Document document(project("mnist-resnet"));
    QVERIFY(submitField(document, u"coarse/conv1"_s, "filters", Json(0)));
    document.checks().inspectNow();
    QCOMPARE(document.checks().severity(u"coarse/conv1"_s), std::optional(Severity::Error));
    QVERIFY(!document.checks().severity(u"coarse"_s));
    LayerItemModel model;
    model.setDocument(&document);
    const auto severity = [&] {
      return model.indexOf(u"coarse"_s).data(LayerItemModel::SeverityRole).toInt();
    };
    QCOMPARE(severity(), 0);
    model.setFolded(u"coarse"_s, true);
    QCOMPARE(severity(), 2);
  }

  void layersWithOneNameAreDistinguishedByTheirRows() {
    // The layers are the Input x, three layers a with 1, 2 and 3 units, and a Block with three
    // layers b with 1, 2 and 3 units.
    const auto dense = [](const char* name, int units) {
      return Json{{"type", "Dense"}, {"name", name}, {"units", units}};
    };
    Json layers = Json::array({Json{{"type", "Input"}, {"name", "x"}, {"shape", {8}}},
                               dense("a", 1), dense("a", 2), dense("a", 3)});
    layers.push_back(Json{{"type", "Block"},
                          {"name", "block"},
                          {"layers", {dense("b", 1), dense("b", 2), dense("b", 3)}}});
    const Project twice(Json{{"model", {{"layers", layers}}}});
    struct Place {
      const char* list;
      int first, row;
    };
    for (const Place& place :
         {Place{"/model/layers", 1, 2}, Place{"/model/layers/4/layers", 0, 6}}) {
      Document document(twice);
      document.select(pathsAt(document, {place.row}));
      const auto units = [&] {
        QStringList text;
        for (const Json& layer : document.json().at(Json::json_pointer(place.list)))
          if (layer.contains("units"))
            text << QString::number(layer["units"].get<int>()) +
                        (layer.contains("inputs") ? u"*"_s : QString());
        return text.join(u' ');
      };
      QCOMPARE(units(), u"1 2 3"_s);
      QVERIFY(submitShift(document, document.selectedLayers(), +1));
      QCOMPARE(units(), u"1 3 2"_s);
      // The moved layer stays selected, so that pressing the key again moves it further.
      QCOMPARE(selectedRows(document), QList<int>{place.row + 1});
      QVERIFY(submitShift(document, document.selectedLayers(), -1));
      QCOMPARE(units(), u"1 2 3"_s);
      QVERIFY(submitDuplicate(document, pathsAt(document, {place.row})));
      QCOMPARE(units(), u"1 2 2 3"_s);
      document.undoStack()->undo();
      QVERIFY(submitField(document, document.layers()[place.row].path, "units", Json(7)));
      QCOMPARE(units(), u"1 7 3"_s);
      document.undoStack()->undo();
      QVERIFY(submitRemove(document, pathsAt(document, {place.row})));
      QCOMPARE(units(), u"1 3"_s);
      // The layer in the next row is selected.
      QCOMPARE(selectedRows(document), QList<int>{place.row});
      document.undoStack()->undo();
      QVERIFY(submitRemove(document, pathsAt(document, {place.row - 1, place.row + 1})));
      QCOMPARE(units(), u"2"_s);
      document.undoStack()->undo();
      QVERIFY(submitGroup(document, pathsAt(document, {place.row, place.row + 1})));
      QCOMPARE(document.json().at(Json::json_pointer(
                   place.list))[static_cast<size_t>(place.first + 1)]["layers"][0]["units"],
               Json(2));
      document.undoStack()->undo();
      QCOMPARE(QString::fromStdString(printJson(document.json())),
               QString::fromStdString(printJson(twice.document())));
      document.select(pathsAt(document, {place.row - 1, place.row + 1}));
      QCOMPARE(selectedRows(document), (QList<int>{place.row - 1, place.row + 1}));
    }
  }

  void aSelectedEmptyBlockTakesTheNewLayer() {
    Document document(project("mnist-resnet"));
    const int block = document.layers().indexOf(u"fine"_s);
    QList<int> inside;
    for (int row = block + 1; document.layers()[row].depth > 0; ++row)
      inside << row;
    QVERIFY(submitRemove(document, pathsAt(document, inside)));
    QCOMPARE(document.selection(), QStringList{u"fine"_s});
    LayerItemModel model;
    model.setDocument(&document);
    for (const bool isFolded : {false, true}) {
      model.setFolded(u"fine"_s, isFolded);
      QVERIFY(submitAdd(document, u"Dropout"_s, indexAfterSelection(document)));
      QCOMPARE(document.selection(), QStringList{u"fine/dropout"_s});
      QCOMPARE(document.json()["model"]["layers"][3]["layers"].size(), size_t(1));
      document.checks().inspectNow();
      QCOMPARE(document.checks().errorCount(), 0);
      document.undoStack()->undo();
      document.setSelection({u"fine"_s});
    }
    // If a Block with layers is selected, a new layer is added after the Block.
    document.setSelection({u"coarse"_s});
    QVERIFY(submitAdd(document, u"Dropout"_s, indexAfterSelection(document)));
    QCOMPARE(document.selection(), QStringList{u"dropout"_s});
  }

  void layersOfSeveralListsAreMovedInOneStepOrRefused() {
    Document document(project("mnist-resnet"));
    const QString before = QString::fromStdString(printJson(document.json()));
    QSignalSpy refused(&document, &Document::editRefused);
    const QList<LayerPath> across =
        pathsOf(document, {u"fine/relu"_s, u"coarse/relu"_s, document.layers()[1].name});
    QCOMPARE(across.size(), 3);
    const QStringList rows = names(document);
    QVERIFY(submitRemove(document, across));
    QCOMPARE(document.undoStack()->count(), 1);
    QCOMPARE(names(document).size(), rows.size() - 3);
    QVERIFY(document.layers().indexOf(u"fine/relu"_s) < 0 &&
            document.layers().indexOf(u"coarse/relu"_s) < 0);
    document.undoStack()->undo();
    QCOMPARE(QString::fromStdString(printJson(document.json())), before);
    QVERIFY(!submitDuplicate(document, across));
    QVERIFY(!submitShift(document, across, +1));
    QVERIFY(!submitGroup(document, across));
    QVERIFY(!submitMove(document, across, 1));
    QCOMPARE(refused.count(), 4);
    // Layers cannot be moved out of their Block or into another one.
    QVERIFY(!submitMove(document, pathsOf(document, {u"fine/relu"_s}), 1));
    QVERIFY(!submitMove(document, pathsOf(document, {u"fine"_s}),
                        document.layers().indexOf(u"coarse/relu"_s)));
    QCOMPARE(refused.count(), 6);
    QVERIFY(refused.last().first().toString().contains(u"Block"_s));
    // Layers can be moved to both ends of their own list, and past another Block.
    const int fine = document.layers().indexOf(u"fine"_s);
    QVERIFY(submitMove(document, pathsOf(document, {u"fine/relu"_s}), fine + 1));
    QCOMPARE(document.layers()[fine + 1].name, u"fine/relu"_s);
    QVERIFY(submitMove(document, pathsAt(document, {fine + 1}), fine + 8));
    QCOMPARE(document.layers()[fine + 7].name, u"fine/relu"_s);
    document.undoStack()->undo();
    document.undoStack()->undo();
    QVERIFY(submitMove(document, pathsOf(document, {document.layers()[1].name}), fine + 8));
    QCOMPARE(refused.count(), 6);
    document.undoStack()->undo();
    // If a Block and all its layers are selected, actions apply to the Block.
    QList<int> whole;
    for (int row = fine; row < fine + 8; ++row)
      whole << row;
    QVERIFY(submitDuplicate(document, pathsAt(document, whole)));
    QCOMPARE(document.layers().size(), rows.size() + 8);
    QVERIFY(submitRemove(document, pathsAt(document, whole)));
    QCOMPARE(document.layers().size(), rows.size());
  }

  void foldingFollowsEdits() {
    Document document(project("mnist-resnet"));
    LayerItemModel model;
    model.setDocument(&document);
    model.setFolded(u"fine"_s, true);
    QVERIFY(submitRename(document, u"fine"_s, u"first"_s));
    QVERIFY(model.isFolded(u"first"_s));
    QVERIFY(!model.isFolded(u"fine"_s));
    document.undoStack()->undo();
    QVERIFY(model.isFolded(u"fine"_s));
    // Switching to another document and back does not change which Blocks are folded.
    Document other(project("mnist-resnet"));
    model.setDocument(&other);
    QVERIFY(!model.isFolded(u"fine"_s));
    model.setDocument(&document);
    QVERIFY(model.isFolded(u"fine"_s));
    QCOMPARE(model.rowCount(), document.layers().size() - 7);
    // An edit of a layer in a folded Block unfolds the Block, and so does its undo.
    ProjectEdit edit = setFieldEdit(document.json(), "conv1", "filters", Json(8),
                                    {"/model/layers/3/layers", "fine/"});
    QVERIFY(document.submit(edit));
    QVERIFY(!model.isFolded(u"fine"_s));
    QCOMPARE(document.selection(), QStringList{u"fine/conv1"_s});
    model.setFolded(u"fine"_s, true);
    QCOMPARE(document.selection(), QStringList{u"fine"_s});
    document.undoStack()->undo();
    QCOMPARE(document.selection(), QStringList{u"fine/conv1"_s});
    // A new Block with the name of a removed folded Block is not folded.
    model.setFolded(u"fine"_s, true);
    QVERIFY(submitUngroup(document, document.layers().pathOf(u"fine"_s)));
    QVERIFY(!model.isFolded(u"fine"_s));
    document.undoStack()->undo();
    QVERIFY(!model.isFolded(u"fine"_s));
  }

  void defaultsInABlockDoNotDifferFromTheRun() {
    Document document(project("mnist-resnet"));
    const Project run = document.project();
    QVERIFY(submitField(document, u"fine/conv1"_s, "trainable", Json(true)));
    QVERIFY(document.project().document() != run.document());
    QCOMPARE(designChanges(run, document.project()).layerCount(), qsizetype(0));
    QVERIFY(submitField(document, u"fine/conv1"_s, "trainable", Json(false)));
    QCOMPARE(designChanges(run, document.project()).changed, QStringList{u"fine"_s});
  }
};

QTEST_MAIN(TestBlocks)
#include "tst_blocks.moc"
