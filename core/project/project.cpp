// SPDX-License-Identifier: Apache-2.0
#include "core/project/project.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/project/regular_file.h"
#include "core/project/text.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

std::string systemReason(int error) { return std::strerror(error); }

std::string typeWord(const Json& json) {
  switch (json.type()) {
    case Json::value_t::object: return "an object";
    case Json::value_t::array: return "a list";
    case Json::value_t::string: return "a string";
    case Json::value_t::boolean: return "true or false";
    case Json::value_t::null: return "null";
    default: return "a number";
  }
}

/// A part of the document and its required type.
struct Part {
  // Name of the parent member; empty for a part at the top level
  const char* parent;
  const char* name;
  Json::value_t type;
  Text expected;
};

constexpr Part kParts[] = {
    {"", "name", Json::value_t::string, STRATA_TEXT("argument", "a string")},
    {"", "data", Json::value_t::object, STRATA_TEXT("argument", "an object")},
    {"", "model", Json::value_t::object, STRATA_TEXT("argument", "an object")},
    {"", "training", Json::value_t::object, STRATA_TEXT("argument", "an object")},
    {"", "execution", Json::value_t::object, STRATA_TEXT("argument", "an object")},
    {"model", "layers", Json::value_t::array, STRATA_TEXT("argument", "a list of layers")},
};

/// Returns the part if it has the wrong type, otherwise null.
const Json* wrongPart(const Json& document, const Part& part) {
  const Json* parent = &document;
  if (*part.parent != 0) {
    const auto found = document.find(part.parent);
    if (found == document.end() || !found->is_object()) return nullptr;
    parent = &*found;
  }
  const auto found = parent->find(part.name);
  return found == parent->end() || found->type() == part.type ? nullptr : &*found;
}

void checkHead(const Json& document, const std::string& file) {
  if (!document.is_object())
    throw Error(
        ErrorCode::InvalidProject, file,
        "the document is " + typeWord(document) +
            " (expected an object with \"format\": \"strata-project\"). Open a project file.");
  const auto format = document.find("format");
  if (format == document.end() || *format != "strata-project")
    throw Error(ErrorCode::InvalidProject, file,
                "this is not a Strata project (expected \"format\": \"strata-project\", got " +
                    (format == document.end() ? std::string("none") : format->dump()) +
                    "). Open a project file.");
  const auto version = document.find("version");
  if (version == document.end() || !version->is_number_integer())
    throw Error(ErrorCode::InvalidProject, file,
                "\"version\" is missing or not a number (expected 1). Write \"version\": 1.");
  if (*version < 1)
    throw Error(
        ErrorCode::InvalidProject, file,
        "the project has version " + version->dump() + " (expected 1). Write \"version\": 1.");
  if (*version != 1)
    throw Error(ErrorCode::InvalidProject, file,
                "the project has version " + version->dump() +
                    " (expected 1, the only version that this Strata supports). Open it with a "
                    "newer Strata.");
}

void checkDocument(const Json& document, const std::string& file) {
  checkHead(document, file);
  for (const Part& part : kParts)
    if (const Json* wrong = wrongPart(document, part))
      throw Error(ErrorCode::InvalidProject, file,
                  std::string("\"") + part.name + "\" is " + typeWord(*wrong) + " (expected " +
                      part.expected.source + "). Correct it.");
}

}  // namespace

Project::Project()
    : m_document(
          std::make_unique<Json>(Json{{"format", "strata-project"},
                                      {"version", 1},
                                      {"name", ""},
                                      {"notes", ""},
                                      {"data",
                                       {{"source", {{"type", "mnist"}}},
                                        {"validation_split", 0.1},
                                        {"transforms", Json::array()}}},
                                      {"model", {{"layers", Json::array()}}},
                                      {"training",
                                       {{"loss", {{"type", "sparse_categorical_crossentropy"}}},
                                        {"optimizer", {{"type", "adam"}, {"learning_rate", 0.001}}},
                                        {"metrics", Json::array({"accuracy"})},
                                        {"batch_size", 64},
                                        {"epochs", 5},
                                        {"seed", 1}}},
                                      {"execution", {{"devices", "auto"}}}})) {}
Project::Project(Json document, std::string path)
    : m_document(std::make_unique<Json>(std::move(document))), m_path(std::move(path)) {}
