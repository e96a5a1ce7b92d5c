/* Configuration, options, heads, vocabularies, shapes and values are read in this order,
 * so that each is checked by those before it. */
#include <math.h>
#include <string.h>

#include "base/json_file.h"
#include "parser/model/model_file_internal.h"

#define fail(st, e, ...) error_at(e, ERR_FORMAT, (st)->path, 0, 0, __VA_ARGS__)

static Status check_file(const SafeTensors *st, Error *e)
{
    const char *format = safetensors_metadata(st, "lal.format"), *sum = safetensors_metadata(st, MODEL_CHECKSUM_KEY);
    if (!format || !sum)
        return fail(st, e, "found a safetensors file without lal.format, expected a model of this program");
    int version = 0;
    if (!text_number((StrView){ format, strlen(format) }, &version) || version < 1)
        return fail(st, e, "found another lal.format, expected a number of at least 1");
    if (version > MODEL_FORMAT_VERSION)
        return fail(st, e, "found model format %d, this program reads up to %d: a newer program made it", version,
                    MODEL_FORMAT_VERSION);
    char digits[17];
    if (!model_checksum(st->map.data, st->map.size, digits) || strcmp(digits, sum) != 0)
        return fail(st, e, "the checksum does not match: the file is damaged");
    return OK;
}

/* Values that appear in parses must be UTF-8, and what readers of treebanks accept, from value `from` on. can: as one
 * of them; NULL: any text. */
static Status check_text(const SafeTensors *st, const char *name, const Vocab *v, int from, bool (*can)(StrView),
                         Error *e)
{
    for (int k = 0; k < vocab_size(v); k++) {
        StrView text = { vocab_text(v, k), strlen(vocab_text(v, k)) };
        if (utf8_invalid(text.ptr, text.len) < text.len)
            return fail(st, e, "vocabulary %s: found bytes that are not UTF-8 in value %d", name, k);
        if (k >= from && can && !can(text))
            return fail(st, e, "vocabulary %s: found '%.*s' as value %d, expected a text %s", name,
                        (int)utf8_cut(text.ptr, text.len, 40), text.ptr, k,
                        can == tree_is_label ? "without blanks, round brackets and empty parts" : "without blanks");
    }
    return OK;
}

/* The vocabularies begin with their reserved values and hold what the configuration needs. */
static Status check_vocabs(const Model *m, const SafeTensors *st, Error *e)
{
    Model fresh;
    model_init(&fresh);
    Status s = model_vocabs_start(&fresh, e);
    for (int k = 0; k < N_MODEL_VOCABS && s == OK; k++) {
        const Vocab *want = model_vocab(&fresh, k), *v = model_vocab(m, k);
        for (int i = 0; i < vocab_size(want) && s == OK; i++) {
            const char *found = i < vocab_size(v) ? vocab_text(v, i) : "";
            if (i >= vocab_size(v) || strcmp(found, vocab_text(want, i)) != 0)
                s = fail(st, e, "vocabulary %s: found '%.*s' as value %d, expected '%s'", MODEL_VOCABS[k].name,
                         utf8_first(found, 40), found, i, vocab_text(want, i));
        }
    }
    model_fini(&fresh);
    VocabSizes n = model_sizes(m);
    if (s == OK && (n.vectors > 0) != (m->c.d_vectors > 0))
        s = error_at(e, ERR_CONFIG, st->path, 0, 0, "found %d static vectors of width %d, expected both or neither",
                     n.vectors, m->c.d_vectors);
    if (s == OK) s = check_text(st, "vocab.tags", &m->tags, N_RESERVED, tree_is_name, e);
    if (s == OK) s = check_text(st, "vocab.labels", &m->labels, 2, tree_is_label, e);
    if (s == OK) s = check_text(st, "vocab.classes", &m->classes, 0, NULL, e);
    return s == OK ? check_text(st, "vocab.types", &m->types, 0, tree_is_name, e) : s;
}

