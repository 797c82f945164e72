// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/field_text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/cost/simulated_card.h"
#include "core/layers/objects.h"
#include "core/project/json.h"
#include "gpu/base/bytes.h"
#include "gpu/devices/device_name.h"
#include "ui/device_text.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

struct Fields {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::Fields)
};

QString plain(const Json& value) {
  if (value.is_string()) return text(value.get<std::string>());
  QString printed = text(printJson(value)).trimmed();
  return printed;
}

QString joined(const Json& list, const QString& separator) {
  QStringList parts;
  for (const Json& part : list)
    parts << plain(part);
  return parts.join(separator);
}

bool isBytes(const FieldSchema& field) {
  return field.type == FieldType::Integer && field.unit == "bytes";
}

/// Formats a size in the largest unit in which it is a whole number, such as "512 MiB".
QString exactBytes(int64_t bytes) {
  constexpr int64_t kKibi = 1024;
  int64_t scale = kKibi * kKibi * kKibi;
  for (const char* unit : {"GiB", "MiB", "KiB"}) {
    if (bytes >= scale && bytes % scale == 0)
      return u"%1 %2"_s.arg(bytes / scale).arg(QLatin1String(unit));
    scale /= kKibi;
  }
  return u"%1 B"_s.arg(bytes);
}

/// Converts text such as "1.5 GiB" to a number of bytes. Other text is returned unchanged.
QString bytesOf(const QString& word) {
  const std::optional<int64_t> bytes = parseBytes(word.toStdString());
  return bytes ? QString::number(*bytes) : word;
}

bool isPairOrShape(FieldType type) {
  return type == FieldType::IntegerPair || type == FieldType::Shape;
}

template <class T>
std::optional<T> parseExactly(const QString& word) {
  const std::string bytes = word.toStdString();
  const char* begin = bytes.data();
  const char* end = begin + bytes.size();
  if (begin != end && *begin == '+') ++begin;
  T value{};
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

QString bound(double value) {
  Json json = value;
  if (value == std::floor(value) && std::abs(value) < 1e15) json = static_cast<int64_t>(value);
  return plain(json);
}

QString rangeText(const FieldSchema& field) {
  // Maxima from this value on only prevent overflow, so they are not shown.
  constexpr double kLargestShown = 1e12;
  const bool hasMaximum = field.maximum && *field.maximum < kLargestShown;
  if (field.minimum && hasMaximum) {
    if (field.isMinimumExclusive && field.isMaximumExclusive)
      return Fields::tr("more than %1 and less than %2")
          .arg(bound(*field.minimum), bound(*field.maximum));
    if (field.isMinimumExclusive)
      return Fields::tr("more than %1 and at most %2")
          .arg(bound(*field.minimum), bound(*field.maximum));
    if (field.isMaximumExclusive)
      return Fields::tr("at least %1 and less than %2")
          .arg(bound(*field.minimum), bound(*field.maximum));
    return Fields::tr("between %1 and %2").arg(bound(*field.minimum), bound(*field.maximum));
  }
  if (field.minimum)
    return (field.isMinimumExclusive ? Fields::tr("more than %1") : Fields::tr("%1 or more"))
        .arg(bound(*field.minimum));
  if (hasMaximum)
    return (field.isMaximumExclusive ? Fields::tr("less than %1") : Fields::tr("%1 or less"))
        .arg(bound(*field.maximum));
  return {};
}

bool isInRange(const FieldSchema& field, double value) {
  if (field.minimum &&
      (value < *field.minimum || (field.isMinimumExclusive && value == *field.minimum)))
    return false;
  return !(field.maximum &&
           (value > *field.maximum || (field.isMaximumExclusive && value == *field.maximum)));
}

/// Returns whether a list of numbers may also be a word, or have names.
bool takesNames(const FieldSchema& field) {
  return field.type == FieldType::NumberList && !field.choices.empty();
}

/// Returns what the field expects, such as "Expected a whole number, 1 or more."
QString expectation(const FieldSchema& field) {
  const QString range = rangeText(field);
  if (isBytes(field))
    return Fields::tr("Expected a size in bytes, for example 512 MiB or 1.5 GiB.");
  switch (field.type) {
    case FieldType::Integer:
      if (!field.choices.empty()) {
        QStringList words;
        for (const std::string& choice : field.choices)
          words << text(choice);
        return Fields::tr("Expected a whole number, or one of: %1.").arg(words.join(u", "_s));
      }
      return range.isEmpty() ? Fields::tr("Expected a whole number.")
                             : Fields::tr("Expected a whole number, %1.").arg(range);
    case FieldType::Number:
      return range.isEmpty() ? Fields::tr("Expected a number.")
                             : Fields::tr("Expected a number, %1.").arg(range);
    case FieldType::IntegerPair:
      return range.isEmpty()
                 ? Fields::tr("Expected one or two whole numbers, for example 3 × 3.")
                 : Fields::tr("Expected one or two whole numbers, each %1, for example 3 × 3.")
                       .arg(range);
    case FieldType::Shape:
      return range.isEmpty()
                 ? Fields::tr("Expected whole numbers, for example 28 × 28 × 1.")
                 : Fields::tr("Expected whole numbers, each %1, for example 28 × 28 × 1.")
                       .arg(range);
    case FieldType::IntegerList: return Fields::tr("Expected whole numbers separated by commas.");
    case FieldType::NumberList:
      if (takesNames(field))
        return Fields::tr(
                   "Expected numbers separated by commas, names with numbers such as "
                   "cat: 1, dog: 2.5, or %1.")
            .arg(text(field.choices.front()));
      return Fields::tr("Expected numbers separated by commas.");
    case FieldType::StringList: return Fields::tr("Expected names separated by commas.");
    case FieldType::IntegerOrList:
      switch (field.count) {
        case 1:
          return range.isEmpty() ? Fields::tr("Expected a whole number.")
                                 : Fields::tr("Expected a whole number, %1.").arg(range);
        case 3: return Fields::tr("Expected one or three whole numbers.");
        default: return Fields::tr("Expected whole numbers separated by commas.");
      }
    case FieldType::Margins:
      return field.count > 1
                 ? Fields::tr(
                       "Expected one whole number for all directions, one per direction, or two "
                       "per direction, for example 1, 2, 0, 1.")
                 : Fields::tr("Expected one whole number, or two numbers: before and after.");
    case FieldType::Boolean: return Fields::tr("Expected yes or no.");
    default: return Fields::tr("Expected a value.");
  }
}

std::optional<Json> parseNumber(const FieldSchema& field, const QString& word, bool isWhole) {
  if (const auto whole = parseExactly<int64_t>(word)) {
    if (isInRange(field, static_cast<double>(*whole))) return Json(*whole);
    return std::nullopt;
  }
  if (isWhole) return std::nullopt;
  const auto value = parseExactly<double>(word);
  if (!value || !std::isfinite(*value) || !isInRange(field, *value)) return std::nullopt;
  return Json(*value);
}

std::optional<Json> choiceOf(const FieldSchema& field, const QString& word) {
  for (const std::string& choice : field.choices) {
    if (text(choice) == word) return Json(choice);
  }
  return std::nullopt;
}

/// Parses numbers of names, such as "cat: 1, dog: 2.5".
std::optional<Json> namedNumbers(const FieldSchema& field, const QString& words) {
  Json numbers = Json::object();
  for (const QString& part : words.split(u',')) {
    const QString name = part.section(u':', 0, -2).trimmed();
    const auto number = parseNumber(field, part.section(u':', -1).trimmed(), false);
    if (name.isEmpty() || !number || numbers.contains(name.toStdString())) return std::nullopt;
    numbers[name.toStdString()] = *number;
  }
  return numbers;
}

}  // namespace

