// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is read from files and strings, and text that is put together, has no derivative; the floats
// that it overwrites had one.
//
//   n = fread(y, 8, m, file)            forward: y-dot = 0 for the n that came
//                                       reverse: y-bar = 0
//   r = sscanf(line, "%d %lf", &k, &x)  the same for x if r is at least 2
//
// Most such calls fill a name that lies beside floats, which only the unoptimised code's analysis
// takes for one of them. How many bytes were written is known after the call, and kept.

#include "Fields.h"
#include "Memory.h"
#include "contraflow/core/Diag.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {
namespace {

enum class Extent { Printed, Text, Elements, Received, Operand, Object, Scanned, Parsed };

struct Fill {
  unsigned Dest;
  Extent Bytes;
  int Number;
  unsigned Takes = 0; ///< Object: that many operands
};

/// What each function fills.
const StringMap<SmallVector<Fill, 1>> &fills() {
  static const StringMap<SmallVector<Fill, 1>> Table = [] {
    StringMap<SmallVector<Fill, 1>> Out;
#define CF_FILLS(Name, Dest, Bytes, Number) Out[Name].push_back({Dest, Extent::Bytes, Number});
#define CF_FILLS_OBJECT(Name, Takes, Dest, Size)                                                   \
  Out[Name].push_back({Dest, Extent::Object, Size, Takes});
#include "callee/Fills.def"
    return Out;
  }();
  return Table;
}

constexpr uint64_t String = 0;

/// How many bytes the conversions of a scanf format store, a String or so many. Nothing if that
/// cannot be told.
std::optional<SmallVector<uint64_t, 4>> conversionsOf(StringRef Format) {
  SmallVector<uint64_t, 4> Out;
  for (size_t At = 0; (At = Format.find('%', At)) != StringRef::npos;) {
    StringRef Rest = Format.substr(At + 1);
    const bool Dropped = Rest.consume_front("*");
    Rest = Rest.drop_while(isDigit);
    StringRef Length = Rest.take_while([](char C) { return StringRef("hlLqjzt").contains(C); });
    Rest = Rest.drop_front(Length.size());
    if (Rest.empty() || StringRef("n$cSCm").contains(Rest.front()))
      return std::nullopt;
    char Letter = Rest.front();
    Rest = Rest.drop_front();
    if (Letter == '[') { // a ']' that comes first is a member
      Rest.consume_front("^");
      const size_t End = Rest.find(']', 1);
      if (End == StringRef::npos)
        return std::nullopt;
      Rest = Rest.substr(End + 1);
    }
    At = Rest.data() - Format.data();
    if (Letter == '%' || Dropped)
      continue;
    if (StringRef("s[").contains(Letter)) {
      Out.push_back(String);
      continue;
    }
    uint64_t Bytes = Letter == 'p' ? 8 : 4;
    for (char C : Length)
      Bytes = C == 'h' ? Bytes / 2 : C == 'L' ? 16 : 8;
    Out.push_back(Bytes);
  }
  return Out;
}

class FillingHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    SmallVector<StringRef, 0> Names;
    for (auto &Entry : fills())
      Names.push_back(Entry.first());
    return Names;
  }
  bool claims(const CallBase &Call) const override;
  CallFacts facts(const CallBase &Call) const override;
  bool severalDirections() const override { return true; }
  bool knowsOwnShadows(const CallBase &) const override { return true; }
  /// Whose text comes from memory and goes there.
  bool isRepeatable(const CallBase &Call) const override {
    return all_of(of(Call), [](const Fill &F) {
      return F.Bytes == Extent::Printed || F.Bytes == Extent::Parsed ||
             (F.Bytes == Extent::Text && F.Number == 0);
    });
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override;
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override;

private:
  struct Piece {
    unsigned Operand;
    Value *Shadow, *Bytes;
  };
  static ArrayRef<Fill> of(const CallBase &Call) {
    return fills().find(Call.getCalledFunction()->getName())->second;
  }
  static bool isScanned(const Fill &F) {
    return F.Bytes == Extent::Scanned || F.Bytes == Extent::Parsed;
  }
  static bool scans(const CallBase &Call) { return isScanned(of(Call).front()); }
  static bool isDeclaredSo(const CallBase &Call, const Fill &F);
  static SmallVector<unsigned, 4> destinations(const CallBase &Call);
  static Value *bytes(SweepBuilder &B, CallBase &Call, const Fill &F);
  static Value *text(SweepBuilder &B, Value *Address, Value *If);
  static Error scanned(SweepBuilder &B, CallBase &Call, MutableArrayRef<Piece> Pieces);
  static Expected<SmallVector<Piece, 2>> pieces(SweepBuilder &B, CallBase &Call);
};

