// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers of std::pmr ask an object for memory by a virtual call, and the code of the library's
// resources is in its binary. Which piece of memory a container gets makes no difference to what
// is calculated, so the resources that differentiated code makes take theirs from the heap, where
// each block is an object of its own with a shadow of its own:
//
//   monotonic_buffer_resource r(room, 256);   r.table = heap table
//   p = r.allocate(bytes, alignment);         p = operator new(bytes, alignment)
//   r.deallocate(p, bytes, alignment);        operator delete(p, bytes, alignment)
//   delete &r, by a virtual destructor        operator delete(&r)
//
// Resources that were made outside keep their tables: a virtual call finds no function that is
// known (CF202), or at run time another one than the heap's (CF307). Resources of the program's own
// are classes like any other. What no container gives back before its resource ends is not freed.

#include "Resources.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral TableName = "cf.resource.table", HeapName = "cf.resource.heap";
constexpr int64_t FirstMember = 16; ///< behind the distance to the object and the type

enum class Part { None, Begin, End, Heap };

/// The rest of a name in the library's namespace.
StringRef partOfName(StringRef Name) {
  if (Name.consume_front("_ZNSt3pmr") || Name.consume_front("_ZNSt3__13pmr"))
    return Name;
  return "";
}

Part partOf(const Function &F) {
  const StringRef Name = partOfName(F.getName());
  if (Name.empty())
    return Part::None;
  for (StringRef Pool : {"28unsynchronized_pool_resource", "26synchronized_pool_resource"})
    if (Name.starts_with(Pool))
      return StringSwitch<Part>(Name.substr(Pool.size()))
          .StartsWith("C", Part::Begin)
          .Cases({"D1Ev", "D2Ev", "7releaseEv"}, Part::End)
          .Default(Part::None);
  return StringSwitch<Part>(Name)
      .Cases({"25monotonic_buffer_resourceD1Ev", "25monotonic_buffer_resourceD2Ev",
              "25monotonic_buffer_resource18_M_release_buffersEv",
              "25monotonic_buffer_resource7releaseEv", "15memory_resourceD1Ev",
              "15memory_resourceD2Ev"},
             Part::End)
      .Cases({"20get_default_resourceEv", "19new_delete_resourceEv"}, Part::Heap)
      .Default(Part::None);
}

constexpr StringLiteral TablesOfLibrary[] = {"_ZTVNSt3pmr25monotonic_buffer_resourceE",
                                             "_ZTVNSt3pmr28unsynchronized_pool_resourceE",
                                             "_ZTVNSt3pmr26synchronized_pool_resourceE",
                                             "_ZTVNSt3__13pmr25monotonic_buffer_resourceE",
                                             "_ZTVNSt3__13pmr28unsynchronized_pool_resourceE",
                                             "_ZTVNSt3__13pmr26synchronized_pool_resourceE"};

bool isTableOfLibrary(const GlobalVariable &G) {
  return G.isDeclaration() && is_contained(TablesOfLibrary, G.getName());
}

Function *begin(Module &M, const Twine &Name, FunctionType *T) {
  Function *F = Function::Create(T, GlobalValue::InternalLinkage, Name, M);
  BasicBlock::Create(M.getContext(), "entry", F);
  return F;
}

Function *allocate(Module &M) {
  IRBuilder<> B(M.getContext());
  Type *Pointer = B.getPtrTy(), *Size = B.getInt64Ty();
  Function *F =
      begin(M, "cf.resource.allocate", FunctionType::get(Pointer, {Pointer, Size, Size}, false));
  B.SetInsertPoint(&F->getEntryBlock());
  FunctionCallee New = M.getOrInsertFunction("_ZnwmSt11align_val_t", Pointer, Size, Size);
  CallInst *Block = B.CreateCall(New, {F->getArg(1), F->getArg(2)});
  Block->addRetAttr(Attribute::NoAlias);
  Block->addRetAttr(Attribute::NonNull);
  B.CreateRet(Block);
  return F;
}

Function *deallocate(Module &M) {
  IRBuilder<> B(M.getContext());
  Type *Pointer = B.getPtrTy(), *Size = B.getInt64Ty();
  Function *F = begin(M, "cf.resource.deallocate",
                      FunctionType::get(B.getVoidTy(), {Pointer, Pointer, Size, Size}, false));
  B.SetInsertPoint(&F->getEntryBlock());
  FunctionCallee Delete =
      M.getOrInsertFunction("_ZdlPvmSt11align_val_t", B.getVoidTy(), Pointer, Size, Size);
  B.CreateCall(Delete, {F->getArg(1), F->getArg(2), F->getArg(3)});
  B.CreateRetVoid();
  return F;
}