static Status read_vocabs(Model *m, const SafeTensors *st, Error *e)
{
    for (int k = 0; k < N_MODEL_VOCABS; k++) {
        const StTensor *t = safetensors_find(st, MODEL_VOCABS[k].name);
        if (!t && MODEL_VOCABS[k].optional) continue;
        if (!t || t->dtype != DT_U8) return fail(st, e, "no vocabulary %s", MODEL_VOCABS[k].name);
        Status s = vocab_read(model_vocab(m, k), (StrView){ (const char *)t->data, t->count }, MODEL_VOCABS[k].name, e);
        if (s != OK) return s;
    }
    return check_vocabs(m, st, e);
}

/* "[3, 4]" */
typedef struct ShapeText {
    char text[80];
} ShapeText;

static ShapeText shape_text(const long *dim, int n)
{
    ShapeText s = { "[" };
    for (int d = 0, at = 1; d < n; d++)
        at += snprintf(s.text + at, sizeof s.text - (size_t)at, "%s%ld", d ? ", " : "", dim[d]);
    strcat(s.text, "]");
    return s;
}

Status model_find_tensor(const SafeTensors *st, const char *name, int n_dims, const int *dims, const StTensor **tensor,
                         Error *error)
{
    long dim[PARAM_MAX_DIMS] = { 0 };
    for (int d = 0; d < n_dims; d++) dim[d] = dims[d];
    ShapeText want = shape_text(dim, n_dims);
    *tensor = safetensors_find(st, name);
    if (!*tensor)
        return error_at(error, ERR_CONFIG, st->path, 0, 0,
                        "found no tensor %s, expected one of shape %s by the configuration", name, want.text);
    bool same = (*tensor)->n_dims == n_dims;
    for (int d = 0; same && d < n_dims; d++) same = (*tensor)->dim[d] == dim[d];
    if (same) return OK;
    return error_at(error, ERR_CONFIG, st->path, 0, 0, "tensor %s: found shape %s, expected %s by the configuration",
                    name, shape_text((*tensor)->dim, (*tensor)->n_dims).text, want.text);
}

/* The tensor of parameter p in a slab. */
static Status find_tensor(const SafeTensors *st, const char *prefix, const Param *p, const StTensor **t, Error *e)
{
    char name[PARAM_NAME_MAX + 32];
    snprintf(name, sizeof name, "%s%s", prefix, p->name);
    return model_find_tensor(st, name, p->n_dims, p->dim, t, e);
}

static Status check_shapes(const Model *m, const SafeTensors *st, Error *e)
{
    const StTensor *t;
    Status s = OK;
    for (int k = 0; k < m->ps.n && s == OK; k++) s = model_narrow_find(st, &m->ps.p[k], &t, e);
    return s;
}

static Status read_slab(const Model *m, const SafeTensors *st, const char *prefix, Real *values, Error *e)
{
    for (int k = 0; k < m->ps.n; k++) {
        const Param *p = &m->ps.p[k];
        const StTensor *t;
        if (p->frozen) continue;
        Status s = find_tensor(st, prefix, p, &t, e);
        if (s == OK) s = safetensors_reals(st, t, values + p->offset, e);
        if (s != OK) return s;
    }
    return OK;
}

/* What the file has of parameter p, all of it sound. */
static Status source_of(const SafeTensors *st, const Param *p, const StTensor *t, StoredSource *source, Error *e)
{
    if (is_narrow(t->dtype)) return model_narrow_source(st, p, t, source, e);
    size_t rows = (size_t)p->rows, cols = (size_t)p->cols;
    *source = (StoredSource){ .dtype = t->dtype, .data = t->data, .rows = rows, .cols = cols };
    return safetensors_reals(st, t, NULL, e);
}

/* The values: large matrices as the file has them, until they are needed, if `on_demand`. */
static Status read_values(Model *m, const SafeTensors *st, Error *e)
{
    enum { SMALL = 1024 };
    for (int k = 0; k < m->ps.n; k++) {
        const Param *p = &m->ps.p[k];
        const StTensor *t;
        StoredSource source;
        Status s = model_narrow_find(st, p, &t, e);
        if (s == OK) s = source_of(st, p, t, &source, e);
        if (s == OK && m->ps.on_demand && param_count(p) > SMALL) s = params_store(&m->ps, k, &source, e);
        else if (s == OK) stored_source_read(&source, 0, param_count(p), param_values(&m->ps, k));
        if (s != OK) return s;
    }
    return OK;
}

