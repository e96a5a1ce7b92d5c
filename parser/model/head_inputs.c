/* Sentences, parses and counts of words become what patterns read; for a batch masks and
 * targets are then made by the plan. */
#include "parser/model/head_inputs.h"

#include "lal/decoder.h"

#include <string.h>

static Status take_tree(const Sentence *sent, Arena *a, PatternSentence *out, Error *e)
{
    size_t n = (size_t)sent->n_phrases;
    int(*spans)[2] = arena_alloc(a, n, sizeof *spans);
    const char **labels = arena_alloc(a, n, sizeof *labels);
    if (!spans || !labels) return error_set(e, ERR_NOMEM, "out of memory for the patterns of heads");
    for (int p = 0; p < sent->n_phrases; p++) {
        spans[p][0] = sent->phrases[p].begin;
        spans[p][1] = sent->phrases[p].end;
        labels[p] = sent->phrases[p].label;
    }
    out->spans = (const int(*)[2])spans;
    out->labels = labels;
    out->n_spans = sent->n_phrases;
    return OK;
}

static Status take_df(const Vocab *df, Arena *a, PatternSentence *out, Error *e)
{
    int *count = arena_alloc(a, (size_t)out->n, sizeof *count);
    StrBuf low = { 0 };
    for (int w = 0; count && w < out->n; w++) {
        strbuf_clear(&low);
        text_lower(&low, out->words[w], strlen(out->words[w]));
        int k = low.failed ? -1 : map_find(&df->map, low.ptr ? low.ptr : "", low.len);
        count[w] = k >= 0 ? df->counts[k] : 0;
    }
    bool ok = count && !low.failed;
    strbuf_fini(&low);
    out->df = count;
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory for the patterns of heads");
}

Status head_inputs_sentence(const Sentence *sent, const char *const *words, const Vocab *df, Arena *arena,
                            PatternSentence *out, Error *error)
{
    if (sent->source) {
        const SourceWords *source = sent->source;
        Status s = head_inputs_sentence(source->words, NULL, df, arena, out, error);
        out->token = source->token;
        out->n_pieces = sent->n_words + 2;
        return s;
    }
    *out = (PatternSentence){ .n = sent->n_words,
                              .words = words ? words : (const char *const *)sent->words,
                              .heads = sent->heads,
                              .types = sent->heads ? sent->types : NULL,
                              .lemmas = sent->lemmas,
                              .parts = sent->parts };
    Status status = sent->has_tree ? take_tree(sent, arena, out, error) : OK;
    return status == OK && df ? take_df(df, arena, out, error) : status;
}

static const Vocab *df_of(const Model *m) { return vocab_size(&m->df) ? &m->df : NULL; }

Status head_inputs_control(const Model *model, const BatchSentence *sentence, const Sentence *const *parse, int n,
                           PackedBatch *packed, Arena *arena, Error *error)
{
    const HeadPlan *plan = &model->net.encoder.plan;
    const HeadPlan *cross = &network_decoder(&model->net)->plan[DECODER_CROSS];
    if (!head_plan_masks(plan) && !head_plan_masks(cross)) return OK;
    PatternSentence *all = arena_alloc(arena, (size_t)n, sizeof *all);
    Status status = all ? OK : error_set(error, ERR_NOMEM, "out of memory for the patterns of heads");
    for (int k = 0; k < n && status == OK; k++) {
        Sentence words = { .n_words = sentence[k].n, .source = sentence[k].source };
        if (parse && parse[k] && parse[k]->n_words != sentence[k].n)
            return error_set(error, ERR_RANGE, "found a parse of %d words for a sentence of %d words",
                             parse[k]->n_words, sentence[k].n);
        status = head_inputs_sentence(parse && parse[k] ? parse[k] : &words, sentence[k].words, df_of(model), arena,
                                      &all[k], error);
        all[k].parts = sentence[k].parts;
    }
    if (status == OK) status = head_plan_control(plan, all, &packed->batch, arena, &packed->control.layer, error);
    if (status == OK)
        status = head_plan_source_keys(cross, all, &packed->batch, arena, &packed->control.source_keys, error);
    const HeadPieces pieces = piece_batch_pieces(&packed->in.pieces);
    return status == OK ? head_plan_piece_control(plan, all, &pieces, arena, &packed->in.pieces.control, error)
                        : status;
}

