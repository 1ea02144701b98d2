// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heap objects that global variables may lead to, and their shadows: one for each owner, which is a
// derivative function in one direction.
//
//   static std::vector<double> work;     main: resizes it         a block without shadows
//                                        call: begins             gets one, where work's shadow
//                                        points
//
// A call begins with a walk along the pointers of the program, side by side with those of the
// shadows. An address is looked up among the blocks and the global variables. Code that was
// compiled without derivatives may have freed a block unnoticed; the allocator's idea of its size
// shows most of that.
//
// Each thread of a team does the same for its own variables when it first comes to the call. What
// the call has found before is in use then, and stays as it is. If the reverse is another call, it
// makes these walks again when it begins, for threads that are still there: what each of them has
// may have been used by all.

#include "contraflow/abi.h"

#include "support/FieldKind.h"
#include "tape/DerivativeCall.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <malloc.h>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace contraflow {
namespace {

struct Block {
  int64_t Bytes;
  std::unordered_map<const void *, void *> Shadows;    ///< by owner
  std::unordered_map<const void *, int64_t> Entered{}; ///< by owner: the last call that found it
};

struct Table {
  std::mutex Lock;
  std::map<char *, Block> Blocks;
  std::atomic<std::size_t> Size = 0;
};

// Never destroyed: destructors of the program's objects may still free what is kept.
Table &table() {
  static auto &T = *new Table;
  return T;
}

struct Root {
  char *Global, *Shadow;
  int64_t Bytes;
  int32_t Shape;
  int64_t Offset;
};
thread_local std::vector<Root> Roots;

constexpr int32_t NotFollowed = -1;

// What the allocator adds to a block is less than that.
constexpr std::size_t MostSlack = 8192;

bool isStillThere(char *Address, const Block &B) {
  const std::size_t Usable = malloc_usable_size(Address);
  return Usable >= static_cast<std::size_t>(B.Bytes) &&
         Usable - static_cast<std::size_t>(B.Bytes) <= MostSlack;
}

class Walk {
public:
  Walk(Table &T, const void *Owner, const cf_shape *Shapes, bool Joins)
      : T(T), Owner(Owner), Shapes(Shapes), Joins(Joins), Call(callOf(Owner)) {
    for (const Root &R : Roots)
      Globals.emplace(R.Global, R);
  }
  void run(std::size_t First);

private:
  // A block as one shape has it. Its shadow is null if none is wanted.
  struct Region {
    char *Primal, *Shadow;
    int64_t Bytes;
    int32_t Shape;
    int64_t Offset; ///< of the beginning in the shape
  };
  template <typename Visitor> void forEachPlace(const Region &R, const cf_member &M, Visitor Visit);
  void visitPointers(const Region &R);
  void clearFloats(const Region &R);
  void follow(const Region &R, int64_t At, const cf_member &M);
  char *shadowOf(char *Pointer, const cf_member &M);
  char *shadowInGlobal(const Root &R, char *Pointer, const cf_member &M);
  bool isSharedBorder(char *Pointer) const;
  std::map<char *, Block>::iterator blockOf(char *Pointer, const cf_member &M);
  bool isSeenAs(char *Address, char *Pointer, const cf_member &M) const;
  bool enterBlock(char *Address, const Region &AsSeen);
  bool mayBeBoth(int32_t A, int32_t B) const;
  int64_t phase(const Region &R) const {
    const int64_t Period = Shapes[R.Shape].period;
    return Period > 0 ? (R.Offset % Period + Period) % Period : R.Offset;
  }

