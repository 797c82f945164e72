// SPDX-License-Identifier: Apache-2.0
// The list of all data sources. Each source is defined in its own file (source_*.cpp).
#include <span>
#include <vector>

#include "core/data/dataset.h"
#include "core/data/source.h"

namespace strata {

std::span<const SourceDef> allSources() {
  static const std::vector<SourceDef> list{mnistSource(), randomSource(), valuesSource(),
                                           idxSource(),   csvSource(),    imageFolderSource(),
                                           cifarSource(), numpySource()};
  return list;
}

std::span<const Schema* const> sourceSchemas() {
  static const std::vector<const Schema*> schemas = [] {
    std::vector<const Schema*> result;
    for (const SourceDef& source : allSources())
      result.push_back(&source.schema);
    return result;
  }();
  return schemas;
}

}  // namespace strata
