/* Pages are well-formed, complete without scripts and load nothing from outside their folder;
 * every link has a target. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <expat.h>
#include <sys/stat.h>

#include "base/file.h"
#include "parser/task/parse/parse_heads.h"
#include "explain/site/compare.h"
#include "explain/site/page.h"
#include "parser/parse/long_sentence.h"
#include "tests/support/explained.h"

enum { SENTENCES = 6, FILES = 40, LINKS = 9000, NAMES = 4000 };

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
    teardown(s);
}

/* Numbers of explained decisions, which the pages must contain. */
typedef struct SiteCounts {
    int decisions, missed, wrong;
} SiteCounts;

/* Gold sentences (or none), each explained and added to the site. */
static Status make_site(Setup *s, const Sentence *gold, int n, bool judged, SiteCounts *counts, Error *e)
{
    FREED(site_fini) Site site;
    FREED(inspection_fini) Inspection sums;
    InspectOptions o = {
        .kinds = { true, true, true }, .words = SITE_HEADS, .leads = true, .missed = true, .rival = true
    };
    Status st = inspection_init(&sums, &s->m, e),
           opened = site_open(&site, in(&s->b, "site"), "a", st == OK ? e : &(Error){ 0 });
    if (st == OK) st = opened;
    *counts = (SiteCounts){ 0 };
    s->o.k_best = 2;
    s->o.confidence = true;
    for (int k = 0; k < n && st == OK; k++) {
        Parsed p;
        FREED(strbuf_fini) StrBuf page = { 0 };
        ParseInput input = { .n_words = gold[k].n_words, .words = gold[k].words };
        Inspected x = { .p = &p, .gold = judged ? &gold[k] : NULL, .origin = { .id = k + 1 } };
        st = long_sentence_parse(&s->w, &input, &s->o, &s->arena, &p, e);
        if (st == OK) st = inspection_explain(&o, &s->w, 1, &s->arena, &x, e);
        if (st == OK) site_sentence(&page, &x, &s->w);
        if (st == OK && page.failed) st = error_set(e, ERR_NOMEM, "page");
        if (st == OK) st = inspection_add(&sums, &x, e);
        if (st == OK) st = site_add(&site, &x, &page, e);
        counts->decisions += x.n;
        counts->missed += x.n_missed;
        for (int i = 0; i < x.n; i++) counts->wrong += x.x[i].in_gold == 0;
    }
    if (st == OK) st = site_finish(&site, &sums, e);
    return st;
}

/* ---- pages as a reader without scripts has them */

typedef struct Reader {
    Arena a;
    const char *folder, *file; /* of the current file: "index.html", "s/1.html" */
    const char *link[LINKS],
        *name[NAMES]; /* "s/1.html#d3" from the site's folder; "s/1.html#d3" of every id, "s/1.html" of every file */
    int n_links, n_names, articles, rows, text; /* text: bytes of it */
    int unnamed, drawings;                      /* pictures without a text alternative; <svg> */
} Reader;

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (int k = 0; attributes[k]; k += 2)
        if (strcmp(attributes[k], name) == 0) return attributes[k + 1];
    return NULL;
}

static void add_link(Reader *r, const char *to)
{
    char path[200];
    if (strncmp(to, "data:", 5) == 0) return;
    assert_null(strstr(to, ":")); /* no other scheme, hence no network */
    const char *slash = strrchr(r->file, '/');
    if (to[0] == '#') snprintf(path, sizeof path, "%s%s", r->file, to);
    else if (strncmp(to, "../", 3) == 0) snprintf(path, sizeof path, "%s", to + 3);
    else snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - r->file) + 1 : 0, r->file, to);
    assert_true(r->n_links < LINKS);
    r->link[r->n_links++] = arena_strndup(&r->a, path, strlen(path));
}

static void add_name(Reader *r, const char *id)
{
    char path[200];
    snprintf(path, sizeof path, "%s%s%s", r->file, id ? "#" : "", id ? id : "");
    assert_true(r->n_names < NAMES);
    for (int k = 0; k < r->n_names; k++)
        if (strcmp(r->name[k], path) == 0) fail_msg("%s is there twice", path);
    r->name[r->n_names++] = arena_strndup(&r->a, path, strlen(path));
}

