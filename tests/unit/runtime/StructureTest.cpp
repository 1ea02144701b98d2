// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes and shadows are linked alike; trees stay sorted and balanced, as libstdc++ itself walks
// them. Sorts agree with qsort, and adjoints go back where elements came from.

#include "contraflow/abi.h"

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <typeinfo>
#include <vector>

namespace {

using Base = std::_Rb_tree_node_base;

struct Node : Base {
  int Key = 0;
};

struct Forest {
  Base Header{}, HeaderShadow{};
  std::map<Base *, Base *> Shadows;

  Forest() {
    Header._M_color = std::_S_red;
    for (Base *H : {&Header, &HeaderShadow}) {
      H->_M_parent = nullptr;
      H->_M_left = H->_M_right = H;
    }
    Shadows[&Header] = &HeaderShadow;
    Shadows[nullptr] = nullptr;
  }

  void insert(Node *X, Base *Shadow) {
    Base *Parent = &Header;
    bool Left = true;
    for (Base *At = Header._M_parent; At;) {
      Parent = At;
      Left = X->Key < static_cast<Node *>(At)->Key;
      At = Left ? At->_M_left : At->_M_right;
    }
    Shadows[X] = Shadow;
    cf_v1_tree_insert(Left, X, Parent, &Header, Shadow, Shadows[Parent], &HeaderShadow);
  }

  void erase(Node *X) {
    EXPECT_EQ(cf_v1_tree_erase(X, &Header, Shadows[X], &HeaderShadow), X);
    Shadows.erase(X);
  }

  // The number of black nodes on every path below X; -1 if paths differ.
  int blackHeight(Base *X) const {
    if (!X)
      return 0;
    const int Left = blackHeight(X->_M_left), Right = blackHeight(X->_M_right);
    const bool Red = X->_M_color == std::_S_red;
    for (Base *Child : {X->_M_left, X->_M_right})
      if (Child && Red && Child->_M_color == std::_S_red)
        return -1;
    return Left == Right && Left >= 0 ? Left + (Red ? 0 : 1) : -1;
  }

  void check() {
    EXPECT_GE(blackHeight(Header._M_parent), 0);
    for (auto [X, Shadow] : Shadows) {
      if (!X)
        continue;
      EXPECT_EQ(Shadows.at(X->_M_left), Shadow->_M_left);
      EXPECT_EQ(Shadows.at(X->_M_right), Shadow->_M_right);
      EXPECT_EQ(Shadows.at(X->_M_parent), Shadow->_M_parent);
    }
    int Last = -1;
    size_t Count = 0;
    for (Base *X = Header._M_left; X != &Header; ++Count) {
      EXPECT_LE(Last, static_cast<Node *>(X)->Key);
      Last = static_cast<Node *>(X)->Key;
      Base *Next = std::_Rb_tree_increment(X);
      EXPECT_EQ(cf_v1_tree_next_shadow(X, Shadows[X]), Shadows[Next]);
      EXPECT_EQ(std::_Rb_tree_decrement(Next), X);
      EXPECT_EQ(cf_v1_tree_previous_shadow(Next, Shadows[Next]), Shadows[X]);
      X = Next;
    }
    EXPECT_EQ(Count + 2, Shadows.size());
  }
};

} // namespace

TEST(Linked, TreesOfNodesAndShadows) {
  std::mt19937 Random{7};
  constexpr int N = 60;
  std::vector<Node> Nodes(N), Twins(N);
  Forest F;
  for (int I = 0; I < N; ++I) {
    Nodes[I].Key = static_cast<int>(Random() % 40);
    F.insert(&Nodes[I], &Twins[I]);
    F.check();
  }
  std::vector<int> Order(N);
  for (int I = 0; I < N; ++I)
    Order[I] = I;
  std::shuffle(Order.begin(), Order.end(), Random);
  for (int I : Order) {
    F.erase(&Nodes[I]);
    F.check();
  }
}

