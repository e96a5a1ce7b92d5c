/* The two forms in which WordPiece vocabularies are published. */
#include <string.h>

#include "base/file.h"
#include "base/json_file.h"
#include "base/json_writer.h"
#include "embeddings/wordpiece.h"

enum { VOCABULARY_MOST = 1 << 25 /* bytes of vocab.txt */ };

/* A piece and its flags, as added_tokens of tokenizer.json and the entries of tokenizer_config.json have them. */
static Status add_piece(WordPiece *w, const JsonFile *j, const cJSON *x, const char *text, int id, Error *e)
{
    AddedPiece a = { .text = { text, strlen(text) }, .id = id };
    const struct {
        const char *name;
        bool *value;
    } flags[] = { { "single_word", &a.single_word },
                  { "lstrip", &a.lstrip },
                  { "rstrip", &a.rstrip },
                  { "normalized", &a.normalized } };
    Status s = text[0] ? OK : json_file_fault(j, x, e, "found an added piece without text");
    if (a.text.len > WORDPIECE_MOST_ADDED_BYTES)
        s = json_file_fault(j, x, e, "found an added piece of %zu bytes, expected at most %d", a.text.len,
                            WORDPIECE_MOST_ADDED_BYTES);
    for (size_t k = 0; k < sizeof flags / sizeof *flags && s == OK && cJSON_IsObject(x); k++)
        s = json_file_flag(j, x, flags[k].name, flags[k].value, e);
    return s == OK ? wordpiece_add(w, a, e) : s;
}

/* ---- tokenizer.json */

/* The object `name` of the file, whose type must be `type`. */
static Status section(const JsonFile *j, const char *name, const char *type, const cJSON **out, Error *e)
{
    const char *found = NULL;
    *out = json_file_member(j->root, name);
    if (!cJSON_IsObject(*out))
        return json_file_fault(j, *out ? *out : j->root, e, "found no object '%s', expected one of type %s", name,
                               type);
    Status s = json_file_string(j, *out, "type", true, &found, e);
    if (s == OK && strcmp(found, type) != 0)
        s = json_file_fault(j, json_file_member(*out, "type"), e, "%s: found type '%s', expected '%s'", name, found,
                            type);
    return s;
}

static Status read_rules(BertRules *r, const JsonFile *j, Error *e)
{
    const cJSON *x;
    *r = (BertRules){ true, true, false, true };
    Status s = section(j, "normalizer", "BertNormalizer", &x, e);
    if (s == OK) s = json_file_flag(j, x, "clean_text", &r->clean, e);
    if (s == OK) s = json_file_flag(j, x, "handle_chinese_chars", &r->chinese, e);
    if (s == OK) s = json_file_flag(j, x, "lowercase", &r->lowercase, e);
    r->strip_accents = r->lowercase;
    if (s == OK) s = json_file_flag(j, x, "strip_accents", &r->strip_accents, e);
    return s == OK ? section(j, "pre_tokenizer", "BertPreTokenizer", &x, e) : s;
}

static Status read_pieces(WordPiece *w, const JsonFile *j, const cJSON *model, Error *e)
{
    const cJSON *vocab = json_file_member(model, "vocab"), *x;
    if (!cJSON_IsObject(vocab))
        return json_file_fault(j, vocab ? vocab : model, e, "found no 'vocab', expected an object of pieces");
    cJSON_ArrayForEach(x, vocab)
    {
        double id = cJSON_IsNumber(x) ? x->valuedouble : -1;
        if (!(id >= 0 && id < PIECES_MOST) || id != (double)(int)id)
            return json_file_fault(j, x, e, "found another id, expected a whole number from 0 to %d", PIECES_MOST - 1);
        if ((int)id < w->n && w->piece[(int)id].ptr)
            return json_file_fault(j, x, e, "found id %d again, expected an id for each piece", (int)id);
        Status s = wordpiece_set_piece(w, (int)id, x->string, strlen(x->string), e);
        if (s != OK) return s;
    }
    return OK;
}