static void XMLCALL begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
    Reader *r = user;
    const char *href = attribute(attributes, "href"), *src = attribute(attributes, "src"),
               *id = attribute(attributes, "id");
    if (href) add_link(r, href);
    if (src) add_link(r, src);
    if (id) add_name(r, id);
    r->articles += strcmp(name, "article") == 0;
    r->rows += strcmp(name, "tr") == 0;
    r->drawings += strcmp(name, "svg") == 0;
    if (strcmp(name, "img") == 0 && !attribute(attributes, "alt")) r->unnamed++;
}

static void XMLCALL text(void *user, const XML_Char *s, int n)
{
    Reader *r = user;
    (void)s;
    r->text += n;
}

static void read_page(Reader *r, const char *file)
{
    char path[300];
    FREED(strbuf_fini) StrBuf page = { 0 };
    r->file = file;
    snprintf(path, sizeof path, "%s/%s", r->folder, file);
    assert_ok(file_read(path, &page, test_error()));
    add_name(r, NULL);
    size_t len = strlen(file);
    if (strcmp(file + len - 4, ".css") != 0 && strcmp(file + len - 3, ".js") != 0) {
        XML_Parser p = XML_ParserCreate(NULL);
        XML_SetUserData(p, r);
        XML_SetStartElementHandler(p, begin);
        XML_SetCharacterDataHandler(p, text);
        if (XML_Parse(p, page.ptr, (int)page.len, 1) != XML_STATUS_OK)
            fail_msg("%s:%lu: %s", file, (unsigned long)XML_GetCurrentLineNumber(p),
                     XML_ErrorString(XML_GetErrorCode(p)));
        XML_ParserFree(p);
    } else assert_null(strstr(page.ptr, "url(")); /* styles load nothing, too */
}

static void reader_init(Reader *r, Setup *s)
{
    *r = (Reader){ .folder = in(&s->b, "site") };
    arena_init(&r->a, 1 << 16);
}

static void reader_fini(Reader *r) { arena_fini(&r->a); }

static void read_site(Reader *r, int sentences)
{
    static const char *const files[] = { "index.html",    "decisions.html", "sentences.html", "heads.html",
                                         "glossary.html", "parts.svg",      "style.css",      "script.js" };
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        r->rows = 0;
        read_page(r, files[k]);
    }
    for (int k = 1; k <= sentences; k++) {
        char file[40];
        snprintf(file, sizeof file, "s/%d.html", k);
        read_page(r, arena_strndup(&r->a, file, strlen(file)));
    }
    for (int k = 0; k < r->n_links; k++) {
        bool found = false;
        for (int i = 0; i < r->n_names && !found; i++) found = strcmp(r->name[i], r->link[k]) == 0;
        if (!found) fail_msg("a link leads to %s, which is not there", r->link[k]);
    }
}

static bool links_to(const Reader *r, const char *to)
{
    for (int k = 0; k < r->n_links; k++)
        if (strcmp(r->link[k], to) == 0) return true;
    return false;
}

TEST(pages_are_well_formed_and_their_links_lead_somewhere)
{
    SiteCounts counts;
    MADE(Setup, setup, end, s, true, true, true);
    for (int judged = 0; judged < 2; judged++) {
        assert_ok(make_site(&s, s.b.dev.trees.s, SENTENCES, judged, &counts, test_error()));
        MADE(Reader, reader_init, reader_fini, r, &s);
        read_site(&r, SENTENCES);
        assert_int_equal(r.articles, counts.decisions + counts.missed); /* every decision, without scripts */
        assert_int_equal(r.unnamed, 0);
        assert_true(links_to(&r, "s/2.html") && links_to(&r, "s/1.html#d0"));
    }
    assert_true(counts.missed > 0 && counts.wrong > 0);
}

