// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the way from a table of the user to a trained network: choosing it, roles, missing cells,
// the offered network, and samples as cells. Counts the clicks of a newcomer.
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QTreeView>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/project/resources.h"
#include "tests/support/paths.h"
#include "tests/ui/support/run_window.h"
#include "tests/ui/support/window.h"
#include "ui/dialogs/template_dialog.h"
#include "ui/document/edits.h"
#include "ui/main_window/train_button.h"
#include "ui/pages/data/column_item_model.h"
#include "ui/pages/data/role_delegate.h"
#include "ui/pages/data/table_card.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;
using Role = ColumnDescription::Role;

namespace {

/// The clicks of a newcomer in a window.
class Newcomer {
 public:
  explicit Newcomer(const QString& project = u"mnist-mlp-128.json"_s) : m_test(project) {}
  TestWindow& test() { return m_test; }
  MainWindow& window() { return m_test.window(); }
  Document& document() { return m_test.document(); }
  const Json& json() { return document().json(); }
  int clicks() const { return m_clicks; }
  void showData() {
    window().showPage(PageId::Data);
    // The wait lets the page finish its layout.
    QTest::qWait(200);
  }

  bool click(const QString& words, QWidget* in = nullptr) {
    QAbstractButton* found = nullptr;
    const bool isThere = QTest::qWaitFor(
        [&] {
          found = nullptr;
          for (auto* each : (in ? in : &window())->findChildren<QAbstractButton*>())
            if (each->isVisible() && each->isEnabled() &&
                QString(each->text()).remove(u'&').startsWith(words))
              found = each;
          return found != nullptr;
        },
        10000);
    if (!isThere) return false;
    clickOn(found, found->rect().center());
    return true;
  }
  void clickOn(QWidget* widget, const QPoint& at) {
    ++m_clicks;
    clickAt(widget, at);
  }
  /// A file is chosen with two clicks: on its name and on Open.
  void choose(const QString& path) {
    m_clicks += 2;
    chooseFile(window(), path);
  }
  bool clickItem(QListWidget* list, const QString& words) {
    const QList<QListWidgetItem*> found = list->findItems(words, Qt::MatchExactly);
    if (found.size() != 1) return false;
    list->scrollToItem(found[0]);
    clickOn(list->viewport(), list->visualItemRect(found[0]).center());
    return true;
  }
  QTreeView* columns() {
    QWidget* found = nullptr;
    (void)QTest::qWaitFor(
        [&] {
          found = m_test.named(u"Columns of the table"_s);
          return found && qobject_cast<QTreeView*>(found)->model()->rowCount() > 0;
        },
        10000);
    return qobject_cast<QTreeView*>(found);
  }
  QModelIndex cell(const QString& column, int place) {
    QTreeView* view = columns();
    for (int row = 0; view && row < view->model()->rowCount(); ++row)
      if (view->model()->index(row, ColumnItemModel::kName).data() == column)
        return view->model()->index(row, place);
    return {};
  }
  Role role(const QString& column) {
    return static_cast<Role>(
        cell(column, ColumnItemModel::kRole).data(ColumnItemModel::kRoleRole).toInt());
  }
  bool clickRole(const QString& column, Role wanted) {
    const QModelIndex index = cell(column, ColumnItemModel::kRole);
    if (!index.isValid()) return false;
    QTreeView* view = columns();
    view->scrollTo(index);
    const QRect button =
        RoleDelegate::segmentRect(view->visualRect(index), view->fontMetrics(), wanted);
    if (!view->viewport()->rect().contains(button.center())) return false;
    clickOn(view->viewport(), button.center());
    return QTest::qWaitFor([&] { return role(column) == wanted; }, 10000);
  }
  QListWidget* startList() {
    QWidget* found = nullptr;
    (void)QTest::qWaitFor([&] { return (found = m_test.named(u"Templates"_s)) != nullptr; }, 5000);
    return qobject_cast<QListWidget*>(found);
  }
  RunController& run() { return window().runs().of(&document()); }
  bool train() {
    QPushButton* starter = nullptr;
    const bool isReady = QTest::qWaitFor(
        [&] {
          starter = window().findChild<TrainButton*>()->findChild<QPushButton*>();
          return document().checks().isCurrent() && document().checks().errorCount() == 0 &&
                 starter->isEnabled();
        },
        10000);
    if (!isReady) return false;
    clickOn(starter, starter->rect().center());
    return QTest::qWaitFor([this] { return run().shown().outcome && !run().isActive(); }, 60000);
  }
  /// Returns the last value of a metric of the run.
  double last(const char* metric) {
    const MetricSeries* series = run().shown().history.find(metric);
    return series ? series->lastValue() : -1;
  }

