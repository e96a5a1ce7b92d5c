/* One interface over documents and treebanks, by the kind of input. */
#include "parser/parse/source.h"

/* Bytes: the first and the largest window. */
enum { WINDOW_FIRST = 1 << 10, WINDOW_MOST = 1 << 18 };

/* FORMAT_AUTO: no treebank. */
static const TreebankFormat FORMATS[] = {
    [INPUT_CONLL] = FORMAT_CONLL, [INPUT_BRACKETS] = FORMAT_BRACKETS, [INPUT_JSON] = FORMAT_JSON_LINES
};

bool source_is_treebank(InputKind kind) { return FORMATS[kind] != FORMAT_AUTO; }

static bool of_treebank(const Source *s) { return source_is_treebank(s->o.kind); }

Status source_open(Source *source, const char *path, SourceOptions options, Error *error)
{
    *source = (Source){ .path = path, .o = options, .want = WINDOW_FIRST };
    Status status;
    if (of_treebank(source)) {
        ReaderOptions reader = {
            .format = FORMATS[options.kind],
            .partial = options.arcs || options.phrases,
            .bare = !options.parses && !options.deps,
            .keep_lines = options.lines,
            .unread = options.unread,
            .invalid = options.raw.invalid,
            .brackets = { .strip_functions = true, .keep_spelling = options.spelling, .notes = options.notes }
        };
        status = corpus_open(&source->corpus, path, options.deps, reader, error);
    } else
        status = document_open(
            &source->text, path,
            (DocumentOptions){ .tokens = options.kind == INPUT_TOKENS, .raw = options.raw, .notes = options.notes },
            error);
    return status;
}

void source_close(Source *source)
{
    if (of_treebank(source)) corpus_close(&source->corpus);
    else document_close(&source->text);
    mem_free_each(source->gold_in, source->given);
}

/* What the options take of it. */
static Given take_given(const Source *s, const Sentence *gold)
{
    Given g = given_of(gold, s->o.phrases == PHRASES_PARTIAL);
    if (!s->o.arcs) g.heads = NULL;
    if (!s->o.arcs || !s->o.types) g.types = NULL;
    g.has_phrases = g.has_phrases && s->o.phrases;
    return g;
}

static Status from_treebank(Source *s, Error *e)
{
    s->corpus.trees.want = s->want;
    Status status = corpus_block(&s->corpus, e);
    if (status != OK) return status;
    const Treebank *tb = &s->corpus.trees.tb;
    bool given = s->o.arcs || s->o.phrases;
    if (!mem_reserve(s->gold_in, &s->gold_cap, tb->n) || (given && !mem_reserve(s->given, &s->given_cap, tb->n)))
        return error_set(e, ERR_NOMEM, "out of memory reading %s", s->path);
    for (int k = 0; k < tb->n && given; k++) s->given[k] = take_given(s, &tb->s[k]);
    for (int k = 0; k < tb->n; k++)
        s->gold_in[k] = (ParseInput){ .n_words = tb->s[k].n_words,
                                      .words = tb->s[k].words,
                                      .tags = s->o.tags ? tb->s[k].tags : NULL,
                                      .parse = s->o.parses ? &tb->s[k] : NULL,
                                      .given = given ? &s->given[k] : NULL };
    s->gold = tb->s;
    s->in = s->gold_in;
    s->n = tb->n;
    if (s->want < WINDOW_MOST) s->want *= 2;
    return OK;
}

Status source_next(Source *source, Error *error)
{
    source->n = 0;
    if (of_treebank(source)) return from_treebank(source, error);
    Status status = document_next(&source->text, error);
    source->in = source->text.in;
    source->n = status == OK ? source->text.n : 0;
    return status;
}

InputKind source_suspect(const Source *source)
{
    TreebankFormat format = of_treebank(source) ? FORMAT_AUTO : format_suspect(source->text.block.text);
    for (int kind = INPUT_JSON; kind > INPUT_TEXT && format != FORMAT_AUTO; kind--)
        if (FORMATS[kind] == format) return (InputKind)kind;
    return INPUT_TEXT;
}

long source_word_line(const Source *source, int k, int word)
{
    if (!of_treebank(source)) return source->text.seg.sentences[k].line;
    return sentence_word_line(&source->gold[k], word);
}

Origin source_origin(const Source *source, int k, long id)
{
    if (!of_treebank(source)) return document_origin(&source->text, k, id);
    const Sentence *gold = &source->gold[k];
    return (Origin){ .id = id, .line = gold->line, .spelled = gold->spelled, .rows = gold->lines ? gold : NULL };
}

double source_progress(const Source *source)
{
    return stream_share(of_treebank(source) ? &source->corpus.trees.in : &source->text.stream);
}