/* Rows of decisions.html: each wrong or missing one, confidence falling. */
TEST(wrong_decisions_are_listed_by_falling_confidence)
{
    SiteCounts counts;
    FREED(strbuf_fini) StrBuf page = { 0 };
    char path[200];
    MADE(Setup, setup, end, s, true, true, true);
    assert_ok(make_site(&s, s.b.dev.trees.s, SENTENCES, true, &counts, test_error()));
    snprintf(path, sizeof path, "%s/decisions.html", in(&s.b, "site"));
    assert_ok(file_read(path, &page, test_error()));
    double last = 1;
    int rows = 0;
    for (const char *at = page.ptr; (at = strstr(at, "<tr><td>")); rows++) {
        double now = strtod(at += 8, NULL);
        assert_true(now >= 0 && now <= last);
        last = now;
    }
    assert_int_equal(rows, counts.wrong + counts.missed);
}

TEST(words_cannot_break_out_of_a_page)
{
    SiteCounts counts;
    const char *words[] = { "<script>alert(1)</script>", "]]>", "\"&'", "--><b>", "<!--next-->", "\x01" };
    Sentence x = { .n_words = 6, .words = words };
    MADE(Setup, setup, end, s, true, true, true);
    assert_ok(make_site(&s, &x, 1, false, &counts, test_error()));
    MADE(Reader, reader_init, reader_fini, r, &s);
    read_site(&r, 1);
    assert_int_equal(r.articles, counts.decisions);
}

TEST(empty_and_long_sentences_have_pages_too)
{
    SiteCounts counts;
    MADE(Setup, setup, end, s, true, true, true);
    Sentence x[2] = { { .n_words = 0 }, s.b.dev.trees.s[0] };
    s.o.max_words = 2;
    assert_true(x[1].n_words > 2);
    assert_ok(make_site(&s, x, 2, false, &counts, test_error()));
    MADE(Reader, reader_init, reader_fini, r, &s);
    read_site(&r, 2);
    assert_int_equal(counts.decisions, 0);
    assert_int_equal(r.articles, 0);
    assert_ok(make_site(&s, x, 0, false, &counts, test_error())); /* nothing at all */
    MADE(Reader, reader_init, reader_fini, empty, &s);
    read_site(&empty, 0);
}

/* ---- the example of the first page */

TEST(the_example_says_what_decided_for_every_pattern_of_signs)
{
    static const struct {
        double head[3], bias;
        const char *says[3];
    } cases[] = {
        { { 1, 0.5, 0.25 },
          0.25,
          { "ADJP, is lower by 2.000.", "3 are for VP (+1.750 in sum) and none is for ADJP; the biases add +0.250.",
            "Both the heads in sum and the biases are for VP.</li>" } },
        { { 1, -0.5, 0.25 },
          -0.25,
          { "is lower by 0.500.", "2 are for VP (+1.250 in sum) and 1 is for ADJP (-0.500); the biases add -0.250.",
            "The heads decided for VP, against the biases.</li>" } },
        { { -1, 0.75, 0.75 }, /* the largest one is for gold */
          0,
          { "2 are for VP (+1.500 in sum) and 1 is for ADJP (-1.000);", " 1<!--head 0--> (-1.000); 2",
            "The heads decided for VP.</li>" } },
        { { -1, -0.5, -0.25 },
          3,
          { "is lower by 1.250.", "none is for VP and 3 are for ADJP (-1.750 in sum); the biases add +3.000.",
            "The biases decided for VP, against the heads.</li>" } },
        { { 0.5, -0.5, 0 },
          1,
          { "Of the 3 contributions", "1 is for VP (+0.500) and 1 is for ADJP (-0.500);",
            "The biases decided for VP.</li>" } },
        { { 0.25, -1, 0 },
          0.25,
          { "is higher by 0.500.", "1 is for VP (+0.250) and 1 is for ADJP (-1.000);",
            "The parse cannot have the gold label, which only other treebanks of the model use.</li>" } },
        { { 0.25, -0.5, 0 }, 0.25, { "is lower by 0.000.", "", "Both labels have the same score.</li>" } },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(strbuf_fini) StrBuf out = { 0 };
        HeadAttribution lead = { .heads = 3, .head = (double *)cases[k].head, .bias = cases[k].bias };
        lead.score = lead.head[0] + lead.head[1] + lead.head[2] + lead.bias;
        example_difference(&out, &lead, "VP", "ADJP");
        for (int i = 0; i < 3; i++)
            if (!strstr(out.ptr, cases[k].says[i])) fail_msg("'%s' lacks '%s'", out.ptr, cases[k].says[i]);
    }
}

