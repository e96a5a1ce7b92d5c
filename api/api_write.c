/* A LalSentence becomes what writers take: a Sentence with all columns, a Parsed with numbers, and an Origin. */
#include "api/api_write.h"

#include <stdint.h>
#include <string.h>

/* One text of each token, at this offset of LalToken; NULL: no token has one. */
static Status put_column(const LalSentence *from, size_t offset, const char ***to, Arena *a, Error *e)
{
    bool any = false;
    const char **x = arena_alloc(a, (size_t)from->n_tokens, sizeof *x);
    if (!x) return error_set(e, ERR_NOMEM, "out of memory writing a sentence");
    for (int w = 0; w < from->n_tokens; w++) {
        memcpy(&x[w], (const char *)&from->tokens[w] + offset, sizeof x[w]);
        any |= x[w] != NULL;
    }
    *to = any ? x : NULL;
    return OK;
}
#define PUT_COLUMN(from, member, to, a, e) put_column(from, offsetof(LalToken, member), to, a, e)

static Status make_graph(const LalSentence *from, Arena *a, Sentence *to, Error *e)
{
    DepGraph *graph = arena_alloc(a, 1, sizeof *graph);
    int *first = arena_calloc(a, (size_t)from->n_tokens + 1, sizeof *first);
    GraphArc *arc = arena_alloc(a, (size_t)from->n_enhanced, sizeof *arc);
    if (!graph || !first || !arc) return error_set(e, ERR_NOMEM, "out of memory writing a sentence");
    for (int k = 0; k < from->n_enhanced; k++) {
        const LalArc *x = &from->enhanced[k];
        if (x->token < (k ? x[-1].token : 0) || x->token >= from->n_tokens || x->head < LAL_NONE ||
            x->head >= from->n_tokens)
            return error_set(e, ERR_RANGE, "lal_sentence_as: found an enhanced arc from token %d to %d", x->token,
                             x->head);
        arc[k] = (GraphArc){ x->head + 1, x->relation };
        first[x->token + 1] = k + 1;
    }
    for (int w = 0; w < from->n_tokens; w++)
        if (first[w + 1] < first[w]) first[w + 1] = first[w];
    *graph = (DepGraph){ first, arc };
    to->graph = graph;
    return OK;
}

/* ud: with Universal Dependencies. */
static Status make_sentence(const LalSentence *from, bool ud, Arena *a, Sentence *to, Error *e)
{
    size_t n = (size_t)from->n_tokens, ranges = (size_t)from->n_multiwords, phrases = (size_t)from->n_phrases;
    WordRange *range = arena_alloc(a, ranges, sizeof *range);
    *to = (Sentence){ .n_words = from->n_tokens,
                      .n_phrases = from->n_phrases,
                      .phrases = arena_alloc(a, phrases, sizeof *to->phrases),
                      .heads = arena_alloc(a, n, sizeof *to->heads),
                      .has_tree = phrases > 0,
                      .ranges = range,
                      .n_ranges = from->n_multiwords };
    if (!range || !to->phrases || !to->heads) return error_set(e, ERR_NOMEM, "out of memory writing a sentence");
    for (int k = 0; k < from->n_phrases; k++)
        to->phrases[k] = (Phrase){ from->phrases[k].begin, from->phrases[k].end, from->phrases[k].label };
    for (int k = 0; k < from->n_multiwords; k++)
        range[k] = (WordRange){ .begin = from->multiwords[k].begin,
                                .end = from->multiwords[k].end,
                                .form = from->multiwords[k].form };
    for (int w = 0; w < from->n_tokens; w++) to->heads[w] = 1 + (ud ? from->tokens[w].ud_head : from->tokens[w].head);
    Status s = PUT_COLUMN(from, form, &to->words, a, e);
    if (s == OK) s = PUT_COLUMN(from, tag, &to->tags, a, e);
    if (s == OK) s = PUT_COLUMN(from, lemma, &to->lemmas, a, e);
    if (s == OK) s = PUT_COLUMN(from, upos, &to->upos, a, e);
    if (s == OK) s = PUT_COLUMN(from, feats, &to->feats, a, e);
    if (s == OK) s = ud ? PUT_COLUMN(from, ud_relation, &to->types, a, e) : PUT_COLUMN(from, type, &to->types, a, e);
    for (int w = 0; s == OK && to->feats && w < from->n_tokens; w++)
        if (to->feats[w] && !*to->feats[w]) to->feats[w] = "_";
    if (!to->types) to->heads = NULL;
    return s == OK && ud && from->n_enhanced ? make_graph(from, a, to, e) : s;
}

