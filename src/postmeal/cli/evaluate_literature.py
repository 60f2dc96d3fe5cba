"""``postmeal evaluate literature``: compare search methods on questions with judged documents."""

from __future__ import annotations

import argparse

__all__ = ["evaluate_literature"]


def evaluate_literature(options: argparse.Namespace) -> None:
    """Print the nDCG@10 of each method and the 95% interval of its difference from the baseline."""
    from postmeal.literature.embedding.encoder import Encoder
    from postmeal.training.evaluation.literature_questions import (
        evaluate_methods,
        read_literature_questions,
        write_rankings,
    )

    data = read_literature_questions(options.folder)
    encoder = Encoder.find()
    if encoder is None:
        print("evaluating without vectors: postmeal[literature] or its model is not installed\n")
    findings = evaluate_methods(data, encoder)
    print(f"{len(data.questions):,} questions, {len(data.articles):,} documents\n")
    width = max(len(finding.method) for finding in findings)
    base = "plain fusion" if encoder else "words alone"
    print(" " * width, f"nDCG@10  95% interval of the difference from {base}")
    for finding in findings:
        interval = f"{finding.low:+.3f} … {finding.high:+.3f}"
        print(f"{finding.method:<{width}} {finding.ndcg:7.4f}  {interval}")
    if options.predictions is not None:
        rows = write_rankings(findings, options.predictions)
        print(f"wrote {options.predictions}: {rows} rows")
