/* The documents of pages are JSON that no word can break out of, and have every decision of
 * each sentence; a folder and a page of one file have the same. The pages themselves: tests/site. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "explain/head_page.h"
#include "explain/inspection_pages.h"
#include "parser/task/parse/parse_heads.h"
#include "parser/parse/long_sentence.h"
#include "tests/support/explained.h"

enum { SENTENCES = 6 };

static void remove_folder(const char *path)
{
    char name[300];
    DIR *d = opendir(path);
    for (struct dirent *x; d && (x = readdir(d));) {
        if (x->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, x->d_name);
        if (unlink(name) != 0) remove_folder(name);
    }
    if (d) closedir(d);
    rmdir(path);
}

static void end(Setup *s)
{
    remove_folder(in(&s->b, "site"));
    unlink(in(&s->b, "one.html"));
    teardown(s);
}

/* Numbers of explained decisions, which the pages must contain. */
typedef struct Counts {
    int decisions, missed, wrong;
    long differences;
} Counts;

/* Parses and explains a gold sentence by the model of s. */
static Status explain(Setup *s, const Sentence *gold, bool judged, long id, Arena *a, Parsed *p, Inspected *x, Error *e)
{
    const InspectOptions o = {
        .kinds = { true, true, true }, .words = PAGE_HEADS, .leads = true, .missed = true, .contrasts = 3
    };
    ParseInput *input = arena_alloc(a, 1, sizeof *input);
    if (input == NULL) return error_set(e, ERR_NOMEM, "out of memory");
    *input = (ParseInput){ .n_words = gold->n_words, .words = gold->words };
    *x = (Inspected){ .p = p, .gold = judged ? gold : NULL, .in = input, .how = &s->o, .origin = { .id = id } };
    Status st = long_sentence_parse(&s->w, input, &s->o, a, p, e);
    return st == OK ? inspection_explain(&o, &s->w, a, x, e) : st;
}

/* One sentence by the model of s and, if t is not NULL, that of t, added to the pages. */
static Status add_sentence(Setup *s, Setup *t, InspectionPages *pages, Inspection *sums, const Sentence *gold,
                           bool judged, long id, Counts *counts, Error *e)
{
    Parsed p[2];
    Inspected x[2];
    StrBuf page = { .compact = true };
    Status st = explain(s, gold, judged, id, &s->arena, &p[0], &x[0], e);
    if (st == OK && t) st = explain(t, gold, judged, id, &s->arena, &p[1], &x[1], e);
    json_object(&page, NULL);
    json_object(&page, "other");
    if (st == OK && t) st = compare_sentence(&x[0], &x[1], (Worker *[]){ &s->w, &t->w }, &s->arena, &page, e);
    json_object_end(&page);
    json_key(&page, "sentence");
    if (st == OK) inspection_json(&page, &x[0], &s->w, PAGE_HEADS, true);
    json_object_end(&page);
    if (st == OK) st = inspection_add(sums, &x[0], e);
    if (st == OK) st = inspection_pages_add(pages, &x[0], t ? x[1].s : NULL, &page, e);
    strbuf_fini(&page);
    if (st != OK) return st;
    counts->decisions += x[0].n;
    counts->missed += x[0].n_missed;
    for (int i = 0; i < x[0].n; i++) counts->wrong += x[0].x[i].in_gold == 0;
    return OK;
}

/* Pages at `name` of gold sentences, by one or two models. */
static Status make_pages(Setup *s, Setup *t, const char *name, const Sentence *gold, int n, bool judged, Counts *counts,
                         Error *e)
{
    FREED(inspection_fini) Inspection sums;
    FREED(compare_fini) Compare c;
    FREED(inspection_pages_fini) InspectionPages pages = { .rows = { 0 } };
    compare_init(&c, "<a>", "b&c", &s->m);
    Status st = inspection_init(&sums, &s->m, e);
    *counts = (Counts){ 0 };
    s->o.k_best = 2;
    s->o.confidence = true;
    if (st == OK) st = inspection_pages_open(&pages, in(&s->b, name), "<a>", t ? &c : NULL, e);
    for (int k = 0; k < n && st == OK; k++) st = add_sentence(s, t, &pages, &sums, &gold[k], judged, k + 1, counts, e);
    counts->differences = c.differences;
    if (st == OK) st = inspection_pages_finish(&pages, &sums, e);
    return st == OK ? inspection_pages_close(&pages, true, e) : st;
}