/// A destructor; the deleting one gives back the room of the resource, too.
Function *destructor(Module &M, const Twine &Name, bool Deletes) {
  IRBuilder<> B(M.getContext());
  Function *F = begin(M, Name, FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false));
  B.SetInsertPoint(&F->getEntryBlock());
  if (Deletes)
    B.CreateCall(M.getOrInsertFunction("_ZdlPv", B.getVoidTy(), B.getPtrTy()), {F->getArg(0)});
  B.CreateRetVoid();
  return F;
}

Function *isEqual(Module &M) {
  IRBuilder<> B(M.getContext());
  Function *F = begin(M, "cf.resource.is_equal",
                      FunctionType::get(B.getInt1Ty(), {B.getPtrTy(), B.getPtrTy()}, false));
  F->addRetAttr(Attribute::ZExt);
  B.SetInsertPoint(&F->getEntryBlock());
  B.CreateRet(B.CreateICmpEQ(F->getArg(0), F->getArg(1)));
  return F;
}

/// As the ABI has it: distance, type, two destructors, and the three functions of a resource.
GlobalVariable *ownTable(Module &M) {
  if (GlobalVariable *Known = M.getGlobalVariable(TableName, /*AllowInternal=*/true))
    return Known;
  Constant *None = ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
  Constant *Members[] = {None,
                         None,
                         destructor(M, "cf.resource.destroy", false),
                         destructor(M, "cf.resource.remove", true),
                         allocate(M),
                         deallocate(M),
                         isEqual(M)};
  auto *T = ArrayType::get(None->getType(), std::size(Members));
  return new GlobalVariable(M, T, /*isConstant=*/true, GlobalValue::InternalLinkage,
                            ConstantArray::get(T, Members), TableName);
}

Constant *inTable(Module &M, int64_t Offset) {
  LLVMContext &Context = M.getContext();
  return ConstantExpr::getGetElementPtr(Type::getInt8Ty(Context), ownTable(M),
                                        ConstantInt::get(Type::getInt64Ty(Context), Offset));
}

/// A resource that is there from the beginning.
GlobalVariable *heap(Module &M) {
  if (GlobalVariable *Known = M.getGlobalVariable(HeapName, /*AllowInternal=*/true))
    return Known;
  Constant *Table = inTable(M, FirstMember);
  return new GlobalVariable(M, Table->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage,
                            Table, HeapName);
}

} // namespace

Function *resourceBodyOf(const Function &F) {
  const Part Which = F.isDeclaration() ? partOf(F) : Part::None;
  Module &M = *const_cast<Module *>(F.getParent());
  Type *Result = F.getReturnType();
  if (Which == Part::None || (Which == Part::Heap ? !Result->isPointerTy() : F.arg_empty()))
    return nullptr;
  if (Which == Part::Heap &&
      M.getFunction("_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE"))
    return nullptr;
  const std::string Name = ("cf.body." + F.getName()).str();
  if (Function *Known = M.getFunction(Name))
    return Known;
  Function *Body = begin(M, Name, F.getFunctionType());
  IRBuilder<> B(&Body->getEntryBlock());
  if (Which == Part::Begin)
    B.CreateStore(inTable(M, FirstMember), Body->getArg(0));
  if (Which == Part::Heap)
    B.CreateRet(heap(M));
  else // constructors and destructors of some ABIs return the object
    Result->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Body->getArg(0));
  return Body;
}

Constant *tableInPlaceOf(GlobalValue &G) {
  auto *Table = dyn_cast<GlobalVariable>(&G);
  return Table && isTableOfLibrary(*Table) ? ownTable(*G.getParent()) : nullptr;
}

void ownResources(Function &P) {
  Module &M = *P.getParent();
  // What P calls may have made a resource: its functions are among those that P may call.
  if (any_of(TablesOfLibrary, [&](StringRef Name) { return M.getNamedGlobal(Name); }))
    heap(M);
  for (Instruction &I : instructions(P))
    for (Use &U : I.operands()) {
      if (!U->getType()->isPointerTy() || !isa<Constant>(U))
        continue;
      APInt Offset(M.getDataLayout().getIndexTypeSizeInBits(U->getType()), 0);
      auto *Table = dyn_cast<GlobalVariable>(U->stripAndAccumulateConstantOffsets(
          M.getDataLayout(), Offset, /*AllowNonInbounds=*/true));
      if (Table && isTableOfLibrary(*Table))
        U.set(inTable(M, Offset.getSExtValue()));
    }
}

} // namespace contraflow
