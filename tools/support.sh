# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# What setup, quickstart and check share. Sourced; expects to be called from a script in tools/.

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
started=$SECONDS

# step <sentence>: progress, with the minutes and seconds since the start.
step() {
  local spent=$((SECONDS - started))
  printf '[%d:%02d] %s\n' $((spent / 60)) $((spent % 60)) "$1"
}

# fail <sentence>: one clear sentence, then the end.
fail() {
  printf '%s: %s\n' "$(basename -- "$0")" "$1" >&2
  exit 1
}

# How many compilations run side by side: one per processor, but each may need 1.5 GiB.
side_by_side() {
  local processors memory
  processors=$(nproc)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1572864)}' /proc/meminfo)
  ((memory >= 1)) || memory=1
  printf '%d' $((processors < memory ? processors : memory))
}

# configure_and_build <preset>
configure_and_build() {
  local preset=$1 log
  mkdir -p "$root/build/$preset"
  log=$root/build/$preset/configure.log
  step "configure build/$preset"
  if ! (cd "$root" && cmake --preset "$preset") >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    fail "configuring failed; the whole output is in $log"
  fi
  step "build build/$preset with $(side_by_side) job(s)"
  cmake --build "$root/build/$preset" -j "$(side_by_side)" || fail "the build of build/$preset failed, see above"
}
