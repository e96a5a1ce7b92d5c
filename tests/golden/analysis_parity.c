/* tests/golden/analysis_parity.c
 * analysis_parity [--all] DIR: measures of heads against the recorded numbers of the files of FILES that are in DIR,
 * each compared by one of the parts of tests/golden/analysis.h. Recorded values that no check has read, and files that
 * are not in FILES, are listed; with --all they are failures, except the files of LEFT_OUT. Last line "N passed, N
 * failed". */
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

/* Lists the files of the folder that are not compared; with `all` those that LEFT_OUT does not have are failures. */
static void check_names(const char *path, bool all)
{
    DIR *dir = opendir(path);
    if (!dir) recorded_stop("%s: cannot be opened", path);
    for (struct dirent *x; (x = readdir(dir));)
        if (x->d_name[0] != '.' && !listed(x->d_name, FILES, N_FILES)) {
            if (!all || listed(x->d_name, LEFT_OUT, sizeof LEFT_OUT / sizeof *LEFT_OUT))
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
    bool all = argc == 3 && strcmp(argv[1], "--all") == 0;
    const char *dir = argv[argc - 1];
    if (argc != 2 && !all) {
        fputs("usage: analysis_parity [--all] DIR\n", stderr);
        return 2;
    }
    for (int k = 0; k < N_FILES; k++) file[k] = recorded_open(dir, FILES[k]);
    if (file[RELEVANCE]) analysis_relevance(file[RELEVANCE]);
    if (file[TOY]) analysis_example(file[TOY]);
    if (file[SENTENCES]) check_sentences(file);
    if (file[TAYLOR]) analysis_importance(file[TAYLOR]);
    for (int k = 0; k < N_FILES; k++)
        if (file[k] && recorded_unread(file[k], path, sizeof path)) {
            if (all) recorded_verdict(false, "%s: %s was not compared", FILES[k], path);
            else printf("       %s: %s was not compared\n", FILES[k], path);
        }
    check_names(dir, all);
    for (int k = 0; k < N_FILES; k++) cJSON_Delete(file[k]);
    return recorded_summary();
}
