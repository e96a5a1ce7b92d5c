/* One pass counts vocabularies and converts trees; then rare words are pruned,
 * labels that only one treebank has are found, and examples get their numbers. */
#include "parser/task/parse/parse_examples.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "parser/parse/characters.h"
#include "treebank/oracle.h"

static Status count_sentence(Model *m, const Sentence *sent, const OracleTree *t, Error *e)
{
    bool ok = trainer_count_words(m, sent);
    for (int w = 0; w < sent->n_words; w++) {
        if (sent->tags) ok = ok && vocab_count(&m->tags, sent->tags[w], strlen(sent->tags[w]), 1) >= 0;
        if (sent->types) ok = ok && vocab_count(&m->types, sent->types[w], strlen(sent->types[w]), 1) >= 0;
    }
    ok = ok && analysis_count(&m->analyses, &m->bundles, &m->lemmas, sent);
    for (int k = 0; t && k < t->n; k++)
        ok = ok && vocab_count(&m->labels, t->nodes[k].label, strlen(t->nodes[k].label), 1) >= 0;
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory counting words");
}

/* ---- labels that only one treebank has */

enum { SEVERAL = -1 };

typedef struct Owners {
    StrMap labels;
    int *of, cap; /* [labels.n] the treebank of each label, or SEVERAL */
} Owners;

/* A treebank has the label [0 .. len). false when out of memory. */
static bool own(Owners *o, const char *label, size_t len, int treebank)
{
    int before = o->labels.n, l = map_add(&o->labels, label, len);
    if (l < 0 || !mem_reserve(o->of, &o->cap, o->labels.n)) return false;
    if (l == before || o->of[l] != treebank) o->of[l] = l == before ? treebank : SEVERAL;
    return true;
}

/* The labels of the parser that the run begins with. Those that it lets all treebanks have stay so, whether the
 * training data have them or not: a small treebank lacks many labels that are right in it. */
static bool own_taken(const Trainer *tr, Owners *o)
{
    const Model *m = &tr->m;
    bool ok = true;
    for (int k = 0; k < vocab_size(&m->own_labels) && ok; k++) {
        const char *text = vocab_text(&m->own_labels, k), *blank = strchr(text, ' ');
        if (blank) ok = own(o, text, (size_t)(blank - text), vocab_find(&m->treebanks, blank + 1));
    }
    for (int l = CHART_GROUP + 1; l < tr->had.labels && ok; l++) {
        const char *part = vocab_text(&m->labels, l), *join;
        do {
            join = strstr(part, LABEL_JOIN);
            size_t len = join ? (size_t)(join - part) : strlen(part);
            if (map_find(&o->labels, part, len) < 0) ok = own(o, part, len, SEVERAL);
            if (join) part = join + strlen(LABEL_JOIN);
        } while (join && ok);
    }
    return ok;
}

/* Finds the phrase labels that only one of several treebanks has. had_trees: the model that the run begins with was
 * trained on trees. */
static Status find_own_labels(Trainer *tr, bool had_trees, Error *e)
{
    Owners o = { .of = NULL };
    StrBuf text = { 0 };
    int first = had_trees && tr->had.treebanks == 2 ? 1 : -1; /* 0 is "unknown" */
    bool several = had_trees && tr->had.treebanks > 2;
    map_init(&o.labels);
    bool ok = own_taken(tr, &o);
    for (int i = 0; i < tr->n && ok; i++) {
        const Sentence *sent = tr->ex[i].s;
        int treebank = tr->ex[i].treebank;
        if (sent->has_tree && first < 0) first = treebank;
        several = several || (sent->has_tree && treebank != first);
        for (int k = 0; k < sent->n_phrases && ok; k++)
            ok = own(&o, sent->phrases[k].label, strlen(sent->phrases[k].label), treebank);
    }
    vocab_fini(&tr->m.own_labels);
    vocab_init(&tr->m.own_labels);
    for (int l = 0; several && l < o.labels.n && ok; l++) {
        if (o.of[l] == SEVERAL) continue;
        strbuf_clear(&text);
        strbuf_printf(&text, "%s %s", o.labels.keys[l], vocab_text(&tr->m.treebanks, o.of[l]));
        ok = !text.failed && vocab_count(&tr->m.own_labels, text.ptr, text.len, 1) >= 0;
    }
    strbuf_fini(&text);
    map_fini(&o.labels);
    mem_free(o.of);
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory counting labels");
}

