/* Notes of pieces are shifted to the words of the whole; the roots of all pieces but the
 * first have none. */
#include "parser/parse/why_notes.h"

WhyNotes *why_notes_new(int n, Arena *arena)
{
    WhyNotes *notes = arena_alloc(arena, 1, sizeof *notes);
    if (notes) *notes = (WhyNotes){ arena_alloc(arena, (size_t)n, sizeof *notes->note), n };
    return notes && notes->note ? notes : NULL;
}

/* at: the first word of the piece in the whole. */
static void add_notes(const WhyNotes *piece, int at, WhyNotes *whole)
{
    for (int k = 0; k < piece->n; k++) {
        WhyNote note = piece->note[k];
        bool of_root = note.arc && note.at.end == 0;
        if (of_root && at > 0) continue;
        note.at.begin += at;
        note.at.end += of_root ? 0 : at;
        whole->note[whole->n++] = note;
    }
}

bool why_notes_join(const Parsed *piece, int n, Arena *out, Parsed *whole)
{
    int most = 0;
    for (int k = 0; k < n; k++) most += piece[k].extra ? ((const WhyNotes *)piece[k].extra)->n : 0;
    WhyNotes *notes = why_notes_new(most, out);
    if (!notes) return false;
    notes->n = 0;
    for (int k = 0, at = 0; k < n; at += piece[k++].n_words)
        if (piece[k].extra) add_notes(piece[k].extra, at, notes);
    whole->extra = notes;
    return true;
}
