#include "parser/parse/characters.h"

#include <stdio.h>
#include <string.h>

#include "language/trained/trained_text.h"
#include "parser/parse/places.h"

static const char ENDING[] = "-characters";

static size_t units_in(StrView word)
{
    size_t n = 0;
    for (size_t at = 0; at < word.len; n++) at += trained_unit((StrView){ word.ptr + at, word.len - at });
    return n;
}

/* ---- treebanks */

/* Appends the units of a word to a sentence that has room. false when out of memory. */
static bool add_units(Sentence *to, const char *word, Arena *a)
{
    size_t len = strlen(word), unit;
    for (size_t at = 0; at < len; at += unit) {
        unit = trained_unit((StrView){ word + at, len - at });
        to->tags[to->n_words] = PLACES_TAG[(at == 0 ? PLACES_BEGINS : 0) | (at + unit == len ? PLACES_ENDS : 0)];
        if (!(to->words[to->n_words++] = arena_strndup(a, word + at, unit))) return false;
    }
    return true;
}

static bool add_sentence(Treebank *tb, const Sentence *words)
{
    size_t n = 0;
    for (int w = 0; w < words->n_words; w++) n += units_in((StrView){ words->words[w], strlen(words->words[w]) });
    Sentence *to = treebank_add(tb);
    if (!to || !(to->words = arena_alloc(&tb->arena, n, sizeof *to->words)) ||
        !(to->tags = arena_alloc(&tb->arena, n, sizeof *to->tags)))
        return false;
    to->line = words->line;
    for (int w = 0; w < words->n_words; w++)
        if (!add_units(to, words->words[w], &tb->arena)) return false;
    return true;
}

Status characters_corpus(const Corpus *words, Corpus *out, Error *error)
{
    char name[sizeof words->name + sizeof ENDING];
    Status s = OK;
    snprintf(name, sizeof name, "%s%s", words->name, ENDING);
    corpus_begin(out, name);
    if (strlen(name) >= sizeof out->name)
        s = error_set(error, ERR_FORMAT, "found the treebank '%s', expected a shorter name", words->name);
    for (int k = 0; k < words->trees.n && s == OK; k++)
        if (!add_sentence(&out->trees, &words->trees.s[k])) s = error_set(error, ERR_NOMEM, "out of memory");
    return corpus_end(out, words->path, words->deps_path, s, error);
}

bool characters_among(const Corpus *corpora, int n)
{
    for (int c = 0; c < n; c++) {
        size_t length = strlen(corpora[c].name), ending = sizeof ENDING - 1;
        if (length > ending && strcmp(corpora[c].name + length - ending, ENDING) == 0) return true;
    }
    return false;
}

/* ---- raw text */

int characters_of(const Model *model, int treebank)
{
    char name[sizeof((Corpus *)0)->name];
    int n = snprintf(name, sizeof name, "%s%s", vocab_text(&model->treebanks, treebank), ENDING);
    return n < (int)sizeof name ? vocab_find(&model->treebanks, name) : -1; /* a longer name has none */
}

