/* Recorded pieces of lines and of words. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "embeddings/unigram.h"
#include "embeddings/wordpiece.h"
#include "embeddings/xlmr_words.h"
#include "embeddings/xlnet_words.h"
#include "tests/golden/encoders.h"

FREES(cJSON, cJSON_Delete)

/* Any of the tokenizers: appends the pieces of a text. */
typedef Status Encode(const void *tokenizer, StrView text, Pieces *out, Error *e);

typedef struct Checked {
    const EncoderFolder *folder;
    const char *what; /* the file of lines and where the tokenizer comes from */
    const void *tokenizer;
    Encode *encode;
    int lines, wrong;
} Checked;

/* Whether the ids, and with `texts` and `places` not NULL these too, are those of the pieces. */
static bool agree(const RecordedLines *l, const Pieces *p, const cJSON *ids, const cJSON *texts, const cJSON *places)
{
    if (cJSON_GetArraySize(ids) != p->n) return false;
    FREED(strbuf_fini) StrBuf text = { 0 };
    const cJSON *id = ids->child, *t = texts ? texts->child : NULL, *at = places ? places->child : NULL;
    bool same = true;
    for (int k = 0; k < p->n && same; k++, id = id->next) {
        same = id->valuedouble == p->p[k].id;
        if (t) {
            StrView found = pieces_text(p, k);
            encoders_string(l, t, &text);
            same = same && found.len == text.len && memcmp(found.ptr, text.ptr, text.len) == 0;
            t = t->next;
        }
        if (at) {
            same = same && at->child->valuedouble == p->p[k].begin && at->child->next->valuedouble == p->p[k].end;
            at = at->next;
        }
    }
    return same;
}

static void show(Checked *c, int line, int word, const Pieces *p)
{
    if (c->wrong++ >= 3) return;
    printf("       %s, %s, line %d", c->folder->name, c->what, line);
    if (word >= 0) printf(", word %d", word + 1);
    printf(": found");
    for (int k = 0; k < p->n && k < 40; k++) {
        StrView t = pieces_text(p, k);
        printf(" %d=%.*s[%d,%d]", p->p[k].id, (int)t.len, t.ptr, p->p[k].begin, p->p[k].end);
    }
    printf("\n");
}

/* The line as a whole, if it has ids. */
static void check_line(Checked *c, const RecordedLines *l, StrView text, Pieces *p)
{
    const cJSON *ids = cJSON_GetObjectItemCaseSensitive(l->line, "ids");
    if (!ids) return;
    Error e = { 0 };
    pieces_clear(p);
    bool same = c->encode(c->tokenizer, text, p, &e) == OK &&
                agree(l, p, ids, recorded_item(l->line, "pieces"), recorded_item(l->line, "offsets"));
    if (!same) show(c, l->number, -1, p);
}

/* Each word between blanks on its own. */
static void check_words(Checked *c, const RecordedLines *l, StrView text, Pieces *p)
{
    const cJSON *words = cJSON_GetObjectItemCaseSensitive(l->line, "by_word"), *word = words ? words->child : NULL;
    if (!words) return;
    const cJSON *texts = cJSON_GetObjectItemCaseSensitive(l->line, "pieces_by_word"), *t = texts ? texts->child : NULL;
    Error e = { 0 };
    int k = 0;
    for (size_t from = 0; from <= text.len; k++) {
        size_t end = from;
        while (end < text.len && text.ptr[end] != ' ') end++;
        pieces_clear(p);
        bool same = word && c->encode(c->tokenizer, (StrView){ text.ptr + from, end - from }, p, &e) == OK &&
                    agree(l, p, word, t, NULL);
        if (!same) show(c, l->number, k, p);
        word = word ? word->next : NULL;
        t = t ? t->next : NULL;
        from = end + 1;
    }
    if (k != cJSON_GetArraySize(words)) c->wrong++;
}

static void check_lines(Checked *c, const char *path)
{
    RecordedLines l;
    Pieces p = { 0 };
    StrBuf text = { 0 };
    encoders_open_lines(&l, path);
    while (encoders_next_line(&l)) {
        encoders_string(&l, recorded_item(l.line, "text"), &text);
        check_line(c, &l, (StrView){ text.ptr, text.len }, &p);
        check_words(c, &l, (StrView){ text.ptr, text.len }, &p);
        c->lines++;
    }
    pieces_fini(&p);
    strbuf_fini(&text);
    recorded_verdict(c->lines > 0 && c->wrong == 0, "%s: %s, %d lines and their words, %d wrong", c->folder->name,
                     c->what, c->lines, c->wrong);
}

/* ---- WordPiece */

static Status encode_wordpiece(const void *tokenizer, StrView text, Pieces *out, Error *e)
{
    return wordpiece_encode(tokenizer, text, out, e);
}