/* ---- examples */

static Status finish_vocabs(Trainer *tr, Error *e)
{
    Model *m = &tr->m;
    int kept = tr->had.words > N_RESERVED ? tr->had.words : N_RESERVED;
    bool ok = vocab_prune(&m->words, kept, m->c.word_min_count) && analysis_sort(&m->analyses, &m->lemmas);
    if (vocab_size(&m->tags) == N_RESERVED)
        ok = ok && vocab_count(&m->tags, TAG_PLACEHOLDER, strlen(TAG_PLACEHOLDER), 0) >= 0;
    if (vocab_size(&m->types) == 0) ok = ok && vocab_count(&m->types, "root", 4, 0) >= 0;
    if (vocab_size(&m->labels) == 2) ok = ok && vocab_count(&m->labels, LABEL_ROOT, strlen(LABEL_ROOT), 0) >= 0;
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory for the vocabularies");
}

/* Sets text w of *list [n], which is copied first if it is still `shared`. false when out of memory. */
static bool replace_text(Trainer *tr, const char ***list, const char **shared, int n, int w, const char *text)
{
    if (*list == shared) {
        *list = arena_alloc(&tr->arena, (size_t)n, sizeof **list);
        if (!*list) return false;
        memcpy(*list, shared, (size_t)n * sizeof *shared);
    }
    (*list)[w] = text;
    return true;
}

/* The sentence as the model learns it: its words folded, and lemmas that are the word with them; its types mended. NULL
 * when out of memory. */
static const Sentence *prepare(Trainer *tr, const Sentence *sent)
{
    const Language *language = model_language(&tr->m);
    Sentence *copy = arena_alloc(&tr->arena, 1, sizeof *copy);
    if (!copy) return NULL;
    *copy = *sent;
    const char *const *words = model_fold(&tr->m, sent->words, sent->tags, NULL, sent->n_words, &tr->arena);
    if (!words) return NULL;
    copy->words = (const char **)(uintptr_t)words;
    bool good = true;
    for (int w = 0; sent->lemmas && good && w < sent->n_words; w++)
        if (words[w] != sent->words[w] && strcmp(sent->lemmas[w], sent->words[w]) == 0)
            good = replace_text(tr, &copy->lemmas, sent->lemmas, sent->n_words, w, words[w]);
    for (int w = 0; language->mend_type && sent->types && !sent->upos && good && w < sent->n_words; w++) {
        const char *type = language->mend_type(sent->words[w], sent->types[w]);
        if (type == sent->types[w]) continue;
        good = replace_text(tr, &copy->types, sent->types, sent->n_words, w, type);
        ((ParseCounts *)tr->state)->mended++;
    }
    return good ? copy : NULL;
}

/* Counts marks, and those that depend on a word in a phrase without them that is not its head. */
static void count_marks(const Sentence *s, ParseCounts *counts)
{
    for (int w = 0; w < s->n_words; w++) {
        int head = s->heads[w] - 1;
        if (head < 0 || !text_is_punctuation(s->words[w])) continue;
        bool lost = false;
        for (int k = 0; k < s->n_phrases && !lost; k++) {
            const Phrase *x = &s->phrases[k];
            bool apart = x->begin <= head && head < x->end && !(x->begin <= w && w < x->end);
            lost = apart && x->begin < s->heads[head] && s->heads[head] <= x->end;
        }
        counts->marks++;
        counts->lost_marks += lost;
    }
}

/* Sentence sent becomes example number tr->n, and *tree its joint spans, unless it is too long. */
static Status add_example(Trainer *tr, const Sentence *sent, int treebank, bool count, OracleTree **tree, Error *e)
{
    ParseCounts *counts = tr->state;
    if (sent->n_words > tr->a->train.max_train_words) {
        tr->counts.skipped++;
        return OK;
    }
    sent = prepare(tr, sent);
    if (!sent) return error_set(e, ERR_NOMEM, "out of memory for the training data");
    counts->no_tree += !sent->has_tree;
    counts->no_arcs += !sent->heads;
    bool projective = true;
    if (sent->heads && !tree_heads_projective(sent->heads, sent->n_words, &projective))
        return error_set(e, ERR_NOMEM, "out of memory for the training data");
    counts->crossed += !projective;
    if (sent->has_tree && sent->n_phrases == 0) counts->bare++;
    else if (sent->has_tree) {
        *tree = oracle_convert(sent, &tr->arena);
        if (!*tree) return error_set(e, ERR_NOMEM, "out of memory converting trees");
        counts->flat += (*tree)->flat;
        counts->extra_heads += (*tree)->extra_heads;
        if (sent->heads) count_marks(sent, counts);
    }
    Status status = count ? count_sentence(&tr->m, sent, *tree, e) : OK;
    if (status != OK) return status;
    tr->m.c.trees = tr->m.c.trees || sent->has_tree;
    tr->m.c.arcs = tr->m.c.arcs || sent->heads;
    tr->ex[tr->n++] = (Example){ .s = sent, .treebank = treebank };
    return OK;
}

