/* tests/support/make_tiny_models.c: make_tiny_models FOLDER writes seeds of the fuzz targets that read models and
 * checkpoints to FOLDER/model and FOLDER/checkpoint, which must exist. FOLDER is usually tests/fuzz/seeds. */
#include <stdio.h>
#include <string.h>

#include "tests/support/stfile.h"
#include "tests/support/tiny.h"

typedef struct Kind {
    const char *name;
    bool whole;          /* with every optional part of a model */
    double average;      /* decay of the running average of the weights; 0: none */
    const char *options; /* JSON of encoder options, or NULL */
    ModelTask task;
    DType store;
} Kind;

static bool read_options(const char *json, EncoderOptions *o, Arena *memory, Error *e)
{
    cJSON *j = cJSON_Parse(json);
    encoder_options_defaults(o);
    Status s = encoder_options_read(o, j, NULL, memory, e);
    cJSON_Delete(j);
    return s == OK;
}

static int make(const char *folder, const Kind *k)
{
    Corpus c;
    Error e = { 0 };
    char model[512], checkpoint[512];
    snprintf(model, sizeof model, "%s/model/%s", folder, k->name);
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint/%s", folder, k->name);
    if (!tiny_corpus(&c)) return 1;
    TrainArgs a = tiny_args(&c);
    a.out = k->average > 0 ? "/dev/null" : model;
    a.train.average = k->average;
    a.store = k->store;
    a.stop_at_step = 3; /* inside the second epoch */
    if (k->whole) {
        a.model.partitioned = a.model.lal_partitioned = a.model.lal_pwff = a.model.use_tags = a.model.use_treebank =
            a.model.type_given_head = true;
        a.model.use_chars = CHARS_LSTM;
        a.model.d_model = 4; /* the content half must be even */
        a.model.affix_buckets = 3;
        a.model.n_layers = 1;
        a.model.d_tag_hidden = 2;
    } else if (k->task != MODEL_PARSES) {
        a.task = k->task;
        a.replace = (ReplaceOptions){ 0.15, 1 };
        for (int i = 0; i < c.trees.n; i++) c.trees.s[i].class_name = i ? "news" : "travel guide";
    } else if (k->store == DT_F32) a.checkpoint = checkpoint;
    EncoderOptions options;
    Arena memory;
    arena_init(&memory, 4096);
    if (k->options) {
        a.model.n_layers = 1;
        a.options = &options;
        if (!read_options(k->options, &options, &memory, &e)) fprintf(stderr, "%s: %s\n", k->name, e.message);
    }
    Status s = trainer_run(&a, &e);
    arena_fini(&memory);
    if (s != ERR_INTERRUPTED) fprintf(stderr, "%s: %s\n", k->name, e.message);
    corpus_fini(&c);
    return s != ERR_INTERRUPTED;
}

/* The small model with a configuration of 3.6 GB of weights; also used by tests/cli/parse.sh. */
static int make_giant(const char *folder)
{
    StrBuf small = { 0 }, giant = { 0 };
    StFile f;
    FileWriter w;
    Error e = { 0 };
    char path[512];
    snprintf(path, sizeof path, "%s/model/small", folder);
    if (file_read(path, &small, &e) != OK || !stfile_read(&f, (const uint8_t *)small.ptr, small.len)) return 1;
    cJSON *meta = cJSON_GetObjectItem(f.root, "__metadata__");
    cJSON *config = cJSON_Parse(cJSON_GetObjectItem(meta, "lal.config")->valuestring);
    cJSON_ReplaceItemInObject(config, "d_arc", cJSON_CreateNumber(30000));
    char *text = cJSON_PrintUnformatted(config);
    cJSON_ReplaceItemInObject(meta, "lal.config", cJSON_CreateString(text));
    stfile_print(&f, &giant);
    stfile_seal(giant.ptr, giant.len);
    snprintf(path, sizeof path, "%s/model/giant", folder);
    Status s = filewriter_open(&w, path, &e);
    if (s == OK) {
        filewriter_write(&w, giant.ptr, giant.len);
        s = filewriter_close(&w, true, &e);
    }
    cJSON_free(text);
    cJSON_Delete(config);
    stfile_free(&f);
    strbuf_fini(&small);
    strbuf_fini(&giant);
    return s != OK;
}

int main(int argc, char **argv)
{
    static const char options[] =
        "{\"heads\": [{\"heads\": [0], \"pattern\": [\"rel_pos\", \"seprat\"], \"use\": \"mask\"},"
        "{\"stack\": \"label\", \"heads\": [1], \"pattern\": \"rare_w\", \"use\": \"mask\"},"
        "{\"stack\": \"label\", \"heads\": [0], \"pattern\": \"label_span\", \"use\": \"guide\", \"labels\": "
        "[\"NP\"]}],"
        "\"gates\": {\"kind\": \"hard_concrete\", \"stacks\": [\"self\", \"label\"]}}";
    static const Kind kinds[] = {
        { "small", false, 0, NULL, MODEL_PARSES, DT_F32 },       { "average", false, 0.9, NULL, MODEL_PARSES, DT_F32 },
        { "whole", true, 0, NULL, MODEL_PARSES, DT_F16 },        { "options", false, 0, options, MODEL_PARSES, DT_F32 },
        { "classes", false, 0, NULL, MODEL_CLASSIFIES, DT_F32 }, { "pretrain", false, 0, NULL, MODEL_DETECTS, DT_F32 },
        { "int8", false, 0, NULL, MODEL_PARSES, DT_I8 }
    };
    if (argc != 2) return 2;
    int bad = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) bad += make(argv[1], &kinds[k]);
    return bad || make_giant(argv[1]) ? 1 : 0;
}
