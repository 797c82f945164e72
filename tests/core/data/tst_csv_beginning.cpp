// SPDX-License-Identifier: Apache-2.0
// Tests what precedes the data of a table: the line "sep=;", comments, skipped lines, names and
// units.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/data/csv.h"
#include "core/data/describe_table.h"
#include "core/data/inputs.h"
#include "tests/support/csv_file.h"
#include "tests/support/has.h"

using namespace strata;

namespace {

constexpr const char* kLoss = "mean_squared_error";

CsvTable readCsv(const CsvFile& table, const CsvOptions& options = {}) {
  return CsvTable(table.path(), options);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_SUITE("csv beginning") {
  TEST_CASE("the line sep= sets the delimiter and is not data") {
    CsvFile table;
    for (const char* text :
         {"sep=;\r\na;b;y\r\n1;2;3\r\n3;4;7\r\n", "\xEF\xBB\xBFsep=|\na|b|y\n1|2|3\n3|4|7\n",
          "\"sep=;\"\na;b;y\n1;2;3\n3;4;7\n", "SEP=\t\na\tb\ty\n1\t2\t3\n3\t4\t7\n"}) {
      table.write(text);
      CAPTURE(text);
      const auto data = table.load("", "", kLoss);
      CHECK(floatsIn(data->train->x[0]) == std::vector<float>{1, 2, 3, 4});
      CHECK(data->train->placeOf(0) == table.path() + ", row 3");
      CHECK(table.report("", "", kLoss).empty());
    }
    // The delimiter that the project sets has priority.
    table.write("sep=;\na,b\n1,2\n3,4\n");
    CHECK(floatsIn(table.load(R"("delimiter":",")", "", kLoss)->train->x[0]) ==
          std::vector<float>{1, 3});
  }

  TEST_CASE("columns may be separated by several spaces or tabs") {
    CsvFile table;
    const auto valuesOf = [&](const char* fields = "") {
      const auto data = table.load(fields, "", kLoss);
      std::vector<float> values = floatsIn(data->train->x[0]);
      const std::vector<float> labels = floatsIn(data->train->y[0]);
      values.insert(values.end(), labels.begin(), labels.end());
      return values;
    };
    for (const char* text :
         {"a b y\n1 2 3\n4 5 6\n", "  a   b  y\r\n  1   2  3\r\n  4   5  6  \r\n",
          "1.0  2 3\n\n 4  5   6\n", " 1,0  2,0 3,0\n 4,0  5,0 6,0\n", "1 2\t 3 \n4 5\t 6",
          "# from a program\n 1 2 3\n 4 5 6\n"}) {
      table.write(text);
      CAPTURE(text);
      CHECK(valuesOf() == std::vector<float>{1, 2, 4, 5, 3, 6});
    }
    // Quoted words stay together, as in a table of cars.
    table.write("18.0   8   1\t\"chevrolet malibu\"\n15.0   8   2\t\"buick skylark 320\"\n");
    CHECK(valuesOf(R"("label":"0","ignore":["3"])") == std::vector<float>{8, 1, 8, 2, 18, 15});
    table.write("1  2 3\n4  5 6\n");
    CHECK(valuesOf(R"("delimiter":" ")") == std::vector<float>{1, 2, 4, 5, 3, 6});
    CHECK(readCsv(table).delimiter() == ' ');
    // Other delimiters have priority over spaces in words.
    for (const auto& [text, delimiter] : {std::pair{"New York\t5\nLos Angeles\t6\n", '\t'},
                                          {"a b,c d\n1 2,3 4\n", ','},
                                          {"2020-01-01 12:00,5\n2020-01-02 12:00,6\n", ','},
                                          {"word\ntwo words\n", ','}}) {
      table.write(text);
      CAPTURE(text);
      CHECK(readCsv(table).delimiter() == delimiter);
    }
    // A row that lacks a cell is damaged.
    table.write("a  b  y\n1  2  3\n4  5\n7  8  9\n");
    CHECK(has(table.report(R"("delimiter":" ")", "", kLoss), "row 3"));
  }

  TEST_CASE("comment lines are ignored and reported") {
    CsvFile table;
    table.write("# logger 7\n# 2020-01-01, 12:00\n\na,b,y\n1,2,3\n# pause\n3,4,7\n");
    const auto data = table.load("", "", kLoss);
    CHECK(floatsIn(data->train->x[0]) == std::vector<float>{1, 2, 3, 4});
    CHECK(data->train->placeOf(1) == table.path() + ", row 7");
    const std::string report = table.report("", "", kLoss);
    CHECK(has(report, "warning comment_lines"));
    CHECK(has(report,
              "line 1: '# logger 7' begins with # and is ignored as a comment (number of "
              "such lines: 3)"));
    const Project fixed = table.fixed(table.project("", "", kLoss), "Set comment to #");
    Diagnostics none;
    describeDataset(fixed, none);
    CHECK(none.empty());
    table.write("% made by x\na,y\n1,3\n% more \"\n3,7\n");
    CHECK(floatsIn(table.load(R"("comment":"%")", "", kLoss)->train->x[0]) ==
          std::vector<float>{1, 3});
    // Names in the last comment, as numpy.savetxt writes them
    table.write("# made by x\n# a,b,y\n1,2,3\n3,4,7\n");
    CHECK(readCsv(table).columns() == Names{"a", "b", "y"});
    // A comment before names that has as many cells
    table.write("# x, y, z\na,b,y\n1,2,3\n3,4,7\n");
    CHECK(readCsv(table).columns() == Names{"a", "b", "y"});
    // Rows that begin with # are data if they have as many cells as the others.
    table.write("#ff0000,1,0\n#00ff00,2,1\n#ff0000,3,0\n");
    CHECK(table.load("", "", kLoss)->train->count() == 3);
    CHECK(table.report("", "", kLoss).find("comment") == std::string::npos);
    table.write("#id,a,y\n1,2,3\n3,4,7\n");
    CHECK(readCsv(table).columns()[0] == "#id");
    CsvOptions none2;
    none2.comment = "";
    table.write("# a\n# b\n");
    CHECK(readCsv(table, none2).numRows() == 2);
  }

  TEST_CASE("lines at the beginning can be skipped, also in rows for predict") {
    CsvFile table;
    table.write("Station 4\nRome, Italy\na,b,y\n1,2,3\n3,4,7\n");
    const auto data = table.load(R"("skip_lines":2)", "", kLoss);
    CHECK(floatsIn(data->train->x[0]) == std::vector<float>{1, 2, 3, 4});
    CHECK(data->train->placeOf(0) == table.path() + ", row 4");
    for (const char* text : {"Station 5\nOslo\nb,a\n6,5\n", "b,a\n6,5\n"}) {
      table.write(text, "new.csv");
      const auto rows = readInputs(table.path("new.csv"), {{"x", Shape{2}}}, data->preprocessing(),
                                   [](const std::string&) {});
      REQUIRE(rows.size() == 1);
      CHECK(floatsIn(rows[0].arrays[0]) == std::vector<float>{5, 6});
    }
    CHECK(has(table.problem(R"("skip_lines":9)"), "has no rows"));
  }

  TEST_CASE("a row of units is recognized, reported and not data") {
    CsvFile table;
    for (const char* text : {"a,b,y\nmm,g,-\n1,2,3\n3,4,7\n", "a,b,y\n[m],,\n1,2,3\n3,4,7\n",
                             "a,b,y\n(m),(kg),(s)\n1,2,3\n3,4,7\n",
                             "# log\na;b;y\nmm;g;-\n1,0;2,0;3,0\n3,0;4,0;7,0\n"}) {
      table.write(text);
      CAPTURE(text);
      CHECK(floatsIn(table.load("", "", kLoss)->train->x[0]) == std::vector<float>{1, 2, 3, 4});
      CHECK(has(table.report("", "", kLoss), "the cells after the names"));
    }
    table.write("a,b,y\nmm,g,-\n1,2,3\n3,4,7\n");
    CHECK(has(table.report("", "", kLoss),
              "row 2: the cells after the names (\"mm\", \"g\", \"-\") are read as units"));
    const Project fixed = table.fixed(table.project("", "", kLoss), "Set units to yes");
    Diagnostics none;
    describeDataset(fixed, none);
    CHECK(none.empty());
    CHECK(has(table.problem(R"("units":"no","header":"yes")", "", kLoss),
              "row 2, column \"a\": 'mm' is not"));
    CHECK(readCsv(table).beginning().units == Names{"mm", "g", "-"});
    // Rows for prediction are read in the same way, and may lack the units
    const auto samplesOf = [&](const char* fields, const char* text) {
      const auto data = table.load(fields, "", kLoss);
      const Preprocessing kept =
          parsePreprocessing(parseJson(printPreprocessing(data->preprocessing()), "kept"), "kept");
      table.write(text, "new.csv");
      return readInputs(table.path("new.csv"), {{"x", data->inputs[0].shape}}, kept,
                        [](const std::string&) {})
          .size();
    };
    CHECK(samplesOf(R"("units":"yes")", "a,b\nmm,g\n5,6\n7,8\n") == 2);
    CHECK(samplesOf(R"("units":"yes")", "a,b\n5,6\n7,8\n") == 2);
    table.write("a,b,y\n1,2,3\n3,4,7\n");
    CHECK(samplesOf("", "a,b\nmm,g\n5,6\n7,8\n") == 2);
    CHECK_THROWS_AS(samplesOf(R"("units":"no")", "a,b\nmm,g\n5,6\n7,8\n"), Error);
    // A damaged cell in the only column of numbers is not a unit, nor is a row of words in a table
    // of words.
    table.write("a,y\nx,1\n2,2\n3,3\n");
    CHECK(readCsv(table).beginning().unitLine == 0);
    table.write("a,b,y\nred,big,u\nred,small,v\nblue,big,u\n");
    CHECK(readCsv(table).numRows() == 3);
  }

  TEST_CASE("whole numbers as names of columns are recognized or hinted at") {
    CsvFile table;
    const auto names = [&](const char* text) {
      table.write(text);
      return readCsv(table);
    };
    CHECK(names("2019,2020,2021\n1.5,2.5,3.5\n4.5,5.5,6.5\n7.5,8.5,9.5\n").columns() ==
          Names{"2019", "2020", "2021"});
    CHECK(has(table.report("", "", kLoss),
              "row 1: the numbers are read as names of columns (\"2019\", \"2020\", \"2021\")"));
    CHECK(table.load("", "", kLoss)->train->count() == 3);
    CHECK(table.load(R"("header":"no")", "", kLoss)->train->count() == 4);
    CHECK(names("land,2000,2010,2020\nDE,1.5,2.5,3.5\nFR,4.5,5.5,6.5\n").hasHeader());
    CHECK(names("\"1\",\"5\"\n7,8\n9,10\n").hasHeader());
    CHECK(names(",0,1,2\n0,1.5,2.5,3\n1,4.5,5.5,6\n").hasHeader());
    // Years as data
    CHECK_FALSE(names("2019,2020,2021\n2001,2002,2003\n2005,2006,2007\n").hasHeader());
    CHECK_FALSE(names("1,2,0\n3,4,1\n5,6,0\n").hasHeader());
    CHECK(table.report().empty());
    // Far from the rest: read as data, with a hint
    const CsvTable far = names("100,900\n1.5,2.5\n0.5,3.5\n2.5,1.5\n");
    CHECK_FALSE(far.hasHeader());
    CHECK(far.beginning().mayBeHeader);
    CHECK(has(table.report("", "", kLoss), "(\"100\", \"900\") differ from the other rows"));
    CHECK(table.fixed(table.project("", "", kLoss), "Set header to yes")
              .document()["data"]["source"]["header"] == "yes");
    // The numbers of the columns
    CHECK(names("0,1,2\n1.5,2.5,3\n4.5,5.5,6\n").beginning().mayBeHeader);
  }

  TEST_CASE("spaces around names do not matter unless they distinguish names") {
    CsvFile table;
    table.write("\"a \",\"b\",\"y \"\n1,2,3\n2,3,4\n");
    const auto data = table.load(R"("label":"y","ignore":["b"])", "", kLoss);
    CHECK(floatsIn(data->train->x[0]) == std::vector<float>{1, 2});
    CHECK(floatsIn(data->train->y[0]) == std::vector<float>{3, 4});
    CHECK(floatsIn(table.load(R"("label":"y ","columns":["a"])", "", kLoss)->train->x[0]) ==
          std::vector<float>{1, 2});
    table.write("a\n5\n", "new.csv");
    const auto rows = readInputs(table.path("new.csv"), {{"x", Shape{1}}}, data->preprocessing(),
                                 [](const std::string&) {});
    CHECK(floatsIn(rows.at(0).arrays[0]) == std::vector<float>{5});
    table.write("a,\"y \",\" y\"\n1,2,3\n2,3,4\n");
    CHECK(has(table.problem(R"("label":"y")", "", kLoss), "has no column \"y\""));
  }

  TEST_CASE("a quoted word is text, also if it is a word for a missing value") {
    CsvFile table;
    table.write("land,y\n\"NA\",1\nNA,2\n\"DE\",3\n\"\",4\n");
    const auto data = table.load(R"("missing":"value")", "", kLoss);
    CHECK(data->encodings[0]->at("columns")[0].at("categories") == Json{"DE", "NA"});
    CHECK(data->filled.at(0).cells == 2);
    // Among numbers alone it can only be a missing value.
    table.write("a,y\n\"NA\",1\n2,2\n3,3\n");
    CHECK(table.load(R"("missing":"mean")", "", kLoss)->filled.at(0).cells == 1);
  }

  TEST_CASE("replaced cells are counted for each column") {
    CsvFile table;
    table.write("alley,area,y\nNone,20,1\nGrvl,30,2\nNone,,3\nPave,50,4\nNone,60,5\n");
    const auto data = table.load(R"("missing":"mean")", "", kLoss);
    REQUIRE(data->filled.size() == 2);
    CHECK(data->filled[0].column == "alley");
    CHECK(data->filled[0].cells == 3);
    CHECK(data->filled[0].rows == 5);
    CHECK(data->filled[0].replacement == "Grvl");
    CHECK(data->filled[1].column == "area");
    CHECK(data->filled[1].cells == 1);
    CHECK(data->filled[1].replacement == "40");
    const std::string report = table.report(R"("missing":"mean")", "", kLoss);
    CHECK(has(report,
              "Column \"alley\": 3 of 5 cells are missing values, because 'None' is in "
              "missing_words, and are replaced by 'Grvl'."));
    CHECK(report.find("area") == std::string::npos);
    const Project fixed =
        table.fixed(table.project(R"("missing":"mean")", "", kLoss), "Treat 'None' as a category");
    CHECK(loadDataset(fixed)->encodings[0]->at("columns")[0].at("categories") ==
          Json{"Grvl", "None", "Pave"});
    // All parts are counted, and the test file too.
    table.write("alley,area,y\n?,20,1\n", "test.csv");
    const auto parts =
        table.load(R"("missing":"median","test_path":")" + table.path("test.csv") + "\"",
                   R"("validation_split":0.4)", kLoss);
    CHECK(parts->filled[0].cells == 4);
    CHECK(parts->filled[0].rows == 6);
  }

  TEST_CASE("a table is described for a person who chooses its columns") {
    CsvFile table;
    table.write(
        "# log\nname;size;share;kind;note\n-;[m];[%];-;-\nx;1,5;5%;u;\ny;;6%;v;\nz;2,5;7%;u;\n");
    const Json source{{"type", "csv"},
                      {"path", "t.csv"},
                      {"missing", "mean"},
                      {"ignore", {"name"}},
                      {"label", "kind"}};
    const TableDescription found = describeTable(source, table.folder.path().string());
    CHECK(found.path == table.path());
    CHECK(found.delimiter == ';');
    CHECK(found.hasHeader);
    CHECK(found.rows == 3);
    REQUIRE(found.columns.size() == 5);
    using Column = ColumnDescription;
    const Column& size = found.columns[1];
    CHECK(size.name == "size");
    CHECK(size.unit == "[m]");
    CHECK(size.kind == Column::Kind::Number);
    CHECK(size.role == Column::Role::Input);
    CHECK(size.format == NumberFormat{',', '\0'});
    CHECK(size.samples == Names{"1,5", "", "2,5"});
    CHECK(size.missing == 1);
    CHECK(size.filled == 1);
    CHECK(found.columns[0].role == Column::Role::Ignored);
    CHECK(found.columns[2].format->isPercent);
    CHECK(found.columns[3].role == Column::Role::Label);
    CHECK_FALSE(found.columns[3].isLabelGuessed);
    CHECK(found.columns[3].kind == Column::Kind::Category);
    CHECK(found.columns[3].categories == 2);
    CHECK(found.columns[4].kind == Column::Kind::Empty);
    CHECK(found.notes.size() == 4);
    const TableDescription guessed =
        describeTable({{"type", "csv"}, {"path", table.path()}}, "/elsewhere");
    CHECK(guessed.columns[4].isLabelGuessed);
    CHECK(guessed.columns[1].filled == 0);
    CHECK_THROWS_AS(describeTable({{"type", "csv"}, {"path", table.path()}, {"label", "q"}}, ""),
                    Error);
    CHECK_THROWS_AS(describeTable({{"type", "csv"}}, ""), Error);
  }

  TEST_CASE("names that are not in the first line are found, with a fix") {
    CsvFile table;
    struct Case {
      const char *text, *advice, *fix;
    };
    for (const Case& each :
         {Case{"Report of 2020\na,b,y\n1,2,0\n3,4,1\n", "Set skip_lines to 1.",
               "Set skip_lines to 1"},
          Case{"Report of 2020\n\na;b;y\n1;2;0\n3;4;1\n", "Set skip_lines to 2.",
               "Set skip_lines to 2"},
          Case{"Report of 2020,,\na,b,y\n1,2,0\n3,4,1\n", "Set skip_lines to 1.",
               "Set skip_lines to 1"},
          Case{"% one\n% two\na,b,y\n1,2,0\n3,4,1\n", "Set comment to \"%\".", "Set comment to %"},
          Case{"// one\na;b;y\n1;2;0\n3;4;1\n", "Set comment to \"//\", delimiter to \";\".",
               "Set comment to //"},
          Case{"sep=,\na;b;y\n1;2;0\n3;4;1\n", "Set delimiter to \";\".", "Set delimiter to ;"},
          Case{"sep=,\na b y\n1 2 0\n3 4 1\n", "Set delimiter to \" \".", "Set delimiter to  "}}) {
      CAPTURE(each.text);
      for (const char* label : {"", R"("label":"y")"}) {
        table.write(each.text);
        CHECK(has(table.problem(label), "looks like the names of columns"));
        CHECK(has(table.problem(label), each.advice));
        const Project fixed = table.fixed(table.project(label), each.fix);
        Diagnostics none;
        describeDataset(fixed, none);
        CHECK(none.empty());
        CHECK(loadDataset(fixed)->train->x[0].shape() == Shape{2, 2});
      }
    }
    // A delimiter at the end of each row
    table.write("a,b,y,\n1,2,0,\n3,4,1,\n");
    CHECK(table.load(R"("label":"y")")->train->x[0].shape() == Shape{2, 2});
    CHECK(table.report(R"("label":"y")").empty());
    // Tables without names
    for (const char* text : {"1,2,0\n3,4,1\n", "red,blue,0\ngreen,blue,1\nred,red,0\n"}) {
      table.write(text);
      CHECK(table.report().empty());
    }
    table.write("\n<!DOCTYPE html>\n<html><table></table></html>\n");
    CHECK(has(table.problem(), "is an HTML page, not a table"));
  }

  TEST_CASE("names are found without what surrounds them, or the right one is suggested") {
    CsvFile table;
    for (const char* name : {"y\u00A0", "\u200By", "y\r", " y "}) {
      CAPTURE(name);
      table.write(std::string("a,b,") + name + "\r\n1,2,0\r\n3,4,1\r\n");
      CHECK(table.load(R"("label":"y")")->train->x[0].shape() == Shape{2, 2});
    }
    for (const char* name : {"y [m]", "y*", "y (mm)", "Y"}) {
      table.write(std::string("a,b,") + name + "\n1,2,0\n3,4,1\n");
      CHECK(has(table.problem(R"("label":"y")"),
                (std::string("Did you mean \"") + name + "\"?").c_str()));
    }
    table.write("a,b,z\n1,2,0\n3,4,1\n");
    CHECK(has(table.problem(R"("label":"y")"), "Choose one of them."));
  }

  TEST_CASE("predict notes replaced values, and units that differ from the training file") {
    CsvFile table;
    table.write("a,b,y\n[m],[s],[-]\n1,2,0\n,4,1\n3,5,1\n");
    const auto data = table.load(R"("missing":"mean","units":"yes")");
    const Preprocessing kept =
        parsePreprocessing(parseJson(printPreprocessing(data->preprocessing()), "kept"), "kept");
    const auto notesOf = [&](const std::string& text) {
      table.write(text, "new.csv");
      std::string notes;
      (void)readInputs(table.path("new.csv"), {{"x", Shape{2}}}, kept,
                       [&](const std::string& line) { notes += line + "\n"; });
      return notes;
    };
    CHECK(notesOf("a,b\n[m],[s]\n1,2\n").empty());
    const std::string notes = notesOf("a,b\n[mm],[s]\n1,2\n,3\n,5\n");
    CHECK(has(notes, "column \"a\": 2 missing values replaced by 2.0, as in training."));
    CHECK(
        has(notes, "column \"a\": the unit '[mm]' differs from that of the training data, '[m]'"));
    CHECK(notes.find("\"b\"") == std::string::npos);
  }
}
