/* Published encoders as files of their own, and parsers that are trained on them. */
#define _POSIX_C_SOURCE 200809L
#include "parser/model/batch.h"
#include "parser/model/import.h"
#include "parser/parse/parse.h"
#include "parser/task/parse/parse_examples.h"
#include "parser/train/trainer.h"
#include "tests/support/toy.h"
#include "tests/support/toy_options.h"

#define TINY "tests/golden/encoders/mpnet-tiny"
#define XLMR "tests/golden/encoders/xlmr-tiny"
static const char *const FOLDERS[] = { "tests/golden/encoders/bert-tiny", TINY, XLMR };

/* The encoder of a folder as a file of lal model import. */
static void import_to(const char *dir, const char *path)
{
    MADE(Model, model_init, model_fini, m);
    assert_ok(import_folder(&m, dir, NULL, test_error()));
    assert_ok(model_save(&m, path, DT_F32, NULL, 0, NULL, test_error()));
}

static bool is_pretrained(const char *name) { return strncmp(name, "pretrained.", strlen("pretrained.")) == 0; }

/* Of parameters of the encoder that both models have: how many are equal to the bit. *n: how many there are. */
static int equal_tensors(const Model *a, const Model *b, int *n)
{
    int equal = *n = 0;
    for (int k = 0; k < a->ps.n; k++) {
        const Param *p = &a->ps.p[k];
        int other = is_pretrained(p->name) ? params_find(&b->ps, p->name) : -1;
        if (other < 0) continue;
        assert_int_equal(param_count(p), param_count(&b->ps.p[other]));
        equal += memcmp(param_values(&a->ps, k), param_values(&b->ps, other), param_count(p) * sizeof(Real)) == 0;
        ++*n;
    }
    return equal;
}

TEST(a_folder_becomes_a_file_with_weights_configuration_and_tokenizer)
{
    static const char *const words[] = { "The", "parser's", "na\xC3\xAFve", "(", "zebra", "\xE4\xBD\xA0" };
    MADE(Bench, bench_init, bench_fini, b, 20);
    for (int k = 0; k < 3; k++) {
        int n;
        MADE(Model, model_init, model_fini, from);
        assert_ok(import_folder(&from, FOLDERS[k], NULL, test_error()));
        import_to(FOLDERS[k], in(&b, "a"));
        MADE(Model, load_task_ok, model_fini, m, in(&b, "a"), &TASK_ENCODE);
        assert_int_equal(model_format(&m), 4);
        assert_int_equal(m.ps.n, from.ps.n);
        assert_int_equal(equal_tensors(&from, &m, &n), m.ps.n);
        assert_memory_equal(&m.pretrained, &from.pretrained, sizeof m.pretrained);
        FREED(pieces_fini) Pieces x = { 0 }, y = { 0 };
        for (int w = 0; w < 6; w++) {
            assert_ok(piece_tokenizer_encode_word(&from.tokenizer, view(words[w]), &x, test_error()));
            assert_ok(piece_tokenizer_encode_word(&m.tokenizer, view(words[w]), &y, test_error()));
        }
        assert_int_equal(x.n, y.n);
        assert_memory_equal(x.p, y.p, (size_t)x.n * sizeof *x.p);
        assert_int_equal(m.tokenizer.kind, k == 2 ? TOKENIZER_XLMR : TOKENIZER_WORDPIECE);
        assert_int_equal(m.tokenizer.last, from.tokenizer.last);
    }
}

/* The values of a parameter of an encoder. */
static const Real *values_of(const Model *m, const char *name, int *rows, int *cols)
{
    int k = params_find(&m->ps, name);
    assert_true(k >= 0);
    *rows = m->ps.p[k].rows;
    *cols = m->ps.p[k].cols;
    return param_values(&m->ps, k);
}