 private:
  TestWindow m_test;
  int m_clicks = 0;
};

QString penguins() {
  return QString::fromStdString((sourceDir() / "projects/data/penguins.csv").string());
}

/// Writes the table of penguins with another name of the species.
QString writePenguins(const QString& folder, const QString& label) {
  const QString path = folder + u"/birds.csv"_s;
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write(bytesOf(penguins()).replace("species", label.toUtf8()));
  return path;
}

/// Writes a table of words and numbers whose last column says "yes" if a sum is large. Some cells
/// are missing.
QString writeOffers(const QString& folder) {
  const QString path = folder + u"/offers.csv"_s;
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write("age;income;town;bought\n");
  for (int i = 0; i < 200; ++i) {
    const int age = 20 + i * 7 % 50, income = i * 13 % 90;
    const QByteArray cell = i % 20 == 0 ? QByteArray() : QByteArray::number(income);
    file.write(QByteArray::number(age) + ";" + cell + (i % 3 ? ";Bonn" : ";Kiel") +
               (age + income > 90 ? ";yes\n" : ";no\n"));
  }
  return path;
}

}  // namespace

class TestOwnTable : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void aTableIsChosenByItsPathAndUndoneInOneStep() {
    Newcomer user(u"mnist-mlp-128.json"_s);
    user.showData();
    const std::string before = printJson(user.json());
    const int steps = user.document().undoStack()->count();
    QVERIFY(user.click(u"Use a table (CSV)…"_s));
    chooseFile(user.window(), penguins());
    QTRY_COMPARE(user.json()["data"]["source"],
                 (Json{{"type", "csv"}, {"path", penguins().toStdString()}, {"label", "species"}}));
    QCOMPARE(user.document().undoStack()->count(), steps + 1);
    QCOMPARE(user.json()["data"]["transforms"], (Json{Json{{"type", "standardize"}}}));
    QVERIFY(!user.json()["data"].contains("skip"));
    // The card shows the columns.
    QVERIFY(user.columns());
    QCOMPARE(user.columns()->model()->rowCount(), 8);
    QCOMPARE(user.cell(u"island"_s, ColumnItemModel::kType).data().toString(), u"3 words"_s);
    QCOMPARE(user.cell(u"sex"_s, ColumnItemModel::kMissing).data().toString(), u"11 of 344"_s);
    QVERIFY(user.cell(u"bill_length_mm"_s, ColumnItemModel::kValues)
                .data()
                .toString()
                .startsWith(u"39.1, 39.5"_s));
    QVERIFY(labelWith(user.test(), u"penguins.csv: 344 rows, 8 columns"_s));
    // The path field replaces the table in the same way.
    const QString offers = writeOffers(user.test().folder());
    QVERIFY(user.test().waitForInspection());
    auto* field = qobject_cast<QLineEdit*>(user.test().named(u"File"_s));
    QVERIFY(field);
    reveal(field);
    waitUntilStill(field);
    ::click(field);
    field->selectAll();
    QVERIFY(field->hasFocus());
    QTest::keyClicks(field, offers);
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_COMPARE(user.cell(u"town"_s, ColumnItemModel::kType).data().toString(), u"2 words"_s);
    user.document().undoStack()->undo();
    user.document().undoStack()->undo();
    QCOMPARE(printJson(user.json()), before);
    QTRY_VERIFY(!user.test().named(u"Columns of the table"_s));
    user.document().undoStack()->setIndex(0);
  }

  void aLabelGuessedByItsNameIsMarkedUntilItIsConfirmed() {
    Newcomer user(u"mnist-mlp-128.json"_s);
    user.window().workspace().addNew(emptyProject());
    user.showData();
    QVERIFY(user.click(u"Use a table (CSV)…"_s));
    chooseFile(user.window(), penguins());
    const auto isMarked = [&] {
      return user.cell(u"species"_s, ColumnItemModel::kRole)
          .data(ColumnItemModel::kGuessedRole)
          .toBool();
    };
    QTRY_COMPARE(user.role(u"species"_s), Role::Label);
    QVERIFY(isMarked());
    QVERIFY(user.clickRole(u"species"_s, Role::Label));
    QTRY_VERIFY(!isMarked());
    QCOMPARE(user.json()["data"]["source"]["label"], Json("species"));
    user.document().undoStack()->setIndex(0);
  }

  void rolesAreSetByClick() {
    Newcomer user(u"penguins.json"_s);
    submitValue(user.document(), "/data/source",
                Json{{"type", "csv"}, {"path", penguins().toStdString()}});
    user.showData();
    QVERIFY(user.columns());
    // Without a name, the last column is the label, and it is marked.
    QCOMPARE(user.role(u"year"_s), Role::Label);
    const QModelIndex year = user.cell(u"year"_s, ColumnItemModel::kRole);
    QVERIFY(year.data(ColumnItemModel::kGuessedRole).toBool());
    QVERIFY(year.data(Qt::ToolTipRole).toString().contains(u"Click Label to confirm it"_s));
    QVERIFY(user.clickRole(u"species"_s, Role::Label));
    QCOMPARE(user.json()["data"]["source"]["label"], Json("species"));
    QVERIFY(!user.cell(u"species"_s, ColumnItemModel::kRole)
                 .data(ColumnItemModel::kGuessedRole)
                 .toBool());
    QVERIFY(user.clickRole(u"year"_s, Role::Ignored));
    QVERIFY(user.clickRole(u"body_mass_g"_s, Role::Weight));
    QCOMPARE(user.json()["data"]["source"]["ignore"], Json{"year"});
    QCOMPARE(user.json()["data"]["source"]["weights"], Json("body_mass_g"));
    QVERIFY(user.clickRole(u"body_mass_g"_s, Role::Input));
    QVERIFY(!user.json()["data"]["source"].contains("weights"));
    // The keyboard chooses the role in the current row.
    user.columns()->setCurrentIndex(user.cell(u"sex"_s, ColumnItemModel::kName));
    user.columns()->setFocus();
    press(Qt::Key_Right);
    QTRY_COMPARE(user.role(u"sex"_s), Role::Label);
    user.document().undoStack()->setIndex(0);
  }

  void samplesAreCells() {
    Newcomer user(u"penguins.json"_s);
    submitValue(user.document(), "/data/source/path", Json(penguins().toStdString()));
    user.showData();
    auto* list = qobject_cast<QListView*>(user.test().named(u"Samples"_s));
    QVERIFY(list);
    QTRY_VERIFY(list->model()->rowCount() > 10);
    const QString first = list->model()->index(0, 0).data().toString();
    QVERIFY2(first.startsWith(u"island: "_s) && first.contains(u", bill_length_mm: "_s) &&
                 first.contains(u", sex: "_s) && first.contains(u"  →  "_s),
             qPrintable(first));
    user.document().undoStack()->setIndex(0);
  }

  void rowsOfSamplesAreAsHighAsTheirTexts() {
    Newcomer user(u"penguins.json"_s);
    submitValue(user.document(), "/data/source/path", Json(penguins().toStdString()));
    user.showData();
    auto* list = qobject_cast<QListView*>(user.test().named(u"Samples"_s));
    QVERIFY(list);
    QTRY_VERIFY(list->model()->rowCount() > 10);
    const auto wrongRows = [&] {
      QStringList wrong;
      const int line = list->fontMetrics().lineSpacing();
      for (int row = 0; row < list->model()->rowCount(); ++row) {
        const QModelIndex index = list->model()->index(row, 0);
        const QRect place = list->visualRect(index);
        // The delegate leaves a margin at both sides of the text
        const int margin = list->style()->pixelMetric(QStyle::PM_FocusFrameHMargin) + 1;
        QTextLayout layout(index.data().toString(), list->font());
        layout.beginLayout();
        int lines = 0;
        for (QTextLine each = layout.createLine(); each.isValid(); each = layout.createLine()) {
          each.setLineWidth(place.width() - 2 * margin);
          ++lines;
        }
        layout.endLayout();
        const int expected = lines * line;
        if (place.height() < expected || place.height() >= expected + line / 2)
          wrong << u"row %1: %2 lines, height %3, line %4"_s.arg(row)
                       .arg(lines)
                       .arg(place.height())
                       .arg(line);
      }
      return wrong;
    };
    for (const int width : {1440, 1400, 1366, 1300, 1280, 1180, 1100}) {
      user.window().resize(width, 800);
      QTest::qWait(150);
      const QStringList wrong = wrongRows();
      QVERIFY2(wrong.isEmpty(), qPrintable(u"width %1\n"_s.arg(width) + wrong.join(u'\n')));
    }
    user.document().undoStack()->setIndex(0);
  }

  void fromTheStartPageToANetworkInEightClicks_data() {
    QTest::addColumn<QString>("label");
    QTest::newRow("a label with a usual name") << u"species"_s;
    QTest::newRow("a label with another name") << u"bird"_s;
  }
  void fromTheStartPageToANetworkInEightClicks() {
    QFETCH(const QString, label);
    Newcomer user;
    const QString table = writePenguins(user.test().folder(), label);
    press(Qt::Key_W, Qt::ControlModifier);
    QListWidget* list = user.startList();
    QVERIFY(list);
    QCOMPARE(list->item(0)->text(), u"Empty network"_s);
    QCOMPARE(list->item(1)->text(), u"Your own table"_s);
    QVERIFY(user.clickItem(list, u"Your own table"_s));
    user.choose(table);
    QTRY_COMPARE(user.window().workspace().count(), 1);
    QCOMPARE(user.window().page(), PageId::Data);
    const auto isMarked = [&](const QString& column) {
      return user.cell(column, ColumnItemModel::kRole).data(ColumnItemModel::kGuessedRole).toBool();
    };
    const bool isGuessed = label == u"species"_s;
    QVERIFY(isMarked(isGuessed ? label : u"year"_s));
    if (!isGuessed) QVERIFY(user.clickRole(label, Role::Label));
    QVERIFY(user.click(u"Fill missing cells with the mean"_s));
    if (!isGuessed) QVERIFY(user.click(u"Build a network that predicts bird"_s));
    QVERIFY(user.train());
    QVERIFY2(user.clicks() <= 8, qPrintable(QString::number(user.clicks())));
    // The most frequent species is in 44% of the rows.
    QVERIFY2(user.last("val_accuracy") > 0.8,
             qPrintable(QString::number(user.last("val_accuracy"))));
    user.document().undoStack()->setIndex(0);
  }

  void anEmptyNetworkIsOfferedFirstAndLeadsToANetwork() {
    Newcomer user;
    QAction* create = user.window().actionTable()[u"file.new"_s];
    QVERIFY(create);
    // The menu needs two clicks.
    create->trigger();
    const int menuClicks = 2;
    auto* dialog = waitForDialog<TemplateDialog>(user.window());
    QVERIFY(dialog);
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    auto* list = dialog->findChild<QListWidget*>();
    QCOMPARE(list->item(0)->text(), u"Empty network"_s);
    QCOMPARE(list->item(1)->text(), u"Your own table"_s);
    QCOMPARE(list->currentRow(), 0);
    QVERIFY(user.click(u"Create"_s, dialog));
    QTRY_COMPARE(user.window().workspace().count(), 2);
    QVERIFY(user.test().waitForInspection());
    QCOMPARE(user.window().page(), PageId::Data);
    // Its problems say what to do next, on every page.
    QCOMPARE(user.document().checks().errorCount(), 2);
    for (const PageId page : {PageId::Design, PageId::Train, PageId::Results, PageId::Data}) {
      user.window().showPage(page);
      QTest::qWait(100);
    }
    QVERIFY(
        labelWith(user.test(), u"The project has no data source. Choose one, or use a table."_s));
    QVERIFY(user.click(u"Use a table (CSV)…"_s));
    user.choose(writeOffers(user.test().folder()));
    QVERIFY(user.click(u"Fill missing cells with the mean"_s));
    QVERIFY(user.train());
    const int clicks = user.clicks() + menuClicks;
    QVERIFY2(clicks <= 8, qPrintable(QString::number(clicks)));
    QVERIFY2(user.last("val_accuracy") > 0.8,
             qPrintable(QString::number(user.last("val_accuracy"))));
    user.document().undoStack()->setIndex(0);
  }

  void ownDataGoIntoANewProjectIfAnExampleIsOpen() {
    Newcomer user;
    QVERIFY(user.window().workspace().open(
        QString::fromStdString(resourcePath("projects/mnist-mlp-128.json"))));
    const Document* example = &user.document();
    user.window().showPage(PageId::Design);
    QVERIFY(user.click(u"Use my own data"_s));
    QCOMPARE(user.window().page(), PageId::Data);
    QVERIFY(&user.document() != example);
    QVERIFY(user.document().path().isEmpty());
    QCOMPARE(user.document().name(), u"My project"_s);
    QVERIFY(!example->isModified());
  }

  void hundredsOfColumnsDoNotBlock() {
    Newcomer user;
    const QString path = user.test().folder() + u"/wide.csv"_s;
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QByteArray names, row;
    for (int i = 0; i < 600; ++i) {
      names += "column" + QByteArray::number(i) + ",";
      row += QByteArray::number(i) + ",";
    }
    file.write(names + "y\n");
    for (int i = 0; i < 60; ++i)
      file.write(row + QByteArray::number(i % 2) + "\n");
    file.close();
    user.showData();
    QVERIFY(user.click(u"Use a table (CSV)…"_s));
    chooseFile(user.window(), path);
    QVERIFY(user.columns());
    QTRY_COMPARE(user.columns()->model()->rowCount(), 601);
    QElapsedTimer time;
    time.start();
    QVERIFY(user.clickRole(u"column300"_s, Role::Ignored));
    user.columns()->scrollToBottom();
    QTest::qWait(50);
    QVERIFY(time.elapsed() < 5000);
    user.document().undoStack()->setIndex(0);
  }
};

QTEST_MAIN(TestOwnTable)
#include "tst_own_table.moc"
