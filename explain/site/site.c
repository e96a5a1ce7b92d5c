/* The folder, and the lists of decisions and of sentences */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "explain/site/site_internal.h"

enum { ROWS_MOST = 5000 }; /* in decisions.html */

static Status make_folder(const char *path, Error *e)
{
    struct stat st;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))) return OK;
    return error_at(e, ERR_IO, path, 0, 0, "cannot make the folder: %s", strerror(errno));
}

enum { PATH_BYTES = 4096 }; /* the longest path that the system opens */

static Status join(char *path, const char *folder, const char *name, Error *e)
{
    if (snprintf(path, PATH_BYTES, "%s/%s", folder, name) < PATH_BYTES) return OK;
    return error_at(e, ERR_IO, folder, 0, 0, "found a path of %zu bytes, expected a shorter one", strlen(folder));
}

static Status write_file(const Site *s, const char *name, const char *text, size_t size, Error *e)
{
    char path[PATH_BYTES];
    FileWriter w;
    Status status = join(path, s->folder, name, e);
    if (status == OK) status = filewriter_open(&w, path, e);
    if (status != OK) return status;
    filewriter_write(&w, text, size);
    return filewriter_close(&w, true, e);
}

static Status write_filled(const Site *s, const char *name, StrBuf *page, const HeadNames *names, Error *e)
{
    StrBuf filled = { 0 };
    if (page->ptr && !page->failed) page_fill(&filled, page->ptr, page->len, names, s->compare);
    Status status = page->failed || filled.failed ? error_set(e, ERR_NOMEM, "out of memory writing %s", name)
                                                  : write_file(s, name, filled.ptr, filled.len, e);
    strbuf_fini(&filled);
    strbuf_fini(page);
    return status;
}

Status site_write_filled(const Site *s, const char *name, StrBuf *page, Error *e)
{
    return write_filled(s, name, page, NULL, e);
}

Status site_write(const Site *s, const char *name, StrBuf *page, Error *e)
{
    if (s->names.n) return write_filled(s, name, page, &s->names, e);
    Status status = page->failed ? error_set(e, ERR_NOMEM, "out of memory writing %s", name)
                                 : write_file(s, name, page->ptr, page->len, e);
    strbuf_fini(page);
    return status;
}

Status site_make_folder(const Site *s, const char *name, Error *e)
{
    char path[PATH_BYTES];
    Status status = join(path, s->folder, name, e);
    return status == OK ? make_folder(path, e) : status;
}

static Status write_glossary(const Site *s, bool index, Error *e)
{
    StrBuf glossary = { 0 };
    glossary_page(&glossary, index);
    return site_write_filled(s, "glossary.html", &glossary, e);
}

static Status write_assets(const Site *s, Error *e)
{
    StrBuf style = { 0 };
    strbuf_puts(&style, SITE_STYLE);
    draw_style(&style);
    Status status = site_write(s, "style.css", &style, e);
    return status == OK ? write_file(s, "script.js", SITE_SCRIPT, strlen(SITE_SCRIPT), e) : status;
}

Status site_open(Site *s, const char *folder, const char *model, Error *e)
{
    *s = (Site){ .folder = folder, .model = model, .rank = EXAMPLE_NONE };
    Status status = make_folder(folder, e);
    if (status == OK) status = lock_take(&s->lock, folder, e);
    if (status == OK) status = site_make_folder(s, "s", e);
    return status == OK ? write_assets(s, e) : status;
}

bool site_has_index(const char *folder)
{
    char path[PATH_BYTES];
    struct stat st;
    return join(path, folder, "index.html", &(Error){ 0 }) == OK && stat(path, &st) == 0;
}

/* *found: the folder has this page, and the text is in it or, if `with` is not set, not in it. ERR_IO for a page that
 * cannot be read. */
