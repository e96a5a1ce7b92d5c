/* Reads, compares, counts and prints one pair of lines at a time. */
#include "eval/evalb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "eval/evalb_internal.h"

/* ---- a sentence */

static StrView word_text(const Word *w) { return (StrView){ w->text, (size_t)w->len }; }

/* The first word that differs, or -1. */
static int wrong_word(const Run *r)
{
    const Word *g = r->gold.words, *t = r->test.words;
    for (int k = 0; k < r->gold.n; k++)
        if (!evalb_words_equal(&r->equal_words, word_text(&g[k]), word_text(&t[k]))) return k;
    return -1;
}

static int count_tags(Run *r)
{
    Word *g = r->gold.words, *t = r->test.words;
    int right = 0;
    for (int k = 0; k < r->gold.n; k++) {
        g[k].result = t[k].result = evalb_labels_equal(&r->labels, g[k].label, t[k].label) ? MATCHED : UNMATCHED;
        right += g[k].result;
    }
    return right;
}

/* Sets r->status, and *c unless the test tree has no words or words that differ. A sentence with errors in its brackets
 * is compared, too, but remains an error. */
static bool compare(Run *r, Counts *c)
{
    const Tree *g = &r->gold, *t = &r->test;
    if (t->n == 0) {
        r->status = STATUS_SKIP;
        return true;
    }
    if (g->n != t->n && !evalb_fix_quotes(r)) return false;
    if (g->n != t->n) return evalb_length_error(r);
    int wrong = wrong_word(r);
    if (wrong >= 0) return evalb_word_error(r, &g->words[wrong], &t->words[wrong]);
    if (!evalb_mark_deleted(r, &r->gold) || !evalb_mark_deleted(r, &r->test) || !evalb_match_brackets(r, c))
        return false;
    c->words = g->n;
    c->tags = count_tags(r);
    return true;
}

static void add_totals(Totals *sum, const Counts *c, int status)
{
    sum->sentences++;
    sum->errors += status == STATUS_ERROR;
    sum->skipped += status == STATUS_SKIP;
    if (status != STATUS_VALID) return;
    sum->match += c->match;
    sum->gold += c->gold;
    sum->test += c->test;
    sum->cross += c->cross;
    sum->words += c->words;
    sum->tags += c->tags;
    sum->complete += c->match == c->gold && c->gold == c->test;
    sum->no_cross += c->cross == 0;
    sum->two_cross += c->cross <= 2;
}

/* Scores the pair of trees that has been read. */
static bool score_trees(Run *r)
{
    Counts c = { 0 };
    if (r->p->debug > 1) strbuf_putc(&r->out, '\n');
    evalb_note_limits(r, &r->gold);
    evalb_note_limits(r, &r->test);
    if (!compare(r, &c)) return false;
    evalb_put_sentence(r, &c);
    if (r->p->debug > 0) evalb_put_table(r);
    add_totals(&r->all, &c, r->status);
    if (r->gold.length <= r->p->cutoff_len) add_totals(&r->cut, &c, r->status);
    return evalb_flush(r, r->err.len > 0);
}

/* ---- files */

/* Reads the next line of a file; false at its end, or with *r->e set. */
static bool next_line(Run *r, Tree *t, FILE *f)
{
    t->len = getline(&t->line, &t->cap_line, f);
    if (t->len > EVALB_MAX_LINE)
        error_at(r->e, ERR_LIMIT, t->path, r->line, 0, "found %ld bytes, expected at most %d", t->len, EVALB_MAX_LINE);
    else if (t->len >= 0) return true;
    else if (ferror(f)) error_at(r->e, ERR_IO, t->path, 0, 0, "cannot read: %s", strerror(errno));
    else if (!feof(f)) evalb_out_of_memory(r);
    return false;
}

/* false if the run ended before the end of a file. */
static bool score_lines(Run *r, FILE *gold, FILE *test)
{
    evalb_put_head(r);
    for (r->line = 1; next_line(r, &r->gold, gold); r->line++) {
        r->status = STATUS_VALID;
        if (!evalb_labels_trim(&r->labels, r->p)) return evalb_out_of_memory(r);
        if (!evalb_tree_read(r, &r->gold)) return false;
        if (!next_line(r, &r->test, test))
            return r->e->code == OK &&
                   evalb_sentence_error(r, "Number of lines unmatch (too many lines in gold file)\n");
        if (!evalb_tree_read(r, &r->test) || !score_trees(r)) return false;
    }
    if (r->e->code != OK) return false;
    if (next_line(r, &r->test, test))
        return evalb_sentence_error(r, "Number of lines unmatch (too many lines in test file)\n");
    return r->e->code == OK;
}

static void tree_fini(Tree *t)
{
    free(t->line);
    mem_free_each(t->words, t->brackets, t->quotes, t->stack, t->insertions, t->live);
}

static void run_fini(Run *r)
{
    evalb_labels_fini(&r->labels);
    evalb_words_fini(&r->equal_words);
    tree_fini(&r->gold);
    tree_fini(&r->test);
    mem_free(r->scratch);
    strbuf_fini(&r->out);
    strbuf_fini(&r->err);
}

static FILE *open_file(Run *r, const char *what, const char *path)
{
    FILE *f = path ? fopen(path, "r") : NULL;
    if (f) return f;
    if (path && errno == ENOMEM) {
        evalb_out_of_memory(r);
        return NULL;
    }
    strbuf_puts(&r->err, "Can't open ");
    strbuf_puts(&r->err, what);
    strbuf_puts(&r->err, " file (");
    strbuf_puts(&r->err, path ? path : "(null)");
    strbuf_puts(&r->err, ")\n");
    r->stopped = true;
    return NULL;
}

Status evalb_run(const EvalbParams *params, const char *gold, const char *test, FILE *out, FILE *err, bool *stopped,
                 Error *error)
{
    Run r = { .p = params, .gold.path = gold, .test.path = test, .out_file = out, .err_file = err, .e = error };
    FILE *g = open_file(&r, "gold", gold), *t = g ? open_file(&r, "test", test) : NULL;
    if (!evalb_labels_init(&r.labels, params) || !evalb_words_init(&r.equal_words, params)) evalb_out_of_memory(&r);
    else if (t && score_lines(&r, g, t)) evalb_put_totals(&r);
    evalb_flush(&r, true);
    *stopped = r.stopped;
    run_fini(&r);
    if (g) fclose(g);
    if (t) fclose(t);
    return error->code;
}
