// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the arguments of a call by their roles, and hands it to its family.

#include "blas/Record.h"
#include "support/Fail.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

namespace contraflow::blas {

template <typename T> void *Record<T>::reserve(size_t Bytes) const {
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

/// What is at an address of the program's.
template <typename I> I read(const void *At, int64_t Index = 0) {
  I Value = 0;
  std::memcpy(&Value, static_cast<const I *>(At) + Index, sizeof Value);
  return Value;
}

template <typename T> void Record<T>::keepPivots(int64_t First, int64_t Last, int64_t Step) {
  const int64_t Count = Last < First ? 0 : (Last - First) / Step + 1;
  auto *To = static_cast<int32_t *>(reserve(static_cast<size_t>(Count) * sizeof(int32_t)));
  // A library may have 64 bits under the usual names. No pivot is zero, but its upper half is.
  const bool AreWide = WideIntegers || (Step == 1 && Last >= 2 * First &&
                                        read<int32_t>(ProgramPivots, 2 * First - 1) == 0);
  for (int64_t I = 0; I < Count; ++I) {
    const int64_t At = First - 1 + I * Step;
    To[I] = AreWide ? static_cast<int32_t>(read<int64_t>(ProgramPivots, At))
                    : read<int32_t>(ProgramPivots, At);
  }
  Pivots = To;
}

namespace {

struct Row {
  const char *Name;
  const char *Roles;
  std::string_view From;

  bool isComplex() const { return From.starts_with("Complex") || From.starts_with("Mixed"); }
  bool returnsComplex() const { return std::string_view(Roles).ends_with('Z'); }
};

constexpr Row Rows[] = {
#define CF_BLAS(Stem, From, Roles) {#Stem, Roles, #From},
#include "contraflow/abi_blas.def"
};

/// The letter of Fortran for a flag of CBLAS.
char letterOf(int32_t Enumeration) {
  switch (Enumeration) {
  case 112:
    return 'T';
  case 113:
    return 'C';
  case 114: // conjugated only
    return 'J';
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

char readFlag(const void *At, int32_t Form, bool Complex) {
  const char Letter = Form & Enumerations ? letterOf(read<int32_t>(At))
                                          : char(*static_cast<const char *>(At) & ~0x20);
  if (Complex)
    return Letter;
  return Letter == 'C' ? 'T' : Letter == 'J' ? 'N' : Letter;
}

int64_t readInteger(const void *At, int32_t Form) {
  return Form & Wide ? read<int64_t>(At) : read<int32_t>(At);
}

struct Call {
  int32_t Routine, Form, Order;
  void *const *Arguments, *const *Shadows;
  cf_tape *Tape;
  void *const *ArgumentDots = nullptr, *const *ShadowDots = nullptr; ///< of pairs
};

/// Walks along the roles; every index counts one kind of argument.
template <typename T> class Reader {
public:
  Reader(Record<T> &R, const Call &C) : R(R), C(C) {}
  void run(const char *Roles);

private:
  void array(int Index, char Letter, char Next);
  Scalar<T> scalar(int Index);

  Record<T> &R;
  const Call &C;
  int NextFlag = 0, NextSize = 0, NextScalar = 0, NextArray = 0;
};

/// The tangent of memory at Place, of a table of such; null if that is constant.
template <typename S> S *dotOf(void *const *Dots, int Index, const void *Place) {
  return Dots && Dots[Index] != Place ? static_cast<S *>(Dots[Index]) : nullptr;
}

template <typename T> void Reader<T>::array(int Index, char Letter, char Next) {
  Array<T> &A = R.Arrays[NextArray];
  A.At = static_cast<Real<T> *>(C.Arguments[Index]);
  A.Shadow = static_cast<Real<T> *>(C.Shadows[Index]);
  if (A.Shadow == A.At)
    A.Shadow = nullptr; // constant, as the program found out
  A.AtDot = dotOf<Real<T>>(C.ArgumentDots, Index, A.At);
  A.ShadowDot = A.Shadow ? dotOf<Real<T>>(C.ShadowDots, Index, A.Shadow) : nullptr;
  A.ReadOnly = Letter == 'r';
  A.Stable = IsDual<T> || C.Form & (FirstStable << NextArray); // what is packed stays
  if (Next == 'i')
    A.Step = readInteger(C.Arguments[Index + 1], C.Form);
  ++NextArray;
}

/// Pairs have memory of their own for the derivative: a tangent is taken from the program, an
/// adjoint goes there when it is known (giveScalars).
template <typename T> Scalar<T> Reader<T>::scalar(int Index) {
  auto *At = static_cast<Real<T> *>(C.Arguments[Index]);
  auto *Derivative = static_cast<Real<T> *>(C.Shadows[Index]);
  if constexpr (IsDual<T>) {
    auto Read = [&](Real<T> *From, void *const *Dots) {
      const auto *Dot = dotOf<Real<T>>(Dots, Index, From);
      return T(*From, Dot ? *Dot : Real<T>(0));
    };
    T &Own = R.Own[NextScalar];
    if (Derivative && R.Tangent)
      Own = Read(Derivative, C.ShadowDots);
    if (Derivative && !(C.Form & ByValue))
      R.ScalarDots[NextScalar] = dotOf<Real<T>>(C.ShadowDots, Index, Derivative);
    return {Read(At, C.ArgumentDots), Derivative ? &Own : nullptr};
  } else {
    return {*At, Derivative};
  }
}

template <typename T> void Reader<T>::run(const char *Roles) {
  for (int I = 0; Roles[I]; ++I) {
    void *At = C.Arguments[I];
    switch (Roles[I]) {
    case 'f':
      R.Flag[NextFlag++] = readFlag(At, C.Form, Rows[C.Routine].isComplex());
      break;
    case 'i':
      R.Size[NextSize++] = readInteger(At, C.Form);
      break;
    case 's':
      R.Scalars[NextScalar] = scalar(I);
      ++NextScalar;
      break;
    case 'r':
    case 'w':
    case 'o':
      array(I, Roles[I], Roles[I + 1]);
      I += Roles[I + 1] == 'i';
      break;
    case 'p':
    case 'q':
      R.ProgramPivots = At;
      break;
    case 'l':
      R.Query |= At && readInteger(At, C.Form) == -1;
      break;
    case 'x':
      R.Info = At;
      break;
    default:
      break;
    }
  }
}

/// The routine that does the same by another algorithm.
int32_t sameAs(int32_t Routine) {
  switch (Routine) {
  case R_getrf2:
    return R_getrf;
  case R_potrf2:
    return R_potrf;
  default:
    return Routine;
  }
}

template <typename T> Family<T> familyOf(int32_t What) {
  if (Rows[What].isComplex())
    return complexFamily<T>(What);
  switch (What) {
  case R_nrm2:
  case R_asum:
  case R_axpy:
  case R_scal:
  case R_copy:
  case R_swap:
  case R_lacpy:
    return vectorFamily<T>(What);
  case R_lascl:
  case R_laset:
  case R_lange:
  case R_laswp:
    return partFamily<T>(What);
  case R_rot:
  case R_rotg:
  case R_rotm:
    return rotationFamily<T>(What);
  case R_trmv:
  case R_trsv:
  case R_trmm:
  case R_trsm:
  case R_trtrs:
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
  case R_gelqf:
  case R_ormlq:
  case R_orglq:
  case R_syev:
  case R_syevd:
    return orthogonalFamily<T>(What);
  case R_gels:
    return leastSquaresFamily<T>(What);
  case R_gtsv:
  case R_ptsv:
  case R_gbsv:
  case R_pbsv:
  case R_sysv:
    return systemFamily<T>(What);
  case R_gbtrf:
  case R_gbtrs:
  case R_gttrf:
  case R_gttrs:
    return factoredBandFamily<T>(What);
  case R_pbtrf:
  case R_pbtrs:
  case R_pttrf:
  case R_pttrs:
    return factoredSymmetricFamily<T>(What);
  case R_sytrf:
  case R_sytrs:
    return indefiniteFamily<T>(What);
  case R_gesvd:
  case R_gesdd:
    return singularFamily<T>(What);
  case R_geev:
    return generalEigenFamily<T>(What);
  case R_gbmv:
  case R_sbmv:
  case R_spmv:
  case R_tbmv:
  case R_tbsv:
  case R_tpmv:
  case R_tpsv:
  case R_spr:
  case R_spr2:
    return storedFamily<T>(What);
  case R_trtri:
  case R_getri:
  case R_potri:
    return inverseFamily<T>(What);
  default:
    return productFamily<T>(What);
  }
}

template <typename T> void *begin(const Call &C) {
  constexpr int32_t RowMajorOrder = 101;
  const size_t Bytes = sizeof(Record<T>);
  void *Memory =
      C.Tape ? cf_v1_tape_reserve(C.Tape, static_cast<int64_t>(Bytes)) : std::malloc(Bytes);
  if (!Memory)
    fail(ErrorId::OutOfMemory, std::to_string(Bytes), "a tangent of BLAS");
  auto *R = new (Memory) Record<T>();
  R->Single = std::is_same_v<Real<T>, float>;
  R->What = sameAs(C.Routine);
  R->RowMajor = C.Order == RowMajorOrder;
  R->WideIntegers = C.Form & Wide;
  R->Atomic = C.Form & Shared;
  R->Tape = C.Tape;
  R->Tangent = !C.Tape;
  Reader<T>(*R, C).run(Rows[C.Routine].Roles);
  const Family<T> Does = familyOf<T>(R->What);
  if (Does.Before && !R->Query)
    Does.Before(*R);
  return R;
}

/// What a failed factorisation leaves has no derivative.
template <typename T> void end(Record<T> &R, int32_t Info) {
  if (!Info && R.Info)
    Info = read<int32_t>(R.Info); // of 64 bits, the lower half
  if (R.Query)
    return;
  if (Info != 0)
    fail(ErrorId::FailedFactorisation, Rows[R.What].Name, std::to_string(Info));
  R.Now = Phase::End;
  const Family<T> Does = familyOf<T>(R.What);
  if (Does.After)
    Does.After(R);
}

template <typename T> void runTangent(Record<T> &R, int32_t Info, T *Dot) {
  end(R, Info);
  R.Now = Phase::Tangent;
  R.Result = Dot;
  const Family<T> Does = familyOf<T>(R.What);
  if (Does.Tangent && !R.Query)
    Does.Tangent(R);
}

template <typename T> void discard(Record<T> *R) {
  while (auto *Block = R->Blocks) {
    R->Blocks = Block->Next;
    std::free(Block);
  }
  std::free(R);
}

/// Ends the record, too.
template <typename T> void tangent(Record<T> *R, int32_t Info, void *Dot) {
  runTangent(*R, Info, static_cast<T *>(Dot));
  discard(R);
}

template <typename T> void runAdjoint(Record<T> &R, T *ResultBar) {
  R.Now = Phase::Adjoint;
  R.Result = ResultBar;
  const Family<T> Does = familyOf<T>(R.What);
  if (Does.Adjoint && !R.Query)
    Does.Adjoint(R);
}

/// Adjoints of scalars that were passed by value go to Bars, in their order.
template <typename T> void adjoint(Record<T> *R, const void *Seed, void *Bars) {
  T Bar[2] = {0, 0}, ResultBar[2] = {0, 0};
  if (Seed)
    std::memcpy(ResultBar, Seed, sizeof(T) * (Rows[R->What].returnsComplex() ? 2 : 1));
  for (int I = 0; I < 2; ++I)
    if (Bars && R->Scalars[I].Derivative)
      R->Scalars[I].Derivative = &Bar[I];
  runAdjoint(*R, ResultBar);
  if (Bars)
    std::memcpy(Bars, Bar, sizeof Bar);
  cf_v1_tape_release(R->Tape, R);
}

/// The tangent of a tangent: of the result, and of what was written.
template <typename S> void tangentOfPairs(Record<Dual<S>> *R, int32_t Info, S *Dot) {
  Dual<S> Result;
  runTangent(*R, Info, &Result);
  R->unpack();
  if (Dot)
    *Dot = Result.Dot;
  discard(R);
}

/// The tangent of an adjoint. What it has reserved goes when the adjoint itself releases its
/// record.
template <typename S> void adjointOfPairs(Record<Dual<S>> &R, Dual<S> Seed, S *BarDots) {
  runAdjoint(R, &Seed);
  R.unpack();
  for (int I = 0; I < 2; ++I)
    if (BarDots)
      BarDots[I] = R.Own[I].Dot;
    else if (R.ScalarDots[I])
      addTo(*R.ScalarDots[I], R.Own[I].Dot, R.Atomic);
}

template <typename S> Dual<S> readPair(const void *Value, const void *Dot) {
  return {Value ? *static_cast<const S *>(Value) : S(0), Dot ? *static_cast<const S *>(Dot) : S(0)};
}

/// The precision is the first thing in every record.
bool isSingle(const void *Record) { return *static_cast<const int32_t *>(Record) != 0; }

} // namespace

#define CF_RECORD(T)                                                                               \
  template void *Record<T>::reserve(size_t) const;                                                 \
  template Matrix<T> Record<T>::keep(Matrix<T>);                                                   \
  template void Record<T>::keepPivots(int64_t, int64_t, int64_t);
CF_BLAS_NUMBERS(CF_RECORD)

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

void *cf_v1_blas_pairs_begin(int32_t routine, int32_t form, int32_t order, void *const *arguments,
                             void *const *argument_dots, void *const *shadows,
                             void *const *shadow_dots, struct cf_tape *tape) {
  const Call C{routine, form, order, arguments, shadows, tape, argument_dots, shadow_dots};
  return form & SinglePrecision ? begin<Dual<float>>(C) : begin<Dual<double>>(C);
}

void cf_v1_blas_pairs_end(void *record, int32_t info) {
  if (isSingle(record))
    end(*static_cast<Record<Dual<float>> *>(record), info);
  else
    end(*static_cast<Record<Dual<double>> *>(record), info);
}

void cf_v1_blas_pairs_tangent(void *record, int32_t info, void *dot) {
  if (isSingle(record))
    tangentOfPairs(static_cast<Record<Dual<float>> *>(record), info, static_cast<float *>(dot));
  else
    tangentOfPairs(static_cast<Record<Dual<double>> *>(record), info, static_cast<double *>(dot));
}

void cf_v1_blas_pairs_adjoint(void *record, const void *seed, const void *seed_dot,
                              void *bar_dots) {
  if (isSingle(record))
    adjointOfPairs(*static_cast<Record<Dual<float>> *>(record), readPair<float>(seed, seed_dot),
                   static_cast<float *>(bar_dots));
  else
    adjointOfPairs(*static_cast<Record<Dual<double>> *>(record), readPair<double>(seed, seed_dot),
                   static_cast<double *>(bar_dots));
}
