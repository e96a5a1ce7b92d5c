/* tests/golden/analysis_parity.c
 * analysis_parity DIR: measures of heads against the recorded numbers of the files of FILES that are in DIR, each
 * compared by one of the parts of tests/golden/analysis.h. A recorded value that no check has read is a failure; a file
 * that neither FILES nor LEFT_OUT lists is one too. Last line "N passed, N failed". */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "tests/golden/analysis.h"

enum { RELEVANCE, TOY, TAYLOR, SENTENCES, PATTERNS, GLOBAL_RELEVANCE, FUNCTIONS, N_FILES };
static const char *const FILES[N_FILES] = { "relevance.json",     "toy.json",      "taylor.json",
                                            "sentences.json",     "patterns.json", "global_relevance.json",
                                            "head_functions.json" };

/* Numbers of encoder options, which are not checked here, and the description of the folder. */
static const char *const LEFT_OUT[] = { "attention.json", "guidance.json", "hard_concrete.json", "label_attention.json",
                                        "pal.json",       "prune.json",    "subwords.json",      "README.md" };

static bool listed(const char *name, const char *const *names, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (strcmp(names[k], name) == 0) return true;
    return false;
}

/* Fails for each file of the folder that is neither compared nor left out on purpose. */
static void check_names(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) recorded_stop("%s: cannot be opened", path);
    for (struct dirent *x; (x = readdir(dir));)
        if (x->d_name[0] != '.' && !listed(x->d_name, FILES, N_FILES)) {
            if (listed(x->d_name, LEFT_OUT, sizeof LEFT_OUT / sizeof *LEFT_OUT))
                printf("       %s is left out\n", x->d_name);
            else recorded_verdict(false, "%s was not compared: no check is known for it", x->d_name);
        }
    closedir(dir);
}

static void check_sentences(cJSON *const *file)
{
    Sentences all;
    analysis_sentences(&all, file[SENTENCES]);
    if (file[PATTERNS]) analysis_patterns(file[PATTERNS], &all);
    if (file[GLOBAL_RELEVANCE]) analysis_functions(file[GLOBAL_RELEVANCE], file[FUNCTIONS], &all);
    analysis_sentences_fini(&all);
}

int main(int argc, char **argv)
{
    cJSON *file[N_FILES];
    char path[600];
    if (argc != 2) {
        fputs("usage: analysis_parity DIR\n", stderr);
        return 2;
    }
    for (int k = 0; k < N_FILES; k++) file[k] = recorded_open(argv[1], FILES[k]);
    if (file[RELEVANCE]) analysis_relevance(file[RELEVANCE]);
    if (file[TOY]) analysis_example(file[TOY]);
    if (file[SENTENCES]) check_sentences(file);
    if (file[TAYLOR]) analysis_importance(file[TAYLOR]);
    for (int k = 0; k < N_FILES; k++)
        if (file[k] && recorded_unread(file[k], path, sizeof path))
            recorded_verdict(false, "%s: %s was not compared", FILES[k], path);
    check_names(argv[1]);
    for (int k = 0; k < N_FILES; k++) cJSON_Delete(file[k]);
    return recorded_summary();
}
