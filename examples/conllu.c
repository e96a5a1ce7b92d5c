/* conllu.c: prints the sentences of a text file as CoNLL-U, as lal parse --format conllu does.
 *     cc conllu.c $(pkg-config --cflags --libs lalparser) -o conllu && ./conllu en-small.lal news.txt */
#include <lalparser.h>
#include <stdio.h>

static const char *or_none(const char *s) { return s && *s ? s : "_"; }

/* Is no white space between token t and the next one, which may be that of the next sentence? */
static int is_glued(const LalSentence *s, int t)
{
    return t + 1 < s->n_tokens ? s->tokens[t].end == s->tokens[t + 1].begin : s->touches_next;
}

static const char *space_after(const LalSentence *s, int t) { return is_glued(s, t) ? "SpaceAfter=No" : "_"; }

/* The heads of token t in the enhanced graph, whose first arc of it is *arc, which is moved past them. */
static void print_enhanced(const LalSentence *s, int t, int *arc)
{
    int first = *arc;
    for (; *arc < s->n_enhanced && s->enhanced[*arc].token == t; ++*arc)
        printf("%s%d:%s", *arc > first ? "|" : "", s->enhanced[*arc].head + 1, s->enhanced[*arc].relation);
    if (*arc == first) putchar('_');
}

static void print_token(const LalSentence *s, int t, int *arc)
{
    const LalToken *x = &s->tokens[t];
    const LalMultiword *m = x->multiword == LAL_NONE ? NULL : &s->multiwords[x->multiword];
    if (m && m->begin == t)
        printf("%d-%d\t%s\t_\t_\t_\t_\t_\t_\t_\t%s\n", m->begin + 1, m->end, m->form, space_after(s, m->end - 1));
    printf("%d\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t", t + 1, x->form, or_none(x->lemma), or_none(x->upos), or_none(x->tag),
           or_none(x->feats), x->ud_head + 1, or_none(x->ud_relation));
    print_enhanced(s, t, arc);
    printf("\t%s\n", m ? "_" : space_after(s, t));
}

static int print_sentence(void *context, const LalSentence *s)
{
    long *number = context;
    int arc = 0;
    if (s->new_paragraph) puts("# newpar");
    printf("# sent_id = %ld\n# text = ", ++*number);
    for (int t = 0; t < s->n_tokens; t++)
        printf("%s%s", s->tokens[t].form, t + 1 == s->n_tokens || is_glued(s, t) ? "" : " ");
    putchar('\n');
    for (int t = 0; t < s->n_tokens; t++) print_token(s, t, &arc);
    putchar('\n');
    return ferror(stdout); /* not 0: stop */
}

int main(int argc, char **argv)
{
    LalError error = { .code = LAL_ERROR_ARGUMENT, .message = "usage: conllu MODEL FILE" };
    LalModel *model = argc == 3 ? lal_model_load(argv[1], &error) : NULL;
    LalParser *parser = model ? lal_parser_new(model, NULL, &error) : NULL;
    long number = 0;
    if (parser) {
        printf("# deps = UD v2\n# newdoc id = %s\n", argv[2]);
        lal_parse_file_each(parser, argv[2], print_sentence, &number, &error);
    }
    if (error.code != LAL_OK) fprintf(stderr, "conllu: %s\n", error.message);
    lal_parser_free(parser);
    lal_model_free(model);
    return error.code != LAL_OK;
}
