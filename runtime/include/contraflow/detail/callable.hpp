// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be differentiated, as the plugin wants it: a function whose address is known. A plain
// function, or a lambda without captures, is one. Any other object is reached through a relay, a
// function made for its type, which takes the address of the object first:
//
//   auto f = [&w](const double *x) { return w[0] * x[0]; };
//   adjoint(f, dup(x, x_bar))   ->   request(relay<F>::call, marker_const, &f, marker_dup, x,
//   x_bar)
#ifndef CONTRAFLOW_DETAIL_CALLABLE_HPP
#define CONTRAFLOW_DETAIL_CALLABLE_HPP

#include "argument.hpp"

#include <functional>

namespace contraflow::detail {

/// Result and parameters of an object with one operator().
template <class> struct member_signature;
template <class C, class R, class... P>
struct member_signature<R (C::*)(P...)> : signature<R (*)(P...)> {};
template <class C, class R, class... P>
struct member_signature<R (C::*)(P...) const> : signature<R (*)(P...)> {};
template <class C, class R, class... P>
struct member_signature<R (C::*)(P...) noexcept> : signature<R (*)(P...)> {};
template <class C, class R, class... P>
struct member_signature<R (C::*)(P...) const noexcept> : signature<R (*)(P...)> {};

/// F without the wrapping of std::ref and of dup(f, f_bar).
template <class F> struct unwrap {
  using type = F;
};
template <class F> struct unwrap<std::reference_wrapper<F>> {
  using type = F;
};
template <kind Kind, class Primal, class Shadow> struct unwrap<argument<Kind, Primal, Shadow>> {
  using type = Primal;
};
template <class F> using unwrapped = typename unwrap<std::remove_cvref_t<F>>::type;

template <class F>
concept one_signature =
    requires { typename member_signature<decltype(&unwrapped<F>::operator())>::result; };

/// The parameter that an argument asks for where f, a template, leaves it open.
template <class Argument> struct asked_parameter;
template <kind Kind, class Primal, class Shadow>
struct asked_parameter<argument<Kind, Primal, Shadow>> {
  using type = std::conditional_t<std::is_class_v<Primal>, Primal &, std::decay_t<Primal>>;
};

/// Result and parameters of f called with these wrapped arguments.
template <class F, class... Arguments> struct called;
template <plain_function F, class... Arguments>
struct called<F, Arguments...> : signature<decltype(+std::declval<F &>())> {};
template <class F, class... Arguments>
  requires(!plain_function<F> && one_signature<F>)
struct called<F, Arguments...> : member_signature<decltype(&unwrapped<F>::operator())> {};
template <class F, class... Arguments>
  requires(!plain_function<F> && !one_signature<F>)
struct called<F, Arguments...>
    : signature<std::invoke_result_t<unwrapped<F> &, typename asked_parameter<Arguments>::type...> (
              *)(typename asked_parameter<Arguments>::type...)> {};

template <class F, class... Arguments>
concept callable_with =
    plain_function<F> || one_signature<F> || requires { typename called<F, Arguments...>::result; };

template <class F, class... Arguments>
inline constexpr bool passes_class = []<class... P>(std::type_identity<std::tuple<P...>>) {
  return (std::is_class_v<P> || ...);
}(std::type_identity<typename called<F, Arguments...>::parameters>{});

/// A class passed by value arrives at the relay as a reference: it has no shadow in registers.
template <class P>
using relayed = std::conditional_t<std::is_class_v<P>, const std::remove_cv_t<P> &, P>;

/// The object at an address; const only if F is.
template <class F> CF_INLINE F &object_behind(const object *f) {
  return *reinterpret_cast<F *>(const_cast<object *>(f));
}

template <class F, class Signature> struct relay;
template <class F, class Result, class... P> struct relay<F, Result(P...)> {
  using parameters = std::tuple<const object *, relayed<P>...>;
  static Result call(const object *f, relayed<P>... values) {
    return object_behind<F>(f)(static_cast<P>(values)...);
  }
};
template <class F, class Result, class Parameters> struct relay_of;
template <class F, class Result, class... P> struct relay_of<F, Result, std::tuple<P...>> {
  using type = relay<F, Result(P...)>;
};

/// True of an object that is passed by value: the copy is a part of what is differentiated, or its
/// derivatives would go with it.
template <class Argument, class P>
inline constexpr bool is_copy = has_shadow<Argument> && std::is_class_v<P>;
template <class F, class... Arguments>
inline constexpr bool passes_copy = []<class... P>(std::type_identity<std::tuple<P...>>) {
  if constexpr (sizeof...(P) == sizeof...(Arguments))
    return (is_copy<Arguments, P> || ...);
  return false;
}(std::type_identity<typename called<F, Arguments...>::parameters>{});

/// A relay to a plain function, which it is given.
template <class F> struct copying_relay;
template <class Result, class... P> struct copying_relay<std::tuple<Result, P...>> {
  using parameters = std::tuple<relayed<P>...>;
  static Result call(Result (*f)(P...), relayed<P>... values) {
    return f(static_cast<P>(values)...);
  }
};
template <class Result, class Parameters> struct copying_relay_of;
template <class Result, class... P> struct copying_relay_of<Result, std::tuple<P...>> {
  using type = copying_relay<std::tuple<Result, P...>>;
};

/// True if f is reached through a relay. (Other classes passed by value to a plain function are
/// left to the plugin; a lambda is an object as well.)
template <class F, class... Arguments>
inline constexpr bool by_relay = !plain_function<F> || (std::is_class_v<std::remove_cvref_t<F>> &&
                                                        passes_class<F, Arguments...>);

template <class F, class... Arguments>
using relay_for = typename relay_of<unwrapped<F>, typename called<F, Arguments...>::result,
                                    typename called<F, Arguments...>::parameters>::type;

/// The argument that stands for the object f.
template <class F> CF_INLINE auto object_argument(F &f) { return argument<kind::constant, F>{f}; }
template <class F> CF_INLINE auto object_argument(std::reference_wrapper<F> &f) {
  return argument<kind::constant, F>{f.get()};
}
template <kind Kind, class Primal, class Shadow>
CF_INLINE auto object_argument(argument<Kind, Primal, Shadow> &f) {
  return f;
}

/// How f is named in a function that is made for it: a plain function by its address, an object by
/// the object's.
template <class F>
using handle =
    std::conditional_t<std::is_class_v<std::remove_cvref_t<F>>, const object *, std::decay_t<F>>;

template <class F> CF_INLINE handle<F> handle_of(F &f) {
  if constexpr (std::is_class_v<F>)
    return reinterpret_cast<const object *>(std::addressof(f));
  else
    return f;
}

/// What calls f, or is differentiated instead of it, given its handle.
template <class F> CF_INLINE auto behind(handle<F> f) {
  if constexpr (std::is_class_v<std::remove_cvref_t<F>>)
    return std::ref(object_behind<F>(f));
  else
    return f;
}

} // namespace contraflow::detail

#endif
