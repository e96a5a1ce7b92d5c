/* Pretrained encoders: distances, sequences of a batch, and files. Recorded
 * numbers: tests/golden/encoder_parity. */

#include "embeddings/pretrained_encoder.h"
#include "tests/support/check.h"
#include "tests/support/tiny_pretrained.h"

typedef struct Net {
    PretrainedEncoder pe;
    ParamSet ps;
    Tape t;
} Net;

static void net_init_as(Net *n, PretrainedConfig c)
{
    params_init(&n->ps);
    tape_init(&n->t, device_cpu());
    assert_ok(pretrained_encoder_declare(&n->pe, &n->ps, c, test_error()));
    assert_ok(params_finish(&n->ps, test_error()));
    for (int k = 0; k < n->ps.n; k++) param_init_normal(&n->ps, k, 0.6, 3);
}

static void net_init(Net *n, PretrainedKind kind) { net_init_as(n, tiny_pretrained(kind)); }

static void net_fini(Net *n)
{
    tape_fini(&n->t);
    params_fini(&n->ps);
}

/* The last states of sequences of pieces, or NULL. */
static Tensor *states(Net *n, const int *piece, const Batch *batch)
{
    PretrainedOutput out;
    tape_reset(&n->t, false, false, 0);
    Forward f = { &n->t, &n->ps, NULL, batch, NULL, false };
    pretrained_encoder_forward(&f, &n->pe, piece, NULL, &out);
    return out.hidden[n->pe.c.n_layers];
}

TEST(distances_have_the_buckets_of_their_logarithm)
{
    static const int table[][2] = { { 0, 0 },    { 1, 1 },     { 7, 7 },    { 8, 8 },    { 11, 8 },
                                    { 12, 9 },   { 16, 10 },   { 64, 14 },  { 90, 14 },  { 91, 15 },
                                    { 127, 15 }, { 5000, 15 }, { -1, 17 },  { -7, 23 },  { -8, 24 },
                                    { -12, 25 }, { -90, 30 },  { -91, 31 }, { -128, 31 } };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        assert_int_equal(pretrained_encoder_bucket(table[k][0], 32), table[k][1]);
}

/* Of sequences of 4, 1 and 6 pieces, each alone and all together. */
TEST(sequences_of_a_batch_do_not_see_one_another)
{
    static const int piece[] = { 0, 9, 4, 2, 10, 0, 3, 3, 8, 1, 2 }, start[] = { 0, 4, 5, 11 };
    const Batch together = { 3, start, 11, 6 };
    for (int k = 0; k < N_TINY_KINDS; k++) {
        MADE(Net, net_init, net_fini, n, TINY_KINDS[k]);
        MADE(Net, net_init, net_fini, alone, TINY_KINDS[k]);
        Tensor *x = states(&n, piece, &together);
        assert_non_null(x);
        for (int b = 0; b < 3; b++) {
            int m = start[b + 1] - start[b], own[] = { 0, m };
            Batch one = { 1, own, m, m };
            Tensor *y = states(&alone, piece + start[b], &one);
            assert_non_null(y);
            for (int i = 0; i < m; i++)
                assert_close(tensor_row(x, start[b] + i), tensor_row(y, i), (size_t)y->cols, 0, 1e-5);
        }
        assert_int_equal(x->rows, 11);
    }
}

TEST(an_empty_batch_has_no_states)
{
    static const int start[] = { 0 }, piece[] = { 0 };
    const Batch none = { 0, start, 0, 0 };
    for (int k = 0; k < N_TINY_KINDS; k++) {
        MADE(Net, net_init, net_fini, n, TINY_KINDS[k]);
        Tensor *x = states(&n, piece, &none);
        assert_non_null(x);
        assert_int_equal(x->rows, 0);
    }
}

TEST(a_sequence_longer_than_the_table_of_positions_is_refused)
{
    static const int piece[7] = { 0 }, start[] = { 0, 7 };
    const Batch batch = { 1, start, 7, 7 };
    for (int k = 0; k < 2; k++) { /* BERT, MPNet */
        MADE(Net, net_init, net_fini, n, TINY_KINDS[k]);
        assert_null(states(&n, piece, &batch));
        assert_int_equal(n.t.error.code, ERR_RANGE);
        assert_string_equal(n.t.error.message, "found a sequence of 7 pieces, expected at most 6");
    }
}

/* ---- fewer hidden units */

/* Every parameter has values, norms, too. */
static void wide_init(Net *n, PretrainedKind kind)
{
    net_init(n, kind);
    for (int k = 0; k < n->ps.n; k++) param_init_normal(&n->ps, k, 0.5, 9);
}

/* The same encoder with d_ff hidden units. */
static void narrow_init(Net *n, const Net *wide, int d_ff)
{
    PretrainedConfig c = wide->pe.c;
    c.d_ff = d_ff;
    net_init_as(n, c);
    for (int k = 0; k < n->ps.n; k++) {
        const Param *p = &n->ps.p[k];
        if (strncmp(p->name, "pretrained.ff_", strlen("pretrained.ff_")) == 0) param_init_constant(&n->ps, k, 3);
        else memcpy(param_values(&n->ps, k), param_values(&wide->ps, k), param_count(p) * sizeof(Real));
    }
    assert_ok(pretrained_encoder_narrow(&wide->pe, &wide->ps, &n->pe, &n->ps, test_error()));
}

