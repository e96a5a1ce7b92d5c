/* Runs of good bytes are copied at once; what is between them is one place after another. */
#include "base/repair.h"

#include <stdio.h>

/* The bytes of the place at the beginning of text [len > 0], which no text has; *cut: more bytes may make a character
 * of them (Unicode, table 3-7). */
static size_t place_length(const unsigned char *text, size_t len, bool *cut)
{
    unsigned char lead = text[0], least = 0x80, most = 0xbf;
    size_t need = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4, n = 1;
    if (lead == 0xe0) least = 0xa0;
    if (lead == 0xed) most = 0x9f;
    if (lead == 0xf0) least = 0x90;
    if (lead == 0xf4) most = 0x8f;
    for (; n < len && n < need && text[n] >= least && text[n] <= most; n++) least = 0x80, most = 0xbf;
    *cut = n == len && n < need;
    return n;
}

/* Repairs text [len] and returns how many of its last bytes may begin a character. */
static size_t repair_piece(Repair *r, const char *text, size_t len, bool last, StrBuf *out)
{
    const char *message;
    for (size_t at = 0, n; at < len; at += n) {
        bool cut = false;
        n = text_fault((StrView){ text + at, len - at }, &message);
        strbuf_add(out, text + at, n);
        r->place = text_place(r->place, text + at, n);
        at += n;
        if (at == len) return 0;
        n = place_length((const unsigned char *)text + at, len - at, &cut);
        if (cut && !last) return n;
        if (!r->n++) r->first = r->place;
        if (r->what == INVALID_REPLACE) strbuf_utf8(out, 0xfffd);
        if (r->found) r->found(r, message);
        r->place.column += (long)n;
    }
    return 0;
}

void repair_feed(Repair *repair, const char *bytes, size_t count, bool last, StrBuf *out)
{
    char joined[8];
    if (!repair->place.line) repair->place = (TextPlace){ 1, 1 };
    while (repair->n_left && (count || last)) { /* one byte after another, until the character is whole or none */
        int n = repair->n_left;
        memcpy(joined, repair->left, (size_t)n);
        if (count) joined[n++] = *bytes++, count--;
        size_t left = repair_piece(repair, joined, (size_t)n, last && !count, out);
        memcpy(repair->left, joined + ((size_t)n - left), left);
        repair->n_left = (int)left;
    }
    size_t left = repair_piece(repair, bytes, count, last, out);
    if (left) memcpy(repair->left, bytes + count - left, left);
    if (left) repair->n_left = (int)left;
}

RepairText repair_text(const Repair *repair)
{
    RepairText x = { "" };
    if (repair->n)
        snprintf(x.text, sizeof x.text, "found bytes that are not UTF-8 in %ld place%s, %s", repair->n,
                 repair->n == 1 ? "" : "s", repair->what == INVALID_SKIP ? "left out" : "replaced by U+FFFD");
    return x;
}