static Status add_corpus(Trainer *tr, const Corpus *c, bool count, OracleTree **trees, Error *e)
{
    if (c->soft) return soft_examples(tr, c, count, e);
    int id = count ? vocab_count(&tr->m.treebanks, c->name, strlen(c->name), c->trees.n)
                   : vocab_find(&tr->m.treebanks, c->name);
    Status status = OK;
    for (int k = 0; k < c->trees.n && status == OK; k++)
        status = add_example(tr, &c->trees.s[k], id < 0 ? 0 : id, count, &trees[tr->n], e);
    return status;
}

/* The sentences of a corpus that say how raw text becomes words; NULL: none. With a default treebank they are its own.
 * lines: sentences of CoNLL-U, which have their text; else of any notation. */
static const Treebank *text_of(const TrainArgs *a, const Corpus *c, bool lines)
{
    const Treebank *tb = c->deps.n ? &c->deps : &c->trees;
    if (c->soft || !tb->n || (a->treebank && strcmp(a->treebank, c->name) != 0)) return NULL;
    return !lines || tb->s[0].lines ? tb : NULL;
}

static Status learn_words(Trainer *tr, const Sentence *sentences, size_t n, Error *e)
{
    const TrainArgs *a = tr->a;
    StrBuf words = { 0 }, variants = { 0 };
    Status s = a->word_list ? file_read_text(a->word_list, &words, e) : OK;
    if (s == OK && a->variants) s = file_read_text(a->variants, &variants, e);
    /* a network that cuts words needs the table for the ends of sentences alone */
    const TrainedTextOptions o = { .seed = (uint64_t)a->train.seed,
                                   .bits = characters_among(a->corpora, a->n_corpora) ? 19 : 0,
                                   .words = { words.ptr, words.len },
                                   .variants = text_block((StrView){ variants.ptr, variants.len }, a->variants) };
    if (s == OK) trained_text_fini(&tr->m.text);
    if (s == OK) s = trained_text_learn(&tr->m.text, sentences, (int)n, o, e);
    strbuf_fini(&words);
    strbuf_fini(&variants);
    return s;
}

/* Learns words from the corpora, and from `more` sentences. */
static Status learn_from(Trainer *tr, const Treebank *more, Error *e)
{
    const TrainArgs *a = tr->a;
    size_t n = (size_t)more->n, most = n;
    bool lines = tr->m.text.bits > 0 || n;
    for (int c = 0; c < a->n_corpora; c++) {
        lines = lines || text_of(a, &a->corpora[c], true);
        most += (size_t)a->corpora[c].trees.n;
    }
    Sentence *sentences = mem_alloc(most, sizeof *sentences);
    if (!sentences) return error_set(e, ERR_NOMEM, "out of memory for %zu sentences", most);
    if (n) memcpy(sentences, more->s, n * sizeof *sentences);
    for (int c = 0; c < a->n_corpora; c++) {
        const Treebank *tb = text_of(a, &a->corpora[c], lines);
        if (tb) memcpy(sentences + n, tb->s, (size_t)tb->n * sizeof *sentences);
        if (tb) n += (size_t)tb->n;
    }
    Status s = n ? learn_words(tr, sentences, n, e) : OK;
    mem_free(sentences);
    return s;
}

/* Learns how raw text becomes words, for a language that has no rules of its own: from CoNLL-U, where there is none
 * from words alone, unless the model knows it already. */
