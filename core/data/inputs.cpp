// SPDX-License-Identifier: Apache-2.0
#include "core/data/inputs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "core/data/array_files.h"
#include "core/data/csv.h"
#include "core/data/idx.h"
#include "core/data/image.h"
#include "core/data/image_reading.h"
#include "core/data/table.h"
#include "core/interchange/file_bytes.h"
#include "core/interchange/zip.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

bool isEncoding(const std::shared_ptr<const Json>& encoding, const char* type) {
  return encoding && encoding->is_object() && encoding->value("type", std::string()) == type;
}

/// Returns how an image becomes an input. Training data that were no images have no reading: then
/// the ground is black, as in MNIST, and values have 8 bits.
ImageReading readingFor(const std::shared_ptr<const Json>& encoding, int channels) {
  if (isImageEncoding(encoding)) return imageReadingIn(*encoding, channels);
  ImageReading reading;
  reading.channels = channels;
  reading.background = {{0, 0, 0}};
  return reading;
}

Tensor imageInput(const std::string& path, const std::vector<Shape>& shapes,
                  const Preprocessing& preprocessing,
                  const std::function<void(const std::string&)>& note) {
  if (shapes.size() > 1)
    throw Error(ErrorCode::InvalidArgument, path,
                "is an image, but the network has " + std::to_string(shapes.size()) +
                    " Input layers (expected one). Use CSV rows.");
  const Shape& shape = shapes[0];
  const std::shared_ptr<const Json>& encoding = preprocessing.encodings[0];
  if (shape.rank() != 3 || (shape[2] != 1 && shape[2] != 3 && shape[2] != 4))
    throw Error(ErrorCode::InvalidArgument, path,
                "is an image, but the network's input is " + shape.toString() +
                    " (an image needs [height, width, 1, 3 or 4]). Use CSV rows.");
  const ImageReading reading = readingFor(encoding, static_cast<int>(shape[2]));
  BlendedImage blended;
  Tensor image = readImage(path, reading, &blended);
  if (blended.isPlain)
    note(path +
         ": becomes a single color when its transparent pixels are blended with the "
         "background " +
         backgroundName(reading.background));
  if (hasSixteenBits(path) != (reading.bits == 16))
    note(path + (reading.bits == 16 ? ": has 8 bits, multiplied by 257 as for training"
                                    : ": has 16 bits, rounded to 8 bits as for training"));
  if (!(image.shape() == shape))
    note(path + ": " + std::to_string(image.shape()[1]) + " x " + std::to_string(image.shape()[0]) +
         " pixels, resized to " + std::to_string(shape[1]) + " x " + std::to_string(shape[0]));
  if (isImageEncoding(encoding) && encoding->value("crop_to_aspect_ratio", false))
    image = cropToProportions(image, shape[0], shape[1]);
  return resizeImage(image, shape[0], shape[1]);
}

/// Returns a text like "an input of [2]" or "inputs of [2], [3]".
std::string shapesText(const std::vector<Shape>& shapes) {
  std::vector<std::string> texts;
  for (const Shape& shape : shapes)
    texts.push_back(shape.toString());
  return (shapes.size() == 1 ? "an input of " : "inputs of ") + joinedNames(texts);
}

/// Returns the element type of a sample's array, which keeps all digits that the transform needs.
DType typeFor(const Preprocessing& preprocessing, size_t input) {
  return preprocessing.transforms[input].isExact ? DType::F64 : DType::F32;
}

/// Splits the numbers of a row into the arrays of a sample.
std::vector<Tensor> arraysOf(std::span<const double> values, const std::vector<Shape>& shapes,
                             const Preprocessing& preprocessing) {
  std::vector<Tensor> arrays;
  for (const Shape& shape : shapes) {
    const auto count = static_cast<size_t>(shape.numElements());
    const Tensor exact = Tensor::from<double>(shape, values.first(count));
    arrays.push_back(exact.converted(typeFor(preprocessing, arrays.size())));
    values = values.subspan(count);
  }
  return arrays;
}