/* Unit j of layer l: its weights and its bias. */
static void set_unit(Net *n, int l, int j, Real in, Real bias, Real out)
{
    const FeedForward *ff = &n->pe.ff[l];
    for (int i = 0; i < ff->d; i++) {
        param_values(&n->ps, ff->w1[0])[i * ff->d_ff + j] = in;
        param_values(&n->ps, ff->w2[0])[j * ff->d + i] = out;
    }
    param_values(&n->ps, ff->b1[0])[j] = bias;
}

/* With all units to the bit; constant ones are as good as biases. */
TEST(an_encoder_with_fewer_hidden_units_computes_the_same_where_the_others_are_constant)
{
    static const int piece[] = { 0, 9, 4, 2, 10, 0 }, start[] = { 0, 6 };
    const Batch batch = { 1, start, 6, 6 };
    for (int k = 0; k < N_TINY_KINDS; k++) {
        MADE(Net, wide_init, net_fini, wide, TINY_KINDS[k]);
        for (int l = 0; l < 2; l++) {
            set_unit(&wide, l, 1, 0, 8, (Real)0.7);
            set_unit(&wide, l, 3 + l, 0, -8, (Real)0.9);
        }
        MADE(Net, narrow_init, net_fini, all, &wide, 5);
        MADE(Net, narrow_init, net_fini, three, &wide, 3);
        const Tensor *x = states(&wide, piece, &batch), *y = states(&all, piece, &batch),
                     *z = states(&three, piece, &batch);
        assert_true(x && y && z);
        size_t n = (size_t)x->rows * (size_t)x->cols;
        assert_memory_equal(x->data, y->data, n * sizeof(Real));
        assert_close(x->data, z->data, n, 0, 1e-3);
    }
}

/* What they are on average is in the bias. */
TEST(units_whose_variance_matters_least_are_left_out)
{
    static const Real in[] = { 0, 1, 2, 1, 2 }, bias[] = { 9, 0, 0, 0, -99 }, out[] = { 9, 1, 1, 1, 9 };
    for (int n = 1; n <= 2; n++) {
        MADE(Net, wide_init, net_fini, wide, PRETRAINED_BERT);
        const FeedForward *ff = &wide.pe.ff[0];
        for (int j = 0; j < 5; j++) set_unit(&wide, 0, j, in[j], bias[j], out[j]);
        MADE(Net, narrow_init, net_fini, few, &wide, n);
        const Real *w1 = param_values(&few.ps, few.pe.ff[0].w1[0]);
        assert_true(w1[n - 1] == 2 && (n == 1 || w1[0] == 1)); /* unit 2, and one of the equal units 1 and 3 */
        double lost = 0;
        const Real *scale = param_values(&wide.ps, wide.pe.attn[0].norm.a),
                   *shift = param_values(&wide.ps, wide.pe.attn[0].norm.b);
        for (int j = 0; j < 5; j++) {
            double mu = (double)bias[j], square = 0, sum = 0, weights = 0;
            for (int i = 0; i < ff->d; i++) {
                mu += (double)in[j] * (double)shift[i];
                square += pow((double)in[j] * (double)scale[i], 2);
            }
            for (double z = -8; z <= 8; z += 1e-3) {
                sum += fmax(0, mu + sqrt(square) * z) * exp(-z * z / 2);
                weights += exp(-z * z / 2);
            }
            if (j != 2 && (j != 1 || n == 1)) lost += sum / weights * (double)out[j];
        }
        Real was = param_values(&wide.ps, ff->b2[0])[3], is = param_values(&few.ps, few.pe.ff[0].b2[0])[3];
        assert_close(&(Real){ was + (Real)lost }, &is, 1, 1e-4, 1e-4);
    }
}

/* ---- files */

/* How the file that is written differs from what is expected. */
typedef struct Fault {
    const char *prefix;  /* of all names */
    const char *without; /* a tensor that is left out */
    const char *shorter; /* a tensor that has a row less */
    bool older;          /* norms have the names gamma and beta */
} Fault;

static void name_of(char *to, size_t size, const PretrainedTensor *x, const Fault *fault)
{
    static const char *const ends[][2] = { { "LayerNorm.weight", "LayerNorm.gamma" },
                                           { "LayerNorm.bias", "LayerNorm.beta" } };
    snprintf(to, size, "%s%.95s", fault->prefix, x->name);
    for (int k = 0; k < 2 && fault->older; k++) {
        char *at = strstr(to, ends[k][0]);
        if (at) snprintf(at, size - (size_t)(at - to), "%s", ends[k][1]);
    }
}

/* Each number is a function of its place in the file; tensors are written in the order of
 * pretrained_encoder_tensors. */
