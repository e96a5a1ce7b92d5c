/* The formats of parses: the one list of them, which lal parse, lal_formats, and through it Python, lal serve and its
 * page read. Not installed. */
#pragma once

/* NAME of parser/output, its name, and what help says of it. */
#define LAL_FORMATS(FORMAT)                                                                           \
    FORMAT(BRACKETS, "brackets", "a tree on each line")                                               \
    FORMAT(CONLLU, "conllu", "CoNLL-U")                                                               \
    FORMAT(CONLLX, "conllx", "CoNLL-X")                                                               \
    FORMAT(JSON, "json", "JSON lines with offsets and arc probabilities")                             \
    FORMAT(PRETTY, "pretty", "to be read by a person, trees over several lines, drawn on a terminal") \
    FORMAT(SVG, "svg", "a drawing of each sentence: its tree, and dependencies as arcs")

/* The names of the formats as choices of an option (base/options.h): "brackets|conllu|...". */
#define LAL_FORMAT_CHOICE(NAME, name, about) "|" name
#define LAL_FORMAT_CHOICES (&("" LAL_FORMATS(LAL_FORMAT_CHOICE))[1])
