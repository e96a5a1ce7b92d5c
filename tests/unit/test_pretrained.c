/* Folders of pretrained encoders: config.json, the tokenizer, the shards of the weights;
 * words and their pieces. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "base/file.h"
#include "embeddings/piece_spelling.h"
#include "embeddings/piece_tokenizer.h"
#include "embeddings/xlmr_words.h"
#include "tensor/safetensors_set.h"
#include "tests/support/check.h"

/* ---- config.json */

#define BERT                                                                                                \
    "\"model_type\": \"bert\", \"num_hidden_layers\": 2, \"num_attention_heads\": 4, \"hidden_size\": 32, " \
    "\"intermediate_size\": 96, \"max_position_embeddings\": 96, \"vocab_size\": 600"
#define XLNET \
    "\"model_type\": \"xlnet\", \"n_layer\": 2, \"n_head\": 4, \"d_model\": 32, \"d_inner\": 96, \"vocab_size\": 1200"

TEST(configurations_of_the_three_architectures_are_read)
{
    PretrainedConfig c;
    assert_ok(pretrained_config_parse(&c, view("{" BERT ", \"layer_norm_eps\": 1e-5}"), "c", test_error()));
    assert_int_equal(c.kind, PRETRAINED_BERT);
    assert_int_equal(c.d_head, 8);
    assert_int_equal(c.most_pieces, 96);
    assert_int_equal(c.n_types, 2);
    assert_int_equal(c.n_buckets, 0);
    assert_true(c.norm_eps == 1e-5);
    assert_ok(pretrained_config_read(&c, "tests/golden/encoders/mpnet-tiny/config.json", test_error()));
    assert_int_equal(c.kind, PRETRAINED_MPNET);
    assert_int_equal(c.n_positions, 514);
    assert_int_equal(c.most_pieces, 512);
    assert_int_equal(c.n_buckets, 32);
    assert_int_equal(c.n_types, 0);
    assert_ok(pretrained_config_parse(&c,
                                      view("{\"architectures\": [\"XLNetLMHeadModel\"], \"n_layer\": 24, "
                                           "\"n_head\": 16, \"d_model\": 1024, \"d_inner\": 4096, "
                                           "\"n_token\": 32000, \"untie_r\": true, \"clamp_len\": -1}"),
                                      "c", test_error()));
    assert_int_equal(c.kind, PRETRAINED_XLNET);
    assert_int_equal(c.d_head, 64);
    assert_int_equal(c.n_pieces, 32000);
    assert_int_equal(c.most_pieces, PRETRAINED_XLNET_PIECES);
}

