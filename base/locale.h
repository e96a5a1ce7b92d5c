/* Numbers as text, read and written with a decimal point whatever locale a host program has set (setlocale, uselocale).
 * The program itself never sets one. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/* strtod, vsnprintf and snprintf, always in the C locale. */
double locale_strtod(const char *text, char **end);
int locale_vsnprintf(char *buf, size_t size, const char *fmt, va_list ap) __attribute__((format(printf, 3, 0)));
int locale_snprintf(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* For calls of a library that reads or writes numbers: locale_point_begin switches the calling thread to the C locale
 * if its own has another decimal point; locale_point_end, with the result of locale_point_begin, switches back. */
void *locale_point_begin(void);
void locale_point_end(void *before);
