/* Options_parity [--all] DIR: options and measures of heads against the recorded numbers of the files of FILES that
 * are in DIR, each compared by one of the parts of tests/golden/options.h. Recorded values that no check has read,
 * and files that are not in FILES, are listed; with --all they are failures, except the files of LEFT_OUT. Last line
 * "N passed, N failed". */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "tests/golden/options.h"

enum {
    RELEVANCE,
    TOY,
    TAYLOR,
    SENTENCES,
    PATTERNS,
    GLOBAL_RELEVANCE,
    FUNCTIONS,
    GATES,
    GUIDANCE,
    SUBWORDS,
    ATTENTION,
    LABEL_ATTENTION,
    PAL,
    PRUNE,
    N_FILES
};
static const char *const FILES[N_FILES] = { "relevance.json",
                                            "toy.json",
                                            "taylor.json",
                                            "sentences.json",
                                            "patterns.json",
                                            "global_relevance.json",
                                            "head_functions.json",
                                            "hard_concrete.json",
                                            "guidance.json",
                                            "subwords.json",
                                            "attention.json",
                                            "label_attention.json",
                                            "pal.json",
                                            "prune.json" };

/* The description of the folder. */
static const char *const LEFT_OUT[] = { "README.md" };

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
    MADE(Sentences, options_sentences, options_sentences_fini, all, file[SENTENCES]);
    if (file[PATTERNS]) options_patterns(file[PATTERNS], &all);
    options_label_spans(file[SENTENCES], &all);
    if (file[GUIDANCE]) options_guidance(file[GUIDANCE], &all);
    if (file[GLOBAL_RELEVANCE]) options_functions(file[GLOBAL_RELEVANCE], file[FUNCTIONS], &all);
}

int main(int argc, char **argv)
{
    cJSON *file[N_FILES];
    char path[600];
    bool all = argc == 3 && strcmp(argv[1], "--all") == 0;
    const char *dir = argv[argc - 1];
    if (argc != 2 && !all) {
        fputs("usage: options_parity [--all] DIR\n", stderr);
        return 2;
    }
    for (int k = 0; k < N_FILES; k++) file[k] = recorded_open(dir, FILES[k]);
    if (file[RELEVANCE]) options_relevance(file[RELEVANCE]);
    if (file[TOY]) options_example(file[TOY]);
    if (file[SENTENCES]) check_sentences(file);
    if (file[GATES]) options_gates(file[GATES]);
    if (file[SUBWORDS]) options_subwords(file[SUBWORDS]);
    if (file[ATTENTION]) options_attention(file[ATTENTION]);
    if (file[LABEL_ATTENTION]) options_label_attention(file[LABEL_ATTENTION]);
    if (file[PAL]) options_projected(file[PAL]);
    if (file[PRUNE]) options_prune(file[PRUNE]);
    if (file[TAYLOR]) options_importance(file[TAYLOR]);
    for (int k = 0; k < N_FILES; k++)
        if (file[k] && recorded_unread(file[k], path, sizeof path)) {
            if (all) recorded_verdict(false, "%s: %s was not compared", FILES[k], path);
            else printf("       %s: %s was not compared\n", FILES[k], path);
        }
    check_names(dir, all);
    for (int k = 0; k < N_FILES; k++) cJSON_Delete(file[k]);
    return recorded_summary();
}
