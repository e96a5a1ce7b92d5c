/* tests/cli/host.c MODEL: a program that has state of its own, and finds it unchanged after it has used the library. */
#define _GNU_SOURCE
#include <cjson/cJSON.h>
#include <dirent.h>
#include <lalparser.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

enum { SIGNALS = 32 };

typedef struct State {
    void (*handler[SIGNALS])(int);
    sigset_t mask;
    cpu_set_t cpus;
    char locale[200], environment[20000];
    int threads;
} State;

static long allocations; /* of cJSON */

static void *count_allocation(size_t size)
{
    allocations++;
    return malloc(size);
}

static void my_handler(int number) { (void)number; }

static int count_threads(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/task");
    for (struct dirent *x; d && (x = readdir(d));) n += x->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static void look(State *s)
{
    memset(s, 0, sizeof *s);
    for (int k = 1; k < SIGNALS; k++) {
        struct sigaction sa;
        if (sigaction(k, NULL, &sa) == 0) s->handler[k] = sa.sa_handler;
    }
    sigprocmask(SIG_SETMASK, NULL, &s->mask);
    snprintf(s->locale, sizeof s->locale, "%s", setlocale(LC_ALL, NULL));
    for (char **e = environ; *e; e++)
        if (strlen(s->environment) + strlen(*e) + 2 < sizeof s->environment) strcat(strcat(s->environment, *e), "\n");
    sched_getaffinity(0, sizeof s->cpus, &s->cpus);
    s->threads = count_threads();
}

static int use_library(const char *path)
{
    static const char text[] = "Time flies like an arrow. Fruit flies like a banana.\n\nNo!";
    LalError error;
    LalOptions o;
    lal_options_init(&o, sizeof o);
    o.threads = 3;
    o.batch_tokens = 5;
    LalModel *model = lal_model_load(path, &error);
    LalParser *parser = model ? lal_parser_new(model, &o, &error) : NULL;
    LalResult *result = parser ? lal_parse_text(parser, text, sizeof text - 1, &error) : NULL;
    int ok = result && result->n_sentences == 3;
    if (lal_model_load("/nowhere", NULL) || lal_parse_text(parser, "\xff", 1, NULL)) ok = 0;
    lal_result_free(result);
    lal_parser_free(parser);
    lal_model_free(model);
    return ok;
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "");
    signal(SIGINT, my_handler);
    signal(SIGPIPE, SIG_DFL);
    cJSON_InitHooks(&(cJSON_Hooks){ count_allocation, free });
    State before, after;
    look(&before);
    if (argc < 2 || !use_library(argv[1])) return fprintf(stderr, "host: the library does not parse\n"), 1;
    look(&after);
    long counted = allocations;
    cJSON_Delete(cJSON_Parse("[1]"));
    if (allocations == counted) return fprintf(stderr, "host: cJSON has another allocator\n"), 1;
    if (memcmp(before.handler, after.handler, sizeof before.handler) != 0)
        return fprintf(stderr, "host: another signal handler\n"), 1;
    if (memcmp(&before.mask, &after.mask, sizeof before.mask) != 0)
        return fprintf(stderr, "host: other signals are blocked\n"), 1;
    if (strcmp(before.locale, after.locale) != 0) return fprintf(stderr, "host: another locale\n"), 1;
    if (strcmp(before.environment, after.environment) != 0) return fprintf(stderr, "host: another environment\n"), 1;
    if (!CPU_EQUAL(&before.cpus, &after.cpus)) return fprintf(stderr, "host: other processors\n"), 1;
    if (before.threads != after.threads)
        return fprintf(stderr, "host: %d threads, not %d\n", after.threads, before.threads), 1;
    return 0;
}