static Status look_for(const char *folder, const char *name, const char *text, bool with, bool *found, Error *e)
{
    char path[PATH_BYTES];
    struct stat st;
    StrBuf page = { 0 };
    Status status = join(path, folder, name, e);
    *found = false;
    if (status != OK || (stat(path, &st) != 0 && errno == ENOENT)) return status;
    status = file_read(path, &page, e);
    if (status == OK) *found = (strstr(page.ptr, text) != NULL) == with;
    strbuf_fini(&page);
    return status;
}

/* heads.html, unless `lal inspect heads` wrote it. */
static Status write_label_heads(const Site *s, const Inspection *sums, Error *e)
{
    StrBuf page = { 0 };
    bool keep;
    Status status = look_for(s->folder, "heads.html", LABEL_HEADS_MARK, false, &keep, e);
    if (status != OK || keep) return status;
    label_heads_page(&page, sums);
    return site_write(s, "heads.html", &page, e);
}

Status site_heads(const char *folder, StrBuf *page, Error *e)
{
    Site s = { .folder = folder };
    Status status = make_folder(folder, e);
    if (status == OK) status = lock_take(&s.lock, folder, e);
    /* A page that compares models counts if the index links to it: an earlier run may have left one. */
    if (status == OK) status = look_for(folder, "index.html", "\"compare.html\"", true, &s.compare, e);
    if (status == OK) status = write_assets(&s, e);
    if (status == OK) status = write_glossary(&s, site_has_index(folder), e);
    if (status == OK) status = site_write_filled(&s, "heads.html", page, e);
    else strbuf_fini(page);
    lock_release(&s.lock);
    return status;
}

void site_fini(Site *s)
{
    lock_release(&s->lock);
    strbuf_fini(&s->rows);
    strbuf_fini(&s->sentences);
    strbuf_fini(&s->pending);
    strbuf_fini(&s->example);
    mem_free(s->row);
    mem_free(s->id);
    head_names_fini(&s->names);
}

/* ---- pages of sentences */

/* The page of sentence s->last, with a link to sentence `next` or none (0). */
static Status write_pending(Site *s, long next, Error *e)
{
    char name[40];
    if (!s->last) return OK;
    snprintf(name, sizeof name, "s/%ld.html", s->last);
    const char *page = s->pending.ptr, *at = strstr(page, NEXT_LINK), *rest = at + strlen(NEXT_LINK);
    StrBuf out = { 0 };
    strbuf_add(&out, page, (size_t)(at - page));
    if (next) strbuf_printf(&out, " <a rel=\"next\" href=\"%ld.html\">Sentence %ld</a>", next, next);
    strbuf_puts(&out, rest);
    return site_write(s, name, &out, e);
}

/* ---- rows of the lists */

/* A row of decisions.html: decision `number` of the page. */
static Status add_row(Site *s, const Inspected *i, const Explained *x, int number, bool missed, Error *e)
{
    enum { WORDS = 10, HEADS = 3 };
    StrBuf *out = &s->rows;
    SiteRow row = { missed ? 1 - x->p : x->p, out->len, 0 };
    strbuf_printf(out, "<tr><td>%.3f</td><td>%s%s</td><td><a href=\"s/%ld.html#d%d\">", row.confidence,
                  missed            ? "missing "
                  : x->in_gold == 0 ? "wrong "
                                    : "",
                  PAGE_DECISION_KINDS[x->d.kind], i->origin.id, number);
    page_decision_name(out, i->m, &x->d);
    strbuf_puts(out, "</a></td><td class=\"word\">");
    page_decision_words(out, &x->d, i->s, WORDS);
    strbuf_puts(out, "</td><td class=\"word\">");
    if (missed) strbuf_puts(out, "gold has it");
    else if (x->in_gold == 0) page_decision_gold(out, x, i->gold);
    strbuf_puts(out, "</td><td class=\"heads\">");
    for (int k = 0, h = -1; k < HEADS && (h = inspection_next_head(&x->a, h)) >= 0; k++) {
        strbuf_puts(out, k ? "; " : "");
        page_head(out, h);
        strbuf_printf(out, "&#160;%+.2f", x->a.head[h]);
    }
    strbuf_puts(out, "</td></tr>\n");
    row.len = out->len - row.at;
    if (out->failed || !mem_reserve(s->row, &s->cap, s->n + 1))
        return error_set(e, ERR_NOMEM, "out of memory listing decisions");
    s->row[s->n++] = row;
    return OK;
}