  Table &T;
  const void *Owner;
  const cf_shape *Shapes;
  bool Joins;   ///< a call that has begun
  int64_t Call; ///< its number: another derivative's may be under way within it
  std::map<char *, Root> Globals;
  std::vector<Region> Found;
  std::unordered_map<char *, std::vector<Region>> Seen;
  /// Places whose pointers are the end of one block and the beginning of another one. They are
  /// followed when everything else has been.
  struct Place {
    Region R;
    int64_t At;
    const cf_member *Member;
  };
  std::vector<Place> OnBorders;
  bool BordersToo = false;
};

// Begins at the first roots.
void Walk::run(std::size_t First) {
  for (std::size_t I = 0; I < First; ++I) {
    const Root &R = Roots[I];
    visitPointers({R.Global, R.Shadow, R.Bytes, R.Shape, R.Offset});
  }
  for (;;) {
    while (!Found.empty()) {
      const Region Next = Found.back();
      Found.pop_back();
      visitPointers(Next);
      if (Next.Shadow)
        clearFloats(Next);
    }
    if (OnBorders.empty())
      return;
    BordersToo = true;
    const std::vector<Place> Places = std::move(OnBorders);
    OnBorders.clear();
    for (const bool MayBeEnd : {false, true}) // what cannot be an end is a beginning
      for (const Place &P : Places) {
        auto *Pointer = read<char *>(P.R.Primal + P.At);
        if (isSeenAs(std::prev(T.Blocks.find(Pointer))->first, Pointer, *P.Member) == MayBeEnd)
          follow(P.R, P.At, *P.Member);
      }
    BordersToo = false;
  }
}

template <typename Visitor>
void Walk::forEachPlace(const Region &R, const cf_member &M, Visitor Visit) {
  const int64_t Period = Shapes[R.Shape].period;
  const int64_t Step = Period > 0 ? Period : std::max<int64_t>(R.Bytes, 1);
  int64_t At = M.offset - R.Offset;
  if (M.offset == AtAlignment)
    At = -static_cast<int64_t>(reinterpret_cast<uintptr_t>(R.Primal)) & (Step - 1);
  else if (Period > 0)
    At = (At % Step + Step) % Step;
  for (; At >= 0 && At + widthOf(M.kind) <= R.Bytes; At += Step)
    Visit(At);
}

void Walk::visitPointers(const Region &R) {
  const cf_shape &Shape = Shapes[R.Shape];
  for (int32_t I = 0; I < Shape.npointers; ++I) {
    const cf_member &M = Shape.members[I];
    if (M.target != NotFollowed)
      forEachPlace(R, M, [&](int64_t At) { follow(R, At, M); });
  }
}

// A place that is a double at one time and a pointer at another keeps its address.
void Walk::clearFloats(const Region &R) {
  const cf_shape &Shape = Shapes[R.Shape];
  for (int32_t I = 0; I < Shape.nmembers; ++I) {
    const cf_member &M = Shape.members[I];
    if (M.offset == Anywhere) {
      std::memset(R.Shadow, 0, static_cast<size_t>(R.Bytes));
      return;
    }
    forEachPlace(R, M, [&](int64_t At) {
      if (M.kind == Float || (M.kind == FloatOfWord && !liesInAddress(R.Shadow + At)))
        write<float>(R.Shadow + At, 0);
      else if (M.kind == LongDouble)
        write<long double>(R.Shadow + At, 0);
      else if (M.kind == Double || M.kind == Number ||
               (M.kind == NumberOrAddress && !liesInAddress(R.Shadow + At)) ||
               (M.kind == Either && !isAddress(read<uint64_t>(R.Shadow + At))))
        write<double>(R.Shadow + At, 0);
    });
  }
}

void Walk::follow(const Region &R, int64_t At, const cf_member &M) {
  auto *Pointer = read<char *>(R.Primal + At);
  if (M.kind == Either && !isAddress(reinterpret_cast<uintptr_t>(Pointer)))
    return;
  if (M.kind == WordOfFloats && !isAddressNotFloats(reinterpret_cast<uintptr_t>(Pointer)))
    return;
  if (Pointer && !BordersToo && isSharedBorder(Pointer)) {
    OnBorders.push_back({R, At, &M});
    return;
  }
  char *Shadow = Pointer ? shadowOf(Pointer, M) : nullptr;
  if (!R.Shadow)
    return;
  auto *Before = read<char *>(R.Shadow + At);
  const bool Outside = M.target < NotFollowed; // what an argument leads to has the caller's shadow
  if (Shadow != Before && (Shadow || !(Outside || Before == Pointer)))
    write(R.Shadow + At, Shadow);
}

char *Walk::shadowInGlobal(const Root &R, char *Pointer, const cf_member &M) {
  const int32_t Expected = M.target < NotFollowed ? NotFollowed - 1 - M.target : M.target;
  if (R.Shape != Expected && !mayBeBoth(R.Shape, Expected))
    return nullptr;
  return R.Shadow ? R.Shadow + (Pointer - R.Global) : nullptr;
}

char *Walk::shadowOf(char *Pointer, const cf_member &M) {
  if (auto It = Globals.upper_bound(Pointer); It != Globals.begin()) {
    const Root &R = std::prev(It)->second;
    if (Pointer < R.Global + R.Bytes)
      return shadowInGlobal(R, Pointer, M);
  }
  const auto It = M.target < NotFollowed ? T.Blocks.end() : blockOf(Pointer, M);
  if (It == T.Blocks.end())
    return nullptr;
  auto &[Address, B] = *It;
  if (Pointer > Address + B.Bytes || !isStillThere(Address, B)) // the end belongs to it
    return nullptr;
  if (Joins && Seen.count(Address) == 0 && B.Entered[Owner] == Call) {
    const auto Known = B.Shadows.find(Owner);
    return Known == B.Shadows.end() ? nullptr
                                    : static_cast<char *>(Known->second) + (Pointer - Address);
  }
  B.Entered[Owner] = Call;
  char *Shadow = nullptr;
  if (Shapes[M.target].shadowed != 0) {
    void *&Known = B.Shadows[Owner];
    if (!Known)
      Known = cf_v1_shadow_alloc(Address, B.Bytes);
    Shadow = static_cast<char *>(Known);
  }
  if (!enterBlock(Address, {Address, Shadow, B.Bytes, M.target, M.place - (Pointer - Address)}))
    return nullptr;
  return Shadow ? Shadow + (Pointer - Address) : nullptr;
}

// Allocators without headers put one block right behind another.
bool Walk::isSharedBorder(char *Pointer) const {
  const auto It = T.Blocks.find(Pointer);
  return It != T.Blocks.end() && It != T.Blocks.begin() &&
         std::prev(It)->first + std::prev(It)->second.Bytes == Pointer;
}

// On a border it is the end of the first block if the second one has been found as something else.
std::map<char *, Block>::iterator Walk::blockOf(char *Pointer, const cf_member &M) {
  auto It = T.Blocks.upper_bound(Pointer);
  if (It == T.Blocks.begin())
    return T.Blocks.end();
  --It;
  if (!isSharedBorder(Pointer))
    return It;
  const auto Before = std::prev(It);
  const bool IsOther = Seen.count(It->first) != 0 && !isSeenAs(It->first, Pointer, M);
  return IsOther && isSeenAs(Before->first, Pointer, M) ? Before : It;
}

// True if the block there has been found as what a pointer of this member into it says.
bool Walk::isSeenAs(char *Address, char *Pointer, const cf_member &M) const {
  const auto Views = Seen.find(Address);
  if (M.target < 0 || Views == Seen.end())
    return false;
  const Region R{Address, nullptr, 0, M.target, M.place - (Pointer - Address)};
  return std::any_of(Views->second.begin(), Views->second.end(), [&](const Region &View) {
    return View.Shape == R.Shape && phase(View) == phase(R);
  });
}

// False if the block has been found as something else.
bool Walk::enterBlock(char *Address, const Region &AsSeen) {
  std::vector<Region> &Views = Seen[Address];
  for (const Region &Before : Views) {
    if (Before.Shape == AsSeen.Shape && phase(Before) == phase(AsSeen))
      return true;
    if (!mayBeBoth(Before.Shape, AsSeen.Shape))
      return false;
  }
  Views.push_back(AsSeen);
  Found.push_back(AsSeen);
  return true;
}

// Differentiated code takes what has different shapes for different objects. A pointer that gets no
// shadow may be left over from an object that was freed; it ends the program if it is used. Where
// there is none to be missed, the program ends now if active values might go unnoticed from one
// to the other.
bool Walk::mayBeBoth(int32_t A, int32_t B) const {
  const cf_shape &First = Shapes[A], &Second = Shapes[B];
  if (First.shadowed != 0 && Second.shadowed != 0)
    return false;
  auto Flows = [](const cf_shape &From, const cf_shape &To) {
    return (From.matters & 1) != 0 && (To.matters & 2) != 0;
  };
  if (Flows(First, Second) || Flows(Second, First))
    fail(ErrorId::TwoPointers);
  return true;
}

// Frees the shadows of a block that is no more, but those that are kept: Spared(owner, shadow).
template <typename Predicate> void drop(void *Primal, Predicate Spared) {
  Table &T = table();
  if (T.Size.load(std::memory_order_relaxed) == 0)
    return;
  const std::scoped_lock Guard(T.Lock);
  const auto It = T.Blocks.find(static_cast<char *>(Primal));
  if (It == T.Blocks.end())
    return;
  for (auto [Owner, Shadow] : It->second.Shadows)
    if (!Spared(Owner, Shadow))
      std::free(Shadow);
  T.Blocks.erase(It);
  T.Size.fetch_sub(1, std::memory_order_relaxed);
}

// The owners are one byte each.
auto isOneOf(const void *Owners, int32_t Count) {
  return [First = reinterpret_cast<uintptr_t>(Owners), Count](const void *Owner, void *) {
    return reinterpret_cast<uintptr_t>(Owner) - First < static_cast<uintptr_t>(Count);
  };
}

auto isShadow(void *Kept) {
  return [Kept](const void *, void *Shadow) { return Shadow == Kept; };
}

// The block as it is now. One that was there before has been freed unnoticed.
Block &enter(Table &T, void *Primal, int64_t Bytes) {
  auto [It, New] = T.Blocks.try_emplace(static_cast<char *>(Primal), Block{Bytes, {}});
  if (New)
    T.Size.fetch_add(1, std::memory_order_relaxed);
  for (auto [Owner, Shadow] : It->second.Shadows)
    std::free(Shadow);
  It->second = {Bytes, {}};
  return It->second;
}

void joinWith(const void *Owner, const cf_shape *Shapes, int32_t Own) {
  Table &T = table();
  const std::scoped_lock Guard(T.Lock);
  Walk(T, Owner, Shapes, /*Joins=*/true).run(static_cast<std::size_t>(Own));
}

// Forgets, when its thread ends, what the thread had for itself.
struct OwnVariables {
  ~OwnVariables();
};
thread_local OwnVariables Thread;

struct Join {
  const OwnVariables *Whose;
  const void *Owner;
  const cf_shape *Shapes;
  int32_t Own;
  std::vector<Root> Variables;
};

// Of the first calls of split derivatives, until their tapes are closed.
struct SplitJoins {
  std::mutex Lock;
  std::unordered_map<const Arena *, std::vector<Join>> Of;
};

void forgetJoins(Arena *Call);

SplitJoins &splitJoins() {
  static auto &All = *new SplitJoins;
  static const bool Hooked = (setCallEndHook(AtCallEnd::ThreadsVariables, forgetJoins), true);
  static_cast<void>(Hooked);
  return All;
}

void forgetJoins(Arena *Call) {
  SplitJoins &All = splitJoins();
  const std::scoped_lock Guard(All.Lock);
  All.Of.erase(Call);
}

OwnVariables::~OwnVariables() {
  SplitJoins &All = splitJoins();
  const std::scoped_lock Guard(All.Lock);
  for (auto &[Call, Joins] : All.Of)
    Joins.erase(std::remove_if(Joins.begin(), Joins.end(),
                               [this](const Join &Each) { return Each.Whose == this; }),
                Joins.end());
}

} // namespace
} // namespace contraflow

