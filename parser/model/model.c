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

void model_init(Model *model)
{
    *model = (Model){ .task = &TASK_PARSE, .root_type = -1, .map_above = FILEMAP_NEVER };
    for (int k = 0; k < N_MODEL_VOCABS; k++) vocab_init(model_vocab(model, k));
    params_init(&model->ps);
    encoder_options_defaults(&model->options);
    arena_init(&model->strings, 1024);
}

void model_fini(Model *model)
{
    for (int k = 0; k < N_MODEL_VOCABS; k++) vocab_fini(model_vocab(model, k));
    grammar_fini(&model->grammar);
    head_rules_free(model->head_rules);
    trained_text_fini(&model->text);
    network_fini(&model->net);
    piece_tokenizer_close(&model->tokenizer);
    params_fini(&model->ps);
    mem_free_each(model->summary, model->named.what);
    arena_fini(&model->strings);
    if (model->first) model_fini(model->first);
    mem_free(model->first);
    *model = (Model){ .root_type = -1 };
}

Status model_vocabs_start(Model *model, Error *error)
{
    static const char *const tokens[N_RESERVED] = { "<START>", "<STOP>", "<UNK>" };
    static const char *const chars[N_CHAR_RESERVED] = { "<UNK>", "<START>", "<WORD>", "</WORD>", "<STOP>" };
    bool ok = true;
    for (int k = 0; k < N_RESERVED; k++) {
        ok = ok && vocab_count(&model->words, tokens[k], strlen(tokens[k]), 1) == k;
        ok = ok && vocab_count(&model->tags, tokens[k], strlen(tokens[k]), 1) == k;
    }
    for (int k = 0; k < N_CHAR_RESERVED; k++) ok = ok && vocab_count(&model->chars, chars[k], strlen(chars[k]), 1) == k;
    ok = ok && vocab_count(&model->labels, LABEL_EMPTY, strlen(LABEL_EMPTY), 0) == 0;
    ok = ok && vocab_count(&model->labels, LABEL_GROUP, strlen(LABEL_GROUP), 0) == 1;
    ok = ok && vocab_count(&model->treebanks, "unknown", strlen("unknown"), 0) == 0;
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory for the vocabularies");
}

const Language *model_language(const Model *model) { return LANGUAGES[model->c.language]; }

const char *const *model_fold(const Model *model, const char *const *words, const char *const *tags,
                              const bool *space_before, int n, Arena *arena)
{
    const Language *language = model_language(model);
    if (model->c.fold && language->fold) return language->fold(words, tags, space_before, n, arena);
    return trained_text_fold(&model->text, words, n, arena);
}

static bool knows_tags(const Model *m)
{
    const Language *language = model_language(m);
    const char *const *tags = m->tags.map.keys;
    int n = m->tags.map.n;
    if (n == N_RESERVED + 1 && strcmp(tags[N_RESERVED], TAG_PLACEHOLDER) == 0) n = N_RESERVED;
    return language->knows_tags && language->knows_tags(tags + N_RESERVED, n - N_RESERVED);
}

void model_find_rules(Model *model)
{
    const UdRules *ud = model_language(model)->ud;
    model->tags_known = !model->analysis.n && knows_tags(model);
    model->ud = model->tags_known && ud && ud->knows(model->types.map.keys, model->types.map.n) ? ud : NULL;
}

bool model_add_lemmas(const Model *model, Sentence *sentence, Arena *arena)
{
    const Language *language = model_language(model);
    if (!model->tags_known || !sentence->tags || !language->lemmas) return true;
    return (sentence->lemmas = language->lemmas(sentence, arena)) != NULL;
}

const UdRules *model_ud(const Model *model) { return model->ud; }

/* After model_find_rules. */
static Status read_head_rules(Model *m, Error *e)
{
    const char *text = model_language(m)->head_rules;
    head_rules_free(m->head_rules);
    m->head_rules = NULL;
    if (!text || !m->ud || !m->c.trees || !m->c.arcs || !(m->c.type_rules > 0)) return OK;
    m->head_rules = head_rules_read((StrView){ text, strlen(text) }, "head rules of the language", e);
    return m->head_rules ? OK : e->code;
}

