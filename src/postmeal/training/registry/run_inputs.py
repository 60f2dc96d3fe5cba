"""Describe the data sets that MLflow runs read: name, source, columns and digest, but no rows."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

_DIGEST_LENGTH = 32  # MLflow accepts up to 36 characters.


@dataclass(frozen=True)
class RunInput:
    """A data set that a run read."""

    name: str
    table: pd.DataFrame
    source: str  # public address, never a local path
    context: str

    @property
    def digest(self) -> str:
        """First 32 hexadecimal digits of the SHA-256 hash of the table's columns and values."""
        rows = pd.util.hash_pandas_object(self.table, index=False).to_numpy()
        columns = "\n".join(map(str, self.table.columns)).encode()
        return hashlib.sha256(columns + b"\n" + rows.tobytes()).hexdigest()[:_DIGEST_LENGTH]


def dataset_inputs(inputs: Iterable[RunInput]) -> list[Any]:
    """Convert data sets to ``DatasetInput`` objects of MLflow."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MLflow warns about integer columns.
        from mlflow.data import from_pandas
        from mlflow.data.http_dataset_source import HTTPDatasetSource
        from mlflow.entities import Dataset, DatasetInput, InputTag
        from mlflow.utils.mlflow_tags import MLFLOW_DATASET_CONTEXT

        converted = []
        for one in inputs:
            source = HTTPDatasetSource(one.source)
            dataset = from_pandas(one.table, source, name=one.name, digest=one.digest)
            tags = [InputTag(MLFLOW_DATASET_CONTEXT, one.context)]
            converted.append(DatasetInput(Dataset(**dataset.to_dict()), tags))
        return converted
