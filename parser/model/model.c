/* The list of vocabularies, what follows from them and the configuration (folding, masks of
 * labels, rules of Universal Dependencies), and how a network is declared. */
#include "parser/model/model.h"

#include <math.h>
#include <string.h>

#include "treebank/oracle.h"

const ModelVocab MODEL_VOCABS[N_MODEL_VOCABS] = {
    { "vocab.words", offsetof(Model, words), false },          { "vocab.tags", offsetof(Model, tags), false },
    { "vocab.labels", offsetof(Model, labels), false },        { "vocab.types", offsetof(Model, types), true },
    { "vocab.chars", offsetof(Model, chars), false },          { "vocab.treebanks", offsetof(Model, treebanks), false },
    { "vocab.own_labels", offsetof(Model, own_labels), true }, { "vocab.df", offsetof(Model, df), true },
    { "vocab.classes", offsetof(Model, classes), true },       { "vocab.vectors", offsetof(Model, vectors), true },
    { "vocab.analyses", offsetof(Model, analyses), true },     { "vocab.bundles", offsetof(Model, bundles), true },
    { "vocab.lemmas", offsetof(Model, lemmas), true },         { "vocab.steps", offsetof(Model, steps), true },
};

bool model_copy_vocabs(const Model *from, Model *to)
{
    bool good = true;
    for (int k = 0; k < N_MODEL_VOCABS && good; k++) good = vocab_copy(model_vocab(to, k), model_vocab(from, k));
    return good;
}

void model_init(Model *m)
{
    *m = (Model){ .task = &TASK_PARSE, .root_type = -1, .map_above = FILEMAP_NEVER };
    for (int k = 0; k < N_MODEL_VOCABS; k++) vocab_init(model_vocab(m, k));
    params_init(&m->ps);
    encoder_options_defaults(&m->options);
    arena_init(&m->strings, 1024);
}

void model_fini(Model *m)
{
    for (int k = 0; k < N_MODEL_VOCABS; k++) vocab_fini(model_vocab(m, k));
    grammar_fini(&m->grammar);
    trained_text_fini(&m->text);
    network_fini(&m->net);
    piece_tokenizer_close(&m->tokenizer);
    params_fini(&m->ps);
    mem_free_each(m->summary, m->named.what);
    arena_fini(&m->strings);
    if (m->first) model_fini(m->first);
    mem_free(m->first);
    *m = (Model){ .root_type = -1 };
}

Status model_vocabs_start(Model *m, Error *e)
{
    static const char *const tokens[N_RESERVED] = { "<START>", "<STOP>", "<UNK>" };
    static const char *const chars[N_CHAR_RESERVED] = { "<UNK>", "<START>", "<WORD>", "</WORD>", "<STOP>" };
    bool ok = true;
    for (int k = 0; k < N_RESERVED; k++) {
        ok = ok && vocab_count(&m->words, tokens[k], strlen(tokens[k]), 1) == k;
        ok = ok && vocab_count(&m->tags, tokens[k], strlen(tokens[k]), 1) == k;
    }
    for (int k = 0; k < N_CHAR_RESERVED; k++) ok = ok && vocab_count(&m->chars, chars[k], strlen(chars[k]), 1) == k;
    ok = ok && vocab_count(&m->labels, LABEL_EMPTY, strlen(LABEL_EMPTY), 0) == 0;
    ok = ok && vocab_count(&m->labels, LABEL_GROUP, strlen(LABEL_GROUP), 0) == 1;
    ok = ok && vocab_count(&m->treebanks, "unknown", strlen("unknown"), 0) == 0;
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory for the vocabularies");
}

const Language *model_language(const Model *m) { return LANGUAGES[m->c.language]; }

const char *const *model_fold(const Model *m, const char *const *words, const char *const *tags,
                              const bool *space_before, int n, Arena *a)
{
    const Language *language = model_language(m);
    if (m->c.fold && language->fold) return language->fold(words, tags, space_before, n, a);
    return trained_text_fold(&m->text, words, n, a);
}

static bool knows_tags(const Model *m)
{
    const Language *language = model_language(m);
    const char *const *tags = m->tags.map.keys;
    int n = m->tags.map.n;
    if (n == N_RESERVED + 1 && strcmp(tags[N_RESERVED], TAG_PLACEHOLDER) == 0) n = N_RESERVED;
    return language->knows_tags && language->knows_tags(tags + N_RESERVED, n - N_RESERVED);
}

void model_find_rules(Model *m)
{
    const UdRules *ud = model_language(m)->ud;
    m->tags_known = !m->analysis.n && knows_tags(m);
    m->ud = m->tags_known && ud && ud->knows(m->types.map.keys, m->types.map.n) ? ud : NULL;
}

