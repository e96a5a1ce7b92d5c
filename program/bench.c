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
#include "base/file.h"
#include "base/json_writer.h"
#include "parser/model/model_file.h"
#include "tensor/cpu/level.h"

extern char **environ;

/* ---- device, text, model */

bool bench_on_gpu(void) { return device_default() != device_cpu(); }

Status bench_device(const Bench *b, Error *e)
{
    Status status = program_device(b->device, e);
    return status == OK ? program_parse_products(b->products, false, e) : status;
}

Status bench_text(const Bench *b, StrBuf *text, Error *e)
{
    char place[DATA_PATH_MAX];
    return file_read(program_file(b->text, place, sizeof place), text, e);
}

DocumentOptions bench_document(const Bench *b, const Model *m)
{
    return (DocumentOptions){ .large_windows = true, .raw = program_raw_text(&b->raw, m) };
}

Status bench_model(const Bench *b, Model *m, Error *e)
{
    char place[DATA_PATH_MAX];
    m->map_above = 0;
    Status status = model_load(m, program_model_path(b->model, place, sizeof place), NULL, e);
    return status == OK ? model_check_text(m, e) : status;
}

Status bench_input_open(BenchInput *in, const Bench *b, Error *e)
{
    in->text = (StrBuf){ 0 };
    model_init(&in->m);
    Status status = bench_device(b, e);
    if (status == OK) status = bench_model(b, &in->m, e);
    return status == OK ? bench_text(b, &in->text, e) : status;
}

void bench_input_close(BenchInput *in)
{
    strbuf_fini(&in->text);
    model_fini(&in->m);
}

/* ---- parsing */

Status bench_write(BenchWritten *w, const Parsed *parsed, Error *e)
{
    output_sentence(&w->out, w->m, parsed, &(Origin){ .id = w->sentences++ },
                    (OutputStyle){ .format = w->format, .why = true });
    w->words += parsed->n_words;
    return w->out.failed ? error_set(e, ERR_NOMEM, "out of memory in the benchmark") : OK;
}

static Status write_sentences(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    Status status = OK;
    (void)d;
    for (int k = from; k < to && status == OK; k++) status = bench_write(context, &result[k], e);
    return status;
}

Status bench_parse(const Bench *b, Parser *p, StrView text, BenchWritten *w, Error *e)
{
    w->m = p->m;
    Status status = document_parse(p, text, b->text, bench_document(b, p->m), write_sentences, w, e);
    strbuf_clear(&w->out);
    return status;
}

/* ---- numbers and lines */

Status bench_sample_add(BenchSample *sample, double value, Error *e)
{
    if (!mem_reserve(sample->value, &sample->cap, sample->n + 1))
        return error_set(e, ERR_NOMEM, "out of memory in the benchmark");
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

StrBuf bench_line(const Bench *b)
{
    StrBuf line = { 0 };
    json_object(&line, NULL);
    json_string(&line, "name", b->name);
    if (b->model) json_string(&line, "model", b->model);
    json_string(&line, "level", cpu_level()->name);
    json_view(&line, "products", option_choice(PARSE_PRODUCTS_CHOICES, b->products));
    return line;
}

void bench_put_times(StrBuf *line, BenchSample *seconds)
{
    json_members(line, "median_ms: %.3f, p95_ms: %.3f, longest_ms: %.3f", 1e3 * bench_sample_quantile(seconds, 0.5),
                 1e3 * bench_sample_quantile(seconds, 0.95), 1e3 * bench_sample_quantile(seconds, 1));
}

Status bench_print(StrBuf *line, Error *e)
{
    struct rusage own, started;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &started);
    long kib = own.ru_maxrss > started.ru_maxrss ? own.ru_maxrss : started.ru_maxrss;
    json_real(line, "peak_mib", "%.0f", (double)kib / 1024);
    json_object_end(line);
    strbuf_putc(line, '\n');
    Status status = program_print(line, e);
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

Status bench_process(const char *const *arguments, const char *input, Error *e)
{
    posix_spawn_file_actions_t streams;
    pid_t child = 0;
    int from = -1, failed = posix_spawn_file_actions_init(&streams);
    if (failed) return error_set(e, ERR_NOMEM, "out of memory in the benchmark");
    Status status = input ? text_pipe(input, &from, e) : OK;
    if (status == OK && input) {
        failed = posix_spawn_file_actions_adddup2(&streams, from, STDIN_FILENO);
        if (!failed) failed = posix_spawn_file_actions_addclose(&streams, from);
        if (!failed) failed = posix_spawn_file_actions_addopen(&streams, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    }
    if (status == OK && !failed)
        failed = posix_spawn(&child, "/proc/self/exe", &streams, NULL, (char *const *)(uintptr_t)arguments, environ);
    if (failed) status = error_set(e, ERR_IO, "cannot start lal %s: %s", arguments[1], strerror(failed));
    if (from >= 0) close(from);
    posix_spawn_file_actions_destroy(&streams);
    return status == OK ? wait_for(child, arguments[1], e) : status;
}
