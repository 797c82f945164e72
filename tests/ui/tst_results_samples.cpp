// SPDX-License-Identifier: GPL-3.0-or-later
// Tests views of single samples on the Results page: two runs on the same samples, the most and
// least confident predictions of a class, and what the columns of a table contribute.
#include <QComboBox>
#include <QListView>
#include <QTableView>
#include <QTranslator>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/run_list/run_table.h"
#include "core/train/same_samples.h"
#include "tests/support/paths.h"
#include "tests/ui/support/run_window.h"
#include "ui/format.h"
#include "ui/pages/results/agreement_card.h"
#include "ui/pages/results/comparison_view.h"
#include "ui/pages/results/explanation_card.h"
#include "ui/pages/results/mistakes_card.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int kTimeout = 60000;

/// A window with two runs whose networks differ.
class TwoRuns : public RunWindow {
 public:
  TwoRuns() : RunWindow(1) {
    m_isTrained = trainToEnd();
    submitField(document(), u"hidden"_s, "units", Json(40));
    submitValue(document(), "/training/epochs", Json(3));
    waitForInspection();
    window().actionTable()[u"run.train"_s]->trigger();
    m_isTrained = m_isTrained && run().isActive() && waitForEnd();
  }
  bool isTrained() const { return m_isTrained; }
  bool compareAll() {
    showPage(PageId::Results);
    if (!click(u"All runs"_s)) return false;
    auto* table = qobject_cast<QTableView*>(named(u"Table of all runs"_s));
    if (!table || !QTest::qWaitFor([&] { return table->model()->rowCount() == 2; }, 5000))
      return false;
    table->selectAll();
    return click(u"Compare"_s);
  }
  QTableView* comparison() { return qobject_cast<QTableView*>(named(u"Comparison of the runs"_s)); }
  QString cell(const QString& name, int run) {
    for (int row = 0; row < comparison()->model()->rowCount(); ++row)
      if (comparison()->model()->index(row, 0).data() == name)
        return comparison()->model()->index(row, run + 1).data().toString();
    return {};
  }

 private:
  bool m_isTrained = false;
};

}  // namespace

