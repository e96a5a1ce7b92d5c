/* The kind of a tokenizer follows from the files that a folder has; after that each
 * function asks the kind once and calls that tokenizer. */
#include "embeddings/piece_tokenizer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_file.h"
#include "embeddings/xlmr_words.h"
#include "embeddings/xlnet_words.h"

enum { PATH_BYTES = 4096, MOST_PADDING = 127 };

static const char *const KINDS[] = { "wordpiece", "xlnet", "xlm-roberta" };
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

const char *piece_tokenizer_kind(TokenizerKind kind) { return KINDS[kind]; }

int piece_tokenizer_find_kind(const char *name)
{
    for (int k = 0; k < N_KINDS; k++)
        if (strcmp(name, KINDS[k]) == 0) return k;
    return -1;
}

int piece_tokenizer_size(const PieceTokenizer *tokenizer)
{
    if (tokenizer->kind == TOKENIZER_WORDPIECE) return tokenizer->wordpiece.n;
    return tokenizer->kind == TOKENIZER_XLMR ? xlmr_words_size(&tokenizer->unigram) : tokenizer->unigram.n;
}

bool piece_tokenizer_lowercase(const PieceTokenizer *tokenizer)
{
    return tokenizer->kind == TOKENIZER_WORDPIECE && tokenizer->wordpiece.rules.lowercase;
}

StrView piece_tokenizer_piece(const PieceTokenizer *tokenizer, int id)
{
    if (id < 0 || id >= piece_tokenizer_size(tokenizer)) return (StrView){ NULL, 0 };
    if (tokenizer->kind == TOKENIZER_WORDPIECE) return tokenizer->wordpiece.piece[id];
    return tokenizer->kind == TOKENIZER_XLMR ? xlmr_words_piece(&tokenizer->unigram, id)
                                             : tokenizer->unigram.piece[id].text;
}

/* ---- opening */

/* false: too long, or no such file. */
static bool find_file(char path[PATH_BYTES], const char *dir, const char *name)
{
    return (size_t)snprintf(path, PATH_BYTES, "%s/%s", dir, name) < PATH_BYTES && access(path, F_OK) == 0;
}

/* The id of a piece by its text, or -1. */
static int find_piece(const PieceTokenizer *t, const char *text)
{
    StrView v = { text, strlen(text) };
    if (t->kind != TOKENIZER_WORDPIECE) {
        int index = unigram_find(&t->unigram, v);
        if (!text_equal(t->unigram.piece[index].text, text)) return -1;
        return t->kind == TOKENIZER_XLMR ? xlmr_words_id(index) : index;
    }
    for (int k = 0; k < t->wordpiece.n_added; k++) { /* pieces that were added need not be in the vocabulary */
        StrView added = t->wordpiece.added[k].text;
        if (added.len == v.len && memcmp(added.ptr, text, v.len) == 0) return t->wordpiece.added[k].id;
    }
    return piece_trie_find(&t->wordpiece.pieces, v);
}

/* What the member `name` of tokenizer_config.json calls the piece, a string or an object with content; else *text. */
static Status read_name(const JsonFile *j, const char *name, const char **text, Error *e)
{
    const cJSON *x = j->root ? json_file_member(j->root, name) : NULL;
    if (!x) return OK;
    if (cJSON_IsObject(x)) return json_file_string(j, x, "content", true, text, e);
    return json_file_string(j, j->root, name, false, text, e);
}

/* Variants of XLNet's rules that are not built. */
static Status check_rules(const JsonFile *j, Error *e)
{
    static const struct {
        const char *name;
        bool value;
    } rules[] = { { "do_lower_case", false }, { "keep_accents", false }, { "remove_space", true } };
    Status s = OK;
    for (size_t k = 0; k < sizeof rules / sizeof *rules && s == OK; k++) {
        bool found = rules[k].value;
        s = json_file_flag(j, j->root, rules[k].name, &found, e);
        if (s == OK && found != rules[k].value)
            s = json_file_fault(j, json_file_member(j->root, rules[k].name), e, "%s: found %s, expected %s",
                                rules[k].name, found ? "true" : "false", found ? "false" : "true");
    }
    return s;
}

static Status find_ends(PieceTokenizer *t, const char *dir, const char *first, const char *last, Error *e)
{
    char path[PATH_BYTES];
    JsonFile j = { 0 };
    Status s = find_file(path, dir, "tokenizer_config.json") ? json_file_read(&j, path, e) : OK;
    if (s == OK && j.root && t->kind == TOKENIZER_XLNET) s = check_rules(&j, e);
    if (s == OK) s = read_name(&j, "cls_token", &first, e);
    if (s == OK) s = read_name(&j, "sep_token", &last, e);
    if (s == OK) {
        t->first = find_piece(t, first);
        t->last = find_piece(t, last);
        if (t->first < 0 || t->last < 0)
            s = error_at(e, ERR_FORMAT, dir, 0, 0, "found no piece '%s' in the vocabulary, expected one",
                         t->first < 0 ? first : last);
    }
    json_file_fini(&j);
    return s;
}

static Status open_vocabulary(PieceTokenizer *t, const char *dir, const char *vocabulary, Error *e)
{
    char config[PATH_BYTES], specials[PATH_BYTES];
    if (!find_file(config, dir, "tokenizer_config.json"))
        return error_at(e, ERR_IO, dir, 0, 0,
                        "found vocab.txt without tokenizer_config.json, which says whether letters become lower case");
    bool more = find_file(specials, dir, "special_tokens_map.json");
    return wordpiece_read_vocabulary(&t->wordpiece, vocabulary, config, more ? specials : NULL, e);
}

