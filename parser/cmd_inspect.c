/* parser/cmd_inspect.c: lal inspect */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "base/thread.h"
#include "parser/inspect.h"
#include "parser/model_file.h"
#include "parser/program.h"
#include "parser/source.h"

enum { WHAT_SPANS, WHAT_ARCS, WHAT_TYPES, WHAT_ALL };
enum { FORMAT_JSON, FORMAT_TSV, FORMAT_TEXT };
enum { METHOD_EXACT, METHOD_PAPER };
enum { WINDOW = 256 }; /* sentences explained before anything is written */

typedef struct Fields {
    const char *model, *output, *treebank, *span, *label, *against;
    int input, what, format, method, top, remove, threads, max_words;
    bool words;
} Fields;

#define F(name) offsetof(Fields, name)

const Option INSPECT_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, NULL, "model file (default: as for lal parse)" },
    { "input", OPT_ENUM, F(input), "text", 0, 0, INPUT_CHOICES,
      "raw text, tokens, or a treebank, whose trees or dependencies tell right from wrong" },
    { "what", OPT_ENUM, F(what), "spans", 0, 0, "spans|arcs|types|all", "decisions that are explained: labelled spans, arcs, dependency types" },
    { "format", OPT_ENUM, F(format), "json", 0, 0, "json|tsv|text",
      "json: an object a sentence; tsv: a line for each category and head; text: the heads that lead in each category" },
    { "top", OPT_INT, F(top), "5", 0, 100000, NULL, "heads of a decision in json, the largest parts first, and of a category in text; 0 is all" },
    { "words", OPT_BOOL, F(words), "false", 0, 0, NULL, "json: the view of each of these heads over the words" },
    { "against", OPT_STRING, F(against), NULL, 0, 0, NULL, "explain the lead over this label (or type) instead of the score" },
    { "span", OPT_STRING, F(span), NULL, 0, 0, NULL,
      "explain this span of every sentence instead of those of its tree: words I-J, from 1; with --label" },
    { "label", OPT_STRING, F(label), NULL, 0, 0, NULL, "label of --span" },
    { "method", OPT_ENUM, F(method), "exact", 0, 0, "exact|paper",
      "which share leads a category in tsv and text: of the parts of the score, or the paper's statistic, which leaves the scorer out" },
    { "remove", OPT_INT, F(remove), "0", 0, 1000, NULL,
      "a test of the parts: take so many heads out of each span, those with the largest parts and, for comparison, random ones, and score it again" },
    { "output", OPT_STRING, F(output), "-", 0, 0, NULL, "output file" },
    { "treebank", OPT_STRING, F(treebank), NULL, 0, 0, NULL, "follow the conventions of this training treebank" },
    { "threads", OPT_INT, F(threads), "0", 0, 256, NULL, "threads; 0 is one for each processor" },
    { "max_words", OPT_INT, F(max_words), "400", 1, 100000, NULL, "longer sentences are parsed in pieces, which are not explained" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* A decision and what came of it. */
typedef struct Explained {
    Decision d;
    HeadAttribution a;
    double *share;  /* METHOD_PAPER */
    double drop[2]; /* --remove: how far the score falls without the heads of the largest parts, without random ones */
    int in_gold;
    const char *gold;     /* label of a span that gold has under another one; NULL: right, or not in gold */
    bool at_head, inside; /* of a span: the word the head of the largest part attends to most is the span's head word, is in the span */
    HeadAttribution lead; /* of a span with such a gold label: its label's lead over it */
} Explained;

/* One sentence of a window, filled by a thread. */
typedef struct Item {
    StrBuf json;
    Explained *x;       /* [n] */
    double *confidence; /* [heads] largest weight on a word */
    int n;
    bool in_pieces;
} Item;

typedef struct Worker {
    ParseWorker parse;
    Arena parsed; /* of the sentence at hand */
    Arena kept;   /* of the window */
    Error e;
    int failed; /* the item of e */
} Worker;

/* Where the heads of the largest parts look, by right and wrong spans. */
typedef struct Looks {
    long n, at_head, inside;
} Looks;

/* Sums of --remove. */
typedef struct Removal {
    long n;
    double sum[2], squares[2];
} Removal;

typedef struct Run {
    const Fields *f;
    ParseOptions o;
    int begin, end; /* of --span */
    Worker *workers;
    int n_workers;
    Item items[WINDOW];
    const Source *source;
    int first; /* sentence of items[0] */
    long id, in_pieces;
    HeadSummary sum, confused; /* confused: leads of wrong labels over gold ones, by "NP for ADJP" */
    Removal removal;
    Looks looks[2]; /* wrong, right */
    FileWriter out;
} Run;

/* ---- one sentence */

/* The gold label of a span (its unary chain), in the arena; NULL: gold has no such phrase. */
static Status gold_label(const Sentence *gold, const Decision *d, Arena *a, const char **out, Error *e)
{
    StrBuf label = { 0 };
    bool found = false;
    *out = NULL;
    for (int p = 0, next; p < gold->n_phrases && !found; p = next) {
        next = tree_chain(gold, p);
        if (gold->phrases[p].begin != d->begin || gold->phrases[p].end != d->end) continue;
        found = true;
        tree_chain_label(&label, gold, p, next);
        *out = label.failed ? NULL : arena_strndup(a, label.ptr, label.len);
    }
    strbuf_fini(&label);
    return found && !*out ? error_set(e, ERR_NOMEM, "out of memory inspecting") : OK;
}

/* 1: as in gold, 0: not, -1: gold says nothing. */
static int in_gold(const Run *r, const Source *s, int k, const Decision *d, const char *label)
{
    if (!s->tb.n || r->f->against) return -1;
    const Sentence *g = &s->tb.s[k];
    if (d->kind == EXPLAIN_SPAN) return g->has_tree ? label && strcmp(label, d->label) == 0 : -1;
    if (!g->heads) return -1;
    return g->heads[d->begin - 1] == d->end && (d->kind == EXPLAIN_ARC || strcmp(g->types[d->begin - 1], d->label) == 0);
}

static void put_words(StrBuf *out, const Run *r, const Explained *x, int h)
{
    if (!r->f->words || !x->a.word) return;
    strbuf_puts(out, ", \"words\": [");
    for (int t = 1; t + 1 < x->a.tokens; t++) strbuf_printf(out, "%s%.4g", t > 1 ? ", " : "", x->a.word[(ptrdiff_t)h * x->a.tokens + t]);
    strbuf_putc(out, ']');
}

static void put_head(StrBuf *out, const Run *r, const ParseWorker *w, const Explained *x, int h)
{
    const HeadAttribution *a = &x->a;
    bool span = x->d.kind == EXPLAIN_SPAN;
    HeadFocus f = span ? head_focus(w, h, x->d.begin, x->d.end) : head_focus(w, h, 0, 0);
    strbuf_printf(out, "{\"head\": %d, \"part\": %.5g, \"own\": %.5g, \"view\": %.5g, \"norm\": %.5g", h + 1, a->head[h], a->own[h], a->view[h],
                  a->norm[h]);
    strbuf_printf(out, ", \"attends\": {\"word\": %d, \"weight\": %.4f", f.word + 1, f.most);
    if (span) strbuf_printf(out, ", \"inside\": %.4f, \"outside\": %.4f", f.inside, 1 - f.inside);
    strbuf_putc(out, '}');
    put_words(out, r, x, h);
    strbuf_putc(out, '}');
}

/* The heads by falling |part|: the next one behind `before`, or -1. */
static int next_head(const HeadAttribution *a, int before)
{
    int best = -1;
    for (int h = 0; h < a->heads; h++) {
        double now = fabs(a->head[h]);
        bool later = before < 0 || now < fabs(a->head[before]) || (now == fabs(a->head[before]) && h > before);
        if (later && (best < 0 || now > fabs(a->head[best]))) best = h;
    }
    return best;
}

static void put_decision(StrBuf *out, const Run *r, const ParseWorker *w, const Explained *x)
{
    static const char *const kinds[] = { "span", "arc", "type" };
    const Decision *d = &x->d;
    strbuf_printf(out, "{\"kind\": \"%s\"", kinds[d->kind]);
    if (d->kind == EXPLAIN_SPAN) strbuf_printf(out, ", \"begin\": %d, \"end\": %d", d->begin + 1, d->end);
    else strbuf_printf(out, ", \"word\": %d, \"governor\": %d", d->begin, d->end);
    if (d->label) {
        strbuf_puts(out, ", \"label\": ");
        strbuf_json(out, d->label, strlen(d->label));
    }
    if (d->against) {
        strbuf_puts(out, ", \"against\": ");
        strbuf_json(out, d->against, strlen(d->against));
    }
    if (x->in_gold >= 0) strbuf_printf(out, ", \"right\": %s", x->in_gold ? "true" : "false");
    strbuf_printf(out, ", \"score\": %.6g, \"bias\": %.6g, \"completeness_error\": %.2e, \"heads\": [", x->a.score, x->a.bias,
                  attribution_error(&x->a));
    int most = r->f->top && r->f->top < x->a.heads ? r->f->top : x->a.heads;
    for (int k = 0, h = -1; k < most && (h = next_head(&x->a, h)) >= 0; k++) {
        if (k) strbuf_puts(out, ", ");
        put_head(out, r, w, x, h);
    }
    strbuf_puts(out, "]}");
}

static void put_strings(StrBuf *out, const char *name, const char *const *values, int n)
{
    strbuf_printf(out, ", \"%s\": [", name);
    for (int k = 0; k < n; k++) {
        if (k) strbuf_puts(out, ", ");
        strbuf_json(out, values[k] ? values[k] : "", values[k] ? strlen(values[k]) : 0);
    }
    strbuf_putc(out, ']');
}

static void put_sentence(StrBuf *out, const Run *r, const ParseWorker *w, const Item *item, const Parsed *p, const Origin *o)
{
    const Sentence *s = &p->s;
    strbuf_printf(out, "{\"id\": %ld, \"line\": %ld", o->id, o->line);
    put_strings(out, "tokens", s->words, s->n_words);
    if (s->tags) put_strings(out, "tags", s->tags, s->n_words);
    if (s->has_tree && s->n_words) {
        StrBuf tree = { 0 };
        tree_write(&tree, s);
        strbuf_puts(out, ", \"tree\": ");
        if (tree.ptr) strbuf_json(out, tree.ptr, tree.len);
        else out->failed = true;
        strbuf_fini(&tree);
    }
    if (item->in_pieces) strbuf_printf(out, ", \"pieces\": %d", p->pieces);
    strbuf_puts(out, ", \"decisions\": [");
    for (int k = 0; k < item->n; k++) {
        if (k) strbuf_puts(out, ", ");
        put_decision(out, r, w, &item->x[k]);
    }
    strbuf_puts(out, "]}\n");
}

static Status add_decisions(const Run *r, Worker *w, const Parsed *p, ExplainKind kind, Item *item, Error *e)
{
    Decision *d;
    int n;
    Status s = OK;
    if (r->f->span) {
        Decision *one = d = arena_alloc(&w->kept, 1, sizeof *d);
        if (one) *one = (Decision){ EXPLAIN_SPAN, r->begin, r->end, r->f->label, NULL };
        n = 1;
        if (!one) s = error_set(e, ERR_NOMEM, "out of memory inspecting");
    } else s = decisions_of(p, kind, &w->kept, &d, &n, e);
    Explained *x = s == OK ? arena_alloc(&w->kept, (size_t)(item->n + n), sizeof *x) : NULL;
    if (!x) return s != OK ? s : error_set(e, ERR_NOMEM, "out of memory inspecting");
    if (item->n) memcpy(x, item->x, (size_t)item->n * sizeof *x);
    for (int k = 0; k < n; k++) {
        d[k].against = r->f->against && !(d[k].label && strcmp(d[k].label, r->f->against) == 0) ? r->f->against : NULL;
        if (!(r->f->against && !d[k].against)) x[item->n++] = (Explained){ .d = d[k] }; /* no lead of a label over itself */
    }
    item->x = x;
    return OK;
}

/* Takes the heads with the k largest parts, then k random ones, out of a span. */
static Status remove_heads(const Run *r, Worker *w, long sentence, int number, Explained *x, Error *e)
{
    int heads = r->sum.heads, k = r->f->remove < heads ? r->f->remove : heads;
    bool *out = arena_alloc(&w->kept, (size_t)heads, sizeof *out);
    if (!out) return error_set(e, ERR_NOMEM, "out of memory inspecting");
    Status s = OK;
    uint64_t key = rng_key(1, (uint64_t)sentence, (uint64_t)number, 0);
    uint32_t draws = 0;
    for (int way = 0; way < 2 && s == OK; way++) {
        double score;
        memset(out, 0, (size_t)heads * sizeof *out);
        for (int taken = 0; taken < k;) {
            int h = 0;
            if (way == 1) h = (int)(rng_bits32(key, draws++) % (uint32_t)heads);
            else {
                while (out[h]) h++;
                for (int i = h + 1; i < heads; i++)
                    if (!out[i] && x->a.head[i] > x->a.head[h]) h = i;
            }
            taken += !out[h];
            out[h] = true;
        }
        s = score_without(&w->parse, &x->d, out, &score, e);
        x->drop[way] = x->a.score - score;
    }
    return s;
}

static void look(const ParseWorker *w, const Sentence *s, Explained *x)
{
    int top = next_head(&x->a, -1), word = head_focus(w, top, 0, 0).word;
    x->inside = word >= x->d.begin && word < x->d.end;
    x->at_head = x->inside && s->heads && (s->heads[word] - 1 < x->d.begin || s->heads[word] - 1 >= x->d.end);
}

static Status explain_item(const Run *r, Worker *w, const Source *s, int k, Item *item, Error *e)
{
    Parsed p;
    const Fields *f = r->f;
    const ParseWorker *pw = &w->parse;
    arena_reset(&w->parsed);
    Status st = parse_batch(&w->parse, &s->in[k], 1, &r->o, &w->parsed, &p, e);
    item->in_pieces = st == OK && p.pieces > 1;
    bool empty = s->in[k].n_words == 0 || item->in_pieces;
    for (int kind = EXPLAIN_SPAN; kind <= EXPLAIN_TYPE && st == OK && !empty; kind++)
        if (f->what == WHAT_ALL || f->what == kind) st = add_decisions(r, w, &p, (ExplainKind)kind, item, e);
    int heads = r->sum.heads;
    for (int i = 0; i < item->n && st == OK; i++) {
        Explained *x = &item->x[i];
        st = explain(&w->parse, &x->d, f->words && f->format == FORMAT_JSON, &w->kept, &x->a, e);
        bool span = x->d.kind == EXPLAIN_SPAN, sums = f->format != FORMAT_JSON; /* an object a sentence tells no sums */
        const char *label = NULL;
        if (st == OK && span && s->tb.n) st = gold_label(&s->tb.s[k], &x->d, &w->kept, &label, e);
        x->in_gold = in_gold(r, s, k, &x->d, label);
        if (st == OK && span && sums) look(pw, &p.s, x);
        Decision lead = x->d;
        lead.against = label;
        if (st == OK && sums && x->in_gold == 0 && label && vocab_find(&pw->m->labels, label) > 0) {
            x->gold = label;
            st = explain(&w->parse, &lead, false, &w->kept, &x->lead, e);
        }
        if (st == OK && f->remove && span) st = remove_heads(r, w, r->id + (k - r->first), i, x, e);
        if (st == OK && f->method == METHOD_PAPER && span) {
            x->share = arena_alloc(&w->kept, (size_t)heads, sizeof *x->share);
            st = x->share ? paper_share(&w->parse, x->d.begin, x->d.end, x->share, e) : error_set(e, ERR_NOMEM, "out of memory inspecting");
        }
    }
    if (st == OK && !empty) {
        item->confidence = arena_alloc(&w->kept, (size_t)heads, sizeof *item->confidence);
        for (int h = 0; item->confidence && h < heads; h++) item->confidence[h] = head_focus(pw, h, 0, 0).most;
        if (!item->confidence) st = error_set(e, ERR_NOMEM, "out of memory inspecting");
    }
    Origin o = source_origin(s, k, r->id + (k - r->first) + 1);
    if (st == OK && f->format == FORMAT_JSON) put_sentence(&item->json, r, pw, item, &p, &o);
    if (st == OK && item->json.failed) st = error_set(e, ERR_NOMEM, "out of memory inspecting");
    if (st != OK && !e->path[0] && st != ERR_CONFIG && st != ERR_NOMEM) {
        char what[768];
        snprintf(what, sizeof what, "%s", e->message);
        *e = (Error){ 0 };
        st = error_at(e, st, s->path, o.line, 0, "sentence %ld: %s", o.id, what);
    }
    return st;
}

static void work(void *context, int worker, int item)
{
    Run *r = context;
    Worker *w = &r->workers[worker];
    if (w->e.code == OK && explain_item(r, w, r->source, r->first + item, &r->items[item], &w->e) != OK) w->failed = item;
}

/* ---- files */

static const char *category_name(const Decision *d) { return d->label ? d->label : "arc"; }

static Status add_item(Run *r, const Item *item, Error *e)
{
    Status s = OK;
    for (int k = 0; k < item->n && s == OK; k++)
        s = head_summary_add(&r->sum, category_name(&item->x[k].d), &item->x[k].a, item->x[k].share, item->x[k].in_gold, e);
    StrBuf name = { 0 };
    for (int k = 0; k < item->n && s == OK; k++) {
        const Explained *x = &item->x[k];
        if (x->d.kind == EXPLAIN_SPAN && x->in_gold >= 0) {
            Looks *l = &r->looks[x->in_gold];
            l->n++;
            l->at_head += x->at_head;
            l->inside += x->inside;
        }
        if (!item->x[k].gold) continue;
        strbuf_clear(&name);
        strbuf_printf(&name, "%s for %s", item->x[k].d.label, item->x[k].gold);
        s = name.failed ? error_set(e, ERR_NOMEM, "out of memory inspecting")
                        : head_summary_add(&r->confused, name.ptr, &item->x[k].lead, NULL, 0, e);
    }
    strbuf_fini(&name);
    for (int k = 0; k < item->n && r->f->remove; k++) {
        if (item->x[k].d.kind != EXPLAIN_SPAN) continue;
        r->removal.n++;
        for (int way = 0; way < 2; way++) {
            r->removal.sum[way] += item->x[k].drop[way];
            r->removal.squares[way] += item->x[k].drop[way] * item->x[k].drop[way];
        }
    }
    for (int h = 0; item->confidence && h < r->sum.heads; h++) r->sum.confidence[h] += item->confidence[h];
    r->sum.sentences += item->confidence != NULL;
    r->in_pieces += item->in_pieces;
    return s;
}

static Status explain_source(Run *r, const Source *s, Error *e)
{
    Status st = OK;
    r->source = s;
    for (r->first = 0; r->first < s->n && st == OK; r->first += WINDOW) {
        int n = s->n - r->first < WINDOW ? s->n - r->first : WINDOW;
        for (int k = 0; k < n; k++) {
            strbuf_clear(&r->items[k].json);
            r->items[k] = (Item){ .json = r->items[k].json };
        }
        for (int t = 0; t < r->n_workers; t++) arena_reset(&r->workers[t].kept);
        parallel_for(r->n_workers, n, work, r);
        for (int t = 0, first = n; t < r->n_workers; t++) { /* items are handed out in order: the first one that fails is among these */
            const Worker *w = &r->workers[t];
            if (w->e.code == OK || w->failed >= first) continue;
            first = w->failed;
            *e = w->e;
            st = e->code;
        }
        for (int k = 0; k < n && st == OK; k++) {
            st = add_item(r, &r->items[k], e);
            if (r->items[k].json.len) filewriter_write(&r->out, r->items[k].json.ptr, r->items[k].json.len);
        }
        r->id += n;
    }
    return st;
}

/* The heads of a category by falling share: the next behind `before`. */
static int next_share(const Category *c, int heads, int before)
{
    int best = -1;
    for (int h = 0; h < heads; h++) {
        bool later = before < 0 || c->share[h] < c->share[before] || (c->share[h] == c->share[before] && h > before);
        if (later && (best < 0 || c->share[h] > c->share[best])) best = h;
    }
    return best;
}

static int next_category(const HeadSummary *s, int before)
{
    int best = -1;
    for (int k = 0; k < s->names.n; k++) {
        bool later = before < 0 || s->c[k].n < s->c[before].n || (s->c[k].n == s->c[before].n && k > before);
        if (later && (best < 0 || s->c[k].n > s->c[best].n)) best = k;
    }
    return best;
}

static double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

/* A line or more for each category, the frequent ones first; at most `categories` of them. */
static void put_categories(const Run *r, const HeadSummary *s, int categories, StrBuf *out)
{
    bool tsv = r->f->format == FORMAT_TSV;
    for (int i = 0, k = -1; i < categories && (k = next_category(s, k)) >= 0; i++) {
        const Category *c = &s->c[k];
        int most = tsv || !r->f->top ? s->heads : r->f->top;
        if (!tsv) {
            strbuf_printf(out, "%s: %ld", c->name, c->n);
            if (c->gold && s == &r->sum) strbuf_printf(out, ", %.1f %% right", 100 * ratio((double)c->right, (double)c->gold));
            strbuf_putc(out, '\n');
        }
        for (int j = 0, h = -1; j < most && (h = next_share(c, s->heads, h)) >= 0; j++) {
            double n = (double)c->n;
            if (tsv)
                strbuf_printf(out, "%s\t%ld\t%ld\t%ld\t%d\t%ld\t%ld\t%.5f\t%.5g\n", c->name, c->n, c->gold, c->right, h + 1, c->top[h],
                              c->top_right[h], c->share[h] / n, c->part[h] / n);
            else {
                strbuf_printf(out, "  head %3d  leads %5.1f %%  mean share %5.2f %%  mean part %+.3f", h + 1, 100 * ratio((double)c->top[h], n),
                              100 * c->share[h] / n, c->part[h] / n);
                if (c->right && c->top[h])
                    strbuf_printf(out, "  right where it leads %5.1f %%", 100 * ratio((double)c->top_right[h], (double)c->top[h]));
                strbuf_putc(out, '\n');
            }
        }
    }
}

/* The head that leads most often in a category. */
static int leader(const Category *c, int heads)
{
    int best = 0;
    for (int h = 1; h < heads; h++)
        if (c->top[h] > c->top[best]) best = h;
    return best;
}

/* Heads that lead most often in more than one of the categories with so many decisions. */
static void put_shared(const HeadSummary *s, StrBuf *out)
{
    enum { LEAST = 50 };
    strbuf_printf(out, "\nheads that lead most often in several categories (of %d decisions or more):\n", LEAST);
    for (int h = 0; h < s->heads; h++) {
        int count = 0;
        for (int pass = 0; pass < 2; pass++) {
            if (pass && count < 2) break;
            if (pass) strbuf_printf(out, "  head %3d ", h + 1);
            for (int i = 0, k = -1; i < s->names.n && (k = next_category(s, k)) >= 0; i++) {
                if (s->c[k].n < LEAST || leader(&s->c[k], s->heads) != h) continue;
                count += !pass;
                if (pass) strbuf_printf(out, " %s", s->c[k].name);
            }
            if (pass) strbuf_putc(out, '\n');
        }
    }
}

static void put_looks(const Run *r, StrBuf *out)
{
    static const char *const kinds[] = { "wrong", "right" };
    for (int k = 1; k >= 0; k--) {
        const Looks *l = &r->looks[k];
        if (l->n)
            strbuf_printf(out,
                          "%s%ld %s phrases: the head of the largest part attends most to a word inside in %.1f %%, to the head word in %.1f %%\n",
                          k ? "\n" : "", l->n, kinds[k], 100 * ratio((double)l->inside, (double)l->n), 100 * ratio((double)l->at_head, (double)l->n));
    }
}

static void put_summary(const Run *r, StrBuf *out)
{
    enum { CONFUSIONS = 15 };
    const HeadSummary *s = &r->sum;
    bool tsv = r->f->format == FORMAT_TSV;
    strbuf_puts(out, tsv ? "category\tdecisions\twith_gold\tright\thead\tleads\tleads_right\tmean_share\tmean_part\n" : "");
    put_categories(r, s, s->names.n, out);
    if (!tsv && r->confused.names.n) strbuf_puts(out, "\nlabels that stand where gold has another, and the heads behind their lead over it:\n");
    put_categories(r, &r->confused, tsv ? r->confused.names.n : CONFUSIONS, out);
    if (tsv) return;
    put_shared(s, out);
    put_looks(r, out);
    strbuf_puts(out, "\nconfidence of the heads (mean over sentences of the largest attention on a word):\n");
    for (int h = 0; h < s->heads; h++)
        strbuf_printf(out, "%s%3d %.3f%s", h % 8 ? "  " : "  ", h + 1, ratio(s->confidence[h], (double)s->sentences),
                      h % 8 == 7 || h + 1 == s->heads ? "\n" : "");
}

static void put_removal(const Run *r)
{
    const Removal *x = &r->removal;
    double n = (double)x->n, mean[2], half[2];
    if (x->n == 0) return;
    for (int way = 0; way < 2; way++) {
        mean[way] = x->sum[way] / n;
        half[way] = 1.96 * sqrt(fmax(0, x->squares[way] / n - mean[way] * mean[way]) / n);
    }
    fprintf(stderr,
            "removal of %d heads from %ld spans: without those of the largest parts the score falls by %.4f +- %.4f, without random ones by %.4f +- "
            "%.4f (95 %%)\n",
            r->f->remove, x->n, mean[0], half[0], mean[1], half[1]);
}

static Status run_files(Run *r, const char *const *files, int n, Error *e)
{
    Status st = OK;
    for (int k = 0; k < n && st == OK; k++) {
        Source s = { 0 };
        st = source_read(&s, files[k], (InputKind)r->f->input, false, e);
        if (st == OK) st = explain_source(r, &s, e);
        source_fini(&s);
    }
    if (st != OK) return st;
    if (r->f->format != FORMAT_JSON) {
        StrBuf out = { 0 };
        put_summary(r, &out);
        if (out.failed) st = error_set(e, ERR_NOMEM, "out of memory inspecting");
        else filewriter_write(&r->out, out.ptr ? out.ptr : "", out.len);
        strbuf_fini(&out);
    }
    put_removal(r);
    fprintf(stderr, "%ld decisions of %ld sentences explained, completeness_error %.2e", r->sum.explained, r->id, r->sum.worst);
    if (r->in_pieces) fprintf(stderr, "; %ld sentences were parsed in pieces (--max-words) and not explained", r->in_pieces);
    fputc('\n', stderr);
    return st;
}

static Status start_workers(Run *r, const Model *m, Error *e)
{
    r->n_workers = program_threads(r->f->threads);
    r->workers = mem_calloc((size_t)r->n_workers, sizeof *r->workers);
    if (!r->workers) return error_set(e, ERR_NOMEM, "out of memory for %d threads", r->n_workers);
    for (int t = 0; t < r->n_workers; t++) {
        parse_worker_init(&r->workers[t].parse, m, kernels_cpu());
        arena_init(&r->workers[t].parsed, (size_t)1 << 16);
        arena_init(&r->workers[t].kept, (size_t)1 << 18);
    }
    return OK;
}

static void end_workers(Run *r)
{
    for (int t = 0; t < r->n_workers && r->workers; t++) {
        parse_worker_fini(&r->workers[t].parse);
        arena_fini(&r->workers[t].parsed);
        arena_fini(&r->workers[t].kept);
    }
    mem_free(r->workers);
    for (int k = 0; k < WINDOW; k++) strbuf_fini(&r->items[k].json);
}

static Status run_model(Run *r, const char *const *files, int n, Error *e)
{
    char path[512];
    const Fields *f = r->f;
    Model m;
    model_init(&m);
    Status s = model_load(&m, program_model_path(f->model, path, sizeof path), NULL, e);
    const EncoderConfig *c = &m.net.encoder.c;
    if (s == OK && !encoder_has_label_heads(c)) s = error_at(e, ERR_CONFIG, path, 0, 0, NO_LABEL_HEADS);
    r->o = parse_defaults(&m);
    r->o.max_words = f->max_words;
    r->o.record = true;
    if (s == OK && f->treebank && (r->o.treebank = vocab_find(&m.treebanks, f->treebank)) < 0)
        s = error_set(e, ERR_USAGE, "--treebank: found '%s', which the model does not know; lal info lists the treebanks", f->treebank);
    if (s == OK) {
        head_summary_init(&r->sum, c->lal.heads);
        head_summary_init(&r->confused, c->lal.heads);
        r->sum.confidence = mem_calloc((size_t)c->lal.heads, sizeof *r->sum.confidence);
        s = r->sum.confidence ? start_workers(r, &m, e) : error_set(e, ERR_NOMEM, "out of memory inspecting");
        if (s == OK) s = filewriter_open(&r->out, f->output, e);
        if (s == OK) {
            s = run_files(r, files, n, e);
            Status closed = filewriter_close(&r->out, s == OK, e);
            if (s == OK) s = closed;
        }
        end_workers(r);
        head_summary_fini(&r->sum);
        head_summary_fini(&r->confused);
    }
    model_fini(&m);
    return s;
}

/* "I-J", words from 1. */
static Status read_span(Run *r, Error *e)
{
    const char *text = r->f->span, *dash = text ? strchr(text, '-') : NULL;
    if (!text) return r->f->label ? error_set(e, ERR_USAGE, "--label: expected --span too") : OK;
    if (!dash || !text_number((StrView){ text, (size_t)(dash - text) }, &r->begin) ||
        !text_number((StrView){ dash + 1, strlen(dash + 1) }, &r->end) || r->begin < 1 || r->end < r->begin)
        return error_set(e, ERR_USAGE, "--span: found '%s', expected two words such as 2-5", text);
    if (!r->f->label) return error_set(e, ERR_USAGE, "--span: expected --label too");
    if (r->f->what != WHAT_SPANS) return error_set(e, ERR_USAGE, "--span: expected --what spans");
    r->begin--;
    return OK;
}

Status cmd_inspect(int argc, char **argv, Error *e)
{
    Fields f;
    int n;
    if (argc > 1 && strcmp(argv[1], "heads") == 0) return cmd_heads(argc - 1, argv + 1, e);
    Status s = program_options(INSPECT_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    Run *r = s == OK ? mem_calloc(1, sizeof *r) : NULL;
    if (!r) return s != OK ? s : error_set(e, ERR_NOMEM, "out of memory inspecting");
    r->f = &f;
    s = read_span(r, e);
    if (s == OK && f.remove && f.against) s = error_set(e, ERR_USAGE, "--remove: found --against too, expected scores");
    if (s == OK) s = run_model(r, (const char *const *)argv, n, e);
    mem_free(r);
    return s;
}
