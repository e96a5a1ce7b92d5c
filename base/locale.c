/* Where the decimal point of the thread is another one, the C locale is set for the time of a call;
 * elsewhere nothing is done. */
#include "base/locale.h"

#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t c_locale; /* created on first use, never freed */

static void make_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

void *locale_point_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (strcmp(nl_langinfo(RADIXCHAR), ".") == 0) return NULL;
    pthread_once(&once, make_c_locale);
    return c_locale ? uselocale(c_locale) : NULL;
}

void locale_point_end(void *before)
{
    if (before) uselocale(before);
}

double locale_strtod(const char *text, char **end)
{
    void *before = locale_point_begin();
    double x = strtod(text, end);
    locale_point_end(before);
    return x;
}

int locale_vsnprintf(char *buf, size_t size, const char *fmt, va_list ap)
{
    void *before = locale_point_begin();
    int n = vsnprintf(buf, size, fmt, ap);
    locale_point_end(before);
    return n;
}

int locale_snprintf(char *buf, size_t size, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = locale_vsnprintf(buf, size, fmt, ap);
    va_end(ap);
    return n;
}
