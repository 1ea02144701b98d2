// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifier is asked about a whole function, which does not say whether it is the notes for
// debuggers that are wrong: it is asked once more about a copy without them.

#include "Valid.h"

#include "contraflow/core/Diag.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {

Error checkValid(Function &F) {
  if (F.isDeclaration() || !verifyFunction(F))
    return Error::success();
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&F, Map);
  stripDebugInfo(*Copy);
  std::string Fault;
  raw_string_ostream OS(Fault);
  const bool IsBroken = verifyFunction(*Copy, &OS);
  Copy->eraseFromParent();
  if (!IsBroken)
    return Error::success();
  SmallVector<StringRef, 2> Lines;
  StringRef(Fault).split(Lines, '\n', /*MaxSplit=*/2, /*KeepEmpty=*/false);
  for (StringRef &Line : Lines)
    Line = Line.trim();
  Lines.truncate(2);
  return diffError(DiagId::InvalidCode, F, join(Lines, " "));
}

} // namespace contraflow
