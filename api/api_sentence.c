/* A parsed sentence becomes structures that own all they point to: phrases with links, tokens,
 * Universal Dependencies, contributions; each of the k best in the same way. */
#include "api/api_sentence.h"

#include <string.h>

#include "api/api_observe.h"

const LalSentence API_SENTENCE = {
    .pieces = 1, .probability = -1, .p_tree = -1, .expected_f1 = -1, .calibrated_f1 = -1, .expected_las = -1
};
const LalToken API_TOKEN = {
    .head = LAL_NONE, .tag_probability = -1, .phrase = LAL_NONE, .ud_head = LAL_NONE, .multiword = LAL_NONE
};

/* Phrases in pre-order, with parents before their children. */
static void link_phrases(LalPhrase *x, int n)
{
    for (int k = 0; k < n; k++) {
        int q = k - 1;
        while (q >= 0 && (x[q].begin > x[k].begin || x[q].end < x[k].end)) q = x[q].parent;
        x[k].parent = q < 0 ? LAL_NONE : q;
        x[k].first_child = x[k].next = LAL_NONE;
    }
    for (int k = n - 1; k >= 0; k--)
        if (x[k].parent != LAL_NONE) {
            x[k].next = x[x[k].parent].first_child;
            x[x[k].parent].first_child = k;
        }
}

/* Phrases of the parse and spans with probabilities are both by begin, longer ones first. */
static void put_phrase_probabilities(const Model *m, const Parsed *p, const SoftTree *tree, LalPhrase *x, int n)
{
    int s = 0, k = 0;
    for (int j = 0; j < p->n_phrases; j++) {
        const Phrase *at = &p->phrases[j];
        double found = 0;
        while (s < tree->n_spans && (tree->spans[s].at.begin < at->begin ||
                                     (tree->spans[s].at.begin == at->begin && tree->spans[s].at.end > at->end)))
            s++;
        for (; s < tree->n_spans && tree->spans[s].at.begin == at->begin && tree->spans[s].at.end == at->end; s++)
            if (strcmp(vocab_text(&m->labels, tree->spans[s].at.label), at->label) == 0)
                found = (double)tree->spans[s].p;
        for (; k < n && x[k].begin == at->begin && x[k].end == at->end; k++) x[k].probability = found;
    }
}

/* Phrases over the same words are one in the parse. */
static void put_joint_probabilities(const Parsed *p, LalPhrase *x, int n)
{
    for (int j = 0, k = 0; j < p->n_phrases; j++)
        for (; k < n && x[k].begin == p->phrases[j].begin && x[k].end == p->phrases[j].end; k++)
            x[k].joint_probability = (double)p->confidence->phrase[j];
}

static bool put_phrases(const Model *m, const Parsed *p, const Sentence *sent, Arena *a, LalSentence *out)
{
    const ApiObserved *seen = p->extra;
    LalPhrase *x = arena_alloc(a, (size_t)sent->n_phrases, sizeof *x);
    for (int k = 0; x && k < sent->n_phrases; k++)
        x[k] = (LalPhrase){ .begin = sent->phrases[k].begin,
                            .end = sent->phrases[k].end,
                            .label = sent->phrases[k].label,
                            .probability = -1,
                            .joint_probability = PROBABILITY_UNKNOWN };
    if (x) link_phrases(x, sent->n_phrases);
    if (x && p->confidence && p->confidence->phrase) put_joint_probabilities(p, x, sent->n_phrases);
    if (x && seen && seen->soft) put_phrase_probabilities(m, p, &seen->soft->tree, x, sent->n_phrases);
    out->phrases = x;
    out->n_phrases = sent->n_phrases;
    return x != NULL;
}

/* Copies strings [n] into the arena; NULL when out of memory. */
static const char **copy_strings(const char *const *strings, int n, Arena *a)
{
    const char **x = arena_alloc(a, (size_t)n, sizeof *x);
    for (int k = 0; x && k < n; k++)
        if (!(x[k] = arena_strndup(a, strings[k], strlen(strings[k])))) return NULL;
    return x;
}

