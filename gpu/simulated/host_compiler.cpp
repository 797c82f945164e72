// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/host_compiler.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

extern char** environ;

namespace strata::simulated {
namespace {

namespace fs = std::filesystem;

constexpr size_t kOperands = 8;

/// The words of CUDA C++ that generated kernels use. `strata_current` returns the thread that runs.
constexpr const char* kPrelude = R"(
#define __global__
#define __device__
struct strata_Index { unsigned x, y, z; };
struct strata_Thread { strata_Index thread, block, blockDim, gridDim; };
extern "C" {
const strata_Thread* (*strata_current)();
float expf(float); float expm1f(float); float logf(float); float log1pf(float); float sqrtf(float);
float erff(float); float erfcf(float); float floorf(float); float fabsf(float); float tanhf(float);
}
#define threadIdx (strata_current()->thread)
#define blockIdx (strata_current()->block)
#define blockDim (strata_current()->blockDim)
#define isfinite(x) __builtin_isfinite(x)
static inline unsigned __float_as_uint(float x) {
  unsigned y;
  __builtin_memcpy(&y, &x, 4);
  return y;
}
static inline float __uint_as_float(unsigned x) {
  float y;
  __builtin_memcpy(&y, &x, 4);
  return y;
}
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
)";

/// Runs the current thread of the kernel with these arguments.
struct Bound {
  const void* operands[kOperands];
  void* result;
  int64_t count;
};
constexpr const char* kEntry = R"(
struct strata_Bound { const void* x[8]; void* y; long long count; };
extern "C" void strata_call(const void* bound) {
  const strata_Bound& b = *(const strata_Bound*)bound;
  STRATA_NAME(b.x[0], b.x[1], b.x[2], b.x[3], b.x[4], b.x[5], b.x[6], b.x[7], b.y, b.count);
}
extern "C" {
extern const char strata_name[];
const char strata_name[] = STRATA_TEXT_OF(STRATA_NAME);
}
)";

/// Begins every image; the size of the shared library follows.
constexpr char kMagic[] = "strata host kernel";
struct Header {
  char magic[24];
  uint64_t bytes;
};

/// Runs a program, with its output and errors in a file. Returns its exit status, or -1.
int runProgram(const std::vector<std::string>& words, const fs::path& output) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

std::string contentsOf(const fs::path& path) {
  std::stringstream contents;
  contents << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(contents).str();
}