static Status read_added(WordPiece *w, const JsonFile *j, Error *e)
{
    const cJSON *list = json_file_member(j->root, "added_tokens"), *x;
    if (list && !cJSON_IsArray(list)) return json_file_fault(j, list, e, "added_tokens: expected a list");
    cJSON_ArrayForEach(x, list)
    {
        const char *text = NULL;
        int id = 0;
        Status s = cJSON_IsObject(x) ? OK : json_file_fault(j, x, e, "found no object, expected an added piece");
        if (s == OK) s = json_file_string(j, x, "content", true, &text, e);
        if (s == OK) s = json_file_whole(j, x, "id", true, 0, PIECES_MOST - 1, &id, e);
        if (s == OK) s = add_piece(w, j, x, text, id, e);
        if (s == OK && (id >= w->n || !w->piece[id].ptr)) s = wordpiece_set_piece(w, id, text, strlen(text), e);
        if (s != OK) return s;
    }
    return OK;
}

/* The vocabulary and the piece for unknown words. */
static Status read_model(WordPiece *w, const JsonFile *j, const cJSON *model, Error *e)
{
    const char *prefix = "##", *unknown = "[UNK]";
    int twice = -1;
    Status s = json_file_string(j, model, "continuing_subword_prefix", false, &prefix, e);
    if (s == OK) s = json_file_string(j, model, "unk_token", false, &unknown, e);
    if (s == OK)
        s = json_file_whole(j, model, "max_input_chars_per_word", false, 1, WORDPIECE_MOST_CHARS, &w->max_chars, e);
    if (s == OK) s = read_pieces(w, j, model, e);
    if (s == OK) s = wordpiece_index(w, prefix, &twice, e);
    if (twice >= 0)
        return json_file_fault(j, model, e, "found piece '%s' with two ids, expected one", w->piece[twice].ptr);
    if (s != OK) return s;
    w->unknown = piece_trie_find(&w->pieces, (StrView){ unknown, strlen(unknown) });
    if (w->unknown < 0) return json_file_fault(j, model, e, "found no piece '%s' for unknown words", unknown);
    return OK;
}

static Status read_json(WordPiece *w, const JsonFile *j, Error *e)
{
    const cJSON *model = json_file_member(j->root, "model"), *type = json_file_member(model, "type");
    Status s = OK;
    if (!cJSON_IsObject(model)) return json_file_fault(j, j->root, e, "found no 'model', expected an object");
    if (type) s = section(j, "model", "WordPiece", &model, e); /* the oldest files have no type */
    if (s == OK) s = read_rules(&w->rules, j, e);
    if (s == OK) s = read_model(w, j, model, e);
    if (s == OK) s = read_added(w, j, e);
    if (s == OK) s = json_file_flag(j, json_file_member(j->root, "post_processor"), "trim_offsets", &w->trim, e);
    return s == OK ? wordpiece_index_added(w, e) : s;
}

/* Reads the file that was opened with this status, and closes it. */
static Status read_and_close(WordPiece *w, JsonFile *j, Status opened, Error *e)
{
    *w = (WordPiece){ 0 };
    if (opened != OK) return opened;
    wordpiece_init(w);
    Status s = read_json(w, j, e);
    json_file_fini(j);
    if (s != OK) wordpiece_fini(w);
    return s;
}

Status wordpiece_read_json(WordPiece *pieces, const char *path, Error *error)
{
    JsonFile j;
    return read_and_close(pieces, &j, json_file_read(&j, path, error), error);
}

Status wordpiece_parse_json(WordPiece *pieces, StrView text, const char *path, Error *error)
{
    JsonFile j;
    return read_and_close(pieces, &j, json_file_parse(&j, text, path, error), error);
}

static void put_added(StrBuf *out, const AddedPiece *a)
{
    json_line(out);
    json_object(out, NULL);
    json_long(out, "id", a->id);
    json_view(out, "content", a->text);
    json_bool(out, "single_word", a->single_word);
    json_bool(out, "lstrip", a->lstrip);
    json_bool(out, "rstrip", a->rstrip);
    json_bool(out, "normalized", a->normalized);
    json_object_end(out);
}

/* Begins a line and an object of the file. */
static void put_section(StrBuf *out, const char *name, const char *type)
{
    json_line(out);
    json_object(out, name);
    if (type) json_string(out, "type", type);
}

