/* What becomes of the bytes that no text has: those that are not UTF-8, and NUL. Replaced or left out as Python's
 * bytes.decode("utf-8", "replace") and "ignore" do: each longest beginning of a character that does not go on, and each
 * other byte, is one place. */
#pragma once

#include "base/text.h"

typedef enum Invalid { INVALID_ERROR, INVALID_REPLACE, INVALID_SKIP } Invalid;
#define INVALID_CHOICES "error|replace|skip"
#define INVALID_ABOUT                                                                                         \
    "bytes that are not UTF-8, and NUL; error: they end the reading; replace: U+FFFD stands for them; skip: " \
    "they are left out; replace and skip report their places and their number"

/* A text that comes in pieces. All zero but for what and found at first. */
typedef struct Repair {
    Invalid what;                                              /* not INVALID_ERROR */
    void (*found)(struct Repair *repair, const char *message); /* called for each `place`, or NULL */
    TextPlace place;                                           /* of the next byte, as the bytes were before */
    TextPlace first;                                           /* of the places */
    long n;                                                    /* places so far */
    unsigned char left[3]; /* the beginning of a character that the next piece may continue */
    int n_left;
} Repair;

/* Appends the next bytes of the text, repaired. last: there are no more. Out of memory sets out->failed. */
void repair_feed(Repair *repair, const char *bytes, size_t count, bool last, StrBuf *out);

/* "found bytes that are not UTF-8 in 3 places, replaced by U+FFFD"; "" if there were none. */
typedef struct RepairText {
    char text[80];
} RepairText;
RepairText repair_text(const Repair *repair);