static Status learn_text(Trainer *tr, Error *e)
{
    const TrainArgs *a = tr->a;
    const char *option = a->word_list   ? "--word-list"
                         : a->word_text ? "--word-text"
                         : a->variants  ? "--variants"
                                        : NULL;
    Treebank more;
    if (tr->m.c.language != LANGUAGE_TRAINED)
        return option ? error_set(e, ERR_CONFIG, "%s: found a model of the language %s, expected trained", option,
                                  model_language(&tr->m)->name)
                      : OK;
    treebank_init(&more);
    ReaderOptions o = { .format = FORMAT_CONLL, .keep_lines = true, .bare = true };
    Status s = a->word_text ? treebank_load(&more, a->word_text, o, e) : OK;
    if (s == OK) s = learn_from(tr, &more, e);
    treebank_fini(&more);
    return s;
}

/* Adds what the model that the run began with has counted, where that is more than in the training data. */
static bool merge_steps(Vocab *steps, const Vocab *had)
{
    bool good = true;
    for (int k = 0; k < vocab_size(had) && good; k++) {
        const char *step = vocab_text(had, k);
        int now = vocab_find(steps, step), more = had->counts[k] - (now < 0 ? 0 : steps->counts[now]);
        if (more > 0) good = vocab_count(steps, step, strlen(step), more) >= 0;
    }
    return good;
}

/* Counts the steps of the grammar. */
static Status learn_grammar(Trainer *tr, Error *e)
{
    Vocab steps;
    bool good = true;
    vocab_init(&steps);
    for (int k = 0; k < tr->n && good && tr->m.c.grammar > 0; k++) {
        const Sentence *s = tr->ex[k].s;
        int treebank = tr->ex[k].treebank;
        if (s->n_phrases && s->tags && !tr->ex[k].soft)
            good = grammar_count(&steps, s, treebank ? vocab_text(&tr->m.treebanks, treebank) : NULL);
    }
    good = good && merge_steps(&steps, &tr->m.steps) && grammar_prune(&steps);
    vocab_fini(good ? &tr->m.steps : &steps);
    if (good) tr->m.steps = steps;
    return good ? OK : error_set(e, ERR_NOMEM, "out of memory counting trees");
}

bool parse_examples_gold(const Model *model, const Sentence *sent, const OracleTree *tree, Arena *arena,
                         Example *example)
{
    if (!gold_make(model, sent, tree, arena, &example->gold)) return false;
    example->tags = parse_gold(&example->gold)->tags;
    example->nodes = parse_gold(&example->gold)->tree.n_nodes;
    return true;
}

Status parse_examples(Trainer *tr, bool count, Error *error)
{
    const TrainArgs *a = tr->a;
    int total = 0;
    for (int c = 0; c < a->n_corpora; c++) total += a->corpora[c].trees.n;
    tr->ex = arena_calloc(&tr->arena, (size_t)total, sizeof *tr->ex);
    OracleTree **trees = arena_calloc(&tr->arena, (size_t)total, sizeof(OracleTree *));
    if (!tr->ex || !trees) return error_set(error, ERR_NOMEM, "out of memory for %d sentences", total);
    bool had_trees = tr->m.c.trees;
    Status status = count ? learn_text(tr, error) : OK; /* first, for it folds words */
    for (int c = 0; c < a->n_corpora && status == OK; c++) status = add_corpus(tr, &a->corpora[c], count, trees, error);
    if (status == OK && tr->n == 0)
        status = error_at(error, ERR_FORMAT, a->corpora[0].path, 0, 0, "no training sentence of at most %d words",
                          a->train.max_train_words);
    if (status == OK && count) status = trainer_default_treebank(tr, error);
    if (status == OK && count) tr->m.c.split_hyphens = trainer_splits_hyphens(tr, a->init && tr->m.c.split_hyphens);
    if (status == OK && count) status = finish_vocabs(tr, error);
    if (status == OK && count) status = find_own_labels(tr, had_trees, error);
    if (status == OK && count) status = learn_grammar(tr, error);
    if (status == OK)
        status = analysis_read(&tr->m.analysis, &tr->m.analyses, &tr->m.bundles, &tr->m.lemmas, &tr->arena, error);
    for (int k = 0; k < tr->n && status == OK; k++)
        if (!tr->ex[k].soft && !parse_examples_gold(&tr->m, tr->ex[k].s, trees[k], &tr->arena, &tr->ex[k]))
            status = error_set(error, ERR_NOMEM, "out of memory for the training data");
    return status;
}
