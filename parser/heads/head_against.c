/* Heads are of one layer where their names agree up to the last colon, and have the same number
 * where they agree as a whole */
#include "parser/heads/head_against.h"

#include <math.h>
#include <string.h>

#include "base/json_writer.h"

Status head_against_init(HeadAgainst *against, Worker *first, Worker *second, Error *error)
{
    *against = (HeadAgainst){ .worker = { first, second } };
    Status s = word_attention_init(&against->a, first->m, error);
    if (s == OK) s = word_attention_init(&against->b, second->m, error);
    if (s != OK) return s;
    against->sum = mem_calloc((size_t)against->a.n * (size_t)against->b.n, sizeof *against->sum);
    against->uniform = mem_calloc((size_t)against->a.n, sizeof *against->uniform);
    return against->sum && against->uniform ? OK : error_set(error, ERR_NOMEM, "out of memory comparing heads");
}

void head_against_fini(HeadAgainst *against) { mem_free_each(against->sum, against->uniform); }

/* "2", "label", "pretrained:3" */
typedef struct LayerName {
    char text[HEAD_NAME];
} LayerName;

static LayerName layer_of(const WordAttention *of, int head)
{
    LayerName name;
    word_attention_name(of, head, name.text);
    *strrchr(name.text, ':') = '\0';
    return name;
}

static bool same_layer(const HeadAgainst *x, int a, int b)
{
    return strcmp(layer_of(&x->a, a).text, layer_of(&x->b, b).text) == 0;
}

Status head_against_add(HeadAgainst *against, const char *const *words, int n_words, Error *error)
{
    HeadAgainst *x = against;
    Arena arena;
    arena_init(&arena, (size_t)1 << 16);
    HeadWeights *a = arena_alloc(&arena, (size_t)x->a.n, sizeof *a),
                *b = arena_alloc(&arena, (size_t)x->b.n, sizeof *b);
    bool read[2] = { false, false };
    Status s = a && b ? OK : error_set(error, ERR_NOMEM, "out of memory comparing heads");
    if (s == OK) s = word_attention_read(&x->a, x->worker[0], words, n_words, &arena, a, &read[0], error);
    if (s == OK) s = word_attention_read(&x->b, x->worker[1], words, n_words, &arena, b, &read[1], error);
    bool whole = read[0] && read[1];
    for (int h = 0; s == OK && whole && h < x->a.n; h++) {
        x->uniform[h] += n_words * head_divergence(&a[h], NULL, n_words);
        for (int k = 0; k < x->b.n; k++)
            if (same_layer(x, h, k))
                x->sum[(ptrdiff_t)h * x->b.n + k] += n_words * head_divergence(&a[h], &b[k], n_words);
    }
    x->words += s == OK && whole ? n_words : 0;
    x->sentences += s == OK && whole;
    x->left_out += s == OK && !whole;
    arena_fini(&arena);
    return s;
}

/* Divergences of a head of the first model, or means over the heads of a layer; NAN: not known. */
typedef struct Divergence {
    double same, nearest, all, uniform;
    int of; /* the nearest head of the second model, or -1 */
} Divergence;

static Divergence divergence_of(const HeadAgainst *x, int head)
{
    char own[HEAD_NAME], name[HEAD_NAME];
    Divergence d = { NAN, NAN, 0, x->uniform[head] / (double)x->words, -1 };
    int n = 0;
    word_attention_name(&x->a, head, own);
    for (int k = 0; k < x->b.n; k++) {
        if (!same_layer(x, head, k)) continue;
        double value = x->sum[(ptrdiff_t)head * x->b.n + k] / (double)x->words;
        word_attention_name(&x->b, k, name);
        if (strcmp(name, own) == 0) d.same = value;
        if (d.of < 0 || value < d.nearest) d.nearest = value, d.of = k;
        d.all += value;
        n++;
    }
    d.all = n ? d.all / n : NAN;
    return d;
}

/* The heads of the layer that begins with head `first` of the first model; *means: over them. Heads without one of the
 * same number take no part in `same`. */