QString fieldText(const FieldSchema& field, const Json& value) {
  if (value.is_null()) return Fields::tr("none");
  if (value.is_boolean()) return value.get<bool>() ? Fields::tr("yes") : Fields::tr("no");
  if (value.is_array() && field.type == FieldType::Margins && !value.empty() &&
      value[0].is_array()) {
    QStringList parts;
    for (const Json& pair : value)
      parts << joined(pair, u", "_s);
    return parts.join(u", "_s);
  }
  if (value.is_array()) return joined(value, isPairOrShape(field.type) ? u" × "_s : u", "_s);
  if (isBytes(field) && value.is_number_integer()) return exactBytes(value.get<int64_t>());
  if (field.type == FieldType::IntegerPair && value.is_number_integer())
    return Fields::tr("%1 × %1").arg(plain(value));
  if (value.is_object() && takesNames(field)) {
    QStringList parts;
    for (const auto& [name, number] : value.items())
      parts << u"%1: %2"_s.arg(text(name), plain(number));
    return parts.join(u", "_s);
  }
  if (value.is_object()) {
    const auto type = value.find("type");
    if (type != value.end() && type->is_string()) return text(type->get<std::string>());
    if (const auto schemas = objectsOf(field); schemas.size() == 1) return text(schemas[0]->type);
  }
  if (value.is_string() && DeviceName(value.get<std::string>()).isSimulated())
    return deviceTitle(value.get<std::string>());
  return plain(value);
}