using namespace contraflow;

void cf_v1_note_block(void *primal, int64_t bytes) {
  if (!primal)
    return;
  const std::scoped_lock Guard(table().Lock);
  enter(table(), primal, bytes);
}

void cf_v1_drop_block(void *primal) { drop(primal, isShadow(nullptr)); }

void cf_v1_forget_block(void *primal, void *shadow) { drop(primal, isShadow(shadow)); }

void cf_v1_free_kept(void *primal, void *shadow) {
  drop(primal, isShadow(shadow));
  std::free(shadow);
}

void cf_v1_forget_block_of(void *primal, const void *owners, int32_t directions) {
  drop(primal, isOneOf(owners, directions));
}

void cf_v1_free_kept_of(void *primal, void *shadow, const void *owners, int32_t directions) {
  drop(primal, isOneOf(owners, directions));
  std::free(shadow);
}

void cf_v1_keep_shadow(void *primal, void *shadow, int64_t bytes, const void *owner) {
  if (!primal)
    return;
  Table &T = table();
  const std::scoped_lock Guard(T.Lock);
  const auto It = T.Blocks.find(static_cast<char *>(primal));
  if (It != T.Blocks.end()) {
    const auto Known = It->second.Shadows.find(owner);
    const bool New = Known == It->second.Shadows.end();
    if (!New && Known->second == shadow) // a reverse sweep that is repeated
      return;
    if (New && It->second.Bytes == bytes) { // another direction; what is older begins empty anyway
      It->second.Shadows[owner] = shadow;
      return;
    }
  }
  enter(T, primal, bytes).Shadows[owner] = shadow;
}

