// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   _ZNSt16_Sp_counted_baseI...E10_M_releaseEv      a member of std::_Sp_counted_base<...>
//   _ZNKSt14default_deleteI5ShapeEclEPS0_           its parameter leads to a Shape
//   _ZNKSt10unique_ptrI5Shape...EptEv               its result leads to a Shape
//   _ZNKSt8functionIFddEEclEd, _ZNSt17_Function_handlerIFddE...E9_M_invokeE...     both of double
//   (double) _ZTV6Circle = { { 0, _ZTI6Circle, functions } }     _ZTI6Circle = { ..., name,
//   _ZTI5Shape }
//   _ZTI4Disc = { ..., name, flags, 2, _ZTI6Circle, 2, _ZTI6Filled, 16 << 8 | 2 }    two bases

#include "Classes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

#include <cstdlib>

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral TablePrefix = "_ZTV", UnderConstruction = "_ZTC", TypePrefix = "_ZTI",
                        Described = "typeinfo for ";

/// What the demangler gives, which is its caller's to free.
std::string taken(char *Text) {
  std::string Out = Text ? Text : "";
  std::free(Text);
  return Out;
}

/// The descriptions of classes that an initialiser names.
SmallVector<const GlobalVariable *, 4> typesIn(const GlobalVariable &G) {
  SmallVector<const GlobalVariable *, 4> Out;
  if (!G.hasInitializer())
    return Out;
  SmallVector<const Constant *, 8> Todo{G.getInitializer()};
  while (!Todo.empty()) {
    const Constant *C = Todo.pop_back_val();
    if (auto *Type = dyn_cast<GlobalVariable>(C)) {
      if (Type->getName().starts_with(TypePrefix))
        Out.push_back(Type);
    } else if (isa<ConstantAggregate>(C)) {
      for (const Use &Op : C->operands())
        Todo.push_back(cast<Constant>(Op.get()));
    }
  }
  return Out;
}

/// What a description describes, also where the linker has made the name of a local one unique:
/// _ZTIN12_GLOBAL__N_15ShapeE.9.
std::string described(const GlobalVariable &Type) {
  return demangle(Type.getName().split('.').first);
}

enum class Descent { None, Unknown, Certain };

/// True of a class of the standard library that the module only names, and that no other class is
/// an argument of: it is derived from none but the library's own. std::exception
bool isLibrarysOwn(const GlobalVariable &Type, StringRef Name) {
  return !Type.hasInitializer() && isOfStandardLibrary(Type) && !Name.contains('<');
}

/// Whether Type is Class, or derived from it, as far as this module tells.
Descent descentOf(const GlobalVariable &Type, StringRef Class) {
  SmallPtrSet<const GlobalVariable *, 8> Seen{&Type};
  SmallVector<const GlobalVariable *, 8> Todo{&Type};
  Descent Answer = Descent::None;
  while (!Todo.empty()) {
    const GlobalVariable *G = Todo.pop_back_val();
    const std::string Name = described(*G);
    StringRef Rest = Name;
    if (Rest.consume_front(Described) && Rest == Class)
      return Descent::Certain;
    const bool Ends = isLibrarysOwn(*G, Rest) && !Class.starts_with("std::");
    if (Rest == Name || (!G->hasInitializer() && !Ends))
      Answer = Descent::Unknown;
    for (const GlobalVariable *Base : typesIn(*G))
      if (Seen.insert(Base).second)
        Todo.push_back(Base);
  }
  return Answer;
}

/// The same of the class that a table is one of; unknown if it does not say which, or is none.
Descent descentOfTable(const GlobalVariable &Table, StringRef Class) {
  Descent Most = Descent::None;
  const auto Types = typesIn(Table);
  if (Types.empty() ||
      !(Table.getName().starts_with(TablePrefix) || Table.getName().starts_with(UnderConstruction)))
    return Descent::Unknown;
  for (const GlobalVariable *Type : Types)
    Most = std::max(Most, descentOf(*Type, Class));
  return Most;
}

/// A direct base of a class.
struct Base {
  const GlobalVariable *Type;
  int64_t Offset;
  bool IsVirtual; ///< where it lies the objects know
};

