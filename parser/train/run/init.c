/* Training that begins with a model of any task (TrainArgs.init): its options, what is taken
 * of it besides its tensors (init_weights.c), and what the run says of it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "parser/model/import.h"
#include "parser/train/run/run.h"

/* ---- options */

/* Guided heads are left out: guidance is a loss of a training, and the model is the same without. So is the model that
 * the old run began with, to give it gates. */
static void drop_training(EncoderOptions *o)
{
    EncoderOptions initial;
    int n = 0;
    encoder_options_defaults(&initial);
    for (int k = 0; k < o->n_heads; k++)
        if (o->heads[k].use != USE_GUIDE) o->heads[n++] = o->heads[k];
    o->n_heads = n;
    o->guidance = initial.guidance;
    o->gates.start_from = NULL;
}

Status trainer_init_options(const char *path, ModelConfig *config, EncoderOptions *options, char checksum[17],
                            Arena *strings, Error *error)
{
    ModelTexts texts;
    Status s = model_texts_read(&texts, path, NULL, error);
    if (s == OK && !task_training(texts.task))
        s = error_at(
            error, ERR_CONFIG, path, 0, 0,
            "found an encoder without a parser (lal model import), expected a model that was trained; --pretrained "
            "takes an encoder");
    options_defaults(CONFIG_MODEL_OPTIONS, config); /* what the model's file does not know is as it was then */
    if (s == OK) s = trainer_config_of(&texts, path, config, strings, error);
    if (s == OK)
        s = model_read_options(options, texts.options, config, texts.task, &texts.pretrained, path, strings, error);
    if (s == OK) drop_training(options);
    if (checksum) snprintf(checksum, 17, "%s", texts.checksum);
    model_texts_fini(&texts);
    return s;
}

/* Options that are shapes of tensors, or say what their numbers mean; such an option has the value of the model. */
typedef enum FixedWhere {
    FIXED,            /* always */
    FIXED_OR_FEWER,   /* where the run has more; fewer layers begin with some of the model's (init_weights.c) */
    FIXED_WITH_LAL,   /* with a label attention layer */
    FIXED_WITH_CHARS, /* with an encoder of characters in both */
    FIXED_IN_PARSERS, /* where both parse */
    FIXED_UNLESS_OFF, /* where it is not 0 in one of both: its tensors are new, or left out */
    FIXED_OR_OFF,     /* where it is not 0 in the run */
    FIXED_OR_LESS     /* where the model has some, and the run more or none (import_move takes a part) */
} FixedWhere;

static const struct {
    const char *name;
    FixedWhere where;
} FIXED_OPTIONS[] = { { "d_model", FIXED },
                      { "n_layers", FIXED_OR_FEWER },
                      { "n_heads", FIXED },
                      { "d_kv", FIXED },
                      { "d_ff", FIXED },
                      { "n_positions", FIXED },
                      { "partitioned", FIXED },
                      { "d_vectors", FIXED_OR_OFF },
                      { "d_char", FIXED_WITH_CHARS },
                      { "affix_buckets", FIXED_UNLESS_OFF },
                      { "pretrained_layers", FIXED_OR_LESS },
                      { "pretrained_d_ff", FIXED_OR_LESS },
                      { "use_lal", FIXED },
                      { "lal_pwff", FIXED_WITH_LAL },
                      { "lal_q_as_matrix", FIXED_WITH_LAL },
                      { "lal_partitioned", FIXED_WITH_LAL },
                      { "lal_combine_as_self", FIXED_WITH_LAL },
                      { "n_label_heads", FIXED_WITH_LAL },
                      { "lal_d_kv", FIXED_WITH_LAL },
                      { "lal_d_proj", FIXED_WITH_LAL },
                      { "lal_form", FIXED_WITH_LAL },
                      { "lal_d_phrase", FIXED_WITH_LAL },
                      { "lal_own_reduce", FIXED_WITH_LAL },
                      { "lal_uniform", FIXED_WITH_LAL },
                      { "lal_arcs", FIXED_WITH_LAL },
                      { "lal_linked", FIXED_WITH_LAL },
                      { "d_label_hidden", FIXED_IN_PARSERS },
                      { "d_arc", FIXED_IN_PARSERS },
                      { "d_type", FIXED_IN_PARSERS },
                      { "d_tag_hidden", FIXED_UNLESS_OFF } };