Status head_inputs_targets(const Model *model, const Sentence *const *gold, int n, const PackedBatch *packed,
                           GuidanceTargets *targets, Arena *arena, Error *error)
{
    PatternSentence *all = arena_alloc(arena, (size_t)n, sizeof *all);
    Status status = all ? OK : error_set(error, ERR_NOMEM, "out of memory for the patterns of heads");
    for (int k = 0; k < n && status == OK; k++)
        status = head_inputs_sentence(gold[k], NULL, df_of(model), arena, &all[k], error);
    if (status == OK) status = head_plan_targets(&model->net.encoder.plan, all, &packed->batch, targets, arena, error);
    if (status != OK || !model->pretrained.d_model) return status;
    const HeadPieces pieces = piece_batch_pieces(&packed->in.pieces);
    return head_plan_piece_targets(&model->net.encoder.plan, all, &pieces, targets, arena, error);
}

/* Has the sentence what the pattern is made from: a phrase `label`, or, where it is NULL, a parse? */
static bool has_target(const Sentence *sent, const Pattern *p, const char *label)
{
    static const int some[1][2];
    const PatternSentence s = { .heads = sent->heads, .types = sent->types, .spans = sent->has_tree ? some : NULL };
    bool found = !label && !pattern_lacks(p, &s);
    for (int k = 0; label && k < sent->n_phrases && !found; k++) found = strcmp(sent->phrases[k].label, label) == 0;
    return found;
}

static bool any_has_target(const Corpus *corpora, int n, const Pattern *p, const char *label)
{
    bool found = false;
    for (int c = 0; c < n; c++)
        for (int k = 0; k < corpora[c].trees.n && !found; k++) found = has_target(&corpora[c].trees.s[k], p, label);
    return found;
}

static Status check_entry(const HeadEntry *x, int number, const Corpus *corpora, int n, Error *e)
{
    for (int k = 0; x->labels && k < x->heads.n; k++)
        if (!any_has_target(corpora, n, NULL, x->labels[k]))
            return error_set(e, ERR_CONFIG,
                             "encoder_options.heads[%d].labels: no training sentence has a phrase \"%s\"", number,
                             x->labels[k]);
    for (int k = 0; !x->labels && k < x->patterns.n; k++) {
        const Pattern *p = &x->patterns.item[k];
        if (!pattern_needs_parse(p) || any_has_target(corpora, n, p, NULL)) continue;
        return error_set(e, ERR_CONFIG,
                         "encoder_options.heads[%d].pattern: no training sentence has %s, of which \"%s\" is made",
                         number, pattern_lacks(p, &(PatternSentence){ .n = 0 }), pattern_name(p->kind));
    }
    return OK;
}

Status head_inputs_check_targets(const EncoderOptions *options, const Corpus *corpora, int n, Error *error)
{
    Status s = OK;
    for (int k = 0; k < options->n_heads && s == OK; k++)
        if (options->heads[k].use == USE_GUIDE) s = check_entry(&options->heads[k], k, corpora, n, error);
    return s;
}

bool head_inputs_count(Vocab *df, const char *const *words, int n)
{
    StrBuf low = { 0 };
    int *seen = mem_alloc((size_t)n, sizeof *seen); /* [n_seen] words of this sentence */
    bool ok = seen != NULL;
    for (int w = 0, n_seen = 0; w < n && ok; w++) {
        strbuf_clear(&low);
        text_lower(&low, words[w], strlen(words[w]));
        int k = low.failed ? -1 : vocab_count(df, low.ptr ? low.ptr : "", low.len, 0), v = 0;
        ok = k >= 0;
        while (ok && v < n_seen && seen[v] != k) v++;
        if (!ok || v < n_seen) continue;
        seen[n_seen++] = k;
        df->counts[k]++;
    }
    mem_free(seen);
    strbuf_fini(&low);
    return ok;
}