static size_t characters_in(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* The part of a token of n bytes from byte `at` of its form on; form NULL: out of memory. */
static Token part_of(const Token *x, size_t at, size_t n, Arena *a)
{
    Token part = *x;
    part.form = arena_strndup(a, x->form + at, n);
    part.len = (uint32_t)n;
    part.begin += at;
    part.end = part.begin + n;
    part.begin_char += characters_in(x->form, at);
    part.end_char = part.begin_char + characters_in(x->form + at, n);
    part.glued = at > 0 || x->glued;
    return part;
}

static bool add_token(SegmentedText *to, Token x)
{
    if (!x.form || !mem_reserve(to->tokens, &to->token_cap, to->n_tokens + 1)) return false;
    to->tokens[to->n_tokens++] = x;
    return true;
}

/* Is the form of the token its bytes, so that it may be cut and put together? */
static bool is_part(const Token *x) { return !x->cut && !x->words && x->len; }

/* Appends the units of a token. */
static bool add_parts(SegmentedText *to, const Token *x, Arena *a)
{
    if (!is_part(x)) return add_token(to, *x);
    for (size_t at = 0, n; at < x->len; at += n) {
        n = trained_unit((StrView){ x->form + at, x->len - at });
        if (!add_token(to, part_of(x, at, n, a))) return false;
    }
    return true;
}

/* Makes one token of this one and the last one before it. */
static bool join(Token *last, const Token *x, Arena *a)
{
    char *form = arena_alloc(a, (size_t)last->len + x->len + 1, 1);
    if (!form) return false;
    memcpy(form, last->form, last->len);
    memcpy(form + last->len, x->form, (size_t)x->len + 1);
    last->form = form;
    last->len += x->len;
    last->end = x->end;
    last->end_char = x->end_char;
    return true;
}

/* Appends the words of n units with these places. */
static bool add_words(SegmentedText *to, const Token *unit, const char *const *place, int n, Arena *a)
{
    for (int k = 0; k < n; k++) {
        bool inside = strcmp(place[k], PLACES_TAG[0]) == 0 || strcmp(place[k], PLACES_TAG[PLACES_ENDS]) == 0;
        if (!(inside ? join(&to->tokens[to->n_tokens - 1], &unit[k], a) : add_token(to, unit[k]))) return false;
    }
    return true;
}

/* Cuts all sentences into units, or puts the units of each together by their places. */
typedef struct Cutting {
    const SegmentedText *from;
    SegmentedText to;
    const Parsed *result; /* of `from`, whose tokens are units; NULL: it is cut into these */
    Arena *a;
} Cutting;

static bool cut(Cutting *c)
{
    for (int k = 0; k < c->from->n_sentences; k++) {
        TextSentence x = c->from->sentences[k];
        const Token *token = c->from->tokens + x.first;
        int first = c->to.n_tokens;
        if (c->result && x.n && !add_words(&c->to, token, c->result[k].tags, x.n, c->a)) return false;
        for (int i = 0; !c->result && i < x.n; i++)
            if (!add_parts(&c->to, &token[i], c->a)) return false;
        x.n = c->to.n_tokens - first;
        x.first = first;
        if (!segmented_text_add_sentence(&c->to, x)) return false;
    }
    return true;
}

/* Units as words; one that is not glued to the unit before it, or not a part of a word, begins one. */
static ParseInput *inputs_of(const SegmentedText *units, Arena *a)
{
    ParseInput *in = arena_alloc(a, (size_t)units->n_sentences, sizeof *in);
    const char **words = arena_alloc(a, (size_t)units->n_tokens, sizeof *words);
    bool *apart = arena_alloc(a, (size_t)units->n_tokens, sizeof *apart);
    if (!in || !words || !apart) return NULL;
    for (int k = 0; k < units->n_tokens; k++) {
        const Token *x = &units->tokens[k];
        words[k] = x->form;
        apart[k] = !x->glued || !is_part(x) || (k && !is_part(x - 1));
    }
    for (int k = 0; k < units->n_sentences; k++) {
        const TextSentence *x = &units->sentences[k];
        in[k] = (ParseInput){ .n_words = x->n, .words = words + x->first, .space_before = apart + x->first };
    }
    return in;
}

/* Places of the units, by a parse that asks for nothing else. */
static Status find_places(Parser *p, int treebank, const SegmentedText *units, Arena *a, Error *e)
{
    const ParseOptions kept = p->o;
    ParseInput *in = inputs_of(units, a);
    p->o = parse_defaults(p->m);
    p->o.treebank = treebank;
    p->o.places = true;
    p->o.shape_tags = false;
    p->o.batch_tokens = kept.batch_tokens;
    p->o.max_memory = kept.max_memory;
    p->o.keep_going = kept.keep_going;
    p->o.stop = kept.stop;
    p->o.stop_context = kept.stop_context;
    Status s = in ? parser_run(p, in, units->n_sentences, NULL, NULL, e) : error_set(e, ERR_NOMEM, "out of memory");
    p->o = kept;
    return s;
}

Status characters_parser(Parser *parser, const Model *model, int treebank, int n_threads, Error *error)
{
    *parser = (Parser){ 0 };
    if (characters_of(model, treebank) < 0) return OK;
    Status s = parser_init(parser, model, device_default(), n_threads, error);
    parser->o.treebank = treebank;
    return s;
}

Status characters_cut(Parser *parser, SegmentedText *text, Arena *arena, Error *error)
{
    int treebank = parser->m ? characters_of(parser->m, parser->o.treebank) : -1;
    if (treebank < 0 || !text->n_tokens) return OK;
    Cutting units = { .from = text, .a = arena }, words = { .from = &units.to, .a = arena };
    Status s = cut(&units) ? find_places(parser, treebank, &units.to, arena, error) : ERR_NOMEM;
    words.result = parser->result;
    if (s == OK && !cut(&words)) s = ERR_NOMEM;
    if (s == ERR_NOMEM) error_set(error, s, "out of memory cutting words");
    words.to.habits = text->habits;
    segmented_text_fini(&units.to);
    if (s == OK) {
        segmented_text_fini(text);
        *text = words.to;
    } else segmented_text_fini(&words.to);
    return s;
}
