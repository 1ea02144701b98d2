// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program under test is a primal function and one line:
//
//   static double f(const double *x, double *y, double a, int n) { ... }
//   GRADIENT_CHECK(name, Double, f, In(double, 8), Out(double, 8), Scalar(double), Int(8))
//
// The line asks for the tangent and the adjoint of f with the spellings users write, and registers
// the three functions with the checker (Checker.h). It works in C and in C++.
//
// The result is Double, Float, Void, or Replicated: a double that is the same on every rank.
// The arguments, in the order of the parameters of f (at most eight):
//
//   In(T, n)           n active inputs that f leaves alone; T is double or float
//   InOut(T, n)        n active values that f reads and may overwrite
//   Out(T, n)          n active values that f overwrites wholly without reading them
//   NoNeed(T, n)       as Out, but nobody wants the primal values (enzyme_dupnoneed)
//   Scalar(T)          an active value by value
//   Const(T, n)        n inactive values            ConstScalar(T)   one by value
//   Int(k)  Size(k)    an integer: int, or unsigned long
//
// In..., InOut..., Scalar... and Const... sample [0.4, 1.6]; InRange(T, n, lo, hi),
// InOutRange(T, n, lo, hi), ScalarRange(T, lo, hi) and ConstRange(T, n, lo, hi) sample [lo, hi].
//
// Over ranks: BlockIn(T, N), BlockInOut(T, N) and BlockOut(T, N) are a rank's N / ranks values of
// N, BlockInt(N) is that number, SameIn(T, n) and SameScalar(T) have one value on all ranks. A
// program that uses no other active arguments must have the same gradient on any number of ranks.
//
// GRADIENT_CHECK_BOUND(bound, ...) states a looser relative bound for the dot product test.
// With CF_TEST_WIDE defined the tangent is asked for in two directions at once.
//
// GRADIENT_CHECK_CUSTOM(name, Result, primal, tangent, adjoint, ...) takes three functions of the
// types below, for shadows that are more than flat arrays.
#ifndef CONTRAFLOW_TEST_GRADIENTCHECK_H
#define CONTRAFLOW_TEST_GRADIENTCHECK_H

#ifdef __cplusplus
extern "C" {
#endif

enum cf_test_kind {
  cf_test_in,
  cf_test_inout,
  cf_test_out,
  cf_test_noneed,
  cf_test_scalar,
  cf_test_const,
  cf_test_integer
};
enum cf_test_type { cf_test_double, cf_test_float, cf_test_int, cf_test_size };
enum cf_test_place { cf_test_local, cf_test_block, cf_test_same };
enum cf_test_result { cf_test_Double, cf_test_Float, cf_test_Void, cf_test_Replicated };

struct cf_test_argument {
  enum cf_test_kind kind;
  enum cf_test_type type;
  enum cf_test_place place;
  long count; // of an integer: its value
  double low, high;
};

// Each takes the addresses of the arguments, and of their shadows. The adjoint of a scalar is
// written to its shadow; shadows of arrays are passed on. A tangent in two directions is given the
// shadows of the second one behind those of the first, and then where its second result goes.
typedef double (*cf_test_primal)(void *const *values);
typedef double (*cf_test_tangent)(void *const *values, void *const *shadows);
typedef void (*cf_test_adjoint)(void *const *values, void *const *shadows);

struct cf_test_program {
  const char *name, *source;
  const struct cf_test_argument *arguments;
  int count;
  enum cf_test_result result;
  double bound; // 0: the checker's own
  cf_test_primal primal;
  cf_test_tangent tangent;
  cf_test_adjoint adjoint;
  int directions; // of the tangent: 2, or one
};

void cf_test_register(const struct cf_test_program *program);

extern int enzyme_dup, enzyme_dupnoneed, enzyme_out, enzyme_const, enzyme_width;

#ifdef __cplusplus
}
template <typename Result, typename... Arguments> Result __enzyme_autodiff(void *, Arguments...);
template <typename Result, typename... Arguments> Result __enzyme_fwddiff(void *, Arguments...);
#define CF_AUTODIFF(name, R) __enzyme_autodiff<R>
#define CF_FWDDIFF(name, R) __enzyme_fwddiff<R>
#define CF_DECLARE(name, R)
#else
#define CF_AUTODIFF(name, R) __enzyme_autodiff_##name
#define CF_FWDDIFF(name, R) __enzyme_fwddiff_##name
#define CF_DECLARE(name, R)                                                                        \
  struct name##_adjoints __enzyme_autodiff_##name(void *, ...);                                    \
  R __enzyme_fwddiff_##name(void *, ...);
#endif

#ifdef CF_TEST_WIDE
#define CF_DIRECTIONS 2
#define CF_WIDTH enzyme_width, 2,
#define CF_DOTS(name, R) struct name##_##R##_dots
#define CF_TANGENT_RESULT_Double(name, call, last)                                                 \
  const CF_DOTS(name, double) dots = call;                                                         \
  *(double *)shadows[last] = dots.second;                                                          \
  return dots.first;