/// Those that the description lists.
SmallVector<Base, 2> basesOf(const GlobalVariable &Type) {
  constexpr unsigned First = 2, FirstOfSeveral = 4, OffsetShift = 8;
  constexpr int64_t Virtual = 1;
  SmallVector<Base, 2> Out;
  const auto *Fields =
      Type.hasInitializer() ? dyn_cast<ConstantStruct>(Type.getInitializer()) : nullptr;
  const unsigned Count = Fields ? Fields->getNumOperands() : 0;
  auto Add = [&](unsigned I, int64_t Word) {
    const auto *Base = dyn_cast<GlobalVariable>(Fields->getOperand(I));
    if (Base)
      Out.push_back({Base, Word >> OffsetShift, (Word & Virtual) != 0});
  };
  if (Count == First + 1)
    Add(First, 0);
  for (unsigned I = FirstOfSeveral; I + 1 < Count; I += 2)
    if (const auto *Word = dyn_cast<ConstantInt>(Fields->getOperand(I + 1)))
      Add(I, Word->getSExtValue());
  return Out;
}

/// Where in objects of a class those of two bases lie.
struct BasePair {
  const GlobalVariable *From, *To;
  SmallVector<int64_t, 2> AtFrom, AtTo;
  bool Unknown = false; ///< behind a virtual base, or too many
  unsigned Visited = 0;

  void find(const GlobalVariable &Type, int64_t Offset, bool BehindVirtual) {
    constexpr unsigned MostVisited = 256;
    if (++Visited > MostVisited) {
      Unknown = true;
      return;
    }
    Unknown |= BehindVirtual && (&Type == From || &Type == To);
    if (&Type == From)
      AtFrom.push_back(Offset);
    if (&Type == To)
      AtTo.push_back(Offset);
    for (const Base &B : basesOf(Type))
      find(*B.Type, Offset + B.Offset, BehindVirtual || B.IsVirtual);
  }
};

/// Where in objects of the class that Type describes bases of the name Class lie. Nothing if only
/// the objects know, or this module does not tell.
std::optional<SmallVector<int64_t, 2>> offsetsOf(const GlobalVariable &Type, StringRef Class) {
  constexpr unsigned MostVisited = 256;
  SmallVector<int64_t, 2> Out;
  SmallVector<Base, 8> Todo{{&Type, 0, false}};
  for (unsigned I = 0; I < Todo.size(); ++I) {
    const Base At = Todo[I];
    const std::string Name = described(*At.Type);
    StringRef Rest = Name;
    if (!Rest.consume_front(Described) || Todo.size() > MostVisited ||
        (Rest == Class && At.IsVirtual) ||
        (!At.Type->hasInitializer() && !isLibrarysOwn(*At.Type, Rest)))
      return std::nullopt;
    if (Rest == Class)
      Out.push_back(At.Offset);
    for (const Base &B : basesOf(*At.Type))
      Todo.push_back({B.Type, At.Offset + B.Offset, At.IsVirtual || B.IsVirtual});
  }
  return Out;
}

/// One of several parts of a table, which begins with how far the whole object is in front, and its
/// class: one for each base that has functions of its own.
struct TablePart {
  const GlobalVariable *Type = nullptr;
  int64_t ToWhole = 0;
};

TablePart partAt(const GlobalVariable &Table, int64_t At) {
  const auto *Parts = dyn_cast<ConstantStruct>(Table.getInitializer());
  if (!Parts || Parts->getNumOperands() < 2 || At < 0)
    return {}; // there is one
  const DataLayout &DL = Table.getDataLayout();
  const StructLayout &Layout = *DL.getStructLayout(Parts->getType());
  if (uint64_t(At) >= Layout.getSizeInBytes())
    return {};
  const auto *Part =
      dyn_cast<ConstantArray>(Parts->getOperand(Layout.getElementContainingOffset(At)));
  for (unsigned I = 1; Part && I < Part->getNumOperands(); ++I)
    if (const auto *Type = dyn_cast<GlobalVariable>(Part->getOperand(I))) {
      const Constant *Distance = Part->getOperand(I - 1);
      if (Distance->isNullValue())
        return {Type, 0};
      const auto *Number = dyn_cast<ConstantExpr>(Distance);
      const auto *Value = Number && Number->getOpcode() == Instruction::IntToPtr
                              ? dyn_cast<ConstantInt>(Number->getOperand(0))
                              : nullptr;
      return Value ? TablePart{Type, Value->getSExtValue()} : TablePart();
    }
  return {};
}

