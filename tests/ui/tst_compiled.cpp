// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the Compiled view of Design with real mouse and key events: passes, nodes, selection,
// switches and edits. Also tests a network of a thousand layers, and fields of the execution.
#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QProgressBar>
#include <QPushButton>
#include <QTreeView>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "tests/ui/support/timed_application.h"
#include "tests/ui/support/window.h"
#include "ui/document/edits.h"
#include "ui/models/node_item_model.h"
#include "ui/models/pass_item_model.h"
#include "ui/pages/design/compiled_view.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

TimedApplication& application() { return *static_cast<TimedApplication*>(qApp); }

/// Opens the Compiled view of a window and finds its widgets.
struct Compiled {
  explicit Compiled(TestWindow& window) : test(window) {
    click(buttonWith(test.window(), u"Compiled"_s));
    view = test.window().findChild<CompiledView*>();
    passes = view->findChild<PassItemModel*>();
    nodes = view->findChild<NodeItemModel*>();
    for (auto* tree : view->findChildren<QTreeView*>())
      (tree->model() == passes ? passList : nodeTable) = tree;
  }
  bool wait(int milliseconds = 60000) const {
    return QTest::qWaitFor([this] { return view->isCurrent(); }, milliseconds) &&
           passes->rowCount() > 0;
  }
  int rowOf(const QString& pass) const {
    for (int row = 0; row < passes->rowCount(); ++row)
      if (passes->passAt(row) == pass) return row;
    return -1;
  }
  QString passCell(int row, int column) const {
    return passes->index(row, column).data().toString();
  }
  void clickPass(int row) const {
    const QModelIndex index = passes->index(row, PassItemModel::Rewrites);
    passList->scrollTo(index);
    clickAt(passList->viewport(), passList->visualRect(index).center());
  }
  void clickCheckBox(int row) const {
    const QModelIndex index = passes->index(row, PassItemModel::Name);
    passList->scrollTo(index);
    const QRect cell = passList->visualRect(index);
    clickAt(passList->viewport(), QPoint(cell.left() + 17, cell.center().y()));
  }
  QStringList changes() const {
    QStringList words;
    for (int row = 0; row < nodes->rowCount(); ++row)
      words << nodes->index(row, NodeItemModel::Change).data().toString();
    return words;
  }
  QString words(const char* label) const {
    return view->findChild<QLabel*>(QString::fromLatin1(label))->text();
  }

  TestWindow& test;
  CompiledView* view = nullptr;
  PassItemModel* passes = nullptr;
  NodeItemModel* nodes = nullptr;
  QTreeView* passList = nullptr;
  QTreeView* nodeTable = nullptr;
};

Json deepLayers(int pairs) {
  Json layers = Json::array({{{"type", "Input"}, {"name", "image"}, {"shape", {28, 28, 1}}}});
  for (int i = 0; i < pairs; ++i) {
    layers.push_back({{"type", "Conv2D"},
                      {"name", "c" + std::to_string(i)},
                      {"filters", 4},
                      {"kernel_size", 3},
                      {"padding", "same"}});
    layers.push_back({{"type", "BatchNormalization"}, {"name", "b" + std::to_string(i)}});
  }
  layers.push_back({{"type", "Flatten"}, {"name", "flat"}});
  layers.push_back({{"type", "Dense"}, {"name", "out"}, {"units", 10}, {"activation", "softmax"}});
  return layers;
}

}  // namespace