bool model_add_lemmas(const Model *m, Sentence *sentence, Arena *arena)
{
    const Language *language = model_language(m);
    if (!m->tags_known || !sentence->tags || !language->lemmas) return true;
    return (sentence->lemmas = language->lemmas(sentence, arena)) != NULL;
}

const UdRules *model_ud(const Model *m) { return m->ud; }

bool model_is_ud(const Model *m) { return m->c.arcs && m->analysis.n; }

VocabSizes model_sizes(const Model *m)
{
    return (VocabSizes){ .words = vocab_size(&m->words),
                         .tags = vocab_size(&m->tags),
                         .labels = vocab_size(&m->labels),
                         .types = vocab_size(&m->types),
                         .chars = vocab_size(&m->chars),
                         .treebanks = vocab_size(&m->treebanks),
                         .vectors = vocab_size(&m->vectors),
                         .classes = vocab_size(&m->classes),
                         .analyses = vocab_size(&m->analyses) };
}

/* Does only another treebank have the label [0 .. len)? */
static bool is_foreign(const Model *m, const char *label, size_t len, const char *treebank)
{
    for (int k = 0; k < vocab_size(&m->own_labels); k++) {
        const char *own = vocab_text(&m->own_labels, k);
        if (strncmp(own, label, len) == 0 && own[len] == ' ') return strcmp(own + len + 1, treebank) != 0;
    }
    return false;
}

static bool chain_is_foreign(const Model *m, const char *chain, const char *treebank)
{
    for (const char *join; (join = strstr(chain, LABEL_JOIN)); chain = join + strlen(LABEL_JOIN))
        if (is_foreign(m, chain, (size_t)(join - chain), treebank)) return true;
    return is_foreign(m, chain, strlen(chain), treebank);
}

Span model_span(const Model *m, const Phrase *p)
{
    return (Span){ p->begin, p->end, vocab_find(&m->labels, p->label) };
}

bool model_label_mask(const Model *m, int treebank, Arena *a, Real **mask)
{
    int n = vocab_size(&m->labels), masked = 0;
    const char *name = vocab_text(&m->treebanks, treebank);
    *mask = NULL;
    if (vocab_size(&m->own_labels) == 0) return true;
    Real *out = arena_alloc(a, (size_t)n, sizeof *out);
    if (!out) return false;
    for (int l = 1; l < n; l++) {
        bool foreign = l > CHART_GROUP && chain_is_foreign(m, vocab_text(&m->labels, l), name);
        out[l - 1] = foreign ? (Real)-INFINITY : 0;
        masked += foreign;
    }
    if (masked && masked < n - 1 - CHART_GROUP) *mask = out;
    return true;
}

Status model_declare(Model *m, Error *e)
{
    Status s = m->task->check ? m->task->check(m, e) : OK;
    if (s != OK) return s;
    if (m->c.affix_buckets && m->c.affix_buckets < 3)
        return error_set(e, ERR_CONFIG, "affix_buckets %d, expected 0 or at least 3", m->c.affix_buckets);
    const EncoderShape shape = config_shape(&m->c, m->task, &m->pretrained);
    s = encoder_options_check(&m->options, &shape, NULL, &m->strings, e);
    if (s != OK) return s;
    m->root_type = vocab_find(&m->types, "root");
    NetworkConfig c = config_network(&m->c, model_sizes(m));
    c.task = m->task;
    s = analysis_read(&m->analysis, &m->analyses, &m->bundles, &m->lemmas, &m->strings, e);
    grammar_fini(&m->grammar);
    if (s == OK && m->c.grammar > 0) s = grammar_read(&m->grammar, &m->steps, &m->labels, e);
    if (s != OK) return s;
    model_find_rules(m);
    c.embedding.pretrained.encoder = m->pretrained;
    c.encoder.options = c.embedding.pretrained.options = encoder_options_plain(&m->options) ? NULL : &m->options;
    c.encoder.pretrained_layers = m->pretrained.n_layers;
    c.encoder.pretrained_heads = m->pretrained.n_heads;
    c.encoder.kept = m->kept;
    c.encoder.shared_block = m->shared_block;
    if (m->task->configure) s = m->task->configure(m, &c, &m->strings, e);
    return s == OK ? network_declare(&m->net, &m->ps, c, e) : s;
}

Status model_build(Model *m, Error *e)
{
    Status s = model_declare(m, e);
    return s == OK ? params_finish(&m->ps, e) : s;
}

ScriptCounts model_scripts(const Model *m)
{
    ScriptCounts c = { 0 };
    for (int k = N_RESERVED; k < vocab_size(&m->words); k++)
        script_count(&c, vocab_text(&m->words, k), strlen(vocab_text(&m->words, k)));
    for (int k = 0; !c.all && m->pretrained.n_layers && k < piece_tokenizer_size(&m->tokenizer); k++) {
        StrView piece = piece_tokenizer_piece(&m->tokenizer, k);
        if (piece.ptr) script_count(&c, piece.ptr, piece.len);
    }
    return c;
}

