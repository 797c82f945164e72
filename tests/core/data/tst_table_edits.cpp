// SPDX-License-Identifier: Apache-2.0
// Tests the edits of a project that uses a table: another source, roles of columns, and missing
// values.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/data/table.h"
#include "core/data/table_edits.h"
#include "core/data/table_network.h"
#include "tests/support/csv_file.h"

using namespace strata;

namespace {

using Role = ColumnDescription::Role;

const char* const kDigits = R"({
  "format": "strata-project", "version": 1,
  "data": {"source": {"type": "idx", "path": "digits", "labels": "old"}, "skip": 5, "take": 100,
           "validation_split": 0.1, "split": "stratified", "on_damaged": "skip",
           "transforms": [{"type": "rescale", "scale": 0.003921568627}, "one_hot"]},
  "model": {"layers": []},
  "training": {"loss": {"type": "sparse_categorical_crossentropy", "ignore_class": 3},
               "class_weight": {"cat": 2.0}, "optimizer": "adam", "batch_size": 8}})";

Json digits() { return parseJson(kDigits, "digits"); }

Json tableProject(const std::string& source) {
  return parseJson(R"({"format":"strata-project","version":1,"data":{"source":)" + source +
                       R"(},"model":{"layers":[]},"training":{"optimizer":"adam"}})",
                   "table");
}

/// Applies the edit and checks that undo restores every byte. Returns the edited project.
Json applied(Json project, const ProjectEdit& edit) {
  const std::string before = printJson(project);
  const ProjectEdit undo = applyEdit(project, edit);
  Json undone = project;
  applyEdit(undone, undo);
  CHECK(printJson(undone) == before);
  return project;
}

/// A table of four columns, with words as label.
struct FruitTable : CsvFile {
  FruitTable() { write("size,weight,count,kind\n1,2,1,a\n2,,1,b\n3,4,2,a\n4,5,1,b\n"); }
  Json withSource(const std::string& fields = "") const {
    return tableProject(R"({"type":"csv","path":")" + path() + "\"" +
                        (fields.empty() ? "" : "," + fields) + "}");
  }
  TableDescription described(const Json& project) const {
    return describeTable(project["data"]["source"], "");
  }
  /// Returns the source after a column got another role.
  Json afterRole(const Json& project, const std::string& column, Role role) const {
    const Json result = applied(project, setRoleEdit(project, described(project), column, role));
    Json source = result["data"]["source"];
    source.erase("type");
    source.erase("path");
    return source;
  }
};

}  // namespace

