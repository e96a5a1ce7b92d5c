/* Notes on decisions: what the observer of explain/fast/why.h attaches to parses, and formats write. */
#pragma once

#include "parser/parse/parse.h"

enum { WHY_HEADS = 3 };

/* The label heads with the largest contributions to a decision; those without any are left out. */
typedef struct WhyNote {
    bool arc; /* at has a dependent and its head; else a phrase, its label the number of the unary chain */
    Span at;
    double score;
    int n, head[WHY_HEADS]; /* from 0, by decreasing |part| */
    double part[WHY_HEADS];
} WhyNote;

/* Parsed.extra: the notes on phrases, then those on arcs. */
typedef struct WhyNotes {
    WhyNote *note; /* [n] */
    int n;
} WhyNotes;

/* n notes to be filled, in the arena; NULL when out of memory. */
WhyNotes *why_notes_new(int n, Arena *arena);

/* ParseObserver.join: the notes of all pieces. Roots of later pieces have new heads, and no note. */
bool why_notes_join(const Parsed *piece, int n, Arena *out, Parsed *whole);
