/* Each kind of encoder reads its own members, and refuses the values of those that
 * would need other layers. */
#include "embeddings/pretrained_config.h"

#include <string.h>

#include "base/json_file.h"
#include "base/json_writer.h"
#include "embeddings/pieces.h"

enum { MOST_LAYERS = 512, MOST_HEADS = 1024, MOST_WIDTH = 1 << 16, MOST_POSITIONS = 1 << 20 };

static const char *const KINDS[] = { "bert", "mpnet", "xlnet" };
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

const char *pretrained_config_kind(PretrainedKind kind) { return KINDS[kind]; }

/* By model_type, which the oldest files lack; then by the first of architectures: "BertModel", "XLNetLMHeadModel". */
static Status read_kind(PretrainedConfig *c, const JsonFile *j, Error *e)
{
    static const char *const prefixes[N_KINDS] = { "Bert", "MPNet", "XLNet" };
    const cJSON *type = json_file_member(j->root, "model_type"), *list = json_file_member(j->root, "architectures");
    const cJSON *x = type ? type : cJSON_IsArray(list) ? list->child : NULL;
    if (!x) return json_file_fault(j, j->root, e, "found no 'model_type', expected bert, mpnet or xlnet");
    for (int k = 0; k < N_KINDS && cJSON_IsString(x); k++)
        if (type ? strcmp(x->valuestring, KINDS[k]) == 0
                 : strncmp(x->valuestring, prefixes[k], strlen(prefixes[k])) == 0) {
            c->kind = (PretrainedKind)k;
            return OK;
        }
    return json_file_fault(j, x, e, "found the architecture '%s', expected bert, mpnet or xlnet",
                           cJSON_IsString(x) ? x->valuestring : "?");
}

/* A member that has another value than `expected`, if the file has it, is a variant that is not built. */
static Status want_text(const JsonFile *j, const char *name, const char *expected, Error *e)
{
    const char *found = expected;
    Status s = json_file_string(j, j->root, name, false, &found, e);
    if (s == OK && strcmp(found, expected) != 0)
        s = json_file_fault(j, json_file_member(j->root, name), e, "%s: found '%s', expected '%s'", name, found,
                            expected);
    return s;
}

static Status want_flag(const JsonFile *j, const char *name, bool expected, Error *e)
{
    bool found = expected;
    Status s = json_file_flag(j, j->root, name, &found, e);
    if (s == OK && found != expected)
        s = json_file_fault(j, json_file_member(j->root, name), e, "%s: found %s, expected %s", name,
                            found ? "true" : "false", expected ? "true" : "false");
    return s;
}

typedef struct Size {
    const char *name;
    int *value;
    int most;
} Size;

static Status read_sizes(const JsonFile *j, const Size *sizes, size_t n, Error *e)
{
    Status s = OK;
    for (size_t k = 0; k < n && s == OK; k++)
        s = json_file_whole(j, j->root, sizes[k].name, true, 1, sizes[k].most, sizes[k].value, e);
    return s;
}

/* n_heads divides d_model, or the message names both members. */
static Status divide(PretrainedConfig *c, const JsonFile *j, const char *width, const char *heads, Error *e)
{
    c->d_head = c->d_model / c->n_heads;
    if (c->d_model % c->n_heads == 0) return OK;
    return json_file_fault(j, json_file_member(j->root, heads), e, "%s: found %d, expected a divisor of %s, %d", heads,
                           c->n_heads, width, c->d_model);
}

/* BERT and MPNet. */
static Status read_bert(PretrainedConfig *c, const JsonFile *j, Error *e)
{
    bool mpnet = c->kind == PRETRAINED_MPNET;
    const Size sizes[] = { { "num_hidden_layers", &c->n_layers, MOST_LAYERS },
                           { "num_attention_heads", &c->n_heads, MOST_HEADS },
                           { "hidden_size", &c->d_model, MOST_WIDTH },
                           { "intermediate_size", &c->d_ff, 16 * MOST_WIDTH },
                           { "max_position_embeddings", &c->n_positions, MOST_POSITIONS },
                           { "vocab_size", &c->n_pieces, PIECES_MOST } };
    c->norm_eps = 1e-12;
    c->dropout = c->attention_dropout = 0.1;
    Status s = read_sizes(j, sizes, sizeof sizes / sizeof *sizes, e);
    if (s == OK) s = divide(c, j, "hidden_size", "num_attention_heads", e);
    if (s == OK) s = want_text(j, "hidden_act", "gelu", e);
    if (s == OK && !mpnet) s = want_text(j, "position_embedding_type", "absolute", e);
    if (s == OK) s = want_flag(j, "is_decoder", false, e);
    c->n_types = 2;
    c->n_buckets = 32;
    if (s == OK && !mpnet) s = json_file_whole(j, j->root, "type_vocab_size", false, 1, 1024, &c->n_types, e);
    if (s == OK && mpnet)
        s = json_file_whole(j, j->root, "relative_attention_num_buckets", false, 4, 1024, &c->n_buckets, e);
    if (mpnet) c->n_types = 0;
    else c->n_buckets = 0;
    if (s == OK && mpnet && c->n_positions < 5) /* the first piece has row 2 */
        s = json_file_fault(j, json_file_member(j->root, "max_position_embeddings"), e,
                            "max_position_embeddings: found %d, expected at least 5", c->n_positions);
    c->most_pieces = c->n_positions - (mpnet ? 2 : 0);
    if (s == OK) s = json_file_number(j, j->root, "hidden_dropout_prob", false, 0, 0.999, &c->dropout, e);
    if (s == OK)
        s = json_file_number(j, j->root, "attention_probs_dropout_prob", false, 0, 0.999, &c->attention_dropout, e);
    return s;
}

