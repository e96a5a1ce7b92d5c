/* Every writer of text that runs out of memory says so, whichever allocation fails. */
#define _DEFAULT_SOURCE
#include "base/arena.h"
#include "explain/head_names.h"
#include "explain/head_page.h"
#include "parser/heads/head_report.h"
#include "explain/inspection.h"
#include "parser/task/parse/parse_heads.h"
#include "parser/output/output.h"
#include "tests/support/explained.h"

#define ONE(NAME, name, about) +1
enum { SENTENCES = 4, FORMATS = OUTPUT_EACH(ONE) };

typedef struct Case {
    Setup s;
    Inspection sums;
    Inspected x; /* the last sentence, which the worker still holds */
    Parsed p;
    HeadReport report;
    HeadNames names;
    double *importance;
} Case;

typedef void Writer(StrBuf *out, const Case *c, int form);

static void write_sentence(StrBuf *out, const Case *c, int form)
{
    const OutputStyle style = { .format = OUTPUT_FORMATS[form / 2],
                                .terminal = { .width = 60, .tree = form % 2, .arcs = true },
                                .ud = form % 2 && model_ud(&c->s.m) };
    output_sentence(out, &c->s.m, &c->p, &(Origin){ .id = 1 }, style);
}

static void write_sums(StrBuf *out, const Case *c, int form)
{
    if (form == 0) inspection_text(out, &c->sums, 2);
    if (form == 1) inspection_tsv(out, &c->sums);
    if (form == 2) inspection_json(out, &c->x, &c->s.w, 2, true);
    if (form == 3) inspection_sums_json(out, &c->sums);
}

static void write_heads(StrBuf *out, const Case *c, int form)
{
    if (form == 0) head_report_text(out, &c->report, &c->names, IMPORTANCE_GATE, c->importance);
    if (form == 1) head_report_tsv(out, &c->report);
    if (form == 2) head_report_json(out, &c->report);
    if (form == 3) head_page_begin(out, &c->report, &c->names, "a", c->importance, "gate");
}

static const struct {
    Writer *write;
    int forms;
} WRITERS[] = { { write_sentence, 2 * FORMATS }, { write_sums, 4 }, { write_heads, 4 } };

static void explain(Case *c)
{
    const InspectOptions o = { .kinds = { true, true, true }, .words = 2, .leads = true, .missed = true };
    assert_ok(inspection_init(&c->sums, &c->s.m, test_error()));
    assert_ok(head_report_init(&c->report, &c->s.m, NULL, NULL, 0, true, test_error()));
    for (int k = 0; k < SENTENCES; k++) {
        const Sentence *gold = &c->s.b.dev.trees.s[k];
        ParseInput in = parse_input(gold);
        assert_ok(parse_heads_add(&c->report, &c->s.w, gold, &c->s.o, test_error()));
        assert_ok(parse_batch(&c->s.w, &in, 1, &c->s.o, &c->s.arena, &c->p, test_error()));
        c->x = (Inspected){ .p = &c->p, .gold = gold, .origin = { .id = k + 1 } };
        assert_ok(inspection_explain(&o, &c->s.w, &c->s.arena, &c->x, test_error()));
        assert_ok(inspection_add(&c->sums, &c->x, test_error()));
    }
    assert_ok(head_report_finish(&c->report, test_error()));
    assert_ok(head_names_init(&c->names, c->report.n_heads, c->report.functions[0].queries, test_error()));
    c->importance = arena_alloc(&c->s.arena, (size_t)c->report.n_heads, sizeof *c->importance);
    head_report_importance(&c->report, IMPORTANCE_GATE, NORMALISE_MINMAX, c->importance);
}

/* Fails allocation 0, 1, 2, ... until the writer needs no more. */
static void sweep(Writer *write, const Case *c, int form)
{
    FREED(strbuf_fini) StrBuf whole = { 0 };
    bool done = false;
    write(&whole, c, form);
    assert_false(whole.failed);
    for (long n = 0; !done; n++) {
        FREED(strbuf_fini) StrBuf out = { 0 };
        mem_fail_after(n);
        write(&out, c, form);
        mem_fail_after(-1);
        done = !out.failed;
        if (done && (out.len != whole.len || (out.len && memcmp(out.ptr, whole.ptr, out.len) != 0)))
            fail_msg("form %d: without allocation %ld another text is written", form, n);
        assert_true(n < 20000);
    }
}

TEST(a_writer_without_memory_says_so)
{
    Case c = { 0 };
    setup(&c.s, true, true, true);
    explain(&c);
    for (size_t k = 0; k < sizeof WRITERS / sizeof *WRITERS; k++)
        for (int form = 0; form < WRITERS[k].forms; form++) sweep(WRITERS[k].write, &c, form);
    head_names_fini(&c.names);
    head_report_fini(&c.report);
    inspection_fini(&c.sums);
    teardown(&c.s);
}
