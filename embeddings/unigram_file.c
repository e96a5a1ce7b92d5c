/* SentencePiece's model files. Fields are numbered as in its sentencepiece_model.proto:
 * ModelProto 1 pieces, 2 trainer_spec, 3 normalizer_spec. Other fields have no effect on pieces. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/protobuf.h"
#include "embeddings/unigram.h"

enum { MOST_BYTES = 1 << 28, MOST_PIECE = 1024, NUMBER_MOST = 1 << 30 };

/* SentencePiece: 1 piece, 2 score, 3 type. */
static Status read_piece(Unigram *u, Protobuf p, Error *e)
{
    UnigramPiece piece = { .type = UNIGRAM_NORMAL };
    ProtobufField f;
    int type = UNIGRAM_NORMAL;
    Status s = OK;
    while (protobuf_each(&p, &f, &s, e))
        if (f.number == 1) s = protobuf_text(&p, &f, &piece.text, e);
        else if (f.number == 2) s = protobuf_float(&p, &f, &piece.score, e);
        else if (f.number == 3) s = protobuf_whole(&p, &f, UNIGRAM_BYTE, &type, e);
    if (s != OK) return s;
    piece.type = (UnigramType)type;
    if (type == 0 || piece.text.len == 0 || piece.text.len > MOST_PIECE)
        return error_at(e, ERR_FORMAT, p.path, 0, 0, "byte %zu: piece %d: found %s, expected a piece of 1 to %d bytes",
                        p.offset, u->n, type ? "no text or a long one" : "type 0", MOST_PIECE);
    if (u->n == PIECES_MOST) return error_at(e, ERR_LIMIT, p.path, 0, 0, "found more than %d pieces", PIECES_MOST);
    if (!mem_reserve(u->piece, &u->cap, u->n + 1))
        return error_set(e, ERR_NOMEM, "out of memory for a vocabulary of pieces");
    u->piece[u->n++] = piece;
    return OK;
}

/* TrainerSpec: 3 model_type (1 is unigram), 24 treat_whitespace_as_suffix, 35 byte_fallback. */
static Status read_trainer(Unigram *u, Protobuf p, Error *e)
{
    ProtobufField f;
    int type = 1;
    Status s = OK;
    while (protobuf_each(&p, &f, &s, e))
        if (f.number == 3) s = protobuf_whole(&p, &f, NUMBER_MOST, &type, e);
        else if (f.number == 24) s = protobuf_flag(&p, &f, &u->normalizer.suffix, e);
        else if (f.number == 35) s = protobuf_flag(&p, &f, &u->byte_fallback, e);
    if (s == OK && type != 1)
        s = error_at(e, ERR_FORMAT, p.path, 0, 0, "found a model of type %d, expected 1, unigram", type);
    return s;
}

/* NormalizerSpec: 2 precompiled_charsmap, 3 add_dummy_prefix, 4 remove_extra_whitespaces, 5 escape_whitespaces. */
static Status read_normalizer(Unigram *u, Protobuf p, Error *e)
{
    UnigramNormalizer *z = &u->normalizer;
    StrView charsmap = { "", 0 };
    ProtobufField f;
    Status s = OK;
    while (protobuf_each(&p, &f, &s, e))
        if (f.number == 2) s = protobuf_bytes(&p, &f, &charsmap, e);
        else if (f.number == 3) s = protobuf_flag(&p, &f, &z->prefix, e);
        else if (f.number == 4) s = protobuf_flag(&p, &f, &z->remove_blanks, e);
        else if (f.number == 5) s = protobuf_flag(&p, &f, &z->escape_blanks, e);
    return s == OK ? unigram_normalizer_rules(z, charsmap, p.path, e) : s;
}

static Status read_fields(Unigram *u, const char *path, Error *e)
{
    Protobuf p = protobuf_file((StrView){ u->file.ptr, u->file.len }, path);
    ProtobufField f;
    Status s = OK;
    while (protobuf_each(&p, &f, &s, e)) {
        StrView inner;
        if (f.number >= 1 && f.number <= 3) s = protobuf_bytes(&p, &f, &inner, e);
        if (s == OK && f.number == 1) s = read_piece(u, protobuf_message(&p, &f), e);
        else if (s == OK && f.number == 2) s = read_trainer(u, protobuf_message(&p, &f), e);
        else if (s == OK && f.number == 3) s = read_normalizer(u, protobuf_message(&p, &f), e);
    }
    return s;
}

/* ---- what follows from the pieces */

static Status make_trie(const Unigram *u, unsigned types, PieceTrie *t, const char *path, Error *e)
{
    TrieKey *key = mem_alloc((size_t)u->n + 1, sizeof *key);
    int n = 0, twice = -1;
    if (!key) return error_set(e, ERR_NOMEM, "out of memory for a vocabulary of pieces");
    for (int id = 0; id < u->n; id++)
        if (types & 1u << u->piece[id].type) key[n++] = (TrieKey){ u->piece[id].text, id };
    Status s = piece_trie_init(t, key, n, &twice, e);
    mem_free(key);
    if (s == ERR_FORMAT)
        s = error_at(e, s, path, 0, 0, "found piece %d, '%.*s', twice", twice,
                     (int)utf8_cut(u->piece[twice].text.ptr, u->piece[twice].text.len, 60), u->piece[twice].text.ptr);
    return s;
}