static Status read_xlnet(PretrainedConfig *c, const JsonFile *j, Error *e)
{
    const char *pieces = json_file_member(j->root, "vocab_size") ? "vocab_size" : "n_token"; /* the older name */
    const Size sizes[] = { { "n_layer", &c->n_layers, MOST_LAYERS },
                           { "n_head", &c->n_heads, MOST_HEADS },
                           { "d_model", &c->d_model, MOST_WIDTH },
                           { "d_inner", &c->d_ff, 16 * MOST_WIDTH },
                           { pieces, &c->n_pieces, PIECES_MOST } };
    int d_head = 0, clamp = -1;
    c->norm_eps = 1e-12;
    c->dropout = 0.1;
    Status s = read_sizes(j, sizes, sizeof sizes / sizeof *sizes, e);
    if (s == OK) s = divide(c, j, "d_model", "n_head", e);
    d_head = c->d_head;
    if (s == OK) s = json_file_whole(j, j->root, "d_head", false, 1, MOST_WIDTH, &d_head, e);
    if (s == OK && d_head != c->d_head)
        s = json_file_fault(j, json_file_member(j->root, "d_head"), e, "d_head: found %d, expected %d", d_head,
                            c->d_head);
    if (s == OK && c->d_model % 2)
        s = json_file_fault(j, json_file_member(j->root, "d_model"), e, "d_model: found %d, expected an even number",
                            c->d_model);
    if (s == OK) s = want_text(j, "ff_activation", "gelu", e);
    if (s == OK) s = want_text(j, "attn_type", "bi", e);
    if (s == OK) s = want_flag(j, "bi_data", false, e);
    if (s == OK) s = want_flag(j, "same_length", false, e);
    if (s == OK) s = want_flag(j, "untie_r", true, e);
    if (s == OK) s = json_file_whole(j, j->root, "clamp_len", false, -1, -1, &clamp, e);
    if (s == OK) s = json_file_number(j, j->root, "dropout", false, 0, 0.999, &c->dropout, e);
    c->attention_dropout = c->dropout;
    c->most_pieces = PRETRAINED_XLNET_PIECES;
    return s;
}

static Status read_config(PretrainedConfig *c, JsonFile *j, Error *e)
{
    *c = (PretrainedConfig){ 0 };
    Status s = read_kind(c, j, e);
    if (s == OK) s = c->kind == PRETRAINED_XLNET ? read_xlnet(c, j, e) : read_bert(c, j, e);
    if (s == OK) s = json_file_number(j, j->root, "layer_norm_eps", false, 1e-15, 0.1, &c->norm_eps, e);
    json_file_fini(j);
    return s;
}

Status pretrained_config_read(PretrainedConfig *config, const char *path, Error *error)
{
    JsonFile j;
    Status s = json_file_read(&j, path, error);
    return s == OK ? read_config(config, &j, error) : s;
}

Status pretrained_config_parse(PretrainedConfig *config, StrView text, const char *path, Error *error)
{
    JsonFile j;
    Status s = json_file_parse(&j, text, path, error);
    return s == OK ? read_config(config, &j, error) : s;
}

void pretrained_config_write(const PretrainedConfig *config, StrBuf *out)
{
    bool xlnet = config->kind == PRETRAINED_XLNET;
    json_object(out, NULL);
    json_string(out, "model_type", KINDS[config->kind]);
    json_long(out, xlnet ? "n_layer" : "num_hidden_layers", config->n_layers);
    json_long(out, xlnet ? "n_head" : "num_attention_heads", config->n_heads);
    json_long(out, xlnet ? "d_model" : "hidden_size", config->d_model);
    json_long(out, xlnet ? "d_inner" : "intermediate_size", config->d_ff);
    if (!xlnet) json_long(out, "max_position_embeddings", config->n_positions);
    json_real(out, xlnet ? "dropout" : "hidden_dropout_prob", "%.9g", config->dropout);
    if (!xlnet) json_real(out, "attention_probs_dropout_prob", "%.9g", config->attention_dropout);
    if (config->n_types) json_long(out, "type_vocab_size", config->n_types);
    if (config->n_buckets) json_long(out, "relative_attention_num_buckets", config->n_buckets);
    json_members(out, "vocab_size: %d, layer_norm_eps: %.9g", config->n_pieces, config->norm_eps);
    json_object_end(out);
}