static char *copy_text(const char *s)
{
    size_t n = strlen(s) + 1;
    char *p = mem_alloc(n, 1);
    if (p) memcpy(p, s, n);
    return p;
}

/* A JSON object of the metadata, to be deleted; ERR_FORMAT, without a message, if it is missing or not an object. */
static Status read_object(const SafeTensors *st, const char *key, cJSON **object, Error *e)
{
    const char *text = safetensors_metadata(st, key);
    *object = NULL;
    Status s = text ? json_parse(text, strlen(text), object, e) : ERR_FORMAT;
    if (s != OK || cJSON_IsObject(*object)) return s;
    cJSON_Delete(*object);
    *object = NULL;
    return ERR_FORMAT;
}

static Status read_config(Model *m, const SafeTensors *st, Arena *strings, Error *e)
{
    cJSON *j;
    Status s = read_object(st, "lal.config", &j, e);
    options_defaults(CONFIG_MODEL_OPTIONS, &m->c);
    if (s == OK) s = options_from_json(CONFIG_MODEL_OPTIONS, &m->c, j, strings, st->path, e);
    else if (s == ERR_FORMAT)
        error_at(e, s, st->path, 0, 0, "found no configuration that can be read, expected a JSON object as lal.config");
    cJSON_Delete(j);
    return s;
}

Status model_read_options(EncoderOptions *options, const char *text, const ModelConfig *config, const Task *task,
                          const PretrainedConfig *pretrained, const char *path, Arena *strings, Error *error)
{
    cJSON *j = NULL;
    Error why = { 0 };
    const EncoderShape shape = config_shape(config, task, pretrained);
    encoder_options_defaults(options);
    if (!text) return OK;
    Status s = json_parse(text, strlen(text), &j, &why);
    if (s == ERR_FORMAT) error_set(&why, s, "found encoder options that are not JSON, expected a JSON object");
    if (s == OK) s = encoder_options_read(options, j, NULL, strings, &why);
    if (s == OK) s = encoder_options_check(options, &shape, NULL, strings, &why);
    cJSON_Delete(j);
    return s == OK ? OK : error_at(error, s, path, 0, 0, "%s", why.message);
}

static Status read_analysis(Model *m, const SafeTensors *st, Error *e)
{
    if (!safetensors_metadata(st, "lal.analysis")) return OK;
    cJSON *j;
    Error why = { 0 };
    Status s = read_object(st, "lal.analysis", &j, &why);
    if (s == ERR_FORMAT) error_set(&why, s, "found lal.analysis that is no JSON object");
    if (s == OK) s = head_analysis_read(&m->options.analysis, j, NULL, NULL, NULL, &m->strings, &why);
    cJSON_Delete(j);
    return s == OK ? OK : error_at(e, s, st->path, 0, 0, "%s", why.message);
}

/* The summary is output unchanged, so it must be valid JSON: an object, control characters escaped. */
static Status read_summary(Model *m, const SafeTensors *st, Error *e)
{
    const char *text = safetensors_metadata(st, "lal.summary");
    if (!text) return OK;
    cJSON *j;
    Status s = read_object(st, "lal.summary", &j, e);
    if (s == ERR_NOMEM) return s;
    bool sound = s == OK;
    cJSON_Delete(j);
    for (const char *p = text; *p; p++) sound = sound && (unsigned char)*p >= 0x20;
    if (!sound) return fail(st, e, "found a summary that cannot be read, expected a JSON object as lal.summary");
    return (m->summary = copy_text(text)) ? OK : error_set(e, ERR_NOMEM, "out of memory loading %s", st->path);
}

/* How many heads can have a name: all heads of self-attention, and separate label heads. */
static int nameable(const Encoder *enc)
{
    int n = encoder_has_label_heads(enc) ? encoder_heads(enc, layer_label(enc->c.n_layers)) : 0;
    for (LayerId l = 0; l < enc->c.n_layers; l++) n += encoder_heads(enc, l);
    return n;
}