bool model_is_ud(const Model *model) { return model->c.arcs && model->analysis.n; }

VocabSizes model_sizes(const Model *model)
{
    return (VocabSizes){ .words = vocab_size(&model->words),
                         .tags = vocab_size(&model->tags),
                         .labels = vocab_size(&model->labels),
                         .types = vocab_size(&model->types),
                         .chars = vocab_size(&model->chars),
                         .treebanks = vocab_size(&model->treebanks),
                         .vectors = vocab_size(&model->vectors),
                         .classes = vocab_size(&model->classes),
                         .analyses = vocab_size(&model->analyses) };
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

const JointWeights *model_joint(const Model *model, int treebank)
{
    const JointWeights *own = treebank < model->n_own_joint ? &model->own_joint[treebank] : NULL;
    return own && own->sentences ? own : &model->joint;
}

bool model_set_joint(Model *model, int treebank, JointWeights weights)
{
    if (!model->n_own_joint) {
        int n = vocab_size(&model->treebanks);
        model->own_joint = arena_calloc(&model->strings, (size_t)n, sizeof *model->own_joint);
        if (!model->own_joint) return false;
        model->n_own_joint = n;
    }
    model->own_joint[treebank] = weights;
    if (!model->joint.sentences) model->joint = weights;
    return true;
}

Span model_span(const Model *model, const Phrase *phrase)
{
    return (Span){ phrase->begin, phrase->end, vocab_find(&model->labels, phrase->label) };
}

bool model_label_mask(const Model *model, int treebank, Arena *arena, Real **mask)
{
    int n = vocab_size(&model->labels), masked = 0;
    const char *name = vocab_text(&model->treebanks, treebank);
    *mask = NULL;
    if (vocab_size(&model->own_labels) == 0) return true;
    Real *out = arena_alloc(arena, (size_t)n, sizeof *out);
    if (!out) return false;
    for (int l = 1; l < n; l++) {
        bool foreign = l > CHART_GROUP && chain_is_foreign(model, vocab_text(&model->labels, l), name);
        out[l - 1] = foreign ? (Real)-INFINITY : 0;
        masked += foreign;
    }
    if (masked && masked < n - 1 - CHART_GROUP) *mask = out;
    return true;
}

Status model_declare(Model *model, Error *error)
{
    Status s = model->task->check ? model->task->check(model, error) : OK;
    if (s != OK) return s;
    if (model->c.affix_buckets && model->c.affix_buckets < 3)
        return error_set(error, ERR_CONFIG, "affix_buckets %d, expected 0 or at least 3", model->c.affix_buckets);
    const EncoderShape shape = config_shape(&model->c, model->task, &model->pretrained);
    s = encoder_options_check(&model->options, &shape, NULL, &model->strings, error);
    if (s != OK) return s;
    model->root_type = vocab_find(&model->types, "root");
    NetworkConfig c = config_network(&model->c, model_sizes(model));
    c.task = model->task;
    s = analysis_read(&model->analysis, &model->analyses, &model->bundles, &model->lemmas, &model->strings, error);
    grammar_fini(&model->grammar);
    if (s == OK && model->c.grammar > 0)
        s = grammar_read(&model->grammar, &model->steps, &model->labels, &model->treebanks, error);
    if (s != OK) return s;
    model_find_rules(model);
    if (read_head_rules(model, error) != OK) return error->code;
    c.embedding.pretrained.encoder = model->pretrained;
    c.encoder.options = c.embedding.pretrained.options =
        encoder_options_plain(&model->options) ? NULL : &model->options;
    c.encoder.pretrained_layers = model->pretrained.n_layers;
    c.encoder.pretrained_heads = model->pretrained.n_heads;
    c.encoder.kept = model->kept;
    c.encoder.shared_block = model->shared_block;
    if (model->task->configure) s = model->task->configure(model, &c, &model->strings, error);
    return s == OK ? network_declare(&model->net, &model->ps, c, error) : s;
}

Status model_build(Model *model, Error *error)
{
    Status s = model_declare(model, error);
    return s == OK ? params_finish(&model->ps, error) : s;
}

ScriptCounts model_scripts(const Model *model)
{
    ScriptCounts c = { 0 };
    for (int k = N_RESERVED; k < vocab_size(&model->words); k++)
        script_count(&c, vocab_text(&model->words, k), strlen(vocab_text(&model->words, k)));
    for (int k = 0; model->pretrained.n_layers && k < piece_tokenizer_size(&model->tokenizer); k++) {
        StrView piece = piece_tokenizer_piece(&model->tokenizer, k);
        if (piece.ptr) script_count(&c, piece.ptr, piece.len);
    }
    return c;
}

const char *model_language_code(const Model *model)
{
    if (model->c.language != LANGUAGE_TRAINED) return model_language(model)->code;
    const ScriptCounts c = model_scripts(model);
    int most = script_most(&c);
    return most >= 0 && strcmp(script_name(most), "Han") == 0 ? "zh" : NULL;
}

Status model_check_parses(const Model *model, bool gold, bool file, Error *error)
{
    SyntaxSource source = encoder_options_source(&model->options);
    if (source == SYNTAX_GOLD && !gold)
        return error_at(error, ERR_CONFIG, model->path, 0, 0,
                        "this model reads gold syntax (oracle) and cannot %s text", model->task->verb);
    if (source == SYNTAX_FILE && !file)
        return error_at(error, ERR_CONFIG, model->path, 0, 0,
                        "this model reads parses of a file (syntax.source \"file\"), expected --syntax-file FILE");
    if (source != SYNTAX_FIRST_PASS || model->first) return OK;
    *error = model->first_error;
    return error->code != OK
               ? error->code
               : error_at(error, ERR_CONFIG, model->path, 0, 0, "the model of the first pass is not loaded");
}

Status model_check_text(const Model *model, Error *error) { return model_check_parses(model, false, false, error); }

Status model_check_needs(const Model *model, const HeadPlan *masks, const char *name, Error *error)
{
    bool arcs = head_plan_needs_heads(masks) && !model->c.arcs, trees = head_plan_needs_tree(masks) && !model->c.trees;
    if (!arcs && !trees) return OK;
    return error_set(error, ERR_CONFIG, "encoder_options.syntax: found no %s in %s, which masks read",
                     arcs ? "dependencies" : "trees", name);
}

Status model_overflows(const Model *model, const char *what, Error *error)
{
    return error_at(error, ERR_NUMERIC, model->path, 0, 0,
                    "found %s that are not finite or too large: the model's weights are too large", what);
}

Status model_copy_text(const Model *from, Model *to, Error *error)
{
    StrBuf bytes = { 0 };
    if (!from->text.bits) return OK;
    trained_text_save(&from->text, &bytes);
    trained_text_fini(&to->text);
    Status s = bytes.failed ? error_set(error, ERR_NOMEM, "out of memory for what is learnt of raw text")
                            : trained_text_load(&to->text, (StrView){ bytes.ptr, bytes.len }, "text", error);
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

LexiconSources model_lexicon(const Model *model)
{
    return (LexiconSources){ .words = &model->words,
                             .chars = model->c.use_chars ? &model->chars : NULL,
                             .vectors = model->c.d_vectors ? &model->vectors : NULL,
                             .affix_buckets = model->c.affix_buckets,
                             .tokenizer = model->pretrained.d_model ? &model->tokenizer : NULL,
                             .spell = model_language(model)->spell,
                             .layout = { .first = model->tokenizer.first,
                                         .last = model->tokenizer.last,
                                         .most = model->pretrained.most_pieces,
                                         .choice = (PieceChoice)model->c.pretrained_pieces } };
}

Status model_treebank(const Model *model, const char *name, int *id, Error *error)
{
    int found = name ? vocab_find(&model->treebanks, name) : *id;
    if (found >= 0) {
        *id = found;
        return OK;
    }
    return error_set(error, ERR_USAGE,
                     "--treebank: found '%s', expected a treebank of the model; lal model info lists them%s", name,
                     vocab_suggest(&model->treebanks, 1, name, strlen(name)).text); /* 0 is the unknown one */
}
