// SPDX-License-Identifier: Apache-2.0
// The plug-in for several processes: calls of MPI. The interface is gpu/replicate/interface.h.
#include <mpi.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gpu/replicate/interface.h"

struct StrataMpiTransfer {
  std::vector<MPI_Request> requests;
};

namespace strata::mpi {
namespace {

// MPI counts in int
constexpr size_t kMaxPartBytes = size_t{1} << 30;
constexpr int kTag = 7;

std::string& errorText() {
  static std::string text;
  return text;
}

int statusOf(int result) {
  if (result == MPI_SUCCESS) return 0;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(result, text, &length);
  errorText().assign(text, static_cast<size_t>(length));
  return result;
}

const char* lastError() { return errorText().c_str(); }

const char* version() {
  static const std::string text = [] {
    char buffer[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(buffer, &length);
    const std::string whole(buffer, static_cast<size_t>(length));
    // "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, ..."
    return whole.substr(0, whole.find_first_of(",\n"));
  }();
  return text.c_str();
}

int start(int32_t* rank, int32_t* size, int32_t* sizeOnMachine) {
  int provided = 0;
  if (const int status =
          statusOf(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided)))
    return status;
  if (provided < MPI_THREAD_SERIALIZED) {
    errorText() = "the library MPI was built without support for threads";
    return 1;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int ownRank = 0, all = 0, near = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &ownRank);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm machine = MPI_COMM_NULL;
  if (const int status = statusOf(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, ownRank,
                                                      MPI_INFO_NULL, &machine)))
    return status;
  MPI_Comm_size(machine, &near);
  MPI_Comm_free(&machine);
  *rank = ownRank;
  *size = all;
  *sizeOnMachine = near;
  return 0;
}

int begin(const StrataMpiPart* parts, size_t count, StrataMpiTransfer** transfer) {
  auto begun = std::make_unique<StrataMpiTransfer>();
  for (const bool isSent : {false, true})
    for (size_t i = 0; i < count; ++i) {
      const StrataMpiPart& part = parts[i];
      if ((part.isSent != 0) != isSent) continue;
      auto* bytes = static_cast<std::byte*>(part.bytes);
      for (size_t done = 0; done < part.count; done += kMaxPartBytes) {
        const int size = static_cast<int>(std::min(kMaxPartBytes, part.count - done));
        MPI_Request& request = begun->requests.emplace_back(MPI_REQUEST_NULL);
        const int status = isSent ? MPI_Isend(bytes + done, size, MPI_BYTE, part.peer, kTag,
                                              MPI_COMM_WORLD, &request)
                                  : MPI_Irecv(bytes + done, size, MPI_BYTE, part.peer, kTag,
                                              MPI_COMM_WORLD, &request);
        if (status != MPI_SUCCESS) return statusOf(status);
      }
    }
  *transfer = begun.release();
  return 0;
}

int test(StrataMpiTransfer* transfer, int32_t* isDone) {
  int done = 0;
  const int status = MPI_Testall(static_cast<int>(transfer->requests.size()),
                                 transfer->requests.data(), &done, MPI_STATUSES_IGNORE);
  *isDone = done;
  if (status != MPI_SUCCESS) return statusOf(status);
  if (done) delete transfer;
  return 0;
}

int finish() { return statusOf(MPI_Finalize()); }

const StrataMpiPlugin kPlugin = {
    STRATA_MPI_INTERFACE, version, start, begin, test, finish, lastError};

}  // namespace
}  // namespace strata::mpi

extern "C" __attribute__((visibility("default"))) const StrataMpiPlugin* strataMpiPlugin() {
  return &strata::mpi::kPlugin;
}
