/* The longest common subsequence of two sequences of numbers, in time O((n + m) log m) and memory O(n + m). If n m <=
 * SUBSEQUENCE_TABLE, the table of Wagner and Fischer (1974) is used, which is exact; among several longest
 * subsequences, the one that skips numbers of x first is chosen. Otherwise the common beginning and end are matched,
 * and the rest by the method of Hunt and Szymanski (1977) over pairs of equal numbers. For each number of x it
 * considers at most SUBSEQUENCE_PAIRS places of y, those nearest to the proportional position. The result is exact if
 * no number occurs more often in the rest of y; else it is a common subsequence that may be shorter than the
 * longest. */
#pragma once

#include <stdbool.h>

enum { SUBSEQUENCE_TABLE = 1 << 16, SUBSEQUENCE_PAIRS = 32 };

/* x [n] and y [m] are numbers 0 .. values - 1. Sets match [n]: the place in y matched with each place of x, or -1.
 * false when out of memory. */
bool subsequence_match(const int *x, int n, const int *y, int m, int values, int *match);
