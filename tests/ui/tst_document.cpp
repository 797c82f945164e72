// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the document: edits, undo, the selection, and the revisions of problems and estimates.
#include <QSignalSpy>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "tests/support/paths.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/workspace/workspace.h"

using namespace strata;
using namespace strata::ui;

namespace {

Project cnn() {
  return loadProject((sourceDir() / "projects" / "mnist-cnn.json").string()).value();
}
QStringList names(const Document& document) {
  QStringList out;
  for (const LayerEntry& entry : document.layers())
    out << entry.name;
  return out;
}

}  // namespace

class TestDocument : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsLayers() {
    const Document document(cnn());
    QCOMPARE(document.layers().size(), 9);
    QCOMPARE(document.layers()[1].name, QStringLiteral("conv1"));
    QCOMPARE(document.layers()[1].summary, QStringLiteral("Conv2D 32, 3 × 3, relu"));
    QCOMPARE(document.layers()[2].summary, QStringLiteral("MaxPooling2D 2 × 2"));
    QCOMPARE(document.checked().recipe().batchSize, 64);
  }

  void everyEditIsUndoneToTheSameBytes() {
    Document document(cnn());
    const std::string before = printJson(document.json());
    QStringList states{QString::fromStdString(before)};
    const auto note = [&] {
      states << QString::fromStdString(printJson(document.json()));
    };
    QVERIFY(submitAdd(document, QStringLiteral("Dropout"), 7));
    note();
    QVERIFY(submitField(document, QStringLiteral("conv2"), "filters", Json(16)));
    note();
    QVERIFY(submitRename(document, QStringLiteral("hidden"), QStringLiteral("dense1")));
    note();
    QVERIFY(submitMove(document, pathsOf(document, {QStringLiteral("pool1")}), 1));
    note();
    QVERIFY(submitDuplicate(document, pathsOf(document, {QStringLiteral("conv3")})));
    note();
    QVERIFY(submitRemove(document,
                         pathsOf(document, {QStringLiteral("conv1"), QStringLiteral("pool2")})));
    note();
    QVERIFY(submitConnect(document, QStringLiteral("flat"), {"conv2"}));
    note();
    QVERIFY(submitValue(document, "/training/epochs", Json(7)));
    note();
    QCOMPARE(document.undoStack()->count(), states.size() - 1);
    for (qsizetype i = states.size() - 1; i > 0; --i) {
      QCOMPARE(QString::fromStdString(printJson(document.json())), states[i]);
      document.undoStack()->undo();
    }
    QCOMPARE(QString::fromStdString(printJson(document.json())), states[0]);
    for (qsizetype i = 1; i < states.size(); ++i) {
      document.undoStack()->redo();
      QCOMPARE(QString::fromStdString(printJson(document.json())), states[i]);
    }
  }

  void undoNamesChangesAsTheFormDoes() {
    Document document(cnn());
    const auto last = [&] {
      return document.undoStack()->undoText();
    };
    QVERIFY(submitValue(document, "/training/epochs", Json(7)));
    QCOMPARE(last(), QStringLiteral("Change epochs"));
    QVERIFY(submitValue(document, "/training/batch_size", Json(16), QStringLiteral("Batch size")));
    QCOMPARE(last(), QStringLiteral("Change batch size"));
    QVERIFY(submitField(document, QStringLiteral("conv1"), "kernel_size", Json::array({5, 5})));
    QCOMPARE(last(), QStringLiteral("Change kernel size of conv1"));
    QVERIFY(submitResetField(document, QStringLiteral("conv1"), "activation"));
    QCOMPARE(last(), QStringLiteral("Reset activation of conv1"));
    QVERIFY(submitResetValue(document, "/training/seed", QStringLiteral("Seed")));
    QCOMPARE(last(), QStringLiteral("Reset seed"));
  }

  void aRefusedEditChangesNothing() {
    Document document(cnn());
    const std::string before = printJson(document.json());
    QSignalSpy refused(&document, &Document::editRefused);
    QSignalSpy changed(&document, &Document::changed);
    ProjectEdit edit;
    edit.operations = {{EditOperation::Kind::Move, "/model/layers/99", {}, 0}};
    QVERIFY(!document.submit(edit));
    QCOMPARE(refused.count(), 1);
    QCOMPARE(changed.count(), 0);
    QCOMPARE(document.undoStack()->count(), 0);
    QCOMPARE(printJson(document.json()), before);
  }

  void selectionFollowsEdits() {
    Document document(cnn());
    document.setSelection({QStringLiteral("conv2")});
    QVERIFY(submitAdd(document, QStringLiteral("Dropout"), indexAfterSelection(document)));
    QCOMPARE(document.layers()[4].type, QStringLiteral("Dropout"));
    QCOMPARE(document.selection(), QStringList{document.layers()[4].name});
    QVERIFY(submitRemove(document, document.selectedLayers()));
    // The layer in the next row is selected.
    QCOMPARE(document.selection(), QStringList{QStringLiteral("pool2")});
    QVERIFY(submitRename(document, QStringLiteral("pool2"), QStringLiteral("shrink")));
    QCOMPARE(document.selection(), QStringList{QStringLiteral("shrink")});
    document.undoStack()->undo();
    QVERIFY(document.layers().indexOf(QStringLiteral("pool2")) >= 0);
  }

  void movesOneAndSeveral() {
    Document document(cnn());
    QVERIFY(submitShift(document, pathsOf(document, {QStringLiteral("conv2")}), -1));
    QCOMPARE(names(document).indexOf(QStringLiteral("conv2")), 2);
    QVERIFY(submitShift(document, pathsOf(document, {QStringLiteral("conv2")}), +1));
    QCOMPARE(names(document).indexOf(QStringLiteral("conv2")), 3);
    QVERIFY(submitMove(document,
                       pathsOf(document, {QStringLiteral("conv1"), QStringLiteral("pool1")}), 5));
    QCOMPARE(names(document).mid(1, 4),
             QStringList({QStringLiteral("conv2"), QStringLiteral("pool2"), QStringLiteral("conv1"),
                          QStringLiteral("pool1")}));
    QCOMPARE(document.undoStack()->count(), 3);
    // Moving the layers to their present position is not an edit.
    QVERIFY(!submitMove(document,
                        pathsOf(document, {QStringLiteral("conv1"), QStringLiteral("pool1")}), 3));
  }

  void duplicateKeepsFields() {
    Document document(cnn());
    QVERIFY(submitDuplicate(document, pathsOf(document, {QStringLiteral("conv2")})));
    const LayerEntry copy = document.layers()[4];
    QVERIFY(copy.name != QStringLiteral("conv2"));
    QCOMPARE(copy.summary, QStringLiteral("Conv2D 64, 3 × 3, relu"));
    QCOMPARE(document.undoStack()->count(), 1);
  }

  void inspectionMatchesTheLatestRevision() {
    Document document(cnn());
    QTRY_VERIFY(document.checks().isCurrent());
    QCOMPARE(document.checks().inspection().summary.parameters, 93322);
    for (int filters = 1; filters <= 40; ++filters)
      submitField(document, QStringLiteral("conv1"), "filters", Json(filters));
    QVERIFY(!document.checks().isCurrent());
    QTRY_VERIFY(document.checks().isCurrent());
    const LayerSummary* conv1 =
        document.checks().summary(document.layers().indexOf(QStringLiteral("conv1")));
    QVERIFY(conv1);
    QCOMPARE(conv1->parameters, 40 * 10);
  }

  void problemsBelongToTheirLayer() {
    Document document(cnn());
    submitField(document, QStringLiteral("hidden"), "units", Json(0));
    document.checks().inspectNow();
    QVERIFY(document.checks().errorCount() > 0);
    QCOMPARE(document.checks().severity(QStringLiteral("hidden")), std::optional(Severity::Error));
    QCOMPARE(document.checks().severity(QStringLiteral("conv1")), std::optional<Severity>());
  }

  void savingKeepsTheBytesAndClearsTheChangeMark() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.json"));
    Document document(cnn());
    QVERIFY(document.save(path).has_value());
    QFile first(path);
    QVERIFY(first.open(QIODevice::ReadOnly));
    const QByteArray bytes = first.readAll();
    submitField(document, QStringLiteral("conv1"), "filters", Json(8));
    QVERIFY(document.isModified());
    document.undoStack()->undo();
    QVERIFY(!document.isModified());
    QVERIFY(document.save(path).has_value());
    QFile second(path);
    QVERIFY(second.open(QIODevice::ReadOnly));
    QCOMPARE(second.readAll(), bytes);
  }

  void savingIntoAMissingFolderFailsAndSaysWhere() {
    Document document(cnn());
    const auto saved = document.save(QStringLiteral("/nowhere/at/all/a.json"));
    QVERIFY(!saved.has_value());
    QVERIFY(QString::fromStdString(saved.error().line()).contains(QStringLiteral("/nowhere")));
  }

  void workspaceKeepsOneUndoStackPerDocument() {
    Workspace workspace;
    Document* first = workspace.addNew(cnn());
    Document* second = workspace.addNew(cnn());
    QCOMPARE(workspace.current(), second);
    submitField(*second, QStringLiteral("conv1"), "filters", Json(8));
    workspace.setCurrent(first);
    QVERIFY(!workspace.undoGroup()->canUndo());
    workspace.setCurrent(second);
    QVERIFY(workspace.undoGroup()->canUndo());
    workspace.close(second);
    QCOMPARE(workspace.current(), first);
    QCOMPARE(workspace.count(), 1);
  }

  /// Trial steps take seconds, so they are repeated only if an edit affects the time of a step.
  void onlyEditsThatAffectTheTimeRepeatTrialSteps() {
    Document document(
        loadProject((sourceDir() / "projects" / "mnist-mlp-128.json").string()).value());
    const auto waitForTime = [&] {
      return QTest::qWaitFor(
          [&] {
            return document.checks().estimate().revision == document.revision() &&
                   document.checks().estimate().hasTime;
          },
          60000);
    };
    QVERIFY(waitForTime());
    const Estimate first = document.checks().estimate();
    QCOMPARE(first.trial, 1);
    const int64_t epochs = document.json().at("training").at("epochs").get<int64_t>();
    QVERIFY(submitValue(document, "/training/epochs", Json(2 * epochs)));
    QVERIFY(waitForTime());
    QCOMPARE(document.checks().estimate().trial, 1);
    // The total time follows from the new number of epochs.
    QVERIFY(document.checks().estimate().totalSeconds > 1.5 * first.totalSeconds);
    QVERIFY(submitValue(document, "/training/callbacks",
                        Json::parse(R"([{"type": "EarlyStopping", "monitor": "loss"}])")));
    QVERIFY(submitValue(document, "/notes", Json("Another word.")));
    QVERIFY(submitValue(document, "/training/optimizer",
                        Json{{"type", "adam"}, {"learning_rate", 0.5}}));
    QVERIFY(waitForTime());
    const int64_t afterOptimizer = document.checks().estimate().trial;
    QVERIFY(submitValue(document, "/training/optimizer",
                        Json{{"type", "adam"}, {"learning_rate", 0.25}}));
    QVERIFY(waitForTime());
    QCOMPARE(document.checks().estimate().trial, afterOptimizer);
    QVERIFY(submitField(document, QStringLiteral("hidden"), "units", Json(64)));
    QVERIFY(waitForTime());
    const int64_t narrower = document.checks().estimate().trial;
    QVERIFY(narrower > afterOptimizer);
    QVERIFY(document.checks().estimate().peakBytes < first.peakBytes);
    // After an undo, the earlier estimates are shown without new trial steps.
    document.undoStack()->undo();
    QVERIFY(waitForTime());
    QCOMPARE(document.checks().estimate().trial, afterOptimizer);
    QCOMPARE(document.checks().estimate().peakBytes, first.peakBytes);
    document.undoStack()->redo();
    QVERIFY(waitForTime());
    QCOMPARE(document.checks().estimate().trial, narrower);
  }
};

QTEST_MAIN(TestDocument)
#include "tst_document.moc"
