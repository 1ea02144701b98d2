// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/Bytes.h"

#include <cctype>
#include <charconv>
#include <cstdio>

namespace contraflow {
namespace {

constexpr std::string_view Prefixes = "kmgt";
constexpr double TooMany = 0x1p63;

std::string_view trim(std::string_view Text) {
  const auto IsSpace = [](char C) { return std::isspace(static_cast<unsigned char>(C)) != 0; };
  while (!Text.empty() && IsSpace(Text.front()))
    Text.remove_prefix(1);
  while (!Text.empty() && IsSpace(Text.back()))
    Text.remove_suffix(1);
  return Text;
}

// The bytes that a unit such as "", "b", "k", "kib" or "kb" (any case) stands for.
std::optional<double> unitBytes(std::string_view Unit) {
  std::string Lower;
  for (const char C : Unit)
    Lower += static_cast<char>(std::tolower(static_cast<unsigned char>(C)));
  if (Lower.empty() || Lower == "b")
    return 1.0;
  const size_t Power = Prefixes.find(Lower.front());
  const std::string_view Rest = std::string_view(Lower).substr(1);
  if (Power == std::string_view::npos || (!Rest.empty() && Rest != "ib" && Rest != "b"))
    return std::nullopt;
  double Bytes = 1;
  for (size_t I = 0; I <= Power; ++I)
    Bytes *= Rest == "b" ? 1000 : 1024;
  return Bytes;
}

} // namespace

std::string formatBytes(int64_t Bytes) {
  static constexpr const char *Units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (Bytes < 1024)
    return std::to_string(Bytes) + " B";
  double Value = static_cast<double>(Bytes) / 1024;
  int Unit = 0;
  for (; Value >= 1024 && Unit < 5; ++Unit)
    Value /= 1024;
  char Text[32];
  std::snprintf(Text, sizeof Text, "%.1f %s", Value, Units[Unit]);
  return Text;
}

std::optional<int64_t> parseBytes(std::string_view Text) {
  Text = trim(Text);
  double Number = 0;
  const auto [End, Error] = std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  if (Error != std::errc{} || !(Number >= 0))
    return std::nullopt;
  const auto Unit = unitBytes(trim(Text.substr(static_cast<size_t>(End - Text.data()))));
  if (!Unit || Number * *Unit >= TooMany)
    return std::nullopt;
  return static_cast<int64_t>(Number * *Unit);
}

} // namespace contraflow