/* {"words": 18432, "names": ["next word", ...]} */
static Status read_head_names(Model *m, const SafeTensors *st, Error *e)
{
    if (!safetensors_metadata(st, MODEL_HEAD_NAMES_KEY)) return OK;
    cJSON *j;
    Status s = read_object(st, MODEL_HEAD_NAMES_KEY, &j, e);
    if (s == ERR_NOMEM) return s;
    int n = nameable(&m->net.encoder);
    const cJSON *words = cJSON_GetObjectItemCaseSensitive(j, "words"), *x = NULL,
                *names = cJSON_GetObjectItemCaseSensitive(j, "names");
    bool sound = cJSON_IsNumber(words) && words->valuedouble >= 0 && words->valuedouble < 1e15 &&
                 cJSON_IsArray(names) && cJSON_GetArraySize(names) == n;
    if (sound && !(m->named.what = mem_calloc((size_t)n, sizeof *m->named.what))) s = ERR_NOMEM;
    else if (sound) m->named = (ModelHeadNames){ .what = m->named.what, .words = (long)words->valuedouble };
    cJSON_ArrayForEach(x, names)
    {
        sound = sound && cJSON_IsString(x) && strlen(x->valuestring) < MODEL_HEAD_NAME;
        if (sound && m->named.what) strcpy(m->named.what[m->named.n++], x->valuestring);
    }
    cJSON_Delete(j);
    if (s == ERR_NOMEM) return error_set(e, s, "out of memory loading %s", st->path);
    return sound ? OK
                 : fail(st, e,
                        "found names of heads that cannot be read, expected words and %d names of less than %d bytes "
                        "as " MODEL_HEAD_NAMES_KEY,
                        n, MODEL_HEAD_NAME);
}

/* {"bias": -0.4, "expected": 0.8, "words": 0.2, "grammar": 0.7, "sentences": 1022}, where files of earlier versions
 * have no grammar; NULL: not fitted. */
static bool read_f1_map(const cJSON *j, F1Map *to)
{
    static const char *const name[] = { "bias", "expected", "words", "grammar", "sentences" };
    double number[5];
    *to = (F1Map){ .sentences = 0 };
    for (int k = 0; k < 5 && j; k++) {
        const cJSON *x = cJSON_GetObjectItemCaseSensitive(j, name[k]);
        if (!cJSON_IsNumber(x) && (x || k != 3)) return false;
        number[k] = x ? x->valuedouble : 0;
        if (!(fabs(number[k]) <= (k < 4 ? 1e3 : 1e9))) return false;
    }
    if (j) *to = (F1Map){ number[0], number[1], number[2], number[3], (long)number[4] };
    return to->sentences >= 0;
}

static bool read_weights(const cJSON *j, JointWeights *to)
{
    double number[3];
    bool sound = true;
    for (int k = 0; k < 3; k++) {
        const cJSON *x = cJSON_GetObjectItemCaseSensitive(j, (const char *const[]){ "span", "arc", "sentences" }[k]);
        number[k] = cJSON_IsNumber(x) ? x->valuedouble : 0;
        sound = sound && number[k] >= 1e-6 && number[k] <= (k < 2 ? 1e6 : 1e9);
    }
    F1Map f1;
    sound = sound && read_f1_map(cJSON_GetObjectItemCaseSensitive(j, "f1"), &f1);
    if (sound) *to = (JointWeights){ number[0], number[1], (long)number[2], f1 };
    return sound;
}

/* {"span": 0.42, "arc": 1.1, "sentences": 1022, "f1": an object of read_f1_map, "treebanks": {"masc": an object of
 * read_weights, ...}} */
