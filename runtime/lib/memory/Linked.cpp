// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists and trees of libstdc++ are linked by functions of its shared library, which the
// compiler cannot see. Here they are again, on pairs of a node and its shadow: what happens is
// decided by the node, and is done to both.
//
//   insert x below p          node:   p -> x            shadow:   p' -> x'
//
// What happens to nodes between linked_note and linked_back, which may be nested, is taken back.
//
// The layout of nodes and headers is part of libstdc++'s binary interface. A header's parent is the
// root, its left and right are the first and the last node. Trees are red-black (Bayer 1972); they
// may be balanced otherwise than the library would, but hold the same sequence.

#include "contraflow/abi.h"

#include <cstring>
#include <vector>

namespace contraflow {
namespace {

struct ListNode {
  ListNode *Next, *Previous;
};

struct TreeNode {
  enum : int32_t { Red, Black } Color;
  TreeNode *Parent, *Left, *Right;
};

/// What a word of a node was before; kept while changes are to be taken back.
struct Change {
  void *Place;
  void *Link;
  int32_t Color;
  bool IsColor;
};

struct Changes {
  std::vector<Change> All;
  std::vector<size_t> Marks; ///< where those begin that are taken back next
};

Changes &changes() {
  thread_local Changes Of;
  return Of;
}

void paint(TreeNode *X, decltype(TreeNode::Color) Color) {
  if (!changes().Marks.empty())
    changes().All.push_back({&X->Color, nullptr, X->Color, true});
  X->Color = Color;
}

template <typename Node> struct Twin {
  Node *Primal, *Shadow;
  Twin to(Node *Node::*Link) const { return {Primal->*Link, Shadow ? Shadow->*Link : nullptr}; }
  void set(Node *Node::*Link, Twin Target) const {
    if (!changes().Marks.empty())
      changes().All.push_back({&(Primal->*Link), Primal->*Link, 0, false});
    Primal->*Link = Target.Primal;
    if (Shadow)
      Shadow->*Link = Target.Shadow;
  }
  explicit operator bool() const { return Primal != nullptr; }
  bool operator==(Twin Other) const { return Primal == Other.Primal; }
};

using List = Twin<ListNode>;
using Tree = Twin<TreeNode>;
using Link = TreeNode *TreeNode::*;

List list(void *Primal, void *Shadow) {
  return {static_cast<ListNode *>(Primal), static_cast<ListNode *>(Shadow)};
}

Tree tree(void *Primal, void *Shadow) {
  return {static_cast<TreeNode *>(Primal), static_cast<TreeNode *>(Shadow)};
}

void join(List First, List Second) {
  First.set(&ListNode::Next, Second);
  Second.set(&ListNode::Previous, First);
}

Link other(Link Side) { return Side == &TreeNode::Left ? &TreeNode::Right : &TreeNode::Left; }

Tree outermost(Tree X, Link Side) {
  while (Tree Next = X.to(Side))
    X = Next;
  return X;
}

bool isBlack(Tree X) { return !X || X.Primal->Color == TreeNode::Black; }

Link sideOf(Tree X, Tree Parent) {
  return Parent.to(&TreeNode::Left) == X ? &TreeNode::Left : &TreeNode::Right;
}

// What pointed down to Old points to New.
void replaceChild(Tree Old, Tree New, Tree Header) {
  const Tree Parent = Old.to(&TreeNode::Parent);
  if (Header.to(&TreeNode::Parent) == Old)
    Header.set(&TreeNode::Parent, New);
  else
    Parent.set(sideOf(Old, Parent), New);
}

// The child of X on the other side takes the place of X, which goes down to Side.
void rotate(Tree X, Link Side, Tree Header) {
  const Tree Y = X.to(other(Side)), Inner = Y.to(Side);
  X.set(other(Side), Inner);
  if (Inner)
    Inner.set(&TreeNode::Parent, X);
  replaceChild(X, Y, Header);
  Y.set(&TreeNode::Parent, X.to(&TreeNode::Parent));
  Y.set(Side, X);
  X.set(&TreeNode::Parent, Y);
}

void balanceAfterInsert(Tree X, Tree Header) {
  while (!(Header.to(&TreeNode::Parent) == X) && !isBlack(X.to(&TreeNode::Parent))) {
    Tree Parent = X.to(&TreeNode::Parent);
    const Tree Grand = Parent.to(&TreeNode::Parent);
    const Link Side = sideOf(Parent, Grand);
    const Tree Uncle = Grand.to(other(Side));
    paint(Grand.Primal, TreeNode::Red);
    if (!isBlack(Uncle)) {
      paint(Parent.Primal, TreeNode::Black);
      paint(Uncle.Primal, TreeNode::Black);
      X = Grand;
      continue;
    }
    if (Parent.to(other(Side)) == X) {
      rotate(Parent, Side, Header);
      Parent = X;
    }
    paint(Parent.Primal, TreeNode::Black);
    rotate(Grand, other(Side), Header);
    break;
  }
  paint(Header.to(&TreeNode::Parent).Primal, TreeNode::Black);
}

// X, perhaps null, stands below Parent and lacks one black node on its paths.
void balanceAfterErase(Tree X, Tree Parent, Tree Header) {
  while (!(Header.to(&TreeNode::Parent) == X) && isBlack(X)) {
    const Link Side = sideOf(X, Parent), Far = other(Side);
    Tree Sibling = Parent.to(Far);
    if (!isBlack(Sibling)) {
      paint(Sibling.Primal, TreeNode::Black);
      paint(Parent.Primal, TreeNode::Red);
      rotate(Parent, Side, Header);
      Sibling = Parent.to(Far);
    }
    if (isBlack(Sibling.to(Side)) && isBlack(Sibling.to(Far))) {
      paint(Sibling.Primal, TreeNode::Red);
      X = Parent;
      Parent = X.to(&TreeNode::Parent);
      continue;
    }
    if (isBlack(Sibling.to(Far))) {
      paint(Sibling.to(Side).Primal, TreeNode::Black);
      paint(Sibling.Primal, TreeNode::Red);
      rotate(Sibling, Far, Header);
      Sibling = Parent.to(Far);
    }
    paint(Sibling.Primal, Parent.Primal->Color);
    paint(Parent.Primal, TreeNode::Black);
    paint(Sibling.to(Far).Primal, TreeNode::Black);
    rotate(Parent, Side, Header);
    break;
  }
  if (X)
    paint(X.Primal, TreeNode::Black);
}

// Y, the first node right of Z, takes the place of Z. Returns the parent of what stood below Y.
Tree takePlace(Tree Y, Tree Z, Tree Below, Tree Header) {
  Tree Parent = Y;
  if (!(Z.to(&TreeNode::Right) == Y)) {
    Parent = Y.to(&TreeNode::Parent);
    if (Below)
      Below.set(&TreeNode::Parent, Parent);
    Parent.set(&TreeNode::Left, Below);
    Y.set(&TreeNode::Right, Z.to(&TreeNode::Right));
    Z.to(&TreeNode::Right).set(&TreeNode::Parent, Y);
  }
  Y.set(&TreeNode::Left, Z.to(&TreeNode::Left));
  Z.to(&TreeNode::Left).set(&TreeNode::Parent, Y);
  replaceChild(Z, Y, Header);
  Y.set(&TreeNode::Parent, Z.to(&TreeNode::Parent));
  const auto Color = Y.Primal->Color;
  paint(Y.Primal, Z.Primal->Color);
  paint(Z.Primal, Color);
  return Parent;
}

// Z has one child at most, Below, which takes its place.
Tree takeOut(Tree Z, Tree Below, Tree Header) {
  const Tree Parent = Z.to(&TreeNode::Parent);
  if (Below)
    Below.set(&TreeNode::Parent, Parent);
  replaceChild(Z, Below, Header);
  for (Link Side : {&TreeNode::Left, &TreeNode::Right})
    if (Header.to(Side) == Z)
      Header.set(Side, Below ? outermost(Below, Side) : Parent);
  return Parent;
}

Tree step(Tree X, Link Side) {
  if (Tree Next = X.to(Side))
    return outermost(Next, other(Side));
  Tree Parent = X.to(&TreeNode::Parent);
  while (Parent.to(Side) == X) {
    X = Parent;
    Parent = X.to(&TreeNode::Parent);
  }
  return X.to(Side) == Parent ? X : Parent; // the root may stand right below the header
}

// A header is red, and is the parent of its parent.
bool isHeader(Tree X) {
  return !isBlack(X) && X.to(&TreeNode::Parent) &&
         X.to(&TreeNode::Parent).to(&TreeNode::Parent) == X;
}

} // namespace
} // namespace contraflow