/* ---- what is written */

/* A document of the folder "site" or of the page one.html. */
static cJSON *document(Setup *s, const char *name)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    char path[300], begin[80];
    cJSON *found;
    bool folder = access(in(&s->b, "site"), F_OK) == 0;
    if (folder) snprintf(path, sizeof path, "%s/data/%s.js", in(&s->b, "site"), name);
    else snprintf(path, sizeof path, "%s", in(&s->b, "one.html"));
    snprintf(begin, sizeof begin, folder ? "lal(\"%s\", " : "<script type=\"application/json\" id=\"data-%s\">", name);
    assert_ok(file_read(path, &text, test_error()));
    const char *json = strstr(text.ptr, begin), *end;
    assert_non_null(json);
    json += strlen(begin);
    end = strstr(json, folder ? ");\n" : "</script>");
    assert_non_null(end);
    assert_null(memchr(json, '<', (size_t)(end - json))); /* no text ends the element, or begins another one */
    assert_ok(json_parse(json, (size_t)(end - json), &found, test_error()));
    return found;
}

static int count(const cJSON *object, const char *path) { return cJSON_GetArraySize(json_at(object, path)); }

static double number(const cJSON *object, const char *path) { return json_at(object, path)->valuedouble; }

/* The documents of n sentences and the overview have what `counts` says. */
static void assert_documents(Setup *s, int n, bool judged, const Counts *counts)
{
    int decisions = 0, missed = 0;
    for (int k = 1; k <= n; k++) {
        char name[24];
        snprintf(name, sizeof name, "%d", k);
        cJSON *x = document(s, name);
        assert_int_equal((int)number(x, "sentence.id"), k);
        decisions += count(x, "sentence.decisions");
        if (json_at(x, "sentence.missed")) missed += count(x, "sentence.missed");
        cJSON_Delete(x);
    }
    assert_int_equal(decisions, counts->decisions);
    assert_int_equal(missed, counts->missed);
    cJSON *x = document(s, "overview");
    const cJSON *row;
    double last = judged ? 1 : 0;
    assert_int_equal(count(x, "texts"), n);
    assert_int_equal(count(x, "decisions"), judged ? counts->wrong + counts->missed : counts->decisions);
    cJSON_ArrayForEach(row, json_at(x, "decisions"))
    {
        double now = number(row, "confidence");
        assert_true(judged ? now <= last : now >= last);
        last = now;
    }
    cJSON_Delete(x);
}

TEST(pages_have_every_decision)
{
    Counts counts;
    MADE(Setup, setup, end, s, true, true, true);
    for (int judged = 0; judged < 2; judged++) {
        assert_ok(make_pages(&s, NULL, "site", s.b.dev.trees.s, SENTENCES, judged, &counts, test_error()));
        assert_documents(&s, SENTENCES, judged, &counts);
    }
    assert_true(counts.missed > 0 && counts.wrong > 0);
    remove_folder(in(&s.b, "site"));
    assert_ok(make_pages(&s, NULL, "one.html", s.b.dev.trees.s, SENTENCES, true, &counts, test_error()));
    assert_documents(&s, SENTENCES, true, &counts);
}

