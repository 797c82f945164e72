// SPDX-License-Identifier: Apache-2.0
// The plug-in for several processes: calls of MPI. The interface is gpu/replicate/interface.h.
#include <mpi.h>

#include <algorithm>
#include <map>
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
constexpr size_t kMinLongBytes = 64 << 10;
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

int start(int32_t* rank, int32_t* size, int32_t* rankOnMachine, int32_t* sizeOnMachine) {
  int provided = 0;
  if (const int status =
          statusOf(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided)))
    return status;
  if (provided < MPI_THREAD_SERIALIZED) {
    errorText() = "the library MPI was built without support for threads";
    return 1;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int ownRank = 0, all = 0, near = 0, place = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &ownRank);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm machine = MPI_COMM_NULL;
  if (const int status = statusOf(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, ownRank,
                                                      MPI_INFO_NULL, &machine)))
    return status;
  MPI_Comm_size(machine, &near);
  MPI_Comm_rank(machine, &place);
  MPI_Comm_free(&machine);
  *rank = ownRank;
  *size = all;
  *sizeOnMachine = near;
  *rankOnMachine = place;
  return 0;
}

/// Begins to send or receive a message.
int transmit(StrataMpiTransfer& transfer, bool isSent, void* bytes, int count, MPI_Datatype type,
             int peer) {
  MPI_Request& request = transfer.requests.emplace_back(MPI_REQUEST_NULL);
  return isSent ? MPI_Isend(bytes, count, type, peer, kTag, MPI_COMM_WORLD, &request)
                : MPI_Irecv(bytes, count, type, peer, kTag, MPI_COMM_WORLD, &request);
}

/// Transmits the parts for one process, or from it, as one message. Long parts are messages of
/// their own.
int transmitAll(StrataMpiTransfer& transfer, bool isSent, int peer,
                const std::vector<StrataMpiPart>& parts) {
  std::vector<int> sizes;
  std::vector<MPI_Aint> places;
  size_t bytes = 0;
  const auto flush = [&] {
    if (sizes.empty()) return static_cast<int>(MPI_SUCCESS);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int status = MPI_Type_create_hindexed(static_cast<int>(sizes.size()), sizes.data(),
                                          places.data(), MPI_BYTE, &type);
    if (status == MPI_SUCCESS) status = MPI_Type_commit(&type);
    if (status == MPI_SUCCESS) status = transmit(transfer, isSent, MPI_BOTTOM, 1, type, peer);
    if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
    sizes.clear();
    places.clear();
    bytes = 0;
    return status;
  };
  for (const StrataMpiPart& part : parts)
    for (size_t done = 0; done < part.count; done += kMaxPartBytes) {
      const size_t size = std::min(kMaxPartBytes, part.count - done);
      if (bytes + size > kMaxPartBytes)
        if (const int status = flush(); status != MPI_SUCCESS) return status;
      MPI_Aint place = 0;
      MPI_Get_address(static_cast<std::byte*>(part.bytes) + done, &place);
      // Joining parts costs a copy
      if (size >= kMinLongBytes) {
        if (const int status =
                transmit(transfer, isSent, static_cast<std::byte*>(part.bytes) + done,
                         static_cast<int>(size), MPI_BYTE, peer);
            status != MPI_SUCCESS)
          return status;
        continue;
      }
      sizes.push_back(static_cast<int>(size));
      places.push_back(place);
      bytes += size;
    }
  return flush();
}

int begin(const StrataMpiPart* parts, size_t count, StrataMpiTransfer** transfer) {
  auto begun = std::make_unique<StrataMpiTransfer>();
  for (const bool isSent : {false, true}) {
    std::map<int, std::vector<StrataMpiPart>> byPeer;
    for (size_t i = 0; i < count; ++i)
      if ((parts[i].isSent != 0) == isSent && parts[i].count > 0)
        byPeer[parts[i].peer].push_back(parts[i]);
    for (const auto& [peer, own] : byPeer)
      if (const int status = transmitAll(*begun, isSent, peer, own); status != MPI_SUCCESS)
        return statusOf(status);
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
