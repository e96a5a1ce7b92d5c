/* Steps bound the time of a sentence, and the request's time is asked for between sentences and matches. */
#include "serve/matches.h"

#include <string.h>

enum {
    STEPS_MOST = 20000000, /* in a sentence: a second or some */
    MATCHES_MOST = 20000,  /* of a sentence */
};

#define TIMEOUT "Timeout: " /* clients look for the word */

bool matches_init(Matches *matches, const Job *job, const char *pattern, LalPatternOptions options, Answer *answer)
{
    LalError error;
    *matches = (Matches){ .j = job, .a = answer, .held = ANSWER_TIMES * (job->body.len + 1) };
    options.size = sizeof options;
    options.most_steps = STEPS_MOST;
    options.most_matches = MATCHES_MOST;
    matches->pattern = lal_pattern_compile(pattern, &options, &error);
    if (matches->pattern) return true;
    if (error.code == LAL_ERROR_MEMORY) return answer_error(answer, &error);
    static const char before[] = "LalPatternOptions."; /* clients know them by other names */
    const char *at = error.message + (strncmp(error.message, before, strlen(before)) == 0 ? strlen(before) : 0);
    return answer_refuse(answer, 400, "%s", at);
}

void matches_fini(Matches *matches) { lal_pattern_free(matches->pattern); }

bool matches_error(Matches *matches, const LalError *error)
{
    if (error->code == LAL_ERROR_LIMIT) return answer_refuse(matches->a, 408, TIMEOUT "%s", error->message);
    return answer_error(matches->a, error);
}

static bool has_time(const Matches *m)
{
    if (!m->j->stop || !m->j->stop(m->j->stop_context)) return true;
    return answer_refuse(m->a, 408, TIMEOUT "the search took too long");
}

const LalFound *matches_next(Matches *matches)
{
    LalError error;
    if (!has_time(matches)) return NULL;
    const LalFound *found = lal_search_next(matches->pattern, &error);
    if (!found && error.code != LAL_OK) matches_error(matches, &error);
    if (!found || found->n_matches < MATCHES_MOST) return found;
    answer_refuse(matches->a, 413, "found more than %d matches in sentence %zu", MATCHES_MOST - 1, found->sentence + 1);
    return NULL;
}

/* The request counts for twice the memory where its answer becomes longer than that. */
bool matches_go_on(Matches *matches, size_t bytes)
{
    while (bytes > matches->held) {
        if (!has_time(matches) || !matches->j->hold(matches->j->stop_context, 2, matches->a)) return false;
        matches->held *= 2;
    }
    return true;
}