/* Keeps the best example so far. */
static Status choose_example(Site *s, const Inspected *x, bool gold, Error *e)
{
    for (int k = 0; k < x->n; k++) {
        double rank = example_rank(&x->x[k], gold);
        if (rank <= s->rank) continue;
        s->rank = rank;
        strbuf_clear(&s->example);
        example_put(&s->example, x, &x->x[k], k);
    }
    return s->example.failed ? error_set(e, ERR_NOMEM, "out of memory writing pages") : OK;
}

Status site_add(Site *s, const Inspected *x, const StrBuf *page, Error *e)
{
    enum { WORDS = 30 };
    Status status = write_pending(s, x->origin.id, e);
    int wrong = 0;
    double least = 1;
    bool gold =
        x->missed != NULL; /* does gold judge any decision? not of other annotation, nor differences of scores */
    for (int k = 0; k < x->n; k++) gold = gold || x->x[k].in_gold >= 0;
    strbuf_clear(&s->pending);
    strbuf_add(&s->pending, page->ptr, page->len);
    s->last = x->origin.id;
    if (status == OK && !mem_reserve(s->id, &s->id_cap, s->n_ids + 1))
        status = error_set(e, ERR_NOMEM, "out of memory listing sentences");
    if (status == OK) s->id[s->n_ids++] = s->last;
    if (status == OK && s->pending.failed) status = error_set(e, ERR_NOMEM, "out of memory writing pages");
    s->gold = s->gold || gold;
    for (int k = 0; k < x->n && status == OK; k++) {
        if (x->x[k].p < least) least = x->x[k].p;
        wrong += x->x[k].in_gold == 0;
        if (!gold || x->x[k].in_gold == 0) status = add_row(s, x, &x->x[k], k, false, e);
    }
    for (int k = 0; k < x->n_missed && status == OK; k++) status = add_row(s, x, &x->missed[k], x->n + k, true, e);
    if (status == OK) status = choose_example(s, x, gold, e);
    if (status != OK) return status;
    strbuf_printf(&s->sentences, "<tr><td><a href=\"s/%ld.html\">%ld</a></td><td class=\"word\">", x->origin.id,
                  x->origin.id);
    Decision all = { EXPLAIN_SPAN, { 0, x->p->n_words, LABEL_NONE }, LABEL_NONE };
    page_decision_words(&s->sentences, &all, x->s, WORDS);
    strbuf_puts(&s->sentences, "</td>");
    if (gold) strbuf_printf(&s->sentences, "<td>%d</td><td>%d</td>", wrong, x->n_missed);
    else strbuf_puts(&s->sentences, "<td></td><td></td>");
    page_cell(&s->sentences, x->n > 0, "%.3f", least);
    strbuf_printf(&s->sentences, "<td>%d</td></tr>\n", x->p->n_words);
    return s->sentences.failed ? error_set(e, ERR_NOMEM, "out of memory listing sentences") : OK;
}

/* ---- lists */

static int by_position(const SiteRow *a, const SiteRow *b) { return (a->at > b->at) - (a->at < b->at); }

static int most_confident_first(const void *x, const void *y)
{
    const SiteRow *a = x, *b = y;
    return a->confidence == b->confidence ? by_position(a, b) : a->confidence < b->confidence ? 1 : -1;
}

static int least_confident_first(const void *x, const void *y)
{
    const SiteRow *a = x, *b = y;
    return a->confidence == b->confidence ? by_position(a, b) : a->confidence < b->confidence ? -1 : 1;
}

