// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>

namespace tsunami {

Progress::Progress(std::string label, const std::atomic<int> &done, long total, bool wanted)
    : label(std::move(label)), done(done), total(total) {
  if (!wanted)
    return;
  watcher = std::thread([this] {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    while (!finished.load()) {
      draw(std::chrono::duration<double>(Clock::now() - start).count());
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    fmt::print(stderr, "\r\033[K");
  });
}

Progress::~Progress() {
  finished = true;
  if (watcher.joinable())
    watcher.join();
}

void Progress::draw(double seconds) const {
  const long width = 30;
  const long filled = std::clamp(width * done.load(std::memory_order_relaxed) / total, 0L, width);
  fmt::print(stderr, "\r\033[K  {:<24} [{}{}] {:6.1f} s", label, std::string(filled, '#'),
             std::string(width - filled, '.'), seconds);
  std::fflush(stderr);
}

} // namespace tsunami