TEST(Linked, ListsOfNodesAndShadows) {
  struct Link {
    Link *Next, *Previous;
  };
  Link P[6], S[6];
  for (Link *L : {P, S})
    for (int Head : {0, 1})
      L[Head] = {&L[Head], &L[Head]};
  for (int I : {2, 3, 4, 5})
    cf_v1_list_hook(&P[I], &P[0], &S[I], &S[0]);                 // 0: 2 3 4 5
  cf_v1_list_transfer(&P[1], &P[3], &P[5], &S[1], &S[3], &S[5]); // 1: 3 4
  cf_v1_list_reverse(&P[1], &S[1]);                              // 1: 4 3
  cf_v1_list_swap(&P[0], &P[1], &S[0], &S[1]);                   // 0: 4 3   1: 2 5
  cf_v1_list_unhook(&P[2], &S[2]);                               // 1: 5
  for (Link *L : {P, S}) {
    EXPECT_EQ(L[0].Next, &L[4]);
    EXPECT_EQ(L[4].Next, &L[3]);
    EXPECT_EQ(L[3].Next, &L[0]);
    EXPECT_EQ(L[0].Previous, &L[3]);
    EXPECT_EQ(L[1].Next, &L[5]);
    EXPECT_EQ(L[5].Next, &L[1]);
    EXPECT_EQ(L[1].Previous, &L[5]);
  }
}

static int compareFirst(const void *A, const void *B) {
  return static_cast<const int *>(A)[0] - static_cast<const int *>(B)[0];
}

TEST(Sort, AgreesWithQsortAndGoesBack) {
  struct Item {
    int Key, Rest;
    double Value;
  };
  constexpr cf_field Value = {8, 1};
  std::mt19937 Random{11};
  for (int N : {0, 1, 2, 7, 100}) {
    std::vector<Item> Items(N), Bars(N);
    for (int I = 0; I < N; ++I) {
      Items[I] = {static_cast<int>(Random() % 20), I, I + 0.5};
      Bars[I].Value = static_cast<double>(Random() % 9);
    }
    const auto Before = Items, BarsBefore = Bars;
    auto Expected = Items;
    if (N)
      std::qsort(Expected.data(), N, sizeof(Item), compareFirst);
    cf_tape *Tape = cf_v1_tape_begin();
    int64_t *Order = cf_v1_sort_recorded(Items.data(), N, sizeof(Item), compareFirst, Tape);
    cf_v1_permute_adjoint(Bars.data(), N, sizeof(Item), Order, 0, &Value, 1);
    for (int I = 0; I < N; ++I) {
      EXPECT_EQ(Items[I].Rest, Expected[I].Rest);
      EXPECT_EQ(Items[I].Value, Before[Order[I]].Value);
      EXPECT_EQ(Bars[Order[I]].Value, BarsBefore[I].Value);
    }
    cf_v1_tape_release(Tape, Order);
    cf_v1_tape_end(Tape);
  }
}

TEST(CopyFields, AddressesForwardAdjointsBack) {
  struct Record {
    double V;
    void *P;
    double Either;
  };
  constexpr cf_field Pointers[] = {{8, 3}, {16, 4}}, Floats[] = {{0, 1}, {16, 4}};
  int Target = 0;
  Record Src[2] = {{1, &Target, 2}, {3, &Target, 0}}, Dst[2] = {};
  void *Address = &Target;
  std::memcpy(&Src[1].Either, &Address, sizeof Address);
  cf_v1_copy_fields_forward(Dst, Src, sizeof Src, sizeof(Record), Pointers, 2);
  EXPECT_EQ(Dst[0].P, &Target);
  EXPECT_EQ(Dst[0].V, 0);
  EXPECT_EQ(Dst[0].Either, 0);
  EXPECT_EQ(std::memcmp(&Dst[1].Either, &Address, sizeof Address), 0);
  Dst[0].V = Dst[0].Either = 10;
  cf_v1_copy_fields_adjoint(Dst, Src, sizeof Src, 0, sizeof(Record), Floats, 2);
  EXPECT_EQ(Src[0].V, 11);
  EXPECT_EQ(Src[0].Either, 12);
  EXPECT_EQ(Dst[0].V, 0);
  EXPECT_EQ(std::memcmp(&Src[1].Either, &Address, sizeof Address), 0);
}