using namespace contraflow;

void cf_v1_linked_note(void) { changes().Marks.push_back(changes().All.size()); }

void cf_v1_linked_back(void) {
  std::vector<Change> &All = changes().All;
  for (; All.size() > changes().Marks.back(); All.pop_back()) {
    const Change &C = All.back();
    if (C.IsColor)
      std::memcpy(C.Place, &C.Color, sizeof C.Color);
    else
      std::memcpy(C.Place, &C.Link, sizeof C.Link);
  }
  changes().Marks.pop_back();
}

void cf_v1_list_hook(void *node, void *position, void *node_shadow, void *position_shadow) {
  const List X = list(node, node_shadow), Next = list(position, position_shadow);
  join(Next.to(&ListNode::Previous), X);
  join(X, Next);
}

void cf_v1_list_unhook(void *node, void *node_shadow) {
  const List X = list(node, node_shadow);
  join(X.to(&ListNode::Previous), X.to(&ListNode::Next));
}

void cf_v1_list_transfer(void *to, void *first, void *last, void *to_shadow, void *first_shadow,
                         void *last_shadow) {
  const List To = list(to, to_shadow), First = list(first, first_shadow);
  const List Last = list(last, last_shadow);
  if (To == Last)
    return;
  const List Before = First.to(&ListNode::Previous), End = Last.to(&ListNode::Previous);
  join(Before, Last);
  join(To.to(&ListNode::Previous), First);
  join(End, To);
}