/* Is confidence known? */
static bool has_confidence(const LalSentence *from)
{
    return from->p_tree >= 0 || from->expected_f1 >= 0 || from->calibrated_f1 >= 0 || from->expected_las >= 0;
}

static Status make_confidence(const LalSentence *from, Arena *a, Parsed *to, Error *e)
{
    Confidence *c = to->confidence = arena_alloc(a, 1, sizeof *c);
    Real *arc = arena_alloc(a, (size_t)from->n_tokens, sizeof *arc);
    Real *phrase = arena_alloc(a, (size_t)from->n_phrases, sizeof *phrase);
    if (!c || !arc || !phrase) return error_set(e, ERR_NOMEM, "out of memory writing a sentence");
    for (int w = 0; w < from->n_tokens; w++) arc[w] = (Real)from->tokens[w].joint_probability;
    int n = 0; /* of phrases over the same tokens there is one number */
    for (int k = 0; k < from->n_phrases; k++) {
        const LalPhrase *x = &from->phrases[k];
        if (!k || x->begin != x[-1].begin || x->end != x[-1].end) phrase[n++] = (Real)x->joint_probability;
    }
    *c = (Confidence){ .p_tree = from->p_tree,
                       .expected_f1 = from->expected_f1,
                       .calibrated_f1 = from->calibrated_f1,
                       .expected_las = from->expected_las,
                       .arc = from->n_tokens && from->tokens->joint_probability >= 0 ? arc : NULL,
                       .phrase = n && from->phrases->joint_probability >= 0 ? phrase : NULL };
    return OK;
}

Status api_write_parsed(const LalSentence *from, bool ud, Arena *arena, Parsed *to, Error *error)
{
    Sentence *sent = arena_alloc(arena, 1, sizeof *sent);
    int *heads = arena_alloc(arena, (size_t)from->n_tokens, sizeof *heads);
    Real *arc = arena_alloc(arena, (size_t)from->n_tokens, sizeof *arc);
    if (!sent || !heads || !arc) return error_set(error, ERR_NOMEM, "out of memory writing a sentence");
    for (int w = 0; w < from->n_tokens; w++) {
        heads[w] = from->tokens[w].head + 1;
        arc[w] = (Real)from->tokens[w].probability;
    }
    *to = (Parsed){ .n_words = from->n_tokens,
                    .heads = heads,
                    .arc_prob = arc,
                    .score = from->score,
                    .extra = sent,
                    .pieces = from->pieces,
                    .probability = from->probability };
    Status s = make_sentence(from, ud, arena, sent, error);
    return s == OK && has_confidence(from) ? make_confidence(from, arena, to, error) : s;
}

static Status make_parsed(const LalSentence *from, bool ud, Arena *a, Parsed *to, Error *e)
{
    Status s = api_write_parsed(from, ud, a, to, e);
    if (s != OK || !from->n_best) return s;
    to->best = arena_alloc(a, (size_t)from->n_best, sizeof *to->best);
    if (!to->best) return error_set(e, ERR_NOMEM, "out of memory writing a sentence");
    to->n_best = from->n_best;
    for (int k = 0; s == OK && k < from->n_best; k++) s = api_write_parsed(&from->best[k], ud, a, &to->best[k], e);
    return s;
}

