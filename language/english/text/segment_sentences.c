/* The tokens of a paragraph to sentences. */
#include "language/english/text/segment_boundary.h"

/* Does a sentence end before token k? flags: what segment_lists says of token k. */
static bool ends_before(Boundary *b, int k, int flags)
{
    uint32_t at[BOUNDARY_FEATURES];
    int score = 0, n = boundary_features(b, k, at);
    if ((flags & LIST_ITEM) || boundary_forced(b, k)) return true;
    if (flags & LIST_INSIDE) return false;
    if (boundary_by_rule(b, k)) return true;
    for (int i = 0; i < n; i++) score += boundary_weight(at[i]);
    return n > 0 && score > boundary_threshold(b, k);
}

void segment_paragraph(Segmenter *segmenter, int first, long line)
{
    if (segmenter->failed) return;
    SegmentedText *o = segmenter->out;
    segment_stops(segmenter, first);
    uint8_t *flags = segment_lists(segmenter, first);
    if (segmenter->failed) {
        mem_free(flags);
        return;
    }
    int start = first, n = o->n_tokens;
    size_t seen = first < n ? o->tokens[first].begin : 0;
    Boundary b;
    boundary_init(&b, segmenter, first, n);
    for (int k = first + 1; k <= n && !segmenter->failed; k++) {
        bool ends = k == n || ends_before(&b, k, flags ? flags[k - first] : 0);
        if (ends) {
            TextSentence sentence = { start, k - start, start == first, line };
            segmenter->failed = !segmented_text_add_sentence(o, sentence);
            start = k;
            for (; k < n && seen < o->tokens[k].begin; seen++) line += segmenter->text.ptr[seen] == '\n';
        }
        if (k < n) boundary_next(&b, k, ends);
    }
    mem_free(flags);
}
