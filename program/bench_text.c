/* How many bytes of text a second are cut into sentences and tokens? (lal bench) */
#include "base/json_writer.h"
#include "base/thread.h"
#include "program/bench.h"

/* Splits the text once, and adds what it has. */
static Status split(const Bench *b, StrView text, long *tokens, long *sentences, Error *e)
{
    static const Model as_tokenize = { .c.split_hyphens = true };
    Document d;
    document_open_text(&d, text, b->text, bench_document(b, &as_tokenize));
    Status status = document_next(&d, e);
    for (; status == OK && d.n; status = document_next(&d, e)) {
        *sentences += d.n;
        for (int k = 0; k < d.n; k++) *tokens += d.seg.sentences[k].n;
    }
    document_close(&d);
    return status;
}

Status bench_tokenize(Bench *bench, Error *error)
{
    StrBuf text = { 0 };
    long tokens = 0, sentences = 0, rounds = 0;
    Status status = bench_text(bench, &text, error);
    double start = clock_seconds(), seconds = 0;
    while (status == OK && (rounds == 0 || seconds < bench->seconds)) {
        status = split(bench, (StrView){ text.ptr, text.len }, &tokens, &sentences, error);
        seconds = clock_seconds() - start;
        rounds++;
    }
    double mb = (double)rounds * (double)text.len / 1e6;
    strbuf_fini(&text);
    if (status != OK) return status;
    StrBuf line = bench_line(bench);
    json_members(&line, "mb_per_s: %.2f, mb: %.3f, tokens: %ld, sentences: %ld, seconds: %.2f", mb / seconds, mb,
                 tokens, sentences, seconds);
    return bench_print(&line, error);
}