static Status read_joint(Model *m, const SafeTensors *st, Error *e)
{
    if (!safetensors_metadata(st, MODEL_JOINT_KEY)) return OK;
    cJSON *j, *own;
    Status s = read_object(st, MODEL_JOINT_KEY, &j, e);
    if (s == ERR_NOMEM) return s;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(j, "treebanks");
    bool sound = read_weights(j, &m->joint) && (!list || cJSON_IsObject(list));
    if (!sound) list = NULL;
    cJSON_ArrayForEach(own, list)
    {
        JointWeights weights;
        int treebank = vocab_find(&m->treebanks, own->string);
        sound = sound && treebank > 0 && read_weights(own, &weights);
        if (sound && !model_set_joint(m, treebank, weights))
            s = error_set(e, ERR_NOMEM, "out of memory loading %s", st->path);
    }
    cJSON_Delete(j);
    if (s == ERR_NOMEM) return s;
    return sound ? OK
                 : fail(st, e,
                        "found weights that cannot be read, expected span, arc, sentences and f1 as " MODEL_JOINT_KEY);
}

/* ERR_FORMAT without a message. */
static Status read_numbers(const cJSON *list, int most, HeadNumbers *out, Arena *a, Error *e)
{
    if (!cJSON_IsArray(list)) return ERR_FORMAT;
    int n = cJSON_GetArraySize(list), *item = arena_alloc(a, (size_t)n, sizeof *item);
    if (!item) return error_set(e, ERR_NOMEM, "out of memory loading a model");
    bool ok = true;
    for (int k = 0; k < n && ok; k++) {
        const cJSON *x = cJSON_GetArrayItem(list, k);
        ok = cJSON_IsNumber(x) && x->valuedouble == floor(x->valuedouble) &&
             x->valuedouble >= (k ? item[k - 1] + 1 : 0) && x->valuedouble < most;
        if (ok) item[k] = (int)x->valuedouble;
    }
    *out = (HeadNumbers){ .n = n, .item = item };
    return ok ? OK : ERR_FORMAT;
}

/* The heads of a layer of a pruned model, of `most` before pruning. */
static Status read_list(Model *m, const SafeTensors *st, ModelHeadsKey key, int most, HeadNumbers *kept, Error *e)
{
    const char *text = safetensors_metadata(st, key.text);
    cJSON *j = NULL;
    Status s = text ? json_parse(text, strlen(text), &j, e) : ERR_FORMAT;
    if (s == OK) s = read_numbers(j, most, kept, &m->strings, e);
    cJSON_Delete(j);
    return s == ERR_FORMAT ? fail(st, e, "found %s as %s, expected rising numbers of heads from 0 to %d",
                                  text ? text : "nothing", key.text, most - 1)
                           : s;
}

static Status read_layer(Model *m, const SafeTensors *st, LayerId l, int most, Error *e)
{
    return read_list(m, st, model_heads_key(l, m->c.n_layers), most, &m->kept[l], e);
}

/* The heads of a pruned decoder, of the layers where some were pruned. */
static Status read_decoder_heads(Model *m, const SafeTensors *st, Error *e)
{
    int layers = m->c.decoder_layers, n = DECODER_STACKS * layers;
    if (!m->task->decoder) return OK;
    HeadNumbers *kept = arena_calloc(&m->strings, (size_t)n, sizeof *kept);
    if (!kept) return error_set(e, ERR_NOMEM, "out of memory loading %s", st->path);
    Status s = OK;
    for (int k = 0; k < n && s == OK; k++) {
        const ModelHeadsKey key = model_decoder_key((DecoderStack)(k / layers), k % layers);
        kept[k].all = !safetensors_metadata(st, key.text);
        if (kept[k].all) continue;
        s = read_list(m, st, key, m->c.n_heads, &kept[k], e);
        m->decoder_kept = kept;
    }
    return s;
}

static bool has_heads(const Model *m, const SafeTensors *st, LayerId l)
{
    return safetensors_metadata(st, model_heads_key(l, m->c.n_layers).text) != NULL;
}