/* The sentence without anything that is valid only as long as the input. NULL when out of memory. */
static Sentence *own_sentence(const Parsed *p, Arena *a)
{
    Sentence *sent = parsed_sentence(p, a);
    if (!sent || !(sent->words = copy_strings(sent->words, sent->n_words, a))) return NULL;
    bool given = sent->tags && !p->tags;
    if (given && !(sent->tags = copy_strings(sent->tags, sent->n_words, a))) return NULL;
    if (sent->lemmas && !(sent->lemmas = copy_strings(sent->lemmas, sent->n_words, a))) return NULL;
    for (int k = 0; k < sent->n_phrases; k++) {
        const char *label = sent->phrases[k].label;
        if (!(sent->phrases[k].label = arena_strndup(a, label, strlen(label)))) return NULL;
    }
    return sent;
}

void api_place(LalToken *to, const Token *from)
{
    to->begin = from->begin;
    to->end = from->end;
    to->begin_char = from->begin_char;
    to->end_char = from->end_char;
    to->begin_utf16 = from->begin_utf16;
    to->end_utf16 = from->end_utf16;
}

bool api_multiwords(const WordRange *ranges, int n, LalToken *token, Arena *arena, LalSentence *out)
{
    LalMultiword *m = arena_alloc(arena, (size_t)n, sizeof *m);
    out->multiwords = m;
    out->n_multiwords = n;
    for (int k = 0; m && k < n; k++) {
        m[k] = (LalMultiword){ ranges[k].begin, ranges[k].end, ranges[k].form };
        for (int w = m[k].begin; w < m[k].end; w++) token[w].multiword = k;
    }
    return m != NULL;
}

static LalToken *put_tokens(const Sentence *sent, const Parsed *p, const Token *place, Arena *a, LalSentence *out)
{
    const ApiObserved *seen = p->extra;
    const SoftRows *rows =
        seen && seen->soft && p->tags ? &seen->soft->tags : NULL; /* of given tags there is nothing to say */
    const Real *joint = p->confidence ? p->confidence->arc : NULL;
    LalToken *x = arena_calloc(a, (size_t)p->n_words, sizeof *x);
    out->tokens = x;
    out->n_tokens = p->n_words;
    for (int w = 0; x && w < p->n_words; w++) {
        x[w] = API_TOKEN;
        x[w].form = sent->words[w];
        if (sent->tags) x[w].tag = sent->tags[w];
        if (p->heads) x[w].head = p->heads[w] - 1;
        if (p->heads) x[w].type = sent->types[w];
        if (p->arc_prob) x[w].probability = (double)p->arc_prob[w];
        x[w].joint_probability = joint ? (double)joint[w] : PROBABILITY_UNKNOWN;
        if (place) api_place(&x[w], &place[w]);
        if (place && w) x[w].glued = place[w].glued;
        if (rows && rows->start) x[w].tag_probability = (double)rows->v[rows->start[w]].p;
    }
    for (int k = 0; x && k < out->n_phrases; k++) /* inner ones come later */
        for (int w = out->phrases[k].begin; w < out->phrases[k].end; w++) x[w].phrase = k;
    return x;
}

/* false when out of memory. */
static bool put_graph(const DepGraph *graph, int n_words, Arena *arena, LalSentence *out)
{
    LalArc *arc = arena_alloc(arena, (size_t)graph->first[n_words], sizeof *arc);
    out->enhanced = arc;
    for (int w = 0; arc && w < n_words; w++)
        for (int k = graph->first[w]; k < graph->first[w + 1]; k++)
            arc[out->n_enhanced++] = (LalArc){ w, graph->arc[k].head - 1, graph->arc[k].relation };
    return arc != NULL;
}

