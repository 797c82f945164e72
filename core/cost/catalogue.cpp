// SPDX-License-Identifier: Apache-2.0
#include "core/cost/catalogue.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/project/project.h"
#include "core/project/resources.h"
#include "gpu/base/error.h"
#include "gpu/base/nearest_name.h"

namespace strata {
namespace {

class CatalogueReader {
 public:
  explicit CatalogueReader(const std::string& file) : m_file(file) {}

  std::vector<CatalogueDevice> run(const Json& json) {
    if (!json.is_object() || json.value("format", "") != "strata-devices" ||
        json.value("version", 0) != 1)
      fail("is not a catalogue of devices (expected format \"strata-devices\", version 1)");
    const auto list = json.find("devices");
    if (list == json.end() || !list->is_array() || list->empty()) fail("lists no devices");
    std::vector<CatalogueDevice> devices;
    for (const Json& entry : *list) {
      m_device = entry.is_object() && entry.contains("name") && entry["name"].is_string()
                     ? entry["name"].get<std::string>()
                     : "";
      if (m_device.empty()) fail("contains a device without a name");
      devices.push_back(device(entry));
    }
    return devices;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(
        ErrorCode::InvalidFile, m_file,
        (m_device.empty() ? "" : "device \"" + m_device + "\" ") + what + ". Reinstall Strata.");
  }
  const Json& field(const Json& entry, const char* name) const {
    const auto at = entry.find(name);
    if (at == entry.end()) fail("has no field \"" + std::string(name) + "\"");
    return *at;
  }
  std::string text(const Json& entry, const char* name) const {
    const Json& value = field(entry, name);
    if (value.is_null()) return "";
    if (!value.is_string()) fail("has no text in \"" + std::string(name) + "\"");
    return value.get<std::string>();
  }
  double positive(const Json& value, const char* name) const {
    const double number = value.is_number() ? value.get<double>() : 0;
    if (!(number > 0) || !std::isfinite(number))
      fail("has no positive number in \"" + std::string(name) + "\"");
    return number;
  }
  int wholeOrNone(const Json& entry, const char* name) const {
    const Json& value = field(entry, name);
    return value.is_null() ? 0 : static_cast<int>(std::min(1e9, positive(value, name)));
  }

  CatalogueDevice device(const Json& entry) const {
    CatalogueDevice result;
    result.name = m_device;
    result.vendor = text(entry, "vendor");
    result.kind = text(entry, "kind");
    result.computeCapability = text(entry, "compute_capability");
    result.cores = wholeOrNone(entry, "cores");
    result.boostMegahertz = wholeOrNone(entry, "boost_mhz");
    result.memoryBytes =
        static_cast<size_t>(std::min(1e18, positive(field(entry, "memory_bytes"), "memory_bytes")));
    result.bytesPerSecond =
        1e9 * positive(field(entry, "bandwidth_gb_per_second"), "bandwidth_gb_per_second");
    const Json& flops = field(entry, "tflops");
    if (!flops.is_object()) fail("has no object in \"tflops\"");
    for (size_t i = 0; i < kPrecisions.size(); ++i) {
      const std::string name(kPrecisions[i]);
      const Json& value = field(flops, name.c_str());
      if (!value.is_null()) result.flopsPerSecond[i] = 1e12 * positive(value, name.c_str());
    }
    if (!result.flopsPerSecond[0]) fail("has no \"float32\" in \"tflops\"");
    result.source = text(entry, "source");
    if (!result.source.starts_with("https://")) fail("names no source");
    if (entry.contains("cudnn")) result.cudnnFile = text(entry, "cudnn");
    return result;
  }