static int layer_heads(const HeadAgainst *x, int first, Divergence *means)
{
    int n = 0, numbered = 0;
    *means = (Divergence){ 0, 0, 0, 0, -1 };
    for (; first + n < x->a.n && strcmp(layer_of(&x->a, first).text, layer_of(&x->a, first + n).text) == 0; n++) {
        const Divergence d = divergence_of(x, first + n);
        if (!isnan(d.same)) means->same += d.same, numbered++;
        means->nearest += d.nearest, means->all += d.all, means->uniform += d.uniform;
    }
    means->same = numbered ? means->same / numbered : NAN;
    means->nearest /= n, means->all /= n, means->uniform /= n;
    return n;
}

static const char *nearest_name(const HeadAgainst *x, const Divergence *d, char name[HEAD_NAME])
{
    if (d->of >= 0) word_attention_name(&x->b, d->of, name);
    return d->of >= 0 ? name : "-";
}

void head_against_text(StrBuf *out, const HeadAgainst *against)
{
    char name[HEAD_NAME], near[HEAD_NAME];
    strbuf_puts(out,
                "divergence of attention (Jensen-Shannon, bits, mean over words) of the heads of a layer from heads "
                "of the same layer of the other model\n"
                "layer            heads  same number  nearest head  all heads  uniform attention\n");
    for (int h = 0, n; h < against->a.n; h += n) {
        Divergence d;
        n = layer_heads(against, h, &d);
        strbuf_printf(out, "%-16s %5d  %11.3f  %12.3f  %9.3f  %17.3f\n", layer_of(&against->a, h).text, n, d.same,
                      d.nearest, d.all, d.uniform);
    }
    strbuf_puts(out, "\nhead             nearest          divergence  same number  uniform attention\n");
    for (int h = 0; h < against->a.n; h++) {
        const Divergence d = divergence_of(against, h);
        word_attention_name(&against->a, h, name);
        strbuf_printf(out, "%-16s %-16s %10.3f  %11.3f  %17.3f\n", name, nearest_name(against, &d, near), d.nearest,
                      d.same, d.uniform);
    }
}

void head_against_tsv(StrBuf *out, const HeadAgainst *against)
{
    char name[HEAD_NAME], near[HEAD_NAME];
    strbuf_puts(out, "head\tnearest\tdivergence\tsame_number\tall\tuniform\n");
    for (int h = 0; h < against->a.n; h++) {
        const Divergence d = divergence_of(against, h);
        word_attention_name(&against->a, h, name);
        strbuf_printf(out, "%s\t%s\t%.8g\t%.8g\t%.8g\t%.8g\n", name, nearest_name(against, &d, near), d.nearest, d.same,
                      d.all, d.uniform);
    }
}

static void put_members(StrBuf *out, const Divergence *d)
{
    json_real(out, "same_number", "%.6g", d->same);
    json_real(out, "divergence", "%.6g", d->nearest);
    json_real(out, "all", "%.6g", d->all);
    json_real(out, "uniform", "%.6g", d->uniform);
    json_object_end(out);
}

void head_against_json(StrBuf *out, const HeadAgainst *against)
{
    char name[HEAD_NAME], near[HEAD_NAME];
    json_object(out, NULL);
    json_members(out, "sentences: %ld, words: %ld, left_out: %ld", against->sentences, against->words,
                 against->left_out);
    json_array(out, "layers");
    for (int h = 0, n; h < against->a.n; h += n) {
        Divergence d;
        n = layer_heads(against, h, &d);
        json_object(out, NULL);
        json_string(out, "layer", layer_of(&against->a, h).text);
        json_long(out, "heads", n);
        put_members(out, &d);
    }
    json_array_end(out);
    json_array(out, "heads");
    for (int h = 0; h < against->a.n; h++) {
        const Divergence d = divergence_of(against, h);
        word_attention_name(&against->a, h, name);
        json_object(out, NULL);
        json_string(out, "head", name);
        json_string(out, "nearest", nearest_name(against, &d, near));
        put_members(out, &d);
    }
    json_array_end(out);
    json_object_end(out);
    strbuf_putc(out, '\n');
}