static int hex_digit(char c)
{
    const char *digits = "0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* The byte of a piece "<0xE2>", or -1. */
static int byte_of(StrView t)
{
    if (t.len != 6 || memcmp(t.ptr, "<0x", 3) != 0 || t.ptr[5] != '>') return -1;
    int high = hex_digit(t.ptr[3]), low = hex_digit(t.ptr[4]);
    return high < 0 || low < 0 ? -1 : 16 * high + low;
}

static Status find_reserved(Unigram *u, const char *path, Error *e)
{
    int bytes = 0;
    u->unknown = -1;
    for (int b = 0; b < 256; b++) u->byte_id[b] = -1;
    for (int id = 0; id < u->n; id++) {
        if (u->piece[id].type == UNIGRAM_UNKNOWN) {
            if (u->unknown >= 0)
                return error_at(e, ERR_FORMAT, path, 0, 0, "found two unknown pieces, %d and %d, expected one",
                                u->unknown, id);
            u->unknown = id;
        } else if (u->piece[id].type == UNIGRAM_BYTE) {
            int b = byte_of(u->piece[id].text);
            if (b < 0 || !u->byte_fallback)
                return error_at(e, ERR_FORMAT, path, 0, 0, "found piece %d of type byte, '%.*s', expected %s", id,
                                (int)utf8_cut(u->piece[id].text.ptr, u->piece[id].text.len, 60), u->piece[id].text.ptr,
                                u->byte_fallback ? "<0x00> to <0xFF>" : "none without byte_fallback");
            u->byte_id[b] = id;
            bytes++;
        }
    }
    if (u->unknown < 0) return error_at(e, ERR_FORMAT, path, 0, 0, "found no unknown piece, expected one");
    if (u->byte_fallback && bytes != 256)
        return error_at(e, ERR_FORMAT, path, 0, 0, "found pieces for %d bytes, expected all 256", bytes);
    return OK;
}

static void find_scores(Unigram *u)
{
    float min = FLT_MAX, max = FLT_MIN; /* FLT_MIN is above 0, as in SentencePiece */
    for (int id = 0; id < u->n; id++) {
        if (u->piece[id].type != UNIGRAM_NORMAL) continue;
        if (u->piece[id].score < min) min = u->piece[id].score;
        if (u->piece[id].score > max) max = u->piece[id].score;
    }
    u->unknown_score = min - 10.0f;
    u->max_score = max;
}

static Status finish(Unigram *u, const char *path, Error *e)
{
    enum { OWN = 1 << UNIGRAM_NORMAL | 1 << UNIGRAM_USER | 1 << UNIGRAM_UNUSED };
    if (!u->n) return error_at(e, ERR_FORMAT, path, 0, 0, "found no pieces, expected a SentencePiece model");
    Status s = make_trie(u, OWN, &u->match, path, e);
    if (s == OK) s = make_trie(u, ~(unsigned)OWN, &u->reserved, path, e);
    if (s == OK) s = make_trie(u, 1u << UNIGRAM_USER, &u->normalizer.kept, path, e);
    if (s == OK) s = find_reserved(u, path, e);
    if (s != OK) return s;
    find_scores(u);
    return OK;
}

Status unigram_parse(Unigram *unigram, StrView file, const char *path, Error *error)
{
    Status s = OK;
    *unigram = (Unigram){ .normalizer = { .prefix = true, .remove_blanks = true, .escape_blanks = true } };
    if (file.len > MOST_BYTES)
        return error_at(error, ERR_LIMIT, path, 0, 0, "found %zu bytes, expected at most %d", file.len, MOST_BYTES);
    strbuf_add(&unigram->file, file.ptr, file.len);
    if (unigram->file.failed) s = error_set(error, ERR_NOMEM, "out of memory reading %s", path);
    if (s == OK) s = read_fields(unigram, path, error);
    if (s == OK) s = finish(unigram, path, error);
    if (s != OK) unigram_fini(unigram);
    return s;
}

Status unigram_read(Unigram *unigram, const char *path, Error *error)
{
    StrBuf file = { 0 };
    *unigram = (Unigram){ 0 };
    Status s = file_read_most(path, MOST_BYTES, &file, error);
    if (s == OK) s = unigram_parse(unigram, (StrView){ file.ptr, file.len }, path, error);
    strbuf_fini(&file);
    return s;
}

void unigram_fini(Unigram *unigram)
{
    piece_trie_fini(&unigram->match);
    piece_trie_fini(&unigram->reserved);
    unigram_normalizer_fini(&unigram->normalizer);
    mem_free(unigram->piece);
    strbuf_fini(&unigram->file);
    *unigram = (Unigram){ 0 };
}
