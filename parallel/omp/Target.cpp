// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target regions in a program that is compiled for devices, too. A derivative runs them on the
// host, in the variables themselves: original and corresponding storage may be the same (OpenMP
// 5.2, 5.8), and what the library cannot run on a device the host runs.
//
//   if (tgt_target_kernel(..., arguments)) body(x, n)   ->   body(x, n)
//   tgt_target_data_begin(...)                          ->   nothing is copied
//   omp_target_memcpy(to, from, n, i, j, ...)           ->   memmove(to + i, from + j, n)
//   omp_target_memcpy_rect(...)                         ->   for each row: memmove
//
// What a device was given outside of the derivative would be stale here: omp_target_check says so.

#include "contraflow/core/Remark.h"
#include "parallel/omp/Handlers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr StringRef Kernel = "__tgt_target_kernel", Data = "__tgt_target_data_";
constexpr StringRef EntryType = "struct.__tgt_offload_entry";

/// What is mapped: addresses, and for each one flags.
struct Mapping {
  Value *Device = nullptr, *Addresses = nullptr;
  const GlobalVariable *Flags = nullptr;
};

StringRef nameOf(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && F->isDeclaration() ? F->getName() : StringRef();
}

/// True if Set writes zeros over the address that is Distance bytes behind its beginning.
bool clears(const MemSetInst &Set, int64_t Distance) {
  auto *Length = dyn_cast<ConstantInt>(Set.getLength());
  auto *Byte = dyn_cast<ConstantInt>(Set.getValue());
  return Length && Byte && Byte->isZero() && Distance >= 0 &&
         Distance + 8 <= Length->getSExtValue();
}

/// The one value that is stored Offset bytes behind Base. Null if there are several stores.
Value *storedAt(Value *Base, int64_t Offset, const DataLayout &Layout) {
  Value *Stored = nullptr;
  SmallVector<std::pair<Value *, int64_t>, 8> Work{{Base, 0}};
  while (!Work.empty()) {
    auto [Address, At] = Work.pop_back_val();
    for (User *U : Address->users()) {
      if (auto *Element = dyn_cast<GetElementPtrInst>(U)) {
        APInt Distance(64, 0);
        if (!Element->accumulateConstantOffset(Layout, Distance))
          return nullptr;
        Work.push_back({Element, At + Distance.getSExtValue()});
      } else if (auto *Store = dyn_cast<StoreInst>(U); Store && At == Offset) {
        if (Stored || Store->getPointerOperand() != Address)
          return nullptr;
        Stored = Store->getValueOperand();
      } else if (auto *Set = dyn_cast<MemSetInst>(U); Set && clears(*Set, Offset - At)) {
        if (Stored)
          return nullptr;
        Stored = ConstantPointerNull::get(PointerType::getUnqual(U->getContext()));
      }
    }
  }
  return Stored;
}

const GlobalVariable *constantFlags(Value *V) {
  auto *Flags = dyn_cast_or_null<GlobalVariable>(V ? V->stripPointerCasts() : nullptr);
  return Flags && Flags->isConstant() && Flags->hasInitializer() &&
                 Flags->getValueType()->isArrayTy()
             ? Flags
             : nullptr;
}

/// __tgt_target_kernel(ident, device, teams, threads, region, arguments): of the arguments, the
/// addresses are 16 and the flags 32 bytes behind the beginning. A region without any has neither.
std::optional<Mapping> mappingOfKernel(CallBase &Call) {
  constexpr int64_t Addresses = 16, Flags = 32;
  const DataLayout &Layout = Call.getDataLayout();
  auto *Arguments = dyn_cast<AllocaInst>(Call.getArgOperand(5)->stripPointerCasts());
  if (!Arguments)
    return std::nullopt;
  Mapping M;
  M.Device = Call.getArgOperand(1);
  Value *Where = storedAt(Arguments, Addresses, Layout),
        *Kinds = storedAt(Arguments, Flags, Layout);
  if (!Where || !Kinds)
    return std::nullopt;
  if (isa<ConstantPointerNull>(Kinds))
    return M;
  M.Addresses = Where;
  M.Flags = constantFlags(Kinds);
  if (!M.Flags)
    return std::nullopt;
  return M;
}

