// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/Bytes.h"

#include <gtest/gtest.h>

using contraflow::formatBytes;
using contraflow::parseBytes;

TEST(Bytes, ReadsUnitsInAnyCase) {
  constexpr int64_t Ki = 1024;
  EXPECT_EQ(parseBytes("4096"), 4096);
  EXPECT_EQ(parseBytes("17B"), 17);
  EXPECT_EQ(parseBytes("3k"), 3 * Ki);
  EXPECT_EQ(parseBytes("500M"), 500 * Ki * Ki);
  EXPECT_EQ(parseBytes("8GiB"), 8 * Ki * Ki * Ki);
  EXPECT_EQ(parseBytes("8gib"), 8 * Ki * Ki * Ki);
  EXPECT_EQ(parseBytes("2T"), 2 * Ki * Ki * Ki * Ki);
  EXPECT_EQ(parseBytes("2kb"), 2000);
  EXPECT_EQ(parseBytes("2GB"), 2'000'000'000);
  EXPECT_EQ(parseBytes(" 1.5 KiB "), 1536);
  EXPECT_EQ(parseBytes("0"), 0);
}

TEST(Bytes, RefusesWhatIsNoSize) {
  for (const char *Text : {"", " ", "GiB", "-1", "-1G", "nan", "inf", "1e30", "9000000T", "8XB",
                           "8 G i B", "8GiBs", "8bb", "0x10", "1,5G"})
    EXPECT_EQ(parseBytes(Text), std::nullopt) << "'" << Text << "'";
}

TEST(Bytes, WritesOneDecimal) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(1024), "1.0 KiB");
  EXPECT_EQ(formatBytes(int64_t{640} << 20), "640.0 MiB");
  EXPECT_EQ(formatBytes((int64_t{3} << 30) / 2), "1.5 GiB");
  EXPECT_EQ(formatBytes(INT64_MAX), "8.0 EiB");
}

TEST(Bytes, WhatIsWrittenCanBeRead) {
  for (int Shift = 0; Shift < 62; ++Shift)
    EXPECT_EQ(parseBytes(formatBytes(int64_t{1} << Shift)),
              Shift < 50 ? std::optional(int64_t{1} << Shift) : std::nullopt)
        << Shift;
}
