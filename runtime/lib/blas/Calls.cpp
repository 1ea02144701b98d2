// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the arguments of a call by their roles, and hands it to its family.

#include "blas/Record.h"
#include "support/Fail.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>

namespace contraflow::blas {

template <typename T> void *Record<T>::reserve(size_t Bytes) {
  if (Tape)
    return cf_v1_tape_reserve(Tape, static_cast<int64_t>(std::max<size_t>(Bytes, 1)));
  constexpr size_t Header = 64;
  auto *Memory = static_cast<char *>(std::malloc(Header + Bytes));
  if (!Memory)
    fail(ErrorId::OutOfMemory, std::to_string(Bytes), "a tangent of BLAS");
  Blocks = new (Memory) Block{Blocks};
  return Memory + Header;
}

template <typename T> Matrix<T> Record<T>::keep(Matrix<T> M) {
  const auto Bytes = static_cast<size_t>(M.Rows * M.Columns) * sizeof(T);
  Matrix<T> To{static_cast<T *>(reserve(Bytes)), M.Rows, M.Columns, 1, M.Rows};
  if (M.RightStep == 1 && M.DownStep != 1) // as the original lies
    To = {To.At, M.Rows, M.Columns, M.Columns, 1};
  if (To.RightStep == 1)
    copy(M.t(), To.t());
  else
    copy(M, To);
  return To;
}

template <typename T> const int32_t *Record<T>::keepPivots(const int32_t *Pivots, int64_t Count) {
  const auto Bytes = static_cast<size_t>(std::max<int64_t>(Count, 0)) * sizeof(int32_t);
  void *To = reserve(Bytes);
  std::memcpy(To, Pivots, Bytes);
  return static_cast<int32_t *>(To);
}

namespace {

struct Row {
  const char *Name;
  const char *Roles;
};

constexpr Row Rows[] = {
#define CF_BLAS(Stem, From, Roles) {#Stem, Roles},
#include "contraflow/abi_blas.def"
};

/// The letter of Fortran for a flag of CBLAS.
char letterOf(int32_t Enumeration) {
  switch (Enumeration) {
  case 112:
  case 113:
    return 'T';
  case 121: // upper
  case 132: // unit
    return 'U';
  case 122:
  case 141:
    return 'L';
  case 142:
    return 'R';
  default:
    return 'N';
  }
}

char readFlag(const void *At, int32_t Form) {
  if (Form & Enumerations) {
    int32_t Value = 0;
    std::memcpy(&Value, At, sizeof Value);
    return letterOf(Value);
  }
  const char Letter = *static_cast<const char *>(At) & ~0x20;
  return Letter == 'C' ? 'T' : Letter;
}

int64_t readInteger(const void *At) {
  int32_t Value = 0;
  std::memcpy(&Value, At, sizeof Value);
  return Value;
}

/// Walks along the roles; every index counts one kind of argument.
template <typename T> class Reader {
public:
  Reader(Record<T> &R, int32_t Form, void *const *Arguments, void *const *Shadows)
      : R(R), Form(Form), Arguments(Arguments), Shadows(Shadows) {}
  void run(const char *Roles);

private:
  void array(int Index, char Next);

  Record<T> &R;
  int32_t Form;
  void *const *Arguments, *const *Shadows;
  int NextFlag = 0, NextSize = 0, NextScalar = 0, NextArray = 0;
};

template <typename T> void Reader<T>::array(int Index, char Next) {
  Array<T> &A = R.Arrays[NextArray];
  A.At = static_cast<T *>(Arguments[Index]);
  A.Shadow = static_cast<T *>(Shadows[Index]);
  if (A.Shadow == A.At)
    A.Shadow = nullptr; // constant, as the program found out
  A.Stable = Form & (FirstStable << NextArray);
  if (Next == 'i')
    A.Step = readInteger(Arguments[Index + 1]);
  ++NextArray;
}

template <typename T> void Reader<T>::run(const char *Roles) {
  for (int I = 0; Roles[I]; ++I) {
    void *At = Arguments[I];
    switch (Roles[I]) {
    case 'f':
      R.Flag[NextFlag++] = readFlag(At, Form);
      break;
    case 'i':
      R.Size[NextSize++] = readInteger(At);
      break;
    case 's':
      R.Scalars[NextScalar++] = {*static_cast<T *>(At), static_cast<T *>(Shadows[I])};
      break;
    case 'r':
    case 'w':
    case 'o':
      array(I, Roles[I + 1]);
      I += Roles[I + 1] == 'i';
      break;
    case 'p':
      R.ReadPivots = static_cast<int32_t *>(At);
      break;
    case 'q':
      R.WrittenPivots = static_cast<int32_t *>(At);
      break;
    case 'l':
      R.Query = At && readInteger(At) == -1;
      break;
    case 'x':
      R.Info = static_cast<int32_t *>(At);
      break;
    case 'R':
      R.Result = static_cast<T *>(Shadows[I]);
      break;
    default:
      break;
    }
  }
}

template <typename T> Family<T> familyOf(int32_t What) {
  if (What <= R_rot && What != R_dot)
    return vectorFamily<T>(What);
  switch (What) {
  case R_trmv:
  case R_trsv:
  case R_trmm:
  case R_trsm:
    return triangularFamily<T>(What);
  case R_syr:
  case R_syr2:
  case R_syrk:
  case R_syr2k:
    return updateFamily<T>(What);
  case R_getrf:
  case R_getrs:
  case R_gesv:
  case R_potrf:
  case R_potrs:
  case R_posv:
    return factorFamily<T>(What);
  case R_geqrf:
  case R_ormqr:
  case R_orgqr:
  case R_syev:
    return orthogonalFamily<T>(What);
  default:
    return productFamily<T>(What);
  }
}

struct Call {
  int32_t Routine, Form, Order;
  void *const *Arguments, *const *Shadows;
  cf_tape *Tape;
};

template <typename T> void *begin(const Call &C) {
  constexpr int32_t RowMajorOrder = 101;
  const size_t Bytes = sizeof(Record<T>);
  void *Memory =
      C.Tape ? cf_v1_tape_reserve(C.Tape, static_cast<int64_t>(Bytes)) : std::malloc(Bytes);
  if (!Memory)
    fail(ErrorId::OutOfMemory, std::to_string(Bytes), "a tangent of BLAS");
  auto *R = new (Memory) Record<T>();
  R->Single = std::is_same_v<T, float>;
  R->What = C.Routine;
  R->RowMajor = C.Order == RowMajorOrder;
  R->Atomic = C.Form & Shared;
  R->Tape = C.Tape;
  R->Tangent = !C.Tape;
  Reader<T>(*R, C.Form, C.Arguments, C.Shadows).run(Rows[C.Routine].Roles);
  const Family<T> Does = familyOf<T>(C.Routine);
  if (Does.Before && !R->Query)
    Does.Before(*R);
  return R;
}

/// What a failed factorisation leaves has no derivative.
template <typename T> void end(Record<T> &R, int32_t Info) {
  if (!Info && R.Info)
    Info = *R.Info;
  if (R.Query)
    return;
  if (Info != 0)
    fail(ErrorId::FailedFactorisation, Rows[R.What].Name, std::to_string(Info));
  const Family<T> Does = familyOf<T>(R.What);
  if (Does.After)
    Does.After(R);
}

/// Ends the record, too.
template <typename T> void tangent(Record<T> *R, int32_t Info, void *Dot) {
  end(*R, Info);
  R->Result = static_cast<T *>(Dot);
  const Family<T> Does = familyOf<T>(R->What);
  if (Does.Tangent && !R->Query)
    Does.Tangent(*R);
  while (auto *Block = R->Blocks) {
    R->Blocks = Block->Next;
    std::free(Block);
  }
  std::free(R);
}

/// Adjoints of scalars that were passed by value go to Bars, in their order.
template <typename T> void adjoint(Record<T> *R, const void *Seed, void *Bars) {
  T Bar[2] = {0, 0}, ResultBar = Seed ? *static_cast<const T *>(Seed) : T(0);
  for (int I = 0; I < 2; ++I)
    if (Bars && R->Scalars[I].Derivative)
      R->Scalars[I].Derivative = &Bar[I];
  R->Result = &ResultBar;
  const Family<T> Does = familyOf<T>(R->What);
  if (Does.Adjoint && !R->Query)
    Does.Adjoint(*R);
  if (Bars)
    std::memcpy(Bars, Bar, sizeof Bar);
  cf_v1_tape_release(R->Tape, R);
}

/// The precision is the first thing in every record.
bool isSingle(const void *Record) { return *static_cast<const int32_t *>(Record) != 0; }

} // namespace

template struct Record<double>;
template struct Record<float>;

} // namespace contraflow::blas

using namespace contraflow::blas;

void *cf_v1_blas_begin(int32_t routine, int32_t form, int32_t order, void *const *arguments,
                       void *const *shadows, struct cf_tape *tape) {
  const Call C{routine, form, order, arguments, shadows, tape};
  return form & SinglePrecision ? begin<float>(C) : begin<double>(C);
}

void cf_v1_blas_end(void *record, int32_t info) {
  if (isSingle(record))
    end(*static_cast<Record<float> *>(record), info);
  else
    end(*static_cast<Record<double> *>(record), info);
}

void cf_v1_blas_tangent(void *record, int32_t info, void *dot) {
  if (isSingle(record))
    tangent(static_cast<Record<float> *>(record), info, dot);
  else
    tangent(static_cast<Record<double> *>(record), info, dot);
}

void cf_v1_blas_adjoint(void *record, const void *seed, void *bars) {
  if (isSingle(record))
    adjoint(static_cast<Record<float> *>(record), seed, bars);
  else
    adjoint(static_cast<Record<double> *>(record), seed, bars);
}