TEST(words_cannot_break_out_of_a_page)
{
    Counts counts;
    const char *words[] = { "</script><script>alert(1)</script>", "]]>", "\"&'", "--><b>", "<!--", "\x01" };
    Sentence x = { .n_words = 6, .words = words };
    MADE(Setup, setup, end, s, true, true, true);
    for (int one = 0; one < 2; one++) {
        assert_ok(make_pages(&s, NULL, one ? "one.html" : "site", &x, 1, false, &counts, test_error()));
        assert_documents(&s, 1, false, &counts);
        cJSON *found = document(&s, "1");
        for (int w = 0; w < 6; w++) {
            char path[40];
            snprintf(path, sizeof path, "sentence.tokens[%d]", w);
            assert_string_equal(json_at(found, path)->valuestring, words[w]);
        }
        cJSON_Delete(found);
        remove_folder(in(&s.b, "site"));
    }
}

TEST(empty_and_long_sentences_have_pages_too)
{
    Counts counts;
    MADE(Setup, setup, end, s, true, true, true);
    Sentence x[2] = { { .n_words = 0 }, s.b.dev.trees.s[0] };
    s.o.max_words = 2;
    assert_true(x[1].n_words > 2);
    assert_ok(make_pages(&s, NULL, "site", x, 2, false, &counts, test_error()));
    assert_int_equal(counts.decisions, 0);
    assert_documents(&s, 2, false, &counts);
    assert_ok(make_pages(&s, NULL, "site", x, 0, false, &counts, test_error())); /* nothing at all */
    assert_documents(&s, 0, false, &counts);
}

TEST(a_page_that_is_not_finished_does_not_come_into_being)
{
    FREED(inspection_pages_fini) InspectionPages pages;
    MADE(Setup, setup, end, s, true, true, true);
    assert_ok(inspection_pages_open(&pages, in(&s.b, "one.html"), "a", NULL, test_error()));
    assert_ok(inspection_pages_close(&pages, false, test_error()));
    assert_int_equal(access(in(&s.b, "one.html"), F_OK), -1);
}

/* ---- two models */

TEST(two_models_are_compared_sentence_by_sentence)
{
    MADE(Setup, setup, end, s, true, true, true);
    MADE(Setup, setup_heads, teardown, t, false, true, true, 4, 8);
    for (int same = 0; same < 2; same++) {
        Setup copy = { .m = s.m, .o = s.o };
        Counts counts;
        worker_init(&copy.w, &s.m, device_cpu());
        assert_ok(make_pages(&s, same ? &copy : &t, "site", s.b.dev.trees.s, 4, same, &counts, test_error()));
        assert_true(same ? counts.differences == 0 : counts.differences > 0);
        worker_fini(&copy.w);
        cJSON *x = document(&s, "overview"), *pair = document(&s, "4");
        assert_int_equal((long)number(x, "compare.differences"), counts.differences);
        assert_string_equal(json_at(x, "compare.models[0].name")->valuestring, "<a>");
        assert_string_equal(json_at(x, "compare.models[1].name")->valuestring, "b&c");
        for (int k = 0; k < 2; k++) /* only where gold judges */
            assert_true((json_at(x, k ? "compare.models[1].report.type" : "compare.models[0].report.label") != NULL) ==
                        same);
        assert_true((count(pair, "other.decisions") > 0) == !same);
        assert_int_equal(count(pair, "other.governors"), s.b.dev.trees.s[3].n_words);
        cJSON_Delete(pair);
        cJSON_Delete(x);
    }
}

TEST(comparing_reports_every_failed_allocation)
{
    MADE(Setup, setup, end, s, true, true, true);
    MADE(Setup, setup_heads, teardown, t, false, true, true, 4, 8);
    for (long n = 0; allocation_fails(n); n += n < 100 ? 3 : 41) {
        Counts counts;
        Setup *setups[] = { &s, &t };
        for (int k = 0; k < 2; k++) {
            worker_fini(&setups[k]->w);
            worker_init(&setups[k]->w, &setups[k]->m, device_cpu());
            arena_fini(&setups[k]->arena);
            arena_init(&setups[k]->arena, 64);
        }
        mem_fail_after(n);
        assert_ok_or_no_memory(make_pages(&s, &t, "site", s.b.dev.trees.s, 1, true, &counts, test_error()));
    }
}

