/* parser/train/start.c: training that begins with the weights of a model */
#include <string.h>

#include "base/json.h"
#include "parser/import.h"
#include "parser/train/trainer.h"

static bool same_values(const Vocab *a, const Vocab *b)
{
    bool same = vocab_size(a) == vocab_size(b);
    for (int k = 0; k < vocab_size(a) && same; k++) same = strcmp(vocab_text(a, k), vocab_text(b, k)) == 0;
    return same;
}

/* Rows of weights are values of vocabularies, so these must be equal. */
static Status check_vocabs(const Model *from, const Model *to, const char *path, Error *e)
{
    const struct {
        const char *name;
        const Vocab *from, *to;
    } vocabs[] = { { "words", &from->words, &to->words },       { "tags", &from->tags, &to->tags },
                   { "labels", &from->labels, &to->labels },    { "types", &from->types, &to->types },
                   { "chars", &from->chars, &to->chars },       { "treebanks", &from->treebanks, &to->treebanks },
                   { "vectors", &from->vectors, &to->vectors }, { "classes", &from->classes, &to->classes } };
    for (size_t k = 0; k < sizeof vocabs / sizeof *vocabs; k++)
        if (!same_values(vocabs[k].from, vocabs[k].to))
            return error_at(e, ERR_CONFIG, path, 0, 0,
                            "the %s of the model are not those of the training data, expected a model trained on the "
                            "same data with the same options",
                            vocabs[k].name);
    return OK;
}

/* Copies parameter k of `to` from parameter old of `from`. */
static Status copy_values(const Model *from, int old, Model *to, int k, const char *path, Error *e)
{
    const Param *p = &to->ps.p[k], *q = &from->ps.p[old];
    if (q->n_dims != p->n_dims || memcmp(q->dim, p->dim, (size_t)p->n_dims * sizeof *p->dim) != 0)
        return error_at(e, ERR_CONFIG, path, 0, 0, "tensor %s has another shape than that of the run, %d x %d", p->name,
                        p->rows, p->cols);
    memcpy(param_values(&to->ps, k), param_values(&from->ps, old), param_count(p) * sizeof(Real));
    return OK;
}

static Status copy_weights(const Model *from, Model *to, const char *path, Error *e)
{
    Status s = OK;
    for (int k = 0; k < to->ps.n && s == OK; k++) {
        int old = params_find(&from->ps, to->ps.p[k].name);
        if (old >= 0) s = copy_values(from, old, to, k, path, e); /* others are new: they keep their initial values */
    }
    return s;
}

/* The model whose weights a run begins with, or NULL. */
static const char *start_path(const TrainArgs *a)
{
    bool gates = a->options && a->options->gates.kind != GATES_NONE;
    return a->start_from ? a->start_from : gates ? a->options->gates.start_from : NULL;
}

/* Numbers of pruned heads are those of a model with as many layers and heads. */
static Status copy_pruned(const Model *from, Model *to, const char *path, Error *e)
{
    const ModelConfig *a = &from->c, *b = &to->c;
    if (!from->kept) return OK;
    if (a->n_layers != b->n_layers || a->n_heads != b->n_heads || a->use_lal != b->use_lal ||
        (a->use_lal && a->n_label_heads != b->n_label_heads))
        return error_at(e, ERR_CONFIG, path, 0, 0,
                        "found a pruned model that had %d layers of %d heads and %d label heads, expected the %d of "
                        "%d and %d of the run",
                        a->n_layers, a->n_heads, a->use_lal ? a->n_label_heads : 0, b->n_layers, b->n_heads,
                        b->use_lal ? b->n_label_heads : 0);
    return model_copy_kept(from, to) ? OK : error_set(e, ERR_NOMEM, "out of memory for the heads of %s", path);
}

Status trainer_start_model(Trainer *tr, Model *from, Error *e)
{
    const char *path = start_path(tr->a);
    if (!path) return OK;
    from->task = tr->m.task;
    Status s = model_load(from, path, NULL, e);
    if (s == OK && from->pretrained.d_model) s = import_move(from, &tr->m, 0, path, e);
    return s == OK ? copy_pruned(from, &tr->m, path, e) : s;
}

Status trainer_start_weights(Trainer *tr, const Model *from, Error *e)
{
    const char *path = start_path(tr->a);
    if (!path) return OK;
    Status s = check_vocabs(from, &tr->m, path, e);
    return s == OK ? copy_weights(from, &tr->m, path, e) : s;
}

/* ---- with the encoder of a model */

static bool take_values(const Vocab *from, Vocab *to)
{
    vocab_fini(to);
    vocab_init(to);
    return vocab_copy(to, from);
}

Status trainer_encoder_from(Trainer *tr, Model *from, Error *e)
{
    Model *m = &tr->m;
    Status s = model_load_any(from, tr->a->encoder_from, NULL, e);
    if (s != OK) return s;
    if (from->pretrained.d_model) s = import_move(from, m, 0, tr->a->encoder_from, e);
    if (s == OK) s = copy_pruned(from, m, tr->a->encoder_from, e);
    if (s != OK) return s;
    bool ok = take_values(&from->words, &m->words) && take_values(&from->chars, &m->chars) &&
              take_values(&from->vectors, &m->vectors);
    if (m->task != MODEL_PARSES) /* which has those of its training data */
        ok = ok && take_values(&from->tags, &m->tags) && take_values(&from->treebanks, &m->treebanks);
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory for the vocabularies");
}

/* A parameter whose rows are values of a vocabulary. */
typedef struct Table {
    int param;
    const Vocab *values;
} Table;
enum { N_TABLES = 4 };