/// Of "(Shape const*, int)", or "<Shape const*, int>": "Shape const*" and "int".
SmallVector<StringRef, 4> partsOf(StringRef List) {
  SmallVector<StringRef, 4> Parts;
  unsigned Depth = 0;
  size_t Begin = 1;
  for (size_t I = 1; I < List.size(); ++I) {
    const bool Closes = StringRef(">)]}").contains(List[I]);
    if (Depth == 0 && (Closes || List[I] == ',')) {
      if (StringRef Part = List.slice(Begin, I).trim(); !Part.empty())
        Parts.push_back(Part);
      Begin = I + 1;
      if (Closes)
        break;
    }
    Depth += StringRef("<([{").contains(List[I]);
    Depth -= Closes;
  }
  return Parts;
}

/// A parameter that is passed as one value.
bool isOneValue(StringRef Parameter) {
  static constexpr StringLiteral Words[] = {"double", "float",         "int",  "unsigned int",
                                            "long",   "unsigned long", "bool", "char"};
  return Parameter.ends_with("*") || Parameter.ends_with("&") || is_contained(Words, Parameter);
}

/// Of "Shape const*": Shape. Empty if that is no address of an object.
std::string pointedTo(StringRef First) {
  if (!First.consume_back("*") && !First.consume_back("&&") && !First.consume_back("&"))
    return "";
  First.consume_back(" const");
  return First.ends_with("*") ? "" : First.str();
}

/// "double const*", "std::vector<std::complex<double>, std::allocator<std::complex<double> > >&"
bool isOfNumbers(StringRef Type) {
  static constexpr StringLiteral Words[] = {
      "double",         "float",         "int",         "unsigned int",       "long",
      "bool",           "unsigned long", "long long",   "unsigned long long", "short",
      "unsigned short", "char",          "signed char", "unsigned char",      "long double"};
  static constexpr StringLiteral Containers[] = {
      "array", "vector", "complex", "valarray", "span",         "initializer_list", "allocator",
      "pair",  "tuple",  "list",    "deque",    "basic_string", "char_traits"};
  while (Type.consume_back("*") || Type.consume_back("&") || Type.consume_back(" const") ||
         Type.consume_back(" restrict") || Type.consume_back(" __restrict"))
    Type = Type.rtrim();
  const bool IsCount = Type.starts_with("(") || (!Type.empty() && isDigit(Type.front()));
  if (IsCount || is_contained(Words, Type))
    return true;
  if (!Type.consume_front("std::"))
    return false;
  Type.consume_front("__1::");
  Type.consume_front("__cxx11::");
  const size_t Begin = Type.find('<');
  return Begin != StringRef::npos && is_contained(Containers, Type.take_front(Begin)) &&
         all_of(partsOf(Type.drop_front(Begin)), isOfNumbers);
}

bool isDefaultDeleter(StringRef Class) {
  return Class.starts_with("std::default_delete<") ||
         Class.starts_with("std::__1::default_delete<");
}

} // namespace

std::string classOfParameter(const Function &F, unsigned Arg) {
  ItaniumPartialDemangler Name;
  const std::string Mangled = F.getName().str();
  if (Name.partialDemangle(Mangled.c_str()) || !Name.isFunction())
    return "";
  const unsigned First = F.hasStructRetAttr() ? 1 : 0;
  const std::string List = taken(Name.getFunctionParameters(nullptr, nullptr));
  const SmallVector<StringRef, 4> Parameters = partsOf(List);
  const std::string Context = taken(Name.getFunctionDeclContextName(nullptr, nullptr));
  // A static member function is never const; else how many values are passed tells.
  const bool AllOne = all_of(Parameters, isOneValue);
  const bool OfObject = Name.isCtorOrDtor() || Name.hasFunctionQualifiers() ||
                        (AllOne && F.arg_size() == First + Parameters.size() + 1);
  const bool OfNone = Context.empty() || (AllOne && F.arg_size() == First + Parameters.size());
  if (Arg == First && OfObject)
    return Context;
  if (Parameters.empty() || OfObject == OfNone || Arg != (OfObject ? First + 1 : First))
    return "";
  return pointedTo(Parameters.front());
}