/* Has the model the scorers of trees? */
static bool is_parser(const Model *m) { return text_among("labels", m->task->vocabs); }

static bool is_fixed(FixedWhere where, const Model *from, const Model *to, const char *was, const char *is)
{
    switch (where) {
    case FIXED: break;
    case FIXED_OR_FEWER: return to->c.n_layers > from->c.n_layers;
    case FIXED_WITH_LAL: return to->c.use_lal;
    case FIXED_WITH_CHARS: return from->c.use_chars && to->c.use_chars;
    case FIXED_IN_PARSERS: return is_parser(from) && is_parser(to);
    case FIXED_UNLESS_OFF: return strcmp(was, "0") != 0 && strcmp(is, "0") != 0;
    case FIXED_OR_OFF: return strcmp(is, "0") != 0;
    case FIXED_OR_LESS: return atoi(was) && (atoi(is) > atoi(was) || !atoi(is));
    }
    return true;
}

static const Option *model_option(const char *name)
{
    const Option *o = CONFIG_MODEL_OPTIONS;
    while (o->name && strcmp(o->name, name) != 0) o++;
    return o;
}

static Status check_options(const Model *from, const Model *to, const char *path, Error *e)
{
    Status s = OK;
    for (size_t k = 0; k < sizeof FIXED_OPTIONS / sizeof *FIXED_OPTIONS && s == OK; k++) {
        StrBuf was = { 0 }, is = { 0 };
        const Option *o = model_option(FIXED_OPTIONS[k].name);
        option_to_json(o, &from->c, &was);
        option_to_json(o, &to->c, &is);
        if (was.failed || is.failed) s = error_set(e, ERR_NOMEM, "out of memory");
        else if (strcmp(was.ptr, is.ptr) != 0 && is_fixed(FIXED_OPTIONS[k].where, from, to, was.ptr, is.ptr))
            s = error_set(e, ERR_USAGE,
                          "%s: found %s, expected %s, that of the model that the run begins with, %s (--init)", o->name,
                          is.ptr, was.ptr, path);
        strbuf_fini(&was);
        strbuf_fini(&is);
    }
    return s;
}

/* ---- what is taken besides tensors */

/* Whose values of a vocabulary a run takes. */
typedef enum TakenFrom {
    TAKEN,             /* every run takes any model's */
    TAKEN_IF_USED,     /* a run with static vectors takes any model's */
    TAKEN_OF_TREEBANK, /* a parser takes a parser's; other tasks take any model's, for its encoder reads them */
    TAKEN_OF_PARSER,   /* a parser takes a parser's; other tasks take none */
    NOT_TAKEN          /* no run takes them: they come from the training data */
} TakenFrom;

static const struct {
    const char *one, *many;
    size_t offset; /* in Model */
    int reserved;  /* the first values, which every model has */
    TakenFrom from;
    bool quiet; /* not reported */
} VOCABS[] = {
    { "word", "words", offsetof(Model, words), N_RESERVED, TAKEN, false },
    { "static vector", "vectors", offsetof(Model, vectors), 0, TAKEN_IF_USED, false },
    { "character", "characters", offsetof(Model, chars), N_CHAR_RESERVED, TAKEN, false },
    { "df", "df", offsetof(Model, df), 0, TAKEN, true },
    { "tag", "tags", offsetof(Model, tags), N_RESERVED, TAKEN_OF_TREEBANK, false },
    { "treebank", "treebanks", offsetof(Model, treebanks), 1, TAKEN_OF_TREEBANK, false },
    { "label", "labels", offsetof(Model, labels), 2, TAKEN_OF_PARSER, false },
    { "own label", "own labels", offsetof(Model, own_labels), 0, TAKEN_OF_PARSER, true },
    { "type", "types", offsetof(Model, types), 0, TAKEN_OF_PARSER, false },
    { "class", "classes", offsetof(Model, classes), 0, NOT_TAKEN, false },
    { "analysis of words", "analyses of words", offsetof(Model, analyses), 0, NOT_TAKEN, true },
    { "bundle", "bundles", offsetof(Model, bundles), 0, NOT_TAKEN, true },
    { "lemma", "lemmas", offsetof(Model, lemmas), 0, NOT_TAKEN, true },
    { "step of trees", "steps of trees", offsetof(Model, steps), 0, TAKEN_OF_PARSER, true },
};
enum { N_VOCABS = sizeof VOCABS / sizeof *VOCABS };

