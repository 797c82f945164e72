// SPDX-License-Identifier: Apache-2.0
// Reads NumPy arrays: several .npy files, or one .npz file with named inputs and targets.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "core/data/array_files.h"
#include "core/data/source.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

/// Returns the name of an array in a message: its file, and its name in the archive.
std::string placeOf(const FoundArray& array) {
  return array.file +
         (array.what.empty() ? "" : ", " + array.what.substr(0, array.what.size() - 1));
}

/// Converts an array to class numbers: integers, one per sample. Removes a last dimension of 1.
/// Values that are not finite become 0, and the indices of their samples are added to `damaged`.
Tensor asLabels(FoundArray array, std::set<int64_t>& damaged) {
  Tensor& tensor = array.tensor;
  if (tensor.shape().rank() > 1 && tensor.shape().dim(-1) == 1)
    tensor = tensor.reshaped(tensor.shape().without(tensor.shape().rank() - 1));
  if (tensor.dtype() == DType::F32 || tensor.dtype() == DType::F64) {
    Tensor wide = tensor.converted(DType::F64);
    const auto values = wide.as<double>();
    const size_t each = std::max<size_t>(1, values.size() / static_cast<size_t>(tensor.shape()[0]));
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      values[i] = 0;
      damaged.insert(static_cast<int64_t>(i / each));
    }
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] != std::floor(values[i]) || std::abs(values[i]) > 2147483647.0)
        throw Error(ErrorCode::InvalidFile, array.file,
                    array.what + "holds " + Json(values[i]).dump() + " at position " +
                        std::to_string(i) +
                        " (expected class numbers, because the loss needs them). Choose "
                        "mean_squared_error, or save classes.");
    return wide.converted(DType::I32);
  }
  const Tensor labels = asInputs(std::move(array));
  return labels.dtype() == DType::I32 ? labels : labels.converted(DType::I32);
}

/// Returns the index of the first non-finite number in a sample, or -1 if all are finite.
template <class T>
int64_t nonFiniteIn(const Tensor& tensor, int64_t sample) {
  const auto values = tensor.as<T>();
  const int64_t each = static_cast<int64_t>(values.size()) / tensor.shape()[0];
  // 0 * x is NaN if x is not finite. The sum is a fast test for samples without such numbers.
  float sum = 0;
  for (int64_t i = sample * each; i < (sample + 1) * each; ++i)
    sum += 0 * static_cast<float>(values[static_cast<size_t>(i)]);
  if (sum == 0) return -1;
  for (int64_t i = 0; i < each; ++i)
    if (!std::isfinite(static_cast<float>(values[static_cast<size_t>(sample * each + i)])))
      return i;
  return -1;
}

int64_t nonFiniteAt(const Tensor& tensor, int64_t sample) {
  if (tensor.dtype() == DType::F64) return nonFiniteIn<double>(tensor, sample);
  return tensor.dtype() == DType::F32 ? nonFiniteIn<float>(tensor, sample) : -1;
}

class NumpyLoader {
 public:
  explicit NumpyLoader(const SourceInput& input) : m_input(input), m_path(pathOf(input, "path")) {
    if (!m_path.empty()) m_archive.emplace(m_path);
  }

  LoadedSamples load() {
    LoadedSamples loaded;
    const std::vector<std::string> outputs = m_input.targetNames();
    auto x = take("x", m_input.inputs, false, "", {"x", "x_train", "X", "X_train", "arr_0"}, true),
         y = take("y", outputs, true, "", {"y", "y_train", "Y", "labels", "arr_1"}, true);
    loaded.train = pair(std::move(*x), std::move(*y), takeWeights(), loaded);
    m_samples = -1;
    auto testX =
             take("test_x", m_input.inputs, false, "_test", {"x_test", "X_test", "test_x"}, false),
         testY = take("test_y", outputs, true, "_test", {"y_test", "Y_test", "test_y"}, false);
    if (testX.has_value() != testY.has_value())
      throw Error(ErrorCode::InvalidProject, testX ? "/data/source/test_y" : "/data/source/test_x",
                  "a test set needs test_x and test_y (got one of them). Set both or none.");
    if (testX) {
      loaded.test = pair(std::move(*testX), std::move(*testY), {}, loaded);
      for (size_t i = 0; i < loaded.train->x.size(); ++i) {
        const Shape expected = loaded.train->x[i].shape().without(0),
                    got = loaded.test->x[i].shape().without(0);
        if (!(got == expected))
          throw Error(ErrorCode::InvalidFile,
                      m_path.empty() ? pathsOf(m_input, "test_x").at(i) : m_path,
                      "test samples have another shape than the training samples (expected " +
                          expected.toString() + ", got " + got.toString() +
                          "). Choose the matching array.");
      }
    }
    loaded.targets.resize(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      DataTarget& target = loaded.targets[i];
      target.hasLabels = loaded.train->y[i].dtype() == DType::I32;
      if (!target.hasLabels) continue;
      int32_t highest = -1;
      for (const Samples* samples : {loaded.train.get(), loaded.test.get()}) {
        if (!samples) continue;
        const char* const field = samples == loaded.train.get() ? "y" : "test_y";
        for (const int32_t label : samples->y[i].as<int32_t>()) {
          if (label == m_input.targets[i].ignored) continue;
          highest = std::max(highest, label);
          if (label < 0 && m_input.targets[i].isSparseTarget)
            throw Error(
                ErrorCode::InvalidFile, m_path.empty() ? pathsOf(m_input, field).at(i) : m_path,
                "contains the label " + std::to_string(label) +
                    " (expected integers of at least 0, because the loss needs classes). Correct "
                    "it, or set ignore_class of the loss.");
        }
      }
      target.classNames = numbersAsNames(int64_t{highest} + 1);
    }
    return loaded;
  }