TEST(CopyFields, FloatsWhereAddressesLie) {
  union Word {
    float Of[2];
    void *P;
  };
  constexpr cf_field Pointers[] = {{0, 8}}, Floats[] = {{0, 7}, {4, 7}}, None[] = {{0, 9}};
  const auto Target = std::make_unique<int>();
  Word Src[2] = {}, Dst[2] = {};
  Src[0].P = Target.get();
  cf_v1_copy_fields_forward(Dst, Src, sizeof Src, sizeof(Word), Pointers, 1);
  EXPECT_EQ(Dst[0].P, Target.get());
  Dst[1] = {{3, 4}};
  Src[1].P = Target.get(); // stale: what is stored there next is two floats
  cf_v1_copy_fields_adjoint(Dst, Src, sizeof Src, 0, sizeof(Word), Floats, 2);
  EXPECT_EQ(Src[0].P, Target.get());
  EXPECT_EQ(Dst[0].P, Target.get());
  EXPECT_EQ(Src[1].Of[0], 3);
  EXPECT_EQ(Src[1].Of[1], 4);
  EXPECT_EQ(Dst[1].P, nullptr);
  cf_v1_copy_fields_adjoint(&Src[1].Of[1], nullptr, sizeof(Word), 0, sizeof(Word), None, 1);
  EXPECT_EQ(Src[1].Of[1], 4);
  cf_v1_copy_fields_adjoint(&Src[0].Of[1], nullptr, sizeof(Word), 0, sizeof(Word), None, 1);
  EXPECT_EQ(Src[0].P, nullptr);
}

TEST(CopyFields, TheReverseOfAdjointsCopies) {
  struct Record {
    double V;
    int64_t Kind;
    double Either;
  };
  constexpr cf_field Floats[] = {{0, 1}, {16, 4}};
  const Record Src[2] = {{1, 5, 2}, {3, 5, 4}};
  Record Dst[2] = {{10, 7, 20}, {30, 7, 40}};
  void *Address = &Dst;
  std::memcpy(&Dst[1].Either, &Address, sizeof Address);
  cf_v1_copy_fields_back(Dst, Src, sizeof Src, sizeof(Record), Floats, 2);
  EXPECT_EQ(Dst[0].V, 1);
  EXPECT_EQ(Dst[0].Either, 2);
  EXPECT_EQ(Dst[1].V, 3);
  EXPECT_EQ(Dst[1].Kind, 7);
  EXPECT_EQ(std::memcmp(&Dst[1].Either, &Address, sizeof Address), 0);
  cf_v1_copy_fields_back(Dst, nullptr, sizeof(Record), sizeof(Record), Floats, 2);
  EXPECT_EQ(Dst[0].V, 0);
  EXPECT_EQ(Dst[1].V, 3);
}

// What was an address has not moved, whatever the forward sweep has left in either place.
TEST(CopyFields, ReverseOfACopyGoesByWhatWasThere) {
  constexpr cf_field Either[] = {{0, 4}};
  const void *Address = &Either;
  double Dst[2] = {7, 0}, Src[2] = {0, 5}, Was[2] = {0, 2};
  std::memcpy(&Was[0], &Address, sizeof Address);
  std::memcpy(&Dst[1], &Address, sizeof Address);
  cf_tape *Tape = cf_v1_tape_begin();
  void *Kept = cf_v1_copy_fields_keep(Was, sizeof Was, Tape);
  cf_v1_copy_fields_back_kept(Dst, Src, sizeof Src, Kept, sizeof(double), Either, 1);
  EXPECT_EQ(Dst[0], 7);
  EXPECT_EQ(Dst[1], 5);
  std::memcpy(&Src[1], &Address, sizeof Address);
  cf_v1_copy_fields_back_kept(Dst, Src, sizeof Src, Kept, sizeof(double), Either, 1);
  EXPECT_EQ(Dst[1], 0);
  cf_v1_tape_release(Tape, Kept);
  cf_v1_tape_end(Tape);
}