/// __tgt_target_data_*(ident, device, n, bases, addresses, sizes, flags, names, mappers, ...).
std::optional<Mapping> mappingOfData(CallBase &Call) {
  Mapping M{Call.getArgOperand(1), Call.getArgOperand(4), constantFlags(Call.getArgOperand(6))};
  return M.Flags ? std::optional(M) : std::nullopt;
}

/// The variables of this file that each device has one of, always.
SmallVector<GlobalVariable *, 4> declaredTargets(const Module &M) {
  constexpr unsigned Entity = 4, Size = 6; // 0 for a region
  SmallVector<GlobalVariable *, 4> Found;
  for (const GlobalVariable &G : M.globals()) {
    auto *Type = dyn_cast<StructType>(G.getValueType());
    if (!Type || !Type->hasName() || !Type->getName().starts_with(EntryType) || !G.hasInitializer())
      continue;
    const Constant *Entry = G.getInitializer();
    auto *Variable = dyn_cast_or_null<GlobalVariable>(Entry->getAggregateElement(Entity));
    Constant *Bytes = Entry->getAggregateElement(Size);
    if (Variable && Bytes && !Bytes->isNullValue())
      Found.push_back(Variable);
  }
  return Found;
}

/// Null in place of what lies in a variable that devices have always.
Value *unlessDeclared(IRBuilder<> &B, Value *Address, ArrayRef<GlobalVariable *> Declared) {
  for (GlobalVariable *Variable : Declared) {
    uint64_t Bytes = Variable->getDataLayout().getTypeAllocSize(Variable->getValueType());
    Value *Distance = B.CreateSub(B.CreatePtrToInt(Address, B.getInt64Ty()),
                                  B.CreatePtrToInt(Variable, B.getInt64Ty()));
    Address = B.CreateSelect(B.CreateICmpULT(Distance, B.getInt64(Bytes)),
                             ConstantPointerNull::get(B.getPtrTy()), Address);
  }
  return Address;
}

/// Does not keep the address, nor look behind it.
void checkAddress(IRBuilder<> &B, Value *Address, Value *Device) {
  Module &M = *B.GetInsertBlock()->getModule();
  CallInst *Check = SweepBuilder::callRuntime(B, M, "omp_target_check", B.getVoidTy(),
                                              {Address, B.CreateSExt(Device, B.getInt64Ty())});
  Check->addParamAttr(0, Attribute::getWithCaptureInfo(M.getContext(), CaptureInfo::none()));
  Check->addParamAttr(0, Attribute::ReadNone);
  Check->setOnlyAccessesInaccessibleMemory();
}

/// Calls the check for all addresses that name storage which a device may hold.
void check(CallBase &Call, const Mapping &Mapped) {
  constexpr uint64_t Private = 0x80, Literal = 0x100, Attach = 0x4000;
  if (!Mapped.Flags)
    return;
  IRBuilder<> B(&Call);
  SmallVector<GlobalVariable *, 4> Declared = declaredTargets(*Call.getModule());
  for (unsigned I = 0, N = Mapped.Flags->getValueType()->getArrayNumElements(); I < N; ++I) {
    auto *Flags = cast<ConstantInt>(Mapped.Flags->getInitializer()->getAggregateElement(I));
    if (Flags->getZExtValue() & (Private | Literal | Attach))
      continue;
    Value *Slot = B.CreateConstInBoundsGEP1_64(B.getPtrTy(), Mapped.Addresses, I);
    Value *Address = unlessDeclared(B, B.CreateLoad(B.getPtrTy(), Slot), Declared);
    checkAddress(B, Address, Mapped.Device);
  }
}

/// With -fopenmp-offload-mandatory the host has no version of a region, and nobody asks whether
/// the device has run it.
bool hasHostVersion(const CallBase &Call) {
  return any_of(Call.users(), [](const User *U) {
    return any_of(U->users(), [](const User *Asks) {
      auto *Branch = dyn_cast<BranchInst>(Asks);
      return !isa<AssumeInst>(Asks) &&
             (!Branch || none_of(Branch->successors(), [](const BasicBlock *Next) {
               return isa<UnreachableInst>(Next->getFirstNonPHIOrDbg());
             }));
    });
  });
}

