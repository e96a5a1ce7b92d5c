"""Tokens and phrases of lal as tables of pandas: prints the tags by frequency and the longest phrases.

    lal parse --format json news.txt | python3 pandas_tokens.py
"""

import json
import sys

import pandas


def tables(lines):
    """A row for each token, and one for each phrase, with the id of its sentence."""
    sentences = [json.loads(line) for line in lines]
    tokens = pandas.json_normalize(sentences, "tokens", ["id"])
    phrases = pandas.json_normalize([s for s in sentences if "constituents" in s], "constituents", ["id"])
    return tokens, phrases


if __name__ == "__main__":
    tokens, phrases = tables(sys.stdin)
    print(tokens.groupby("tag").size().sort_values(ascending=False).head(5).to_string())
    phrases["words"] = phrases["end"] - phrases["begin"]
    print(phrases.sort_values("words", ascending=False, kind="stable").head(3)[["id", "label", "words"]].to_string())