void wordpiece_write_json(const WordPiece *pieces, StrBuf *out)
{
    const BertRules *r = &pieces->rules;
    json_object(out, NULL);
    json_array(out, "added_tokens");
    for (int k = 0; k < pieces->n_added; k++) put_added(out, &pieces->added[k]);
    json_array_end(out);
    put_section(out, "normalizer", "BertNormalizer");
    json_bool(out, "clean_text", r->clean);
    json_bool(out, "handle_chinese_chars", r->chinese);
    json_bool(out, "strip_accents", r->strip_accents);
    json_bool(out, "lowercase", r->lowercase);
    json_object_end(out);
    put_section(out, "pre_tokenizer", "BertPreTokenizer");
    json_object_end(out);
    put_section(out, "post_processor", NULL);
    json_bool(out, "trim_offsets", pieces->trim);
    json_object_end(out);
    put_section(out, "model", "WordPiece");
    json_long(out, "max_input_chars_per_word", pieces->max_chars);
    json_view(out, "unk_token", pieces->piece[pieces->unknown]);
    json_string(out, "continuing_subword_prefix", pieces->prefix);
    json_object(out, "vocab");
    for (int k = 0; k < pieces->pieces.n; k++) { /* a text of several ids once */
        json_line(out);
        json_view(out, NULL, pieces->pieces.key[k].text);
        strbuf_printf(out, ": %d", pieces->pieces.key[k].value);
    }
    strbuf_puts(out, "}}}\n");
}

/* ---- vocab.txt, tokenizer_config.json, special_tokens_map.json */

static Status read_lines(WordPiece *w, const char *path, Error *e)
{
    StrBuf text = { 0 };
    StrView line;
    Status s = file_read_most(path, VOCABULARY_MOST, &text, e);
    size_t at = 0;
    for (int id = 0; s == OK && text_line((StrView){ text.ptr, text.len }, &at, &line); id++) {
        const char *found;
        size_t bad = text_fault(line, &found);
        if (bad < line.len)
            s = error_at(e, ERR_FORMAT, path, id + 1, (long)bad + 1, "found a byte that is %s, expected a piece",
                         line.ptr[bad] ? "not UTF-8" : "NUL");
        else if (id == PIECES_MOST)
            s = error_at(e, ERR_LIMIT, path, id + 1, 0, "found more than %d pieces", PIECES_MOST);
        else s = wordpiece_set_piece(w, id, line.ptr, line.len, e);
    }
    if (s == OK && !w->n) s = error_at(e, ERR_FORMAT, path, 1, 1, "found no piece");
    strbuf_fini(&text);
    return s;
}

/* The text of a special piece, a string or an object with content; NULL with a message for another value. */
static const char *special_text(const JsonFile *j, const cJSON *x, Error *e)
{
    const char *text = cJSON_IsString(x) ? x->valuestring : NULL;
    if (cJSON_IsObject(x)) json_file_string(j, x, "content", true, &text, e);
    else if (!text) json_file_fault(j, x, e, "found another value, expected a special piece");
    return text;
}

/* A special piece of the vocabulary. One that the vocabulary lacks is passed over: it cannot be in any input. */
static Status add_special(WordPiece *w, const JsonFile *j, const cJSON *x, Error *e)
{
    const char *text = special_text(j, x, e);
    if (!text) return ERR_FORMAT;
    int id = piece_trie_find(&w->pieces, (StrView){ text, strlen(text) });
    return id < 0 ? OK : add_piece(w, j, x, text, id, e);
}

static Status read_specials(WordPiece *w, const JsonFile *j, Error *e)
{
    static const char *const names[] = { "unk_token",  "sep_token", "pad_token", "cls_token",
                                         "mask_token", "bos_token", "eos_token" };
    Status s = OK;
    for (size_t k = 0; k < sizeof names / sizeof *names && s == OK; k++) {
        const cJSON *x = json_file_member(j->root, names[k]);
        if (x) s = add_special(w, j, x, e);
    }
    const cJSON *more = json_file_member(j->root, "additional_special_tokens"), *x;
    if (s == OK && more && !cJSON_IsArray(more))
        s = json_file_fault(j, more, e, "additional_special_tokens: expected a list");
    cJSON_ArrayForEach(x, more) if (s == OK) s = add_special(w, j, x, e);
    return s;
}