TEST(configurations_that_are_wrong_have_a_message_with_a_place)
{
    static const Refused cases[] = {
        { "{}", "c:1:1: found no 'model_type', expected bert, mpnet or xlnet" },
        { "{\"model_type\": \"roberta\"}", "c:1:16: found the architecture 'roberta', expected bert, mpnet or xlnet" },
        { "{\"architectures\": [\"GPT2Model\"]}",
          "c:1:20: found the architecture 'GPT2Model', expected bert, mpnet or xlnet" },
        { "{\"model_type\": \"bert\"}", "c:1:1: found no 'num_hidden_layers', expected one" },
        { "{\"model_type\": \"bert\", \"num_hidden_layers\": 0}",
          "c:1:45: num_hidden_layers: found 0, expected a whole number from 1 to 512" },
        { "{\"model_type\": \"bert\", \"num_hidden_layers\": \"6\"}",
          "c:1:45: num_hidden_layers: found another value, expected a whole number from 1 to 512" },
        { "{\"hidden_act\": \"relu\", " BERT "}", "c:1:16: hidden_act: found 'relu', expected 'gelu'" },
        { "{\"position_embedding_type\": \"relative_key\", " BERT "}",
          "c:1:29: position_embedding_type: found 'relative_key', expected 'absolute'" },
        { "{\"is_decoder\": true, " BERT "}", "c:1:16: is_decoder: found true, expected false" },
        { "{\"hidden_dropout_prob\": 1, " BERT "}",
          "c:1:25: hidden_dropout_prob: found 1, expected a number from 0 to 0.999" },
        { "{\"attn_type\": \"uni\", " XLNET "}", "c:1:15: attn_type: found 'uni', expected 'bi'" },
        { "{\"untie_r\": false, " XLNET "}", "c:1:13: untie_r: found false, expected true" },
        { "{\"d_head\": 9, " XLNET "}", "c:1:12: d_head: found 9, expected 8" },
        { "{\"model_type\": \"xlnet\", \"n_layer\": 1, \"n_head\": 3, \"d_model\": 32, \"d_inner\": 9, \"vocab_size\": "
          "9}",
          "c:1:49: n_head: found 3, expected a divisor of d_model, 32" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        PretrainedConfig c;
        assert_fails(pretrained_config_parse(&c, view(cases[k].text), "c", test_error()), ERR_FORMAT, cases[k].message);
    }
}

/* ---- tokenizers of folders */

TEST(the_files_of_a_folder_decide_its_tokenizer)
{
    PieceTokenizer t;
    assert_fails_with(piece_tokenizer_open(&t, test_folder(), PRETRAINED_BERT, test_error()), ERR_IO,
                      ": found no tokenizer, expected tokenizer.json, vocab.txt, spiece.model (XLNet) or "
                      "sentencepiece.bpe.model (XLM-R)");
    test_text("vocab.txt", "[UNK]\n[CLS]\n[SEP]\na\n");
    assert_fails_with(piece_tokenizer_open(&t, test_folder(), PRETRAINED_BERT, test_error()), ERR_IO,
                      ": found vocab.txt without tokenizer_config.json, which says whether letters become lower case");
    test_text("tokenizer_config.json", "{\"sep_token\": {\"content\": \"a\"}}");
    assert_ok(piece_tokenizer_open(&t, test_folder(), PRETRAINED_BERT, test_error()));
    assert_true(piece_tokenizer_lowercase(&t));
    assert_int_equal(t.first, 1);
    assert_int_equal(t.last, 3);
    assert_int_equal(piece_tokenizer_size(&t), 4);
    assert_null(piece_tokenizer_piece(&t, 4).ptr);
    piece_tokenizer_close(&t);
    assert_fails_with(piece_tokenizer_open(&t, test_folder(), PRETRAINED_MPNET, test_error()), ERR_FORMAT,
                      ": found no piece '<s>' in the vocabulary, expected one");
}

#define XLMR "tests/golden/encoders/xlmr-tiny"

/* Copies a file of a folder of the golden cases into the folder of the test. */
static void take(const char *from, const char *name)
{
    FREED(strbuf_fini) StrBuf bytes = { 0 };
    assert_ok(file_read(from, &bytes, test_error()));
    test_file(name, bytes.ptr, bytes.len);
}

TEST(a_folder_may_have_the_tokenizer_of_xlm_r_under_any_layers)
{
    FREED(piece_tokenizer_close) PieceTokenizer t;
    take("tests/golden/encoders/bert-tiny/vocab.txt", "vocab.txt"); /* which is not read */
    take(XLMR "/sentencepiece.bpe.model", "sentencepiece.bpe.model");
    for (PretrainedKind k = PRETRAINED_BERT; k <= PRETRAINED_XLNET; k++) {
        assert_ok(piece_tokenizer_open(&t, test_folder(), k, test_error()));
        assert_int_equal(t.kind, TOKENIZER_XLMR);
        assert_int_equal(t.first, 0);
        assert_int_equal(t.last, 2);
        assert_int_equal(t.unknown, 3);
        piece_tokenizer_close(&t);
    }
    test_text("tokenizer_config.json", "{\"cls_token\": \"<unk>\", \"sep_token\": {\"content\": \"<s>\"}}");
    assert_ok(piece_tokenizer_open(&t, test_folder(), PRETRAINED_BERT, test_error()));
    assert_int_equal(t.first, 3);
    assert_int_equal(t.last, 0);
    piece_tokenizer_close(&t);
    take("tests/fuzz/seeds/unigram/plain", "sentencepiece.bpe.model");
    assert_fails_with(piece_tokenizer_open(&t, test_folder(), PRETRAINED_BERT, test_error()), ERR_FORMAT,
                      "/sentencepiece.bpe.model: piece 2: found '\u2581a', expected </s> of XLM-R");
}

TEST(ids_of_xlm_r_have_their_pieces)
{
    FREED(piece_tokenizer_close) PieceTokenizer t;
    assert_ok(piece_tokenizer_open(&t, XLMR, PRETRAINED_BERT, test_error()));
    static const char *const first[] = { "<s>", "<pad>", "</s>", "<unk>" };
    int n = piece_tokenizer_size(&t);
    assert_int_equal(n, t.unigram.n + 2);
    for (int id = 0; id < 4; id++) assert_true(text_equal(piece_tokenizer_piece(&t, id), first[id]));
    assert_true(text_equal(piece_tokenizer_piece(&t, n - 1), "<mask>"));
    assert_null(piece_tokenizer_piece(&t, n).ptr);
    for (int k = 0; k < t.unigram.n; k++) {
        int id = xlmr_words_id(k);
        assert_int_equal(xlmr_words_index(&t.unigram, id), k);
        StrView x = piece_tokenizer_piece(&t, id), y = t.unigram.piece[k].text;
        assert_true(x.len == y.len && memcmp(x.ptr, y.ptr, x.len) == 0);
    }
    assert_int_equal(xlmr_words_index(&t.unigram, 1), -1);
    assert_int_equal(xlmr_words_index(&t.unigram, n - 1), -1);
    assert_int_equal(xlmr_words_index(&t.unigram, -1), -1);
}

TEST(variants_of_xlnet_that_are_not_built_are_refused)
{
    PieceTokenizer t;
    FILE *model = fopen("tests/golden/encoders/xlnet-tiny-bytes/spiece.model", "rb");
    static char bytes[1 << 16];
    assert_non_null(model);
    test_file("spiece.model", bytes, fread(bytes, 1, sizeof bytes, model));
    fclose(model);
    test_text("tokenizer_config.json", "{\"do_lower_case\": false, \"cls_token\": \"<eod>\"}");
    assert_ok(piece_tokenizer_open(&t, test_folder(), PRETRAINED_XLNET, test_error()));
    assert_false(piece_tokenizer_lowercase(&t));
    assert_int_equal(t.first, 7);
    assert_int_equal(t.last, 4);
    piece_tokenizer_close(&t);
    test_text("tokenizer_config.json", "{\"do_lower_case\": true}");
    assert_fails_with(piece_tokenizer_open(&t, test_folder(), PRETRAINED_XLNET, test_error()), ERR_FORMAT,
                      "/tokenizer_config.json:1:19: do_lower_case: found true, expected false");
}

TEST(a_vocabulary_of_another_size_is_refused)
{
    FREED(piece_tokenizer_close) PieceTokenizer t;
    PretrainedConfig c = { .n_pieces = 600 };
    assert_ok(piece_tokenizer_open(&t, "tests/golden/encoders/bert-tiny", PRETRAINED_BERT, test_error()));
    assert_ok(piece_tokenizer_check(&t, &c, "v", test_error()));
    c.n_pieces = 727;
    assert_ok(piece_tokenizer_check(&t, &c, "v", test_error()));
    c.n_pieces = 728;
    assert_fails(piece_tokenizer_check(&t, &c, "v", test_error()), ERR_CONFIG,
                 "v: found a vocabulary of 600 pieces, expected 728, the vocab_size of config.json");
    c.n_pieces = 599;
    assert_int_equal(piece_tokenizer_check(&t, &c, "v", NULL), ERR_CONFIG);
}

/* ---- words */

TEST(each_word_has_its_pieces_and_a_word_without_is_unknown)
{
    static const char *const words[] = { "Hello", "\xC2\xAD", "", "world" }, *const folders[] = {
        "tests/golden/encoders/bert-tiny", "tests/golden/encoders/xlnet-tiny", XLMR
    };
    for (int f = 0; f < 3; f++) {
        FREED(piece_tokenizer_close) PieceTokenizer t;
        FREED(pieces_fini) Pieces p = { 0 };
        int past[4];
        assert_ok(piece_tokenizer_open(&t, folders[f], PRETRAINED_BERT, test_error()));
        for (int w = 0; w < 4; w++) {
            int before = p.n;
            assert_ok(piece_tokenizer_encode_word(&t, view(words[w]), &p, test_error()));
            assert_true(p.n > before);
            past[w] = p.n;
        }
        assert_int_equal(past[2] - past[1], 1); /* the empty one */
        assert_int_equal(p.p[past[1]].id, t.unknown);
        for (long n = 0; allocation_fails(n); n++) {
            FREED(pieces_fini) Pieces again = { 0 };
            mem_fail_after(n);
            assert_ok_or_no_memory(piece_tokenizer_encode_word(&t, view(words[0]), &again, test_error()));
        }
    }
}

/* "piece piece ..." of a word. */
static const char *pieces_of(const PieceTokenizer *t, const char *word)
{
    static char line[200];
    FREED(pieces_fini) Pieces p = { 0 };
    size_t n = 0;
    assert_ok(piece_tokenizer_encode_word(t, view(word), &p, test_error()));
    line[0] = 0;
    for (int k = 0; k < p.n; k++) {
        StrView x = piece_tokenizer_piece(t, p.p[k].id);
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%.*s", k ? " " : "", (int)x.len, x.ptr);
    }
    return line;
}

TEST(words_of_xlm_r_have_a_blank_before_them_where_text_has_one)
{
    static const char *const expected[][2] = {
        { "the", "\u2581the" },
        { "The", "\u2581T he" },
        { ",", "," },
        { "(", "\u2581(" },
        { "\u2026y", ". . . y" },
        { "\u2019s", "\u2019 s" },
        { "\uFF21\uFF22", "A B" },
        { "\u6CB3\u4E0A", "\u6CB3 \u4E0A" },
        { "\uFF01", "!" },
        { "a,b", "\u2581a , b" },
    };
    FREED(piece_tokenizer_close) PieceTokenizer t;
    assert_ok(piece_tokenizer_open(&t, XLMR, PRETRAINED_BERT, test_error()));
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
        assert_string_equal(pieces_of(&t, expected[k][0]), expected[k][1]);
}

TEST(words_of_treebanks_are_spelled_as_in_text)
{
    static const char *const words[] = { "n't", "-LRB-", "``", "\u201ca\u2019s", "\u2014", "`", "plain", "\u2026" };
    static const char *const expected[] = { "n't", "(", "\"", "\"a's", "--", "'", "plain", "\u2026" };
    const char **out = piece_spelling(words, 8, true, test_arena());
    for (int w = 0; w < 8; w++) assert_string_equal(out[w], expected[w]);
    assert_ptr_equal(out[6], words[6]);
    out = piece_spelling(words, 8, false, test_arena());
    for (int w = 0; w < 8; w++) assert_string_equal(out[w], w == 3 || w == 4 ? words[w] : expected[w]);
}

/* ---- weights */

/* A file of tensors of two numbers each. */
static void put_tensors(const char *file, const char *const *names, int n)
{
    StWriter w;
    int dims[2] = { 1, 2 };
    stwriter_init(&w);
    for (int k = 0; k < n; k++) stwriter_declare(&w, names[k], DT_F32, dims, 2);
    assert_ok(stwriter_begin(&w, test_path(file), test_error()));
    for (int k = 0; k < n; k++) stwriter_reals(&w, DT_F32, (Real[]){ (Real)k, 1 }, 2);
    assert_ok(stwriter_end(&w, true, test_error()));
}

#define MAP(text) "{\"weight_map\": {" text "}}"

TEST(shards_are_one_set_of_tensors)
{
    FREED(safetensors_set_close) SafeTensorsSet set;
    const SafeTensors *file;
    Real x[2];
    put_tensors("a.safetensors", (const char *const[]){ "one", "two" }, 2);
    put_tensors("b.safetensors", (const char *const[]){ "three" }, 1);
    test_text("model.safetensors.index.json",
              MAP("\"one\": \"a.safetensors\", \"three\": \"b.safetensors\", \"two\": \"a.safetensors\""));
    assert_ok(safetensors_set_open(&set, test_folder(), test_error()));
    assert_int_equal(set.n, 2);
    const StTensor *t = safetensors_set_find(&set, "two", &file);
    assert_ok(safetensors_reals(file, t, x, test_error()));
    assert_true(x[0] == 1);
    assert_non_null(safetensors_set_find(&set, "three", NULL));
    assert_null(safetensors_set_find(&set, "four", NULL));
    safetensors_set_close(&set);
    put_tensors("model.safetensors", (const char *const[]){ "whole" }, 1);
    assert_int_equal(safetensors_set_open(&set, test_folder(), NULL), OK);
    assert_int_equal(set.n, 1);
}

TEST(shards_that_are_wrong_have_a_message)
{
    static const struct {
        const char *map;
        Status code;
        const char *message;
    } cases[] = {
        { "{}", ERR_FORMAT, "/model.safetensors.index.json:1:1: found no 'weight_map' of tensors and files" },
        { MAP("\"one\": \"c.safetensors\""), ERR_IO, "/c.safetensors: cannot open: No such file or directory" },
        { MAP("\"one\": \"../a.safetensors\""), ERR_FORMAT,
          "/model.safetensors.index.json:1:24: found another value, expected the name of a file in this folder" },
        { MAP("\"one\": 1"), ERR_FORMAT,
          "/model.safetensors.index.json:1:24: found another value, expected the name of a file in this folder" },
        { MAP("\"one\": \"a.safetensors\", \"one\": \"a.safetensors\""), ERR_FORMAT,
          "/model.safetensors.index.json:1:41: found tensor one twice" },
        { MAP("\"one\": \"a.safetensors\", \"six\": \"a.safetensors\""), ERR_FORMAT,
          "/model.safetensors.index.json:1:41: found no tensor six in a.safetensors, expected one" },
        { MAP("\"one\": \"a.safetensors\", \"two\": \"b.safetensors\""), ERR_FORMAT,
          "/b.safetensors: found tensor one, which a.safetensors has too" },
    };
    put_tensors("a.safetensors", (const char *const[]){ "one", "two" }, 2);
    put_tensors("b.safetensors", (const char *const[]){ "one" }, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        SafeTensorsSet set;
        test_text("model.safetensors.index.json", cases[k].map);
        assert_fails_with(safetensors_set_open(&set, test_folder(), test_error()), cases[k].code, cases[k].message);
    }
    SafeTensorsSet set;
    test_text("model.safetensors.index.json", MAP("\"one\": \"a.safetensors\""));
    assert_int_equal(truncate(test_path("a.safetensors"), 200), 0);
    assert_fails_with(safetensors_set_open(&set, test_folder(), test_error()), ERR_FORMAT, "/a.safetensors");
}

TEST(weights_of_pytorch_are_read_where_there_are_no_others)
{
    FREED(safetensors_set_close) SafeTensorsSet set;
    assert_fails_with(safetensors_set_open(&set, test_folder(), test_error()), ERR_IO,
                      ": found neither model.safetensors nor pytorch_model.bin, nor an index of one");
    test_text("pytorch_model.bin.index.json", MAP("\"matrix\": \"a.bin\", \"F64\": \"b.bin\""));
    take("tests/fuzz/seeds/torch_file/columns", "a.bin");
    take("tests/fuzz/seeds/torch_file/legacy", "b.bin");
    assert_ok(safetensors_set_open(&set, test_folder(), test_error()));
    assert_int_equal(set.n, 2);
    assert_non_null(safetensors_set_find(&set, "F64", NULL));
    safetensors_set_close(&set);
    take("tests/fuzz/seeds/torch_file/zip", "pytorch_model.bin");
    assert_ok(safetensors_set_open(&set, test_folder(), test_error()));
    assert_null(safetensors_set_find(&set, "matrix", NULL));
    safetensors_set_close(&set);
    put_tensors("model.safetensors", (const char *const[]){ "whole" }, 1);
    assert_ok(safetensors_set_open(&set, test_folder(), test_error()));
    assert_non_null(safetensors_set_find(&set, "whole", NULL));
}

TEST(every_allocation_of_a_set_may_fail)
{
    put_tensors("a.safetensors", (const char *const[]){ "one", "two" }, 2);
    test_text("model.safetensors.index.json", MAP("\"one\": \"a.safetensors\", \"two\": \"a.safetensors\""));
    for (long n = 0; allocation_fails(n); n++) {
        SafeTensorsSet set;
        mem_fail_after(n);
        if (assert_ok_or_no_memory(safetensors_set_open(&set, test_folder(), test_error())))
            safetensors_set_close(&set);
    }
}
