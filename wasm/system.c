/* What replaces, in WebAssembly, the files of base/ and tensor/ that need a system (mk/wasm.mk)? The caller does the
 * work of threads; the only file is the bytes that were given; UTF-8 is the only encoding; search and OpenBLAS are
 * missing. */
#include "wasm/system.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/arena.h"
#include "base/encoding.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/thread.h"
#include "explain/inspection.h"
#include "tensor/cpu/cpu.h"
#include "tensor/torch_file.h"

/* ---- memory has no pages */

int madvise(void *address, size_t size, int advice)
{
    (void)address, (void)size, (void)advice;
    return 0;
}

/* ---- threads: the caller alone */

ThreadTeam *thread_team_new(int n_threads)
{
    (void)n_threads;
    return mem_calloc(1, 1);
}

void thread_team_free(ThreadTeam *team) { mem_free(team); }

void thread_team_run(ThreadTeam *team, int n_items, void (*work)(void *, int, int), void *context)
{
    (void)team;
    for (int k = 0; k < n_items; k++) work(context, 0, k);
}

void thread_team_rest(ThreadTeam *team) { (void)team; }

void parallel_for(int n_threads, int n_items, void (*work)(void *, int, int), void *context)
{
    (void)n_threads;
    thread_team_run(NULL, n_items, work, context);
}

Turn *turn_new(int n)
{
    (void)n;
    return mem_calloc(1, 1);
}

void turn_free(Turn *turn) { mem_free(turn); }

void turn_reset(Turn *turn) { (void)turn; }

void turn_wait(Turn *turn, int queue, int item) { (void)turn, (void)queue, (void)item; }

void turn_done(Turn *turn, int queue) { (void)turn, (void)queue; }

double clock_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* ---- files: the model */

static FileMap given;

void system_file(const unsigned char *bytes, size_t size) { given = (FileMap){ size ? bytes : NULL, size, 0 }; }

Status filemap_open(FileMap *file_map, const char *path, size_t map_above, Error *error)
{
    (void)path, (void)map_above, (void)error;
    *file_map = given;
    return OK;
}

void filemap_close(FileMap *map) { *map = (FileMap){ 0 }; }

bool filemap_unchanged(const FileMap *map, long long *touched)
{
    (void)map;
    if (touched) *touched = 0;
    return true;
}

void filemap_accept(const FileMap *map, long long touched) { (void)map, (void)touched; }

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

Status file_open(const char *path, int *fd, Error *error)
{
    (void)fd;
    return error_at(error, ERR_IO, path, 0, 0, "there are no files here");
}

Status file_read_most(const char *path, size_t most, StrBuf *out, Error *error)
{
    (void)most, (void)out;
    return file_open(path, NULL, error);
}

Status file_read(const char *path, StrBuf *out, Error *error) { return file_read_most(path, SIZE_MAX, out, error); }

Status file_read_text(const char *path, StrBuf *out, Error *error) { return file_read(path, out, error); }

Status gzip_read(GzipReader *reader, char *out, size_t size, size_t *count, Error *error)
{
    (void)out, (void)size;
    *count = 0;
    return file_open(reader->path, NULL, error);
}

bool gzip_readable(const GzipReader *reader, int milliseconds)
{
    (void)reader, (void)milliseconds;
    return true;
}

void gzip_end(GzipReader *reader) { (void)reader; }

Status torch_file_open(SafeTensors *st, const char *path, Error *error)
{
    (void)st;
    return file_open(path, NULL, error);
}

/* ---- other encodings */

Decoder *decoder_new(const char *encoding, bool lenient, const char *path, Error *error)
{
    (void)lenient, (void)path;
    error_set(error, ERR_USAGE, "found the encoding %s, expected UTF-8", encoding);
    return NULL;
}

void decoder_free(Decoder *decoder) { (void)decoder; }

Status decoder_feed(Decoder *decoder, const char *bytes, size_t count, StrBuf *out, Error *error)
{
    (void)decoder, (void)bytes, (void)count, (void)out, (void)error;
    return OK;
}

/* ---- OpenBLAS, which only training needs */

Status cpu_blas_start(int threads, Error *error)
{
    (void)threads;
    return error_set(error, ERR_CONFIG, "there is no OpenBLAS here");
}

bool cpu_blas_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
                      bool add, Real *c, int ldc)
{
    (void)ta, (void)tb, (void)m, (void)n, (void)k, (void)alpha;
    (void)a, (void)lda, (void)b, (void)ldb, (void)add, (void)c, (void)ldc;
    return false;
}

/* ---- search, which finds no decisions to explain here */

Status inspection_choose(const QueryOptions *match, Inspected *inspected, Error *error)
{
    (void)match, (void)inspected;
    return error_set(error, ERR_CONFIG, "there is no search here");
}
