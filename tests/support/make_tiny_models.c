/* Make_tiny_models FOLDER writes seeds of the fuzz targets that read models and
 * checkpoints to FOLDER/model and FOLDER/checkpoint, which must exist. FOLDER is usually tests/fuzz/seeds, where three
 * models are others: overflow and sums were found by fuzzing, and int8 is of a version that stored matrices of fewer
 * than eight rows in 8 bits, too. */
#include <stdio.h>
#include <string.h>

#include "parser/model/prune.h"
#include "parser/task/detect/replace.h"
#include "tests/support/stfile.h"
#include "tests/support/tiny.h"

typedef struct Kind {
    const char *name;
    bool whole;          /* with every optional part of a model */
    double average;      /* decay of the running average of the weights; 0: none */
    const char *options; /* JSON of encoder options, or NULL */
    const Task *task;
    DType store;
    const char *encoder; /* the model with the pretrained encoder, a name of the folder; or NULL */
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
    char model[512], checkpoint[512], encoder[512];
    snprintf(encoder, sizeof encoder, "%s/model/%s", folder, k->encoder ? k->encoder : "");
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
    } else if (k->encoder) {
        a.pretrained = encoder;
    } else if (k->task == &TASK_TRANSLATE) {
        a.task = k->task;
        a.model.layers = MODEL_LAYERS_PLAIN;
        a.model.use_lal = false;
        a.model.n_layers = a.model.decoder_layers = 1;
        a.model.pieces = 16;
        for (int i = 0; i < c.trees.n; i++) c.trees.s[i].target = i ? "b ab" : "ab";
    } else if (k->task != &TASK_PARSE) {
        static const ReplaceOptions replace = { .rate = 0.15, .power = 1 };
        a.task = k->task;
        a.task_options = &replace;
        for (int i = 0; i < c.trees.n; i++) c.trees.s[i].target = i ? "news" : "travel guide";
    } else if (k->average > 0 || k->options) a.checkpoint = checkpoint;
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

/* An encoder of one layer with the tokenizer that is a seed of another target. */
static int make_encoder(const char *folder, const char *name, PretrainedKind kind, TokenizerKind pieces,
                        const char *tokenizer, DType store)
{
    Model m;
    StrBuf bytes = { 0 };
    Error e = { 0 };
    char path[512];
    bool mpnet = kind == PRETRAINED_MPNET;
    model_init(&m);
    m.task = &TASK_ENCODE;
    options_defaults(CONFIG_MODEL_OPTIONS, &m.c);
    snprintf(path, sizeof path, "%s/%s", folder, tokenizer);
    Status s = file_read(path, &bytes, &e);
    if (s == OK) s = piece_tokenizer_parse(&m.tokenizer, (StrView){ bytes.ptr, bytes.len }, pieces, 1, 2, path, &e);
    m.pretrained = (PretrainedConfig){ .kind = kind,
                                       .n_pieces = piece_tokenizer_size(&m.tokenizer),
                                       .n_layers = 1,
                                       .n_heads = 1,
                                       .d_head = 2,
                                       .d_model = 2,
                                       .d_ff = 2,
                                       .n_positions = kind == PRETRAINED_BERT ? 5
                                                      : mpnet                 ? 7
                                                                              : 0,
                                       .most_pieces = kind == PRETRAINED_XLNET ? 0 : 5,
                                       .n_types = kind == PRETRAINED_BERT,
                                       .n_buckets = mpnet ? 4 : 0,
                                       .norm_eps = 1e-5 };
    if (s == OK) s = model_vocabs_start(&m, &e);
    if (s == OK) s = model_build(&m, &e);
    for (int k = 0; s == OK && k < m.ps.n; k++) param_init_normal(&m.ps, k, 0.6, 3);
    snprintf(path, sizeof path, "%s/model/%s", folder, name);
    if (s == OK) s = model_save(&m, path, store, NULL, 0, NULL, &e);
    if (s != OK) fprintf(stderr, "%s: %s\n", name, e.message);
    strbuf_fini(&bytes);
    model_fini(&m);
    return s != OK;
}

/* The model of the options without its second label head, whose gate is closed. */
static int make_pruned(const char *folder)
{
    Model m, small;
    Error e = { 0 };
    char path[512];
    model_init(&m);
    model_init(&small);
    snprintf(path, sizeof path, "%s/model/options", folder);
    Status s = model_load(&m, path, NULL, &e);
    for (int k = 0; k < m.ps.n && s == OK; k++)
        if (strstr(m.ps.p[k].name, "log_alpha")) param_values(&m.ps, k)[param_count(&m.ps.p[k]) - 1] = (Real)-30;
    if (s == OK) s = model_prune(&m, &small, &e);
    snprintf(path, sizeof path, "%s/model/pruned", folder);
    if (s == OK) s = model_save(&small, path, DT_F32, NULL, 0, NULL, &e);
    if (s != OK) fprintf(stderr, "pruned: %s\n", e.message);
    model_fini(&small);
    model_fini(&m);
    return s != OK;
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
    static const char gates[] = "{\"gates\": {\"kind\": \"hard_concrete\", \"stacks\": [\"self\", \"label\"]}}";
    static const char pal[] = "{\"heads\": [{\"stack\": \"pretrained\", \"heads\": [0], \"pattern\": \"rel_pos\", "
                              "\"use\": \"mask\"}], \"pal\": "
                              "{\"pretrained_layers\": \"all\", \"width\": 2, \"heads\": 1}}";
    static const Kind kinds[] = {
        { "small", false, 0, NULL, &TASK_PARSE, DT_F32, NULL },
        { "average", false, 0.9, NULL, &TASK_PARSE, DT_F32, NULL },
        { "whole", true, 0, NULL, &TASK_PARSE, DT_F16, NULL },
        { "options", false, 0, options, &TASK_PARSE, DT_F32, NULL },
        { "classes", false, 0, NULL, &TASK_CLASSIFY, DT_F32, NULL },
        { "detect", false, 0, NULL, &TASK_DETECT, DT_F32, NULL },
        { "translate", false, 0, NULL, &TASK_TRANSLATE, DT_F32, NULL },
        { "gated", false, 0, gates, &TASK_CLASSIFY, DT_BF16, NULL },
        { "on-bert", false, 0, pal, &TASK_PARSE, DT_I8, "bert" },
        { "on-mpnet", false, 0, NULL, &TASK_PARSE, DT_U8, "mpnet" },
        { "on-xlnet", false, 0, NULL, &TASK_PARSE, DT_BF16, "xlnet" },
    };
    if (argc != 2) return 2;
    int bad = make_encoder(argv[1], "bert", PRETRAINED_BERT, TOKENIZER_WORDPIECE, "wordpiece/small.json", DT_F32) +
              make_encoder(argv[1], "mpnet", PRETRAINED_MPNET, TOKENIZER_WORDPIECE, "wordpiece/small.json", DT_I8) +
              make_encoder(argv[1], "xlnet", PRETRAINED_XLNET, TOKENIZER_XLNET, "unigram/plain", DT_F32) +
              make_encoder(argv[1], "xlmr", PRETRAINED_BERT, TOKENIZER_XLMR, "unigram/xlmr", DT_F16);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) bad += make(argv[1], &kinds[k]);
    bad += make_pruned(argv[1]) + make_giant(argv[1]);
    return bad ? 1 : 0;
}