static Vocab *vocab_of(const Model *m, int k) { return (Vocab *)(void *)((char *)(uintptr_t)m + VOCABS[k].offset); }

static bool is_taken(TakenFrom of, const Model *from, const Model *to)
{
    switch (of) {
    case TAKEN: return true;
    case TAKEN_IF_USED: return to->c.d_vectors > 0;
    case TAKEN_OF_TREEBANK: return is_parser(from) || !is_parser(to);
    case TAKEN_OF_PARSER: return is_parser(from) && is_parser(to);
    case NOT_TAKEN: break;
    }
    return false;
}

/* The one place where what a model has besides options and tensors is copied. */
static Status take_model(Model *from, Model *to, const char *path, Error *e)
{
    for (int k = 0; k < N_VOCABS; k++) {
        Vocab *v = vocab_of(to, k);
        if (!is_taken(VOCABS[k].from, from, to)) continue;
        vocab_fini(v);
        vocab_init(v);
        if (!vocab_copy(v, vocab_of(from, k))) return error_set(e, ERR_NOMEM, "out of memory for the vocabularies");
    }
    if (is_parser(from) && is_parser(to)) to->default_treebank = from->default_treebank;
    else to->c.trees = to->c.arcs = false; /* until a sentence has them */
    Status s =
        from->pretrained.d_model ? import_move(from, to, to->c.pretrained_layers, to->c.pretrained_d_ff, path, e) : OK;
    if (s == OK) s = model_copy_text(from, to, e);
    return s == OK ? trainer_copy_pruned(from, to, path, e) : s;
}

Status trainer_init_model(Trainer *tr, Model *from, Error *error)
{
    const char *path = tr->a->init, *gates = tr->a->options ? tr->a->options->gates.start_from : NULL;
    if (gates)
        return error_set(error, ERR_USAGE, "found --init %s and gates.start_from %s, expected one of them", path,
                         gates);
    Status s = model_load_any(from, path, NULL, error);
    if (s == OK) s = model_check_same(from, tr->a->checksum, path, error);
    if (s == OK && from->pretrained.d_model && tr->m.pretrained.d_model)
        s = error_set(error, ERR_USAGE,
                      "--pretrained: found %s, expected none: the run begins with a model that has a "
                      "pretrained encoder, %s (--init)",
                      tr->a->pretrained, path);
    if (s == OK) s = check_options(from, &tr->m, path, error);
    if (s == OK) s = take_model(from, &tr->m, path, error);
    tr->had = model_sizes(&tr->m);
    return s;
}

/* ---- what was taken, added and left out */

/* Counts one more name; the first TRAIN_INIT_NAMES are kept, in the arena. */
static bool note(TrainInitNames *names, const char *name, Arena *a)
{
    if (names->n++ >= TRAIN_INIT_NAMES) return true;
    return (names->first[names->n - 1] = arena_strndup(a, name, strlen(name))) != NULL;
}

static bool note_vocab(TrainInitKind *kind, const Vocab *from, const Vocab *to, int reserved, Arena *a)
{
    bool ok = true;
    for (int k = reserved; k < vocab_size(to) && ok; k++) {
        if (vocab_find(from, vocab_text(to, k)) >= 0) kind->taken++;
        else ok = note(&kind->added, vocab_text(to, k), a);
    }
    for (int k = reserved; k < vocab_size(from) && ok; k++)
        if (vocab_find(to, vocab_text(from, k)) < 0) ok = note(&kind->dropped, vocab_text(from, k), a);
    return ok;
}

static bool is_scorer(const char *name)
{
    return strncmp(name, "f_", 2) == 0 || strncmp(name, "dep_score.", strlen("dep_score.")) == 0;
}

static bool note_tensors(TrainInit *init, const Model *from, const Model *to, const TrainerTaken *t, Arena *a)
{
    bool ok = true, other = from->task != to->task;
    init->kind[0] = (TrainInitKind){ .one = "tensor", .many = "tensors", .why = "switched off by options" };
    init->kind[1] = (TrainInitKind){ .one = "tensor of scorers",
                                     .many = "tensors of scorers",
                                     .why = other ? "of another task" : "switched off by options" };
    for (int k = 0; k < to->ps.n && ok; k++) {
        TrainInitKind *kind = &init->kind[is_scorer(to->ps.p[k].name)];
        if (t->filled[k]) kind->taken++;
        else ok = note(&kind->added, to->ps.p[k].name, a);
    }
    for (int k = 0; k < from->ps.n && ok; k++) {
        TrainInitKind *kind = &init->kind[is_scorer(from->ps.p[k].name)];
        if (!t->used[k]) ok = note(&kind->dropped, from->ps.p[k].name, a);
    }
    return ok;
}