const char *model_language_code(const Model *m)
{
    if (m->c.language != LANGUAGE_TRAINED) return model_language(m)->code;
    const ScriptCounts c = model_scripts(m);
    int most = script_most(&c);
    return most >= 0 && strcmp(script_name(most), "Han") == 0 ? "zh" : NULL;
}

Status model_check_parses(const Model *m, bool gold, bool file, Error *e)
{
    SyntaxSource source = encoder_options_source(&m->options);
    if (source == SYNTAX_GOLD && !gold)
        return error_at(e, ERR_CONFIG, m->path, 0, 0, "this model reads gold syntax (oracle) and cannot %s text",
                        m->task->verb);
    if (source == SYNTAX_FILE && !file)
        return error_at(e, ERR_CONFIG, m->path, 0, 0,
                        "this model reads parses of a file (syntax.source \"file\"), expected --syntax-file FILE");
    if (source != SYNTAX_FIRST_PASS || m->first) return OK;
    *e = m->first_error;
    return e->code != OK ? e->code
                         : error_at(e, ERR_CONFIG, m->path, 0, 0, "the model of the first pass is not loaded");
}

Status model_check_text(const Model *m, Error *e) { return model_check_parses(m, false, false, e); }

Status model_check_needs(const Model *m, const HeadPlan *masks, const char *name, Error *e)
{
    bool arcs = head_plan_needs_heads(masks) && !m->c.arcs, trees = head_plan_needs_tree(masks) && !m->c.trees;
    if (!arcs && !trees) return OK;
    return error_set(e, ERR_CONFIG, "encoder_options.syntax: found no %s in %s, which masks read",
                     arcs ? "dependencies" : "trees", name);
}

Status model_overflows(const Model *m, const char *what, Error *e)
{
    return error_at(e, ERR_NUMERIC, m->path, 0, 0,
                    "found %s that are not finite or too large: the model's weights are too large", what);
}

Status model_copy_text(const Model *from, Model *to, Error *e)
{
    StrBuf bytes = { 0 };
    if (!from->text.bits) return OK;
    trained_text_save(&from->text, &bytes);
    trained_text_fini(&to->text);
    Status s = bytes.failed ? error_set(e, ERR_NOMEM, "out of memory for what is learnt of raw text")
                            : trained_text_load(&to->text, (StrView){ bytes.ptr, bytes.len }, "text", e);
    strbuf_fini(&bytes);
    return s;
}

/* A copy of n lists in the arena; NULL: out of memory. */
static HeadNumbers *copy_lists(const HeadNumbers *from, size_t n, Arena *a)
{
    HeadNumbers *to = arena_calloc(a, n, sizeof *to);
    for (size_t l = 0; to && l < n; l++) {
        size_t heads = (size_t)from[l].n;
        int *item = arena_alloc(a, heads, sizeof *item);
        if (!item) return NULL;
        if (heads) memcpy(item, from[l].item, heads * sizeof *item);
        to[l] = (HeadNumbers){ .all = from[l].all, .n = (int)heads, .item = item };
    }
    return to;
}

bool model_copy_kept(const Model *from, Model *to)
{
    size_t layers = (size_t)layer_count(from->c.n_layers), decoder = DECODER_STACKS * (size_t)from->c.decoder_layers;
    to->shared_block = from->shared_block;
    if (from->kept && !(to->kept = copy_lists(from->kept, layers, &to->strings))) return false;
    return !from->decoder_kept || (to->decoder_kept = copy_lists(from->decoder_kept, decoder, &to->strings));
}

LexiconSources model_lexicon(const Model *m)
{
    return (LexiconSources){ .words = &m->words,
                             .chars = m->c.use_chars ? &m->chars : NULL,
                             .vectors = m->c.d_vectors ? &m->vectors : NULL,
                             .affix_buckets = m->c.affix_buckets,
                             .tokenizer = m->pretrained.d_model ? &m->tokenizer : NULL,
                             .spell = model_language(m)->spell,
                             .layout = { .first = m->tokenizer.first,
                                         .last = m->tokenizer.last,
                                         .most = m->pretrained.most_pieces,
                                         .choice = (PieceChoice)m->c.pretrained_pieces } };
}

Status model_treebank(const Model *m, const char *name, int *id, Error *e)
{
    int found = name ? vocab_find(&m->treebanks, name) : *id;
    if (found >= 0) {
        *id = found;
        return OK;
    }
    return error_set(e, ERR_USAGE,
                     "--treebank: found '%s', expected a treebank of the model; lal model info lists them%s", name,
                     vocab_suggest(&m->treebanks, 1, name, strlen(name)).text); /* 0 is the unknown one */
}
