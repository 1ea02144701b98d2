// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which block of which neighbour arrives where: asked from the MPI library itself, because two
// ranks may have several edges between them (a periodic grid of two, a rank that is its own
// neighbour). These are in another order for Neighbor_alltoallv than for Neighbor_alltoall in
// MPICH, and for nonblocking calls in Open MPI.

#include "mpi/Communicator.h"

#include <algorithm>
#include <numeric>

namespace contraflow::mpi {
namespace {

struct Ranks {
  std::vector<int> In, Out;
};

std::vector<int> sized(int Count) { return std::vector<int>(static_cast<std::size_t>(Count)); }

Ranks gridNeighbours(MPI_Comm Comm) {
  Ranks Found;
  int Dims = 0;
  PMPI_Cartdim_get(Comm, &Dims);
  for (int D = 0; D < Dims; ++D) {
    int Before = MPI_PROC_NULL, Behind = MPI_PROC_NULL;
    PMPI_Cart_shift(Comm, D, 1, &Before, &Behind);
    Found.In.push_back(Before);
    Found.In.push_back(Behind);
  }
  Found.Out = Found.In;
  return Found;
}

Ranks graphNeighbours(MPI_Comm Comm, int Rank) {
  int Count = 0;
  PMPI_Graph_neighbors_count(Comm, Rank, &Count);
  Ranks Found{sized(Count), {}};
  PMPI_Graph_neighbors(Comm, Rank, Count, Found.In.data());
  Found.Out = Found.In;
  return Found;
}

Ranks distributedNeighbours(MPI_Comm Comm) {
  int In = 0, Out = 0, Weighted = 0;
  PMPI_Dist_graph_neighbors_count(Comm, &In, &Out, &Weighted);
  Ranks Found{sized(In), sized(Out)};
  std::vector<int> InWeights = sized(In), OutWeights = sized(Out);
  PMPI_Dist_graph_neighbors(Comm, In, Found.In.data(), Weighted ? InWeights.data() : MPI_UNWEIGHTED,
                            Out, Found.Out.data(), Weighted ? OutWeights.data() : MPI_UNWEIGHTED);
  return Found;
}

Ranks neighboursOf(MPI_Comm Comm, int Rank) {
  int Kind = MPI_UNDEFINED;
  PMPI_Topo_test(Comm, &Kind);
  switch (Kind) {
  case MPI_CART:
    return gridNeighbours(Comm);
  case MPI_GRAPH:
    return graphNeighbours(Comm, Rank);
  case MPI_DIST_GRAPH:
    return distributedNeighbours(Comm);
  default:
    return {};
  }
}

/// What everybody sends along the outgoing edges, as it arrives along the incoming ones.
std::vector<int> exchanged(const std::vector<int> &Sent, std::size_t Incoming, Neighbouring Call,
                           MPI_Comm Comm) {
  std::vector<int> Arrived(Incoming, 0);
  const std::size_t Most = std::max(Sent.size(), Incoming);
  std::vector<int> Ones(Most, 1), Places(Most);
  std::iota(Places.begin(), Places.end(), 0);
  MPI_Request Request = MPI_REQUEST_NULL;
  switch (Call) {
  case Neighbouring::Equal:
    PMPI_Neighbor_alltoall(Sent.data(), 1, MPI_INT, Arrived.data(), 1, MPI_INT, Comm);
    break;
  case Neighbouring::Counted:
    PMPI_Neighbor_alltoallv(Sent.data(), Ones.data(), Places.data(), MPI_INT, Arrived.data(),
                            Ones.data(), Places.data(), MPI_INT, Comm);
    break;
  case Neighbouring::EqualNonblocking:
    PMPI_Ineighbor_alltoall(Sent.data(), 1, MPI_INT, Arrived.data(), 1, MPI_INT, Comm, &Request);
    break;
  case Neighbouring::CountedNonblocking:
    PMPI_Ineighbor_alltoallv(Sent.data(), Ones.data(), Places.data(), MPI_INT, Arrived.data(),
                             Ones.data(), Places.data(), MPI_INT, Comm, &Request);
  }
  PMPI_Wait(&Request, MPI_STATUS_IGNORE);
  return Arrived;
}

} // namespace

const Neighbours &Communicator::neighbours(Neighbouring Call) {
  auto &Known = Topology[static_cast<int>(Call)];
  if (Known)
    return *Known;
  const Ranks Found = neighboursOf(User, Rank);
  auto New = std::make_unique<Neighbours>();
  std::vector<int> Sent(Found.Out.size());
  std::iota(Sent.begin(), Sent.end(), 0);
  for (std::size_t I = 0; I < Found.Out.size(); ++I)
    New->Out.push_back({Found.Out[I], Sent[I]});
  const std::vector<int> Arrived = exchanged(Sent, Found.In.size(), Call, carrier());
  for (std::size_t I = 0; I < Found.In.size(); ++I)
    New->In.push_back({Found.In[I], Arrived[I]});
  Known = std::move(New);
  return *Known;
}

} // namespace contraflow::mpi
