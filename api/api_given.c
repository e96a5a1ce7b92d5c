/* What a program gives of a sentence is checked before it is parsed: tokens are counted from 0
 * there and from 1 in the parser, and a fault names the sentence. */
#include "api/api_given.h"

#include <string.h>

#include "api/api.h"
#include "treebank/json_lines.h"

static Status take_heads(const LalGiven *given, int k, int n, Given *to, Arena *a, Error *e)
{
    int *heads = arena_alloc(a, (size_t)n, sizeof *heads);
    if (!heads) return error_set(e, ERR_NOMEM, "out of memory parsing");
    for (int w = 0; w < n; w++) {
        int head = given->heads[w];
        if (head < LAL_FREE || head >= n)
            return error_set(e, ERR_RANGE, "sentence %d: the head of token %d is %d, expected %d to %d", k, w, head,
                             LAL_FREE, n - 1);
        heads[w] = head == LAL_FREE ? HEAD_FREE : head + 1; /* LAL_NONE is the root */
        if (given->types && !given->types[w]) return error_set(e, ERR_RANGE, "sentence %d: type %d is NULL", k, w);
    }
    to->heads = heads;
    to->types = given->types;
    return OK;
}

static Status check_label(const char *label, int k, int p, Error *e)
{
    size_t size = label ? strlen(label) : 0;
    if (!tree_is_label((StrView){ label, size }))
        return error_set(e, ERR_RANGE,
                         "sentence %d: found no label of phrase %d, expected one without blanks, round brackets and "
                         "empty parts",
                         k, p);
    return utf8_invalid(label, size) == size
               ? OK
               : error_set(e, ERR_FORMAT, "sentence %d: the label of phrase %d has bytes that are not UTF-8", k, p);
}

static Status take_phrases(const LalGiven *given, int k, int n, Given *to, Arena *a, Error *e)
{
    if (given->n_phrases < 0)
        return error_set(e, ERR_RANGE, "sentence %d: found %d phrases, expected at least 0", k, given->n_phrases);
    Phrase *phrases = arena_alloc(a, (size_t)given->n_phrases, sizeof *phrases);
    if (!phrases) return error_set(e, ERR_NOMEM, "out of memory parsing");
    for (int p = 0; p < given->n_phrases; p++) {
        const LalPhrase *x = &given->phrases[p], *before = p ? x - 1 : x;
        if (x->begin < 0 || x->end <= x->begin || x->end > n)
            return error_set(e, ERR_RANGE, "sentence %d: phrase %d is %d to %d, expected a range of %d tokens", k, p,
                             x->begin, x->end, n);
        if (x->begin < before->begin || (x->begin == before->begin && x->end > before->end))
            return error_set(e, ERR_RANGE,
                             "sentence %d: phrase %d is out of order, expected begin, then longer ones first", k, p);
        Status s = check_label(x->label, k, p, e);
        if (s != OK) return s;
        phrases[p] = (Phrase){ x->begin, x->end, x->label };
    }
    to->has_phrases = true;
    to->more_phrases = given->more_phrases != 0;
    to->phrases = phrases;
    to->n_phrases = given->n_phrases;
    return OK;
}

Status api_given(const Model *model, const LalGiven *given, int k, ParseInput *in, Arena *arena, Error *error)
{
    Status s = OK;
    if (given->heads && !model->c.arcs)
        return error_set(error, ERR_RANGE, "sentence %d: heads are given, but the model has no dependencies", k);
    if (given->phrases && !model->c.trees)
        return error_set(error, ERR_RANGE, "sentence %d: phrases are given, but the model has no phrase structure", k);
    Given *to = arena_calloc(arena, 1, sizeof *to);
    if (!to) return error_set(error, ERR_NOMEM, "out of memory parsing");
    if (given->heads) s = take_heads(given, k, in->n_words, to, arena, error);
    if (s == OK && given->phrases) s = take_phrases(given, k, in->n_words, to, arena, error);
    in->given = to;
    return s;
}

/* ---- in JSON */

Status api_sentences_read(ApiSentences *sentences, const Model *model, const char *json, size_t size, Error *error)
{
    Treebank *tb = &sentences->tb;
    *sentences = (ApiSentences){ .in = NULL };
    treebank_init(tb);
    Status s = api_check_text(json, size, error);
    if (s == OK)
        s = json_lines_read(tb, text_block((StrView){ json ? json : "", size }, "sentences"),
                            (JsonOptions){ .partial = true }, error);
    if (s != OK) return s;
    sentences->in = mem_calloc((size_t)tb->n, sizeof *sentences->in);
    sentences->given = mem_calloc((size_t)tb->n, sizeof *sentences->given);
    if (!sentences->in || !sentences->given) return error_set(error, ERR_NOMEM, "out of memory parsing");
    for (int k = 0; k < tb->n; k++) {
        const Sentence *sent = &tb->s[k];
        Given *given = &sentences->given[k];
        *given = given_of(sent, true);
        if (!model->c.arcs) given->heads = NULL;
        given->has_phrases = given->has_phrases && model->c.trees;
        bool any = given->heads || given->has_phrases || given->n_bans;
        sentences->in[k] = (ParseInput){
            .n_words = sent->n_words, .words = sent->words, .tags = sent->tags, .given = any ? given : NULL
        };
    }
    return OK;
}

void api_sentences_fini(ApiSentences *sentences)
{
    treebank_fini(&sentences->tb);
    mem_free_each(sentences->in, sentences->given);
}
