/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The markers of a derivative call, for code that does not declare them itself. A marker stands in
 * front of an argument and says what is wanted of it:
 *
 *   __enzyme_autodiff((void *)energy, enzyme_dup, x, x_bar, enzyme_const, n);
 *
 * C declares the call to suit the result that it expects, as often as needed, under any name that
 * begins so:
 *
 *   double __enzyme_autodiff(void *, ...);              adjoint of the argument marked enzyme_out
 *   double __enzyme_fwddiff_energy(void *, ...);        tangent of the result
 *
 * C++ finds templates here: __enzyme_autodiff<double>(...), __enzyme_fwddiff<double>(...).
 * contraflow/contraflow.hpp is the C++ face that checks arguments.
 */
#ifndef CONTRAFLOW_ENZYME_H
#define CONTRAFLOW_ENZYME_H

extern int
    enzyme_dup; /* a pointer, followed by its shadow; tangent: also a value and its tangent */
extern int enzyme_dupnoneed; /* the same; what the call writes there is not read afterwards */
extern int enzyme_out;       /* adjoint: a floating-point value whose adjoint is returned */
extern int enzyme_const;     /* has no derivative */

/* Stands anywhere after the function: the primal result is returned, too, before everything else.
 */
extern int enzyme_primal_return;

#ifdef __cplusplus
template <class Result, class... Arguments> Result __enzyme_autodiff(void *, Arguments...);
template <class Result, class... Arguments> Result __enzyme_fwddiff(void *, Arguments...);
#endif

#endif
