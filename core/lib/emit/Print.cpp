// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions are printed as LLVM prints them, with what is known as a comment at the end of a line:
//
//   %p = getelementptr double, ptr %x, i64 %i        ; -> object 3 {+0 mod 8: double}
//   %v = load double, ptr %p                         ; active

#include "Print.h"

#include "SharedSweep.h"
#include "Unit.h"

#include "llvm/IR/AssemblyAnnotationWriter.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/FormattedStream.h"

using namespace llvm;

namespace contraflow {
namespace {

/// Ends lines with what Note says of a value.
class NoteWriter : public AssemblyAnnotationWriter {
public:
  using Note = function_ref<std::string(const Value &)>;
  explicit NoteWriter(Note Say) : Say(Say) {}
  void printInfoComment(const Value &V, formatted_raw_ostream &OS) override {
    if (std::string Text = Say(V); !Text.empty()) {
      OS.PadToColumn(60);
      OS << "; " << Text;
    }
  }

private:
  Note Say;
};

void printFunction(const Function &F, StringRef Title, NoteWriter::Note Say) {
  errs() << Title << " of " << F.getName() << ":\n";
  for (const Argument &A : F.args())
    if (std::string Text = Say(A); !Text.empty()) {
      errs() << "; ";
      A.printAsOperand(errs(), false);
      errs() << ": " << Text << "\n";
    }
  NoteWriter Writer(Say);
  F.print(errs(), &Writer);
}

std::string describeObject(const MemoryGraph &Graph, Location At) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "-> object " << Graph.canonical(At.Node) << " + " << At.Offset << " {";
  ListSeparator Comma;
  for (auto [Offset, Cell] : Graph.fields(At.Node))
    OS << Comma << "+" << Offset << ": " << kindNames(Graph.kindsOfCell(Cell));
  OS << "}";
  if (int64_t Period = Graph.period(At.Node))
    OS << " every " << Period << " bytes";
  return Text;
}

/// Values of the unit that are asked for, where the user wrote them.
void printValue(const Value &V) {
  errs() << "  ";
  V.printAsOperand(errs());
  if (const auto *I = dyn_cast<Instruction>(&V))
    errs() << "  " << I->getOpcodeName() << "  " << SourcePlace::of(*I).str();
  errs() << "\n";
}

} // namespace

void printTypes(const RequestState &S) {
  for (const Function *F : S.Closure.Functions)
    printFunction(*F, "types", [&S](const Value &V) {
      if (V.getType()->isPointerTy()) {
        const Location At = S.Graph.find(&V);
        return At ? describeObject(S.Graph, At) : std::string();
      }
      const unsigned Kinds = V.getType()->isIntegerTy() ? S.Graph.carried(&V) : SK_Unknown;
      return Kinds & SK_AnyFloat ? "carries " + kindNames(Kinds) : std::string();
    });
  errs() << "objects of " << S.Spec.Primal->getName() << ":\n";
  S.Graph.print(errs());
}

void printActivity(const RequestState &S) {
  for (const Function *F : S.Closure.Functions)
    printFunction(*F, "activity", [&S](const Value &V) -> std::string {
      if (V.getType()->isPointerTy())
        return S.Activity.hasShadow(&V) ? "has a shadow" : "";
      return S.Activity.active(&V) ? "active" : "";
    });
}

void printNeeds(const Function &F, ArrayRef<Value *> Needs) {
  errs() << "needs of " << F.getName() << ":\n";
  SmallPtrSet<const Value *, 32> Seen;
  for (const Value *V : Needs)
    if (Seen.insert(V).second)
      printValue(*V);
}

void printSharing(const Function &F, const SharedPlans &Sharing) {
  errs() << "sharing of " << F.getName() << ":\n";
  if (Sharing.Loops.empty() && Sharing.Dealt.empty() && !Sharing.Why.empty())
    errs() << "  all updates are atomic: " << Sharing.Why << "\n";
  auto Show = [](const SharedPlan &Plan, StringRef When) {
    errs() << "  loop at " << SourcePlace::of(*Plan.Loop.L->getHeader()->getTerminator()).str()
           << " updates without atomics" << When << " what is loaded by\n";
    for (const Instruction *Load : Plan.Loop.PlainLoads)
      printValue(*Load);
  };
  for (const SharedPlan &Plan : Sharing.Loops)
    Show(Plan, "");
  for (const SharedPlan &Plan : Sharing.Dealt)
    Show(Plan, ", if iterations are apart,");
}

} // namespace contraflow