/* Reads the heads of a pruned model: for all layers of self-attention, for other layers where some were pruned. */
static Status read_heads(Model *m, const SafeTensors *st, Error *e)
{
    int layers = m->c.n_layers;
    const LayerId labels = layer_label(layers);
    bool self = layers > 0 && has_heads(m, st, 0), label = m->c.use_lal && has_heads(m, st, labels);
    const char *block = safetensors_metadata(st, model_block_key(labels).text);
    if (block && (!label || strcmp(block, "true") != 0))
        return fail(st, e, "found %s as %s, expected true, and %s beside it", block, model_block_key(labels).text,
                    model_heads_key(labels, layers).text);
    if (!self && !label) return OK;
    m->kept = arena_calloc(&m->strings, (size_t)layer_count(layers), sizeof *m->kept);
    if (!m->kept) return error_set(e, ERR_NOMEM, "out of memory loading %s", st->path);
    m->shared_block = block != NULL;
    Status s = OK;
    for (int l = 0; l < layers && s == OK; l++) s = read_layer(m, st, l, m->c.n_heads, e);
    if (s == OK && label) s = read_layer(m, st, labels, m->c.n_label_heads, e);
    else m->kept[labels].all = true;
    for (LayerId l = layer_pal(layers, 0); l < layer_count(layers) && s == OK; l++) {
        if (has_heads(m, st, l)) s = read_layer(m, st, l, m->options.pal.heads, e);
        else m->kept[l].all = true;
    }
    return s;
}

/* m->tokenizer has its kind and ends. */
static Status read_tokenizer(Model *m, const SafeTensors *st, Error *e)
{
    const StTensor *t = safetensors_find(st, MODEL_TOKENIZER);
    if (!t || t->dtype != DT_U8) return fail(st, e, "found no tensor " MODEL_TOKENIZER);
    StrView bytes = { (const char *)t->data, t->count };
    PieceTokenizer *to = &m->tokenizer;
    Status s = piece_tokenizer_parse(to, bytes, to->kind, to->first, to->last, st->path, e);
    return s == OK ? piece_tokenizer_check(to, &m->pretrained, st->path, e) : s;
}

static Status read_text(Model *m, const SafeTensors *st, Error *e)
{
    const StTensor *t = safetensors_find(st, MODEL_TEXT);
    if (!t) return OK;
    if (t->dtype != DT_U8) return fail(st, e, "found a tensor " MODEL_TEXT " that is no text");
    return trained_text_load(&m->text, (StrView){ (const char *)t->data, t->count }, st->path, e);
}

/* lal.pretrained: the configuration of an encoder, the kind of its tokenizer, which files without it have by the
 * encoder, and the pieces at the ends of a sequence. */
static Status read_lal_pretrained(const char *text, PretrainedConfig *c, PieceTokenizer *t, Error *e)
{
    JsonFile j;
    const char *name = NULL;
    int kind = -1;
    Status s = json_file_parse(&j, (StrView){ text, strlen(text) }, "lal.pretrained", e);
    if (s != OK) return s;
    s = json_file_whole(&j, j.root, "first", true, 0, PIECES_MOST, &t->first, e);
    if (s == OK) s = json_file_whole(&j, j.root, "last", true, 0, PIECES_MOST, &t->last, e);
    if (s == OK) s = json_file_string(&j, j.root, "tokenizer", false, &name, e);
    if (s == OK && name) kind = piece_tokenizer_find_kind(name);
    if (s == OK && name && kind < 0)
        s = json_file_fault(&j, json_file_member(j.root, "tokenizer"), e, "tokenizer: found '%s', expected a known one",
                            name);
    const cJSON *member = json_file_member(j.root, "config");
    if (s == OK && !member) s = error_set(e, ERR_FORMAT, "lal.pretrained: found no 'config', expected one");
    char *config = s == OK ? json_print(member) : NULL;
    if (s == OK && !config) s = error_set(e, ERR_NOMEM, "out of memory loading a model");
    if (s == OK) s = pretrained_config_parse(c, (StrView){ config, strlen(config) }, "lal.pretrained: config", e);
    if (kind < 0) kind = c->kind == PRETRAINED_XLNET ? TOKENIZER_XLNET : TOKENIZER_WORDPIECE;
    t->kind = (TokenizerKind)kind;
    cJSON_free(config);
    json_file_fini(&j);
    return s;
}