void cf_v1_list_reverse(void *node, void *node_shadow) {
  const List Start = list(node, node_shadow);
  List X = Start;
  do {
    const List Next = X.to(&ListNode::Next);
    X.set(&ListNode::Next, X.to(&ListNode::Previous));
    X.set(&ListNode::Previous, Next);
    X = Next;
  } while (!(X == Start));
}

void cf_v1_list_swap(void *a, void *b, void *a_shadow, void *b_shadow) {
  const List A = list(a, a_shadow), B = list(b, b_shadow);
  const List FirstA = A.to(&ListNode::Next), LastA = A.to(&ListNode::Previous);
  const List FirstB = B.to(&ListNode::Next), LastB = B.to(&ListNode::Previous);
  const bool EmptyA = FirstA == A, EmptyB = FirstB == B;
  join(A, EmptyB ? A : FirstB);
  join(EmptyB ? A : LastB, A);
  join(B, EmptyA ? B : FirstA);
  join(EmptyA ? B : LastA, B);
}

void cf_v1_tree_insert(int32_t left, void *node, void *parent, void *header, void *node_shadow,
                       void *parent_shadow, void *header_shadow) {
  const Tree X = tree(node, node_shadow), P = tree(parent, parent_shadow);
  const Tree Header = tree(header, header_shadow), Nothing = {nullptr, nullptr};
  const Link Side = left ? &TreeNode::Left : &TreeNode::Right;
  X.set(&TreeNode::Parent, P);
  X.set(&TreeNode::Left, Nothing);
  X.set(&TreeNode::Right, Nothing);
  paint(X.Primal, TreeNode::Red);
  const bool First = P == Header, Outermost = Header.to(Side) == P;
  if (First) {
    Header.set(&TreeNode::Parent, X);
    Header.set(&TreeNode::Left, X);
    Header.set(&TreeNode::Right, X);
  } else {
    P.set(Side, X);
    if (Outermost)
      Header.set(Side, X);
  }
  balanceAfterInsert(X, Header);
}

void *cf_v1_tree_erase(void *node, void *header, void *node_shadow, void *header_shadow) {
  const Tree Z = tree(node, node_shadow), Header = tree(header, header_shadow);
  const Tree Left = Z.to(&TreeNode::Left), Right = Z.to(&TreeNode::Right);
  Tree Below = Left ? Left : Right, Parent = {nullptr, nullptr};
  if (Left && Right) {
    const Tree Y = outermost(Right, &TreeNode::Left);
    Below = Y.to(&TreeNode::Right);
    Parent = takePlace(Y, Z, Below, Header);
  } else {
    Parent = takeOut(Z, Below, Header);
  }
  if (isBlack(Z))
    balanceAfterErase(Below, Parent, Header);
  return node;
}

void *cf_v1_tree_next_shadow(void *node, void *node_shadow) {
  return step(tree(node, node_shadow), &TreeNode::Right).Shadow;
}

void *cf_v1_tree_previous_shadow(void *node, void *node_shadow) {
  const Tree X = tree(node, node_shadow);
  return isHeader(X) ? X.to(&TreeNode::Right).Shadow : step(X, &TreeNode::Left).Shadow;
}