TEST(heads_have_a_page)
{
    FREED(head_report_fini) HeadReport r;
    StrBuf page = { 0 };
    MADE(Setup, setup, end, s, true, true, true);
    assert_ok(head_report_init(&r, &s.m, NULL, NULL, 0, true, test_error()));
    double *importance = arena_alloc(&s.arena, (size_t)r.n_heads, sizeof *importance);
    HeadWeights *weights = arena_alloc(&s.arena, (size_t)r.n_heads, sizeof *weights);
    for (int k = 0; k < 3; k++) assert_ok(parse_heads_add(&r, &s.w, &s.b.dev.trees.s[k], &s.o, test_error()));
    assert_ok(head_report_finish(&r, test_error()));
    head_report_importance(&r, IMPORTANCE_GATE, NORMALISE_MINMAX, importance);
    head_page_begin(&page, &r, NULL, "<model>", importance, "gate");
    for (int h = 0; h < r.n_heads; h++) { /* self-attention heads and label heads */
        Parsed p;
        ParseInput input = { .n_words = s.b.dev.trees.s[0].n_words, .words = s.b.dev.trees.s[0].words };
        assert_ok(parse_batch(&s.w, &input, 1, &s.o, &s.arena, &p, test_error()));
        assert_ok(head_report_weights(&r, &s.w, &s.arena, weights, test_error()));
        const AttentionNames of = { input.words, input.words, 1, input.n_words, input.n_words, false };
        head_page_attention(&page, &r, NULL, h, &of, 1, &weights[h]);
    }
    assert_ok(head_page_write(in(&s.b, "site"), &page, &r, test_error()));
    cJSON *x = document(&s, "heads");
    assert_int_equal(count(x, "report.heads"), r.n_heads);
    assert_int_equal(count(x, "attention"), r.n_heads);
    assert_int_equal(count(x, "patterns"), r.n_patterns);
    assert_int_equal(count(x, "shown"), r.n_heads);
    assert_int_equal(count(x, "layers"), r.n_layers);
    for (int h = 0; h < r.n_heads; h++) { /* a label head has one row; weights over START, the words and STOP */
        char path[40];
        snprintf(path, sizeof path, "attention[%d].weights", h);
        assert_int_equal(count(x, path), h >= r.first[r.n_layers - 1] ? 1 : s.b.dev.trees.s[0].n_words);
        snprintf(path, sizeof path, "attention[%d].weights[0]", h);
        assert_int_equal(count(x, path), s.b.dev.trees.s[0].n_words + 2);
    }
    cJSON_Delete(x);
}

TEST(a_folder_that_cannot_be_made_is_told)
{
    Counts counts;
    MADE(Setup, setup, end, s, true, true, true);
    FILE *f = fopen(in(&s.b, "site"), "w"); /* a file has the name of the folder */
    assert_non_null(f);
    fclose(f);
    assert_fails_with(make_pages(&s, NULL, "site", NULL, 0, false, &counts, test_error()), ERR_IO,
                      "site: cannot make the folder");
    unlink(in(&s.b, "site"));
}

TEST(pages_tell_every_failed_allocation)
{
    MADE(Setup, setup, end, s, true, true, true);
    for (long n = 0; allocation_fails(n); n += n < 100 ? 1 : 29) {
        Counts counts;
        Worker fresh;
        worker_init(&fresh, &s.m, device_cpu());
        worker_fini(&s.w);
        s.w = fresh;
        arena_fini(&s.arena);
        arena_init(&s.arena, 64);
        mem_fail_after(n);
        const Sentence *short_ones = s.b.dev.trees.s + 10;
        assert_ok_or_no_memory(make_pages(&s, NULL, "site", short_ones, 2, true, &counts, test_error()));
    }
}
