// SPDX-License-Identifier: Apache-2.0
// Tests how the labels of a table become classes, and splits with equal shares of the classes. Also
// tests columns whose names mean that they are the label, or no input.
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/data_stages.h"
#include "core/check/validate.h"
#include "tests/support/csv_file.h"
#include "tests/support/diagnostic_lines.h"
#include "tests/support/has.h"

using namespace strata;

namespace {

/// Returns the classes of a part of the data: how often each one occurs.
std::vector<int64_t> countsIn(const Dataset& data, int64_t begin, int64_t end) {
  std::vector<int64_t> counts(static_cast<size_t>(data.targets[0].classes), 0);
  for (int64_t i = begin; i < end; ++i)
    ++counts[static_cast<size_t>(data.train->y[0].as<int32_t>()[static_cast<size_t>(i)])];
  return counts;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_SUITE("csv labels") {
  TEST_CASE("labels of any two values are two classes, named by value") {
    CsvFile table;
    struct Case {
      const char *first, *second;
      Names names;
    };
    for (const auto& [first, second, names] : std::vector<Case>{{"0", "255", {"0", "255"}},
                                                                {"1", "2", {"1", "2"}},
                                                                {"-1", "1", {"-1", "1"}},
                                                                {"0", "2", {"0", "2"}},
                                                                {"no", "yes", {"no", "yes"}},
                                                                {"0", "1", {"0", "1"}}}) {
      table.write(std::string("a,b,y\n1,2,") + first + "\n2,3," + second + "\n3,4," + first + "\n");
      CAPTURE(first);
      CAPTURE(second);
      const auto data = table.load();
      CHECK(data->targets[0].classNames == names);
      CHECK(labelsIn(data->train->y[0]) == std::vector<int32_t>{0, 1, 0});
      CHECK(table.report().empty());
    }
  }

  TEST_CASE("a loss of two classes gets the targets 0 and 1 from any two values") {
    CsvFile table;
    table.write("a,y\n1,1\n2,2\n3,1\n");
    const auto data = table.load("", "", "binary_crossentropy");
    CHECK(data->targets[0].classNames == Names{"1", "2"});
    CHECK(labelsIn(data->train->y[0]) == std::vector<int32_t>{0, 1, 0});
    // Targets that the loss accepts are not changed.
    table.write("a,y\n1,0\n2,1\n3,0\n");
    const auto plain = table.load("", "", "binary_crossentropy");
    CHECK(plain->targets[0].classNames.empty());
    CHECK(floatsIn(plain->train->y[0]) == std::vector<float>{0, 1, 0});
    table.write("a,y\n1,0.25\n2,1\n3,0.25\n");
    CHECK(floatsIn(table.load("", "", "binary_crossentropy")->train->y[0])[0] == 0.25f);
    table.write("a,y\n1,-1\n2,1\n3,1\n");
    CHECK(floatsIn(table.load("", "", "hinge")->train->y[0])[0] == -1);
    CHECK(labelsIn(table.load("", "", "binary_crossentropy")->train->y[0]) ==
          std::vector<int32_t>{0, 1, 1});
    // A regression keeps its values.
    table.write("a,y\n1,1\n2,2\n3,1\n");
    CHECK(floatsIn(table.load("", "", "mean_squared_error")->train->y[0])[1] == 2);
  }

  TEST_CASE("several label columns of two values each have the targets 0 and 1") {
    CsvFile table;
    const char* const kLabels = R"("label":["red","round","big"])";
    table.write("red,x,round,big\nno,1,1,0\nyes,2,2,1\nyes,3,1,1\n");
    const auto data = table.load(kLabels, "", "binary_crossentropy");
    CHECK(data->train->y[0].shape() == Shape{3, 3});
    CHECK(floatsIn(data->train->y[0]) == std::vector<float>{0, 0, 0, 1, 1, 1, 1, 0, 1});
    table.write("red,x,round,big\nno,1,1,0\nyes,2,2,1\nmaybe,3,1,1\n");
    CHECK(has(table.problem(kLabels, "", "binary_crossentropy"),
              "column \"red\": the labels are words, and more than two differ"));
    // True and false are 1 and 0 in each loss, as get_dummies of pandas writes them.
    table.write("red,x,round,big\nFalse,1,True,True\nTrue,2,True,False\n");
    for (const char* loss : {"categorical_crossentropy", "mean_squared_error"})
      CHECK(floatsIn(table.load(kLabels, "", loss)->train->y[0]) ==
            std::vector<float>{0, 1, 1, 1, 1, 0});
    // The values of other losses stay as they are, and words are refused.
    table.write("red,x,round,big\n5,1,1,0\n6,2,2,1\n");
    CHECK(floatsIn(table.load(kLabels, "", "mean_squared_error")->train->y[0])[0] == 5);
    table.write("red,x,round,big\nno,1,1,0\nyes,2,2,1\n");
    CHECK(has(table.problem(kLabels, "", "mean_squared_error"), "classes need one label column"));
  }

  TEST_CASE("a label by default that does not fit names the column that may be the label") {
    CsvFile table;
    table.write("y,a,b\n0,1,2.5\n1,3,4.5\n");
    const std::string report = table.report();
    CHECK(has(report, "the label 2.5 is not a class"));
    CHECK(has(report, "By its name, \"y\" may be the label."));
    const Project fixed = table.fixed(table.project(), "Set label to y");
    CHECK(fixed.document()["data"]["source"]["label"] == "y");
  }

  TEST_CASE("measured targets that are sorted are reported, and a shuffle solves it") {
    CsvFile table;
    std::string text = "x,y\n";
    for (int i = 0; i < 20; ++i)
      text += std::to_string(i % 3) + "," + std::to_string(i) + ".5\n";
    table.write(text);
    const char *const kSplit = R"("validation_split":0.2)", *const kLoss = "mean_squared_error";
    CHECK(has(table.report("", kSplit, kLoss), "warning shifted_targets"));
    CHECK(has(table.report("", kSplit, kLoss), "(16.5 to 19.5) are all outside"));
    CHECK(table.report("", R"("validation_split":0.2,"split_seed":1)", kLoss).empty());
  }

  TEST_CASE("a column whose name means a label is proposed before the last column") {
    CsvFile table;
    table.write("target,a,b\n0,1,2\n1,3,4\n");
    const std::string report = table.report();
    CHECK(has(report, "warning default_label"));
    CHECK(has(report, "The label is the last column, \"b\""));
    CHECK(has(report, "\"target\" may be the label"));
    for (const char* fields :
         {R"("label":"target")", R"("label":"b")", R"("ignore":["target"])", R"("columns":["a"])"})
      CHECK_FALSE(has(table.report(fields), "default_label"));
    table.write("class_size,a,label\n0,1,0\n1,3,1\n");
    CHECK(table.report().empty());
    table.write("Class Label,a,b\n0,1,0\n1,3,1\n");
    CHECK(has(table.report(), "\"Class Label\" may be the label"));
    // Neither a part of a name such as "class" nor a coordinate is a label.
    table.write("class_size,y,z\n0,1,0\n1,3,1\n");
    CHECK(table.report().empty());
    table.write("y,x\n0,1\n1,0\n");
    CHECK(has(table.report(), "\"y\" may be the label"));
  }

  TEST_CASE("columns that number the rows are reported, unless the source names them") {
    CsvFile table;
    std::string rows;
    for (int i = 0; i < 6; ++i)
      rows +=
          std::to_string(i) + "," + std::to_string(i * i % 4) + "," + std::to_string(i % 2) + "\n";
    for (const char* name : {"", "id", "Index", "Unnamed: 0"}) {
      table.write(name + (",a,y\n" + rows));
      CHECK(has(table.report(), "warning row_numbers"));
    }
    table.write("id,a,y\n" + rows);
    CHECK(table.report(R"("ignore":["id"])").empty());
    CHECK(table.report(R"("numeric":["id"])").empty());
    CHECK(table.report(R"("columns":["id","a"])").empty());
    table.write("hour,a,y\n" + rows);
    CHECK(table.report().empty());
    table.write("id,a,y\n7,1,0\n3,2,1\n4,3,0\n9,1,1\n5,2,0\n");
    CHECK(table.report().empty());
  }

  TEST_CASE("numbers without labels are named, or the labels are numbered anew") {
    CsvFile table;
    table.write("a,y\n1,0\n2,1\n3,3\n4,4\n");
    const auto dense = table.load();
    CHECK(dense->targets[0].classes == 5);
    CHECK(has(table.report(), "warning unused_label"));
    CHECK(has(table.report(), "class numbers from 0 to 4, but no row has 2 (unused classes: 1)"));
    table.write("a,y\n1,0\n2,100\n3,200\n");
    const auto sparse = table.load();
    CHECK(sparse->targets[0].classNames == Names{"0", "100", "200"});
    CHECK(labelsIn(sparse->train->y[0]) == std::vector<int32_t>{0, 1, 2});
    CHECK(table.report().empty());
  }

  TEST_CASE("validation without some classes is reported, and a stratified split solves it") {
    CsvFile table;
    std::string text = "a,y\n";
    for (const char* kind : {"x", "y", "z"})
      for (int i = 0; i < 10; ++i)
        text += std::to_string(i) + "," + kind + "\n";
    table.write(text);
    const std::string split = R"("validation_split":0.2)";
    const std::string report = table.report("", split);
    CHECK(has(report, "warning unseen_class"));
    CHECK(
        has(report, "The validation set has only 1 of the 3 classes (it lacks 2, such as \"x\")"));
    const Project fixed = table.fixed(table.project("", split), "Set split to stratified");
    Diagnostics none;
    const DatasetInfo info = describeDataset(fixed, none);
    CHECK(none.empty());
    CHECK(info.trainCount == 24);
    const auto data = loadDataset(fixed);
    CHECK(countsIn(*data, 0, 24) == std::vector<int64_t>{8, 8, 8});
    CHECK(countsIn(*data, 24, 30) == std::vector<int64_t>{2, 2, 2});
    // Without a seed, the last rows of each class are for validation, in the order of the file.
    CHECK(data->train->placeOf(24) == table.path() + ", row 10");
    bool isNamed = false;
    for (const DataStage& stage : dataStages(fixed))
      isNamed =
          isNamed || formatText(stage.phrase.text, stage.phrase.arguments).find("equal shares") !=
                         std::string::npos;
    CHECK(isNamed);
    // The seed decides which rows are chosen, and each row is used once.
    const std::string seeded = R"("split":"stratified","split_seed":3,"test_split":0.1,)" + split;
    const auto one = table.load("", seeded), two = table.load("", seeded + R"(,"skip":0)");
    CHECK(one->train->x[0].isBitEqual(two->train->x[0]));
    CHECK(one->test->count() == 3);
    CHECK(one->validationCount == 6);
    std::set<std::string> places;
    for (int64_t i = 0; i < one->train->count(); ++i)
      places.insert(one->train->placeOf(i));
    for (int64_t i = 0; i < one->test->count(); ++i)
      places.insert(one->test->placeOf(i));
    CHECK(places.size() == 30);
    CHECK(labelsIn(one->test->y[0]).size() == 3);
    const auto tested = labelsIn(one->test->y[0]);
    CHECK(std::set<int32_t>(tested.begin(), tested.end()).size() == 3);
    // The parts are as large as those of another split, although the shares are fractions.
    table.write("a,y\n1,x\n2,x\n3,x\n4,y\n5,y\n6,z\n7,x\n");
    const auto uneven = table.load("", R"("split":"stratified","validation_split":0.3)");
    CHECK(uneven->trainCount == table.load("", R"("validation_split":0.3)")->trainCount);
    // Each class keeps a sample for training.
    CHECK(countsIn(*uneven, 0, uneven->trainCount)[2] == 1);
    // A regression has no classes.
    table.write("a,y\n1,1.5\n2,2.5\n3,3.5\n");
    CHECK(has(table.problem("", R"("split":"stratified")", "mean_squared_error"),
              "The split is stratified, but the targets are not classes"));
    // Targets 0 and 1 are classes.
    table.write("a,y\n1,0\n2,0\n3,0\n4,0\n5,1\n6,1\n7,1\n8,1\n");
    const std::string half = R"("validation_split":0.25)";
    CHECK(has(table.report("", half, "binary_crossentropy"), "has only 1 of the 2 classes"));
    const auto binary = table.load("", half + R"(,"split":"stratified")", "binary_crossentropy");
    CHECK(floatsIn(binary->train->y[0])[6] + floatsIn(binary->train->y[0])[7] == 1);
  }

  TEST_CASE("other sources have stratified splits, too") {
    const Project project(parseJson(
        R"({"format":"strata-project","version":1,"data":{"split":"stratified",
            "validation_split":0.5,
            "source":{"type":"values","x":[1,2,3,4,5,6],"y":[0,0,1,1,2,2]}},
            "model":{"layers":[]},"training":{"loss":"sparse_categorical_crossentropy"}})",
        "test"));
    const auto data = loadDataset(project);
    CHECK(countsIn(*data, 0, 3) == std::vector<int64_t>{1, 1, 1});
    CHECK(countsIn(*data, 3, 6) == std::vector<int64_t>{1, 1, 1});
    CHECK(floatsIn(data->train->x[0]) == std::vector<float>{1, 3, 5, 2, 4, 6});
  }

  TEST_CASE("words that differ only by case or spaces are reported with their rows") {
    CsvFile table;
    table.write("c;y\nA;Yes\nb;yes\na;Yes\nb;no\n");
    const std::string report = table.report();
    CHECK(has(report, "similar_words"));
    CHECK(has(report,
              "Column \"y\": labels that differ only by case or spaces are different "
              "classes (with their rows: \"Yes\" (2), \"yes\" (1))"));
    CHECK(has(report,
              "Column \"c\": words that differ only by case or spaces are different "
              "categories (with their rows: \"A\" (1), \"a\" (1))"));
    CHECK(table.report(R"("categorical":["c","y"])").empty());
    table.write("c;y\n1;yes\n2;yes\u00A0\n3;no\n");
    CHECK(has(table.report(), "\"yes\" (1), \"yes<U+00A0>\" (1)"));
    table.write("c;y\n1;True\n2;true\n3;FALSE\n4;False\n");
    CHECK(has(table.problem("", "", "binary_crossentropy"),
              "some differ only by case or spaces (expected 2 classes"));
    table.write("c;y\n1;yes\n2;no\n3;not\n");
    CHECK(table.report().empty());
  }
}
