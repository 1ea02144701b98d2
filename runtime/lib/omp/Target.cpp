// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A derivative runs target regions on the host, in the variables themselves. What a device was
// given before is not up to date there, and nobody would bring the results back to the device.

#include "contraflow/abi.h"

#include "omp/Model.h"
#include "support/Fail.h"

#include <cstdint>
#include <cstdio>

using namespace contraflow;

void cf_v1_omp_target_check(const void *address, int64_t device) {
  if (address == nullptr || !omp::isHeldByDevice(address, device))
    return;
  char Text[32];
  std::snprintf(Text, sizeof Text, "%p", address);
  fail(ErrorId::HeldByDevice, Text);
}
