// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several threads may fail at the same moment. The first one prints and ends the program; the
// others stand still until that has happened, so that the message is in one piece.

#include "support/Fail.h"

#include "contraflow/abi.h"
#include "contraflow/runtime.h"
#include "support/Code.h"
#include "support/FieldKind.h"

#include <atomic>
#include <bit>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace contraflow {
namespace {

// What a shell reports for a program that ended by abort().
constexpr int AbortStatus = 128 + SIGABRT;

std::atomic<void (*)(int)> AbortHook = nullptr;
std::atomic<int (*)()> RankHook = nullptr;
std::atomic<int (*)()> ThreadNumberHook = nullptr;

std::atomic_flag Failing = ATOMIC_FLAG_INIT;
thread_local bool FailingHere = false;

struct ErrorText {
  int Number;
  const char *Sentence;
  const char *Advice;
};

constexpr ErrorText Errors[] = {
#define CF_ERROR(Id, Number, Sentence, Advice) {Number, Sentence, Advice},
#include "support/Errors.def"
#undef CF_ERROR
};

// "(rank 0, thread 1)"; only what is known.
std::string place() {
  std::string Text;
  if (const auto Hook = RankHook.load())
    if (const int Rank = Hook(); Rank >= 0)
      Text = "rank " + std::to_string(Rank) + ", ";
  const auto Hook = ThreadNumberHook.load();
  return "(" + Text + "thread " + std::to_string(Hook ? Hook() : 0) + ")";
}

std::string fill(std::string_view Sentence, const std::string &Detail0,
                 const std::string &Detail1) {
  std::string Text;
  for (size_t I = 0; I < Sentence.size(); ++I) {
    const char Next = I + 1 < Sentence.size() ? Sentence[I + 1] : '\0';
    if (Sentence[I] != '%' || (Next != '0' && Next != '1')) {
      Text += Sentence[I];
      continue;
    }
    Text += Next == '0' ? Detail0 : Detail1;
    ++I;
  }
  return Text;
}

[[noreturn]] void end(const std::string &Message) {
  if (Failing.test_and_set()) {
    if (FailingHere) // the hook itself failed
      std::abort();
    for (;;)
      pause();
  }
  FailingHere = true;
  std::fputs(("contraflow: error: " + Message + "\n").c_str(), stderr);
  std::fflush(stderr);
  if (const auto Hook = AbortHook.load())
    Hook(AbortStatus);
  std::abort();
}

} // namespace

void fail(ErrorId Id, const std::string &Detail0, const std::string &Detail1) {
  const ErrorText &Error = Errors[static_cast<int>(Id)];
  end("[CF" + std::to_string(Error.Number) + "] " + fill(Error.Sentence, Detail0, Detail1) + " " +
      place() + "; " + Error.Advice);
}

void setThreadNumberHook(int (*Hook)()) noexcept { ThreadNumberHook.store(Hook); }

} // namespace contraflow

void cf_v1_fail(const char *message) { contraflow::end(message + (" " + contraflow::place())); }

void cf_v1_unknown_callee(const char *place) {
  contraflow::fail(contraflow::ErrorId::UnknownCallee, place);
}

void cf_v1_caught_exception(const char *place) {
  contraflow::fail(contraflow::ErrorId::CaughtException, place);
}

void cf_v1_lost_digits(const char *place) {
  contraflow::fail(contraflow::ErrorId::LostDigits, place);
}

void cf_v1_overwritten_bytes(const char *place) {
  contraflow::fail(contraflow::ErrorId::OverwrittenBytes, place);
}

void cf_v1_check_global(void *pointer, void *shadow, const char *place) {
  // A number that lies where an address does at another time is moved as one.
  const auto Bits = reinterpret_cast<uint64_t>(pointer);
  if (contraflow::isAddress(Bits) && !shadow && !contraflow::isCode(pointer))
    contraflow::fail(contraflow::ErrorId::GlobalPointer, place);
}

void cf_v1_check_shadow(void *pointer, void *shadow, const char *place) {
  if (pointer && pointer == shadow)
    contraflow::fail(contraflow::ErrorId::OwnShadow, place);
}

void cf_v1_check_number(double value, const char *place) {
  if (contraflow::isAddress(std::bit_cast<uint64_t>(value)))
    contraflow::fail(contraflow::ErrorId::MovedAddress, place);
}

void cf_v1_check_digits(double derivative, const char *place) {
  if (derivative != 0 && !contraflow::isAddress(std::bit_cast<uint64_t>(derivative)))
    contraflow::fail(contraflow::ErrorId::LostDigits, place);
}

void cf_set_abort_hook(void (*hook)(int)) { contraflow::AbortHook.store(hook); }

void cf_set_rank_hook(int (*hook)(void)) { contraflow::RankHook.store(hook); }