static void check_wordpiece(const EncoderFolder *f, const char *lines, const char *what, WordPiece *w, Status s,
                            const Error *e)
{
    Checked c = { .folder = f, .what = what, .tokenizer = w, .encode = encode_wordpiece };
    if (s == OK) check_lines(&c, lines);
    else recorded_verdict(false, "%s: %s: %s", f->name, what, e->message);
    if (s == OK) wordpiece_fini(w);
}

/* From tokenizer-rules.json, a tokenizer.json without its vocabulary, and vocab.txt, which has it by id. */
static Status read_rules(WordPiece *w, const char *rules, const char *vocabulary, Error *e)
{
    FREED(strbuf_fini) StrBuf text = { 0 }, pieces = { 0 };
    FREED(cJSON_Delete_at) cJSON *json = NULL;
    Status s = file_read(rules, &text, e);
    if (s == OK) s = file_read(vocabulary, &pieces, e);
    if (s == OK) s = json_parse_file(text.ptr, text.len, rules, &json, e);
    cJSON *vocab = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "model"), "vocab");
    int id = 0;
    for (char *p = vocab ? pieces.ptr : NULL, *end; p && (end = strchr(p, '\n')); p = end + 1) {
        *end = 0;
        cJSON_AddNumberToObject(vocab, p, id++);
    }
    char *whole = json_print(json);
    if (s == OK) s = wordpiece_parse_json(w, (StrView){ whole, strlen(whole) }, rules, e);
    cJSON_free(whole);
    return s;
}

void encoders_wordpiece(const EncoderFolder *f)
{
    char lines[700], rules[700], vocabulary[700], config[700], specials[700];
    WordPiece w;
    if (!encoders_recorded(f, "tokens.jsonl", lines, sizeof lines)) return;
    Error e = { 0 };
    if (encoders_model(f, "tokenizer.json", vocabulary, sizeof vocabulary)) {
        Status s = wordpiece_read_json(&w, vocabulary, &e);
        check_wordpiece(f, lines, "tokens.jsonl, tokenizer.json", &w, s, &e);
    } else if (encoders_model(f, "tokenizer-rules.json", rules, sizeof rules) &&
               encoders_model(f, "vocab.txt", vocabulary, sizeof vocabulary)) {
        Status s = read_rules(&w, rules, vocabulary, &e);
        check_wordpiece(f, lines, "tokens.jsonl, tokenizer-rules.json", &w, s, &e);
    } else recorded_skip("%s: tokens.jsonl, tokenizer.json: no such file", f->name);
    e = (Error){ 0 };
    if (encoders_model(f, "vocab.txt", vocabulary, sizeof vocabulary)) {
        encoders_model(f, "tokenizer_config.json", config, sizeof config);
        bool more = encoders_model(f, "special_tokens_map.json", specials, sizeof specials);
        Status s = wordpiece_read_vocabulary(&w, vocabulary, config, more ? specials : NULL, &e);
        check_wordpiece(f, lines, "tokens.jsonl, vocab.txt", &w, s, &e);
    } else recorded_skip("%s: tokens.jsonl, vocab.txt: no such file", f->name);
}

/* ---- Unigram */

static Status encode_unigram(const void *tokenizer, StrView text, Pieces *out, Error *e)
{
    return unigram_encode(tokenizer, text, out, e);
}

static Status encode_xlnet(const void *tokenizer, StrView text, Pieces *out, Error *e)
{
    return xlnet_words_encode(tokenizer, text, out, e);
}

static Status encode_xlmr(const void *tokenizer, StrView text, Pieces *out, Error *e)
{
    return xlmr_words_encode(tokenizer, text, out, e);
}

void encoders_unigram(const EncoderFolder *f)
{
    static const struct {
        const char *name;
        Encode *encode;
    } files[] = { { "sentencepiece.jsonl", encode_unigram },
                  { "xlnet-tokens.jsonl", encode_xlnet },
                  { "xlmr-tokens.jsonl", encode_xlmr } };
    char lines[700], model[700];
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        Unigram u;
        Error e = { 0 };
        if (!encoders_recorded(f, files[k].name, lines, sizeof lines)) continue;
        if (!encoders_model(f, "spiece.model", model, sizeof model) &&
            !encoders_model(f, "sentencepiece.bpe.model", model, sizeof model)) {
            recorded_skip("%s: %s, SentencePiece model: no such file", f->name, files[k].name);
            continue;
        }
        if (unigram_read(&u, model, &e) != OK) {
            recorded_verdict(false, "%s: %s: %s", f->name, model, e.message);
            continue;
        }
        Checked c = { .folder = f, .what = files[k].name, .tokenizer = &u, .encode = files[k].encode };
        check_lines(&c, lines);
        unigram_fini(&u);
    }
}