static Status write_decisions(Site *s, Error *e)
{
    StrBuf out = { 0 };
    int n = s->n < ROWS_MOST ? s->n : ROWS_MOST;
    if (s->n) qsort(s->row, (size_t)s->n, sizeof *s->row, s->gold ? most_confident_first : least_confident_first);
    page_begin(&out, s->gold ? "Wrong decisions, the most confident first" : "Decisions, the least confident first", "",
               "");
    strbuf_puts(&out, "<p>Confidence is the probability of the decision among its alternatives: the labels of the span "
                      "and, except for whole sentences, \"no phrase\"; the heads of the word; or its types. For a gold "
                      "phrase that the parse lacks it is the probability of all other alternatives. Spans are trained "
                      "with a margin loss: their probabilities sort decisions and are not calibrated.</p>\n");
    if (n < s->n) strbuf_printf(&out, "<p>The first %d of %d.</p>\n", n, s->n);
    page_names(&out, "");
    page_table(&out, "Decisions", "list", "confidence|kind|decision|words|gold|largest contributions of heads");
    strbuf_puts(&out, PAGE_ROWS);
    for (int k = 0; k < n; k++) strbuf_add(&out, s->rows.ptr + s->row[k].at, s->row[k].len);
    strbuf_puts(&out, "</tbody></table></div>\n");
    page_end(&out);
    return site_write(s, "decisions.html", &out, e);
}

static Status write_sentences(Site *s, Error *e)
{
    StrBuf out = { 0 };
    page_begin(&out, "Sentences", "", "");
    strbuf_puts(&out, s->gold ? "<p>Wrong decisions of the parse, phrases of gold that it lacks, and the <a "
                                "href=\"glossary.html#probability\">confidence</a> of the least certain decision.</p>\n"
                              : "<p>The <a href=\"glossary.html#probability\">confidence</a> is that of the least "
                                "certain decision. Nothing is judged, as there is no gold.</p>\n<div "
                                "class=\"unjudged\">");
    page_table(&out, "Sentences", "list", "sentence|text|wrong decisions|missing phrases|lowest confidence|words");
    strbuf_puts(&out, PAGE_ROWS);
    if (s->sentences.ptr) strbuf_add(&out, s->sentences.ptr, s->sentences.len);
    strbuf_puts(&out, s->gold ? "</tbody></table></div>\n" : "</tbody></table></div></div>\n");
    page_end(&out);
    return site_write(s, "sentences.html", &out, e);
}

/* Names the heads after the sums, and writes the pages of all sentences again, with the names. */
static Status fill_names(Site *s, const Inspection *sums, Error *e)
{
    Status status = head_names_init(&s->names, sums->sum.heads, sums->words, e);
    if (status == OK) head_names_of_labels(&s->names, sums->m);
    if (status == OK) head_names_of_sums(&s->names, 0, NULL, &sums->sum);
    for (int k = 0; k < s->n_ids && status == OK; k++) {
        char name[40], path[PATH_BYTES];
        StrBuf page = { 0 };
        snprintf(name, sizeof name, "s/%ld.html", s->id[k]);
        status = join(path, s->folder, name, e);
        if (status == OK) status = file_read(path, &page, e);
        if (status == OK) status = site_write(s, name, &page, e);
        strbuf_fini(&page);
    }
    return status;
}

Status site_finish(Site *s, const Inspection *sums, Error *e)
{
    StrBuf out = { 0 };
    Status status = write_pending(s, 0, e);
    if (status == OK) status = fill_names(s, sums, e);
    if (status == OK) status = write_decisions(s, e);
    if (status == OK) status = write_sentences(s, e);
    if (status == OK) status = write_label_heads(s, sums, e);
    if (status == OK) status = write_glossary(s, true, e);
    if (status != OK) return status;
    dashboard_parts(&out, &sums->sum);
    status = site_write(s, "parts.svg", &out, e);
    if (status != OK) return status;
    dashboard_page(&out, s, sums);
    return site_write(s, "index.html", &out, e);
}