std::string classOfResult(const Function &F) {
  static constexpr StringLiteral Pointers[] = {"std::unique_ptr", "std::__shared_ptr_access",
                                               "std::__shared_ptr", "std::__1::unique_ptr",
                                               "std::__1::shared_ptr"};
  ItaniumPartialDemangler Name;
  const std::string Mangled = F.getName().str();
  if (Name.partialDemangle(Mangled.c_str()) || !Name.isFunction())
    return "";
  const std::string Base = taken(Name.getFunctionBaseName(nullptr, nullptr));
  const std::string Context = taken(Name.getFunctionDeclContextName(nullptr, nullptr));
  const size_t Begin = Context.find('<');
  if ((Base != "operator->" && Base != "operator*" && Base != "get") ||
      Begin == std::string::npos || !is_contained(Pointers, StringRef(Context).take_front(Begin)))
    return "";
  const auto Arguments = partsOf(StringRef(Context).drop_front(Begin));
  // Another deleter may have pointers of its own.
  const bool HasDeleter = StringRef(Context).take_front(Begin).ends_with("unique_ptr");
  if (Arguments.empty() ||
      (HasDeleter && (Arguments.size() < 2 || !isDefaultDeleter(Arguments[1]))))
    return "";
  StringRef Class = Arguments.front();
  Class.consume_back(" const");
  return Class.str();
}

std::string classAllocated(const Function &F) {
  static constexpr StringLiteral Allocators[] = {"std::__new_allocator<",
                                                 "__gnu_cxx::new_allocator<"};
  if (!F.getName().contains("allocate"))
    return "";
  ItaniumPartialDemangler Name;
  const std::string Mangled = F.getName().str();
  if (Name.partialDemangle(Mangled.c_str()) || !Name.isFunction())
    return "";
  const std::string Base = taken(Name.getFunctionBaseName(nullptr, nullptr));
  std::string Of;
  if (Base == "allocate")
    Of = taken(Name.getFunctionDeclContextName(nullptr, nullptr));
  else if (StringRef(Base).starts_with("__libcpp_allocate"))
    Of = taken(Name.getFunctionName(nullptr, nullptr));
  const size_t Begin = Of.find('<');
  if (Begin == std::string::npos ||
      (Base == "allocate" && !is_contained(Allocators, StringRef(Of).take_front(Begin + 1))))
    return "";
  const auto Arguments = partsOf(StringRef(Of).drop_front(Begin));
  return Arguments.size() == 1 ? Arguments.front().str() : "";
}

std::string wrappedSignature(const Function &F) {
  // What a std::function consists of; its signature is the first argument, or the last one.
  static constexpr StringLiteral First[] = {"std::function", "std::_Function_handler",
                                            "std::__1::function",
                                            "std::__1::__function::__value_func"};
  static constexpr StringLiteral Last[] = {"std::__1::__function::__func"};
  ItaniumPartialDemangler Name;
  if (!F.getName().contains("unction"))
    return "";
  const std::string Mangled = F.getName().split('.').first.str(); // made unique by a suffix
  if (Name.partialDemangle(Mangled.c_str()) || !Name.isFunction())
    return "";
  const std::string Context = taken(Name.getFunctionDeclContextName(nullptr, nullptr));
  const StringRef Template = StringRef(Context).split('<').first;
  const bool IsFirst = is_contained(First, Template);
  if (!IsFirst && !is_contained(Last, Template))
    return "";
  const auto Arguments = partsOf(StringRef(Context).drop_front(Template.size()));
  if (Arguments.empty())
    return "";
  const StringRef Signature = IsFirst ? Arguments.front() : Arguments.back();
  // Expressions within types have brackets of their own.
  const bool IsPlain = !Signature.contains("operator") && !Signature.contains("->");
  return Signature.ends_with(")") && IsPlain ? Signature.str() : "";
}

