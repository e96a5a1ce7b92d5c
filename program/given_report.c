/* One line for each arc or phrase that is left free, with the reason, and totals at the end. */
#include "program/given_report.h"

#include <stdio.h>
#include <string.h>

#include "program/program.h"

/* Word w (1-based) for a message. */
static void put_word(const ParseInput *in, int w)
{
    if (w == 0) program_say("the root");
    else program_say("word %d '%s'", w, in->words[w - 1]);
}

static void put_arc(const ParseInput *in, int w)
{
    int head = in->given->heads[w - 1];
    program_say("the arc of ");
    put_word(in, w);
    program_say(head ? " to " : " as ");
    put_word(in, head);
}

static void put_fault(const ParseInput *in, const Freed *f)
{
    switch (f->cut ? ARC_OTHER : f->fault) {
    case ARC_SELF: program_say("a word cannot be its own head"); break;
    case ARC_CYCLE: program_say("it is part of a cycle"); break;
    case ARC_ROOT:
        program_say("a tree has one root, and ");
        put_word(in, f->other);
        program_say(" is given as the root");
        break;
    case ARC_CROSSES:
        program_say("it crosses ");
        put_arc(in, f->other);
        break;
    default: program_say(f->cut ? "the sentence was parsed in pieces" : "no projective tree has it and the other arcs");
    }
}

static void put_phrase(const Given *g, int p)
{
    const Phrase *x = &g->phrases[p];
    if (x->end - x->begin == 1) program_say("%s over word %d", x->label, x->end);
    else program_say("%s over words %d to %d", x->label, x->begin + 1, x->end);
}

static void put_ban(const ParseInput *in, const Ban *b)
{
    program_say("what must not be is allowed, as no tree is left without it: ");
    if (b->arc) {
        program_say("the arc of ");
        put_word(in, b->begin);
        program_say(" to ");
        put_word(in, b->end);
    } else program_say("the phrase %s over words %d to %d", b->label, b->begin + 1, b->end);
    program_say("\n");
}

static void put_freed(const ParseInput *in, const Freed *f)
{
    if (f->arc) put_arc(in, f->at);
    else {
        program_say("the phrase ");
        put_phrase(in->given, f->at);
    }
    program_say(" is left free: ");
    if (f->arc) put_fault(in, f);
    else if (f->cut) program_say("the sentence was parsed in pieces");
    else if (f->other < 0) program_say("no tree with the given arcs has it");
    else {
        program_say("it crosses ");
        put_phrase(in->given, f->other);
    }
    program_say("\n");
}

/* Types that are not the model's. */
static void count_types(GivenReport *r, const Source *s, int k)
{
    const Given *g = s->in[k].given;
    for (int w = 0; w < s->in[k].n_words && g->types; w++) {
        if (strcmp(g->types[w], GIVEN_ANY) == 0 || vocab_find(&r->m->types, g->types[w]) >= 0) continue;
        if (r->types++ > 0) continue;
        snprintf(r->first_type, sizeof r->first_type, "%s", g->types[w]);
        utf8_trim(r->first_type);
        snprintf(r->first_place, sizeof r->first_place, "%s:%ld", s->path, source_word_line(s, k, w));
    }
}

void given_report(GivenReport *report, const Source *source, int k, const Parsed *parsed)
{
    const ParseInput *in = &source->in[k];
    const Given *g = in->given;
    if (!g) return;
    for (int w = 0; w < in->n_words && g->heads; w++) report->arcs += g->heads[w] != HEAD_FREE;
    if (g->has_phrases) report->phrases += g->n_phrases;
    count_types(report, source, k);
    if (parsed->n_freed) progress_clear(report->progress);
    for (int x = 0; x < parsed->n_freed; x++) {
        const Freed *f = &parsed->freed[x];
        program_say("%s:%ld: ", source->path, f->arc ? source_word_line(source, k, f->at - 1) : source->gold[k].line);
        if (f->ban) {
            put_ban(in, &g->bans[f->at]);
            continue;
        }
        *(f->arc ? &report->freed_arcs : &report->freed_phrases) += 1;
        put_freed(in, f);
    }
}

static void put_total(long freed, long given, const char *what)
{
    if (freed) program_say("%ld of %ld given %s left free\n", freed, given, what);
}

void given_report_end(const GivenReport *report)
{
    put_total(report->freed_arcs, report->arcs, "arcs were");
    put_total(report->freed_phrases, report->phrases, "phrases were");
    if (report->types)
        program_say("%s: the model has no type '%s'; %ld given type%s predicted for this reason\n", report->first_place,
                    report->first_type, report->types, report->types == 1 ? " was" : "s were");
}
