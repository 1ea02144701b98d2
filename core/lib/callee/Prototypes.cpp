// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of all widths are alike, so that declarations by hand count (int for size_t). A result
// is compared where one of the two is an address or a floating-point number.
//
//   void clock_gettime(double *t, double *r)      "i(ip)": the program's own
//   char *malloc(unsigned)                        "p(i)":  the library's
//   int getpid()                                  of C before 2023: parameters are not known

#include "Prototypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace contraflow {
namespace {

using Shapes = StringMap<StringRef>;

Shapes makeTable() {
  static constexpr std::pair<StringLiteral, StringLiteral> Lines[] = {
#define CF_LIBRARY(Shape, Names) {Shape, Names},
#include "Prototypes.def"
  };
  Shapes Table;
  for (auto [Shape, Names] : Lines) {
    SmallVector<StringRef, 16> Words;
    Names.split(Words, ' ');
    for (StringRef Word : Words)
      Table[Word] = Shape;
  }
  return Table;
}

/// The letter of a type.
char letterOf(const Type *T) {
  if (T->isIntegerTy())
    return 'i';
  if (T->isPointerTy())
    return 'p';
  if (T->isFloatTy())
    return 'f';
  if (T->isDoubleTy())
    return 'd';
  if (T->isFP128Ty() || T->isX86_FP80Ty())
    return 'l';
  return T->isVoidTy() ? 'v' : 's';
}

bool resultsAgree(char Own, char Library) {
  constexpr StringLiteral Plain = "ivs";
  return Own == Library || Own == 'v' || (Plain.contains(Own) && Plain.contains(Library));
}

bool agrees(const Function &F, StringRef Shape) {
  const FunctionType *T = F.getFunctionType();
  if (!resultsAgree(letterOf(T->getReturnType()), Shape.front()))
    return false;
  StringRef Letters = Shape.drop_front(2).drop_back();
  const bool MayHaveMore = Letters.consume_back(".");
  if (T->isVarArg() && T->params().empty())
    return true;
  return (MayHaveMore ? T->getNumParams() >= Letters.size()
                      : T->getNumParams() == Letters.size()) &&
         all_of(zip(T->params(), Letters),
                [](const auto &P) { return letterOf(std::get<0>(P)) == std::get<1>(P); });
}

} // namespace

std::optional<bool> isOfLibraryType(const Function &F, StringRef Name) {
  static const Shapes Table = makeTable();
  auto It = Table.find(Name);
  if (It == Table.end())
    return std::nullopt;
  return agrees(F, It->second);
}

} // namespace contraflow