bool endsAnyWrapper(const Function &F) {
  return F.getName() == "_ZNSt14_Function_baseD2Ev" || F.getName() == "_ZNSt14_Function_baseD1Ev";
}

bool takesNumbersOnly(const Function &F) {
  ItaniumPartialDemangler Name;
  const std::string Mangled = F.getName().split('.').first.str(); // made unique by a suffix
  if (Name.partialDemangle(Mangled.c_str()) || !Name.isFunction() || Name.isCtorOrDtor())
    return false;
  const std::string List = taken(Name.getFunctionParameters(nullptr, nullptr));
  const SmallVector<StringRef, 4> Parameters = partsOf(List);
  return F.arg_size() == Parameters.size() + (F.hasStructRetAttr() ? 1 : 0) &&
         all_of(Parameters, isOfNumbers);
}

bool takesConstantsOnly(const Function &F) {
  ItaniumPartialDemangler Name;
  const std::string Mangled = F.getName().str();
  if (Name.partialDemangle(Mangled.c_str()) || !Name.isFunction())
    return false;
  const std::string List = taken(Name.getFunctionParameters(nullptr, nullptr));
  return all_of(partsOf(List), [](StringRef Parameter) {
    const bool Leads = Parameter.consume_back("&") || Parameter.consume_back("*");
    return !Leads || Parameter.ends_with(" const");
  });
}

bool isOfStandardLibrary(const GlobalValue &G) {
  static constexpr StringLiteral Prefixes[] = {"_ZSt",    "_ZNSt",  "_ZNKSt",  "_ZTISt",
                                               "_ZTINSt", "_ZTVSt", "_ZTVNSt", "_ZTVN10__cxxabiv1"};
  return any_of(Prefixes, [&](StringRef Prefix) { return G.getName().starts_with(Prefix); });
}

bool isOfProgram(const StructType &S) {
  static constexpr StringLiteral Prefixes[] = {
      "struct.std::", "class.std::", "struct.__gnu_cxx::", "class.__gnu_cxx::"};
  return S.hasName() &&
         none_of(Prefixes, [&](StringRef Prefix) { return S.getName().starts_with(Prefix); });
}

bool isMemberPointer(const Type &T) {
  auto *S = dyn_cast<StructType>(&T);
  return S && S->isLiteral() && S->getNumElements() == 2 &&
         all_of(S->elements(), [](Type *E) { return E->isIntegerTy(64); });
}

StringSet<> describedClasses(const Module &M) {
  StringSet<> Out;
  for (const GlobalVariable &G : M.globals())
    if (G.getName().starts_with(TypePrefix)) {
      const std::string Name = described(G);
      if (StringRef Class = Name; Class.consume_front(Described))
        Out.insert(Class);
    }
  return Out;
}

bool isOfOtherClass(const GlobalVariable &Table, StringRef Class) {
  return descentOfTable(Table, Class) == Descent::None;
}

bool isOfClass(const GlobalVariable &Table, StringRef Class) {
  return descentOfTable(Table, Class) == Descent::Certain;
}

bool isOfOtherBase(const GlobalVariable &Table, int64_t At, StringRef Class) {
  const TablePart Part = partAt(Table, At);
  const auto Offsets = Part.Type ? offsetsOf(*Part.Type, Class) : std::nullopt;
  return Offsets && !Offsets->empty() && !is_contained(*Offsets, -Part.ToWhole);
}

std::optional<SmallVector<int64_t, 4>> distancesOfBases(const GlobalVariable &From,
                                                        const GlobalVariable &To) {
  SmallVector<int64_t, 4> Out;
  for (const GlobalVariable &Type : From.getParent()->globals()) {
    if (!Type.getName().starts_with(TypePrefix))
      continue;
    BasePair Pair{&From, &To, {}, {}};
    Pair.find(Type, 0, false);
    if (Pair.Unknown)
      return std::nullopt;
    for (int64_t F : Pair.AtFrom)
      for (int64_t T : Pair.AtTo)
        if (!is_contained(Out, T - F))
          Out.push_back(T - F);
  }
  return Out;
}

} // namespace contraflow
