// SPDX-License-Identifier: Apache-2.0
// The source `csv`: its fields and their help. A table has one sample per row. Its columns contain
// numbers or categories, and at least one column is the target. Not here: loading (csv_loader.h).
#include <string>

#include "core/data/csv_loader.h"
#include "core/data/source.h"

namespace strata {

namespace {

std::string csvState(const SourceInput& input) {
  std::string state = fileState(pathOf(input, "path"));
  if (const std::string test = pathOf(input, "test_path"); !test.empty()) state += fileState(test);
  return state;
}

FieldSchema listField(const char* name, const char* defaultJson, Text title, Text help) {
  FieldSchema field = dataField(name, FieldType::StringList, defaultJson, title, help);
  field.count = 1;
  return field;
}

}  // namespace

SourceDef csvSource() {
  SourceDef source;
  Schema& schema = source.schema;
  schema.type = "csv";
  schema.group = "Source";
  schema.help = STRATA_TEXT("data",
                            "A text table with one sample per row; columns contain numbers or text "
                            "(categories), and one or more columns are the target.");
  schema.source = "RFC 4180";
  FieldSchema delimiter = textField("delimiter", STRATA_TEXT("data", "Delimiter"),
                                    STRATA_TEXT("data",
                                                "Delimiter between cells: one character, tab, or "
                                                "auto to detect it from the first rows. Several "
                                                "spaces count as one."));
  delimiter.defaultJson = "\"auto\"";
  FieldSchema skipLines =
      dataField("skip_lines", FieldType::Integer, "0", STRATA_TEXT("data", "Lines to skip"),
                STRATA_TEXT("data", "Number of lines to ignore at the beginning of the file."));
  skipLines.minimum = 0;
  schema.fields = {
      pathField(PathKind::File, "path", STRATA_TEXT("data", "File"),
                STRATA_TEXT("data", "Path of the table, relative to the project file.")),
      pathField(PathKind::File, "test_path", STRATA_TEXT("data", "Test file"),
                STRATA_TEXT("data", "Table with the same columns, used as the test set."), true),
      listField("label", "null", STRATA_TEXT("data", "Label"),
                STRATA_TEXT("data",
                            "Name of the target column, or a list of names; by default the last "
                            "column. Without a header, columns are named 0, 1, and so on. With "
                            "several outputs, an object with a list for each output.")),
      listField("columns", "null", STRATA_TEXT("data", "Columns"),
                STRATA_TEXT("data",
                            "Names of the input columns; by default all except the target columns. "
                            "With several Input layers, an object with a list for each layer.")),
      listField("ignore", "[]", STRATA_TEXT("data", "Ignore"),
                STRATA_TEXT("data", "Names of the columns to leave out.")),
      listField("numeric", "[]", STRATA_TEXT("data", "Numeric columns"),
                STRATA_TEXT("data",
                            "Names of columns that contain numbers, even if they have thousands "
                            "separators, percent or currency signs, or words in some rows.")),
      listField(
          "categorical", "[]", STRATA_TEXT("data", "Categorical columns"),
          STRATA_TEXT("data",
                      "Names of numeric columns to treat as categories; text columns always are.")),
      choiceField("categories", "\"one_hot\"", {"one_hot", "integer"},
                  STRATA_TEXT("data", "Category encoding"),
                  STRATA_TEXT("data",
                              "one_hot: one value per category; integer: an index starting at 1, "
                              "for an Embedding layer; 0 means unknown.")),
      choiceField(
          "missing", "\"error\"", {"error", "mean", "median", "value", "drop"},
          STRATA_TEXT("data", "Missing values"),
          STRATA_TEXT("data",
                      "error: report an error; mean, median: use the mean or median of the "
                      "training set (for text, its most frequent value); value: use a fixed value; "
                      "drop: remove the row, even if only its label is missing.")),
      dataField("missing_value", FieldType::Number, "0.0", STRATA_TEXT("data", "Value"),
                STRATA_TEXT("data", "Number that replaces missing numbers if missing is value.")),
      listField(
          "missing_words", R"(["NA", "N/A", "NaN", "nan", "null", "NULL", "None", "none", "?"])",
          STRATA_TEXT("data", "Missing value markers"),
          STRATA_TEXT("data", "Text that marks a missing value, in addition to empty cells.")),
      choiceField(
          "header", "\"auto\"", {"auto", "yes", "no"}, STRATA_TEXT("data", "Header"),
          STRATA_TEXT(
              "data",
              "Whether the first row contains column names; auto: detected from the first rows.")),
      delimiter,
      choiceField("decimal", "\"auto\"", {"auto", ".", ","},
                  STRATA_TEXT("data", "Decimal separator"),
                  STRATA_TEXT("data",
                              "Character before the fractional part of numbers that can be read in "
                              "two ways, such as 1,234; auto: as in the other columns.")),
      choiceField("units", "\"auto\"", {"auto", "yes", "no"}, STRATA_TEXT("data", "Units"),
                  STRATA_TEXT("data",
                              "Whether the row after the names contains units, such as [m], which "
                              "are ignored; auto: detected from the first rows.")),
      textField("comment", STRATA_TEXT("data", "Comment marker"),
                STRATA_TEXT("data",
                            "Lines that begin with this text are ignored; by default, lines that "
                            "begin with # and have another number of cells than the table."),
                true),
      skipLines,
      dataField(
          "long_cells", FieldType::Boolean, "false", STRATA_TEXT("data", "Line breaks in cells"),
          STRATA_TEXT("data",
                      "Quoted cells may contain line breaks. If false, up to 3 such cells give a "
                      "warning and more give an error, because a missing quote looks the same.")),
      textField(
          kSampleWeights, STRATA_TEXT("data", "Sample weights"),
          STRATA_TEXT("data",
                      "Name of the column with the weight of each sample in the loss, or an object "
                      "with a column for each output; by default all weights are equal."),
          true)};
  source.ofInputs = {"columns"};
  source.ofOutputs = {"label", kSampleWeights};
  source.load = loadCsv;
  source.state = csvState;
  return source;
}

}  // namespace strata