class TestResultsSamples : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    prepareApplication();
    QVERIFY(m_plurals.load(u":/translations/strata_en.qm"_s));
    QApplication::installTranslator(&m_plurals);
  }
  void init() { QSettings().clear(); }

  void twoRunsAreEvaluatedOnTheSameSamples() {
    TwoRuns test;
    QVERIFY(test.isTrained());
    QVERIFY(test.compareAll());
    QTRY_VERIFY(test.comparison());
    QTRY_VERIFY(test.comparison()->model()->rowCount() > 0);
    auto* card = test.window().findChild<AgreementCard*>();
    QVERIFY(!card->isVisible());
    // It is cancelled without a trace
    QVERIFY(test.click(u"Evaluate on the same samples"_s));
    QVERIFY(test.click(u"Cancel"_s));
    QVERIFY(!labelWith(test, u"Evaluating"_s));
    QTest::qWait(500);
    QVERIFY(!card->isVisible());
    QVERIFY(test.click(u"Evaluate on the same samples"_s));
    QTRY_VERIFY_WITH_TIMEOUT(card->isVisible(), kTimeout);
    // The figures are those of core. The newest run is first in the table of all runs.
    std::vector<RunRow> rows = readRunRows(test.document().project());
    std::ranges::reverse(rows);
    const CheckedProject project(test.document().project());
    const std::string split = project.data().testCount > 0 ? "test" : "validation";
    const SameSamples same =
        evaluateOnSameSamples(rows, test.document().project(), split, "auto", 1);
    for (const size_t run : {0U, 1U}) {
      QVERIFY(!same.runs[run].problem);
      QCOMPARE(test.cell(u"Loss"_s, static_cast<int>(run)), formatValue(*same.value(run, "loss")));
      QCOMPARE(test.cell(u"Accuracy"_s, static_cast<int>(run)),
               formatPercent(*same.value(run, "accuracy"), 2));
    }
    const Agreement agreement = *same.agreement();
    QAbstractButton* neither = test.button(u"Neither"_s);
    QVERIFY(neither);
    QCOMPARE(neither->text(),
             u"Neither %1"_s.arg(formatCount(static_cast<int64_t>(agreement.neither.size()))));
    // A click lists the samples
    clickAt(neither, neither->rect().center());
    auto* list = qobject_cast<QListView*>(test.named(u"Samples by who predicts them correctly"_s));
    QVERIFY(list);
    QCOMPARE(list->model()->rowCount(),
             static_cast<int>(std::min<size_t>(300, agreement.neither.size())));
    QVERIFY(
        list->model()
            ->index(0, 0)
            .data(Qt::ToolTipRole)
            .toString()
            .startsWith(u"Sample %1:"_s.arg(formatCount(
                (split == "test" ? 0 : same.dataset->trainCount) + agreement.neither.front()))));
    QCOMPARE(namelessWidgets(test.window()), QStringList());
  }

  void aRunWhoseInputDoesNotFitSaysSo() {
    TwoRuns test;
    QVERIFY(test.isTrained());
    // The open project has other data now
    submitValue(
        test.document(), "/data/source",
        Json{{"type", "random"}, {"samples", 96}, {"shape", {9}}, {"classes", 3}, {"seed", 4}});
    QVERIFY(test.compareAll());
    QTRY_VERIFY(test.comparison() && test.comparison()->model()->rowCount() > 0);
    QVERIFY(test.click(u"Evaluate on the same samples"_s));
    QTRY_VERIFY_WITH_TIMEOUT(labelWith(test, u"Run 1 cannot be evaluated on these samples"_s),
                             kTimeout);
    QVERIFY(labelWith(test, u"Run 2 cannot be evaluated on these samples"_s));
  }

  void theMostAndLeastConfidentPredictionsOfAClassAreListed() {
    RunWindow test(3);
    QVERIFY(test.trainToEnd());
    test.showPage(PageId::Results);
    QListView* list = nullptr;
    QTRY_VERIFY_WITH_TIMEOUT(
        (list = qobject_cast<QListView*>(test.named(u"Misclassified samples"_s))), kTimeout);
    const auto choose = [&](const QString& name, const QString& entry) {
      auto* box = qobject_cast<QComboBox*>(test.named(name));
      QVERIFY(box);
      reveal(box);
      box->setFocus();
      const int wanted = box->findText(entry);
      QVERIFY2(wanted >= 0, qPrintable(entry));
      while (box->currentIndex() < wanted)
        QTest::keyClick(box, Qt::Key_Down);
      while (box->currentIndex() > wanted)
        QTest::keyClick(box, Qt::Key_Up);
    };
    const auto confidences = [&] {
      QList<double> values;
      for (int row = 0; row < list->model()->rowCount(); ++row) {
        const QString tip = list->model()->index(row, 0).data(Qt::ToolTipRole).toString();
        values << tip.section(u"probability "_s, 1).remove(u'%').toDouble();
      }
      return values;
    };
    choose(u"Which samples are listed"_s, u"Correct"_s);
    QVERIFY(test.named(u"Correctly classified samples"_s));
    QVERIFY(list->model()->rowCount() > 0);
    QList<double> values = confidences();
    QVERIFY(std::ranges::is_sorted(values, std::ranges::greater()));
    for (int row = 0; row < list->model()->rowCount(); ++row) {
      const QString words = list->model()->index(row, 0).data().toString();
      QCOMPARE(words.section(u" → "_s, 0, 0), words.section(u" → "_s, 1));
    }
    choose(u"Order of the listed samples"_s, u"Least confident"_s);
    QVERIFY(std::ranges::is_sorted(confidences()));
    QVERIFY(labelWith(test, u"east confident first"_s));
    const int all = list->model()->rowCount();
    choose(u"True class of the listed samples"_s, u"4"_s);
    QVERIFY(list->model()->rowCount() < all);
    for (int row = 0; row < list->model()->rowCount(); ++row)
      QVERIFY(list->model()->index(row, 0).data().toString().startsWith(u"4 → 4"_s));
    QVERIFY(test.click(u"All mistakes"_s));
    QVERIFY(test.named(u"Misclassified samples"_s));
    for (int row = 0; row < list->model()->rowCount(); ++row) {
      const QString words = list->model()->index(row, 0).data().toString();
      QVERIFY(words.section(u" → "_s, 0, 0) != words.section(u" → "_s, 1));
    }
  }

  void theColumnsOfATableSayWhatTheyContribute() {
    TestWindow test(u"penguins.json"_s);
    QVERIFY(test.waitForInspection());
    submitValue(test.document(), "/data/source/path",
                Json((sourceDir() / "projects/data/penguins.csv").string()));
    submitValue(test.document(), "/training/epochs", Json(1));
    QVERIFY(test.waitForInspection());
    RunController& run = test.window().runs().of(&test.document());
    test.window().actionTable()[u"run.train"_s]->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().outcome && !run.isActive(), kTimeout);
    test.window().showPage(PageId::Results);
    QListView* list = nullptr;
    QTRY_VERIFY_WITH_TIMEOUT(
        (list = qobject_cast<QListView*>(test.named(u"Misclassified samples"_s))) &&
            list->model()->rowCount() > 0,
        kTimeout);
    reveal(list);
    list->setCurrentIndex(list->model()->index(0, 0));
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Return);
    QTableView* bars = nullptr;
    QTRY_VERIFY_WITH_TIMEOUT((bars = qobject_cast<QTableView*>(
                                  test.named(u"What each column contributes to the score"_s))) &&
                                 bars->model()->rowCount() > 0,
                             kTimeout);
    // Four measurements, the island and the sex, the largest contribution first
    QCOMPARE(bars->model()->rowCount(), 6);
    QList<double> sizes;
    QStringList columns;
    for (int row = 0; row < 6; ++row) {
      columns << bars->model()->index(row, 0).data().toString();
      sizes << std::abs(bars->model()->index(row, 2).data().toString().toDouble());
    }
    QVERIFY(std::ranges::is_sorted(sizes, std::ranges::greater()));
    QVERIFY(columns.contains(u"island"_s) && columns.contains(u"sex"_s));
    QVERIFY(!test.named(u"Method"_s));
    QCOMPARE(namelessWidgets(test.window()), QStringList());
  }

 private:
  QTranslator m_plurals;
};

QTEST_MAIN(TestResultsSamples)
#include "tst_results_samples.moc"
