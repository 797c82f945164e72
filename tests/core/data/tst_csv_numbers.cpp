// SPDX-License-Identifier: Apache-2.0
// Tests notations of numbers in tables: decimal commas, thousands separators, percent and currency
// signs, the Unicode minus. Each is recognized per column, reported, and saved for predict.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/data/inputs.h"
#include "core/data/number_format.h"
#include "tests/support/csv_file.h"
#include "tests/support/has.h"

using namespace strata;

namespace {

constexpr const char* kLoss = "mean_squared_error";

/// Returns the inputs of a table whose first column is the only input.
std::vector<float> firstColumn(const CsvFile& table, const std::string& fields = "") {
  return floatsIn(table.load(fields, "", kLoss)->train->x[0]);
}

}  // namespace

TEST_SUITE("csv numbers") {
  TEST_CASE("a number is read in the notation of its column only") {
    const auto number = [](const char* text, const NumberFormat& format) {
      return parseNumber(text, format).value_or(-999);
    };
    CHECK(number("1.234,5", {',', '.'}) == 1234.5);
    CHECK(number("1,234,567.25", {'.', ','}) == 1234567.25);
    CHECK(number("1'234", {'.', '\''}) == 1234);
    CHECK(number("1\xC2\xA0"
                 "234,5",
                 {',', ' '}) == 1234.5);
    CHECK(number("\xE2\x88\x92"
                 "2.5",
                 {}) == -2.5);
    CHECK(number("12.5%", {'.', '\0', true}) == 0.125);
    CHECK(number("12,5 %", {',', '\0', true}) == 0.125);
    CHECK(number("$1,234", {'.', ',', false, "$"}) == 1234);
    CHECK(number("-$5", {'.', '\0', false, "$"}) == -5);
    CHECK(number("5 EUR", {'.', '\0', false, "EUR"}) == 5);
    CHECK(number("1e-3", {}) == 0.001);
    // Groups of other lengths, other signs, and missing percent signs
    for (const char* wrong : {"12,34", "1,2345", "0,123", ",123", "1,,234", "5%", "$5", "1.5.2", "",
                              "abc", "1.5x", "1 234"}) {
      CAPTURE(wrong);
      CHECK_FALSE(parseNumber(wrong, {'.', ','}));
    }
    CHECK_FALSE(parseNumber("5", {'.', '\0', true}));
    CHECK_FALSE(
        parseNumber("\xE2\x82\xAC"
                    "5",
                    {'.', '\0', false, "$"}));
  }

  TEST_CASE("columns of decimal commas are numbers, and are reported with a fix") {
    CsvFile table;
    table.write("a;b;y\n0,5;0,25;0\n1,5;2,25;1\n2,5;4,25;2\n");
    const auto data = table.load("", "", kLoss);
    CHECK(floatsIn(data->train->x[0]) == std::vector<float>{0.5f, 0.25f, 1.5f, 2.25f, 2.5f, 4.25f});
    const std::string report = table.report("", "", kLoss);
    CHECK(has(report, "warning number_notation"));
    CHECK(has(report, "Columns with a decimal comma: \"a\", \"b\". '0,5' is read as 0.5."));
    const Project fixed = table.fixed(table.project("", "", kLoss), "Set decimal to ,");
    Diagnostics none;
    describeDataset(fixed, none);
    CHECK(none.empty());
    CHECK(floatsIn(loadDataset(fixed)->train->x[0]) == floatsIn(data->train->x[0]));
    // They can still be categories.
    CHECK(table.load(R"("categorical":["a","b"])", "", kLoss)->train->x[0].shape() == Shape{3, 6});
    // A label that is a number has the same notations.
    table.write("a;y\n1;0,5\n2;1,5\n3;2,5\n");
    CHECK(floatsIn(table.load("", "", kLoss)->train->y[0]) == std::vector<float>{0.5f, 1.5f, 2.5f});
    // A row with another notation is damaged.
    table.write("a;y\n1,5;1\n2,5;2\n3.7x;3\n4,5;4\n");
    CHECK(has(table.problem("", "", kLoss),
              "row 4, column \"a\": '3.7x' is not a number (expected one such as 1234,5"));
  }

  TEST_CASE("a decimal comma is never the delimiter") {
    CsvFile table;
    const std::vector<float> expected{1.5f, 2.5f, 3.25f, 1, 0.5f, 0.25f};
    for (const char* fields : {R"("decimal":",")", ""})
      for (const char delimiter : {';', '\t', '|'})
        for (const char* names : {"", "a;b;y\n"}) {
          std::string text =
              std::string(names) + "1,5;2,5;4,0\r\n3,25;1,0;4,25\r\n0,5;0,25;0,75\r\n";
          std::replace(text.begin(), text.end(), ';', delimiter);
          CAPTURE(text);
          table.write(text);
          const auto data = table.load(fields, "", kLoss);
          CHECK(data->train->x[0].shape() == Shape{3, 2});
          CHECK(floatsIn(data->train->x[0]) == expected);
          CHECK(floatsIn(data->train->y[0]) == std::vector<float>{4, 4.25f, 0.75f});
          const std::string report = table.report(fields, "", kLoss);
          CHECK((*fields != 0 ? report.empty() : has(report, "decimal comma")));
        }
  }

  TEST_CASE("thousands separators, percent and currency signs and the Unicode minus are reported") {
    CsvFile table;
    struct Row {
      const char *cells, *report;
      std::vector<float> values;
    };
    const std::vector<Row> rows{
        {"1,234.5|12.5|2,000",
         "thousands separators: \"a\". '1,234.5' is read as 1234.5",
         {1234.5f, 12.5f, 2000}},
        {"1.234,5|12,5|2.000",
         "thousands separators: \"a\". '1.234,5' is read as 1234.5",
         {1234.5f, 12.5f, 2000}},
        {"1 234,5|12,5|2 000",
         "thousands separators: \"a\". '1 234,5' is read as 1234.5",
         {1234.5f, 12.5f, 2000}},
        {"1'234|12|2'000",
         "thousands separators: \"a\". '1'234' is read as 1234",
         {1234, 12, 2000}},
        {"12.5%|50 %|-3%", "percentages: \"a\". '12.5%' is read as 0.125", {0.125f, 0.5f, -0.03f}},
        {"$5|$1,200.50|7", "amounts of money: \"a\". '$5' is read as 5", {5, 1200.5f, 7}},
        {"5 EUR|1.200,50 EUR|7", "amounts of money: \"a\". '5 EUR' is read as 5", {5, 1200.5f, 7}},
        {"\xE2\x82\xAC 5|\xC2\xA0\xE2\x82\xAC 6|7", "amounts of money", {5, 6, 7}},
        {"\xC2\xA3"
         "5|6|7",
         nullptr,
         {}},
        {"\xEF\xBF\xA5"
         "5|\xEF\xBF\xA5"
         "6|7",
         "amounts of money",
         {5, 6, 7}},
        {"\xE2\x88\x92"
         "5|6|\xE2\x88\x92"
         "7.5",
         "minus sign U+2212: \"a\"",
         {-5, 6, -7.5f}}};
    for (const Row& row : rows) {
      std::string text = "a|y\n";
      int label = 0;
      std::string cells = row.cells;
      for (size_t at = 0; at <= cells.size();) {
        const size_t end = std::min(cells.find('|', at), cells.size());
        text += cells.substr(at, end - at) + "|" + std::to_string(label++) + "\n";
        at = end + 1;
      }
      CAPTURE(text);
      table.write(text);
      if (!row.report) {
        // One currency sign in a column of numbers
        CHECK(firstColumn(table).size() == 3);
        continue;
      }
      CHECK(firstColumn(table) == row.values);
      CHECK(has(table.report("", "", kLoss), row.report));
      // The column is confirmed, or its text is kept.
      CHECK(table.report(R"("numeric":["a"])", "", kLoss).find("is read as") == std::string::npos);
      CHECK(table.report(R"("categorical":["a"])", "", kLoss).empty());
    }
    // Numbers with quotes in a table with commas
    table.write("a,b,y\n\"1,234\",\"1,5\",1\n\"5,000\",2.5,2\n\"12,345,678\",3.5,3\n");
    CHECK(floatsIn(table.load(R"("columns":["a"])", "", kLoss)->train->x[0]) ==
          std::vector<float>{1234, 5000, 12345678});
  }

  TEST_CASE("units, parentheses, unusual signs, quotes and invisible characters are read") {
    CsvFile table;
    struct Case {
      std::vector<std::string> cells;
      const char* report;
      std::vector<float> values;
    };
    const std::vector<Case> cases{
        {{"(1,234.50)", "2.5", "(3)"},
         "numbers in parentheses: \"a\". '(1,234.50)' is read as the negative number -1234.5",
         {-1234.5f, 2.5f, -3}},
        {{"($20.5)", "$4", "$ 1"}, "'($20.5)' is read as the negative number", {-20.5f, 4, 1}},
        {{"5-", "6.5", "7-"}, "unusual minus sign: \"a\". '5-' is read as -5", {-5, 6.5f, -7}},
        {{"\u20138.5", "2", "3"}, "unusual minus sign", {-8.5f, 2, 3}},
        {{"\u00A01.5", "2.5\u00A0", "\u200B3.5"}, "invisible characters", {1.5f, 2.5f, 3.5f}},
        {{"=\"1.5\"", "=\"-2\"", "=\"3\""}, "'=\"1.5\"' is read as 1.5", {1.5f, -2, 3}},
        {{"'1.5", "'-2", "'3"}, "quotes that a spreadsheet wrote", {1.5f, -2, 3}},
        {{"1.5D+00", "-2.5D+01", "3D-1"}, "the letter D: \"a\"", {1.5f, -25, 0.3f}},
        {{"1.5 kg", "2 kg", "-3 kg"}, "units after the numbers: \"a\"", {1.5f, 2, -3}},
        {{"15\u00B0", "-2.5\u00B0", "3\u00B0"}, "units after the numbers", {15, -2.5f, 3}},
        {{"15 \u00B0C", "1e2 \u00B0C", "3\u00B0C"}, "units after the numbers", {15, 100, 3}},
        {{"0.2K", "29.7K", "6.0K"}, "'0.2K' is read as 0.2", {0.2f, 29.7f, 6}},
        {{"5 m/s", "1,234 m/s", "2.5 m/s"}, "units after the numbers", {5, 1234, 2.5f}},
        {{"20\u2030", "5\u2030", "1\u2030"}, "'20\u2030' is read as 0.02", {0.02f, 0.005f, 0.001f}},
        {{"1,23,456", "12,34,567.5", "1,000"}, "thousands", {123456, 1234567.5f, 1000}},
        {{"R$ 2.5", "R$ 3", "R$ 4"}, "amounts of money", {2.5f, 3, 4}},
        {{"Rs. 2.5", "Rs. 3", "Rs. 4"}, "amounts of money", {2.5f, 3, 4}},
        {{"kr 2.5", "kr 3", "kr 4"}, "amounts of money", {2.5f, 3, 4}}};
    for (const Case& each : cases) {
      std::string text = "a;y\n";
      for (size_t i = 0; i < each.cells.size(); ++i)
        text += each.cells[i] + ";" + std::to_string(i) + "\n";
      CAPTURE(text);
      table.write(text);
      CHECK(firstColumn(table) == each.values);
      CHECK(has(table.report("", "", kLoss), each.report));
      CHECK(table.report(R"("numeric":["a"])", "", kLoss).empty());
      // As a label, they are numbers, too.
      text = "b;a\n";
      for (size_t i = 0; i < each.cells.size(); ++i)
        text += std::to_string(i) + ";" + each.cells[i] + "\n";
      table.write(text);
      CHECK(floatsIn(table.load("", "", kLoss)->train->y[0]) == each.values);
    }
    // The notation is saved for predict.
    table.write("a;y\n1 kg;1\n2 kg;2\n");
    const auto data = table.load("", "", kLoss);
    const NumberFormat kept = parseNumberFormat((*data->encodings[0])["columns"][0]["format"]);
    CHECK(kept.unit == "kg");
    CHECK(parseNumber("7 kg", kept) == 7);
    CHECK_FALSE(parseNumber("7 g", kept));
    CHECK_FALSE(parseNumber("7", kept));
    // Groups of other lengths, and texts that are no units
    for (const char* wrong : {"1,2,345", "1,23,45", "123,45,678", "1,23,456,789"})
      CHECK_FALSE(parseNumber(wrong, {'.', ','}));
    for (const char* text : {"12:30", "2020-01-02", "5-10", "1/2", "0x1F", "7 or more of them"}) {
      CAPTURE(text);
      const auto parts = splitNumber(text);
      CHECK_FALSE((parts && parts->unit.empty() && valueOf(parts->body, {'.', '\0'})));
    }
  }

  TEST_CASE("columns with several units, and words after numbers, are no numbers") {
    CsvFile table;
    table.write("a;y\n5 kg;1\n6 g;2\n7 kg;3\n");
    CHECK(has(table.report("", "", kLoss), "numbers in several notations"));
    CHECK(table.report("", "", kLoss).find("is not recognized") == std::string::npos);
    CHECK(table.load("", "", kLoss)->train->x[0].shape() == Shape{3, 3});
    table.write("a;y\n4th;1\n5th;2\n1st;3\n6th;4\n");
    CHECK(table.load("", "", kLoss)->train->x[0].shape() == Shape{4, 4});
    // A single cell with a unit is damaged.
    table.write("a;y\n5;1\n6 g;2\n7;3\n");
    CHECK(has(table.problem("", "", kLoss), "'6 g' is not a number"));
    // Names that begin with numbers
    table.write("5min,10min,y\n1,2,3\n4,5,6\n");
    CHECK(table.load("", "", kLoss)->train->x[0].shape() == Shape{2, 2});
  }

  TEST_CASE("dates, ranges, fractions and hexadecimal numbers are reported as what they are") {
    CsvFile table;
    struct Case {
      const char *cells[3], *report;
    };
    for (const Case& each :
         {Case{{"2020-01-02", "2020-01-03", "2020-02-04"}, "Columns with dates or times: \"a\""},
          Case{{"1/2/2020", "3/4/2020", "5/6/2021"}, "dates or times"},
          Case{{"12:30", "12:31", "13:00:05"}, "dates or times"},
          Case{{"2020-01-02T10:00", "2020-01-03 11:00:00", "2 May 2020"}, "dates or times"},
          Case{{"5-10", "10-20", "20-30"}, "ranges or limits of numbers: \"a\""},
          Case{{"<5", ">10", "<0.5"}, "ranges or limits of numbers"},
          Case{{"12/10", "15/10", "47/10"}, "Columns with fractions: \"a\""},
          Case{{"0x190", "0x50", "0xFF"}, "hexadecimal numbers: \"a\""},
          Case{{"5\u00B79", "30\u00B72", "12\u00B79"},
               "a notation that is not recognized: \"a\""}}) {
      std::string text = "a;y\n";
      for (int i = 0; i < 30; ++i)
        text += std::string(each.cells[i % 3]) + ";" + std::to_string(i) + "\n";
      CAPTURE(text);
      table.write(text);
      const std::string report = table.report("", "", kLoss);
      CHECK(has(report, each.report));
      CHECK(report.find("identify rows") == std::string::npos);
      CHECK(table.report(R"("categorical":["a"])", "", kLoss).empty());
    }
    table.write("a;y\nred;1\nblue 2;2\n2 or so;3\n");
    CHECK(table.report("", "", kLoss).empty());
  }

  TEST_CASE("numbers that can be read in two ways follow the other columns, and are reported") {
    CsvFile table;
    const auto report = [&](const std::string& fields = "") {
      return table.report(fields, "", kLoss);
    };
    // Nothing else decides: a comma in a table with semicolons is a decimal comma.
    table.write("a;y\n1,234;1\n5,678;2\n");
    CHECK(firstColumn(table) == std::vector<float>{1.234f, 5.678f});
    CHECK(has(report(),
              "can be read in two ways: \"a\". '1,234' is read as 1.234, but could be "
              "1234. Set decimal to \",\""));
    const Project other = table.fixed(table.project("", "", kLoss), "Set decimal to .");
    CHECK(floatsIn(loadDataset(other)->train->x[0]) == std::vector<float>{1234, 5678});
    // In a table with tabs it separates thousands.
    table.write("a\ty\n1,234\t1\n5,678\t2\n");
    CHECK(firstColumn(table) == std::vector<float>{1234, 5678});
    CHECK(has(report(), "'1,234' is read as 1234, but could be 1.234"));
    // Another column decides.
    table.write("a;b;y\n1,234;0,5;1\n5,678;1,5;2\n");
    CHECK(floatsIn(table.load("", "", kLoss)->train->x[0])[0] == 1.234f);
    table.write("a;b;y\n1,234;0.5;1\n5,678;1.5;2\n");
    CHECK(floatsIn(table.load("", "", kLoss)->train->x[0])[0] == 1234);
    table.write("a;b;y\n1.234;0,5;1\n5.678;1,5;2\n");
    CHECK(floatsIn(table.load("", "", kLoss)->train->x[0])[0] == 1234);
    CHECK(has(report(), "'1.234' is read as 1234, but could be 1.234"));
    // Without a decimal comma elsewhere, a point is as usual.
    table.write("a;y\n1.234;1\n5.678;2\n");
    CHECK(firstColumn(table) == std::vector<float>{1.234f, 5.678f});
    CHECK(report().empty());
    // The decimal comma that the project sets decides, too.
    CHECK(firstColumn(table, R"("decimal":",")") == std::vector<float>{1234, 5678});
    // A zero does not begin a group.
    table.write("a\ty\n0,234\t1\n0,678\t2\n");
    CHECK(firstColumn(table) == std::vector<float>{0.234f, 0.678f});
  }

  TEST_CASE("a column of several notations is never categories without a warning") {
    CsvFile table;
    table.write("a;y\n5%;1\n6%;2\n0.07;3\n8%;4\n");
    CHECK(has(table.report("", "", kLoss),
              "Columns with numbers in several notations, such as "
              "'5%': \"a\". They are treated as categories."));
    table.write(
        "a;y\n$5;1\n\xE2\x82\xAC"
        "6;2\n$7;3\n");
    CHECK(has(table.report("", "", kLoss), "numbers in several notations"));
    // Numbers in most rows: the others are damaged.
    table.write("a;y\n5;1\n6;2\n7;3\n8%;4\n");
    CHECK(has(table.problem("", "", kLoss), "'8%' is not a number"));
  }

  TEST_CASE("the test file and predict read numbers in the notation of the training file") {
    CsvFile table;
    table.write("a;y\n1.234,5;1\n12,5;2\n7;3\n");
    table.write("a;y\n2.000;4,5\n", "test.csv");
    const auto data = table.load("\"test_path\":\"" + table.path("test.csv") + "\"", "", kLoss);
    CHECK(floatsIn(data->test->x[0]) == std::vector<float>{2000});
    const Preprocessing kept =
        parsePreprocessing(parseJson(printPreprocessing(data->preprocessing()), "kept"), "kept");
    const auto predicted = [&](const std::string& text) {
      table.write(text, "new.csv");
      return floatsIn(
          readInputs(table.path("new.csv"), {{"x", Shape{1}}}, kept, [](const std::string&) {})
              .at(0)
              .arrays[0]);
    };
    CHECK(predicted("a\n3.000\n") == std::vector<float>{3000});
    CHECK(predicted("a\n3,5\n") == std::vector<float>{3.5f});
    CHECK_THROWS_AS(predicted("a\n3,500.5\n"), Error);
    // A run of an early version has no notations, and reads quoted words as missing values.
    Json old = *data->encodings[0];
    old["columns"][0].erase("format");
    for (const char* later : {"comment", "quoted_missing", "skip_lines"})
      old.erase(later);
    old["missing"] = "value";
    Preprocessing early = kept;
    early.encodings[0] = std::make_shared<const Json>(old);
    table.write("a\n\"NA\"\n3.000\n", "new.csv");
    old["missing_words"] = {"NA"};
    early.encodings[0] = std::make_shared<const Json>(old);
    const auto rows =
        readInputs(table.path("new.csv"), {{"x", Shape{1}}}, early, [](const std::string&) {});
    CHECK(floatsIn(rows.at(0).arrays[0]) == std::vector<float>{0});
    CHECK(floatsIn(rows.at(1).arrays[0]) == std::vector<float>{3});
  }

  TEST_CASE("words for missing values in most cells do not make a column one of categories") {
    CsvFile table;
    for (const char* word : {"n/a", "#N/A", "-", "missing"}) {
      std::string text = "a,b,y\n";
      for (int i = 0; i < 30; ++i)
        text += (i % 2 == 0 ? word : std::to_string(i % 4)) + "," + std::to_string(i) + ",1\n";
      table.write(text);
      CAPTURE(word);
      CHECK(has(table.problem(R"("missing":"mean")"), "to missing_words"));
      const auto data = table.load(
          R"("missing":"mean","missing_words":[")" + std::string(word) + R"("])", "", kLoss);
      CHECK(data->train->x[0].shape() == Shape{30, 2});
    }
  }

  TEST_CASE(
      "numbers with too many digits, other units of a test file and shuffled row numbers are "
      "reported") {
    CsvFile table, test;
    std::string text = "t,y\n";
    for (int i = 0; i < 6; ++i)
      text += "170000000000000000" + std::to_string(i) + "," + std::to_string(i % 2) + "\n";
    table.write(text);
    CHECK(has(table.report("", "", kLoss), "warning lost_digits"));
    table.write("t,y\n1700000000000,0\n1700000000001,1\n1700000000002,1\n");
    CHECK(!has(table.report("", "", kLoss), "too many digits"));
    table.write(",a,y\n3,5,0\n1,6,1\n0,7,0\n2,8,1\n4,9,1\n");
    CHECK(has(table.report("", "", kLoss), "warning row_numbers"));
    table.write(",a,y\n3,5,0\n1,6,1\n9,7,0\n2,8,1\n4,9,1\n");
    CHECK(!has(table.report("", "", kLoss), "warning row_numbers"));
    table.write("a,b,y\nm,s,-\n1,2,3\n2,5,6\n3,8,9\n");
    test.write("a,b,y\nmm,s,-\n1000,2,3\n2000,5,6\n3000,8,9\n");
    const std::string report = table.report(R"("test_path":")" + test.path() + R"(")", "", kLoss);
    CHECK(has(report, "warning other_unit"));
    CHECK(has(report, "column \"a\": the unit 'mm' differs from that of the training file, 'm'"));
    CHECK(!has(report, "column \"b\""));
  }
}