/* Words of a multiword token that have one place are words of a learnt one (Token.part). */
static void put_parts(const LalSentence *from, Token *x)
{
    for (int k = 0; k < from->n_multiwords; k++) {
        const LalMultiword *m = &from->multiwords[k];
        if (x[m->begin].begin != x[m->begin + 1].begin) continue;
        for (int w = m->begin; w < m->end; w++) {
            x[w].part = (uint16_t)(w - m->begin);
            x[w].words = (uint16_t)(m->end - m->begin);
        }
    }
}

/* Where the sentence is in the text. */
static Status make_origin(const LalSentence *from, StrView text, DocumentOptions how, Arena *a, Origin *o, Error *e)
{
    size_t n = (size_t)from->n_tokens;
    Token *x = arena_calloc(a, n, sizeof *x);
    if (!x) return error_set(e, ERR_NOMEM, "out of memory writing a sentence");
    for (size_t w = 0; w < n; w++) {
        const LalToken *t = &from->tokens[w];
        if (t->begin > t->end || t->end > text.len || (w && t->begin < from->tokens[w - 1].begin))
            return error_set(e, ERR_RANGE,
                             "lal_sentence_as: found token %zu at bytes %zu to %zu of a text of %zu bytes", w, t->begin,
                             t->end, text.len);
        x[w] = (Token){ .begin = t->begin,
                        .end = t->end,
                        .begin_char = t->begin_char,
                        .end_char = t->end_char,
                        .form = t->form,
                        .len = (uint32_t)strlen(t->form),
                        .glued = t->glued != 0 };
    }
    put_parts(from, x);
    o->tokens = x;
    o->block = (TextBlock){ .text = text };
    size_t end = n ? x[n - 1].end : 0;
    if (n) o->after = document_spaces_after(how, (StrView){ text.ptr + end, text.len - end });
    return OK;
}

bool api_has_ud(const LalSentence *from) { return from->n_tokens && from->tokens->ud_relation; }

/* CoNLL-U of other dependencies has nothing that was made with Universal Dependencies. */
static void take_ud(const Parsed *p)
{
    Sentence *sent = (Sentence *)(uintptr_t)p->extra;
    sent->upos = sent->feats = NULL;
    sent->n_ranges = 0;
    for (int k = 0; k < p->n_best; k++) take_ud(&p->best[k]);
}

Status api_write_sentence(StrBuf *out, const LalSentence *from, long number, StrView text, DocumentOptions how,
                          LalDeps deps, OutputStyle style, Error *error)
{
    Arena a;
    Parsed p;
    Origin o = { .id = number,
                 .line = from->line,
                 .new_paragraph = from->new_paragraph,
                 .new_document = number == 1,
                 .touches_next = from->touches_next };
    bool learnt = from->scheme && strcmp(from->scheme, UD_SCHEME) == 0;
    bool ud = api_has_ud(from) && (deps != LAL_DEPS_MODEL || learnt);
    if (deps == LAL_DEPS_UD && from->n_tokens && !ud)
        return error_set(error, ERR_RANGE, "LalOptions.deps: found a sentence without Universal Dependencies");
    style.scheme = ud ? UD_SCHEME : from->scheme;
    style.confidence = has_confidence(from);
    arena_init(&a, (size_t)1 << 12);
    Status s = make_parsed(from, ud, &a, &p, error);
    if (s == OK && text.ptr) s = make_origin(from, text, how, &a, &o, error);
    if (s == OK && api_has_ud(from) && !ud && style.format == &OUTPUT_CONLLU) take_ud(&p);
    if (s == OK) output_sentence(out, NULL, &p, &o, style);
    arena_fini(&a);
    return s == OK && out->failed ? error_set(error, ERR_NOMEM, "out of memory writing a sentence") : s;
}

const char *lal_formats(int k)
{
    static const char *const names[] = {
#define NAME_OF(NAME, name, about) name,
        LAL_FORMATS(NAME_OF)
#undef NAME_OF
    };
    return k >= 0 && (size_t)k < sizeof names / sizeof *names ? names[k] : NULL;
}
