/* eval/subsequence.h
 * A longest common subsequence of two sequences, in bounded time a number.
 *   Up to SUBSEQUENCE_TABLE products of lengths: the table of Wagner and Fischer (1974); exact. Of several longest
 * ones, the one that passes over numbers of x first. Beyond: what both begin and end with alike is matched; the rest by
 * Hunt and Szymanski (1977) over pairs of equal numbers, SUBSEQUENCE_PAIRS at most for each number of x: those nearest
 * to its place in proportion. Exact where no number stands more often than that in the rest of y, else a common
 * subsequence, which may be shorter. Time (n + m) log m, memory n + m. */
#ifndef LAL_EVAL_SUBSEQUENCE_H
#define LAL_EVAL_SUBSEQUENCE_H

#include <stdbool.h>

enum { SUBSEQUENCE_TABLE = 1 << 16, SUBSEQUENCE_PAIRS = 32 };

/* x [n] and y [m] hold numbers 0 .. values - 1. match [n]: the place in y that goes with each place of x, -1: none.
 * false: memory is out. */
bool subsequence_match(const int *x, int n, const int *y, int m, int values, int *match);

#endif