/// Reads one sample per line. Commas separate the numbers.
std::vector<NamedInput> numberRows(const std::string& path, const std::vector<Shape>& shapes,
                                   const Preprocessing& preprocessing) {
  std::string text = readFile(path, size_t{1} << 30);
  normalizeRowEnds(text);
  std::vector<NamedInput> result;
  size_t wanted = 0;
  for (const Shape& shape : shapes)
    wanted += static_cast<size_t>(shape.numElements());
  size_t row = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    at = end + 1;
    ++row;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    std::vector<double> values;
    for (size_t from = 0; from <= line.size();) {
      const size_t comma = std::min(line.find(',', from), line.size());
      std::string_view cell = line.substr(from, comma - from);
      while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t' || cell.front() == '+'))
        cell.remove_prefix(1);
      while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t' || cell.back() == '\r'))
        cell.remove_suffix(1);
      double value = 0;
      const auto parsed = std::from_chars(cell.data(), cell.data() + cell.size(), value);
      if (parsed.ec != std::errc() || parsed.ptr != cell.data() + cell.size() ||
          (std::isfinite(value) && !std::isfinite(static_cast<float>(value))))
        throw Error(
            ErrorCode::InvalidFile, path,
            "row " + std::to_string(row) + ", column " + std::to_string(values.size() + 1) + ": '" +
                excerpt(cell, 40) +
                "' is not a number. Write one sample per line, with numbers separated by commas.");
      values.push_back(value);
      from = comma + 1;
    }
    if (values.size() != wanted)
      throw Error(ErrorCode::InvalidFile, path,
                  "row " + std::to_string(row) + " has " +
                      counted(static_cast<int64_t>(values.size()), "value") + " (expected " +
                      std::to_string(wanted) + " for " + shapesText(shapes) +
                      "). Write one sample per line.");
    result.push_back({path + ":" + std::to_string(row), arraysOf(values, shapes, preprocessing)});
  }
  if (result.empty())
    throw Error(ErrorCode::InvalidFile, path,
                "has no rows. Write one sample per line, with numbers separated by commas.");
  return result;
}

enum class InputKind : uint8_t { Image, Npy, Npz, Idx, Text };

