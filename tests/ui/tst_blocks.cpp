// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks in the window: their layers are rows below them, edited, moved, grouped and ungrouped in one undo step each.
#include <QSignalSpy>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "tests/support/paths.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/models/layer_item_model.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

Project project(const char* name) { return loadProject((sourceDir() / "projects" / (std::string(name) + ".json")).string()).value(); }

QStringList names(const Document& document) {
  QStringList out;
  for (const LayerEntry& entry : document.layers()) out << entry.name;
  return out;
}

}  // namespace

class TestBlocks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void layersOfABlockAreRows() {
    Document document(project("mnist-resnet"));
    document.inspectNow();
    QCOMPARE(document.errorCount(), 0);
    const int block = document.layerIndex(u"fine"_s), conv = document.layerIndex(u"fine/conv1"_s);
    QVERIFY(document.layers()[block].summary.startsWith(u"Block 7 layer"_s));
    QCOMPARE(conv, block + 2);
    QCOMPARE(document.layers()[conv].label, u"conv1"_s);
    QCOMPARE(document.layers()[conv].depth, 1);
    QCOMPARE(document.summary(conv)->parameters, int64_t(3 * 3 * 16 * 16));
    QCOMPARE(document.summary(block)->parameters, int64_t(9472));
    LayerItemModel model;
    model.setDocument(&document);
    QCOMPARE(model.index(conv, LayerItemModel::Name).data().toString(), u"conv1"_s);
    QCOMPARE(model.index(conv, LayerItemModel::Name).data(LayerItemModel::DepthRole).toInt(), 1);
    const int rows = model.rowCount();
    document.setFolded(u"fine"_s, true);
    QCOMPARE(model.rowCount(), rows - 7);
    document.setSelection({u"fine/norm1"_s});  // what is asked for is shown
    QCOMPARE(model.rowCount(), rows);
  }

  void editsInABlockAreUndoneToTheSameBytes() {
    Document document(project("mnist-resnet"));
    QStringList states{QString::fromStdString(printJson(document.json()))};
    const auto note = [&] { states << QString::fromStdString(printJson(document.json())); };
    QVERIFY(submitField(document, u"fine/conv1"_s, "filters", Json(8)));
    QCOMPARE(document.json()["model"]["layers"][3]["layers"][1]["filters"], Json(8));
    note();
    QVERIFY(submitRename(document, u"fine/given"_s, u"taken"_s));
    QCOMPARE(document.json()["model"]["layers"][3]["layers"][6]["inputs"], Json(std::vector<std::string>{"norm2", "taken"}));
    QCOMPARE(document.selectedLayer(), u"fine/taken"_s);
    note();
    QVERIFY(submitShift(document, {u"fine/relu"_s}, +1));
    QCOMPARE(document.json()["model"]["layers"][3]["layers"][4]["name"], Json("relu"));
    note();
    QVERIFY(submitDuplicate(document, {u"fine/conv2"_s}));
    note();
    document.setSelection({u"fine/sum"_s});
    QVERIFY(submitAdd(document, u"Dropout"_s, indexAfterSelection(document)));
    QVERIFY(document.layerIndex(u"fine/dropout"_s) >= 0);
    note();
    QVERIFY(submitRemove(document, {u"fine/dropout"_s}));
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
    QVERIFY(submitGroup(document, {u"conv2"_s, u"pool1"_s}));
    QCOMPARE(document.undoStack()->count(), 1);
    QCOMPARE(document.selectedLayer(), u"block"_s);
    QVERIFY(document.layerIndex(u"block/conv2"_s) > document.layerIndex(u"block"_s));
    document.inspectNow();
    QCOMPARE(document.errorCount(), 0);
    QVERIFY(submitUngroup(document, u"block"_s));
    QCOMPARE(document.undoStack()->count(), 2);
    QCOMPARE(names(document), rows);
    document.undoStack()->undo();
    document.undoStack()->undo();
    QCOMPARE(QString::fromStdString(printJson(document.json())), before);
    QSignalSpy refused(&document, &Document::editRefused);
    QVERIFY(!submitGroup(document, {u"image"_s, u"conv1"_s}));
    QVERIFY(!submitUngroup(document, u"conv1"_s));
    QCOMPARE(refused.count(), 2);
  }

  void aProblemInAFoldedBlockIsSeenOnItsRow() {
    Document document(project("mnist-resnet"));
    QVERIFY(submitField(document, u"coarse/conv1"_s, "filters", Json(0)));
    document.inspectNow();
    QCOMPARE(document.severity(u"coarse/conv1"_s), std::optional(Severity::Error));
    QVERIFY(!document.severity(u"coarse"_s));
    document.setFolded(u"coarse"_s, true);
    QCOMPARE(document.severity(u"coarse"_s), std::optional(Severity::Error));
  }
};

QTEST_MAIN(TestBlocks)
#include "tst_blocks.moc"