/* ---- two models */

/* One sentence by the models of s and t, added to the pages. */
static Status compare_one(Setup *s, Setup *t, Compare *c, Site *site, Inspection *sums, const Sentence *gold, long id,
                          bool judged, Difference *d, Error *e)
{
    Parsed p[2];
    Setup *setups[2] = { s, t };
    FREED(strbuf_fini) StrBuf page = { 0 };
    ParseInput input = { .n_words = gold->n_words, .words = gold->words };
    Inspected x[2];
    Status st = OK;
    for (int k = 0; k < 2 && st == OK; k++) {
        InspectOptions o = { .kinds = { true, true, true }, .words = SITE_HEADS };
        x[k] = (Inspected){ .p = &p[k], .gold = judged ? gold : NULL, .origin = { .id = id } };
        st = parse_batch(&setups[k]->w, &input, 1, &setups[k]->o, &s->arena, &p[k], e);
        if (st == OK) st = inspection_explain(&o, &setups[k]->w, 1, &s->arena, &x[k], e);
    }
    if (st == OK) st = compare_sentence(c, d, &x[0], &x[1], (Worker *[]){ &s->w, &t->w }, &s->arena, e);
    if (st == OK) site_sentence(&page, &x[0], &s->w);
    if (st == OK && page.failed) st = error_set(e, ERR_NOMEM, "page");
    if (st == OK) st = inspection_add(sums, &x[0], e);
    if (st == OK) st = site_add(site, &x[0], &page, e);
    if (st == OK) st = compare_add(c, d, e);
    return st;
}

/* The pages of the first n sentences; sets the sum of their differences. */
static Status compare_models(Setup *s, Setup *t, int n, bool judged, int *differences, Error *e)
{
    FREED(site_fini) Site site;
    FREED(inspection_fini) Inspection sums;
    FREED(compare_fini) Compare c = { 0 };
    Difference d = { 0 };
    Status st = inspection_init(&sums, &s->m, e),
           opened = site_open(&site, in(&s->b, "site"), "<a>", st == OK ? e : &(Error){ 0 });
    if (st == OK) st = opened;
    if (st == OK) st = compare_open(&c, &site, "<a>", "b&c", e);
    *differences = 0;
    for (int k = 0; k < n && st == OK; k++) {
        st = compare_one(s, t, &c, &site, &sums, &s->b.dev.trees.s[k], k + 1, judged, &d, e);
        *differences += d.differences;
    }
    if (st == OK) st = compare_finish(&c, e);
    if (st == OK) st = site_finish(&site, &sums, e);
    strbuf_fini(&d.page);
    strbuf_fini(&d.text);
    return st;
}

TEST(two_models_are_compared_sentence_by_sentence)
{
    MADE(Setup, setup, end, s, true, true, true);
    MADE(Setup, setup_heads, teardown, t, false, true, true, 4, 8);
    for (int same = 0; same < 2; same++) {
        Setup copy = { .m = s.m, .o = s.o };
        int differences;
        worker_init(&copy.w, &s.m, device_cpu());
        assert_ok(compare_models(&s, same ? &copy : &t, 4, same, &differences, test_error()));
        assert_true(same ? differences == 0 : differences > 0);
        worker_fini(&copy.w);
        MADE(Reader, reader_init, reader_fini, r, &s);
        read_page(&r, "compare.html");
        assert_true(links_to(&r, "c/4.html"));
        assert_true(links_to(&r, "compare.html#types") == same); /* only where gold judges */
        assert_true(same ? r.rows > 1 + 4 + 3 + 2 : r.rows == 1 + 4);
        int rows = r.rows;
        read_page(&r, "c/4.html");
        assert_true(links_to(&r, "s/4.html") && links_to(&r, "compare.html"));
        assert_true(!same || r.rows == rows + 3); /* scores, and no decision that differs */
    }
}