/// Returns folders for temporary files, the best one first.
std::vector<fs::path> temporaryFolders() {
  std::error_code error;
  std::vector<fs::path> result{fs::temp_directory_path(error)};
  if (error) result.clear();
  for (const char* name : {"XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "HOME"})
    if (const char* own = std::getenv(name); own && *own == '/') result.emplace_back(own);
  result.insert(result.end(), {"/tmp", "/var/tmp", "/dev/shm"});
  return result;
}

/// Whether code in files of the folder may be mapped. It may not if the file system is mounted with
/// the option noexec.
bool permitsCode(const fs::path& folder) {
  struct statvfs status {};
  return ::statvfs(folder.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) == 0;
}

/// A new folder for the files of a compilation, from which libraries can be opened.
class WorkFolder {
 public:
  WorkFolder() {
    for (const fs::path& folder : temporaryFolders()) {
      std::string pattern = (folder / "strata-kernel-XXXXXX").string();
      if (!permitsCode(folder) || !mkdtemp(pattern.data())) continue;
      m_path = pattern;
      return;
    }
  }
  ~WorkFolder() {
    std::error_code error;
    if (!m_path.empty()) fs::remove_all(m_path, error);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return m_path; }

 private:
  fs::path m_path;
};

// Every operation is rounded, as in the kernels of a card
constexpr const char* kOptions[] = {"-std=c++17", "-O2", "-ffp-contract=off", "-fPIC",
                                    "-shared",    "-w",  "-fno-math-errno"};

struct Compiler {
  std::vector<std::string> words;
  // With its version and options
  std::string name;
};

Compiler findCompiler() {
  std::vector<std::string> candidates{"c++", "g++", "clang++"};
  if (const char* chosen = std::getenv("CXX"); chosen && *chosen)
    candidates.insert(candidates.begin(), chosen);
  const WorkFolder folder;
  if (folder.path().empty()) return {};
  for (const std::string& candidate : candidates) {
    std::vector<std::string> words;
    std::stringstream stream(candidate);
    for (std::string word; stream >> word;)
      words.push_back(word);
    if (words.empty()) continue;
    std::vector<std::string> question = words;
    question.emplace_back("--version");
    const fs::path output = folder.path() / "version";
    if (runProgram(question, output) != 0) continue;
    const std::string version = contentsOf(output);
    std::string name = candidate + ": " + version.substr(0, version.find('\n'));
    for (const char* option : kOptions)
      name += std::string(" ") + option;
    return {words, name};
  }
  return {};
}

const Compiler& compiler() {
  static const Compiler result = findCompiler();
  return result;
}

const void* currentThread() { return &emulated::current->thread; }
static_assert(sizeof(emulated::Index) == 3 * sizeof(unsigned) &&
              offsetof(emulated::Thread, thread) == 0 &&
              offsetof(emulated::Thread, block) == sizeof(emulated::Index) &&
              offsetof(emulated::Thread, blockDim) == 2 * sizeof(emulated::Index));

void bind(void** arguments, void* bound) {
  Bound result{};
  const auto address = [&](size_t i) {
    uint64_t bits = 0;
    std::memcpy(&bits, arguments[i], sizeof bits);
    return reinterpret_cast<void*>(static_cast<uintptr_t>(emulated::hostAddress(bits)));
  };
  for (size_t i = 0; i < kOperands; ++i)
    result.operands[i] = address(i);
  result.result = address(kOperands);
  std::memcpy(&result.count, arguments[kOperands + 1], sizeof result.count);
  std::memcpy(bound, &result, sizeof result);
}

/// Returns the size of a shared library as its ELF header states it, or 0 if it has none: its table
/// of sections is its end. Source: the System V ABI, "ELF Header"
size_t libraryBytes(const char* data) {
  Elf64_Ehdr header;
  std::memcpy(&header, data, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  return header.e_shoff + size_t{header.e_shentsize} * header.e_shnum;
}

/// Opens a shared library through a file that exists only for a moment. Its path must be new,
/// because a path that was open before means the library of that time.
void* openLibrary(const char* data, size_t bytes, std::string& problem) {
  const WorkFolder folder;
  if (folder.path().empty()) {
    problem = "there is no temporary folder from which code may be loaded (TMPDIR)";
    return nullptr;
  }
  const fs::path path = folder.path() / "kernel.so";
  std::ofstream(path, std::ios::binary).write(data, static_cast<std::streamsize>(bytes));
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = dlerror();
    problem = std::string("cannot load a compiled kernel: ") + (why ? why : "unknown reason");
  }
  return library;
}

}  // namespace

const std::string& hostCompiler() { return compiler().name; }

std::vector<char> compileOnHost(const std::string& text, const std::string& name,
                                std::string& problem) {
  const WorkFolder folder;
  if (compiler().words.empty() || folder.path().empty()) {
    problem =
        "there is no C++ compiler (c++, g++, clang++ or $CXX), or no temporary folder "
        "from which code may be loaded (TMPDIR)";
    return {};
  }
  const fs::path source = folder.path() / (name + ".cpp"), library = folder.path() / "kernel.so",
                 output = folder.path() / "messages";
  std::ofstream(source) << kPrelude << "#line 1\n"
                        << text << "#define STRATA_NAME " << name << "\n#define STRATA_QUOTED(x) #x"
                        << "\n#define STRATA_TEXT_OF(x) STRATA_QUOTED(x)" << kEntry;
  std::vector<std::string> words = compiler().words;
  words.insert(words.end(), std::begin(kOptions), std::end(kOptions));
  words.emplace_back("-o");
  words.push_back(library.string());
  words.push_back(source.string());
  words.emplace_back("-lm");
  if (runProgram(words, output) != 0) {
    problem = "the compiler (" + hostCompiler() + ") refuses " + name + ":\n" + contentsOf(output);
    return {};
  }
  const std::string compiled = contentsOf(library);
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.bytes = compiled.size();
  std::vector<char> image(sizeof header + compiled.size());
  std::memcpy(image.data(), &header, sizeof header);
  std::memcpy(image.data() + sizeof header, compiled.data(), compiled.size());
  return image;
}

bool isHostImage(const void* image) {
  return std::strncmp(static_cast<const char*>(image), kMagic, sizeof kMagic) == 0;
}

const emulated::Kernel* loadHostImage(const void* image, std::string& problem) {
  // Kernels by the bytes of their image; never unloaded, because captured graphs refer to them
  static std::mutex mutex;
  static auto& loaded = *new std::map<std::string, emulated::Kernel>;
  static const size_t kBytes[] = {8, 8, 8, 8, 8, 8, 8, 8, 8, 8};
  const std::lock_guard lock(mutex);
  Header header;
  std::memcpy(&header, image, sizeof header);
  const char* data = static_cast<const char*>(image) + sizeof header;
  if (header.bytes != libraryBytes(data)) {
    problem = "a compiled kernel is incomplete";
    return nullptr;
  }
  const auto [at, isNew] = loaded.try_emplace(std::string(data, header.bytes));
  if (!isNew) return &at->second;
  void* library = openLibrary(data, header.bytes, problem);
  if (library) {
    auto* current = static_cast<const void* (**)()>(dlsym(library, "strata_current"));
    auto call = reinterpret_cast<void (*)(const void*)>(dlsym(library, "strata_call"));
    const auto* name = static_cast<const char*>(dlsym(library, "strata_name"));
    if (current && call && name) {
      *current = currentThread;
      at->second = {name,          false, "pppppppppl", kBytes, std::size(kBytes),
                    sizeof(Bound), bind,  call};
      return &at->second;
    }
    problem = "a compiled kernel has no entry";
  }
  loaded.erase(at);
  return nullptr;
}

}  // namespace strata::simulated
