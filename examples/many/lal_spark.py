"""Parses the texts of a folder with Spark: tables in, tables out, with the Python package lalparser on all workers.

    PYSPARK_PYTHON=.../bin/python spark-submit --master 'local[3,4]' lal_spark.py parts parsed [--model base] [--pipe]

A row for each sentence, as Parquet: id (the file), sentence, text, tree, and lists of forms, tags, heads and relations
of Universal Dependencies (heads from 0; -1: the root). Spark repeats a lost task and writes what is complete.
PYSPARK_PYTHON names an interpreter that has lalparser, pyarrow and pandas. With --pipe each line is a paragraph, parsed
by `lal parse` as a filter ($LAL, or the lal of PATH), and the result is its JSON lines as text.
"""

import argparse
import os
import shlex

import pyarrow
from pyspark.sql import SparkSession
from pyspark.sql.functions import input_file_name

SCHEMA = ("id string, sentence int, text string, tree string, forms array<string>, tags array<string>, "
          "heads array<int>, relations array<string>")

STRINGS = pyarrow.list_(pyarrow.string())
FIELDS = [("id", pyarrow.string()), ("sentence", pyarrow.int32()), ("text", pyarrow.string()),
          ("tree", pyarrow.string()), ("forms", STRINGS), ("tags", STRINGS), ("heads", pyarrow.list_(pyarrow.int32())),
          ("relations", STRINGS)]


def parse_batches(model):
    """The function for mapInArrow: batches of the columns id and value to batches of SCHEMA."""
    def parse(batches):
        import lalparser
        parser = lalparser.load(model)  # once for each task
        for batch in batches:
            rows = [row_of(name, number, sentence)
                    for name, text in zip(batch["id"].to_pylist(), batch["value"].to_pylist())
                    for number, sentence in enumerate(parser.parse(text))]
            if rows:
                yield pyarrow.RecordBatch.from_pylist(rows, pyarrow.schema(FIELDS))
    return parse


def row_of(name, number, s):
    return {"id": name, "sentence": number, "text": s.text, "tree": s.tree, "forms": [t.form for t in s.tokens],
            "tags": [t.tag for t in s.tokens], "heads": [-1 if t.ud_head is None else t.ud_head for t in s.tokens],
            "relations": [t.ud_relation for t in s.tokens]}


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", metavar="IN")
    arguments.add_argument("out", metavar="OUT")
    arguments.add_argument("--model", default="small")
    arguments.add_argument("--pipe", action="store_true")
    given = arguments.parse_args()
    spark = SparkSession.builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", 200).getOrCreate()
    if given.pipe:
        lal = os.environ.get("LAL", "lal")
        command = shlex.join([lal, "parse", "--quiet", "--threads", "1", "--newline", "paragraph", "--format", "json",
                              "--model", given.model])
        lines = spark.sparkContext.textFile(given.folder).pipe(command, env=dict(os.environ), checkCode=True)
        lines.saveAsTextFile(given.out)
    else:
        texts = spark.read.text(given.folder, wholetext=True).withColumn("id", input_file_name())
        texts = texts.repartition(len(texts.inputFiles()))  # a task for each file
        texts.mapInArrow(parse_batches(given.model), SCHEMA).write.parquet(given.out)