/* Values that the task of the run does not have belong to scorers, which are reported. */
static bool note_vocabs(TrainInit *init, const Model *from, const Model *to, Arena *a)
{
    bool ok = true;
    int n = 2;
    for (int k = 0; k < N_VOCABS && ok; k++) {
        const Vocab *x = vocab_of(from, k), *y = vocab_of(to, k);
        if (VOCABS[k].quiet) continue;
        TrainInitKind *kind = &init->kind[n++];
        *kind = (TrainInitKind){ .one = VOCABS[k].one, .many = VOCABS[k].many, .why = "not in the training data" };
        if (vocab_size(y) > VOCABS[k].reserved) ok = note_vocab(kind, x, y, VOCABS[k].reserved, a);
    }
    return ok;
}

static void put_names(StrBuf *out, const char *key, const TrainInitNames *names)
{
    if (!names->n) return;
    char first[40];
    snprintf(first, sizeof first, "first_%s", key);
    json_long(out, key, names->n);
    json_strings(out, first, names->first, names->n < TRAIN_INIT_NAMES ? names->n : TRAIN_INIT_NAMES);
}

/* Writes JSON for the log, checkpoints and the summary. Models are published with it, so it names no folders. */
static bool put_init(const TrainInit *init, Arena *a, const char **json)
{
    StrBuf out = { 0 };
    const char *slash = strrchr(init->path, '/'), *name = slash ? slash + 1 : init->path;
    json_object(&out, NULL);
    json_members(&out, "model: %s, task: %s", name, init->task->name);
    for (int k = 0; k < TRAIN_INIT_KINDS; k++) {
        const TrainInitKind *kind = &init->kind[k];
        if (!kind->taken && !kind->added.n && !kind->dropped.n) continue;
        json_object(&out, k == 1 ? "scorers" : kind->many);
        json_long(&out, "taken", kind->taken);
        put_names(&out, "added", &kind->added);
        put_names(&out, "dropped", &kind->dropped);
        json_object_end(&out);
    }
    json_object_end(&out);
    *json = out.failed ? NULL : arena_strndup(a, out.ptr, out.len);
    strbuf_fini(&out);
    return *json != NULL;
}

Status trainer_init_weights(TrainRun *run, const Model *from, Error *error)
{
    Trainer *tr = &run->tr;
    Model *m = &tr->m;
    TrainInit *init = &tr->counts.init;
    TrainerTaken taken = { arena_calloc(&tr->arena, (size_t)from->ps.n, sizeof(bool)),
                           arena_calloc(&tr->arena, (size_t)m->ps.n, sizeof(bool)) };
    *init = (TrainInit){ .path = tr->a->init, .task = from->task, .guides = network_guides(&from->net) > 0 };
    const char *treebank = vocab_text(&m->treebanks, m->default_treebank);
    bool parsers = is_parser(from) && is_parser(m);
    if (parsers && strcmp(treebank, vocab_text(&from->treebanks, from->default_treebank)) != 0)
        init->treebank = treebank;
    if (!taken.used || !taken.filled) return error_set(error, ERR_NOMEM, "out of memory for the model to begin with");
    Status s = trainer_take_tensors(from, m, init->path, &taken, error);
    if (s != OK) return s;
    /* The encoder adds nothing at first: the parser begins as it was. */
    int project = m->net.embedding.pretrained.project;
    if (m->pretrained.d_model && !from->pretrained.d_model)
        memset(param_values(&m->ps, project), 0, param_count(&m->ps.p[project]) * sizeof(Real));
    bool ok = note_tensors(init, from, m, &taken, &tr->arena) && note_vocabs(init, from, m, &tr->arena) &&
              put_init(init, &tr->arena, &run->init);
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory for the model to begin with");
}

bool trainer_note_init(TrainRun *run, const cJSON *init)
{
    Trainer *tr = &run->tr;
    char *text = json_print(init);
    run->init = text ? arena_strndup(&tr->arena, text, strlen(text)) : NULL;
    cJSON_free(text);
    return run->init != NULL;
}