std::optional<Json> parseFieldText(const FieldSchema& field, const QString& typed, QString& why) {
  const QString word = typed.trimmed();
  why = expectation(field);
  if (field.isNullable && (word.isEmpty() || word == Fields::tr("none") || word == "null"_L1))
    return Json(nullptr);
  switch (field.type) {
    case FieldType::Integer:
      if (const auto choice = choiceOf(field, word)) return choice;
      return parseNumber(field, isBytes(field) ? bytesOf(word) : word, true);
    case FieldType::Number: return parseNumber(field, word, false);
    case FieldType::Boolean:
      if (word == Fields::tr("yes") || word == "true"_L1) return Json(true);
      if (word == Fields::tr("no") || word == "false"_L1) return Json(false);
      return std::nullopt;
    case FieldType::StringList: {
      Json list = Json::array();
      for (const QString& part : word.split(u',', Qt::SkipEmptyParts))
        if (!part.trimmed().isEmpty()) list.push_back(part.trimmed().toStdString());
      return list;
    }
    case FieldType::IntegerPair:
    case FieldType::Shape:
    case FieldType::IntegerOrList:
    case FieldType::Margins:
    case FieldType::IntegerList:
    case FieldType::NumberList: {
      if (takesNames(field)) {
        if (const auto choice = choiceOf(field, word)) return choice;
        if (word.contains(u':')) return namedNumbers(field, word);
      }
      static const QRegularExpression between(u"[\\s,;x×X\\[\\]()]+"_s);
      const QStringList words = word.split(between, Qt::SkipEmptyParts);
      const bool isPair = field.type == FieldType::IntegerPair;
      if (isPair && (words.isEmpty() || words.size() > 2)) return std::nullopt;
      Json list = Json::array();
      for (const QString& part : words) {
        auto value = parseNumber(field, part, field.type != FieldType::NumberList);
        if (!value) return std::nullopt;
        list.push_back(std::move(*value));
      }
      if (isPair && list.size() == 1) list.push_back(list[0]);
      const auto count = static_cast<size_t>(field.count);
      if (field.type == FieldType::IntegerOrList) {
        if (list.empty() || (count > 0 && list.size() > 1 && list.size() != count))
          return std::nullopt;
        return list.size() == 1 ? list[0] : list;
      }
      if (field.type == FieldType::Margins) {
        if (list.size() == 1) return list[0];
        if (list.size() == count || (count == 1 && list.size() == 2)) return list;
        if (list.size() != 2 * count) return std::nullopt;
        Json pairs = Json::array();
        for (size_t i = 0; i < list.size(); i += 2)
          pairs.push_back(Json::array({list[i], list[i + 1]}));
        return pairs;
      }
      return list;
    }
    case FieldType::Choice: return choiceOf(field, word);
    case FieldType::String:
    case FieldType::Object: return Json(word.toStdString());
    case FieldType::Layers:
    // The elements of these lists are edited one by one, not as text.
    case FieldType::Objects: return std::nullopt;
  }
  return std::nullopt;
}

QString defaultText(const FieldSchema& field) {
  if (field.defaultJson.empty()) return {};
  return fieldText(field, Json::parse(field.defaultJson, nullptr, false));
}

QString fieldTitle(const FieldSchema& field) {
  if (!field.title.isEmpty()) return translated(field.title);
  QString title = text(field.name);
  title.replace(u'_', u' ');
  if (!title.isEmpty()) title[0] = title[0].toUpper();
  return title;
}

QString fieldToolTip(const FieldSchema& field) {
  QStringList lines;
  if (!field.help.isEmpty()) lines << translated(field.help);
  const bool isNumber = field.type == FieldType::Integer || field.type == FieldType::Number;
  if (const QString range = rangeText(field); isNumber && !range.isEmpty())
    lines << Fields::tr("Range: %1").arg(range);
  if (!field.unit.empty()) lines << Fields::tr("Unit: %1").arg(translatedWords(field.unit));
  lines << (field.defaultJson.empty() ? Fields::tr("Required")
                                      : Fields::tr("Default: %1").arg(defaultText(field)));
  lines << Fields::tr("Name in the file: %1").arg(text(field.name));
  return lines.join(u'\n');
}

QString layerSummaryText(const Schema& schema, const Json& layer) {
  QStringList values;
  for (const FieldSchema& field : schema.fields) {
    const auto found = layer.find(field.name);
    if (found == layer.end() || field.name == "name" || field.name == "trainable" ||
        found->is_null() || found->is_boolean())
      continue;
    if (field.name.ends_with("_initializer") || field.name.ends_with("_regularizer") ||
        field.name.ends_with("_constraint"))
      continue;
    // The shape of an Input layer is omitted, because the Output column shows it.
    if (field.type == FieldType::Shape && schema.type == "Input") continue;
    if (field.type == FieldType::Layers) {
      if (found->is_array())
        values << Fields::tr("%n layer(s)", nullptr, static_cast<int>(found->size()));
      continue;
    }
    values << fieldText(field, *found);
    if (values.size() == 4) break;
  }
  if (values.isEmpty()) return text(schema.type);
  return Fields::tr("%1 %2").arg(text(schema.type), values.join(u", "_s));
}

}  // namespace strata::ui
