/* Tables of two models, for the files of this folder */
#pragma once

#include "explain/site/compare.h"
#include "explain/site/page.h"

/* F1, UAS and LAS of two models, and how many of their differences are right. */
void compare_table(StrBuf *out, const char *const *names, const Scores *scores, const int *right, bool gold);

/* Two heads of columns: `what` and the name of each model. */
void compare_columns(StrBuf *out, const char *what, const char *const *names);
/* The scores of two models by constituent label and by dependency type, of what gold judges: a <section> for each. */
void compare_by_tables(StrBuf *out, const Compare *c);
