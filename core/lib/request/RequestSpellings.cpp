// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of derivative calls and markers. A C++ name is taken apart down to its base name:
// "_Z17__enzyme_autodiffIdJPdS0_EET_PvDpT0_" is "__enzyme_autodiff".

#include "RequestSpellings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"

#include <cstdlib>
#include <string>

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral CommonPart = "__enzyme_";

const RequestSpelling Requests[] = {
#define CF_REQUEST(Name, Mode, Part) {Name, DerivativeMode::Mode, RequestPart::Part},
#define CF_REQUEST_UNSUPPORTED(Name) {Name, std::nullopt, RequestPart::Whole},
#include "RequestSpellings.def"
};

/// What is not known is refused by the name of the function, and not missed when the program is
/// linked.
const RequestSpelling Unknown = {"", std::nullopt, RequestPart::Whole};

const StringLiteral Hints[] = {
#define CF_HINT(Name) Name,
#include "RequestSpellings.def"
};

const StringLiteral Identities[] = {
#define CF_IDENTITY(Name) Name,
#include "RequestSpellings.def"
};

const StringLiteral Views[] = {
#define CF_VIEW(Name) Name,
#include "RequestSpellings.def"
};

const MarkerSpelling Markers[] = {
#define CF_MARKER(Name, Kind) {Name, MarkerMeaning::Activity, Activity::Kind},
#define CF_MARKER_OTHER(Name, Meaning) {Name, MarkerMeaning::Meaning},
#include "RequestSpellings.def"
};

std::string baseName(StringRef Mangled) {
  const std::string Name = Mangled.str(); // the demangler points into it
  ItaniumPartialDemangler Demangler;
  if (Demangler.partialDemangle(Name.c_str()) || !Demangler.isFunction())
    return Name;
  char *Text = Demangler.getFunctionBaseName(nullptr, nullptr);
  if (!Text)
    return Name;
  std::string Base = Text;
  std::free(Text);
  return Base;
}

} // namespace

const RequestSpelling *findRequestSpelling(StringRef FunctionName) {
  if (!FunctionName.contains(CommonPart))
    return nullptr;
  const std::string Base = baseName(FunctionName);
  for (const RequestSpelling &Spelling : Requests)
    if (StringRef(Base).starts_with(Spelling.Name))
      return &Spelling;
  const bool Other = isHintSpelling(Base) || isIdentitySpelling(Base) || isViewSpelling(Base);
  return StringRef(Base).starts_with(CommonPart) && !Other ? &Unknown : nullptr;
}

static bool beginsWithAny(StringRef FunctionName, ArrayRef<StringLiteral> Names) {
  if (!FunctionName.contains(CommonPart))
    return false;
  const std::string Base = baseName(FunctionName);
  return any_of(Names, [&](StringRef Name) { return StringRef(Base).starts_with(Name); });
}

bool isHintSpelling(StringRef FunctionName) { return beginsWithAny(FunctionName, Hints); }

bool isIdentitySpelling(StringRef FunctionName) { return beginsWithAny(FunctionName, Identities); }

bool isViewSpelling(StringRef FunctionName) { return beginsWithAny(FunctionName, Views); }

const MarkerSpelling *findMarkerSpelling(StringRef Name) {
  for (const MarkerSpelling &Spelling : Markers)
    if (Name == Spelling.Name)
      return &Spelling;
  return nullptr;
}

} // namespace contraflow