TEST_SUITE("table edits") {
  TEST_CASE("a table replaces everything that belonged to the former data") {
    const Json after = applied(digits(), chooseTableEdit(digits(), "houses.csv"));
    CHECK(after["data"] == Json::parse(R"({"source": {"type": "csv", "path": "houses.csv"},
        "validation_split": 0.2, "transforms": [{"type": "standardize"}], "split_seed": 1})"));
    CHECK(after["training"] == Json::parse(R"({"loss": {"type": "sparse_categorical_crossentropy"},
                          "optimizer": "adam", "batch_size": 8})"));
    const Json empty = emptyProject().document();
    CHECK_FALSE(empty.contains("data"));
    const Json first = applied(empty, chooseTableEdit(empty, "a.csv"));
    CHECK(first["data"]["source"] == Json{{"type", "csv"}, {"path", "a.csv"}});
  }

  TEST_CASE("another table keeps the names of columns that it has") {
    const Json project = parseJson(R"({"data": {
        "source": {"type": "csv", "path": "a.csv", "test_path": "b.csv", "label": "kind",
                   "ignore": ["id", "note"], "columns": ["x"], "numeric": ["x", "y"],
                   "weights": "w", "missing": "mean", "delimiter": ";", "skip_lines": 2},
        "validation_split": 0.3, "split_seed": 7,
        "transforms": [{"type": "min_max"}, {"type": "clip", "minimum": 0, "maximum": 9}]}})",
                                   "a");
    const Json same =
        applied(project, chooseTableEdit(project, "c.csv", {"kind", "note", "x", "w"}));
    CHECK(same["data"] == Json::parse(R"({
        "source": {"type": "csv", "path": "c.csv", "label": "kind", "columns": ["x"],
                   "ignore": ["note"], "numeric": ["x"], "weights": "w", "missing": "mean"},
        "validation_split": 0.3, "split_seed": 7, "transforms": [{"type": "min_max"}]})"));
    const Json other = applied(project, chooseTableEdit(project, "c.csv", {"p", "q"}));
    CHECK(other["data"]["source"] ==
          Json::parse(R"({"type": "csv", "path": "c.csv", "missing": "mean"})"));
    // A field by output is kept as a whole, or not at all.
    Json named = project;
    named["data"]["source"]["label"] = {{"a", "kind"}, {"b", {"price"}}};
    CHECK_FALSE(
        applied(named, chooseTableEdit(named, "c.csv", {"kind"}))["data"]["source"].contains(
            "label"));
    CHECK(applied(named,
                  chooseTableEdit(named, "c.csv", {"kind", "price"}))["data"]["source"]["label"] ==
          named["data"]["source"]["label"]);
  }

  TEST_CASE("a name that means a label is preferred to the last column") {
    const auto labelOf = [](const Json& project, const std::vector<std::string>& columns) {
      return applied(project, chooseTableEdit(project, "t.csv", columns))["data"]["source"].value(
          "label", "");
    };
    CHECK(labelOf(digits(), {"species", "bill", "year"}) == "species");
    CHECK(labelOf(digits(), {"bill", "year", "species"}).empty());
    CHECK(labelOf(digits(), {"bill", "year", "price"}).empty());
    // A label that the project names stays.
    CHECK(labelOf(tableProject(R"({"type":"csv","path":"o.csv","label":"year"})"),
                  {"species", "bill", "year"}) == "year");
  }

  TEST_CASE("names of columns come from files that can be read at once") {
    FruitTable table;
    CHECK(columnNames(table.path(), 1000) ==
          std::vector<std::string>{"size", "weight", "count", "kind"});
    CHECK(columnNames(table.path(), 10).empty());
    CHECK(columnNames(table.path("none.csv"), 1000).empty());
    CHECK(columnNames(table.folder.path().string(), 1000).empty());
  }

  TEST_CASE("another source of images keeps the transforms, and another kind of data does not") {
    const Json cifar = applied(digits(), changeSourceEdit(digits(), {{"type", "cifar"}}));
    CHECK(cifar["data"] == Json::parse(R"({"source": {"type": "cifar"}, "validation_split": 0.1,
        "transforms": [{"type": "rescale", "scale": 0.003921568627}, "one_hot"]})"));
    CHECK_FALSE(cifar["training"].contains("class_weight"));
    const Json random = applied(digits(), changeSourceEdit(digits(), "random"));
    CHECK(random["data"] == Json::parse(R"({"source": "random", "validation_split": 0.1})"));
    const Json back = applied(random, changeSourceEdit(random, {{"type", "mnist"}}));
    CHECK(back["data"]["transforms"] == Json::parse(R"([{"type": "rescale"}])"));
    const Json csv = applied(digits(), changeSourceEdit(digits(), {{"type", "csv"}}));
    CHECK(csv["data"]["source"] == Json{{"type", "csv"}});
    CHECK(csv["data"]["transforms"] == Json::parse(R"([{"type": "standardize"}])"));
    // A new path of the same type is only a new path.
    Json moved = digits()["data"]["source"];
    moved["path"] = "elsewhere";
    Json expected = digits();
    expected["data"]["source"] = moved;
    CHECK(applied(digits(), changeSourceEdit(digits(), moved)) == expected);
  }

  TEST_CASE("a column gets a role") {
    FruitTable table;
    const Json guessed = table.withSource();
    CHECK(table.afterRole(guessed, "size", Role::Ignored) == Json{{"ignore", {"size"}}});
    CHECK(table.afterRole(guessed, "count", Role::Weight) == Json{{"weights", "count"}});
    CHECK(table.afterRole(guessed, "size", Role::Label) == Json{{"label", "size"}});
    // A click on the guessed label confirms it.
    CHECK(table.afterRole(guessed, "kind", Role::Label) == Json{{"label", "kind"}});
    CHECK(table.afterRole(guessed, "size", Role::Input) == Json::object());
    // The only label keeps its role until another column is the label.
    CHECK(table.afterRole(guessed, "kind", Role::Ignored) == Json::object());
    CHECK(table.afterRole(guessed, "none", Role::Ignored) == Json::object());

    const Json listed = table.withSource(
        R"("label":"kind","columns":["size","weight"],"ignore":["count"],"weights":"count")");
    CHECK(table.afterRole(listed, "count", Role::Input) ==
          Json::parse(R"({"label":"kind","columns":["size","weight","count"]})"));
    CHECK(table.afterRole(listed, "size", Role::Label) ==
          Json::parse(R"({"label":"size","columns":["weight","kind"],"ignore":["count"],
                          "weights":"count"})"));
    CHECK(table.afterRole(listed, "size", Role::Weight) ==
          Json::parse(R"({"label":"kind","columns":["weight","count"],"ignore":["count"],
                          "weights":"size"})"));
    const Json several = table.withSource(R"("label":["size","weight"])");
    CHECK(table.afterRole(several, "count", Role::Label) ==
          Json::parse(R"({"label":["size","weight","count"]})"));
    CHECK(table.afterRole(several, "size", Role::Input) == Json::parse(R"({"label":"weight"})"));
  }

  TEST_CASE("fields by output are left alone") {
    FruitTable table;
    const Json named = table.withSource(R"("label":{"a":"kind"})");
    CHECK_FALSE(canSetRoles(named));
    CHECK(setRoleEdit(named, table.described(named), "size", Role::Ignored).operations.empty());
    CHECK(networkFixes(Project(named), table.described(named)).empty());
    CHECK(canSetRoles(table.withSource()));
    CHECK_FALSE(canSetRoles(digits()));
  }

  TEST_CASE("missing values have fixes with the numbers of cells and rows") {
    FruitTable table;
    const auto fixes = [&](const std::string& fields) {
      const Json project = table.withSource(fields);
      std::vector<std::string> labels;
      for (const Fix& fix : missingFixes(project, table.described(project))) {
        labels.push_back(formatText(fix.label, fix.arguments));
        CHECK(missingFixes(applied(project, fix.edit), table.described(applied(project, fix.edit)))
                  .empty());
      }
      return labels;
    };
    using Labels = std::vector<std::string>;
    const Labels all{"Fill missing cells with the mean of the column (1)",
                     "Fill missing cells with the median of the column (1)",
                     "Drop rows with missing cells (1 of 4)"};
    CHECK(fixes("") == all);
    CHECK(fixes(R"("missing":"error")") == all);
    CHECK(fixes(R"("missing":"mean")").empty());
    CHECK(fixes(R"("ignore":["weight"])").empty());
    // A missing label cannot be filled.
    CHECK(fixes(R"("label":"weight")") == Labels{all[2]});
    CHECK(fixes(R"("label":"weight","missing":"mean")") == Labels{all[2]});
    table.write("kind,y\na,1\n,2\nb,3\n");
    CHECK(fixes("") == Labels{"Fill missing cells with the most frequent word of the column (1)",
                              "Drop rows with missing cells (1 of 3)"});
  }

  TEST_CASE("the offered networks fit the label") {
    CsvFile table;
    const auto offers = [&](const std::string& text, const std::string& fields = "") {
      table.write(text);
      const Project project = table.project(fields);
      std::vector<std::string> labels;
      for (const Fix& fix :
           networkFixes(project, describeTable(project.document()["data"]["source"], ""))) {
        labels.push_back(formatText(fix.label, fix.arguments));
        const Json after = applied(project.document(), fix.edit);
        CHECK_FALSE(hasErrors(validate(Project(after))));
      }
      return labels;
    };
    using Labels = std::vector<std::string>;
    const auto rows = [](const std::string& header, auto label) {
      std::string text = header + "\n";
      for (int i = 0; i < 20; ++i)
        text += std::to_string(i) + "," + label(i) + "\n";
      return text;
    };
    CHECK(offers(rows("x,y", [](int i) { return i % 2 ? "yes" : "no"; })) ==
          Labels{"Build a network that predicts y (2 classes)"});
    CHECK(offers(rows("x,y", [](int i) { return std::to_string(i % 2 * 4); })) ==
          Labels{"Build a network that predicts y (2 classes)"});
    CHECK(offers(rows("x,y", [](int i) { return std::to_string(1 + i % 3); })) ==
          Labels{"Build a network that predicts y (3 classes)",
                 "Build a network that predicts y as a number"});
    CHECK(offers(rows("x,y", [](int i) { return std::to_string(i * 7); })) ==
          Labels{"Build a network that predicts y as a number"});
    CHECK(offers(rows("x,y,z", [](int i) { return std::to_string(i) + "," + std::to_string(-i); }),
                 R"("label":["y","z"])") ==
          Labels{"Build a network that predicts y, z as a number"});
    // A name cannot be predicted, and one value needs no network.
    CHECK(offers(rows("x,y", [](int i) { return "name" + std::to_string(i); })).empty());
    CHECK(offers(rows("x,y", [](int) { return "1"; })).empty());
  }

  TEST_CASE("an encoded row is decoded to its cells") {
    FruitTable table;
    for (const char* categories : {"one_hot", "integer"}) {
      CAPTURE(categories);
      const std::string fields = R"("label":"size","missing":"value","missing_value":9,)";
      const auto data =
          table.load(fields + "\"categories\":\"" + categories + "\"", "", "mean_squared_error");
      const TableEncoding encoding = parseTableEncoding(*data->encodings[0], "t");
      const std::vector<float> all = floatsIn(data->train->x[0]);
      const auto width = static_cast<size_t>(encoding.width());
      const std::vector<double> second(all.begin() + static_cast<std::ptrdiff_t>(width),
                                       all.begin() + static_cast<std::ptrdiff_t>(2 * width));
      const std::vector<TableCell> cells = decodeRow(encoding, second);
      REQUIRE(cells.size() == 3);
      CHECK(cells[0].column == "weight");
      CHECK(cells[0].number == 9);
      CHECK(cells[1].number == 1);
      CHECK(cells[2].column == "kind");
      CHECK_FALSE(cells[2].number);
      CHECK(cells[2].word == "b");
      CHECK(decodeRow(encoding, second, 2).size() == 2);
      // A category that the training set does not have is unknown.
      CHECK(decodeRow(encoding, std::vector<double>(width, 0))[2].word.empty());
    }
  }

  TEST_CASE("the problems of an empty project say what to do next") {
    std::string lines;
    for (const Diagnostic& each : validate(emptyProject()))
      lines += each.line() + "\n";
    CHECK(lines ==
          "model: the network has no layers. Add an Input layer and other layers after it.\n"
          "data: The project has no data source. Choose one, or use a table.\n");
    Json written = emptyProject().document();
    written["data"]["source"] = 5;
    const Diagnostics problems = validate(Project(written));
    CHECK(problems.back().line() ==
          "data: The project needs a data source (expected an object with \"type\", such as "
          "{\"type\": \"mnist\"}). Choose one.");
  }
}