TEST(comparing_reports_every_failed_allocation)
{
    MADE(Setup, setup, end, s, true, true, true);
    MADE(Setup, setup_heads, teardown, t, false, true, true, 4, 8);
    for (long n = 0; allocation_fails(n); n += n < 100 ? 3 : 41) {
        int differences;
        Setup *setups[] = { &s, &t };
        for (int k = 0; k < 2; k++) {
            worker_fini(&setups[k]->w);
            worker_init(&setups[k]->w, &setups[k]->m, device_cpu());
            arena_fini(&setups[k]->arena);
            arena_init(&setups[k]->arena, 64);
        }
        mem_fail_after(n);
        assert_ok_or_no_memory(compare_models(&s, &t, 1, true, &differences, test_error()));
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
    heads_page_begin(&page, &r, NULL, "<model>", importance, "gate", false);
    for (int h = 0; h < r.n_heads; h++) { /* self-attention heads and label heads */
        Parsed p;
        ParseInput input = { .n_words = s.b.dev.trees.s[0].n_words, .words = s.b.dev.trees.s[0].words };
        assert_ok(parse_batch(&s.w, &input, 1, &s.o, &s.arena, &p, test_error()));
        assert_ok(head_report_weights(&r, &s.w, &s.arena, weights, test_error()));
        heads_page_head(&page, &r, NULL, h);
        const AttentionNames of = { input.words, input.words, 1, input.n_words, input.n_words, false };
        heads_page_attention(&page, &r, NULL, h, &of, 1, &weights[h]);
    }
    heads_page_head(&page, &r, NULL, -1);
    assert_ok(site_heads(in(&s.b, "site"), &page, test_error()));
    MADE(Reader, reader_init, reader_fini, reader, &s);
    read_page(&reader, "heads.html");
    assert_int_equal(reader.rows, 1 + r.n_heads + 1 + r.n_patterns);
    assert_int_equal(reader.drawings,
                     r.n_heads + 4); /* attention; importance, relevance for phrases and arcs, confidence */
}

TEST(a_page_that_cannot_be_read_is_not_replaced)
{
    SiteCounts counts;
    char page[512];
    MADE(Setup, setup, end, s, true, true, true);
    assert_ok(make_site(&s, NULL, 0, false, &counts, test_error()));
    snprintf(page, sizeof page, "%s/heads.html", in(&s.b, "site"));
    unlink(page);
    assert_int_equal(mkdir(page, 0700), 0); /* reading it fails for every user */
    assert_fails_with(make_site(&s, NULL, 0, false, &counts, test_error()), ERR_IO, "heads.html: found a folder");
    rmdir(page);
}

TEST(a_folder_that_cannot_be_made_is_told)
{
    SiteCounts counts;
    MADE(Setup, setup, end, s, true, true, true);
    FILE *f = fopen(in(&s.b, "site"), "w"); /* a file has the name of the folder */
    assert_non_null(f);
    fclose(f);
    assert_fails_with(make_site(&s, NULL, 0, false, &counts, test_error()), ERR_IO, "site: cannot make the folder");
    unlink(in(&s.b, "site"));
}

TEST(pages_tell_every_failed_allocation)
{
    MADE(Setup, setup, end, s, true, true, true);
    for (long n = 0; allocation_fails(n); n += n < 100 ? 1 : 29) {
        SiteCounts counts;
        Worker fresh;
        worker_init(&fresh, &s.m, device_cpu());
        worker_fini(&s.w);
        s.w = fresh;
        arena_fini(&s.arena);
        arena_init(&s.arena, 64);
        mem_fail_after(n);
        assert_ok_or_no_memory(make_site(&s, s.b.dev.trees.s + 10, 2, true, &counts, test_error())); /* short ones */
    }
}