class TestCompiled : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void showsTheGraphAfterEachPass() {
    TestWindow test;
    const Compiled compiled(test);
    QVERIFY(compiled.wait());
    QCOMPARE(compiled.passCell(0, 0), u"initial graph"_s);
    QVERIFY(compiled.passes->rowCount() > 10);
    // At first the last pass is selected, which shows the graph that is trained.
    QCOMPARE(compiled.passList->currentIndex().row(), compiled.passes->rowCount() - 1);
    const int last = compiled.nodes->rowCount();
    compiled.clickPass(0);
    QTRY_VERIFY(compiled.nodes->rowCount() > last);
    QCOMPARE(compiled.passCell(0, PassItemModel::Nodes),
             QString::number(compiled.nodes->rowCount()));
    QVERIFY(compiled.changes().join(QString()).isEmpty());
    // The changes of a pass are marked, and the list can be limited to them.
    const int fuse = compiled.rowOf(u"fuse_bias_activation"_s);
    QVERIFY(fuse > 0 && compiled.passCell(fuse, PassItemModel::Rewrites).toInt() > 0);
    compiled.clickPass(fuse);
    QTRY_VERIFY(compiled.changes().contains(u"removed"_s));
    QVERIFY(compiled.words("figures").contains(u"removed"_s));
    QVERIFY(compiled.words("figures").contains(u"peak memory"_s));
    const int all = compiled.nodes->rowCount();
    click(test.named(u"Changes"_s));
    QTRY_VERIFY(compiled.nodes->rowCount() < all && compiled.nodes->rowCount() > 0);
    QVERIFY(!compiled.changes().contains(QString()));
    click(test.named(u"Changes"_s));
    auto* details = compiled.view->findChild<QListView*>();
    QVERIFY(!details->isVisible());
    click(test.named(u"Rewrites"_s));
    QTRY_VERIFY(details->isVisible());
    QCOMPARE(details->model()->rowCount(),
             compiled.passCell(fuse, PassItemModel::Rewrites).toInt());
    // The list can be filtered by typed words.
    auto* find = qobject_cast<QLineEdit*>(test.named(u"Find a layer or op"_s));
    QVERIFY(find);
    find->setFocus();
    QTest::keyClicks(find, u"conv3"_s);
    QTRY_VERIFY(compiled.nodes->rowCount() > 0 && compiled.nodes->rowCount() < all);
    for (int row = 0; row < compiled.nodes->rowCount(); ++row)
      QCOMPARE(compiled.nodes->layerAt(row), u"conv3"_s);
    QVERIFY(namelessWidgets(test.window()).isEmpty());
  }

  void layersAndNodesAreSelectedTogether() {
    TestWindow test;
    const Compiled compiled(test);
    QVERIFY(compiled.wait());
    auto* list = qobject_cast<QListView*>(test.named(u"Layers of the network"_s));
    QVERIFY(list);
    clickAt(list->viewport(), list->visualRect(list->model()->index(3, 0)).center());
    QTRY_COMPARE(test.document().selection(), QStringList{u"conv2"_s});
    const auto selected = [&] {
      return compiled.nodeTable->selectionModel()->selectedRows();
    };
    QVERIFY(selected().size() > 2);
    int ofLayer = 0;
    for (int row = 0; row < compiled.nodes->rowCount(); ++row)
      ofLayer += compiled.nodes->layerAt(row) == u"conv2"_s;
    QCOMPARE(selected().size(), ofLayer);
    for (const QModelIndex& row : selected())
      QCOMPARE(compiled.nodes->layerAt(row.row()), u"conv2"_s);
    click(test.named(u"Selected layers"_s));
    QTRY_COMPARE(compiled.nodes->rowCount(), ofLayer);
    click(test.named(u"Selected layers"_s));
    QTRY_VERIFY(compiled.nodes->rowCount() > ofLayer);
    // Clicking a node selects its layer, and only the clicked row stays selected.
    int row = 0;
    while (compiled.nodes->layerAt(row) != u"hidden"_s)
      ++row;
    const QModelIndex index = compiled.nodes->index(row, 0);
    compiled.nodeTable->scrollTo(index);
    clickAt(compiled.nodeTable->viewport(), compiled.nodeTable->visualRect(index).center());
    QTRY_COMPARE(test.document().selection(), QStringList{u"hidden"_s});
    QCOMPARE(selected().size(), 1);
    QCOMPARE(list->selectionModel()->selectedRows().value(0).row(), 7);
    doubleClickAt(compiled.nodeTable->viewport(), compiled.nodeTable->visualRect(index).center());
    // A double click shows the layer in the list of Design.
    QTRY_VERIFY(test.named(u"Layers"_s));
    QCOMPARE(test.document().selection(), QStringList{u"hidden"_s});
  }

  /// The names of nodes contain the repeat, but the rows of the list of layers do not.
  void layersOfBlocksAndNodesAreSelectedTogether() {
    TestWindow test(u"mnist-resnet.json"_s);
    Document& document = test.document();
    const Compiled compiled(test);
    QVERIFY(compiled.wait());
    compiled.clickPass(0);
    const auto graphName = [&](int row) {
      return compiled.nodes->index(row, NodeItemModel::Layer).data().toString();
    };
    const auto ofLayers = [&](const QStringList& names) {
      int count = 0;
      for (int row = 0; row < compiled.nodes->rowCount(); ++row)
        count += names.contains(graphName(row));
      return count;
    };
    const auto ofBlock = [&](const QString& block) {
      int count = 0;
      for (int row = 0; row < compiled.nodes->rowCount(); ++row)
        count += graphName(row).startsWith(block + u'/');
      return count;
    };
    const auto selected = [&] {
      return static_cast<int>(compiled.nodeTable->selectionModel()->selectedRows().size());
    };
    const auto clickNodeOf = [&](const QString& name) {
      int row = 0;
      while (row < compiled.nodes->rowCount() && graphName(row) != name)
        ++row;
      const QModelIndex index = compiled.nodes->index(row, 0);
      compiled.nodeTable->scrollTo(index);
      clickAt(compiled.nodeTable->viewport(), compiled.nodeTable->visualRect(index).center());
      return index;
    };
    // Selecting a layer in a Block selects its nodes in every repeat. Selecting a Block selects the
    // nodes of all its layers.
    const int ofConv = ofLayers({u"coarse/0/conv1"_s, u"coarse/1/conv1"_s});
    QVERIFY(ofConv > 2 && ofBlock(u"coarse"_s) > ofConv);
    document.setSelection({u"coarse/conv1"_s});
    QCOMPARE(selected(), ofConv);
    click(test.named(u"Selected layers"_s));
    QTRY_COMPARE(compiled.nodes->rowCount(), ofConv);
    document.setSelection({u"coarse"_s});
    QTRY_VERIFY(compiled.nodes->rowCount() > ofConv);
    QCOMPARE(compiled.nodes->rowCount(), ofBlock(u"coarse"_s));
    QCOMPARE(selected(), compiled.nodes->rowCount());
    click(test.named(u"Selected layers"_s));
    QTRY_VERIFY(compiled.nodes->rowCount() > ofBlock(u"coarse"_s));
    QCOMPARE(selected(), ofBlock(u"coarse"_s));
    // Clicking a node selects its layer in the Block.
    clickNodeOf(u"fine/1/conv2"_s);
    QTRY_COMPARE(document.selection(), QStringList{u"fine/conv2"_s});
    clickNodeOf(u"stem"_s);
    QTRY_COMPARE(document.selection(), QStringList{u"stem"_s});
    const QModelIndex index = clickNodeOf(u"fine/0/conv1"_s);
    QTRY_COMPARE(document.selection(), QStringList{u"fine/conv1"_s});
    doubleClickAt(compiled.nodeTable->viewport(), compiled.nodeTable->visualRect(index).center());
    QTRY_VERIFY(test.named(u"Layers"_s));
    QCOMPARE(document.selection(), QStringList{u"fine/conv1"_s});
  }

  /// Two documents with the same revision number must not be confused.
  void eachDocumentShowsItsOwnGraph() {
    TestWindow test;
    Workspace& workspace = test.window().workspace();
    Document* first = workspace.current();
    const QString path = test.folder() + u"/second.json"_s;
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) &&
            file.write(bytesOf(test.path()).replace("conv2", "other")) > 0);
    file.close();
    QVERIFY(workspace.open(path));
    Document* second = workspace.current();
    QVERIFY(second != first);
    QCOMPARE(second->revision(), first->revision());
    QVERIFY(test.waitForInspection());
    workspace.setCurrent(first);
    QVERIFY(test.waitForInspection());
    click(test.named(u"Compiled"_s));
    QTRY_VERIFY(test.window().findChild<QProgressBar*>()->isVisible());
    // The result for the first document is still queued when the second document is shown.
    QThread::sleep(4);
    workspace.setCurrent(second);
    const Compiled compiled(test);
    QVERIFY(compiled.wait());
    QStringList layers;
    for (int row = 0; row < compiled.nodes->rowCount(); ++row)
      layers << compiled.nodes->layerAt(row);
    QVERIFY(layers.contains(u"other"_s));
    QVERIFY(!layers.contains(u"conv2"_s));
  }

  void switchingAPassIsOneUndoStep() {
    TestWindow test;
    const Compiled compiled(test);
    QVERIFY(compiled.wait());
    const QByteArray before = QByteArray::fromStdString(printJson(test.document().json()));
    const int fuse = compiled.rowOf(u"fuse_bias_activation"_s);
    compiled.clickCheckBox(fuse);
    QCOMPARE(test.document().undoStack()->count(), 1);
    QCOMPARE(test.document().json().at("execution").at("disabled_passes"),
             Json::array({"fuse_bias_activation"}));
    QVERIFY(!compiled.view->isCurrent());
    QVERIFY(compiled.wait());
    QCOMPARE(compiled.passCell(fuse, PassItemModel::Rewrites), u"disabled"_s);
    QCOMPARE(compiled.passList->currentIndex().row(), fuse);
    QVERIFY(compiled.words("figures").contains(u"Disabled"_s));
    // The next pass is disabled with the keyboard.
    compiled.passList->setFocus();
    press(Qt::Key_Down);
    press(Qt::Key_Space);
    QCOMPARE(test.document().undoStack()->count(), 2);
    QCOMPARE(test.document().json().at("execution").at("disabled_passes").size(), size_t{2});
    press(Qt::Key_Space);
    compiled.clickCheckBox(fuse);
    QVERIFY(!test.document().json().at("execution").contains("disabled_passes"));
    for (int i = 0; i < 4; ++i)
      test.document().undoStack()->undo();
    QCOMPARE(QByteArray::fromStdString(printJson(test.document().json())), before);
    QVERIFY(compiled.wait());
    QVERIFY(compiled.passCell(fuse, PassItemModel::Rewrites).toInt() > 0);
  }

  void anEditCompilesAgainAndCancelStops() {
    TestWindow test;
    const Compiled compiled(test);
    QVERIFY(compiled.wait());
    const QString before = compiled.passCell(0, PassItemModel::Nodes);
    QVERIFY(submitRemove(test.document(), pathsOf(test.document(), {u"pool2"_s})));
    auto* cancel = qobject_cast<QPushButton*>(test.named(u"Cancel compiling the graph"_s));
    QVERIFY(cancel);
    QVERIFY(compiled.view->findChild<QProgressBar*>()->isVisible());
    click(cancel);
    QTRY_VERIFY(test.named(u"Compile the graph now"_s));
    QTest::qWait(600);
    QVERIFY(!compiled.view->isCurrent());
    QCOMPARE(compiled.passCell(0, PassItemModel::Nodes), before);
    click(test.named(u"Compile the graph now"_s));
    QVERIFY(compiled.wait());
    QVERIFY(compiled.passCell(0, PassItemModel::Nodes) != before);
    QVERIFY(!compiled.view->findChild<QProgressBar*>()->isVisible());
    // Many edits in succession give one result, which belongs to the last edit.
    for (int filters = 4; filters < 12; ++filters)
      submitField(test.document(), u"conv1"_s, "filters", Json(filters));
    QVERIFY(compiled.wait());
    submitField(test.document(), u"hidden"_s, "units", Json(0));
    QVERIFY(test.waitForInspection());
    QTRY_COMPARE(compiled.passes->rowCount(), 0);
    test.document().undoStack()->undo();
    QVERIFY(compiled.wait());
    // A cancelled compilation can be started again when the design has no errors.
    submitField(test.document(), u"hidden"_s, "units", Json(0));
    qobject_cast<QPushButton*>(test.named(u"Cancel compiling the graph"_s))->click();
    QVERIFY(test.waitForInspection());
    click(test.named(u"Compile the graph now"_s));
    QTRY_COMPARE(compiled.passes->rowCount(), 0);
    QStringList words;
    for (QLabel* label : compiled.view->findChildren<QLabel*>())
      if (label->isVisible()) words << label->text();
    QVERIFY2(words.contains(u"There is no graph, because the network has problems."_s),
             qPrintable(words.join(u'\n')));
    test.document().undoStack()->undo();
    QVERIFY(compiled.wait());
    // Adding a layer switches to the list of layers.
    test.window().actionTable()[u"edit.add"_s]->trigger();
    QTRY_VERIFY(test.named(u"Layers to add"_s) && test.named(u"Layers"_s));
    test.window().actionTable()[u"view.designCompiled"_s]->trigger();
    QTRY_VERIFY(test.named(u"Passes"_s));
  }

  void aThousandLayersDoNotFreezeTheWindow() {
    TestWindow test;
    QVERIFY(test.document().submit(
        setValueEdit(test.document().json(), "/model/layers", deepLayers(499))));
    QVERIFY(QTest::qWaitFor([&] { return test.document().checks().isCurrent(); }, 60000));
    QCOMPARE(test.document().checks().errorCount(), 0);
    QTest::qWait(200);
    application().longest = 0;
    QElapsedTimer timer;
    timer.start();
    const Compiled compiled(test);
    QVERIFY(compiled.wait(240000));
    qInfo("1,001 layers: %lld ms until shown, longest dispatch %.1f ms (%s)",
          static_cast<long long>(timer.elapsed()), 1000 * application().longest,
          application().longestName.constData());
    for (int row = 0; row < compiled.passes->rowCount(); ++row) {
      compiled.passList->setCurrentIndex(compiled.passes->index(row, 0));
      QTest::qWait(5);
    }
    compiled.clickPass(0);
    QTest::qWait(50);
    auto* list = qobject_cast<QListView*>(test.named(u"Layers of the network"_s));
    for (const int row : {900, 3, 500}) {
      list->scrollTo(list->model()->index(row, 0));
      clickAt(list->viewport(), list->visualRect(list->model()->index(row, 0)).center());
      QTest::qWait(20);
    }
    auto* find = qobject_cast<QLineEdit*>(test.named(u"Find a layer or op"_s));
    find->setFocus();
    QTest::keyClicks(find, u"conv"_s);
    QTest::qWait(50);
    qInfo("1,001 layers, %d nodes: longest dispatch %.1f ms (%s)",
          compiled.passCell(0, PassItemModel::Nodes).remove(u',').toInt(),
          1000 * application().longest, application().longestName.constData());
    QVERIFY2(application().longest < kLongestDispatch, application().longestName.constData());
  }

  void fieldsOfExecution() {
    TestWindow test;
    click(test.named(u"Training"_s));
    test.openSections();
    QWidget* inspector = test.named(u"Inspector"_s);
    const auto json = [&](const char* pointer) {
      const Json::json_pointer at(pointer);
      return test.document().json().contains(at) ? test.document().json().at(at) : Json();
    };
    const auto type = [&](const QString& pointer, const QString& words) {
      auto* field = inspector->findChild<QLineEdit*>(pointer);
      field->setFocus();
      field->selectAll();
      QTest::keyClicks(field, words);
      QTest::keyClick(field, Qt::Key_Return);
      return field;
    };
    QLineEdit* limit = type(u"/execution/memory_limit"_s, u"1.5 mib"_s);
    QCOMPARE(json("/execution/memory_limit"), Json(1572864));
    QCOMPARE(limit->text(), u"1536 KiB"_s);
    type(u"/execution/memory_limit"_s, u"64 MiB"_s);
    QCOMPARE(json("/execution/memory_limit"), Json(64 << 20));
    QCOMPARE(limit->text(), u"64 MiB"_s);
    type(u"/execution/memory_limit"_s, u"many"_s);
    QVERIFY(limit->property("isWrong").toBool());
    QCOMPARE(json("/execution/memory_limit"), Json(64 << 20));
    QTest::keyClick(limit, Qt::Key_Escape);
    type(u"/training/gradient_accumulation_steps"_s, u"4"_s);
    QCOMPARE(json("/training/gradient_accumulation_steps"), Json(4));
    auto* recompute = inspector->findChild<QComboBox*>(u"/execution/recompute"_s);
    QVERIFY(recompute);
    QVERIFY(recompute->toolTip().contains(u"backward"_s));
    recompute->setFocus();
    press(Qt::Key_Down);
    QCOMPARE(json("/execution/recompute"), Json("all"));
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 0);
    QCOMPARE(test.document().undoStack()->count(), 4);
    auto* precision = inspector->findChild<QComboBox*>(u"/execution/precision"_s);
    QVERIFY(precision);
    QVERIFY(precision->toolTip().contains(u"bfloat16"_s));
    precision->setFocus();
    press(Qt::Key_Down);
    QCOMPARE(json("/execution/precision"), Json("bfloat16"));
    press(Qt::Key_Down);
    QCOMPARE(json("/execution/precision"), Json("float16"));
    auto* scale = type(u"/execution/loss_scale"_s, u"0"_s);
    QVERIFY(scale->property("isWrong").toBool());
    QVERIFY(!json("/execution/loss_scale").is_number());
    QTest::keyClick(scale, Qt::Key_Escape);
    type(u"/execution/loss_scale"_s, u"128"_s);
    QCOMPARE(json("/execution/loss_scale"), Json(128));
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 0);
  }

  void precisionsThatCannotBeUsedAreProblems_data() {
    QTest::addColumn<QString>("execution");
    QTest::newRow("TF32 on a CPU") << u"\"precision\": \"tf32\""_s;
    QTest::newRow("an unknown precision") << u"\"precision\": \"bfloat17\""_s;
    QTest::newRow("a loss scale of 0") << u"\"precision\": \"float16\", \"loss_scale\": 0"_s;
  }
  void precisionsThatCannotBeUsedAreProblems() {
    QFETCH(QString, execution);
    TestWindow test(u"mnist-cnn.json"_s, {{u"\"precision\": \"float32\""_s, execution}});
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 1);
  }
};

int main(int argc, char** argv) {
  TimedApplication timed(argc, argv);
  TestCompiled test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_compiled.moc"