/// Recognizes the kind of a file by its name or its first bytes. A gzip file counts as IDX, because
/// IDX files are often compressed. No text file begins like an IDX or gzip file.
InputKind kindOf(const std::string& path) {
  if (isImageName(path) || isOtherImageName(path)) return InputKind::Image;
  if (path.ends_with(".npy")) return InputKind::Npy;
  if (path.ends_with(".npz")) return InputKind::Npz;
  FileBytes file(path);
  std::array<std::byte, 8> bytes{};
  file.read(bytes.data(), std::min<uint64_t>(bytes.size(), file.size()), 0);
  const std::string_view beginning(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (isImageBytes(beginning)) return InputKind::Image;
  if (beginning.starts_with("\x93NUMPY")) return InputKind::Npy;
  if (isZip(bytes)) return InputKind::Npz;
  const bool isIdx = file.size() > 1 && (beginning.starts_with(std::string_view("\0\0", 2)) ||
                                         beginning.starts_with("\x1f\x8b"));
  return isIdx ? InputKind::Idx : InputKind::Text;
}

/// Returns the shape of an array with the samples along the first dimension. A single sample may
/// lack this dimension. Gray images and single numbers may lack the last dimension of 1.
Shape shapeAlong(const Shape& got, const Shape& shape, const std::string& file,
                 const std::string& what) {
  Shape samples = got;
  if (!(got == shape) && shape.rank() > 0 && shape.dim(-1) == 1 &&
      (got.rank() == shape.rank() || got == shape.without(shape.rank() - 1)))
    samples.append(1);
  if (samples == shape) {
    samples = Shape{1};
    for (const int64_t dim : shape.dims())
      samples.append(dim);
  }
  if (samples.rank() != shape.rank() + 1 || !(samples.without(0) == shape))
    throw Error(ErrorCode::InvalidFile, file,
                what + "does not fit the network (expected samples of " + shape.toString() +
                    " along the first dimension, got an array of " + got.toString() +
                    "). Use samples with the shape of the Input layer.");
  return samples;
}

/// Returns a function that refuses an array by its header. The function refuses samples that do not
/// fit the Input layer. It also refuses a small file that declares so many samples that their
/// predictions need too much memory.
JudgeArray judgeFor(const WantedInput& input) {
  return [&input](const TensorType& type, const std::string& file, const std::string& what) {
    // An array is refused if it and its predictions need more than kMaxBytes, and if it is more
    // than kMaxUnpackRatio times as large as the file.
    constexpr uint64_t kMaxBytes = uint64_t{1} << 30, kBytesOfAnswer = 1500, kMaxUnpackRatio = 64;
    const auto samples = static_cast<uint64_t>(shapeAlong(type.shape, input.shape, file, what)[0]);
    const uint64_t there = FileBytes(file).size(), unpacked = type.bytes();
    if (unpacked + samples * kBytesOfAnswer > kMaxBytes && unpacked / kMaxUnpackRatio > there)
      throw Error(ErrorCode::InvalidFile, file,
                  what + "holds " + std::to_string(samples) + " samples in a file of " +
                      std::to_string(there) + " bytes (expected at least " +
                      std::to_string(unpacked / kMaxUnpackRatio) +
                      " bytes for so many samples). Use a part of them.");
  };
}

/// Returns the array of an archive that has the name of the Input layer. If there is only one Input
/// layer, a common name or the only array is also accepted.
FoundArray archivedInput(ArrayArchive& archive, const std::string& path, const WantedInput& input,
                         bool isOnly, ArrayUse use) {
  const std::vector<std::string> names = archive.names();
  std::vector<std::string> wanted{input.name};
  if (isOnly) wanted.insert(wanted.end(), {"x", "x_test", "X", "X_test", "test_x", "arr_0"});
  if (isOnly && names.size() == 1) wanted.push_back(names[0]);
  const auto found = std::find_if(wanted.begin(), wanted.end(),
                                  [&](const std::string& name) { return archive.has(name); });
  if (found == wanted.end())
    throw Error(ErrorCode::InvalidFile, path,
                "has no array for the Input layer \"" + input.name + "\" (expected the name " +
                    (isOnly ? input.name + " or x" : input.name) + ", got " +
                    excerpt(joinedNames(names), 200) + "). Save it under the name of the layer.");
  return archive.read(*found, use, judgeFor(input));
}

FoundArray idxInput(const std::string& path, const WantedInput& input) {
  judgeFor(input)(readIdxType(path), path, "");
  return {asInputs({readIdx(path), path, ""}), path, ""};
}

/// Reads samples from one array, or from an archive with an array for each Input layer.
std::vector<NamedInput> arraySamples(const std::string& path, InputKind kind,
                                     const std::vector<WantedInput>& inputs,
                                     const Preprocessing& preprocessing) {
  std::vector<FoundArray> arrays;
  const auto useOf = [&](size_t input) {
    return preprocessing.transforms[input].isExact ? ArrayUse::ExactInputs : ArrayUse::Inputs;
  };
  if (kind == InputKind::Npz) {
    ArrayArchive archive(path);
    for (size_t i = 0; i < inputs.size(); ++i)
      arrays.push_back(archivedInput(archive, path, inputs[i], inputs.size() == 1, useOf(i)));
  }
  else if (inputs.size() > 1) {
    std::vector<std::string> names;
    for (const WantedInput& input : inputs)
      names.push_back(input.name);
    throw Error(ErrorCode::InvalidArgument, path,
                "has one array, but the network has " + std::to_string(inputs.size()) +
                    " Input layers (expected an array for each of " + joinedNames(names) +
                    "). Use a .npz file with arrays of these names.");
  }
  else {
    arrays.push_back(kind == InputKind::Npy
                         ? readNpyArray(path, useOf(0), false, judgeFor(inputs[0]))
                         : idxInput(path, inputs[0]));
  }
  Samples samples;
  samples.x.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape shape = shapeAlong(arrays[i].tensor.shape(), inputs[i].shape, path, arrays[i].what);
    samples.x.push_back(arrays[i].tensor.shape() == shape ? std::move(arrays[i].tensor)
                                                          : arrays[i].tensor.reshaped(shape));
    if (samples.x[i].shape()[0] != samples.count())
      throw Error(ErrorCode::InvalidFile, path,
                  arrays[i].what + "has another number of samples than that of \"" +
                      inputs[0].name + "\" (expected " + std::to_string(samples.count()) +
                      ", got " + std::to_string(samples.x[i].shape()[0]) +
                      "). Use the same number for each.");
  }
  if (samples.count() == 0)
    throw Error(ErrorCode::InvalidFile, path, "has no samples. Add at least one.");
  std::vector<NamedInput> result;
  for (int64_t i = 0; i < samples.count(); ++i)
    result.push_back({path + ":" + std::to_string(i), sampleOf(samples, i)});
  return result;
}

