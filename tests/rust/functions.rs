// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Rust programs of numbers are made of: iterators, slices, Vec, Box, traits, enums, closures,
// Rc, Result, f64's methods.
#![crate_type = "staticlib"]

use std::cell::RefCell;
use std::rc::Rc;

fn slice<'a>(x: *const f64, n: usize) -> &'a [f64] {
    unsafe { std::slice::from_raw_parts(x, n) }
}

#[no_mangle]
pub extern "C" fn rust_iterators(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let windows: f64 = x.windows(2).map(|w| w[0] * w[1].exp()).sum();
    windows + x.iter().zip(x.iter().skip(1)).fold(0.0_f64, |a, (p, q)| a + p * q * a.cos())
}

#[derive(Clone, Copy)]
struct Body {
    mass: f64,
    id: u32,
    at: [f64; 3],
}

trait Law {
    fn potential(&self, r: f64) -> f64;
}

struct Newton(f64);

struct Yukawa {
    strength: f64,
    range: f64,
}

impl Law for Newton {
    fn potential(&self, r: f64) -> f64 {
        -self.0 / r
    }
}

impl Law for Yukawa {
    fn potential(&self, r: f64) -> f64 {
        -self.strength * (-r / self.range).exp() / r
    }
}

#[no_mangle]
pub extern "C" fn rust_bodies(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let mut bodies: Vec<Body> = Vec::new();
    for (i, c) in x.chunks_exact(4).enumerate() {
        bodies.push(Body { mass: c[3], id: i as u32, at: [c[0], c[1], c[2]] });
    }
    let laws: Vec<Box<dyn Law>> =
        vec![Box::new(Newton(x[0])), Box::new(Yukawa { strength: 2.0, range: x[1] })];
    let mut energy = 0.0;
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[..i] {
            let r2: f64 = (0..3).map(|k| (a.at[k] - b.at[k]).powi(2)).sum();
            energy += a.mass * b.mass * laws[((a.id + b.id) % 2) as usize].potential((r2 + 0.1).sqrt());
        }
    }
    energy
}

#[no_mangle]
pub extern "C" fn rust_heat(u: *mut f64, n: usize, steps: usize, k: f64) {
    let u = unsafe { std::slice::from_raw_parts_mut(u, n) };
    let mut next = vec![0.0; n];
    for _ in 0..steps {
        for i in 1..n - 1 {
            next[i] = u[i] + k * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i].max(0.1);
        }
        next[0] = u[0];
        next[n - 1] = u[n - 1];
        u.copy_from_slice(&next);
    }
}

fn newton(f: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64, mut x: f64) -> Option<f64> {
    for _ in 0..50 {
        let step = f(x) / slope(x);
        x -= step;
        if step.abs() < 1e-13 {
            return Some(x);
        }
    }
    None
}

#[no_mangle]
pub extern "C" fn rust_root(a: f64) -> f64 {
    newton(|x| x * x * x - a, |x| 3.0 * x * x, 1.0).unwrap_or(0.0)
}

enum Expr {
    Const(f64),
    Var(usize),
    Add(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    Sin(Box<Expr>),
}

fn eval(e: &Expr, x: &[f64]) -> f64 {
    match e {
        Expr::Const(c) => *c,
        Expr::Var(i) => x[*i],
        Expr::Add(a, b) => eval(a, x) + eval(b, x),
        Expr::Mul(a, b) => eval(a, x) * eval(b, x),
        Expr::Sin(a) => eval(a, x).sin(),
    }
}

#[no_mangle]
pub extern "C" fn rust_expression(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let mut e = Expr::Const(x[5]);
    for i in 0..4 {
        let v = Box::new(Expr::Var(i));
        e = if i % 2 == 0 {
            Expr::Add(Box::new(e), v)
        } else {
            Expr::Mul(Box::new(Expr::Sin(Box::new(e))), v)
        };
    }
    eval(&e, x)
}

struct Node {
    value: f64,
    children: Vec<Rc<RefCell<Node>>>,
}

fn total(node: &Rc<RefCell<Node>>) -> f64 {
    let node = node.borrow();
    node.value * node.value + node.children.iter().map(total).sum::<f64>()
}

#[no_mangle]
pub extern "C" fn rust_tree(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let nodes: Vec<_> = x
        .iter()
        .map(|v| Rc::new(RefCell::new(Node { value: *v, children: vec![] })))
        .collect();
    for i in 1..n {
        nodes[(i - 1) / 2].borrow_mut().children.push(nodes[i].clone());
    }
    nodes[3].borrow_mut().value *= x[1];
    total(&nodes[0])
}

#[no_mangle]
pub extern "C" fn rust_closures(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let k = x[3];
    let steps: Vec<Box<dyn Fn(f64) -> f64>> =
        vec![Box::new(move |v| v * k), Box::new(|v: f64| v.sin()), Box::new(move |v| v + k * k)];
    (0..7).fold(x[0], |y, i| steps[i % 3](y))
}

fn quotient(a: f64, b: f64) -> Result<f64, String> {
    if b.abs() < 1e-9 {
        return Err(format!("division by {b}"));
    }
    Ok(a / b)
}

fn chain(x: &[f64]) -> Result<f64, String> {
    let p = quotient(x[0], x[1])?;
    let q = quotient(p, x[2])?;
    Ok(p * q)
}

#[no_mangle]
pub extern "C" fn rust_result(x: *const f64, n: usize) -> f64 {
    let begin = std::time::Instant::now();
    chain(slice(x, n)).unwrap_or_else(|why| {
        println!("{why} after {:?}", begin.elapsed());
        0.0
    })
}

#[no_mangle]
pub extern "C" fn rust_softmax(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let mut u = x.to_vec();
    for row in u.chunks_exact_mut(3) {
        let most = row.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = row.iter().map(|v| (v - most).exp()).sum();
        row.iter_mut().for_each(|v| *v = (*v - most).exp() / sum);
    }
    u.iter().zip(x).map(|(p, q)| p * q).sum()
}

#[no_mangle]
pub extern "C" fn rust_methods(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let (a, b, c) = (x[0], x[1], x[2]);
    let angles = a.sin() * b.cos() + a.tan() + (b / 3.0).acos() + a.atan2(b) + b.sin_cos().1;
    let hyperbolic = a.sinh() + b.cosh() + c.tanh() + c.asinh() + (c + 1.0).acosh() + (c * 0.1).atanh();
    let powers = a.powf(b) + c.powi(5) + a.sqrt() + b.cbrt() + a.hypot(c) + c.exp2() + b.exp_m1();
    let logarithms = a.ln() + b.log10() + c.log2() + a.ln_1p();
    let pieces = (a - 10.0).abs() + a.clamp(0.1, 5.0) + a.mul_add(b, c) + (b * 5.0) % 7.5 + a.recip();
    angles + hyperbolic + powers + logarithms + pieces + a.to_degrees()
}