void cf_v1_kept_root(void *global, void *shadow, int64_t bytes, int32_t shape, int64_t offset) {
  Roots.push_back({static_cast<char *>(global), static_cast<char *>(shadow), bytes, shape, offset});
}

void cf_v1_kept_begin(const void *owner, const struct cf_shape *shapes) {
  Table &T = table();
  nameCall(owner);
  {
    const std::scoped_lock Guard(T.Lock);
    Walk(T, owner, shapes, /*Joins=*/false).run(Roots.size());
  }
  Roots.clear();
}

void cf_v1_kept_join(const void *owner, const struct cf_shape *shapes, int32_t own) {
  joinWith(owner, shapes, own);
  Roots.clear();
}

void cf_v1_kept_join_split(const void *owner, const struct cf_shape *shapes, int32_t own) {
  joinWith(owner, shapes, own);
  SplitJoins &All = splitJoins();
  const std::scoped_lock Guard(All.Lock);
  All.Of[currentCall()].push_back({&Thread, owner, shapes, own, Roots});
  Roots.clear();
}

void cf_v1_kept_rejoin() {
  SplitJoins &All = splitJoins();
  const std::scoped_lock Guard(All.Lock); // no thread ends meanwhile
  for (const Join &Each : All.Of[currentCall()]) {
    Roots = Each.Variables;
    joinWith(Each.Owner, Each.Shapes, Each.Own);
  }
  Roots.clear();
}