/* The pretrained encoder, if the model has one. */
static Status read_pretrained(Model *m, const SafeTensors *st, Error *e)
{
    const char *text = safetensors_metadata(st, "lal.pretrained");
    if (!text) {
        if (m->task->declare && !m->c.pretrained_layers) return OK;
        return fail(st, e, "found no lal.pretrained, expected that of an encoder");
    }
    Status s = read_lal_pretrained(text, &m->pretrained, &m->tokenizer, e);
    if (s == OK && m->task->declare && m->c.pretrained_layers != m->pretrained.n_layers)
        s = error_set(e, ERR_FORMAT, "lal.pretrained: found %d layers, expected %d by the configuration",
                      m->pretrained.n_layers, m->c.pretrained_layers);
    return s == OK ? read_tokenizer(m, st, e) : s;
}

/* The task of a file; wanted: another one is refused; NULL: any. */
static Status read_task(const SafeTensors *st, const Task **task, const Task *wanted, Error *e)
{
    StrBuf names = { 0 };
    const char *text = safetensors_metadata(st, "lal.task");
    const Task *found = task_find(text, &names);
    Status status = OK;
    if (!found && names.failed) status = error_set(e, ERR_NOMEM, "out of memory loading %s", st->path);
    else if (!found) status = fail(st, e, "found lal.task '%.*s', expected %s", utf8_first(text, 40), text, names.ptr);
    else if (wanted && wanted != found)
        status = error_at(e, ERR_CONFIG, st->path, 0, 0, "found %s, expected %s", found->model, wanted->model);
    else *task = found;
    strbuf_fini(&names);
    return status;
}

/* Everything but the training state of a file whose checksum is right. */
static Status read_model(Model *m, const SafeTensors *st, Error *e)
{
    Arena strings;
    arena_init(&strings, 4096);
    Status s = read_config(m, st, &strings, e);
    arena_fini(&strings);
    const char *options = safetensors_metadata(st, "lal.encoder_options");
    if (s == OK) s = read_pretrained(m, st, e);
    if (s == OK) s = model_read_options(&m->options, options, &m->c, m->task, &m->pretrained, st->path, &m->strings, e);
    if (s == OK) s = read_analysis(m, st, e);
    if (s == OK) s = read_heads(m, st, e);
    if (s == OK) s = read_decoder_heads(m, st, e);
    if (s == OK) s = read_vocabs(m, st, e);
    if (s == OK) s = read_text(m, st, e);
    if (s == OK) s = model_declare(m, e);
    if (s == OK) s = check_shapes(m, st, e);
    if (s == OK) s = params_finish(&m->ps, e);
    if (s == OK) s = read_values(m, st, e);
    if (s == OK) s = read_summary(m, st, e);
    if (s == OK) s = read_head_names(m, st, e);
    if (s == OK) s = read_joint(m, st, e);
    const char *treebank = safetensors_metadata(st, "lal.treebank");
    int k = s == OK && treebank ? vocab_find(&m->treebanks, treebank) : 0;
    m->default_treebank = k < 0 ? 0 : k;
    return s;
}

/* What model_unchanged and model_check_same need to know of the file. */
static Status note_file(Model *m, const SafeTensors *st, Error *e)
{
    snprintf(m->checksum, sizeof m->checksum, "%s", safetensors_metadata(st, MODEL_CHECKSUM_KEY));
    m->path = arena_strndup(&m->strings, st->path, strlen(st->path));
    return m->path ? OK : error_set(e, ERR_NOMEM, "out of memory loading %s", st->path);
}

/* Hands on the error of a part of the file, with the path before it if it names none or only the metadata. */
static Status of_file(Status s, const Error *why, const char *path, Error *e)
{
    char text[sizeof *why];
    bool named = s == ERR_NOMEM || (why->path[0] && strncmp(why->path, "lal.", 4) != 0);
    if (s == OK) return s;
    if (named) return error_at(e, s, why->path[0] ? why->path : NULL, why->line, why->column, "%s", why->message);
    return error_at(e, s, path, 0, 0, "%s", error_text(why, text, sizeof text));
}