/* What follows from the tokenizer's own file, `path`. */
static Status finish(PieceTokenizer *t, const char *path, Error *e)
{
    Status s = t->kind == TOKENIZER_XLMR ? xlmr_words_check(&t->unigram, path, e) : OK;
    if (t->kind == TOKENIZER_WORDPIECE) t->unknown = t->wordpiece.unknown;
    else t->unknown = t->kind == TOKENIZER_XLMR ? xlmr_words_id(t->unigram.unknown) : t->unigram.unknown;
    if (s != OK) piece_tokenizer_close(t);
    return s;
}

/* Fills what the tokenizer's own file says; the kind follows from its name. */
static Status open_file(PieceTokenizer *t, const char *dir, Error *e)
{
    char path[PATH_BYTES];
    Status s;
    *t = (PieceTokenizer){ .kind = TOKENIZER_WORDPIECE };
    if (find_file(path, dir, "spiece.model")) {
        t->kind = TOKENIZER_XLNET;
        s = unigram_read(&t->unigram, path, e);
    } else if (find_file(path, dir, "sentencepiece.bpe.model")) {
        t->kind = TOKENIZER_XLMR;
        s = unigram_read(&t->unigram, path, e);
    } else if (find_file(path, dir, "tokenizer.json")) s = wordpiece_read_json(&t->wordpiece, path, e);
    else if (find_file(path, dir, "vocab.txt")) s = open_vocabulary(t, dir, path, e);
    else
        s = error_at(e, ERR_IO, dir, 0, 0,
                     "found no tokenizer, expected tokenizer.json, vocab.txt, spiece.model (XLNet) or "
                     "sentencepiece.bpe.model (XLM-R)");
    return s == OK ? finish(t, path, e) : s;
}

Status piece_tokenizer_open(PieceTokenizer *tokenizer, const char *dir, PretrainedKind encoder, Error *error)
{
    static const char *const ends[][2] = { { "[CLS]", "[SEP]" }, { "<cls>", "<sep>" }, { "<s>", "</s>" } };
    Status s = open_file(tokenizer, dir, error);
    if (s != OK) return s;
    bool mpnet = tokenizer->kind == TOKENIZER_WORDPIECE && encoder == PRETRAINED_MPNET;
    const char *const *names = ends[mpnet ? TOKENIZER_XLMR : tokenizer->kind];
    s = find_ends(tokenizer, dir, names[0], names[1], error);
    if (s != OK) piece_tokenizer_close(tokenizer);
    return s;
}

void piece_tokenizer_close(PieceTokenizer *tokenizer)
{
    if (tokenizer->kind == TOKENIZER_WORDPIECE) wordpiece_fini(&tokenizer->wordpiece);
    else unigram_fini(&tokenizer->unigram);
    *tokenizer = (PieceTokenizer){ 0 };
}

Status piece_tokenizer_check(const PieceTokenizer *tokenizer, const PretrainedConfig *config, const char *path,
                             Error *error)
{
    int n = piece_tokenizer_size(tokenizer);
    if (n <= config->n_pieces && n >= config->n_pieces - MOST_PADDING) return OK;
    return error_at(error, ERR_CONFIG, path, 0, 0,
                    "found a vocabulary of %d pieces, expected %d, the vocab_size of config.json", n, config->n_pieces);
}

/* ---- encoding */

Status piece_tokenizer_encode_word(const PieceTokenizer *tokenizer, StrView word, Pieces *out, Error *error)
{
    int before = out->n;
    Status s = tokenizer->kind == TOKENIZER_WORDPIECE ? wordpiece_encode(&tokenizer->wordpiece, word, out, error)
               : tokenizer->kind == TOKENIZER_XLNET   ? xlnet_words_encode(&tokenizer->unigram, word, out, error)
                                                      : xlmr_words_encode(&tokenizer->unigram, word, out, error);
    if (s == OK && out->n == before)
        s = pieces_add(out, tokenizer->unknown, 0, (int)word.len, piece_tokenizer_piece(tokenizer, tokenizer->unknown),
                       error);
    return s;
}

/* ---- bytes */

void piece_tokenizer_write(const PieceTokenizer *tokenizer, StrBuf *out)
{
    if (tokenizer->kind == TOKENIZER_WORDPIECE) wordpiece_write_json(&tokenizer->wordpiece, out);
    else strbuf_add(out, tokenizer->unigram.file.ptr, tokenizer->unigram.file.len);
}

Status piece_tokenizer_parse(PieceTokenizer *tokenizer, StrView bytes, TokenizerKind kind, int first, int last,
                             const char *path, Error *error)
{
    *tokenizer = (PieceTokenizer){ .kind = kind, .first = first, .last = last };
    Status s = kind == TOKENIZER_WORDPIECE ? wordpiece_parse_json(&tokenizer->wordpiece, bytes, path, error)
                                           : unigram_parse(&tokenizer->unigram, bytes, path, error);
    if (s == OK) s = finish(tokenizer, path, error);
    if (s != OK || (piece_tokenizer_piece(tokenizer, first).ptr && piece_tokenizer_piece(tokenizer, last).ptr))
        return s;
    s = error_at(error, ERR_FORMAT, path, 0, 0,
                 "found %d and %d as first and last piece, expected ids of the vocabulary", first, last);
    piece_tokenizer_close(tokenizer);
    return s;
}

Status piece_tokenizer_copy(const PieceTokenizer *from, PieceTokenizer *to, Error *error)
{
    StrBuf bytes = { 0 };
    piece_tokenizer_write(from, &bytes);
    Status s = bytes.failed ? error_set(error, ERR_NOMEM, "out of memory for a tokenizer")
                            : piece_tokenizer_parse(to, (StrView){ bytes.ptr, bytes.len }, from->kind, from->first,
                                                    from->last, "tokenizer", error);
    strbuf_fini(&bytes);
    return s;
}
