/* Config.json, the vocabulary, and the pieces of the recorded sentences. A check of what
 * an encoder computes from these pieces belongs into check_case, which has the recorded file open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embeddings/piece_tokenizer.h"
#include "tensor/safetensors_set.h"
#include "tests/golden/encoders.h"
#include "tests/support/whole_numbers.h"

typedef struct Model {
    const EncoderFolder *folder;
    PretrainedConfig config;
    PieceTokenizer tokenizer;
} Model;

/* The whole numbers of a tensor, *n of them; NULL, with a failed check, if the file has none. */
static int32_t *numbers_of(const Model *m, int k, const SafeTensors *st, const char *name, int *n)
{
    const StTensor *t = safetensors_find(st, name);
    int32_t *all = t ? recorded_room(t->count + 1, sizeof *all) : NULL;
    *n = t ? (int)t->count : 0;
    if (all && whole_numbers(t, all)) return all;
    free(all);
    recorded_verdict(false, "%s: case %d: %s: %s", m->folder->name, k, name,
                     t ? "expected whole numbers" : "no such tensor");
    return NULL;
}

/* A long sequence may be recorded without its end: its first pieces and the last piece. Words without a recorded piece
 * are recorded with the place of the last one that is there. */
static void check_case(const Model *m, int k, const SafeTensors *st, const Pieces *p, const int *past, int count)
{
    int n, n_words;
    FREED(free_pointer)
    int32_t *ids = numbers_of(m, k, st, "ids", &n), *last = numbers_of(m, k, st, "word_last_piece", &n_words);
    bool same = ids && last && n >= 2 && n <= p->n + 2 && n_words == count && ids[0] == m->tokenizer.first;
    for (int i = 1; i < n && same; i++) same = ids[i] == (i + 1 < n ? p->p[i - 1].id : m->tokenizer.last);
    for (int w = 0; w < n_words && same; w++) same = last[w] == (past[w] < n - 2 ? past[w] : n - 2);
    if (ids && last)
        recorded_verdict(same, "%s: case %d, %d words and %d pieces of %d", m->folder->name, k, n_words, n, p->n + 2);
}

/* The words of a case as pieces; recorded or not, they must be found. */
static void open_case(const Model *m, int k, const cJSON *words)
{
    int n = recorded_length(words);
    FREED(free_pointer) int *past = malloc(((size_t)n + 1) * sizeof *past);
    FREED(pieces_fini) Pieces p = { 0 };
    SafeTensors st;
    Error e = { 0 };
    char name[64], path[700];
    if (!past) recorded_stop("out of memory");
    for (int w = 0; w < n; w++) {
        const char *word = recorded_string(words, w);
        if (piece_tokenizer_encode_word(&m->tokenizer, (StrView){ word, strlen(word) }, &p, &e) != OK)
            recorded_stop("%s", e.message);
        past[w] = p.n;
    }
    snprintf(name, sizeof name, "case%d.safetensors", k);
    if (!encoders_recorded(m->folder, name, path, sizeof path))
        recorded_skip("%s: case %d: no %s", m->folder->name, k, name);
    else if (safetensors_open(&st, path, &e) != OK) recorded_verdict(false, "%s: %s", path, e.message);
    else {
        check_case(m, k, &st, &p, past, n);
        safetensors_close(&st);
    }
}

/* The tokenizer as bytes is the same tokenizer. */
static void check_bytes(const Model *m)
{
    FREED(strbuf_fini) StrBuf once = { 0 }, twice = { 0 };
    PieceTokenizer again;
    Error e = { 0 };
    piece_tokenizer_write(&m->tokenizer, &once);
    bool same = piece_tokenizer_parse(&again, (StrView){ once.ptr, once.len }, m->tokenizer.kind, m->tokenizer.first,
                                      m->tokenizer.last, "bytes", &e) == OK;
    if (same) {
        piece_tokenizer_write(&again, &twice);
        same = once.len == twice.len && memcmp(once.ptr, twice.ptr, once.len) == 0 &&
               piece_tokenizer_size(&again) == piece_tokenizer_size(&m->tokenizer);
        piece_tokenizer_close(&again);
    }
    recorded_verdict(same, "%s: the tokenizer written and read again", m->folder->name);
}

void encoders_cases(const EncoderFolder *f)
{
    Model m = { .folder = f };
    char config[700], cases[700];
    Error e = { 0 };
    if (!encoders_recorded(f, "cases.json", cases, sizeof cases)) return;
    encoders_model(f, "config.json", config, sizeof config);
    Status s = pretrained_config_read(&m.config, config, &e);
    recorded_verdict(s == OK, "%s: config.json: %s", f->name,
                     s == OK ? pretrained_config_kind(m.config.kind) : e.message);
    if (s != OK) return;
    s = piece_tokenizer_open(&m.tokenizer, f->model, m.config.kind, &e);
    if (s == OK) s = piece_tokenizer_check(&m.tokenizer, &m.config, f->model, &e);
    recorded_verdict(s == OK, "%s: vocabulary of %d pieces%s", f->name, piece_tokenizer_size(&m.tokenizer), e.message);
    if (s != OK) return;
    check_bytes(&m);
    cJSON *all = recorded_open(f->dir, "cases.json");
    for (int k = 0; k < recorded_length(all); k++) open_case(&m, k, cJSON_GetArrayItem(all, k));
    cJSON_Delete(all);
    piece_tokenizer_close(&m.tokenizer);
}
