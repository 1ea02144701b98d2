// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of bytes as people write and read them.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace contraflow {

/// "512.0 MiB"; bytes below 1024 as "17 B".
std::string formatBytes(int64_t Bytes);

/// Reads "8GiB", "500M", "1.5 gb", "4096". K, M, G, T with or without "iB" count in 1024s, with "B"
/// alone
/// ("GB") in 1000s; upper or lower case. Nothing if the text is anything else, negative or too
/// large.
std::optional<int64_t> parseBytes(std::string_view Text);

} // namespace contraflow
