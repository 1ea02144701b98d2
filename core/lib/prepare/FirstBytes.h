// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries begin an object without a value as a union whose first member is a byte:
//
//   union _Storage { _Storage() : _M_byte() {}  unsigned char _M_byte; T _M_val; };     (libstdc++)
//
// The value is made there later. For the optimiser the byte is a place of its own: where such an
// object is a local variable and the value in it is only copied, its first number would move as a
// byte and seven others. What else is in an object that begins has no value yet, so the constructor
// may as well clear the whole of it:
//
//   store i8 0, ptr %this     ->     memset(%this, 0, 40)

#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace contraflow {

/// Of all constructors of the module, before anything is optimised.
void clearWhole(llvm::Module &M);

} // namespace contraflow
