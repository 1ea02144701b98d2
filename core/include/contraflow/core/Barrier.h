// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that order the threads of a team: models mark them, the sharing analysis cuts a body at
// barriers.

#pragma once

#include "llvm/IR/InstrTypes.h"

namespace contraflow {

/// All threads wait for each other, and at the mirrored place of the reverse sweep.
inline constexpr llvm::StringLiteral BarrierMark = "cf.barrier";
/// All threads come there as often, and to all such calls in the same order.
inline constexpr llvm::StringLiteral PlaceMark = "cf.meeting.place";
/// They wait for each other there in the reverse sweep, and go on in the forward sweep.
inline constexpr llvm::StringLiteral MeetingMark = "cf.meeting";
/// The result is zero on all threads but one: any, or the first one.
inline constexpr llvm::StringLiteral AnyMark = "cf.choice.any", FirstMark = "cf.choice.first";

enum class Chosen { None, Any, First };

inline bool hasMark(const llvm::Instruction &I, llvm::StringRef Mark) {
  auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
  return Call && Call->getAttributes().hasFnAttr(Mark);
}
inline void setMark(llvm::CallBase &Call, llvm::StringRef Mark) {
  Call.addFnAttr(llvm::Attribute::get(Call.getContext(), Mark));
}

inline void markBarrier(llvm::CallBase &Call) { setMark(Call, BarrierMark); }
inline bool isBarrier(const llvm::Instruction &I) { return hasMark(I, BarrierMark); }

inline void markMeetingPlace(llvm::CallBase &Call) { setMark(Call, PlaceMark); }
inline bool isMeetingPlace(const llvm::Instruction &I) { return hasMark(I, PlaceMark); }
inline void markMeeting(llvm::CallBase &Call) { setMark(Call, MeetingMark); }
inline bool isMeeting(const llvm::Instruction &I) { return hasMark(I, MeetingMark); }

inline void markChoice(llvm::CallBase &Call, Chosen Who) {
  setMark(Call, Who == Chosen::First ? FirstMark : AnyMark);
}
inline Chosen choosesThread(const llvm::Instruction &I) {
  return hasMark(I, FirstMark) ? Chosen::First : hasMark(I, AnyMark) ? Chosen::Any : Chosen::None;
}

} // namespace contraflow
