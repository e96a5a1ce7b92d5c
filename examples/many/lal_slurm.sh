#!/bin/sh
#SBATCH --job-name=lal --requeue --open-mode=append
#SBATCH --cpus-per-task=4 --mem=2G --time=12:00:00
# lal_slurm.sh IN OUT [OPTIONS]: parses the texts of a folder in a Slurm array; OPTIONS are those of lal parse.
#
#     sbatch --array=1-100 lal_slurm.sh parts parsed --format json --model base
#
# Task k of n takes parts k, k + n, k + 2n, ..., so n need not be the number of parts; it has a model in memory once,
# and as many threads as processors. A task that ran on a lost or preempted machine is queued again (--requeue) and
# leaves out what exists; so does the same command after an array with failed tasks. Parts that are no text do not stop
# the others of their task. $LAL is the program, without it the lal of PATH.
set -eu
[ $# -ge 2 ] && [ -d "$1" ] && [ "${SLURM_ARRAY_TASK_ID-}" ] ||
    { echo 'usage: sbatch --array=1-N lal_slurm.sh IN OUT [OPTIONS OF lal parse]' >&2; exit 2; }
in=$1 out=$2
shift 2
find "$in" -type f | LC_ALL=C sort |
    awk -v k="$SLURM_ARRAY_TASK_ID" -v n="$SLURM_ARRAY_TASK_COUNT" 'NR % n == k % n' | tr '\n' '\0' |
    xargs -0 -r "${LAL:-lal}" parse --quiet --threads "${SLURM_CPUS_PER_TASK:-1}" "$@" \
        --skip-existing --out-dir "$out" --