TEST(a_part_of_a_folder_has_the_rows_of_the_whole)
{
    for (int k = 0; k < 3; k++) {
        int n, rows, cols, all;
        ImportOptions o = { .keep_pieces = test_text("text", "The bridge was children\n"),
                            .keep_least = 1,
                            .layers = 1 };
        MADE(Model, model_init, model_fini, whole);
        MADE(Model, model_init, model_fini, part);
        assert_ok(import_folder(&whole, FOLDERS[k], NULL, test_error()));
        o.positions = whole.pretrained.most_pieces - 5;
        assert_ok(import_folder(&part, FOLDERS[k], &o, test_error()));
        assert_int_equal(part.pretrained.n_layers, 1);
        assert_int_equal(part.pretrained.most_pieces, o.positions);
        assert_true(params_find(&part.ps, "pretrained.ff_1.w_1.weight") < 0);
        const Real *x = values_of(&part, "pretrained.position.weight", &rows, &cols),
                   *y = values_of(&whole, "pretrained.position.weight", &all, &cols);
        assert_int_equal(rows, all - 5);
        assert_memory_equal(x, y, (size_t)rows * (size_t)cols * sizeof *x);
        x = values_of(&part, "pretrained.piece.weight", &rows, &cols);
        y = values_of(&whole, "pretrained.piece.weight", &all, &cols);
        assert_int_equal(rows, piece_tokenizer_size(&part.tokenizer));
        assert_true(rows < all);
        for (int id = 0, at = 0; id < rows; id++, at++) { /* the same pieces in the same order */
            StrView piece = piece_tokenizer_piece(&part.tokenizer, id), other = { NULL, 0 };
            for (; at < all; at++) {
                other = piece_tokenizer_piece(&whole.tokenizer, at);
                if (other.len == piece.len && memcmp(other.ptr, piece.ptr, piece.len) == 0) break;
            }
            assert_true(at < all);
            assert_memory_equal(x + id * cols, y + at * cols, (size_t)cols * sizeof *x);
        }
        /* other weights are those of the whole, and the file has the smaller encoder */
        const Real *v = values_of(&part, "pretrained.attn_0.w_qkv", &rows, &cols),
                   *w = values_of(&whole, "pretrained.attn_0.w_qkv", &rows, &cols);
        assert_memory_equal(v, w, (size_t)rows * (size_t)cols * sizeof *v);
        assert_ok(model_save(&part, test_path("part"), DT_F32, NULL, 0, NULL, test_error()));
        MADE(Model, load_task_ok, model_fini, again, test_path("part"), &TASK_ENCODE);
        assert_int_equal(equal_tensors(&part, &again, &n), part.ps.n);
    }
}

TEST(parts_that_a_folder_has_not_are_refused)
{
    static const struct {
        const char *folder;
        ImportOptions o;
        Status code;
        const char *message;
    } cases[] = {
        { XLMR, { .layers = 4 }, ERR_CONFIG, "/config.json: found 3 layers, expected at least 4 (--layers)" },
        { XLMR,
          { .positions = 41 },
          ERR_CONFIG,
          "/config.json: found 40 positions, expected at least 41 (--positions)" },
        { TINY, { .positions = 513 }, ERR_CONFIG, ": found 512 positions, expected at least 513 (--positions)" },
        { "tests/golden/encoders/xlnet-tiny",
          { .positions = 9 },
          ERR_CONFIG,
          ": found an encoder without a table of positions, expected one (--positions)" },
        { XLMR, { .keep_pieces = "/nonexistent", .keep_least = 1 }, ERR_IO, "/nonexistent: cannot open: " },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(Model, model_init, model_fini, m);
        assert_fails_with(import_folder(&m, cases[k].folder, &cases[k].o, test_error()), cases[k].code,
                          cases[k].message);
    }
    MADE(Model, model_init, model_fini, m);
    ImportOptions o = { .keep_pieces = test_text("text", "one\ntwo \xFF\n"), .keep_least = 1 };
    assert_fails_with(import_folder(&m, XLMR, &o, test_error()), ERR_FORMAT,
                      "/text:2:5: found bytes that are not UTF-8, expected text");
}

TEST(shapes_are_compared_with_the_files_before_memory_is_taken)
{
    static const char *const files[] = { "config.json", "model.safetensors", "tokenizer.json",
                                         "tokenizer_config.json" };
    char from[4096], here[2048];
    FREED(strbuf_fini) StrBuf config = { 0 };
    assert_non_null(getcwd(here, sizeof here));
    assert_ok(file_read(TINY "/config.json", &config, test_error()));
    memcpy(strstr(config.ptr, "\"hidden_size\": 32"), "\"hidden_size\": 64", 17);
    for (int k = 0; k < 4; k++) {
        snprintf(from, sizeof from, "%s/" TINY "/%s", here, files[k]);
        const char *to = test_path(files[k]);
        if (k) assert_int_equal(symlink(from, to), 0);
        else assert_ok(file_write(to, &config, test_error()));
    }
    MADE(Model, model_init, model_fini, m);
    assert_fails_with(
        import_folder(&m, test_folder(), NULL, test_error()), ERR_CONFIG,
        "tensor embeddings.word_embeddings.weight: found 19200 numbers, first dimension 600, expected 600 "
        "x 64");
    assert_true(m.ps.n > 0);
    assert_null(m.ps.memory);
}

