/* Lal convert check */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "parser/model/corpus.h"
#include "program/program.h"
#include "treebank/oracle.h"

typedef struct Fields {
    const char *trees, *deps;
} Fields;

static const Option CHECK_OPTIONS[] = {
    { "deps", OPT_STRING, offsetof(Fields, deps), NULL, 0, 0, "FILE",
      "CoNLL file of the sentences of TREES, or head rules that give them arcs (english.rules)" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

typedef struct Findings {
    long words, sentences, phrases, crossing, flat; /* by kind */
    long trees, deps;                               /* sentences read */
} Findings;

static bool check_words(const Fields *f, const Sentence *t, const Sentence *d, Findings *n)
{
    int w = 0;
    while (w < t->n_words && w < d->n_words && strcmp(t->words[w], d->words[w]) == 0) w++;
    if (w == t->n_words && w == d->n_words) return true;
    n->words++;
    const TextContrast c = text_contrast(text_view(w < d->n_words ? d->words[w] : "(none)"),
                                         text_view(w < t->n_words ? t->words[w] : "(none)"));
    printf("%s:%ld: word %d is %s, at %s:%ld it is %s (%d words and %d)\n", f->deps, sentence_word_line(d, w), w + 1,
           c.found, f->trees, t->line, c.expected, d->n_words, t->n_words);
    return false;
}

static void put_words(const Sentence *sent, const Phrase *p)
{
    for (int w = p->begin; w < p->end && w < p->begin + 6; w++) printf("%s%s", w > p->begin ? " " : "", sent->words[w]);
    if (p->end - p->begin > 6) printf(" ...");
}

static void report_phrase(const Fields *f, const Sentence *t, const Phrase *p, int heads)
{
    printf("%s:%ld: %d words of the phrase %s '", f->trees, t->line, heads, p->label);
    put_words(t, p);
    printf("' (words %d to %d) have a head outside it, expected 1\n", p->begin + 1, p->end);
}

/* Reports phrases that do not have exactly one word with its head outside. false: out of memory. */
static bool check_phrases(const Fields *f, const Sentence *t, Findings *n, Arena *scratch)
{
    int *outside = arena_alloc(scratch, (size_t)t->n_phrases, sizeof *outside);
    if (!outside || !tree_outside_heads(t, outside)) return false;
    for (int k = 0; k < t->n_phrases; k = tree_chain(t, k)) {
        if (outside[k] == 1) continue;
        n->phrases++;
        report_phrase(f, t, &t->phrases[k], outside[k]);
    }
    return true;
}

static bool check_arcs(const Fields *f, const Sentence *d, Findings *n)
{
    bool projective;
    if (!tree_heads_projective(d->heads, d->n_words, &projective)) return false;
    if (projective) return true;
    n->crossing++;
    printf("%s:%ld: arcs cross: the dependency tree is not projective\n", f->deps, d->line);
    return true;
}

static bool check_groups(const Fields *f, const Sentence *t, Findings *n, Arena *scratch)
{
    const OracleTree *o = oracle_convert(t, scratch);
    if (!o) return false;
    if (o->flat == 0) return true;
    n->flat += o->flat;
    printf("%s:%ld: %d groups of dependents are not contiguous and stay flat in joint training\n", f->trees, t->line,
           o->flat);
    return true;
}

static Status check_sentence(const Fields *f, Sentence *t, const Sentence *d, Findings *n, Arena *scratch, Error *e)
{
    if (!check_words(f, t, d, n)) return OK;
    t->heads = d->heads;
    t->types = d->types;
    ArenaMark mark = arena_mark(scratch);
    bool ok = check_phrases(f, t, n, scratch) && check_arcs(f, d, n) && check_groups(f, t, n, scratch);
    arena_rewind(scratch, mark);
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory checking");
}

/* Checks both files, sentence by sentence. deps NULL: trees have arcs by head rules. */
static Status check_files(const Fields *f, CorpusReader *trees, TreebankReader *deps, Findings *n, Error *e)
{
    Sentence *t = NULL, *d = NULL;
    do {
        Status s = corpus_next(trees, &t, e);
        d = t;
        if (s == OK && deps) s = reader_next(deps, &d, e);
        if (s == OK && t && d) s = check_sentence(f, t, d, n, &trees->trees.tb.arena, e);
        if (s != OK) return s;
        n->trees += t != NULL;
        n->deps += d != NULL;
    } while (t || d);
    if (n->trees == 0) return corpus_empty(f->trees, true, e);
    if (n->deps == 0) return corpus_empty(f->deps, false, e);
    if (n->trees != n->deps) {
        n->sentences++;
        printf("%s: %ld sentences, %s has %ld\n", f->deps, n->deps, f->trees, n->trees);
    }
    long all = n->words + n->sentences + n->phrases + n->crossing + n->flat;
    printf("%ld sentences: %ld with different words, %ld phrases without exactly one head, %ld with crossing arcs, %ld "
           "flat groups\n",
           n->trees, n->words, n->phrases, n->crossing, n->flat);
    if (fflush(stdout) != 0 || ferror(stdout)) return error_set(e, ERR_IO, "cannot write: %s", strerror(errno));
    return all ? error_set(e, ERR_FORMAT, "found %ld disagreements", all) : OK;
}

static Status check(const Fields *f, Error *e)
{
    CorpusReader trees;
    TreebankReader deps;
    Findings n = { 0 };
    char place[2][DATA_PATH_MAX];
    const bool rules = corpus_is_rules(f->deps);
    const Fields places = { f->trees, rules ? f->trees : f->deps }; /* as messages name them */
    const char *path = program_deps_path(f->deps, place[1], sizeof place[1]);
    ProgramNotes notes = program_notes();
    ReaderOptions brackets = { .format = FORMAT_BRACKETS,
                               .brackets = { .strip_functions = true, .notes = &notes.notes } };
    Status s = corpus_open(&trees, program_file(f->trees, place[0], sizeof place[0]), rules ? path : NULL, brackets, e);
    bool opened = s == OK && !rules;
    if (opened) s = reader_open(&deps, path, (ReaderOptions){ .format = FORMAT_CONLL }, e);
    if (s == OK) s = check_files(&places, &trees, rules ? NULL : &deps, &n, e);
    program_notes_end(&notes);
    corpus_close(&trees);
    if (opened) reader_close(&deps);
    return s;
}

static Status run_check(int argc, char **argv, Error *e)
{
    Fields f;
    int n;
    Status s = program_options(CHECK_OPTIONS, &f, argc, argv, 1, &n, e);
    if (s == OK && (!n || !f.deps))
        s = error_set(e, ERR_USAGE, "found no %s, expected TREES and --deps", n ? "--deps" : "TREES");
    f.trees = n ? argv[0] : NULL;
    return s == OK ? check(&f, e) : s;
}

static const Option *const CHECK_TABLES[] = { CHECK_OPTIONS, NULL };
const Command CMD_CONVERT_CHECK = {
    "convert check", "--deps FILE TREES", "list all disagreements between trees and dependencies", NULL, CHECK_TABLES,
    run_check
};
