#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tests/golden/encoders.h"

void encoders_open_lines(RecordedLines *l, const char *path)
{
    Error e = { 0 };
    *l = (RecordedLines){ 0 };
    if (file_read(path, &l->file, &e) != OK) recorded_stop("%s: %s", path, e.message);
}

/* A noncharacter that the line does not have, written out or escaped. */
static int32_t absent(const char *line)
{
    for (int32_t cp = 0xFDD0; cp <= 0xFDEF; cp++) {
        char escaped[8], upper[8];
        StrBuf plain = { 0 };
        snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)cp);
        snprintf(upper, sizeof upper, "\\u%04X", (unsigned)cp);
        strbuf_utf8(&plain, cp);
        bool found = strstr(line, escaped) || strstr(line, upper) || strstr(line, plain.ptr);
        strbuf_fini(&plain);
        if (!found) return cp;
    }
    recorded_stop("a line has all noncharacters from U+FDD0");
}

/* The escape of U+0000 becomes that of l->nul. */
static void hide_nul(RecordedLines *l, char *line)
{
    char escaped[8];
    l->nul = -1;
    if (!strstr(line, "\\u0000")) return;
    l->nul = absent(line);
    snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)l->nul);
    for (char *c = line; (c = strchr(c, '\\')); c += 2)
        if (strncmp(c, "\\u0000", 6) == 0) memcpy(c, escaped, 6);
}

bool encoders_next_line(RecordedLines *l)
{
    StrView line;
    cJSON_Delete(l->line);
    l->line = NULL;
    if (!text_line((StrView){ l->file.ptr, l->file.len }, &l->at, &line)) {
        strbuf_fini(&l->file);
        return false;
    }
    char *copy = recorded_room(line.len + 1, 1);
    memcpy(copy, line.ptr, line.len);
    copy[line.len] = 0;
    l->number++;
    hide_nul(l, copy);
    l->line = cJSON_Parse(copy);
    free(copy);
    if (!l->line) recorded_stop("line %d cannot be read as JSON", l->number);
    return true;
}

void encoders_string(const RecordedLines *l, const cJSON *string, StrBuf *out)
{
    if (!cJSON_IsString(string)) recorded_stop("line %d: expected a string", l->number);
    const char *s = string->valuestring;
    size_t len = strlen(s);
    strbuf_clear(out);
    strbuf_puts(out, "");
    for (size_t i = 0; i < len;) {
        size_t from = i;
        if (utf8_next(s, len, &i) == l->nul) strbuf_putc(out, 0);
        else strbuf_add(out, s + from, i - from);
    }
}
