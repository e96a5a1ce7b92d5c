/* The measurements of lal bench. Each is made in a process of its own, so that its memory is its own and nothing is
 * left from another one, and prints a JSON object on each line. */
#pragma once

#include "parser/model/model.h"
#include "parser/output/output.h"
#include "program/program.h"
#include "tensor/cuda/gpu.h"

/* The options, and which measurement they are for. */
typedef struct Bench {
    const char *name;  /* of the measurement */
    const char *model; /* as --model names it; NULL for a measurement of no model of a file */
    const char *text, *device, *preset, *train, *train_deps;
    RawTextFields raw;
    double seconds;
    int only, threads, products;
    bool levels;
} Bench;

/* The measurements. They may change the options: their process makes no other one. */
Status bench_tokenize(Bench *bench, Error *error); /* raw text to tokens and sentences, one thread */
Status bench_load(Bench *bench, Error *error);
Status bench_start(Bench *bench,
                   Error *error); /* lal parse of one sentence, from the start of the process to its end */
Status bench_sentence(Bench *bench, Error *error); /* one sentence at a time, by a parser that has parsed before */
Status bench_shipped(Bench *bench, Error *error);  /* raw text to brackets */
Status bench_why(Bench *bench, Error *error);      /* the cost of explanations */
Status bench_paper(Bench *bench,
                   Error *error); /* raw text to brackets in the paper's configuration, with random weights */
Status bench_train(Bench *bench, Error *error);
Status bench_decode(Bench *bench, Error *error); /* random charts */
Status bench_sgemm(Bench *bench, Error *error);  /* the rate of matrix products */

/* ---- what they share */

/* Chooses the device and its products. Errors of program_device, program_parse_products. */
Status bench_device(const Bench *bench, Error *error);
bool bench_on_gpu(void);

/* Reads the text. Errors of file_read. */
Status bench_text(const Bench *bench, StrBuf *text, Error *error);
/* The options by which the text is read for a model. */
DocumentOptions bench_document(const Bench *bench, const Model *model);

/* What was written of sentences that a model has parsed, to be freed by strbuf_fini(&out). */
typedef struct BenchWritten {
    const OutputFormat *format;
    const Model *m; /* bench_parse sets it */
    StrBuf out;
    long words, sentences;
} BenchWritten;
Status bench_write(BenchWritten *written, const Parsed *parsed, Error *error);

/* Parses the text and writes it, then empties written->out. */
Status bench_parse(const Bench *bench, Parser *parser, StrView text, BenchWritten *written, Error *error);

/* Loads bench->model, NULL: the default of lal parse, as lal parse does, into a model of model_init. Errors of
 * model_load, model_check_text. */
Status bench_model(const Bench *bench, Model *model, Error *error);

/* A model to measure, and the text. */
typedef struct BenchInput {
    Model m;
    StrBuf text;
} BenchInput;
/* bench_device, bench_model and bench_text. bench_input_close must be called in any case. */
Status bench_input_open(BenchInput *in, const Bench *bench, Error *error);
void bench_input_close(BenchInput *in);

/* Measured numbers, to be freed by mem_free(value). */
typedef struct BenchSample {
    double *value;
    int n, cap;
} BenchSample;
Status bench_sample_add(BenchSample *sample, double value, Error *error);
/* The number below which this share of the sample is, which is sorted and not empty: 0.5 gives the median, 1 the
 * largest. */
double bench_sample_quantile(BenchSample *sample, double share);

/* A line of output: the first members, then all members of a sample of seconds. */
StrBuf bench_line(const Bench *bench);
void bench_put_times(StrBuf *line, BenchSample *seconds);
/* Adds the member "gpu" of INSTALL.md; seconds: for which the profile was on. */
void bench_put_gpu(StrBuf *line, const GpuProfile *profile, double seconds);
/* Prints and frees the line; its last member is the peak memory of this process, or of one that it has started. */
Status bench_print(StrBuf *line, Error *error);

/* Starts this program and waits for its end. arguments: from argv[0], NULL after the last one; input: what it reads,
 * at most PIPE_BUF bytes, with its output discarded; NULL: it has the streams of this process. ERR_IO, also where it
 * fails, after its own message. */
Status bench_process(const char *const *arguments, const char *input, Error *error);
