// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the gradient and, beside it, central differences.

extern "C" {
    static enzyme_dup: i32;
    static enzyme_const: i32;
    fn __enzyme_autodiff(f: *const (), ...) -> f64;
}

extern "C" fn energy(x: *const f64, n: usize) -> f64 {
    let x = unsafe { std::slice::from_raw_parts(x, n) };
    let mut springs = Vec::new();
    for pair in x.windows(2) {
        springs.push((pair[1] - pair[0]).sin());
    }
    springs.iter().map(|s| s * s).sum()
}

fn difference(x: &[f64; 4], i: usize) -> f64 {
    let step = 1e-5;
    let (mut above, mut below) = (*x, *x);
    above[i] += step;
    below[i] -= step;
    (energy(above.as_ptr(), 4) - energy(below.as_ptr(), 4)) / (2.0 * step)
}

fn main() {
    let x = [1.0, 4.0, 9.0, 16.0];
    let mut gradient = [0.0; 4];
    unsafe {
        __enzyme_autodiff(
            energy as *const (),
            enzyme_dup,
            x.as_ptr(),
            gradient.as_mut_ptr(),
            enzyme_const,
            x.len(),
        );
    }
    for i in 0..4 {
        println!("{} {}", gradient[i], difference(&x, i));
    }
}