/// Declared as the library has it, as far as that matters.
bool FillingHandler::isDeclaredSo(const CallBase &Call, const Fill &F) {
  const bool Tells = F.Bytes == Extent::Text || F.Bytes == Extent::Object;
  if (F.Bytes != Extent::Operand &&
      !(Tells ? !Call.getType()->isVoidTy() : Call.getType()->isIntegerTy()))
    return false;
  if (F.Bytes == Extent::Object)
    return Call.arg_size() == F.Takes && Call.getModule()->getTargetTriple().isX86_64();
  if (F.Bytes == Extent::Text || isScanned(F))
    return Call.arg_size() > F.Dest || isScanned(F);
  const bool Bounded = F.Bytes != Extent::Received && F.Number >= 0;
  return Call.arg_size() > F.Dest &&
         (!Bounded || (Call.arg_size() > unsigned(F.Number) &&
                       Call.getArgOperand(F.Number)->getType()->isIntegerTy()));
}

bool FillingHandler::claims(const CallBase &Call) const {
  return Call.getCalledFunction()->isDeclaration() &&
         lookupCallee(Call).Kind == CalleeKind::Inactive &&
         all_of(of(Call), [&](const Fill &F) { return isDeclaredSo(Call, F); }) &&
         all_of(destinations(Call),
                [&](unsigned I) { return Call.getArgOperand(I)->getType()->isPointerTy(); });
}

SmallVector<unsigned, 4> FillingHandler::destinations(const CallBase &Call) {
  SmallVector<unsigned, 4> All;
  for (const Fill &F : of(Call))
    All.push_back(F.Dest);
  if (scans(Call))
    for (unsigned I = All.back() + 1; I < Call.arg_size(); ++I)
      All.push_back(I);
  return All;
}

CallFacts FillingHandler::facts(const CallBase &Call) const {
  CallFacts Facts;
  Facts.Writes = destinations(Call);
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    if (Call.getArgOperand(I)->getType()->isPointerTy())
      Facts.Reads.push_back(I);
  const auto IsNumbers = [](const Fill &F) {
    return is_contained({Extent::Elements, Extent::Received}, F.Bytes) || isScanned(F);
  };
  if (any_of(of(Call), IsNumbers))
    Facts.Cleared.append(Facts.Writes.begin(), Facts.Writes.end());
  return Facts;
}

/// The bytes of the string at an address; none where the condition does not hold.
Value *FillingHandler::text(SweepBuilder &B, Value *Address, Value *If) {
  Value *None = ConstantPointerNull::get(B.ir().getPtrTy());
  return B.runtime("text_bytes", B.ir().getInt64Ty(),
                   {If ? B.ir().CreateSelect(If, Address, None) : Address});
}

/// How many bytes the call has written where a destination begins.
Value *FillingHandler::bytes(SweepBuilder &B, CallBase &Call, const Fill &F) {
  auto &IR = B.ir();
  auto Operand = [&](int I) {
    return IR.CreateZExtOrTrunc(Call.getArgOperand(I), IR.getInt64Ty());
  };
  Value *Zero = IR.getInt64(0);
  if (F.Bytes == Extent::Object)
    return IR.CreateSelect(IR.CreateIsNull(Call.getArgOperand(F.Dest)), Zero,
                           IR.getInt64(F.Number));
  if (F.Bytes == Extent::Operand)
    return Operand(F.Number);
  if (F.Bytes == Extent::Text)
    return text(B, Call.getArgOperand(F.Dest), F.Number ? IR.CreateIsNotNull(&Call) : nullptr);
  Value *Result = IR.CreateSExtOrTrunc(&Call, IR.getInt64Ty());
  if (F.Bytes == Extent::Elements)
    return IR.CreateMul(Result, Operand(F.Number));
  Value *Positive = IR.CreateBinaryIntrinsic(Intrinsic::smax, Result, Zero);
  if (F.Bytes == Extent::Received)
    return Positive;
  Value *Printed = IR.CreateAdd(Result, IR.getInt64(1));
  if (F.Number >= 0)
    Printed = IR.CreateBinaryIntrinsic(Intrinsic::umin, Printed, Operand(F.Number));
  return IR.CreateSelect(IR.CreateICmpSLT(Result, Zero), Zero, Printed);
}

