# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scanner behind the size budget, on the forms of C++ that could mislead it."""

import unittest

import cpp_scan


def scan(source):
    return [(f.name, f.first, f.last, f.parameters) for f in cpp_scan.functions(source)]


class Functions(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(scan("int f(int a, int b) {\n  return a;\n}\n"), [("f", 1, 3, 2)])

    def test_signature_on_several_lines(self):
        self.assertEqual(scan("\nstatic double\ng(void)\n{\n}\n"), [("g", 2, 5, 0)])

    def test_class_is_a_scope(self):
        source = "namespace a {\nclass B : public C {\npublic:\n  int f() const { return 1; }\n};\n}\n"
        self.assertEqual(scan(source), [("f", 4, 4, 0)])

    def test_template_arguments_are_not_parameters(self):
        self.assertEqual(scan("void f(std::map<int, int> m, A<B<1>, 2> n) {}"), [("f", 1, 1, 2)])

    def test_template_function_and_class(self):
        self.assertEqual(scan("template <class T> T f(T t) { return t; }"), [("f", 1, 1, 1)])
        self.assertEqual(scan("template <class T> struct S {\n void g() {}\n};"), [("g", 2, 2, 0)])

    def test_initialisers_are_not_functions(self):
        self.assertEqual(scan("int t[] = {1, 2};\nint x{3};\nauto l = [](int i) { return i; };"), [])

    def test_member_initialisers(self):
        self.assertEqual(scan("A::A(int i) : b{i}, c{i} {\n  d();\n}\n"), [("A::A", 1, 3, 1)])
        self.assertEqual(scan("A::A(int i) : b(i), c(i) {\n  d();\n}\n"), [("A::A", 1, 3, 1)])

    def test_lambda_counts_for_its_function(self):
        self.assertEqual(scan("void f() {\n  auto g = [](int i) {\n  };\n}\n"), [("f", 1, 4, 0)])

    def test_braces_in_literals_and_comments(self):
        source = 'void f() { // {\n  const char *s = "{\\"{"; char c = \'{\'; /* { */\n}\nvoid g() {}\n'
        self.assertEqual(scan(source), [("f", 1, 3, 0), ("g", 4, 4, 0)])

    def test_preprocessor_lines(self):
        self.assertEqual(scan("#define M(x) { \\\n x\nint f() { return 1'000; }\n"), [("f", 3, 3, 0)])

    def test_trailing_return_and_noexcept(self):
        self.assertEqual(scan("auto f(int a) noexcept(true) -> decltype(g(a, a)) { return a; }"),
                         [("f", 1, 1, 1)])

    def test_returns_a_struct(self):
        self.assertEqual(scan("struct A *f(int a, int b) {\n}\n"), [("f", 1, 2, 2)])

    def test_operators(self):
        self.assertEqual(scan("bool operator==(A a, A b) { return 1; }"), [("operator==", 1, 1, 2)])
        self.assertEqual(scan("A &operator=(A a) { return 1; }"), [("operator=", 1, 1, 1)])

    def test_extern_c_block(self):
        self.assertEqual(scan('extern "C" {\nvoid f(int a) {\n}\n}\n'), [("f", 2, 3, 1)])

    def test_default_arguments(self):
        self.assertEqual(scan("void f(int a = 1, B b = {1, 2}) {\n}\n"), [("f", 1, 2, 2)])


if __name__ == "__main__":
    unittest.main()