 private:
  /// How an array is used. `input` is the index of its Input layer; absent for targets and weights.
  /// `most` is the maximum number of values per sample.
  struct Wanted {
    ArrayUse use;
    std::optional<size_t> input = {};
    int64_t most = INT64_MAX;
  };

  FoundArray read(const std::string& name, bool isPath, const Wanted& wanted) {
    const auto judge = [&](const TensorType& type, const std::string& file,
                           const std::string& what) {
      requireFits(type, file, what, wanted);
    };
    FoundArray array = isPath ? readNpyArray(name, wanted.use, !m_input.stopsAtDamaged, judge)
                              : m_archive->read(name, wanted.use, judge);
    if (m_samples < 0 && array.tensor.shape().rank() > 0) m_samples = array.tensor.shape()[0];
    return array;
  }
  FoundArray read(const Json& given, const Wanted& wanted) {
    return m_archive ? read(given.get<std::string>(), false, wanted)
                     : read(pathOf(m_input, given), true, wanted);
  }

  void requireFits(const TensorType& type, const std::string& file, const std::string& what,
                   const Wanted& wanted) {
    m_bytes += type.bytes();
    if (m_bytes <= kJudgedBeyondBytes || type.shape.rank() < 1 || type.shape[0] < 1) return;
    if (m_samples >= 0 && type.shape[0] != m_samples)
      throw Error(ErrorCode::InvalidFile, file,
                  what + "does not belong to the inputs (expected " + counted(m_samples, "sample") +
                      ", got " + type.shape.toString() + "). Choose the matching array.");
    if (wanted.input) requireFitsInput(m_input, *wanted.input, type.shape, file, what);
    if (type.shape.numElements() / type.shape[0] > wanted.most)
      throw Error(ErrorCode::InvalidFile, file,
                  what + "does not fit the network (expected at most " +
                      counted(wanted.most, "number") + " for each sample, got an array of " +
                      type.shape.toString() + "). Choose another array.");
  }

  /// Returns the sample weights of each output; nullopt for outputs without weights.
  std::vector<std::optional<FoundArray>> takeWeights() {
    Diagnostics problems;
    const std::vector<const Json*> given = weightsByOutput(m_input, problems);
    requireNoProblem(problems);
    std::vector<std::optional<FoundArray>> arrays;
    for (const Json* each : given)
      arrays.push_back(each->is_null()
                           ? std::nullopt
                           : std::optional(read(*each, {.use = ArrayUse::Values, .most = 1})));
    return arrays;
  }

