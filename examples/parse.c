/* parse.c: prints the tree and the dependencies of each sentence of a text file.
 *     cc parse.c $(pkg-config --cflags --libs lalparser) -o parse && ./parse en-small.lal news.txt */
#include <lalparser.h>
#include <stdio.h>

/* (S (NP (DT The) (NN dog)) (VP (VBZ sleeps))) */
static void print_tree(const LalSentence *s)
{
    for (int t = 0, p = 0; t < s->n_tokens; t++) {
        for (; p < s->n_phrases && s->phrases[p].begin == t; p++) printf("(%s ", s->phrases[p].label);
        printf("(%s %s)", s->tokens[t].tag, s->tokens[t].form);
        for (int q = s->tokens[t].phrase; q != LAL_NONE && s->phrases[q].end == t + 1; q = s->phrases[q].parent)
            putchar(')');
        putchar(t + 1 < s->n_tokens ? ' ' : '\n');
    }
}

static int print_sentence(void *context, const LalSentence *s)
{
    print_tree(s);
    for (int t = 0; t < s->n_tokens; t++) {
        const LalToken *x = &s->tokens[t];
        const char *head = x->head == LAL_NONE ? "ROOT" : s->tokens[x->head].form;
        printf("%zu-%zu\t%s\t%s\t%s\t%.2f\n", x->begin, x->end, x->form, x->type, head, x->probability);
    }
    return ferror((FILE *)context); /* not 0: stop */
}

int main(int argc, char **argv)
{
    LalError error = { .code = LAL_ERROR_ARGUMENT, .message = "usage: parse MODEL FILE" };
    LalModel *model = argc == 3 ? lal_model_load(argv[1], &error) : NULL;
    LalParser *parser = model ? lal_parser_new(model, NULL, &error) : NULL;
    if (parser) lal_parse_file_each(parser, argv[2], print_sentence, stdout, &error);
    if (error.code != LAL_OK) fprintf(stderr, "parse: %s\n", error.message);
    lal_parser_free(parser);
    lal_model_free(model);
    return error.code != LAL_OK;
}
