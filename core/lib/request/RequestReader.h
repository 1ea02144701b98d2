// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the arguments of a derivative call. RequestParse.cpp reads markers, numbers and
// pointers, RequestStructures.cpp what the calling convention has taken apart.

#pragma once

#include "ByValue.h"
#include "RequestSpellings.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Request.h"

#include "llvm/IR/InstrTypes.h"

namespace llvm {
class Argument;
} // namespace llvm

namespace contraflow {

/// One pass over the arguments of one call.
class RequestReader {
public:
  explicit RequestReader(llvm::CallBase &Call, std::optional<DerivativeMode> Mode = std::nullopt)
      : Call(Call), Mode(Mode) {
    Request.Call = &Call;
    End = Call.arg_size();
  }
  llvm::Expected<DerivativeRequest> read();

private:
  llvm::Error readMode();
  llvm::Error readPrimal();
  llvm::Error readParameters();
  llvm::Error readParameter(const llvm::Argument &Parameter);
  void noteAbsent(llvm::Value &Address);
  llvm::Error readLeading();
  llvm::Error readTrailing();
  llvm::Error readWidth();
  llvm::Error readTape();
  llvm::Expected<const MarkerSpelling *> takeMarker();
  llvm::Error applyMarker(const MarkerSpelling &Marker);
  llvm::Expected<std::optional<Activity>> readActivity();
  llvm::Expected<Activity> defaultActivity(const llvm::Argument &Parameter) const;
  llvm::Error checkActivity(Activity Kind, const llvm::Argument &Parameter) const;
  llvm::Error readValue(const llvm::Argument &Parameter, DiagId Mismatch, RequestArg::Operand &Out);
  llvm::Error readShadows(const llvm::Argument &Parameter, RequestArg &Arg);
  llvm::Error readStride(const llvm::Argument &Parameter, RequestArg &Arg);
  llvm::Error readBatch(const llvm::Argument &Parameter);
  llvm::Error readStructure(const SourceParameter &P);
  llvm::Expected<Activity> structureActivity(const StructureShape &Shape) const;
  llvm::Error checkStructure(Activity Kind, const StructureShape &Shape) const;
  llvm::Expected<RequestArg::Operand> readStructureValue(const SourceParameter &P, DiagId Mismatch);
  llvm::Error readSeed();
  llvm::Error readSeeds();
  llvm::Error takeApart();
  llvm::Error takeResultApart(ResultForm &Form);
  llvm::Error readResult();
  llvm::Error receiveTape(llvm::Type *Received);
  llvm::Error checkReceived(llvm::Type *Received);

  llvm::Error readSize();
  void findInterleave();
  bool atEnd() const { return Next >= End; }
  bool isReference(unsigned Index, const llvm::Argument &Parameter) const;
  std::string describe() const;
  static std::string userType(const llvm::Type *T);
  static llvm::StringRef markerName(Activity Kind);
  static bool hasShadow(Activity Kind) {
    return Kind == Activity::Dup || Kind == Activity::DupNoNeed;
  }
  /// While it lives, shadows are read: they may have a place of their own.
  class ShadowCursor {
  public:
    explicit ShadowCursor(RequestReader &Reader) : Reader(Reader) { swap(); }
    ~ShadowCursor() { swap(); }

  private:
    void swap() {
      if (!Reader.ShadowsFrom)
        return;
      std::swap(Reader.Next, *Reader.ShadowsFrom);
      std::swap(Reader.End, Other);
    }
    RequestReader &Reader;
    unsigned Other = Reader.Call.arg_size();
  };
  llvm::Error fail(DiagId Id, const llvm::Twine &Detail) const {
    return diffError(Id, Call, Detail);
  }

  llvm::CallBase &Call;
  std::optional<DerivativeMode> Mode; ///< not that of the spelling
  DerivativeRequest Request;
  unsigned Next = 0, End = 0;             ///< the arguments that are read now
  std::optional<unsigned> ShadowsFrom;    ///< all shadows come after all primals, from here on
  std::optional<uint64_t> ReferencedSize; ///< what follows are addresses of values
  unsigned Position = 0;                  ///< of the parameter that is read, counted from one
  bool Strided = false;                   ///< the marker in front said so
  std::optional<Activity> ResultKind;
};

} // namespace contraflow