/* Lemmas of any model that has them; the rest where Universal Dependencies can be made. ud: of put_tokens; replaced. */
static bool put_ud(const Model *m, const Parsed *p, const Token *place, const TextBlock *block, Sentence *ud,
                   LalToken *x, Arena *a, LalSentence *out)
{
    bool *glued = arena_calloc(a, (size_t)ud->n_words, sizeof *glued);
    const UdRules *rules = model_ud(m);
    for (int w = 0; glued && place && w + 1 < ud->n_words; w++) glued[w] = place[w + 1].glued;
    if (!glued || !(rules ? rules->sentence(ud, glued, a) : model_add_lemmas(m, ud, a))) return false;
    if (place && !rules && !(ud->ranges = segmented_text_ranges(place, ud->n_words, *block, a, &ud->n_ranges)))
        return false;
    for (int w = 0; w < ud->n_words; w++) {
        if (ud->lemmas) x[w].lemma = ud->lemmas[w];
        if (ud->upos) x[w].upos = ud->upos[w];
        if (ud->feats) x[w].feats = strcmp(ud->feats[w], "_") == 0 ? "" : ud->feats[w];
        if (!ud->heads || (!rules && !model_is_ud(m))) continue;
        x[w].ud_head = ud->heads[w] - 1;
        x[w].ud_relation = ud->types[w];
        if (p->arc_prob) x[w].ud_probability = parsed_arc_probability(p, p->arc_prob, w, ud->heads[w]);
    }
    if (ud->graph && !put_graph(ud->graph, ud->n_words, a, out)) return false;
    return api_multiwords(ud->ranges, ud->n_ranges, x, a, out);
}

/* The rows of phrases, each of those over the same tokens, and of arcs. */
static bool put_parts(const Parsed *p, Arena *a, LalSentence *out)
{
    const ApiObserved *seen = p->extra;
    if (!seen || !seen->heads) return true;
    size_t row = (size_t)seen->heads + 1;
    float *phrases = arena_alloc(a, (size_t)out->n_phrases * row, sizeof *phrases);
    float *arcs = arena_alloc(a, (size_t)p->n_words * row, sizeof *arcs);
    if (!phrases || !arcs) return false;
    for (int j = 0, k = 0; j < p->n_phrases; j++)
        for (; k < out->n_phrases && out->phrases[k].begin == p->phrases[j].begin &&
               out->phrases[k].end == p->phrases[j].end;
             k++)
            memcpy(phrases + (size_t)k * row, seen->phrases + (size_t)j * row, row * sizeof *phrases);
    if (seen->arcs) memcpy(arcs, seen->arcs, (size_t)p->n_words * row * sizeof *arcs);
    out->phrase_parts = p->n_phrases ? phrases : NULL;
    out->arc_parts = seen->arcs ? arcs : NULL;
    out->n_heads = seen->heads;
    return true;
}

Status api_sentence(const Model *model, const Parsed *parsed, const Token *place, const TextBlock *block, Arena *arena,
                    LalSentence *out, Error *error)
{
    Sentence *sent = own_sentence(parsed, arena);
    LalToken *x = NULL;
    const Confidence *c = parsed->confidence;
    const UdRules *rules = model_ud(model);
    *out = API_SENTENCE;
    out->score = parsed->score;
    out->pieces = parsed->pieces;
    out->scheme = model_is_ud(model) ? UD_SCHEME : rules ? rules->from : NULL;
    if (c) {
        out->p_tree = c->p_tree;
        out->expected_f1 = c->expected_f1;
        out->calibrated_f1 = c->calibrated_f1;
        out->expected_las = c->expected_las;
    }
    bool good = sent && put_phrases(model, parsed, sent, arena, out) &&
                (x = put_tokens(sent, parsed, place, arena, out)) &&
                put_ud(model, parsed, place, block, sent, x, arena, out) && put_parts(parsed, arena, out);
    LalSentence *best = good && parsed->n_best ? arena_alloc(arena, (size_t)parsed->n_best, sizeof *best) : NULL;
    if (!good || (parsed->n_best && !best)) return error_set(error, ERR_NOMEM, "out of memory for the result");
    for (int k = 0; k < parsed->n_best; k++) {
        if (api_sentence(model, &parsed->best[k], place, block, arena, &best[k], error) != OK) return error->code;
        best[k].probability = parsed->best[k].probability;
    }
    if (best) out->probability = best[0].probability;
    out->best = best;
    out->n_best = parsed->n_best;
    return OK;
}