static void tables(const Model *m, Table list[N_TABLES])
{
    const TokenEmbedding *te = &m->net.embedding;
    list[0] = (Table){ te->c.n_words ? te->words : -1, &m->words };
    list[1] = (Table){ te->c.n_tags ? te->tags : -1, &m->tags };
    list[2] = (Table){ te->c.n_chars ? te->char_emb : -1, &m->chars };
    list[3] = (Table){ te->c.n_treebanks ? te->treebank : -1, &m->treebanks };
}

/* Copies the rows of the values that both models have; how many. */
static int copy_rows(const Model *from, Table a, Model *to, Table b)
{
    int cols = to->ps.p[b.param].cols, n = 0;
    for (int k = 0; k < vocab_size(b.values); k++) {
        int old = vocab_find(a.values, vocab_text(b.values, k));
        if (old < 0) continue;
        memcpy(param_values(&to->ps, b.param) + (ptrdiff_t)k * cols,
               param_values(&from->ps, a.param) + (ptrdiff_t)old * cols, (size_t)cols * sizeof(Real));
        n++;
    }
    return n;
}

static bool is_scorer(const char *name)
{
    return strncmp(name, "f_", 2) == 0 || strncmp(name, "dep_score.", strlen("dep_score.")) == 0;
}

static Status copy_encoder(const Model *from, Model *to, const char *path, TrainStart *start, Error *e)
{
    Table a[N_TABLES], b[N_TABLES];
    Status s = OK;
    tables(from, a);
    tables(to, b);
    for (int k = 0; k < to->ps.n && s == OK; k++) {
        const char *name = to->ps.p[k].name;
        int old = is_scorer(name) ? -1 : params_find(&from->ps, name), t = 0;
        while (t < N_TABLES && b[t].param != k) t++;
        bool table = t < N_TABLES;
        if (table) old = a[t].param;
        if (old < 0) continue;
        bool rows = table && from->ps.p[old].cols == to->ps.p[k].cols;
        int n = rows ? copy_rows(from, a[t], to, b[t]) : 0;
        if (table && t == 0) start->words = n;
        if (!rows) s = copy_values(from, old, to, k, path, e);
        start->tensors++;
    }
    return s;
}

bool trainer_take_start(Trainer *tr, const cJSON *start)
{
    char *text = json_print(start);
    tr->start = text ? arena_strndup(&tr->arena, text, strlen(text)) : NULL;
    cJSON_free(text);
    return tr->start != NULL;
}

/* What was loaded, as JSON. false when out of memory. */
static bool note_start(Trainer *tr)
{
    const TrainStart *start = &tr->counts.start;
    cJSON *j = cJSON_CreateObject();
    bool ok = j && cJSON_AddStringToObject(j, "model", start->path) &&
              cJSON_AddStringToObject(j, "task", model_task_name(start->task)) &&
              cJSON_AddNumberToObject(j, "tensors", start->tensors) &&
              cJSON_AddNumberToObject(j, "words", start->words) && trainer_take_start(tr, j);
    cJSON_Delete(j);
    return ok;
}

Status trainer_encoder_weights(Trainer *tr, const Model *from, Error *e)
{
    TrainStart *start = &tr->counts.start;
    *start = (TrainStart){ .path = tr->a->encoder_from, .task = from->task };
    Status s = copy_encoder(from, &tr->m, tr->a->encoder_from, start, e);
    return s == OK && !note_start(tr) ? error_set(e, ERR_NOMEM, "out of memory for the model to begin with") : s;
}

/* Guided heads are left out: guidance is a loss of a training, and the model is the same without. */
static void drop_guidance(EncoderOptions *o)
{
    EncoderOptions initial;
    int n = 0;
    encoder_options_defaults(&initial);
    for (int k = 0; k < o->n_heads; k++)
        if (o->heads[k].use != USE_GUIDE) o->heads[n++] = o->heads[k];
    o->n_heads = n;
    o->guidance = initial.guidance;
}

/* The options of the model from the configuration of a file. */
static Status config_of(const ModelTexts *texts, const char *path, ModelConfig *m, Arena *strings, Error *e)
{
    cJSON *config = NULL;
    Status s = OK;
    if (texts->config && json_parse(texts->config, strlen(texts->config), &config, e) == ERR_NOMEM) s = ERR_NOMEM;
    if (s == OK && !cJSON_IsObject(config))
        s = error_at(e, ERR_FORMAT, path, 0, 0, "found no configuration that can be read");
    if (s == OK) s = options_from_json(CONFIG_MODEL_OPTIONS, m, config, strings, path, e);
    cJSON_Delete(config);
    return s;
}

Status trainer_encoder_options(const char *path, ModelConfig *m, EncoderOptions *o, Arena *strings, Error *e)
{
    ModelTexts texts;
    Status s = model_texts_read(&texts, path, NULL, e);
    if (s == OK) s = config_of(&texts, path, m, strings, e);
    if (s == OK) s = model_read_options(o, texts.options, m, path, strings, e);
    if (s == OK) drop_guidance(o);
    model_texts_fini(&texts);
    return s;
}

Status trainer_start_config(Trainer *tr, Error *e)
{
    const TrainArgs *a = tr->a;
    tr->m.c = a->model;
    if (a->resume) {
        ModelTexts texts;
        options_defaults(CONFIG_MODEL_OPTIONS, &tr->m.c);
        Status s = model_texts_read(&texts, a->resume, &a->task, e);
        if (s == OK) s = config_of(&texts, a->resume, &tr->m.c, &tr->arena, e);
        model_texts_fini(&texts);
        return s;
    }
    if (!a->pretrained) return OK;
    Status s = model_load_any(&tr->published, a->pretrained, NULL, e);
    return s == OK ? import_move(&tr->published, &tr->m, a->model.pretrained_layers, a->pretrained, e) : s;
}
