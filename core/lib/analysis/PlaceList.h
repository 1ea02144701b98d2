// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the list of an object's places says by itself; the object is laid out in Places.cpp.

#pragma once

#include "Layouts.h"

#include <cstdint>

namespace contraflow {

using Places = LayoutPlaces;

int64_t sizeOf(const Places &P);
/// The place that Offset is in.
Places::const_iterator placeAt(const Places &P, int64_t Offset);
/// True if the scalar before, or behind, is of the same kind.
bool hasTwin(const Places &P, Places::const_iterator At);
/// The end of the scalars of one kind that the object begins with. A member behind an array is none
/// of its elements.
int64_t endOfFirstRun(const Places &P);
/// True if an index of this stride may come by. A program may take equal members for an array; all
/// floats of a kind are one cell in any case.
bool isIndexed(const Places &P, int64_t Offset, int64_t Stride);
/// True if an index of this stride leads from the equal members that the object begins with to
/// another such object behind it: no two of these members are that far apart.
bool leavesFirstRun(const Places &P, int64_t Offset, int64_t Stride);
/// Where the scalar begins that ends at Offset: the last byte of what is of no known kind.
int64_t lastInFront(const Places &P, int64_t Offset);
/// True if Offset is behind the last scalar of an array, where another kind begins or one integer.
bool isBehind(const Places &P, int64_t Offset, int64_t Stride);
/// True of the end of an array behind which no other array begins.
bool isEndOnly(const Places &P, int64_t Offset, int64_t Stride);
/// True if an index of this stride leads from padding to padding: what a copy of a structure moves
/// there is nothing. If something lies there after all, that shows at the end (isMistaken).
bool isPadding(const Places &P, int64_t Offset, int64_t Stride);
/// True if what lies so many bytes apart is of one kind: the object may be an array of structures.
bool repeats(const Places &P, int64_t Stride);
/// True of members that no index leads to.
bool areSingle(const LayoutPlace &A, const LayoutPlace &B);
/// Objects of which one pointer leads to any may have different members at one place, as the head
/// of a list and its nodes: from the first one's beginning to the last one's end, anything lies
/// there. False if an array is among them, of something else than floats beside an integer.
bool putAmong(Places &Old, int64_t Offset, LayoutPlace P);
/// Of floats that share their cells, as all of a kind do, with an integer.
unsigned kindsOrIntegers(const Places &P);

} // namespace contraflow