bool runOnHost(CallBase &Call) {
  if (Call.arg_size() != 6 || !hasHostVersion(Call))
    return false;
  auto Mapped = mappingOfKernel(Call);
  if (!Mapped)
    return false;
  check(Call, *Mapped);
  remark(RemarkKind::Missed, "Target", Call,
         "in the derivative this target region runs on the host, in the variables themselves");
  Call.replaceAllUsesWith(ConstantInt::get(Call.getType(), 1));
  Call.eraseFromParent();
  return true;
}

bool dropMovement(CallBase &Call) {
  if (Call.arg_size() < 9)
    return false;
  auto Mapped = mappingOfData(Call);
  if (!Mapped)
    return false;
  check(Call, *Mapped);
  Call.eraseFromParent();
  return true;
}

using Arguments = SmallVector<Value *, 16>;

Value *allocate(IRBuilder<> &B, const Arguments &Args) {
  Module &M = *B.GetInsertBlock()->getModule();
  CallInst *Fresh =
      B.CreateCall(M.getOrInsertFunction("malloc", B.getPtrTy(), B.getInt64Ty()), {Args[0]});
  Fresh->addRetAttr(Attribute::NoAlias);
  return Fresh;
}

Value *release(IRBuilder<> &B, const Arguments &Args) {
  Module &M = *B.GetInsertBlock()->getModule();
  return B.CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), B.getPtrTy()), {Args[0]});
}

/// (to, from, bytes, offset of to, offset of from, device of to, device of from)
Value *copy(IRBuilder<> &B, const Arguments &Args) {
  B.CreateMemMove(B.CreatePtrAdd(Args[0], Args[3]), Align(1), B.CreatePtrAdd(Args[1], Args[4]),
                  Align(1), Args[2]);
  return B.getInt32(0);
}

Value *fill(IRBuilder<> &B, const Arguments &Args) {
  B.CreateMemSet(Args[0], B.CreateTrunc(Args[1], B.getInt8Ty()), Args[2], Align(1));
  return Args[0];
}

Value *corresponding(IRBuilder<> &B, const Arguments &Args) {
  checkAddress(B, Args[0], Args[1]);
  return Args[0];
}

Value *isThere(IRBuilder<> &B, const Arguments &Args) {
  return B.CreateZExt(B.CreateIsNotNull(Args[0]), B.getInt32Ty());
}

/// A part of an array of several dimensions, counted in elements: for each dimension how much of
/// it, where it begins, and how long it is.
struct Part {
  Value *Memory, *Element;
  SmallVector<Value *, 4> Counts, Offsets, Lengths;

  Part(IRBuilder<> &B, const Arguments &Args, unsigned Dimensions, bool IsSource)
      : Memory(Args[IsSource]), Element(Args[2]) {
    auto Read = [&](unsigned Argument, SmallVector<Value *, 4> &To) {
      for (unsigned I = 0; I < Dimensions; ++I)
        To.push_back(B.CreateLoad(B.getInt64Ty(),
                                  B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Args[Argument], I)));
    };
    Read(4, Counts);
    Read(5 + IsSource, Offsets);
    Read(7 + IsSource, Lengths);
  }

  /// The address of the element with these indices, counted from the beginning of the part.
  Value *at(IRBuilder<> &B, ArrayRef<Value *> Indices) const {
    Value *Place = B.getInt64(0);
    for (unsigned I = 0; I < Indices.size(); ++I)
      Place = B.CreateAdd(B.CreateMul(Place, Lengths[I]), B.CreateAdd(Offsets[I], Indices[I]));
    return B.CreatePtrAdd(Memory, B.CreateMul(Place, Element));
  }
};