  /// Returns the arrays of a field, one for each of `names`. The field contains the paths of files
  /// or, if the source has an archive, names in the archive. If there is an archive, the field may
  /// be null. A single array then has one of the `usual` names, and several arrays have the names
  /// of the layers followed by `ending`. Returns nullopt if an array is missing and `isNeeded` is
  /// false.
  std::optional<std::vector<FoundArray>> take(const char* field,
                                              const std::vector<std::string>& names,
                                              bool areTargets, const std::string& ending,
                                              std::initializer_list<const char*> usual,
                                              bool isNeeded) {
    std::vector<FoundArray> arrays;
    const auto wantedOf = [&](size_t i) {
      if (!areTargets) return Wanted{.use = ArrayUse::ExactInputs, .input = i};
      return Wanted{
          .use = m_input.targets[i].isSparseTarget ? ArrayUse::AsStored : ArrayUse::Values,
          .most = m_input.outputSize ? m_input.outputSize(names[i]) : INT64_MAX};
    };
    if (!m_input.fields.at(field).is_null()) {
      const Text what =
          areTargets ? STRATA_TEXT("argument", "output") : STRATA_TEXT("argument", "Input layer");
      const std::vector<const Json*> values = valuesByName(m_input, field, names, what);
      for (size_t i = 0; i < values.size(); ++i)
        arrays.push_back(read(*values[i], wantedOf(i)));
      return arrays;
    }
    if (!m_archive) {
      if (isNeeded)
        throw Error(ErrorCode::InvalidProject, std::string("/data/source/") + field,
                    std::string(field) + " is missing (expected a .npy file" +
                        (names.size() > 1 ? " for each of " + joinedNames(names) : std::string()) +
                        ", or path with a .npz file). Add it.");
      return std::nullopt;
    }
    for (size_t i = 0; i < names.size(); ++i) {
      std::vector<std::string> candidates{names[i] + ending};
      if (names.size() == 1) candidates.assign(usual.begin(), usual.end());
      const auto found =
          std::find_if(candidates.begin(), candidates.end(),
                       [&](const std::string& each) { return m_archive->has(each); });
      if (found == candidates.end() && !isNeeded) return std::nullopt;
      // If the array does not exist, the error message lists the arrays of the archive.
      arrays.push_back(
          read(found == candidates.end() ? candidates[0] : *found, false, wantedOf(i)));
    }
    return arrays;
  }

  /// Returns the inputs and targets of the training or test part. Samples with a NaN or infinity
  /// are reported as damaged.
  std::shared_ptr<const Samples> pair(std::vector<FoundArray> x, std::vector<FoundArray> y,
                                      const std::vector<std::optional<FoundArray>>& weights,
                                      LoadedSamples& loaded) const {
    for (const auto* arrays : {&x, &y})
      for (const FoundArray& array : *arrays) {
        if (array.tensor.shape().rank() < 1)
          throw Error(ErrorCode::InvalidFile, array.file,
                      "is a single number (expected samples along the first dimension). Choose "
                      "another array.");
        if (array.tensor.shape()[0] == 0)
          throw Error(ErrorCode::InvalidFile, array.file,
                      array.what + "has no samples. Choose another array.");
        if (array.tensor.shape()[0] != x[0].tensor.shape()[0])
          throw Error(ErrorCode::InvalidFile, array.file,
                      array.what + "does not belong to the inputs (expected " +
                          counted(x[0].tensor.shape()[0], arrays == &x ? "sample" : "target") +
                          ", got " + std::to_string(array.tensor.shape()[0]) +
                          "). Choose the matching array.");
      }
    int64_t there = x[0].tensor.shape()[0];
    const auto reportCutFile = [&](const FoundArray& array) {
      if (array.lost.empty()) return;
      loaded.damaged.push_back(
          {array.file, array.lost + ": samples " + std::to_string(array.whole) + " to " +
                           std::to_string(array.tensor.shape()[0] - 1) + " are missing."});
      there = std::min(there, array.whole);
    };
    for (const auto* arrays : {&x, &y})
      for (const FoundArray& array : *arrays)
        reportCutFile(array);
    for (const auto& array : weights)
      if (array) reportCutFile(*array);
    std::vector<std::string> xPlaces, yPlaces, weightPlaces;
    // For each target, the samples whose labels are not finite numbers
    std::vector<std::set<int64_t>> noLabel(y.size());
    auto samples = std::make_shared<Samples>();
    samples->x.clear();
    samples->y.clear();
    for (FoundArray& array : x) {
      xPlaces.push_back(placeOf(array));
      if (array.tensor.shape().rank() == 1)
        array.tensor = array.tensor.reshaped(Shape{array.tensor.shape()[0], 1});
      samples->x.push_back(withNeededDigits(
          std::move(array.tensor),
          loaded.train ? std::optional(loaded.train->x[samples->x.size()].dtype()) : std::nullopt));
    }
    for (size_t i = 0; i < y.size(); ++i) {
      yPlaces.push_back(placeOf(y[i]));
      samples->y.push_back(m_input.targets[i].isSparseTarget ? asLabels(std::move(y[i]), noLabel[i])
                                                             : std::move(y[i].tensor));
    }
    for (const auto& array : weights) {
      weightPlaces.push_back(array ? placeOf(*array) : "");
      if (array && array->tensor.shape().numElements() != samples->count())
        throw Error(ErrorCode::InvalidFile, array->file,
                    array->what + "must contain a weight for each sample (expected " +
                        std::to_string(samples->count()) + ", got " +
                        array->tensor.shape().toString() + "). Choose the matching array.");
      samples->weights.push_back(array ? array->tensor.reshaped(Shape{samples->count()})
                                       : Tensor());
    }
    std::string place = m_archive ? m_path : std::string();
    if (x.size() == 1) place = xPlaces[0];
    samples->origin = [place](int64_t i) {
      return place + (place.empty() ? "" : ", ") + "sample " + std::to_string(i);
    };
    samples->targetOrigin = [yPlaces](int64_t i, size_t target) {
      return yPlaces.at(target) + ", sample " + std::to_string(i);
    };
    const auto problemOf = [&](int64_t sample) -> std::optional<DamagedSample> {
      for (size_t i = 0; i < samples->x.size(); ++i)
        if (const int64_t at = nonFiniteAt(samples->x[i], sample); at >= 0)
          return DamagedSample{xPlaces[i], "has a NaN or infinity at position " +
                                               std::to_string(at) + " (expected finite numbers)."};
      for (size_t i = 0; i < samples->y.size(); ++i)
        if (noLabel[i].contains(sample) || nonFiniteAt(samples->y[i], sample) >= 0)
          return DamagedSample{yPlaces[i],
                               "has a NaN or infinity as target (expected a finite number)."};
      for (size_t i = 0; i < samples->weights.size(); ++i) {
        if (samples->weights[i].numElements() == 0) continue;
        const float weight = samples->weights[i].as<float>()[static_cast<size_t>(sample)];
        if (!(weight >= 0) || !std::isfinite(weight))
          return DamagedSample{weightPlaces[i],
                               "has no weight of at least 0 (expected a finite number)."};
      }
      return std::nullopt;
    };
    return withoutDamaged(samples, there, m_input.replacesDamaged, problemOf, loaded.damaged);
  }