TEST(CopyFields, ReverseOfACopyKnowsAddressesItBeginsIn) {
  constexpr cf_field Half = {0, 7};
  const void *Address = &Half;
  constexpr float Value = 3, Other = 5;
  alignas(8) char Was[8], Dst[8] = {}, Src[8] = {};
  std::memcpy(Was, &Address, sizeof Address);
  std::memcpy(Dst + 4, &Value, sizeof Value);
  std::memcpy(Src + 4, &Other, sizeof Other);
  cf_tape *Tape = cf_v1_tape_begin();
  void *Kept = cf_v1_copy_fields_keep(Was + 4, 4, Tape);
  cf_v1_copy_fields_back_kept(Dst + 4, Src + 4, 4, Kept, 8, &Half, 1);
  EXPECT_EQ(std::memcmp(Dst + 4, &Value, sizeof Value), 0);
  cf_v1_tape_release(Tape, Kept);
  std::memset(Was, 0, sizeof Was);
  Kept = cf_v1_copy_fields_keep(Was + 4, 4, Tape);
  cf_v1_copy_fields_back_kept(Dst + 4, Src + 4, 4, Kept, 8, &Half, 1);
  EXPECT_EQ(std::memcmp(Dst + 4, &Other, sizeof Other), 0);
  cf_v1_tape_release(Tape, Kept);
  cf_v1_tape_end(Tape);
}

TEST(CopyFields, StopsWhereTheCopyStops) {
  double Dst[4] = {1, 2, 3, 4}, Src[4] = {};
  constexpr cf_field Both[] = {{0, 1}, {8, 1}}, Aligned = {-1, 1};
  cf_v1_copy_fields_adjoint(Dst, Src, 24, 0, 16, Both, 2);
  EXPECT_EQ(Src[2], 3);
  EXPECT_EQ(Src[3], 0);
  EXPECT_EQ(Dst[3], 4);
  char *From = reinterpret_cast<char *>(Dst) + 20, *To = reinterpret_cast<char *>(Src) + 20;
  cf_v1_copy_fields_adjoint(From, To, 12, 0, 8, &Aligned, 1);
  EXPECT_EQ(Src[3], 4);
}

TEST(CopyFields, MovesBytesToZeros) {
  constexpr cf_field Anywhere = {-2, 1};
  constexpr double Value = 1.7; // no byte of it is zero
  char Dst[20] = {}, Src[20] = {}, Never[20] = {};
  std::memcpy(Dst + 4, &Value, sizeof Value);
  cf_v1_copy_fields_adjoint(Dst, Src, sizeof Src, 0, 8, &Anywhere, 1);
  EXPECT_EQ(std::memcmp(Src + 4, &Value, sizeof Value), 0);
  EXPECT_EQ(std::memcmp(Dst, Never, sizeof Dst), 0);
  cf_v1_copy_fields_adjoint(Dst, Src, sizeof Src, 1, 8, &Anywhere, 1); // adds nothing
  cf_v1_copy_fields_adjoint(Src + 3, Src, 17, 0, 8, &Anywhere, 1);     // they overlap
  EXPECT_EQ(std::memcmp(Src + 1, &Value, sizeof Value), 0);
  cf_v1_copy_fields_adjoint(Src, Dst, sizeof Src, 1, 8, &Anywhere, 1); // others add elsewhere
  EXPECT_EQ(std::memcmp(Dst + 1, &Value, sizeof Value), 0);
  cf_v1_copy_fields_adjoint(Dst, nullptr, sizeof Dst, 0, 8, &Anywhere, 1);
  EXPECT_EQ(std::memcmp(Dst, Never, sizeof Dst), 0);
}

