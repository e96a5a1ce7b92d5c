/* tests/cli/crowd.c MODEL: threads with a parser each. Where there is no address space for all of them, calls return
 * LAL_ERROR_MEMORY. Exit status 1 for another error, or without a tree. */
#include <lalparser.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 12, CALLS = 20 };

static LalModel *model;
static atomic_int parsed, wrong;
static pthread_barrier_t together;

static void count(const void *p, const LalError *e)
{
    if (p) atomic_fetch_add(&parsed, 1);
    else if (e->code != LAL_ERROR_MEMORY) atomic_fetch_add(&wrong, 1);
}

static void *parse(void *context)
{
    static const char text[] = "Time flies like an arrow. Fruit flies like a banana. The old man the boat.";
    LalError e;
    LalParser *parser = lal_parser_new(model, NULL, &e);
    if (!parser) count(parser, &e);
    pthread_barrier_wait(&together);
    for (int k = 0; parser && k < CALLS; k++) {
        LalResult *result = lal_parse_text(parser, text, sizeof text - 1, &e);
        count(result, &e);
        lal_result_free(result);
    }
    lal_parser_free(parser);
    return context;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    if (argc != 2 || !(model = lal_model_load(argv[1], NULL))) return 1;
    if (pthread_barrier_init(&together, NULL, THREADS) != 0) return 1;
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&thread[t], NULL, parse, NULL) != 0) return 1;
    for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
    lal_model_free(model);
    printf("%d texts, %d other errors\n", atomic_load(&parsed), atomic_load(&wrong));
    return parsed > 0 && wrong == 0 ? 0 : 1;
}