/// (to, from, bytes of an element, dimensions, counts, offsets of to, of from, lengths of to, of
/// from, ...): rows of the last dimension, in a loop for each other one.
Value *copyPart(IRBuilder<> &B, const Arguments &Args) {
  const unsigned Dimensions = cast<ConstantInt>(Args[3])->getZExtValue();
  Part To(B, Args, Dimensions, /*IsSource=*/false), From(B, Args, Dimensions, /*IsSource=*/true);
  Instruction *End = &*B.GetInsertPoint();
  Value *IsSome = B.getTrue();
  for (Value *Count : From.Counts)
    IsSome = B.CreateAnd(IsSome, B.CreateIsNotNull(Count));
  B.SetInsertPoint(SplitBlockAndInsertIfThen(IsSome, End, /*Unreachable=*/false));
  SmallVector<Value *, 4> Indices;
  for (Value *Count : drop_end(From.Counts)) {
    auto [Body, Index] = SplitBlockAndInsertSimpleForLoop(Count, B.GetInsertPoint());
    B.SetInsertPoint(Body);
    Indices.push_back(Index);
  }
  Indices.push_back(B.getInt64(0));
  B.CreateMemMove(To.at(B, Indices), Align(1), From.at(B, Indices), Align(1),
                  B.CreateMul(From.Counts.back(), From.Element));
  B.SetInsertPoint(End);
  return B.getInt32(0);
}

bool isPart(const CallBase &Call) {
  auto *Dimensions = dyn_cast<ConstantInt>(Call.getArgOperand(3));
  return Dimensions && Dimensions->getZExtValue() - 1 < 16;
}

/// What is done at once has no dependences left: true if there are none, in the last two arguments.
bool dependsOnNothing(const CallBase &Call) {
  auto *Count = dyn_cast<ConstantInt>(Call.getArgOperand(Call.arg_size() - 2));
  return Count && Count->isZero();
}

bool isPartOfNothing(const CallBase &Call) { return isPart(Call) && dependsOnNothing(Call); }

/// What a function of the library does with memory of devices, on the host.
struct LibraryFunction {
  StringRef Name;
  unsigned Count;
  Value *(*OnHost)(IRBuilder<> &, const Arguments &);
  bool (*Fits)(const CallBase &) = nullptr;
};

constexpr LibraryFunction LibraryFunctions[] = {
    {"omp_target_alloc", 2, allocate},
    {"omp_target_free", 2, release},
    {"omp_target_memcpy", 7, copy},
    {"omp_target_memcpy_async", 9, copy, dependsOnNothing},
    {"omp_target_memcpy_rect", 11, copyPart, isPart},
    {"omp_target_memcpy_rect_async", 13, copyPart, isPartOfNothing},
    {"omp_target_memset", 4, fill},
    {"omp_target_memset_async", 6, fill, dependsOnNothing},
    {"omp_get_mapped_ptr", 2, corresponding},
    {"omp_target_is_present", 2, isThere},
    {"omp_target_is_accessible", 3, isThere}};

bool runOnHost(CallBase &Call, const LibraryFunction &Function) {
  if (Call.arg_size() != Function.Count || (Function.Fits && !Function.Fits(Call)))
    return false;
  IRBuilder<> B(&Call);
  Value *Done = Function.OnHost(B, Arguments(Call.args()));
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(Done);
  Call.eraseFromParent();
  return true;
}

class TargetHandler : public Rewriter {
public:
  bool unfold(Function &F) const override {
    bool Changed = false;
    SmallVector<CallBase *, 16> Calls; // a copy may become loops
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && !nameOf(*Call).empty())
        Calls.push_back(Call);
    for (CallBase *Call : Calls) {
      StringRef Name = nameOf(*Call);
      if (Name == Kernel) {
        Changed |= runOnHost(plainCall(*Call));
      } else if (Name.starts_with(Data)) {
        Changed |= dropMovement(plainCall(*Call));
      } else if (auto *Row = find_if(LibraryFunctions,
                                     [&](const LibraryFunction &F) { return F.Name == Name; });
                 Row != std::end(LibraryFunctions)) {
        Changed |= runOnHost(plainCall(*Call), *Row);
      }
    }
    return Changed;
  }
};

} // namespace

void registerTarget(HandlerRegistry &Registry) { Registry.add(std::make_unique<TargetHandler>()); }

} // namespace contraflow::omp
