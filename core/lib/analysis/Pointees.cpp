// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TBAA says what a pointer leads to only if that has a name in C++, or a tag in C. The code as the
// front end has made it steps by structures:
//
//   typedef struct { double x[3]; int id; } Body;  struct System { Body *bodies; };
//
//   %p = load ptr, at member 0 of %struct.System        getelementptr %struct.Body, %p, %i
//
// A note is (a value of the structure, offset, a value of what it leads to), or a global variable
// in place of the first. Where loads lead to several, or to numbers, it is a value that is no
// structure.

#include "Pointees.h"

#include "PointedStructures.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {

namespace {
constexpr StringLiteral NotesName = "cf.pointees";
constexpr StringLiteral NamedPrefix = "p1 _ZTS"; ///< of what clang calls pointers to structures
} // namespace

std::optional<std::pair<StructType *, int64_t>> memberAt(const Value *Pointer,
                                                         const DataLayout &DL) {
  std::optional<std::pair<StructType *, int64_t>> Out;
  int64_t Offset = 0;
  while (auto *Address = dyn_cast<GEPOperator>(Pointer)) {
    APInt By(DL.getIndexTypeSizeInBits(Address->getType()), 0);
    if (!Address->accumulateConstantOffset(DL, By))
      return Out;
    Offset += By.getSExtValue();
    auto *S = dyn_cast<StructType>(Address->getSourceElementType());
    auto *First = Address->getNumIndices() ? dyn_cast<ConstantInt>(*Address->idx_begin()) : nullptr;
    if (S && S->isSized() && First && First->isZero() && !S->isScalableTy())
      Out = {S, Offset};
    Pointer = Address->getPointerOperand();
  }
  return Out;
}

StructType *arrayIn(const Value &Pointer, const DataLayout &DL) {
  const Value *At = &Pointer;
  while (auto *Step = dyn_cast<GEPOperator>(At)) {
    if (!Step->getSourceElementType()->isArrayTy())
      break;
    At = Step->getPointerOperand();
  }
  const auto Member = At == &Pointer ? std::nullopt : memberAt(At, DL);
  return Member ? Member->first : nullptr;
}

const MDNode *baseOf(const MDNode &Tag) {
  if (Tag.getNumOperands() < 3)
    return nullptr;
  auto *Base = dyn_cast_or_null<MDNode>(Tag.getOperand(0));
  return Base && Base != Tag.getOperand(1) ? Base : nullptr;
}

int64_t offsetOf(const MDNode &Tag) {
  auto *At = mdconst::dyn_extract_or_null<ConstantInt>(Tag.getOperand(2));
  return At ? At->getSExtValue() : -1;
}

const MDNode *namedPointer(const MDNode &Tag) {
  auto *Scalar = Tag.getNumOperands() > 1 ? dyn_cast_or_null<MDNode>(Tag.getOperand(1)) : nullptr;
  auto *Name =
      Scalar && Scalar->getNumOperands() ? dyn_cast<MDString>(Scalar->getOperand(0)) : nullptr;
  return Name && Name->getString().starts_with(NamedPrefix) ? Scalar : nullptr;
}

static Metadata *keyOf(StructType &S) { return ConstantAsMetadata::get(UndefValue::get(&S)); }

/// A member, or a global variable; nothing if the address is of neither.
static std::pair<Metadata *, int64_t> memberOf(const Value &At, const DataLayout &DL) {
  if (const auto Step = memberAt(&At, DL))
    return {keyOf(*Step->first), Step->second};
  auto *Variable = const_cast<GlobalVariable *>(dyn_cast<GlobalVariable>(&At));
  auto *S = Variable ? dyn_cast<StructType>(Variable->getValueType()) : nullptr;
  if (S)
    return {keyOf(*S), 0};
  return {Variable ? ConstantAsMetadata::get(Variable) : nullptr, 0};
}

/// Structures of C without a tag have one description in TBAA if they look the same: it is what
/// stands for the structure then, as it will when the load is looked at.
void PointeeNoter::add(const LoadInst &Pointer, PointedStructures &Pointed) {
  const Value &At = *Pointer.getPointerOperand();
  const MDNode *Tag = Pointer.getMetadata(LLVMContext::MD_tbaa);
  const MDNode *Base = Tag ? baseOf(*Tag) : nullptr;
  Member In{const_cast<MDNode *>(Base), Base ? offsetOf(*Tag) : 0};
  if (!Base)
    In = memberOf(At, M.getDataLayout());
  const auto Leads = Pointed.loaded(Pointer);
  if (!Leads)
    return;
  if (auto *Scalar = const_cast<MDNode *>(Tag ? namedPointer(*Tag) : nullptr))
    add({Scalar, 0}, *Leads);
  if (In.first)
    add(In, *Leads);
}

void PointeeNoter::add(Member In, StructType *Leads) {
  const auto [It, New] = Found.insert({In, Leads});
  if (!New && It->second != Leads)
    It->second = nullptr;
}

void PointeeNoter::write() {
  LLVMContext &Context = M.getContext();
  NamedMDNode *List = M.getOrInsertNamedMetadata(NotesName);
  Type *Other = Type::getInt8Ty(Context);
  for (const auto &[In, S] : Found) {
    auto *Offset = ConstantInt::getSigned(Type::getInt64Ty(Context), In.second);
    Constant *Leads = UndefValue::get(S && S->isSized() && !S->isScalableTy() ? S : Other);
    List->addOperand(MDNode::get(
        Context, {In.first, ConstantAsMetadata::get(Offset), ConstantAsMetadata::get(Leads)}));
  }
}

/// What stands for a structure, or for a variable.
static const void *keyIn(const Metadata *In) {
  const auto *Of = dyn_cast_or_null<ConstantAsMetadata>(In);
  if (!Of)
    return In;
  return isa<UndefValue>(Of->getValue()) ? static_cast<const void *>(Of->getType())
                                         : Of->getValue();
}

PointeeReader::PointeeReader(const Module &M) {
  const NamedMDNode *List = M.getNamedMetadata(NotesName);
  if (!List)
    return;
  for (const MDNode *Note : List->operands()) {
    const void *In = keyIn(Note->getOperand(0));
    const auto *Offset = mdconst::dyn_extract_or_null<ConstantInt>(Note->getOperand(1));
    const auto *Leads = mdconst::dyn_extract_or_null<Constant>(Note->getOperand(2));
    if (!In || !Offset || !Leads)
      continue;
    auto *S = dyn_cast<StructType>(Leads->getType());
    const auto [It, New] = Known.insert({{In, Offset->getSExtValue()}, S});
    if (!New && It->second != S)
      It->second = nullptr; // two files are linked that say different things
  }
}

StructType *PointeeReader::of(const void *In, int64_t Offset) const {
  const auto It = Known.find({In, Offset});
  return It == Known.end() ? nullptr : It->second;
}

StructType *PointeeReader::of(const GlobalVariable &Variable) const {
  auto *S = dyn_cast<StructType>(Variable.getValueType());
  return S ? of(S, 0) : of(&Variable, 0);
}

} // namespace contraflow
