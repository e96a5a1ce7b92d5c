/* What the measurements of lal bench share. */
#define _POSIX_C_SOURCE 200809L
#include "program/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/data_path.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "parser/model/model_file.h"
#include "tensor/cpu/level.h"

extern char **environ;

/* ---- device, text, model */

bool bench_on_gpu(void) { return device_default() != device_cpu(); }

Status bench_device(const Bench *bench, Error *error)
{
    Status status = program_device(bench->device, error);
    return status == OK ? program_parse_products(bench->products, false, error) : status;
}

Status bench_text(const Bench *bench, StrBuf *text, Error *error)
{
    char place[DATA_PATH_MAX];
    return file_read(program_file(bench->text, place, sizeof place), text, error);
}

DocumentOptions bench_document(const Bench *bench, const Model *model)
{
    return (DocumentOptions){ .large_windows = true, .raw = program_raw_text(&bench->raw, model) };
}

Status bench_model(const Bench *bench, Model *model, Error *error)
{
    char place[DATA_PATH_MAX];
    model->map_above = 0;
    Status status = model_load(model, program_model_path(bench->model, place, sizeof place), NULL, error);
    return status == OK ? model_check_text(model, error) : status;
}

Status bench_input_open(BenchInput *in, const Bench *bench, Error *error)
{
    in->text = (StrBuf){ 0 };
    model_init(&in->m);
    Status status = bench_device(bench, error);
    if (status == OK) status = bench_model(bench, &in->m, error);
    return status == OK ? bench_text(bench, &in->text, error) : status;
}

void bench_input_close(BenchInput *in)
{
    strbuf_fini(&in->text);
    model_fini(&in->m);
}

/* ---- parsing */

Status bench_write(BenchWritten *written, const Parsed *parsed, Error *error)
{
    output_sentence(&written->out, written->m, parsed, &(Origin){ .id = written->sentences++ },
                    (OutputStyle){ .format = written->format, .why = true });
    written->words += parsed->n_words;
    return written->out.failed ? error_set(error, ERR_NOMEM, "out of memory in the benchmark") : OK;
}

static Status write_sentences(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    Status status = OK;
    (void)d;
    for (int k = from; k < to && status == OK; k++) status = bench_write(context, &result[k], e);
    return status;
}

Status bench_parse(const Bench *bench, Parser *parser, StrView text, BenchWritten *written, Error *error)
{
    written->m = parser->m;
    Status status =
        document_parse(parser, text, bench->text, bench_document(bench, parser->m), write_sentences, written, error);
    strbuf_clear(&written->out);
    return status;
}

/* ---- numbers and lines */

Status bench_sample_add(BenchSample *sample, double value, Error *error)
{
    if (!mem_reserve(sample->value, &sample->cap, sample->n + 1))
        return error_set(error, ERR_NOMEM, "out of memory in the benchmark");
    sample->value[sample->n++] = value;
    return OK;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_sample_quantile(BenchSample *sample, double share)
{
    int index = (int)(share * sample->n);
    qsort(sample->value, (size_t)sample->n, sizeof *sample->value, by_size);
    return sample->value[index < sample->n ? index : sample->n - 1];
}

StrBuf bench_line(const Bench *bench)
{
    StrBuf line = { 0 };
    json_object(&line, NULL);
    json_string(&line, "name", bench->name);
    if (bench->model) json_string(&line, "model", bench->model);
    json_string(&line, "level", cpu_level()->name);
    json_view(&line, "products", option_choice(PARSE_PRODUCTS_CHOICES, bench->products));
    return line;
}

void bench_put_times(StrBuf *line, BenchSample *seconds)
{
    json_members(line, "median_ms: %.3f, p95_ms: %.3f, longest_ms: %.3f", 1e3 * bench_sample_quantile(seconds, 0.5),
                 1e3 * bench_sample_quantile(seconds, 0.95), 1e3 * bench_sample_quantile(seconds, 1));
}

Status bench_print(StrBuf *line, Error *error)
{
    struct rusage own, started;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &started);
    long kib = own.ru_maxrss > started.ru_maxrss ? own.ru_maxrss : started.ru_maxrss;
    json_real(line, "peak_mib", "%.0f", (double)kib / 1024);
    json_object_end(line);
    strbuf_putc(line, '\n');
    Status status = program_print(line, error);
    strbuf_fini(line);
    return status;
}

/* ---- processes */

static Status wait_for(pid_t child, const char *command, Error *e)
{
    int ended;
    while (waitpid(child, &ended, 0) < 0)
        if (errno != EINTR) return error_set(e, ERR_IO, "cannot wait for lal %s: %s", command, strerror(errno));
    if (WIFSIGNALED(ended))
        return error_set(e, ERR_IO, "a process of lal %s was ended by signal %d", command, WTERMSIG(ended));
    return WEXITSTATUS(ended) == 0
               ? OK
               : error_set(e, ERR_IO, "a process of lal %s ended with status %d", command, WEXITSTATUS(ended));
}

/* Opens a pipe that has the whole text and ends after it. */
static Status text_pipe(const char *text, int *from, Error *e)
{
    int ends[2];
    size_t size = strlen(text);
    if (pipe(ends) != 0) return error_set(e, ERR_IO, "cannot make a pipe: %s", strerror(errno));
    bool written = write(ends[1], text, size) == (ssize_t)size;
    close(ends[1]);
    *from = ends[0];
    if (written) return OK;
    close(ends[0]);
    return error_set(e, ERR_IO, "cannot write to a pipe");
}

Status bench_process(const char *const *arguments, const char *input, Error *error)
{
    posix_spawn_file_actions_t streams;
    pid_t child = 0;
    char path[DATA_PATH_MAX];
    const char *self = data_path_self(path);
    int from = -1, failed = posix_spawn_file_actions_init(&streams);
    if (failed) return error_set(error, ERR_NOMEM, "out of memory in the benchmark");
    Status status = input ? text_pipe(input, &from, error) : OK;
    if (status == OK && input) {
        failed = posix_spawn_file_actions_adddup2(&streams, from, STDIN_FILENO);
        if (!failed) failed = posix_spawn_file_actions_addclose(&streams, from);
        if (!failed) failed = posix_spawn_file_actions_addopen(&streams, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    }
    if (status == OK && !failed)
        failed =
            self ? posix_spawn(&child, self, &streams, NULL, (char *const *)(uintptr_t)arguments, environ) : ENOENT;
    if (failed) status = error_set(error, ERR_IO, "cannot start lal %s: %s", arguments[1], strerror(failed));
    if (from >= 0) close(from);
    posix_spawn_file_actions_destroy(&streams);
    return status == OK ? wait_for(child, arguments[1], error) : status;
}