static Real number(int tensor, int r, int c) { return (Real)(tensor + r * 0.01 + c * 0.0001); }

static void write_file(const Net *n, const char *path, const Fault *fault)
{
    PretrainedTensor list[PRETRAINED_TENSORS_MOST];
    StWriter w;
    char name[160];
    stwriter_init(&w);
    for (int pass = 0; pass < 2; pass++) {
        int number_of = 0;
        for (int l = -1; l < n->pe.c.n_layers; l++)
            for (int k = 0, m = pretrained_encoder_tensors(&n->pe, &n->ps, l, list); k < m; k++, number_of++) {
                const PretrainedTensor *x = &list[k];
                if (fault->without && strcmp(fault->without, x->name) == 0) continue;
                int rows = x->rows - (fault->shorter && strcmp(fault->shorter, x->name) == 0);
                name_of(name, sizeof name, x, fault);
                if (pass == 0) stwriter_declare(&w, name, DT_F32, (const int[]){ rows, x->cols }, 2);
                for (int r = 0; r < rows && pass == 1; r++)
                    for (int c = 0; c < x->cols; c++) {
                        Real v = number(number_of, r, c);
                        stwriter_reals(&w, DT_F32, &v, 1);
                    }
            }
        if (pass == 0) assert_ok(stwriter_begin(&w, path, test_error()));
    }
    assert_ok(stwriter_end(&w, true, test_error()));
}

static Status read_back(Net *n, const Fault *fault, Error *e)
{
    FREED(safetensors_set_close) SafeTensorsSet set;
    write_file(n, test_path("model.safetensors"), fault);
    assert_int_equal(safetensors_set_open(&set, test_folder(), e), OK);
    Status s = pretrained_encoder_read(&n->pe, &n->ps, &set, NULL, e);
    return s;
}

/* Every number of every tensor is where the list says it is, and every parameter has numbers of the file alone. */
static void assert_read(const Net *n)
{
    PretrainedTensor list[PRETRAINED_TENSORS_MOST];
    size_t numbers = 0;
    int number_of = 0;
    for (int l = -1; l < n->pe.c.n_layers; l++)
        for (int k = 0, m = pretrained_encoder_tensors(&n->pe, &n->ps, l, list); k < m; k++, number_of++) {
            const PretrainedTensor *x = &list[k];
            int ld = n->ps.p[x->param].cols;
            numbers += (size_t)(x->rows * x->cols);
            for (int r = 0; r < x->rows; r++)
                for (int c = 0; c < x->cols; c++) {
                    Real v = param_values(&n->ps, x->param)[x->column + (x->transposed ? c * ld + r : r * ld + c)];
                    assert_true(fabs((double)v - (double)number(number_of, r, c)) < 1e-4);
                }
        }
    assert_int_equal(numbers, params_total(&n->ps));
}

TEST(files_are_read_under_all_their_names)
{
    static const struct {
        PretrainedKind kind;
        Fault fault;
    } cases[] = {
        { PRETRAINED_BERT, { "", NULL, NULL, false } },  { PRETRAINED_BERT, { "bert.", NULL, NULL, true } },
        { PRETRAINED_MPNET, { "", NULL, NULL, false } }, { PRETRAINED_MPNET, { "mpnet.", NULL, NULL, false } },
        { PRETRAINED_XLNET, { "", NULL, NULL, false } }, { PRETRAINED_XLNET, { "transformer.", NULL, NULL, false } }
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(Net, net_init, net_fini, n, cases[k].kind);
        assert_ok(read_back(&n, &cases[k].fault, test_error()));
        assert_read(&n);
    }
}

TEST(a_file_with_a_missing_tensor_or_another_shape_is_refused)
{
    static const struct {
        PretrainedKind kind;
        Fault fault;
        const char *message;
    } cases[] = {
        { PRETRAINED_BERT,
          { "", "encoder.layer.1.attention.self.key.bias", NULL, false },
          "found no tensor encoder.layer.1.attention.self.key.bias of 1 x 8" },
        { PRETRAINED_MPNET,
          { "", NULL, "encoder.relative_attention_bias.weight", false },
          "tensor encoder.relative_attention_bias.weight: found 14 numbers, first dimension 7, expected 8 x 2" },
        { PRETRAINED_XLNET,
          { "", NULL, "word_embedding.weight", false },
          "tensor word_embedding.weight: found 60 numbers, first dimension 10, expected 11 x 6" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(Net, net_init, net_fini, n, cases[k].kind);
        assert_fails_with(read_back(&n, &cases[k].fault, test_error()), ERR_CONFIG, cases[k].message);
    }
}

TEST(too_many_layers_are_refused)
{
    PretrainedEncoder pe;
    PretrainedConfig c = tiny_pretrained(PRETRAINED_BERT);
    c.n_layers = PRETRAINED_LAYERS_MOST + 1;
    MADE(ParamSet, params_init, params_fini, ps);
    assert_fails_with(pretrained_encoder_declare(&pe, &ps, c, test_error()), ERR_CONFIG,
                      "found 49 layers, expected 0 to 48");
}