/* added_tokens_decoder: {"103": {"content": "[MASK]", ...}}. */
static Status read_decoder(WordPiece *w, const JsonFile *j, Error *e)
{
    const cJSON *list = json_file_member(j->root, "added_tokens_decoder"), *x;
    if (list && !cJSON_IsObject(list)) return json_file_fault(j, list, e, "added_tokens_decoder: expected ids");
    cJSON_ArrayForEach(x, list)
    {
        int id = -1;
        const char *text = special_text(j, x, e);
        if (!text) return ERR_FORMAT;
        if (!text_number((StrView){ x->string, strlen(x->string) }, &id) || id >= PIECES_MOST)
            return json_file_key_fault(j, x, e, "found '%s', expected an id below %d", x->string, PIECES_MOST);
        Status s = add_piece(w, j, x, text, id, e);
        if (s == OK && (id >= w->n || !w->piece[id].ptr)) s = wordpiece_set_piece(w, id, text, strlen(text), e);
        if (s != OK) return s;
    }
    return OK;
}

/* What the tokenizers of a class add without being asked: BERT's five special pieces; MPNet's, whose vocabulary has
 * "<unk>" beside its unknown piece "[UNK]". */
static Status add_defaults(WordPiece *w, bool mpnet, Error *e)
{
    static const char *const bert[] = { "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]" };
    static const char *const other[] = { "[UNK]", "</s>", "<pad>", "<s>", "<mask>", "<unk>" };
    Status s = OK;
    for (size_t k = 0; s == OK && k < (mpnet ? 6 : 5); k++) {
        const char *text = mpnet ? other[k] : bert[k];
        AddedPiece a = { .text = { text, strlen(text) }, .normalized = mpnet && k == 5 };
        a.id = piece_trie_find(&w->pieces, a.text);
        if (a.id >= 0) s = wordpiece_add(w, a, e);
    }
    return s;
}

static Status read_config(WordPiece *w, const JsonFile *j, Error *e)
{
    const char *class = "BertTokenizer";
    BertRules *r = &w->rules;
    *r = (BertRules){ true, true, false, true };
    Status s = json_file_string(j, j->root, "tokenizer_class", false, &class, e);
    if (s == OK) s = json_file_flag(j, j->root, "do_lower_case", &r->lowercase, e);
    if (s == OK) s = json_file_flag(j, j->root, "tokenize_chinese_chars", &r->chinese, e);
    r->strip_accents = r->lowercase;
    if (s == OK) s = json_file_flag(j, j->root, "strip_accents", &r->strip_accents, e);
    w->trim = strncmp(class, "MPNet", 5) == 0;
    if (s == OK) s = add_defaults(w, w->trim, e);
    if (s == OK) s = read_specials(w, j, e);
    return s == OK ? read_decoder(w, j, e) : s;
}

/* The piece for unknown words: unk_token of the last file that names one, else [UNK]. */
static Status find_unknown(WordPiece *w, const JsonFile *config, const JsonFile *specials, const char *path, Error *e)
{
    const cJSON *x = specials->root ? json_file_member(specials->root, "unk_token") : NULL;
    const JsonFile *j = x ? specials : config;
    if (!x) x = json_file_member(config->root, "unk_token");
    const char *text = x ? special_text(j, x, e) : "[UNK]";
    if (!text) return ERR_FORMAT;
    w->unknown = piece_trie_find(&w->pieces, (StrView){ text, strlen(text) });
    return w->unknown >= 0 ? OK : error_at(e, ERR_FORMAT, path, 0, 0, "found no piece '%s' for unknown words", text);
}

Status wordpiece_read_vocabulary(WordPiece *pieces, const char *vocabulary, const char *config, const char *specials,
                                 Error *error)
{
    JsonFile main = { 0 }, more = { 0 };
    wordpiece_init(pieces);
    Status s = read_lines(pieces, vocabulary, error);
    if (s == OK) s = json_file_read(&main, config, error);
    if (s == OK && specials) s = json_file_read(&more, specials, error);
    if (s == OK) s = wordpiece_index(pieces, "##", NULL, error);
    if (s == OK) s = read_config(pieces, &main, error);
    if (s == OK && specials) s = read_specials(pieces, &more, error);
    if (s == OK) s = find_unknown(pieces, &main, &more, vocabulary, error);
    if (s == OK) s = wordpiece_index_added(pieces, error);
    json_file_fini(&main);
    json_file_fini(&more);
    if (s != OK) wordpiece_fini(pieces);
    return s;
}