TEST(CopyFieldsDeathTest, DoesNotAddBytes) {
  constexpr cf_field Anywhere = {-2, 1};
  char Dst[12] = {1}, Src[12] = {1};
  EXPECT_EXIT(cf_v1_copy_fields_adjoint(Dst, Src, sizeof Src, 1, 8, &Anywhere, 1),
              testing::KilledBySignal(SIGABRT), "CF354. the adjoint of 12 copied bytes");
}

/// Numbers behind a byte; where they are is said when their adjoints are read.
class LayersOfBytes : public testing::Test {
protected:
  static constexpr cf_field Anywhere = {-2, 1};
  std::array<char, 17> Bars = {}, Copy = {};

  static void put(char *At, double Bar) { std::memcpy(At, &Bar, sizeof Bar); }
  static double taken(char *At) {
    cf_v1_bytes_settle(At, 1, 1);
    double Bar = 0;
    std::memcpy(&Bar, At, sizeof Bar);
    put(At, 0);
    return Bar;
  }
  void copyBack() {
    cf_v1_copy_fields_adjoint(Copy.data(), Bars.data(), Copy.size(), 0, 8, &Anywhere, 1);
  }
};

TEST_F(LayersOfBytes, AreAddedNumberByNumber) {
  put(Bars.data() + 1, 1);
  for (const double Bar : {2., 3.}) {
    put(Copy.data() + 1, Bar);
    put(Copy.data() + 9, 10 * Bar);
    copyBack();
  }
  EXPECT_EQ(taken(Bars.data() + 1), 6);
  EXPECT_EQ(taken(Bars.data() + 9), 50);
  EXPECT_EQ(taken(Bars.data() + 1), 0);
}

TEST_F(LayersOfBytes, MoveWithWhatIsBelow) {
  std::array<char, 17> Other = {};
  for (const double Bar : {2., 3.}) {
    put(Copy.data() + 1, Bar);
    copyBack();
  }
  cf_v1_copy_fields_adjoint(Bars.data(), Other.data(), Other.size(), 0, 8, &Anywhere, 1);
  EXPECT_EQ(taken(Bars.data() + 1), 0);
  EXPECT_EQ(taken(Other.data() + 1), 5);
}

TEST_F(LayersOfBytes, AreRefusedIfNothingIsAddedUp) {
  for (const double Bar : {2., 3.}) {
    put(Copy.data() + 1, Bar);
    copyBack();
  }
  put(Bars.data() + 1, 0); // read, but not what lies above
  EXPECT_EXIT(cf_v1_bytes_dropped(Bars.data(), Bars.size()), testing::KilledBySignal(SIGABRT),
              "CF354. the adjoint of 2 copied bytes");
  put(Bars.data() + 1, 1); // a constant's
  cf_v1_bytes_dropped(Bars.data(), Bars.size());
  EXPECT_EQ(taken(Bars.data() + 1), 1);
}

TEST(Reallocate, KeepsTheOldObject) {
  cf_tape *Tape = cf_v1_tape_begin();
  auto *Old = static_cast<double *>(std::malloc(2 * sizeof(double)));
  Old[0] = 1;
  Old[1] = 2;
  void *Shadow = cf_v1_shadow_alloc(Old, 2 * sizeof(double));
  EXPECT_GE(cf_v1_realloc_extent(Old, Shadow, 800), 16);
  EXPECT_EQ(cf_v1_realloc_extent(Old, Shadow, 8), 8);
  EXPECT_EQ(cf_v1_realloc_extent(nullptr, nullptr, 8), 0);
  auto *New = static_cast<double *>(cf_v1_realloc_forward(Old, Shadow, 800));
  EXPECT_NE(New, Old);
  EXPECT_EQ(New[1], 2);
  EXPECT_EQ(Old[1], 2);
  cf_v1_alloc_reverse(Old, Shadow);
  std::free(New);
  cf_v1_tape_end(Tape);
}

