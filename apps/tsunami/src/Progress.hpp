// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A progress bar that looks at a step counter from a thread of its own, ten times a second, so that
// the simulation need not know of it. Draws on standard error, if wanted.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace tsunami {

class Progress {
public:
  Progress(std::string label, const std::atomic<int> &done, long total, bool wanted);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

private:
  void draw(double seconds) const;

  std::string label;
  const std::atomic<int> &done;
  long total;
  std::atomic<bool> finished{false};
  std::thread watcher;
};

} // namespace tsunami