/* Each use of heads of the encoder, and projected attention beside its layers. */
#define OPTIONS                                                                                                \
    "{'heads': [{'stack': 'pretrained', 'layers': [0], 'heads': [0], 'pattern': 'dep_syn', 'use': 'mask'}, "   \
    "{'stack': 'pretrained', 'heads': [1], 'pattern': ['prev', 'delim'], 'use': 'fixed'}, "                    \
    "{'stack': 'pretrained', 'layers': [1], 'heads': [2], 'pattern': 'dep_head', 'use': 'guide', 'source': "   \
    "'gold'}, {'stack': 'pretrained_pal', 'heads': [1], 'pattern': 'match_token', 'use': 'mask'}], 'syntax': " \
    "{'source': 'self'}, 'pal': {'pretrained_layers': 'all', 'width': 8, 'heads': 2}}"

static TrainArgs on_encoder(Bench *b, const char *out, const char *checkpoint, int threads)
{
    TrainArgs a = toy(b, out, checkpoint, threads);
    import_to(TINY, in(b, "v"));
    a.pretrained = in(b, "v");
    a.train.pretrained_lr = 0.5;
    a.train.pretrained_decay = 0.8;
    a.train.pretrained_warmup = 5;
    return a;
}

TEST(a_run_on_an_encoder_is_bit_equal_when_it_is_resumed)
{
    MADE(Bench, bench_init, bench_fini, b, 100);
    TrainArgs a = on_encoder(&b, NULL, in(&b, "b.ckpt"), 1);
    a.model.pretrained_mix = true;
    a.model.pretrained_pieces = PIECE_MEAN;
    a.model.pretrained_dropout = 0.2;
    a.model.pretrained_d_ff = 40;
    assert_resumes_bit_equal(&b, a);
}

TEST(a_run_with_options_of_the_heads_of_its_encoder_is_bit_equal_when_it_is_resumed)
{
    MADE(Bench, bench_init, bench_fini, b, 100);
    EncoderOptions o = toy_options(OPTIONS, test_arena());
    TrainArgs a = on_encoder(&b, NULL, in(&b, "b.ckpt"), 1);
    a.options = &o;
    assert_resumes_bit_equal(&b, a);
}

/* Projected attention is trained beside layers that are not. */
TEST(projected_attention_is_trained_beside_frozen_layers)
{
    int n;
    MADE(Bench, bench_init, bench_fini, b, 40);
    EncoderOptions o = toy_options(OPTIONS, test_arena());
    TrainArgs a = on_encoder(&b, in(&b, "a"), NULL, 2);
    a.options = &o;
    a.train.epochs = 2;
    a.train.average = 0;
    a.train.pretrained_freeze = 2;
    MADE(Model, train_and_load, model_fini, m, &a);
    MADE(Model, load_task_ok, model_fini, encoder, a.pretrained, &TASK_ENCODE);
    assert_int_equal(equal_tensors(&encoder, &m, &n), encoder.ps.n);
    for (int l = 0; l < 2; l++) {
        int up = params_find(&m.ps, test_format("pretrained.pal_%d.up.weight", l));
        assert_true(up >= 0 && !m.ps.p[up].frozen);
        double size = 0;
        for (size_t i = 0; i < param_count(&m.ps.p[up]); i++) size += fabs((double)param_values(&m.ps, up)[i]);
        assert_true(size > 0);
    }
}

TEST(frozen_layers_keep_their_values_and_the_others_are_trained)
{
    MADE(Bench, bench_init, bench_fini, b, 40);
    for (int frozen = 0; frozen <= 2; frozen++) {
        int n, equal;
        TrainArgs a = on_encoder(&b, in(&b, "a"), NULL, 2);
        a.n_dev = 0;
        a.train.epochs = 1;
        a.train.average = 0;
        a.train.pretrained_freeze = frozen;
        MADE(Model, train_and_load, model_fini, m, &a);
        MADE(Model, load_task_ok, model_fini, encoder, a.pretrained, &TASK_ENCODE);
        equal = equal_tensors(&m, &encoder, &n);
        assert_int_equal(n, encoder.ps.n);
        if (frozen == 0) assert_int_equal(equal, 0);
        if (frozen == 2) assert_int_equal(equal, n);
        for (int k = 0; k < m.ps.n && frozen == 1; k++) {
            const char *name = m.ps.p[k].name;
            int other = params_find(&encoder.ps, name);
            bool upper = strncmp(name, "pretrained.attn_1.", 18) == 0 || strncmp(name, "pretrained.ff_1.", 16) == 0;
            if (other >= 0 && memcmp(param_values(&m.ps, k), param_values(&encoder.ps, other),
                                     param_count(&m.ps.p[k]) * sizeof(Real)) == 0)
                assert_false(upper);
            else if (other >= 0 && !upper) fail_msg("%s", name);
        }
    }
}