  const SourceInput& m_input;
  const std::string m_path;
  std::optional<ArrayArchive> m_archive;
  // Number of samples in the current part (training or test); -1 if it is not known yet
  int64_t m_samples = -1;
  // Total bytes of the arrays that were checked so far
  size_t m_bytes = 0;
};

LoadedSamples loadNumpy(const SourceInput& input) { return NumpyLoader(input).load(); }

std::string numpyState(const SourceInput& input) {
  if (const std::string path = pathOf(input, "path"); !path.empty()) return fileState(path);
  std::string state;
  for (const char* field : {"x", "y", "test_x", "test_y", "weights"})
    for (const std::string& path : pathsOf(input, field))
      state += fileState(path);
  return state;
}

}  // namespace

SourceDef numpySource() {
  SourceDef source;
  source.schema.type = "numpy";
  source.schema.group = "Source";
  source.schema.help =
      STRATA_TEXT("data",
                  "NumPy arrays: one .npz with named inputs and targets, or .npy files. The first "
                  "dimension counts the samples. If a .npy file is truncated and on_damaged is "
                  "skip or replace, its complete samples are used.");
  source.schema.source = "https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html";
  source.schema.fields = {
      pathField(PathKind::File, "path", STRATA_TEXT("data", "Archive"),
                STRATA_TEXT("data",
                            "Path of a .npz file, relative to the project file; if it is not set, "
                            "the fields below are paths of .npy files."),
                true),
      pathField(PathKind::File, "x", STRATA_TEXT("data", "Inputs"),
                STRATA_TEXT("data",
                            "Array of inputs; in an archive, by default x or x_train. With several "
                            "Input layers, an object with an array for each; in an archive, by "
                            "default the arrays named after the layers."),
                true),
      pathField(PathKind::File, "y", STRATA_TEXT("data", "Targets"),
                STRATA_TEXT("data",
                            "Array of targets; in an archive, by default y or y_train. With "
                            "several outputs, an object with an array for each; in an archive, by "
                            "default the arrays named after the outputs."),
                true),
      pathField(PathKind::File, "test_x", STRATA_TEXT("data", "Test inputs"),
                STRATA_TEXT("data",
                            "Inputs of the test set, in the same form as x; in an archive, by "
                            "default x_test if it exists."),
                true),
      pathField(PathKind::File, "test_y", STRATA_TEXT("data", "Test targets"),
                STRATA_TEXT("data",
                            "Targets of the test set, in the same form as y; in an archive, by "
                            "default y_test if it exists."),
                true),
      textField(kSampleWeights, STRATA_TEXT("data", "Sample weights"),
                STRATA_TEXT("data",
                            "Array with the weight of each sample in the loss, or an object with "
                            "an array for each output; by default all weights are equal."),
                true)};
  source.ofInputs = {"x", "test_x"};
  source.ofOutputs = {"y", "test_y", kSampleWeights};
  source.load = loadNumpy;
  source.state = numpyState;
  return source;
}

}  // namespace strata