/// Whether the first row contains the name of a column that the network uses.
bool hasNames(const CsvTable& table, const TableEncoding& encoding) {
  if (table.numRows() == 0) return false;
  const auto trimmed = [](const std::string& name) {
    return std::string(withoutInvisible(name));
  };
  std::set<std::string> first;
  for (const std::string& name : table.texts(0))
    first.insert(trimmed(name));
  return std::any_of(encoding.inputs.begin(), encoding.inputs.end(),
                     [&](const TableColumn& each) { return first.contains(trimmed(each.name)); });
}

/// Reads a table with the columns of the encoding. The first row may contain names. If it does not,
/// as many lines may precede the names as in the training file.
std::unique_ptr<CsvTable> readTable(const std::string& path, const TableEncoding& encoding) {
  CsvOptions options = encoding.options;
  options.header = CsvOptions::Header::No;
  options.skipLines = 0;
  // The rows may lack the units of the training file, so they are looked for
  if (options.units == CsvOptions::Units::Yes) options.units = CsvOptions::Units::Auto;
  auto table = std::make_unique<CsvTable>(path, options);
  if (!encoding.hadHeader) return table;
  options.header = CsvOptions::Header::Yes;
  if (hasNames(*table, encoding)) return std::make_unique<CsvTable>(path, options);
  options.skipLines = encoding.options.skipLines;
  if (options.skipLines == 0) return table;
  CsvOptions skipping = options;
  skipping.header = CsvOptions::Header::No;
  return hasNames(CsvTable(path, skipping), encoding) ? std::make_unique<CsvTable>(path, options)
                                                      : std::move(table);
}

/// Notes missing values that are replaced, and units that differ from those of the training file.
void noteTable(const std::string& path, const CsvTable& table,
               const std::vector<TableEncoding>& encodings, const std::vector<RowEncoder>& encoders,
               const std::function<void(const std::string&)>& note) {
  std::set<std::string> noted;
  const auto noteOnce = [&](const std::string& name, const std::string& line) {
    const std::string text = "column \"" + excerpt(name, 60) + "\": " + line;
    if (noted.insert(text).second) note(path + ": " + text);
  };
  const std::vector<std::string>& units = table.beginning().units;
  for (size_t k = 0; k < encoders.size(); ++k)
    for (size_t i = 0; i < encodings[k].inputs.size(); ++i) {
      const TableColumn& column = encodings[k].inputs[i];
      const size_t place = encoders[k].places()[i];
      int64_t missing = 0;
      for (size_t row = 0; row < table.numRows(); ++row)
        missing += isMissingCell(table.number(row, place)) ? 1 : 0;
      if (missing > 0)
        noteOnce(column.name,
                 counted(missing, "missing value") + " replaced by " +
                     (column.isCategorical ? "\"" + excerpt(column.fillCategory, 40) + "\""
                                           : Json(column.fill).dump()) +
                     ", as in training.");
      const auto trained =
          std::find(encodings[k].allColumns.begin(), encodings[k].allColumns.end(), column.name);
      const auto at = static_cast<size_t>(trained - encodings[k].allColumns.begin());
      if (place < units.size() && at < encodings[k].unitRow.size() &&
          units[place] != encodings[k].unitRow[at])
        noteOnce(column.name, "the unit '" + excerpt(units[place], 40) +
                                  "' differs from that of the training data, '" +
                                  excerpt(encodings[k].unitRow[at], 40) +
                                  "'. The values are not converted.");
    }
}