TEST(the_lowest_layers_of_an_encoder_can_be_used_alone)
{
    int n;
    MADE(Bench, bench_init, bench_fini, b, 40);
    TrainArgs a = on_encoder(&b, in(&b, "a"), in(&b, "a.ckpt"), 1);
    a.n_dev = 0;
    a.train.epochs = 1;
    a.train.lr = a.train.average = 0; /* an average of equal numbers is rounded */
    a.model.pretrained_layers = 1;
    MADE(Model, train_and_load, model_fini, m, &a);
    MADE(Model, load_task_ok, model_fini, encoder, a.pretrained, &TASK_ENCODE);
    assert_int_equal(m.pretrained.n_layers, 1);
    assert_int_equal(m.c.pretrained_layers, 1);
    int equal = equal_tensors(&m, &encoder, &n);
    assert_int_equal(equal, n);
    assert_true(n > 0 && n < encoder.ps.n && params_find(&m.ps, "pretrained.ff_1.w_1c.weight") < 0);
    /* an encoder can be taken out of a parser, too */
    a.pretrained = in(&b, "a");
    a.out = in(&b, "b");
    a.checkpoint = NULL;
    train_ok(&a);
    a.model.pretrained_layers = 2;
    assert_fails_with(trainer_run(&a, test_error()), ERR_CONFIG,
                      "found a pretrained encoder of 1 layers, expected at least 2");
    a.model.pretrained_layers = 0;
    a.model.pretrained_d_ff = 97;
    assert_fails_with(trainer_run(&a, test_error()), ERR_CONFIG,
                      "found a pretrained encoder with feed-forward layers of width 96, expected at least 97");
    a.pretrained = NULL;
    assert_fails_with(trainer_run(&a, test_error()), ERR_USAGE, "found --pretrained-d-ff 97 and no pretrained encoder");
    a.model.pretrained_layers = 2;
    assert_fails_with(trainer_run(&a, test_error()), ERR_USAGE, "expected --pretrained FILE");
}

/* Sentences of the toy grammar, and a longer one that needs windows where an encoder takes few pieces. */
enum { SENTENCES = 12, LONG = 40 };

static void parse_all(Worker *w, const ParseInput *in, int n, bool together, Arena *out, Parsed *result)
{
    const ParseOptions o = parse_defaults(w->m);
    for (int k = 0; k < n; k += together ? n : 1)
        assert_ok(parse_batch(w, in + k, together ? n : 1, &o, out, result + k, test_error()));
}

/* With options of heads, or NULL. */
static void check_batches(const EncoderOptions *o)
{
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs a = on_encoder(&b, in(&b, "a"), NULL, 2);
    a.train.epochs = 1;
    a.options = o;
    MADE(Model, train_and_load, model_fini, m, &a);
    const char *words[LONG];
    ParseInput input[SENTENCES];
    for (int w = 0; w < LONG; w++) words[w] = b.dev.trees.s[w].words[0];
    for (int k = 0; k < SENTENCES; k++) input[k] = parse_input(&b.dev.trees.s[k]);
    input[5] = (ParseInput){ .n_words = LONG, .words = words };
    for (int most = 512; most >= 16; most -= 496) { /* windows for the long one */
        Parsed alone[SENTENCES], together[SENTENCES];
        m.pretrained.most_pieces = m.net.embedding.pretrained.encoder.c.most_pieces = most;
        MADE(Worker, worker_init, worker_fini, w, &m, device_default());
        parse_all(&w, input, SENTENCES, false, test_arena(), alone);
        parse_all(&w, input, SENTENCES, true, test_arena(), together);
        for (int k = 0; k < SENTENCES; k++) {
            const Parsed *x = &alone[k], *y = &together[k];
            assert_int_equal(x->windows, y->windows);
            assert_true(k == 5 && most == 16 ? x->windows > 2 : most == 16 || x->windows == 1);
            assert_memory_equal(x->heads, y->heads, (size_t)x->n_words * sizeof *x->heads);
            assert_int_equal(x->n_phrases, y->n_phrases);
            assert_memory_equal(x->phrases, y->phrases, (size_t)x->n_phrases * sizeof *x->phrases);
            assert_true(fabs(x->score - y->score) < 1e-4 * (1 + fabs(x->score)));
        }
    }
}