Project::Project(const Project& other)
    : m_document(std::make_unique<Json>(*other.m_document)), m_path(other.m_path) {}
Project& Project::operator=(const Project& other) {
  if (this != &other) {
    m_document = std::make_unique<Json>(*other.m_document);
    m_path = other.m_path;
  }
  return *this;
}
Project::Project(Project&&) noexcept = default;
Project& Project::operator=(Project&&) noexcept = default;
Project::~Project() = default;

std::string Project::name() const {
  if (m_document->is_object()) {
    const auto name = m_document->find("name");
    if (name != m_document->end() && name->is_string() &&
        !name->get_ref<const std::string&>().empty())
      return name->get<std::string>();
  }
  return fs::path(m_path).stem().string();
}

Project emptyProject() {
  Project project;
  Json& document = project.document();
  document.erase("data");
  document.erase("notes");
  return project;
}

Result<Project> parseProject(std::string_view text, const std::string& file) {
  try {
    Json document = parseJson(text, file);
    checkDocument(document, file);
    return Project(std::move(document));
  }
  catch (const Error& error) {
    return error;
  }
}

Result<Project> loadProject(const std::string& path) {
  try {
    Result<Project> project = parseProject(readFile(path, kMaxJsonBytes), path);
    if (project) project->setPath(fs::absolute(path).lexically_normal().string());
    return project;
  }
  catch (const Error& error) {
    return error;
  }
}

Result<Project> loadSoundParts(const std::string& path, Diagnostics& wrong) {
  try {
    Json document = parseJson(readFile(path, kMaxJsonBytes), path);
    checkHead(document, path);
    for (const Part& part : kParts) {
      const Json* found = wrongPart(document, part);
      if (!found) continue;
      const std::string pointer =
          (*part.parent != 0 ? "/" + std::string(part.parent) : "") + "/" + part.name;
      wrong.push_back(
          {Severity::Error,
           "wrong_type",
           "",
           pointer,
           STRATA_TEXT("problem", "%1 has the wrong type (expected %2, got %3). Correct it."),
           {part.name, part.expected, excerpt(found->dump(), 60)},
           {},
           pointer});
      document.erase(*part.parent != 0 ? part.parent : part.name);
    }
    return Project(std::move(document), fs::absolute(path).lexically_normal().string());
  }
  catch (const Error& error) {
    return error;
  }
}

Result<void> saveProject(const Project& project, const std::string& path) {
  try {
    writeFileAtomically(path, printJson(project.document()));
    return {};
  }
  catch (const Error& error) {
    return error;
  }
}

std::string readFile(const std::string& path, size_t limitBytes) {
  const RegularFile file(path);
  if (file.size() > limitBytes)
    throw Error(ErrorCode::InvalidFile, path,
                "the file has " + std::to_string(file.size()) + " bytes (expected at most " +
                    std::to_string(limitBytes) + "). Choose a smaller file.");
  std::string bytes(file.size(), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(file.descriptor(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw Error(
          ErrorCode::IoFailure, path,
          "reading failed: " + systemReason(errno) + ". Check the disk, or choose another file.");
    // The file became shorter while it was read.
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

void writeFileAtomically(const std::string& path, std::string_view bytes, Links links) {
  AtomicFile file(path, links);
  file.write(bytes);
  file.commit();
}

void setByPointer(Project& project, const std::string& assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || assignment[0] != '/')
    throw Error(ErrorCode::InvalidArgument, "--set " + assignment,
                "expected /json/pointer=VALUE, for example /training/batch_size=32.");
  if (!isUtf8(assignment))
    throw Error(
        ErrorCode::InvalidArgument, "--set",
        "is not valid UTF-8 (expected /json/pointer=VALUE in UTF-8). Set the terminal to UTF-8.");
  const std::string pointer = assignment.substr(0, equals), text = assignment.substr(equals + 1);
  Json value;
  try {
    value = parseJson(text, pointer);
  }
  catch (const Error&) {
    value = text;
  }
  ProjectEdit edit = setValueEdit(project.document(), pointer, value);
  // In RFC 6901, "-" is the position after the last element of a list, so the value is inserted
  // there.
  if (pointer.ends_with("/-")) edit.operations.front().kind = EditOperation::Kind::Insert;
  applyEdit(project.document(), edit);
  checkDocument(project.document(), pointer);
}

}  // namespace strata