namespace {
struct First {
  virtual ~First() = default;
  int64_t Number = 1;
};
struct Other {
  virtual ~Other() = default;
};
struct Both : First, Other {};
} // namespace

TEST(CastDeathTest, FindsBasesAtKnownDistances) {
  Both Object;
  First Alone, *Whole = &Object;
  constexpr int64_t Hint = -2; // none is a base of the other
  const int64_t Known[] = {8, reinterpret_cast<char *>(static_cast<Other *>(&Object)) -
                                  reinterpret_cast<char *>(Whole)};
  auto Ask = [&](const First *From, const int64_t *Distances, int64_t Count) {
    return cf_v1_base_distance(From, &typeid(First), &typeid(Other), Hint, Distances, Count,
                               "heat.cpp:41:9");
  };
  EXPECT_EQ(Ask(Whole, Known, 2), Known[1]);
  EXPECT_EQ(Ask(&Alone, Known, 2), std::numeric_limits<int64_t>::min());
  EXPECT_EXIT(Ask(Whole, Known, 1), testing::KilledBySignal(SIGABRT), "CF397. .*heat.cpp:41:9");
}

TEST(CalleeDeathTest, SaysWhere) {
  EXPECT_EXIT(cf_v1_unknown_callee("heat.cpp:41:9"), testing::KilledBySignal(SIGABRT),
              "CF307. .*heat.cpp:41:9");
  EXPECT_EXIT(cf_v1_caught_exception("heat.cpp:41:9"), testing::KilledBySignal(SIGABRT),
              "CF308. .*heat.cpp:41:9");
  EXPECT_EXIT(cf_v1_lost_digits("heat.cpp:41:9"), testing::KilledBySignal(SIGABRT),
              "CF392. .*heat.cpp:41:9");
  EXPECT_EXIT(cf_v1_overwritten_bytes("heat.cpp:41:9"), testing::KilledBySignal(SIGABRT),
              "CF393. .*heat.cpp:41:9");
  int X = 0;
  cf_v1_check_global(&X, &X, "");
  cf_v1_check_global(nullptr, nullptr, "");
  cf_v1_check_global(std::bit_cast<void *>(0.5), nullptr, ""); // a number in a word
  EXPECT_EXIT(cf_v1_check_global(&X, nullptr, "heat.cpp:41:9"), testing::KilledBySignal(SIGABRT),
              "CF309. .*heat.cpp:41:9");
  cf_v1_check_number(0.0, "");
  cf_v1_check_number(1e-300, "");
  cf_v1_check_number(-1.0, "");
  EXPECT_EXIT(cf_v1_check_number(std::bit_cast<double>(&X), "heat.cpp:41:9"),
              testing::KilledBySignal(SIGABRT), "CF391. .*heat.cpp:41:9");
  cf_v1_check_digits(0.0, "");
  cf_v1_check_digits(std::bit_cast<double>(&X), "");
  EXPECT_EXIT(cf_v1_check_digits(1.0, "heat.cpp:41:9"), testing::KilledBySignal(SIGABRT),
              "CF392. .*heat.cpp:41:9");
  int Shadow = 0;
  cf_v1_check_shadow(&X, &Shadow, "");
  cf_v1_check_shadow(nullptr, nullptr, "");
  EXPECT_EXIT(cf_v1_check_shadow(&X, &X, "heat.cpp:41:9"), testing::KilledBySignal(SIGABRT),
              "CF323. .*heat.cpp:41:9");
}

TEST(Unwinding, GivesTheTapeBack) {
  for (int Round = 0; Round < 3; ++Round) {
    cf_tape *Tape = cf_v1_tape_begin();
    void *Mark = cf_v1_tape_reserve(Tape, 16);
    cf_v1_tape_reserve(Tape, 1 << 20);
    cf_v1_tape_unwind(Tape, Mark);
  }
  cf_v1_tape_end(cf_v1_tape_begin());
}