TEST(parses_do_not_depend_on_the_batch)
{
    const EncoderOptions o = toy_options(OPTIONS, test_arena());
    check_batches(NULL);
    check_batches(&o);
}

/* The pieces of a sentence as the encoder of a folder reads it; what they lie in is the arena's. */
static PieceBatch pieces_of(const Model *m, const char *const *words, int n, Arena *a)
{
    PackedBatch packed;
    MADE(Lexicon, lexicon_init, lexicon_fini, l, model_lexicon(m));
    const BatchSentence sentence = { .n = n, .words = words };
    assert_ok(batch_pack(&l, &sentence, 1, 0, a, &packed, test_error()));
    return packed.in.pieces;
}

/* `copies` copies of a unit as one word. */
static char *repeated(const char *unit, size_t copies, Arena *a)
{
    size_t n = strlen(unit);
    char *word = arena_alloc(a, copies * n + 1, 1);
    assert_non_null(word);
    for (size_t k = 0; k < copies; k++) memcpy(word + k * n, unit, n + 1);
    return word;
}

TEST(long_words_have_few_pieces_and_long_sentences_windows)
{
    static const char *const folders[] = { "tests/golden/encoders/bert-tiny", TINY, "tests/golden/encoders/xlnet-tiny",
                                           XLMR },
                             *const units[] = { "z7+", "\xE4\xBD\xA0", "a\xCC\x81", "\xF0\x9F\x98\x80" };
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        MADE(Model, model_init, model_fini, m);
        assert_ok(import_folder(&m, folders[f], NULL, test_error()));
        for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
            const char *most = repeated(units[u], LEXICON_WORD_BYTES / strlen(units[u]), test_arena()),
                       *sentence[] = { "The", most };
            PieceBatch c = pieces_of(&m, sentence, 2, test_arena());
            sentence[1] = repeated(units[u], 20000, test_arena());
            PieceBatch b = pieces_of(&m, sentence, 2, test_arena());
            assert_true(b.batch.n_tokens <= 3 * LEXICON_WORD_PIECES); /* windows overlap by half */
            assert_int_equal(b.batch.n_tokens, c.batch.n_tokens);
            assert_memory_equal(b.id, c.id, (size_t)b.batch.n_tokens * sizeof *b.id);
        }
        const char *words[1000];
        for (int w = 0; w < 1000; w++) words[w] = "zebra";
        PieceBatch b = pieces_of(&m, words, 1000, test_arena());
        assert_true(b.batch.longest <= 512 && b.n_windows[0] > 1);
    }
}

/* How many sub-batches of at most 100 tokens twelve sentences of three words are, the second of which is `word`. */
static int sub_batches(const char *word)
{
    enum { N = 12 };
    const char *words[] = { "The", word, "." };
    const Sentence sent = { .n_words = 3, .words = words };
    TrainArgs args = { .train = { .subbatch_tokens = 100 } };
    Worker w;
    Example ex[N];
    int order[N], cut[N + 1];
    Trainer tr = { .a = &args, .task = &PARSE_TRAINING, .ex = ex, .order = order, .cut = cut, .workers = &w };
    model_init(&tr.m);
    assert_ok(import_folder(&tr.m, TINY, NULL, test_error()));
    worker_init(&w, &tr.m, device_default());
    for (int k = 0; k < N; k++) {
        ex[k] = (Example){ .s = &sent };
        order[k] = k;
    }
    trainer_cut(&tr, 0, N);
    assert_int_equal(tr.cut[tr.n_cuts], N);
    worker_fini(&w);
    model_fini(&tr.m);
    return tr.n_cuts;
}

TEST(sub_batches_have_few_pieces)
{
    assert_int_equal(sub_batches("zebra"), 1);                              /* 60 tokens */
    assert_int_equal(sub_batches(repeated("z7+", 25, test_arena())), 4);    /* and about 77 pieces in each sentence */
    assert_int_equal(sub_batches(repeated("z7+", 2000, test_arena())), 12); /* 258 */
}
