// SPDX-License-Identifier: Apache-2.0
// Applies an edit and computes its inverse. If a removed member is not the last one of its object,
// the inverse sets the whole object, because setting the member alone would append it and change
// the order of keys.
#include "core/project/edit.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <nlohmann/json.hpp>

namespace strata {

namespace {

std::vector<std::string> splitPointer(const std::string& pointer) {
  std::vector<std::string> parts;
  if (pointer.empty()) return parts;
  if (pointer[0] != '/')
    throw Error(ErrorCode::InvalidArgument, pointer,
                "expected a JSON pointer that begins with '/', such as /training/epochs.");
  for (size_t i = 1;; ++i) {
    std::string part;
    for (; i < pointer.size() && pointer[i] != '/'; ++i) {
      if (pointer[i] == '~' && i + 1 < pointer.size() &&
          (pointer[i + 1] == '0' || pointer[i + 1] == '1')) {
        part += pointer[++i] == '0' ? '~' : '/';
      }
      else {
        part += pointer[i];
      }
    }
    parts.push_back(std::move(part));
    if (i >= pointer.size()) return parts;
  }
}

std::string escaped(const std::string& part) {
  std::string result;
  for (const char c : part) {
    if (c == '~')
      result += "~0";
    else if (c == '/')
      result += "~1";
    else
      result += c;
  }
  return result;
}

std::string joinPointer(const std::vector<std::string>& parts, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += "/" + escaped(parts[i]);
  return result;
}

[[noreturn]] void failPointer(const std::string& pointer, const std::string& message) {
  throw Error(ErrorCode::InvalidArgument, pointer, message);
}

std::optional<size_t> arrayIndex(const Json& array, const std::string& part, bool mayAppend) {
  if (mayAppend && part == "-") return array.size();
  size_t index = 0;
  const auto parsed = std::from_chars(part.data(), part.data() + part.size(), index);
  if (parsed.ec != std::errc() || parsed.ptr != part.data() + part.size()) return std::nullopt;
  if (index > array.size() || (index == array.size() && !mayAppend)) return std::nullopt;
  return index;
}

size_t requireIndex(const Json& array, const std::string& part, bool mayAppend,
                    const std::string& pointer) {
  const auto index = arrayIndex(array, part, mayAppend);
  if (!index)
    failPointer(pointer, "the list has no element " + part + " (expected 0 to " +
                             std::to_string(array.size()) +
                             ", exclusive). Use an existing element.");
  return *index;
}

/// Returns the value at the first `count` parts of a pointer, or null if it does not exist. Fails:
/// InvalidArgument if the path leads through a value that is neither object nor list.
Json* find(Json& document, const std::vector<std::string>& parts, size_t count,
           const std::string& pointer) {
  Json* at = &document;
  for (size_t i = 0; i < count; ++i) {
    if (at->is_object()) {
      const auto member = at->find(parts[i]);
      if (member == at->end()) return nullptr;
      at = &*member;
    }
    else if (at->is_array()) {
      const auto index = arrayIndex(*at, parts[i], false);
      if (!index) return nullptr;
      at = &(*at)[*index];
    }
    else {
      failPointer(pointer, "there is no object or list at " + joinPointer(parts, i) +
                               ". Correct the pointer.");
    }
  }
  return at;
}

std::string text(const Json& json) { return json.dump(); }

/// Returns the inverse of a Set. It restores the old value, or removes the topmost member that the
/// Set creates.
EditOperation inverseOfSet(Json& document, const EditOperation& operation,
                           const std::vector<std::string>& parts) {
  if (Json* old = find(document, parts, parts.size(), operation.pointer))
    return {EditOperation::Kind::Set, operation.pointer, text(*old), 0};
  size_t made = parts.size();
  while (!find(document, parts, made - 1, operation.pointer))
    --made;
  return {EditOperation::Kind::Remove, joinPointer(parts, made), {}, 0};
}

/// Applies one operation and returns its inverse. Checks everything first, so that a failure leaves
/// the document unchanged.
EditOperation applyOperation(Json& document, const EditOperation& operation) {
  const std::string& pointer = operation.pointer;
  const auto parts = splitPointer(pointer);
  using Kind = EditOperation::Kind;
  switch (operation.kind) {
    case Kind::Set: {
      Json value = parseJson(operation.json, pointer);
      EditOperation inverse = inverseOfSet(document, operation, parts);
      if (inverse.kind == Kind::Remove) {
        // Set creates members only in objects. Insert adds elements to lists.
        const auto created = splitPointer(inverse.pointer);
        const Json* parent = find(document, created, created.size() - 1, pointer);
        if (!parent->is_object()) {
          if (parent->is_array()) requireIndex(*parent, created.back(), false, pointer);
          failPointer(pointer, "there is no object or list at " +
                                   joinPointer(created, created.size() - 1) +
                                   ". Correct the pointer.");
        }
      }
      Json* at = &document;
      for (const auto& part : parts) {
        if (at->is_array()) {
          at = &(*at)[requireIndex(*at, part, false, pointer)];
        }
        else {
          at = &(*at)[part];
        }
      }
      *at = std::move(value);
      return inverse;
    }
    case Kind::Remove: {
      if (parts.empty()) failPointer(pointer, "the whole document cannot be removed.");
      Json* parent = find(document, parts, parts.size() - 1, pointer);
      if (!parent || !find(document, parts, parts.size(), pointer))
        return {Kind::Remove, pointer, {}, 0};
      if (parent->is_array()) {
        const size_t index = *arrayIndex(*parent, parts.back(), false);
        EditOperation inverse{Kind::Insert, pointer, text((*parent)[index]), 0};
        parent->erase(index);
        return inverse;
      }
      const bool isLast = std::prev(parent->end()).key() == parts.back();
      EditOperation inverse =
          isLast ? EditOperation{Kind::Set, pointer, text((*parent)[parts.back()]), 0}
                 : EditOperation{Kind::Set, joinPointer(parts, parts.size() - 1), text(*parent), 0};
      parent->erase(parts.back());
      return inverse;
    }
    case Kind::Insert: {
      if (parts.empty()) failPointer(pointer, "expected a pointer to an element of a list.");
      Json value = parseJson(operation.json, pointer);
      Json* parent = find(document, parts, parts.size() - 1, pointer);
      if (!parent || !parent->is_array())
        failPointer(pointer, "there is no list at " + joinPointer(parts, parts.size() - 1) +
                                 ". Correct the pointer.");
      const size_t index = requireIndex(*parent, parts.back(), true, pointer);
      parent->insert(parent->begin() + static_cast<std::ptrdiff_t>(index), std::move(value));
      return {
          Kind::Remove, joinPointer(parts, parts.size() - 1) + "/" + std::to_string(index), {}, 0};
    }
    case Kind::Move: {
      Json* parent = parts.empty() ? nullptr : find(document, parts, parts.size() - 1, pointer);
      if (!parent || !parent->is_array())
        failPointer(pointer, "there is no list here. Correct the pointer.");
      const size_t from = requireIndex(*parent, parts.back(), false, pointer);
      if (operation.to < 0 || static_cast<size_t>(operation.to) >= parent->size())
        failPointer(pointer, "an element cannot move to position " + std::to_string(operation.to) +
                                 " (expected 0 to " + std::to_string(parent->size() - 1) + ").");
      Json item = std::move((*parent)[from]);
      parent->erase(from);
      parent->insert(parent->begin() + operation.to, std::move(item));
      return {Kind::Move,
              joinPointer(parts, parts.size() - 1) + "/" + std::to_string(operation.to),
              {},
              static_cast<int>(from)};
    }
  }
  throw Error(ErrorCode::Internal, pointer, "unknown kind of edit");
}

}  // namespace

ProjectEdit applyEdit(Json& document, const ProjectEdit& edit) {
  ProjectEdit inverse{edit.name, edit.arguments, {}, edit.layers};
  try {
    for (const auto& operation : edit.operations)
      inverse.operations.push_back(applyOperation(document, operation));
  }
  catch (...) {
    for (auto it = inverse.operations.rbegin(); it != inverse.operations.rend(); ++it)
      applyOperation(document, *it);
    throw;
  }
  std::reverse(inverse.operations.begin(), inverse.operations.end());
  return inverse;
}

EditOperation setOperation(const std::string& pointer, const Json& value) {
  return {EditOperation::Kind::Set, pointer, text(value), 0};
}

EditOperation removeOperation(const std::string& pointer) {
  return {EditOperation::Kind::Remove, pointer, {}, 0};
}

ProjectEdit setValueEdit(const Json&, const std::string& pointer, const Json& value) {
  return {STRATA_TEXT("edit", "Set %1"), {pointer}, {setOperation(pointer, value)}, {}};
}

}  // namespace strata
