/* Text to sentences of words. */
#include <string.h>

#include "language/trained/trained_internal.h"

typedef struct Segmenting {
    const TrainedText *t;
    SegmentedText *out;
    TextBlock block;
    SegmentOptions o;
    Arena *a;
    TrainedScan scan;
    TrainedTokens tokens; /* of the paragraph */
    uint8_t *label;       /* [scan.n] */
    size_t at;            /* bytes whose lines have been counted */
    long line;
} Segmenting;

static bool decode(Segmenting *s, int from, int to)
{
    if (!s->o.words) return trained_decode(s->t, &s->scan, from, to, 0, NULL, s->label);
    for (int k = from; k < to; k++) {
        bool begins = s->scan.c[k - 1].class == TRAINED_SPACE, ends = s->scan.c[k + 1].class == TRAINED_SPACE;
        s->label[k] = (uint8_t)((begins ? TRAINED_BEGINS : 0) | (ends ? TRAINED_ENDS : 0));
        if (s->scan.c[k].class == TRAINED_SPACE) s->label[k] = TRAINED_OUTSIDE;
    }
    return true;
}

/* Appends a token, or the words of a multiword token. */
static bool put_token(Segmenting *s, int k)
{
    const TrainedToken *x = &s->tokens.token[k];
    const TrainedChar *from = &s->scan.c[x->from], *to = &s->scan.c[x->to];
    Token place = { .begin = from->byte, .end = to->byte, .begin_char = from->number, .end_char = to->number };
    StrView form = { s->block.text.ptr + from->byte, to->byte - from->byte };
    uint32_t at[TRAINED_FEATURES];
    const char **words;
    int n = 0;
    if (!s->o.words && s->t->whole.n && trained_is_wordlike(&s->scan, x)) {
        int features = trained_multiword_features(s->t, &s->scan, &s->tokens, k, at);
        if (trained_sum(s->t, at, features) > 0 && !trained_words(s->t, form, s->a, &words, &n)) return false;
    }
    if (n == 0) return segmented_text_add_token(s->out, s->block.text, &place, s->a);
    return segmented_text_add_words(s->out, &place, words, n);
}

static bool put_sentence(Segmenting *s, int first, int end, bool paragraph)
{
    size_t begin = s->scan.c[s->tokens.token[first].from].byte;
    for (; s->at < begin; s->at++) s->line += s->block.text.ptr[s->at] == '\n';
    TextSentence sentence = { s->out->n_tokens, 0, paragraph, s->line };
    for (int k = first; k < end; k++)
        if (!put_token(s, k)) return false;
    sentence.n = s->out->n_tokens - sentence.first;
    return segmented_text_add_sentence(s->out, sentence);
}

/* Does token k close what is open, right after the token before it or after a blank? */
static bool closes(const Segmenting *s, int k, TrainedState state)
{
    const TrainedToken *x = &s->tokens.token[k];
    if (x->side == TRAINED_EITHER) return x->gap == TRAINED_GLUED && state.odd;
    return x->side < 0 && (x->gap == TRAINED_GLUED || (x->gap == TRAINED_BLANK && state.depth > 0));
}

/* Does a sentence end after token k? *owed: one ended before this token, which closes it. */
static bool ends_sentence(const Segmenting *s, int k, TrainedState state, bool *owed)
{
    uint32_t at[TRAINED_FEATURES];
    const TrainedToken *x = &s->tokens.token[k], *next = x + 1;
    bool was_owed = *owed;
    *owed = false;
    if (k + 1 == s->tokens.n) return true;
    if (s->o.newlines == NEWLINES_SENTENCE && next->gap >= TRAINED_WRAPPED) return true;
    if (next->gap == TRAINED_BLANK && !s->t->blanks && x->last != TRAINED_MARK) return false;
    bool more = closes(s, k + 1, state);
    int32_t mark = s->scan.c[x->to - 1].eye;
    bool asks = !s->t->blanks && (mark == '!' || mark == '?') && state.depth == 0 && !state.odd;
    bool ends = (was_owed || asks) && (more || next->first != TRAINED_MARK);
    ends = ends || trained_sum(s->t, at, trained_end_features(s->t, &s->tokens, k, state, at)) > 0;
    *owed = ends && more;
    return ends && !more;
}

/* The paragraph of characters from .. to - 1, between white space. */
static bool segment_paragraph(Segmenting *s, int from, int to)
{
    TrainedState state = { 0 };
    bool owed = false;
    s->tokens.n = 0;
    if (!decode(s, from, to)) return false;
    for (int k = from, begin = from; k < to; k++) {
        if (s->label[k] == TRAINED_OUTSIDE) continue;
        if (s->label[k] & TRAINED_BEGINS) begin = k;
        if (s->label[k] & TRAINED_ENDS && !trained_token_add(&s->tokens, &s->scan, begin, k + 1)) return false;
    }
    for (int k = 0; k < s->tokens.n; k++) {
        int first = state.begin;
        bool ends = ends_sentence(s, k, state, &owed);
        if (ends && !put_sentence(s, first, k + 1, first == 0)) return false;
        trained_state_next(&state, &s->tokens, k, ends);
    }
    return true;
}

static bool segment_block(Segmenting *s)
{
    if (!trained_scan(&s->scan, s->t, s->block.text, s->o.newlines)) return false;
    trained_bounds(s->t, &s->scan, s->block.text);
    s->label = mem_alloc((size_t)s->scan.n, 1);
    if (!s->label) return false;
    for (int k = 1, from = 1; k < s->scan.n; k++)
        if (s->scan.c[k].gap == TRAINED_PARAGRAPH) {
            if (k > from && !segment_paragraph(s, from, k)) return false;
            from = k + 1;
        }
    return true;
}

Status trained_text_segment(const TrainedText *trained, SegmentedText *out, TextBlock block, SegmentOptions options,
                            Arena *arena, Error *error)
{
    Segmenting s = { .t = trained, .out = out, .block = block, .o = options, .a = arena, .line = block.line };
    out->n_tokens = out->n_sentences = 0;
    Status status = segmented_text_check(block, error);
    if (status == OK && !segment_block(&s)) {
        segmented_text_fini(out);
        status = error_set(error, ERR_NOMEM, "out of memory segmenting %s", block.path);
    }
    if (status == OK) segmented_text_place(out, block);
    mem_free_each(s.scan.c, s.tokens.token, s.label);
    return status;
}