#define CF_TANGENT_RESULT_Float(name, call, last)                                                  \
  const CF_DOTS(name, float) dots = call;                                                          \
  *(double *)shadows[last] = (double)dots.second;                                                  \
  return (double)dots.first;
#define CF_TANGENT_RESULT_Replicated(name, call, last) CF_TANGENT_RESULT_Double(name, call, last)
#define CF_DECLARE_DOTS(name, R)                                                                   \
  CF_DOTS(name, R) { R first, second; };
#define CF_DECLARE_DOTS_Double(name) CF_DECLARE_DOTS(name, double)
#define CF_DECLARE_DOTS_Float(name) CF_DECLARE_DOTS(name, float)
#define CF_DECLARE_DOTS_Replicated(name) CF_DECLARE_DOTS(name, double)
#define CF_DECLARE_DOTS_Void(name)
#define CF_TANGENT_TYPE_Double(name) CF_DOTS(name, double)
#define CF_TANGENT_TYPE_Float(name) CF_DOTS(name, float)
#define CF_TANGENT_TYPE_Replicated(name) CF_DOTS(name, double)
#define CF_TANGENT_TYPE_Void(name) void
#define CF_SECOND_POINTER(i, T) , (CF_TYPE_##T *)shadows[cf_count + i]
#define CF_SECOND_VALUE(i, T) , *(const CF_TYPE_##T *)shadows[cf_count + i]
#else
#define CF_DIRECTIONS 1
#define CF_WIDTH
#define CF_TANGENT_RESULT_Double(name, call, last) CF_RETURN_Double(call)
#define CF_TANGENT_RESULT_Float(name, call, last) CF_RETURN_Float(call)
#define CF_TANGENT_RESULT_Replicated(name, call, last) CF_RETURN_Double(call)
#define CF_DECLARE_DOTS_Double(name)
#define CF_DECLARE_DOTS_Float(name)
#define CF_DECLARE_DOTS_Replicated(name)
#define CF_DECLARE_DOTS_Void(name)
#define CF_TANGENT_TYPE_Double(name) double
#define CF_TANGENT_TYPE_Float(name) float
#define CF_TANGENT_TYPE_Replicated(name) double
#define CF_TANGENT_TYPE_Void(name) void
#define CF_SECOND_POINTER(i, T)
#define CF_SECOND_VALUE(i, T)
#endif
#define CF_TANGENT_RESULT_Void(name, call, last) CF_RETURN_Void(call)

// What each argument descriptor stands for: kind, how it is passed, type, place, count, range.
#define CF_ARG_In(T, n) in, Pointer, T, local, n, 0.4, 1.6
#define CF_ARG_InRange(T, n, lo, hi) in, Pointer, T, local, n, lo, hi
#define CF_ARG_InOut(T, n) inout, Pointer, T, local, n, 0.4, 1.6
#define CF_ARG_InOutRange(T, n, lo, hi) inout, Pointer, T, local, n, lo, hi
#define CF_ARG_Out(T, n) out, Pointer, T, local, n, 0.4, 1.6
#define CF_ARG_NoNeed(T, n) noneed, NoNeed, T, local, n, 0.4, 1.6
#define CF_ARG_Scalar(T) scalar, Value, T, local, 1, 0.4, 1.6
#define CF_ARG_ScalarRange(T, lo, hi) scalar, Value, T, local, 1, lo, hi
#define CF_ARG_Const(T, n) const, ConstPointer, T, same, n, 0.4, 1.6
#define CF_ARG_ConstRange(T, n, lo, hi) const, ConstPointer, T, same, n, lo, hi
#define CF_ARG_ConstScalar(T) const, ConstValue, T, same, 1, 0.4, 1.6
#define CF_ARG_Int(k) integer, ConstValue, int, same, k, 0, 0
#define CF_ARG_Size(k) integer, ConstValue, size, same, k, 0, 0
#define CF_ARG_BlockIn(T, n) in, Pointer, T, block, n, 0.4, 1.6
#define CF_ARG_BlockInOut(T, n) inout, Pointer, T, block, n, 0.4, 1.6
#define CF_ARG_BlockOut(T, n) out, Pointer, T, block, n, 0.4, 1.6
#define CF_ARG_BlockInt(k) integer, ConstValue, int, block, k, 0, 0
#define CF_ARG_SameIn(T, n) in, Pointer, T, same, n, 0.4, 1.6
#define CF_ARG_SameScalar(T) scalar, Value, T, same, 1, 0.4, 1.6

#define CF_TYPE_double double
#define CF_TYPE_float float
#define CF_TYPE_int int
#define CF_TYPE_size unsigned long