static Status load(Model *m, const char *path, const Task *wanted, char **state, Error *e)
{
    SafeTensors st;
    if (state) *state = NULL;
    /* what is decoded at once is read once, and so is what is refused */
    Status s = model_open(&st, path, state || !model_begins(path) ? 0 : m->map_above, e);
    if (s != OK) return s;
    s = check_file(&st, e);
    if (s == OK) s = read_task(&st, &m->task, wanted, e);
    m->ps.on_demand = !state; /* a checkpoint is trained further */
    Error why = { 0 };
    if (s == OK) s = of_file(read_model(m, &st, &why), &why, path, e);
    const char *saved = safetensors_metadata(&st, "lal.state");
    if (s == OK && state && saved && !(*state = copy_text(saved)))
        s = error_set(e, ERR_NOMEM, "out of memory loading %s", path);
    if (s == OK) s = note_file(m, &st, e);
    if (s == OK) s = params_upload(&m->ps, device_default(), e);
    if (s == OK && m->ps.on_demand) s = params_constant(&m->ps, device_default(), e);
    s = safetensors_end(&st, s, e);
    if (m->ps.on_demand) m->ps.file = safetensors_take(&st);
    safetensors_close(&st);
    return s;
}

Status model_load_alone(Model *model, const char *path, char **state, Error *error)
{
    return load(model, path, model->task, state, error);
}

Status model_load_any(Model *model, const char *path, char **state, Error *error)
{
    return load(model, path, NULL, state, error);
}

Status model_check_same(const Model *model, const char *checksum, const char *path, Error *error)
{
    if (!model->checksum[0] || !checksum || !checksum[0] || strcmp(model->checksum, checksum) == 0) return OK;
    return error_at(error, ERR_IO, path, 0, 0, "the file was replaced while it was read, expected one file");
}

Status model_texts_read(ModelTexts *model_texts, const char *path, const Task *wanted, Error *error)
{
    SafeTensors st;
    const struct {
        const char *key;
        char **text;
    } texts[] = { { "lal.config", &model_texts->config },
                  { "lal.encoder_options", &model_texts->options },
                  { "lal.state", &model_texts->state } };
    *model_texts = (ModelTexts){ 0 };
    Status s = model_open(&st, path, 0, error);
    if (s != OK) return s;
    s = check_file(&st, error);
    if (s == OK)
        snprintf(model_texts->checksum, sizeof model_texts->checksum, "%s",
                 safetensors_metadata(&st, MODEL_CHECKSUM_KEY));
    if (s == OK) s = read_task(&st, &model_texts->task, wanted, error);
    for (size_t k = 0; k < sizeof texts / sizeof *texts && s == OK; k++) {
        const char *saved = safetensors_metadata(&st, texts[k].key);
        if (saved && !(*texts[k].text = copy_text(saved)))
            s = error_set(error, ERR_NOMEM, "out of memory loading %s", path);
    }
    const char *pretrained = s == OK ? safetensors_metadata(&st, "lal.pretrained") : NULL;
    PieceTokenizer ends;
    Error why = { 0 };
    if (pretrained)
        s = of_file(read_lal_pretrained(pretrained, &model_texts->pretrained, &ends, &why), &why, path, error);
    s = safetensors_end(&st, s, error);
    safetensors_close(&st);
    return s;
}

void model_texts_fini(ModelTexts *texts)
{
    mem_free_each(texts->config, texts->options, texts->state);
    *texts = (ModelTexts){ 0 };
}

Status model_load_extra(const Model *model, const char *path, const ExtraSlab *extra, int n_extra, Error *error)
{
    SafeTensors st;
    Status s = model_open(&st, path, 0, error);
    if (s != OK) return s;
    s = check_file(&st, error);
    if (s == OK) s = model_check_same(model, safetensors_metadata(&st, MODEL_CHECKSUM_KEY), path, error);
    for (int k = 0; k < n_extra && s == OK; k++) s = read_slab(model, &st, extra[k].prefix, extra[k].values, error);
    s = safetensors_end(&st, s, error);
    safetensors_close(&st);
    return s;
}