std::vector<NamedInput> tableRows(const std::string& path, const std::vector<Shape>& shapes,
                                  const Preprocessing& preprocessing,
                                  const std::function<void(const std::string&)>& note) {
  std::vector<TableEncoding> encodings;
  for (size_t i = 0; i < shapes.size(); ++i) {
    encodings.push_back(parseTableEncoding(*preprocessing.encodings[i], path));
    if (encodings[i].width() != shapes[i].numElements())
      throw Error(ErrorCode::InvalidArgument, path,
                  "the network expects " + shapes[i].toString() +
                      ", but the columns of its training data give " +
                      counted(encodings[i].width(), "number") +
                      ". Use weights that were trained with this project.");
  }
  // All encodings have the same text options.
  const TableEncoding& encoding = encodings[0];
  const std::unique_ptr<CsvTable> table = readTable(path, encoding);
  if (!table->ragged().empty())
    throw Error(ErrorCode::InvalidFile, path,
                table->ragged().front().reason + " Use the same columns in each row.");
  if (!table->longCells().empty())
    note(path + ": row " + std::to_string(table->longCells()[0].line) +
         ": a quoted cell ends in row " + std::to_string(table->longCells()[0].lastLine) +
         " (expected its closing quote in the same row). Is the quote missing?");
  applyFormats(encodings, *table);
  std::vector<RowEncoder> encoders;
  for (const TableEncoding& each : encodings)
    encoders.emplace_back(each, *table);
  std::set<std::string> noted;
  std::vector<NamedInput> result;
  for (size_t row = 0; row < table->numRows(); ++row) {
    NamedInput input{path + ":" + std::to_string(table->line(row)), {}};
    for (size_t i = 0; i < encoders.size(); ++i) {
      if (const std::string problem = encoders[i].rowProblem(row); !problem.empty())
        throw Error(ErrorCode::InvalidFile, path, problem + " Correct it.");
      Tensor& array = input.arrays.emplace_back(typeFor(preprocessing, i), shapes[i]);
      if (array.dtype() == DType::F64)
        encoders[i].encode(row, array.as<double>().data());
      else
        encoders[i].encode(row, array.as<float>().data());
      for (const UnknownCategory& each : encoders[i].unknownCategories(row)) {
        const std::string line =
            "column \"" + excerpt(each.column, 60) + "\": '" + excerpt(each.word, 40) +
            "' is not one of the categories of the training data and is treated as unknown.";
        if (noted.insert(line).second) note(path + ": " + line);
      }
    }
    result.push_back(std::move(input));
  }
  if (!encoding.needsAllValues() || !encoding.unitRow.empty())
    noteTable(path, *table, encodings, encoders, note);
  return result;
}

}  // namespace

std::vector<NamedInput> readInputs(const std::string& path, const std::vector<WantedInput>& inputs,
                                   const Preprocessing& preprocessing,
                                   const std::function<void(const std::string&)>& note) {
  std::vector<NamedInput> result;
  std::vector<Shape> shapes;
  for (const WantedInput& input : inputs)
    shapes.push_back(input.shape);
  const InputKind kind = kindOf(path);
  if (kind == InputKind::Image)
    result.push_back({path, {imageInput(path, shapes, preprocessing, note)}});
  else if (kind != InputKind::Text)
    result = arraySamples(path, kind, inputs, preprocessing);
  else if (std::all_of(preprocessing.encodings.begin(), preprocessing.encodings.end(),
                       [](const auto& each) { return isEncoding(each, "table"); }))
    result = tableRows(path, shapes, preprocessing, note);
  else
    result = numberRows(path, shapes, preprocessing);
  return result;
}

}  // namespace strata
