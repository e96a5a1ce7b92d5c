#!/bin/sh
# lal_hadoop.sh IN OUT [OPTIONS]: parses text of HDFS with Hadoop streaming; OPTIONS are those of lal parse.
#
#     HADOOP_STREAMING=hadoop-streaming.jar MODEL=en-small.lal sh lal_hadoop.sh /corpus /parsed
#
# Each line of IN is a paragraph; the result are JSON lines, a sentence each, in the order of each split of the input.
# lal is the filter of the mappers, there are no reducers. Hadoop repeats a task that fails, four times by default, and
# renames what is complete. $LAL is the program, without it the lal of PATH, and $MODEL a model file: both are sent to
# the machines, which need libutf8proc, libcjson, libpcre2-8 and libz.
set -eu
[ $# -ge 2 ] && [ "${HADOOP_STREAMING-}" ] && [ "${MODEL-}" ] ||
    { echo 'usage: HADOOP_STREAMING=JAR MODEL=FILE sh lal_hadoop.sh IN OUT [OPTIONS OF lal parse]' >&2; exit 2; }
in=$1 out=$2
shift 2
exec hadoop jar "$HADOOP_STREAMING" \
    -D mapreduce.job.name=lal -D mapreduce.job.reduces=0 -D mapreduce.task.timeout=3600000 \
    -files "$(command -v "${LAL:-lal}")#lal,$MODEL#model.lal" \
    -mapper "./lal parse --quiet --threads 1 --model model.lal --newline paragraph --format json $* -" \
    -input "$in" -output "$out"
