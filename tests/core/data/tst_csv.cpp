// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/check/data_stages.h"
#include "core/data/csv.h"
#include "core/data/dataset.h"
#include "core/data/inputs.h"
#include "gpu/base/error.h"
#include "gpu/base/rng.h"
#include "tests/support/csv_file.h"
#include "tests/support/has.h"

using namespace strata;

TEST_SUITE("csv") {
  TEST_CASE("a table has numbers, words, names of columns and names of classes") {
    CsvFile table;
    table.write("age,colour,kind\n1,red,cat\n2,blue,dog\n3,red,cat\n");
    const auto data = table.load();
    CHECK(data->train->x[0].type() == TensorType{DType::F32, Shape{3, 3}});
    CHECK(floatsIn(data->train->x[0]) == std::vector<float>{1, 0, 1, 2, 1, 0, 3, 0, 1});
    CHECK(labelsIn(data->train->y[0]) == std::vector<int32_t>{0, 1, 0});
    CHECK(data->targets[0].classNames == std::vector<std::string>{"cat", "dog"});
    CHECK(data->test->count() == 0);
    CHECK(data->train->placeOf(1) == table.path() + ", row 3");
    const auto whole = table.load(R"("categories":"integer")");
    CHECK(floatsIn(whole->train->x[0]) == std::vector<float>{1, 2, 2, 1, 3, 2});
    CHECK(floatsIn(table.load(R"("label":["age"],"ignore":["kind"])", "", "mean_squared_error")
                       ->train->y[0]) == std::vector<float>{1, 2, 3});
  }

  TEST_CASE("quotes, delimiters, decimal marks, line breaks and headers may vary") {
    CsvFile table;
    const std::vector<float> expected{1.5f, -2, 3, 4e3f};
    const auto same = [&](const std::string& text, const std::string& fields = "") {
      table.write(text);
      const auto data = table.load(fields, "", "mean_squared_error");
      CAPTURE(text);
      CHECK(data->train->x[0].shape() == Shape{2, 2});
      CHECK(floatsIn(data->train->x[0]) == expected);
      CHECK(floatsIn(data->train->y[0]) == std::vector<float>{7, 8});
    };
    same("1.5,-2,7\n3,4e3,8\n");
    same("1.5,-2,7\r\n3,4e3,8\r\n");
    // Lines may end with a carriage return.
    same("a,b,c\r1.5,-2,7\r3,4e3,8\r");
    same("1.5,-2,7\r3,4e3,8");
    same(
        "\xEF\xBB\xBF"
        "a,b,c\n1.5,-2,7\n3,+4e3,8");
    same("a;b;c\n1.5;-2;7\n\n3;4e3;8\n");
    same("1,5;-2;7\n3;4e3;8\n", R"("decimal":",")");
    same("1.5\t-2\t7\n3\t4e3\t8\n", R"("delimiter":"tab")");
    same("\"a,1\",\"b\"\"\",c\n\"1.5\", \"-2\" ,7\n 3 , 4e3 , 8 \n");
    same("1.5,-2,7,\n3,4e3,8,\n", R"("header":"no")");
    table.write("w,k\n\"one, \"\"two\"\"\nthree\",a\n\"x\",b\nx,b\n");
    const auto quoted = table.load();
    CHECK(quoted->train->x[0].shape() == Shape{3, 2});
    // The second sample is in row 4, because a quoted cell contains a line break.
    CHECK(quoted->train->placeOf(1) == table.path() + ", row 4");
    CHECK(quoted->encodings[0]->at("columns")[0].at("categories")[0] == "one, \"two\"\nthree");
  }

  TEST_CASE(
      "a missing quote never hides rows silently, and cells with several lines are reported or "
      "allowed") {
    CsvFile table;
    const auto refused = [&](const std::string& text, const std::string& words) {
      table.write(text);
      CAPTURE(text);
      CHECK(has(table.problem(), words));
      // The error cannot be skipped, because the number of lost samples is unknown.
      CHECK(has(table.problem("", R"("on_damaged":"skip")"), words));
    };
    // The next quote closes the cell, but text follows that quote.
    refused("a,b,y\n1,\"u\",0\n2,\"v,1\n3,\"w\",0\n4,\"x\",1\n",
            "row 3, column 2: a quoted cell ends in row 4 with text after its closing quote "
            "(expected that quote in row 3). Close it in "
            "row 3.");
    // The quoted cell contains rows of the table. The row that results may have the right number of
    // columns.
    refused(
        "a,b,y\n1,u,0\n2,\"v,1\n3,w,0\n4,x,1\n5,y\",1\n6,z,0\n7,z,0\n",
        "row 3, column 2: a quoted cell ends in row 6 (expected its closing quote in row 3; "
        "row 4 inside it is a row of the table). "
        "Close the quote in row 3, or set long_cells of the source to true if cells may contain "
        "line breaks.");
    refused("a,b,y\n1,u,0\n\"2,v,1\n3,w,0\n4,x,1\n5\",y,1\n6,z,0\n7,z,0\n", "row 3, column 1: ");
    refused("a,b,y\n1,u,0\n2,v,\"1\n3,w,0\n4,x\n5,y,1\"\n6,z,0\n7,z,0\n",
            "row 4 inside it is a row of the table");
    refused("y,t\n0,\"" + std::string(100, '\n') + "\"\n1,u\n",
            "(expected at most 100 lines in a cell)");
    // Up to three cells with several lines cause a warning. More of these cells are refused unless
    // the project allows them.
    const std::string prose = "\"one,\nwell, two\nand \"\"three\"\"\"";
    std::string text = "n,t\n";
    for (int i = 0; i < 3; ++i)
      text += std::to_string(i % 2) + "," + prose + "\n";
    table.write(text + "1,u");
    Diagnostics diagnostics;
    CHECK(describeDataset(table.project(), diagnostics).trainCount == 4);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].severity == Severity::Warning);
    CHECK(diagnostics[0].code == "long_cell");
    CHECK(has(diagnostics[0].line(), "row 2, column 2: a quoted cell ends in row 4"));
    CHECK(has(diagnostics[0].line(), "number of such cells: 3"));
    // A fourth cell with several lines ends at the end of the file.
    table.write(text + "1,\"u\nv\"");
    CHECK(has(table.problem(),
              "row 2, column 2: a quoted cell ends in row 4, as 4 cells end in a later row "
              "(expected at most 3)"));
    diagnostics.clear();
    const Project meant = table.project(R"("long_cells":true)");
    CHECK(describeDataset(meant, diagnostics).trainCount == 4);
    CHECK(diagnostics.empty());
    const auto dataset = loadDataset(meant);
    CHECK(dataset->encodings[0]->at("long_cells") == true);
  }

  TEST_CASE("replacements for missing values are computed from the training part only") {
    CsvFile table;
    table.write("a,c,y\n1,r,0\n,r,1\n5,,0\n6,s,1\n1000,z,0\n");
    const auto column = [&](const std::string& fields, const std::string& data) {
      const auto loaded = table.load(fields, data);
      std::vector<float> result;
      const int64_t width = loaded->inputs[0].shape[0];
      for (int64_t i = 0; i < loaded->train->count(); ++i)
        result.push_back(floatsIn(loaded->train->x[0])[static_cast<size_t>(i * width)]);
      return result;
    };
    const std::string split = R"("validation_split":0.2)";
    CHECK(column(R"("missing":"mean")", split)[1] == 4);
    CHECK(column(R"("missing":"median")", split)[1] == 5);
    CHECK(column(R"("missing":"median")", "")[1] == 5.5f);
    CHECK(column(R"("missing":"value","missing_value":-1)", split)[1] == -1);
    CHECK(column(R"("missing":"drop")", "") == std::vector<float>{1, 6, 1000});
    const auto filled = table.load(R"("missing":"mean")", split);
    // The inputs are a, c=r and c=s, because only the validation part has z.
    CHECK(filled->inputs[0].shape == Shape{3});
    // The most frequent category of the training part replaces a missing word.
    CHECK(floatsIn(filled->train->x[0])[2 * 3 + 1] == 1);
    // A word that the training part lacks matches no category.
    CHECK(floatsIn(filled->train->x[0])[4 * 3 + 1] == 0);
    CHECK(floatsIn(filled->train->x[0])[4 * 3 + 2] == 0);
    CHECK(table.load(R"("missing":"drop")")->dropped == 2);
    const std::string message = table.problem();
    CHECK(has(message, "row 3, column \"a\": the value is missing"));
    CHECK(has(message, "Rows with missing values: 2."));
    CHECK(has(message, "mean, median, value or drop"));
  }

  TEST_CASE(
      "a missing label or weight drops the row if missing is \"drop\", otherwise the row is "
      "damaged") {
    CsvFile table;
    table.write("a,w,y\n1,1,0\n2,1,\n3,1,1\n4,,1\n,1,1\n6,1,NA\n7,1,0\n8,1,1\n");
    table.write("a,w,y\n1,1,\n2,1,0\n", "test.csv");
    const std::string drop = R"("missing":"drop","weights":"w")";
    const auto dropped = table.load(drop + ",\"test_path\":\"" + table.path("test.csv") + "\"");
    CHECK(floatsIn(dropped->train->x[0]) == std::vector<float>{1, 3, 7, 8});
    CHECK(labelsIn(dropped->train->y[0]) == std::vector<int32_t>{0, 1, 0, 1});
    CHECK(floatsIn(dropped->test->x[0]) == std::vector<float>{2});
    CHECK(dropped->dropped == 5);
    CHECK(dropped->damaged.empty());
    const auto split = table.load(drop, R"("validation_split":0.5,"take":3)");
    CHECK(floatsIn(split->train->x[0]) == std::vector<float>{1, 3, 7});
    CHECK(split->trainCount == 1);
    Diagnostics diagnostics;
    const DatasetInfo info = describeDataset(table.project(drop), diagnostics);
    CHECK(diagnostics.empty());
    CHECK(info.trainCount == 4);
    const auto stages = dataStages(table.project(drop));
    CHECK(stages[0].phrase.arguments.back().text() == "4");
    // A row is also dropped if its text label is missing, or if the label is a list of columns and
    // one of the values is missing.
    table.write("a,y,z\n1,cat,1\n2,,2\n3,dog,\n4,dog,4\n");
    CHECK(floatsIn(table.load(R"("missing":"drop","ignore":"z","label":"y")")->train->x[0]) ==
          std::vector<float>{1, 3, 4});
    CHECK(table.load(R"("missing":"drop","columns":"a","label":["z"])", "", "mean_squared_error")
              ->train->count() == 3);
    const auto filled =
        table.load(R"("missing":"mean","ignore":"z","label":"y")", R"("on_damaged":"skip")");
    CHECK(filled->dropped == 0);
    REQUIRE(filled->damaged.size() == 1);
    CHECK(has(filled->damaged[0].reason, "row 3, column \"y\": the label is missing"));
    // Rows for predict need no label.
    const auto trained = table.load(R"("missing":"drop","ignore":"z","label":"y")");
    table.write("a,y,z\n5,,\n", "new.csv");
    const auto rows = readInputs(table.path("new.csv"), {{"x", trained->inputs[0].shape}},
                                 trained->preprocessing(), [](const std::string&) {});
    REQUIRE(rows.size() == 1);
    CHECK(floatsIn(rows[0].arrays[0]) == std::vector<float>{5});
  }

  TEST_CASE("check reports words of the test and validation rows that the training rows lack") {
    CsvFile table;
    table.write("a,c,d,y\n1,r,x,0\n2,s,x,1\n3,r,x,0\n4,s,x,1\n5,t,x,0\n");
    table.write("a,c,d,y\n1,r,x,0\n2,,x,1\n2,u,x,1\n3,v,x,0\n4,u,x,1\n", "test.csv");
    const std::string fields =
        "\"missing\":\"mean\",\"test_path\":\"" + table.path("test.csv") + "\"";
    const auto warnings = [&](const std::string& source, const std::string& data) {
      Diagnostics diagnostics;
      CHECK(describeDataset(table.project(source, data), diagnostics).isKnown);
      CHECK(!hasErrors(diagnostics));
      std::erase_if(diagnostics,
                    [](const Diagnostic& each) { return each.code != "unknown_category"; });
      return diagnostics;
    };
    const Diagnostics ofTest = warnings(fields, "");
    REQUIRE(ofTest.size() == 1);
    CHECK(ofTest[0].field == "/data/source/test_path");
    CHECK(has(
        ofTest[0].line(),
        table.path("test.csv") + ", row 4, column \"c\": 'u' does not occur in the training set"));
    CHECK(has(ofTest[0].line(), "number of such cells: 3."));
    for (const std::string data : {R"("validation_split":0.2)", R"("test_split":0.2)"}) {
      const Diagnostics ofPart = warnings("", data);
      REQUIRE(ofPart.size() == 1);
      CHECK(ofPart[0].field == "/data/validation_split");
      CHECK(has(ofPart[0].line(),
                table.path() + ", row 6, column \"c\": 't' does not occur in the training set"));
    }
    CHECK(warnings(R"("categories":"integer")", R"("take":4,"validation_split":0.25)").empty());
    // A class that only the test table has is an error, in `strata check` and in a run.
    table.write("a,c,d,y\n1,r,x,7\n", "test.csv");
    Diagnostics diagnostics;
    CHECK(!describeDataset(table.project(fields), diagnostics).isKnown);
    REQUIRE(diagnostics.size() == 1);
    CHECK(
        has(diagnostics[0].line(), "row 2, column \"y\": '7' is not a class of the training file"));
    CHECK(
        has(table.problem(fields), "row 2, column \"y\": '7' is not a class of the training file"));
  }

  TEST_CASE("labels are class indices, other numbers or words, and wrong labels are errors") {
    CsvFile table;
    table.write("1,2\n3,0\n5,1\n");
    CHECK(labelsIn(table.load()->train->y[0]) == std::vector<int32_t>{2, 0, 1});
    table.write("1,7\n3,5\n5,7\n");
    const auto mapped = table.load();
    CHECK(labelsIn(mapped->train->y[0]) == std::vector<int32_t>{1, 0, 1});
    CHECK(mapped->targets[0].classNames == std::vector<std::string>{"5", "7"});
    table.write("1,1e19\n3,-1e20\n5,1e19\n");
    const auto large = table.load();
    CHECK(labelsIn(large->train->y[0]) == std::vector<int32_t>{1, 0, 1});
    CHECK(large->targets[0].classNames == std::vector<std::string>{"-1e+20", "1e+19"});
    // A label that the loss ignores keeps its number and adds no class.
    for (const auto& [ignored, text] : std::vector<std::pair<int32_t, std::string>>{
             {-1, "1,2\n3,-1\n5,1\n"}, {255, "1,2\n3,255\n5,1\n"}, {0, "1,2\n3,0\n5,1\n"}}) {
      table.write(text);
      Project project = table.project();
      project.document()["training"]["loss"] = {{"type", "sparse_categorical_crossentropy"},
                                                {"ignore_class", ignored}};
      const auto data = loadDataset(project);
      CHECK(labelsIn(data->train->y[0]) == std::vector<int32_t>{2, ignored, 1});
      CHECK(data->targets[0].classNames == std::vector<std::string>{"0", "1", "2"});
    }
    table.write("1,2\n3,0.5\n");
    CHECK(has(table.problem(), "row 2, column \"1\": the label 0.5 is not a class"));
    table.write("a,y\n1,2\n3,\n");
    CHECK(has(table.problem(), "row 3, column \"y\": the label is missing"));
    table.write("a,y\n1,cat\n3,dog\n");
    table.write("a,y\n1,cow\n", "test.csv");
    CHECK(has(table.problem("\"test_path\":\"" + table.path("test.csv") + "\""),
              "'cow' is not a class"));
    table.write("a,y\n1,cow\n2,dog\n", "mixed.csv");
    const std::string mixed = "\"test_path\":\"" + table.path("mixed.csv") + "\"";
    const auto skipped = table.load(mixed, R"("on_damaged":"skip")");
    CHECK(labelsIn(skipped->test->y[0]) == std::vector<int32_t>{1});
    CHECK(has(
        skipped->damaged.at(0).reason,
        "row 2, column \"y\": 'cow' is not a class of the training file (expected one of its 2)"));
    CHECK(labelsIn(table.load(mixed, R"("on_damaged":"replace")")->test->y[0]) ==
          std::vector<int32_t>{1, 1});
    CHECK(has(table.problem("", "", "mean_squared_error"),
              "the labels are words, but mean_squared_error compares values"));
    CHECK(labelsIn(table.load("", "", "binary_crossentropy")->train->y[0]) ==
          std::vector<int32_t>{0, 1});
    table.write("a,y\n1,dog\n", "test.csv");
    CHECK(labelsIn(table.load("\"test_path\":\"" + table.path("test.csv") + "\"")->test->y[0]) ==
          std::vector<int32_t>{1});
  }

  TEST_CASE("damaged rows are reported, skipped or replaced") {
    CsvFile table;
    table.write("a,b,y\n1,2,0\n3,x,1\n5,6\n7,8,1\n9,10,0,11\n");
    const std::string message = table.problem();
    CHECK(has(message, "row 3, column \"b\": 'x' is not a number"));
    CHECK(has(message, "2 samples more"));
    CHECK(has(message, "on_damaged"));
    const auto skipped = table.load("", R"("on_damaged":"skip")");
    CHECK(floatsIn(skipped->train->x[0]) == std::vector<float>{1, 2, 7, 8});
    CHECK(skipped->damaged.size() == 3);
    CHECK(has(skipped->damaged[1].reason, "row 4 has 2 cells (expected 3)"));
    const auto replaced = table.load("", R"("on_damaged":"replace")");
    CHECK(floatsIn(replaced->train->x[0]) == std::vector<float>{1, 2, 1, 2, 1, 2, 7, 8, 7, 8});
    CHECK(replaced->trainCount == 5);
    Diagnostics diagnostics;
    const DatasetInfo info = describeDataset(table.project(), diagnostics);
    CHECK(!info.isKnown);
    CHECK(diagnostics.size() == 3);
    CHECK(diagnostics[0].code == "damaged_sample");
    diagnostics.clear();
    CHECK(describeDataset(table.project("", R"("on_damaged":"skip")"), diagnostics).isKnown);
    CHECK(diagnostics.size() == 3);
    CHECK(!hasErrors(diagnostics));
  }

  TEST_CASE("errors about wrong sources say what to do") {
    CsvFile table;
    CHECK(has(table.problem(), "cannot be opened"));
    table.write("");
    CHECK(has(table.problem(), "has no rows"));
    table.write("a,b\n");
    CHECK(has(table.problem(), "no samples"));
    table.write("a,b,y\n1,2,0\n2,3,1\n");
    CHECK(has(table.problem(R"("label":["z"])"), "has no column \"z\""));
    CHECK(has(table.problem(R"("label":"Y")"), "Did you mean \"y\"?"));
    CHECK(has(table.problem(R"("ignore":["a","b"])"), "no column left"));
    CHECK(has(table.problem(R"("columns":["y"])"), "is the label"));
    CHECK(has(table.problem(R"("delimiter":"ab")"), "delimiter must be"));
    CHECK(has(table.problem(R"("label":["a","z"])"), "has no column \"z\""));
    table.write("a,b,y\n\"1,2,0\n");
    CHECK(has(table.problem(), "a quoted cell does not end"));
    table.write("a,a,y\n1,2,0\n");
    CHECK(has(table.problem(), "two columns named \"a\""));
    table.write(
        std::string("\xFF\xFE"
                    "a\0b\0",
                    6));
    CHECK(has(table.problem(), "UTF-16"));
    table.write(
        "a,b\n1,r\xF6"
        "d\n");
    CHECK(has(table.problem(), "line 2 is not UTF-8"));
    table.write("a,b,y\n1,1e999,0\n2,3,1\n4,5,1\n");
    CHECK(has(table.problem(), "'1e999' is not a number"));
    std::string ids = "id,y\n";
    for (int i = 0; i < 1100; ++i)
      ids += "name" + std::to_string(i) + "," + std::to_string(i % 2) + "\n";
    table.write(ids);
    CHECK(has(table.problem(), "1100 categories"));
  }

  TEST_CASE("samples are sliced, split and shuffled") {
    CsvFile table;
    std::string text;
    for (int i = 0; i < 100; ++i)
      text += std::to_string(i) + "," + std::to_string(i / 50) + "\n";
    table.write(text);
    const auto plain = table.load("", R"("test_split":0.2,"validation_split":0.25)");
    CHECK(plain->trainCount == 60);
    CHECK(plain->validationCount == 20);
    CHECK(plain->test->count() == 20);
    CHECK(floatsIn(plain->test->x[0])[0] == 80);
    const auto slice = table.load("", R"("skip":10,"take":5)");
    CHECK(floatsIn(slice->train->x[0]) == std::vector<float>{10, 11, 12, 13, 14});
    const auto mixed = table.load("", R"("test_split":0.2,"split_seed":3)"),
               again = table.load("", R"("test_split":0.2,"split_seed":3,"skip":0)");
    CHECK(mixed->train->x[0].isBitEqual(again->train->x[0]));
    std::vector<float> all = floatsIn(mixed->train->x[0]), rest = floatsIn(mixed->test->x[0]);
    CHECK(!std::is_sorted(all.begin(), all.end()));
    all.insert(all.end(), rest.begin(), rest.end());
    std::sort(all.begin(), all.end());
    for (size_t i = 0; i < 100; ++i)
      CHECK(all[i] == static_cast<float>(i));
    Diagnostics diagnostics;
    describeDataset(table.project("", R"("take":60,"validation_split":0.2)"), diagnostics);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].code == "unseen_class");
  }

  TEST_CASE("a wrong entry in a list of transforms does not hide the stages") {
    CsvFile table;
    table.write("a,y\n1,0\n2,1\n3,0\n");
    Project project = table.project();
    Diagnostics diagnostics;
    const DatasetInfo info = describeDataset(project, diagnostics);
    REQUIRE(info.isKnown);
    project.document()["data"]["transforms"] =
        Json::parse(R"([{"type": 5}, 7, "standardize", {}])");
    const auto stages = dataStages(project);
    const auto map = std::find_if(stages.begin(), stages.end(),
                                  [](const DataStage& stage) { return stage.type == "map"; });
    REQUIRE(map != stages.end());
    CHECK(map->phrase.arguments == Arguments{"standardize"});
  }

  TEST_CASE("transforms are fitted to the training part, and saved for predict") {
    CsvFile table;
    table.write("a,b,y\n0,10,0\n2,10,1\n4,10,0\n6,10,1\n1000,10,1\n");
    const auto data = table.load("", R"("validation_split":0.2,"transforms":["standardize"])");
    std::vector<float> batch(10);
    const std::vector<int32_t> indices{0, 1, 2, 3, 4};
    gatherInputs(data->train->x[0], data->transforms[0], indices.data(), 0, 5,
                 reinterpret_cast<std::byte*>(batch.data()), DType::F32);
    CHECK(batch[0] == doctest::Approx(-3 / std::sqrt(5.0)));
    CHECK(batch[6] == doctest::Approx(3 / std::sqrt(5.0)));
    // A constant column is shifted but not scaled.
    CHECK(batch[1] == 0);
    const auto scaled = table.load(
        "",
        R"("validation_split":0.2,"transforms":[{"type":"min_max","high":3},{"type":"clip","minimum":0.5,"maximum":2.5}])");
    gatherInputs(scaled->train->x[0], scaled->transforms[0], indices.data(), 0, 5,
                 reinterpret_cast<std::byte*>(batch.data()), DType::F32);
    CHECK(batch[0] == 0.5f);
    CHECK(batch[2] == doctest::Approx(1));
    CHECK(batch[8] == 2.5f);
    const auto one = table.load("", R"("transforms":["one_hot"])", "categorical_crossentropy");
    CHECK(floatsIn(one->train->y[0]) == std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1, 0, 1});
    const Preprocessing kept =
        parsePreprocessing(parseJson(printPreprocessing(data->preprocessing()), "kept"), "kept");
    table.write("b,a\n10,6\n", "new.csv");
    const auto rows = readInputs(table.path("new.csv"), {{"x", data->inputs[0].shape}}, kept,
                                 [](const std::string&) {});
    REQUIRE(rows.size() == 1);
    // Columns are matched by name, not by position.
    CHECK(floatsIn(rows[0].arrays[0]) == std::vector<float>{6, 10});
    table.write("6,10\n7,10,1\n", "new.csv");
    CHECK_THROWS_AS(readInputs(table.path("new.csv"), {{"x", data->inputs[0].shape}}, kept,
                               [](const std::string&) {}),
                    Error);
    CHECK_THROWS_AS(
        parsePreprocessing(Json{{"format", "strata-preprocessing"}, {"version", 2}}, "kept"),
        Error);
  }

  TEST_CASE(
      "saved numbers that no sample can have, and encodings of a wrong type, are refused before "
      "use") {
    const Json sound = parseJson(
        R"({"format": "strata-preprocessing", "version": 2, "inputs": [{"scale": 1, "offset": 0, "steps": [
      {"kind": "affine", "shift": {"values": [0], "count": 6}, "scale": {"values": [1, 2], "count": 6}}],
      "encoding": {"type": "image", "crop_to_aspect_ratio": true}}], "classes": [["a"]]})",
        "kept");
    CHECK(parsePreprocessing(sound, "kept").transforms.size() == 1);
    const auto isRefused = [&](const char* pointer, const Json& value) {
      Json json = sound;
      json[Json::json_pointer(pointer)] = value;
      try {
        parsePreprocessing(json, "kept");
        return false;
      }
      catch (const Error& error) {
        return error.code() == ErrorCode::InvalidFile && error.subject() == "kept";
      }
    };
    CHECK(isRefused("/inputs/0/encoding/type", 3));
    CHECK(isRefused("/inputs/0/encoding/crop_to_aspect_ratio", "yes"));
    CHECK(isRefused("/inputs/0/encoding", "image"));
    // With this count, the list would repeat one number until it fills eight gigabytes.
    CHECK(isRefused("/inputs/0/steps/0/shift/count", int64_t{1} << 31));
    // The saved encoding refers to a column "c" that is not in its list of all columns.
    CsvFile table;
    table.write("1,2\n");
    Preprocessing kept{InputTransforms(1), Encodings(1), ClassNames(1)};
    kept.encodings[0] = std::make_shared<const Json>(parseJson(
        R"({"type": "table", "columns": [{"name": "c", "fill": 0}], "categories": "one_hot", "missing": "error", "missing_words": [],
      "delimiter": ",", "decimal": ".", "header": false, "all_columns": ["a", "b"]})",
        "kept"));
    CHECK_THROWS_AS(readInputs(table.path(), {{"x", Shape{1}}}, kept, [](const std::string&) {}),
                    Error);
    // Each list is within the limit, but all lists together exceed it.
    Json steps = Json::array();
    for (int i = 0; i < 1000; ++i) {
      const Json numbers{{"values", {0}}, {"count", 1 << 20}};
      steps.push_back({{"kind", "affine"}, {"shift", numbers}, {"scale", numbers}});
    }
    CHECK(isRefused("/inputs/0/steps", steps));
  }

  TEST_CASE("arbitrary bytes give a table or an error") {
    CsvFile table;
    const std::string sound = "a,\"b \"\"q\"\"\",y\n1,x,0\n2.5,\"y\nz\",1\n-3e2,x,0\n";
    int good = 0, bad = 0;
    const auto attempt = [&](const std::string& text) {
      table.write(text);
      try {
        table.load(R"("missing":"mean")", R"("on_damaged":"skip")");
        ++good;
      }
      catch (const Error&) {
        ++bad;
      }
    };
    for (size_t length = 0; length <= sound.size(); ++length)
      attempt(sound.substr(0, length));
    RandomStream random(7, 1);
    const std::string letters = "0123456789,,,\"\"\n\r;.-+eEnaif \t\xff\x00\x80";
    for (int i = 0; i < 400; ++i) {
      std::string text = sound;
      for (int k = 0; k < 6; ++k)
        text[random.below(static_cast<uint32_t>(text.size()))] =
            letters[random.below(static_cast<uint32_t>(letters.size()))];
      attempt(text);
    }
    MESSAGE(good << " tables, " << bad << " errors");
    CHECK(good > 50);
    CHECK(bad > 20);
  }

  TEST_CASE("time grows linearly with the number of columns") {
    // With quadratic time, 100,000 columns took half a minute.
    CsvFile table;
    std::string row = "0";
    for (int i = 1; i < 100000; ++i)
      row += "," + std::to_string(i % 2);
    table.write(row + "\n" + row + "\n" + row + "\n");
    CHECK(table.load(R"("header":"no")")->train->x[0].shape() == Shape{3, 99999});
  }

  TEST_CASE("time grows linearly with the number of quotes in a cell") {
    // Reading took minutes when each quote moved the rest of the cell.
    CsvFile table;
    table.write("a,b\n\"" + std::string(size_t{1} << 22, '"') + "\",1\n");
    CsvOptions options;
    options.header = CsvOptions::Header::Yes;
    const CsvTable read(table.path(), options);
    REQUIRE(read.numRows() == 1);
    CHECK(read.text(0, 0) == std::string(size_t{1} << 21, '"'));
  }

  TEST_CASE("a million numbers are read quickly") {
    CsvFile table;
    std::string text;
    RandomStream random(1, 1);
    for (int row = 0; row < 100000; ++row) {
      for (int column = 0; column < 9; ++column)
        text += std::to_string(random.uniform()) + ",";
      text += std::to_string(row % 10) + "\n";
    }
    table.write(text);
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const auto start = std::chrono::steady_clock::now();
      CHECK(table.load("\"missing_value\":" + std::to_string(i))->train->count() == 100000);
      best = std::min(
          best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    MESSAGE("a million numbers in " << best << " s");
    CHECK(best < 3);
  }

  TEST_CASE("words that stand for missing values are suggested for missing_words") {
    CsvFile table;
    for (const char* word : {"n/a", "--", "<NA>", "-", "Null", "none given"}) {
      const std::string w = word;
      CAPTURE(w);
      table.write("a,y\n1,0\n" + w + ",1\n2,0\n" + w + ",1\n3,0\n");
      const std::string fields = R"("missing":"mean")", report = table.report(fields);
      CHECK(has(report, ("Add \"" + w +
                         "\" to missing_words if it stands for a missing value "
                         "(number of such rows: 2)")
                            .c_str()));
      CHECK(report.find("on_damaged") == std::string::npos);
      CHECK(has(table.problem(fields), ("Add \"" + w + "\" to missing_words").c_str()));
      const Project fixed =
          table.fixed(table.project(fields), "Add \"" + w + "\" to missing_words");
      CHECK(floatsIn(loadDataset(fixed)->train->x[0]) == std::vector<float>{1, 2, 2, 2, 3});
      // As a label of numbers
      table.write("a,y\n1,0.5\n2," + w + "\n3,1.5\n4,2.5\n5," + w + "\n6,3.5\n7,2\n");
      CHECK(has(table.problem("", "", "mean_squared_error"),
                ("Add \"" + w + "\" to missing_words").c_str()));
    }
    // Different words, and a single damaged number
    table.write("a,y\n1,0\nred,1\n2,0\nblue,1\n3,0\n");
    CHECK(has(table.problem(), "set on_damaged to skip or replace"));
    table.write("a,y\n1,0\n2x,1\n2,0\n3,0\n");
    CHECK(has(table.problem(), "set on_damaged to skip or replace"));
    // A column without any value
    table.write("a,b,y\n1,,0\n2,,1\n");
    const std::string report = table.report(R"("missing":"median")");
    CHECK(has(report, "Columns without a value in the training set: \"b\". They have no median"));
    const Project fixed =
        table.fixed(table.project(R"("missing":"median")"), "Set ignore to [\"b\"]");
    CHECK(loadDataset(fixed)->train->x[0].shape() == Shape{2, 1});
  }
}