  const std::string& m_file;
  std::string m_device;
};

/// Returns a name in lowercase letters and digits, without brand names.
std::string plainName(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      plain += c;
    else if (c >= 'A' && c <= 'Z')
      plain += static_cast<char>(c - 'A' + 'a');
  for (const std::string_view word :
       {"nvidia", "geforce", "amd", "radeon", "instinct", "intel", "tesla", "quadro"})
    if (const size_t at = plain.find(word); at != std::string::npos && plain.size() > word.size())
      plain.erase(at, word.size());
  return plain;
}

/// Returns the words of a name, each converted by plainName().
std::vector<std::string> wordsOf(std::string_view name) {
  std::vector<std::string> words;
  while (!name.empty()) {
    const size_t space = std::min(name.find(' '), name.size());
    words.push_back(plainName(name.substr(0, space)));
    name.remove_prefix(std::min(space + 1, name.size()));
  }
  return words;
}

/// Whether a plain name is the concatenation of some of these words, in their order.
bool isMadeOf(std::string_view plain, std::span<const std::string> words) {
  if (plain.empty()) return true;
  for (; !words.empty(); words = words.subspan(1))
    if (plain.starts_with(words[0]) && isMadeOf(plain.substr(words[0].size()), words.subspan(1)))
      return true;
  return false;
}

/// Returns the SXM card with the most memory if `wanted` is the first word of all of these names,
/// and otherwise null.
const CatalogueDevice* cardOfFamily(const std::vector<const CatalogueDevice*>& devices,
                                    const std::string& wanted) {
  const CatalogueDevice* result = nullptr;
  for (const CatalogueDevice* device : devices) {
    const std::vector<std::string> words = wordsOf(device->name);
    if (words.front() != wanted) return nullptr;
    const bool isSxm =
        std::ranges::any_of(words, [](const std::string& word) { return word.starts_with("sxm"); });
    if (isSxm && (!result || device->memoryBytes > result->memoryBytes)) result = device;
  }
  return result;
}

}  // namespace

bool CatalogueDevice::isTooOld() const {
  int major = 0, minor = 0;
  const char* const end = computeCapability.data() + computeCapability.size();
  const auto [point, error] = std::from_chars(computeCapability.data(), end, major);
  if (error != std::errc() || point == end) return false;
  std::from_chars(point + 1, end, minor);
  return 10 * major + minor < 75;
}

std::vector<CatalogueDevice> parseCatalogue(std::string_view text, const std::string& file) {
  try {
    return CatalogueReader(file).run(parseJson(text, file));
  }
  catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::InvalidFile, file,
                "is not a catalogue of devices: a value has the wrong type. Reinstall Strata.");
  }
}

const std::vector<CatalogueDevice>& deviceCatalogue() {
  static const std::vector<CatalogueDevice> devices = [] {
    const std::string path = resourcePath("devices.json");
    std::string text;
    try {
      text = readFile(path, kMaxJsonBytes);
    }
    catch (const Error& error) {
      throw Error(ErrorCode::IoFailure, path,
                  std::string("could not be read: ") + error.what() + " Reinstall Strata.");
    }
    return parseCatalogue(text, path);
  }();
  return devices;
}

CatalogueMatch findInCatalogue(const std::vector<CatalogueDevice>& devices, std::string_view name) {
  const std::string wanted = plainName(name);
  std::vector<std::string> plain;
  CatalogueMatch match;
  for (const CatalogueDevice& device : devices) {
    plain.push_back(plainName(device.name));
    if (plain.back() == wanted) return {{&device}, nullptr};
    if (!wanted.empty() && isMadeOf(wanted, wordsOf(device.name))) match.devices.push_back(&device);
  }
  if (const CatalogueDevice* card = cardOfFamily(match.devices, wanted)) return {{card}, nullptr};
  if (!match.devices.empty()) return match;
  const std::vector<std::string_view> candidates(plain.begin(), plain.end());
  const std::string_view nearest = nearestName(wanted, candidates);
  if (!nearest.empty())
    match.nearest =
        &devices[static_cast<size_t>(std::ranges::find(plain, nearest) - plain.begin())];
  return match;
}

std::string CatalogueMatch::names() const {
  constexpr size_t kMaxListed = 12;
  std::string list;
  for (size_t i = 0; i < std::min(devices.size(), kMaxListed); ++i)
    list += (i > 0 ? ", " : "") + devices[i]->name;
  if (devices.size() > kMaxListed)
    list += " and " + std::to_string(devices.size() - kMaxListed) + " more";
  return list;
}

const CatalogueDevice& catalogueDevice(const std::vector<CatalogueDevice>& devices,
                                       std::string_view name) {
  const CatalogueMatch match = findInCatalogue(devices, name);
  if (match.devices.size() == 1) return *match.devices.front();
  if (!match.devices.empty())
    throw Error(ErrorCode::InvalidArgument, std::string(name),
                "matches several devices in the catalogue (expected one of: " + match.names() +
                    "). Choose one.");
  throw Error(ErrorCode::InvalidArgument, name.empty() ? "the empty name" : std::string(name),
              "is not in the catalogue of devices." +
                  (match.nearest ? " Did you mean \"" + match.nearest->name + "\"?" : "") +
                  " `strata devices --catalogue` lists all devices.");
}

}  // namespace strata