/// How many bytes each destination has got.
Error FillingHandler::scanned(SweepBuilder &B, CallBase &Call, MutableArrayRef<Piece> Pieces) {
  const Fill &F = of(Call).front();
  StringRef Format;
  std::optional<SmallVector<uint64_t, 4>> Conversions;
  if (getConstantStringInfo(Call.getArgOperand(F.Number), Format))
    Conversions = conversionsOf(Format);
  if (!Conversions)
    return diffError(DiagId::UnsupportedMemory, Call,
                     "the format of '" + userName(*Call.getCalledFunction()) +
                         "' does not tell what is written to active memory");
  auto &IR = B.ir();
  for (Piece &P : Pieces) {
    const unsigned Number = P.Operand - F.Dest;
    if (Number >= Conversions->size())
      return diffError(DiagId::UnsupportedMemory, Call, "a format with fewer conversions");
    Value *Done = IR.CreateICmpSGE(&Call, ConstantInt::get(Call.getType(), Number + 1));
    const uint64_t Bytes = (*Conversions)[Number];
    P.Bytes = Bytes != String ? IR.CreateSelect(Done, IR.getInt64(Bytes), IR.getInt64(0))
                              : text(B, Call.getArgOperand(P.Operand), Done);
  }
  return Error::success();
}

/// The active memory that the call has filled, after it.
Expected<SmallVector<FillingHandler::Piece, 2>> FillingHandler::pieces(SweepBuilder &B,
                                                                       CallBase &Call) {
  SmallVector<Piece, 2> Out;
  for (unsigned I : destinations(Call)) {
    Value *To = Call.getArgOperand(I), *Shadow = B.shadow(To);
    if (!Shadow || !B.activeMemory(To))
      continue;
    if (Error E = checkCleared(B.layout(To), Call))
      return E;
    Out.push_back({I, Shadow, nullptr});
  }
  if (Out.empty())
    return Out;
  B.ir().SetInsertPoint(Call.getNextNode());
  if (scans(Call)) {
    if (Error E = scanned(B, Call, Out))
      return E;
  } else {
    for (Piece &P : Out)
      P.Bytes =
          bytes(B, Call, *find_if(of(Call), [&](const Fill &F) { return F.Dest == P.Operand; }));
  }
  for (Piece &P : Out) {
    Value *To = Call.getArgOperand(P.Operand), *None = B.ir().getInt64(0);
    if (Value *Own = B.isOwnShadow(To))
      P.Bytes = B.ir().CreateSelect(Own, None, P.Bytes);
    if (isGuess(B.layout(To))) // text may have no shadow
      P.Bytes = B.ir().CreateSelect(B.ir().CreateIsNull(P.Shadow), None, P.Bytes);
  }
  return Out;
}

Error FillingHandler::tangent(SweepBuilder &B, CallBase &Call) const {
  IRBuilderBase::InsertPointGuard Guard(B.ir());
  auto Pieces = pieces(B, Call);
  if (!Pieces)
    return Pieces.takeError();
  for (const Piece &P : *Pieces)
    clearFloats(B, B.layout(Call.getArgOperand(P.Operand)), P.Shadow, P.Bytes);
  return Error::success();
}

Error FillingHandler::augment(SweepBuilder &B, CallSite &Site) const {
  IRBuilderBase::InsertPointGuard Guard(B.ir());
  auto Pieces = pieces(B, *Site.Anchor);
  if (!Pieces)
    return Pieces.takeError();
  for (const Piece &P : *Pieces)
    Site.Recorded.append({B.ir().getInt32(P.Operand), P.Shadow, P.Bytes});
  return Error::success();
}

Error FillingHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                              ArrayRef<Value *> Recalled) const {
  for (; !Recalled.empty(); Recalled = Recalled.drop_front(3)) {
    const uint64_t Operand = cast<ConstantInt>(Recalled[0])->getZExtValue();
    clearFloats(B, B.layout(Site.Operands[Operand]), Recalled[1], Recalled[2]);
  }
  return Error::success();
}

/// In a derivative whose derivative is asked for: a length of text is no number that varies.
class TextLengthHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf_v1_text_bytes"}; }
  CallFacts facts(const CallBase &) const override {
    CallFacts Facts;
    Facts.Reads = {0};
    return Facts;
  }
  bool hasReverse(const CallBase &) const override { return false; }
  bool severalDirections() const override { return true; }
  bool isRepeatable(const CallBase &) const override { return true; }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  Error augment(SweepBuilder &, CallSite &) const override { return Error::success(); }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }
};

} // namespace

void registerFillingHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<FillingHandler>());
  Registry.add(std::make_unique<TextLengthHandler>());
}

} // namespace contraflow
