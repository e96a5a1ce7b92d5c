/* Lal model import */
#include <stdio.h>

#include "parser/model/import.h"
#include "parser/model/model_file.h"
#include "program/program.h"

typedef struct Fields {
    ImportOptions part;
    const char *out;
    int store;
    bool quiet;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option IMPORT_OPTIONS[] = {
    { "out", OPT_STRING, F(out), NULL, 0, 0, "FILE", "write the encoder to FILE" },
    { "store", OPT_ENUM, F(store), "f32", 0, 0, MODEL_STORE_CHOICES, "number format of the weights in the file" },
    { "keep_pieces", OPT_STRING, F(part.keep_pieces), NULL, 0, 0, "FILE",
      "keep the pieces of words that the text FILE has, and all single characters; - is standard input" },
    { "keep_least", OPT_INT, F(part.keep_least), "1", 1, 1000000000, NULL,
      "with --keep-pieces: those that FILE has at least N times" },
    { "layers", OPT_INT, F(part.layers), NULL, 1, 512, NULL, "keep the N lowest layers" },
    { "positions", OPT_INT, F(part.positions), NULL, 3, 1 << 20, NULL,
      "keep the first N positions; longer sentences are read in windows" },
    { "quiet", OPT_BOOL, F(quiet), "false", 0, 0, NULL, "print no summary on standard error" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static Status run_import(int argc, char **argv, Error *e)
{
    Fields f = { 0 };
    int n;
    Status s = program_options(IMPORT_OPTIONS, &f, argc, argv, 1, &n, e);
    if (s == OK && (!n || !f.out))
        s = error_set(e, ERR_USAGE, "found no %s, expected DIR --out FILE", n ? "--out" : "folder");
    if (s == OK && f.part.keep_least > 1 && !f.part.keep_pieces)
        s = error_set(e, ERR_USAGE, "found --keep-least and no --keep-pieces, expected both");
    if (s != OK) return s;
    Model m;
    model_init(&m);
    s = import_folder(&m, argv[0], &f.part, e);
    if (s == OK) s = model_save(&m, f.out, model_store_choice(f.store), NULL, 0, NULL, e);
    const PretrainedConfig *c = &m.pretrained;
    if (s == OK && !f.quiet)
        fprintf(stderr, "%s: %s, %d layers of width %d, %d heads, %d %s pieces%s, %.1f million parameters\n", f.out,
                pretrained_config_kind(c->kind), c->n_layers, c->d_model, c->n_heads,
                piece_tokenizer_size(&m.tokenizer), piece_tokenizer_kind(m.tokenizer.kind),
                piece_tokenizer_lowercase(&m.tokenizer) ? " of lower-cased text" : "",
                (double)params_total(&m.ps) / 1e6);
    model_fini(&m);
    return s;
}

static const char IMPORT_HELP[] =
    "DIR is a folder as pretrained encoders are published: config.json, the weights\n"
    "(model.safetensors or pytorch_model.bin, or shards with an index) and the tokenizer\n"
    "(tokenizer.json or vocab.txt; spiece.model; sentencepiece.bpe.model of XLM-R). BERT,\n"
    "MPNet and XLNet are read. An encoder of many languages becomes small for one of them\n"
    "with --keep-pieces. lal train --pretrained puts the encoder under a parser.\n"
    "docs/PRETRAINED.md has examples.\n";

static const Option *const IMPORT_TABLES[] = { IMPORT_OPTIONS, NULL };
const Command CMD_MODEL_IMPORT = {
    "model import", "DIR --out FILE [OPTIONS]", "make one file of a pretrained encoder", IMPORT_HELP, IMPORT_TABLES,
    run_import
};