// How an argument is passed to f, to the tangent and to the adjoint.
#define CF_VALUE(i, T) *(const CF_TYPE_##T *)values[i]
#define CF_PRIMAL_Pointer(i, T) (CF_TYPE_##T *)values[i]
#define CF_PRIMAL_NoNeed(i, T) (CF_TYPE_##T *)values[i]
#define CF_PRIMAL_Value(i, T) CF_VALUE(i, T)
#define CF_PRIMAL_ConstPointer(i, T) (CF_TYPE_##T *)values[i]
#define CF_PRIMAL_ConstValue(i, T) CF_VALUE(i, T)
#define CF_TANGENT_Pointer(i, T) CF_BOTH_Pointer(i, T) CF_SECOND_POINTER(i, T)
#define CF_TANGENT_NoNeed(i, T) CF_BOTH_NoNeed(i, T) CF_SECOND_POINTER(i, T)
#define CF_TANGENT_Value(i, T)                                                                     \
  enzyme_dup, CF_VALUE(i, T), *(const CF_TYPE_##T *)shadows[i] CF_SECOND_VALUE(i, T)
#define CF_TANGENT_ConstPointer(i, T) enzyme_const, (CF_TYPE_##T *)values[i]
#define CF_TANGENT_ConstValue(i, T) enzyme_const, CF_VALUE(i, T)
#define CF_BOTH_Pointer(i, T) enzyme_dup, (CF_TYPE_##T *)values[i], (CF_TYPE_##T *)shadows[i]
#define CF_BOTH_NoNeed(i, T) enzyme_dupnoneed, (CF_TYPE_##T *)values[i], (CF_TYPE_##T *)shadows[i]
#define CF_ADJOINT_Pointer(i, T) CF_BOTH_Pointer(i, T)
#define CF_ADJOINT_NoNeed(i, T) CF_BOTH_NoNeed(i, T)
#define CF_ADJOINT_Value(i, T) enzyme_out, CF_VALUE(i, T)
#define CF_ADJOINT_ConstPointer(i, T) CF_TANGENT_ConstPointer(i, T)
#define CF_ADJOINT_ConstValue(i, T) CF_TANGENT_ConstValue(i, T)

// What the adjoint returns: one field per Scalar, in order.
#define CF_FIELD_Pointer(i, T)
#define CF_FIELD_NoNeed(i, T)
#define CF_FIELD_Value(i, T) CF_TYPE_##T field##i;
#define CF_FIELD_ConstPointer(i, T)
#define CF_FIELD_ConstValue(i, T)
#define CF_FETCH_Pointer(i, T)
#define CF_FETCH_NoNeed(i, T)
#define CF_FETCH_Value(i, T) *(CF_TYPE_##T *)shadows[i] = adjoints.field##i;
#define CF_FETCH_ConstPointer(i, T)
#define CF_FETCH_ConstValue(i, T)

// CF_EACH(M, S, descriptors...): M(0, first) S() M(1, second) ...
#define CF_COMMA() ,
#define CF_NOTHING()
#define CF_EACH1(M, S, a) M(0, a)
#define CF_EACH2(M, S, a, b) CF_EACH1(M, S, a) S() M(1, b)
#define CF_EACH3(M, S, a, b, c) CF_EACH2(M, S, a, b) S() M(2, c)
#define CF_EACH4(M, S, a, b, c, d) CF_EACH3(M, S, a, b, c) S() M(3, d)
#define CF_EACH5(M, S, a, b, c, d, e) CF_EACH4(M, S, a, b, c, d) S() M(4, e)
#define CF_EACH6(M, S, a, b, c, d, e, f) CF_EACH5(M, S, a, b, c, d, e) S() M(5, f)
#define CF_EACH7(M, S, a, b, c, d, e, f, g) CF_EACH6(M, S, a, b, c, d, e, f) S() M(6, g)
#define CF_EACH8(M, S, a, b, c, d, e, f, g, h) CF_EACH7(M, S, a, b, c, d, e, f, g) S() M(7, h)
#define CF_PICK(a, b, c, d, e, f, g, h, pick, ...) pick
#define CF_COUNT(...) CF_PICK(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, )
#define CF_EACH(M, S, ...)                                                                         \
  CF_PICK(__VA_ARGS__, CF_EACH8, CF_EACH7, CF_EACH6, CF_EACH5, CF_EACH4, CF_EACH3, CF_EACH2,       \
          CF_EACH1, )                                                                              \
  (M, S, __VA_ARGS__)

#define CF_APPLY(...) CF_APPLY_(__VA_ARGS__)
#define CF_APPLY_(Use, i, kind, how, T, place, n, lo, hi) Use(i, kind, how, T, place, n, lo, hi)
#define CF_USE_PRIMAL(i, kind, how, T, ...) CF_PRIMAL_##how(i, T)
#define CF_USE_TANGENT(i, kind, how, T, ...) CF_TANGENT_##how(i, T)
#define CF_USE_ADJOINT(i, kind, how, T, ...) CF_ADJOINT_##how(i, T)
#define CF_USE_FIELD(i, kind, how, T, ...) CF_FIELD_##how(i, T)
#define CF_USE_FETCH(i, kind, how, T, ...) CF_FETCH_##how(i, T)
#define CF_USE_ROW(i, kind, how, T, place, n, lo, hi)                                              \
  {cf_test_##kind, cf_test_##T, cf_test_##place, n, lo, hi}
#define CF_M_PRIMAL(i, a) CF_APPLY(CF_USE_PRIMAL, i, CF_ARG_##a)
#define CF_M_TANGENT(i, a) CF_APPLY(CF_USE_TANGENT, i, CF_ARG_##a)
#define CF_M_ADJOINT(i, a) CF_APPLY(CF_USE_ADJOINT, i, CF_ARG_##a)
#define CF_M_FIELD(i, a) CF_APPLY(CF_USE_FIELD, i, CF_ARG_##a)
#define CF_M_FETCH(i, a) CF_APPLY(CF_USE_FETCH, i, CF_ARG_##a)
#define CF_M_ROW(i, a) CF_APPLY(CF_USE_ROW, i, CF_ARG_##a)

#define CF_RESULT_Double double
#define CF_RESULT_Float float
#define CF_RESULT_Void void
#define CF_RESULT_Replicated double
#define CF_RETURN_Double(call) return call;
#define CF_RETURN_Float(call) return (double)call;
#define CF_RETURN_Replicated(call) return call;
#define CF_RETURN_Void(call)                                                                       \
  call;                                                                                            \
  return 0;

#define GRADIENT_CHECK_BOUND(bound, name, Result, f, ...)                                          \
  struct name##_adjoints {                                                                         \
    CF_EACH(CF_M_FIELD, CF_NOTHING, __VA_ARGS__)                                                   \
  };                                                                                               \
  CF_DECLARE_DOTS_##Result(name) CF_DECLARE(name, CF_TANGENT_TYPE_##Result(name)) static double    \
  name##_primal(void *const *values) {                                                             \
    CF_RETURN_##Result(f(CF_EACH(CF_M_PRIMAL, CF_COMMA, __VA_ARGS__)))                             \
  }                                                                                                \
  static double name##_tangent(void *const *values, void *const *shadows) {                        \
    enum { cf_count = CF_COUNT(__VA_ARGS__) };                                                     \
    (void)shadows;                                                                                 \
    CF_TANGENT_RESULT_##Result(                                                                    \
        name,                                                                                      \
        CF_FWDDIFF(name, CF_TANGENT_TYPE_##Result(name))(                                          \
            (void *)f, CF_WIDTH CF_EACH(CF_M_TANGENT, CF_COMMA, __VA_ARGS__)),                     \
        2 * cf_count)                                                                              \
  }                                                                                                \
  static void name##_adjoint(void *const *values, void *const *shadows) {                          \
    struct name##_adjoints adjoints = CF_AUTODIFF(name, name##_adjoints)(                          \
        (void *)f, CF_EACH(CF_M_ADJOINT, CF_COMMA, __VA_ARGS__));                                  \
    (void)adjoints;                                                                                \
    (void)shadows;                                                                                 \
    CF_EACH(CF_M_FETCH, CF_NOTHING, __VA_ARGS__)                                                   \
  }                                                                                                \
  CF_REGISTER(bound, CF_DIRECTIONS, name, Result, name##_primal, name##_tangent, name##_adjoint,   \
              __VA_ARGS__)

#define CF_REGISTER(bound, directions, name, Result, primal, tangent, adjoint, ...)                \
  __attribute__((constructor)) static void name##_register(void) {                                 \
    static const struct cf_test_argument arguments[] = {CF_EACH(CF_M_ROW, CF_COMMA, __VA_ARGS__)}; \
    static const struct cf_test_program program = {#name,                                          \
                                                   __FILE_NAME__,                                  \
                                                   arguments,                                      \
                                                   (int)(sizeof arguments / sizeof *arguments),    \
                                                   cf_test_##Result,                               \
                                                   bound,                                          \
                                                   primal,                                         \
                                                   tangent,                                        \
                                                   adjoint,                                        \
                                                   directions};                                    \
    cf_test_register(&program);                                                                    \
  }

#define GRADIENT_CHECK(name, Result, f, ...) GRADIENT_CHECK_BOUND(0, name, Result, f, __VA_ARGS__)

#define GRADIENT_CHECK_CUSTOM(name, Result, primal, tangent, adjoint, ...)                         \
  CF_REGISTER(0, 1, name, Result, primal, tangent, adjoint, __VA_ARGS__)

#endif
