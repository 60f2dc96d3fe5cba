"""Import a FoodData Central download: a folder of CSV files with one or more data types.

``food.csv`` and ``food_nutrient.csv`` are required. Laboratory samples are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.collection import Collection, Imported, ImportState, Put
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.collection.resumable_import import (
    FileImport,
    Progress,
    fingerprint,
    import_name,
)
from postmeal.foods.sources.collection.text_lines import Mark, TextLines, csv_rows
from postmeal.foods.sources.fooddata_central.branded import BRANDED_COLUMNS, branded_food
from postmeal.foods.sources.fooddata_central.joined_rows import FdcStage, StagedFood, StagedPortion
from postmeal.foods.sources.fooddata_central.official import reference_food, survey_food_of
from postmeal.foods.sources.labels.numbers_in_text import amount, whole_number

FILES = ("food.csv", "food_nutrient.csv")
"""Files that a download must contain."""

_PORTIONS, _BRANDED = "food_portion.csv", "branded_food.csv"
_SMALL = {
    "measure_unit.csv": ("id", "name"),
    "food_category.csv": ("id", "description"),
    "wweia_food_category.csv": ("wweia_food_category", "wweia_food_category_description"),
    "sr_legacy_food.csv": ("fdc_id", "NDB_number"),
    "foundation_food.csv": ("fdc_id", "NDB_number"),
    "survey_fndds_food.csv": ("fdc_id", "wweia_category_number"),
}
"""Small files that are read into memory, each with its key column and its value column."""

_STAGED_BATCH = 50_000

T = TypeVar("T")


def import_fdc(
    folder: Path, collection: Collection, report: ImportReport, progress: Progress
) -> Put:
    """Import all foods of a FoodData Central download."""
    if missing := [name for name in FILES if not (folder / name).is_file()]:
        raise DataSetError(
            f"{folder} is not a download of FoodData Central; missing files: {', '.join(missing)}"
        )
    return _Download(folder, collection, report, progress).run()


class _Download:
    def __init__(
        self, folder: Path, collection: Collection, report: ImportReport, progress: Progress
    ) -> None:
        self.folder = folder
        self.collection = collection
        self.report = report
        self.progress = progress
        self.name = import_name(folder)
        names = (*FILES, _PORTIONS, _BRANDED, *_SMALL)
        self.files = {name: folder / name for name in names if (folder / name).is_file()}
        self.fingerprint = fingerprint(*self.files.values())
        self.small = {name: self._pairs(name) for name in _SMALL}
        self.done = Put()

    def run(self) -> Put:
        state = self.collection.resume(self.name, self.fingerprint)
        if state.complete:
            return self.done
        self.stage = FdcStage(self.collection, self.fingerprint)
        with self.collection.writing():
            self.collection.save(state)  # mark the import as incomplete before storing foods
        try:
            self._read()
        except DataSetError:
            if not self.report.taken and not state.mark.line:
                self.collection.discard(self.name)
            raise
        return self.done

    def _read(self) -> None:
        self._stage("food.csv", self._foods, self.stage.add_foods)
        self._stage("food_nutrient.csv", self._amounts, self.stage.add_amounts)
        if _PORTIONS in self.files:
            self._stage(_PORTIONS, self._portions, self.stage.add_portions)
        if _BRANDED in self.files:
            self._import_branded()
        self._import_unlabeled()
        if not self.report.taken and not self.collection.state(self.name).mark.line:
            raise DataSetError(f"{self.folder} contains no usable foods\n{self.report}")
        with self.collection.writing():
            self.stage.raise_if_superseded()
            self.stage.clear()
            self.collection.save(ImportState(self.name, self.fingerprint, complete=True))

    def _stage(
        self,
        name: str,
        read: Callable[[TextLines, ImportReport], Iterable[T]],
        store: Callable[[list[T]], None],
    ) -> None:
        rows = ImportReport(f"{self.folder.name}/{name}", self.report.notes)
        file = FileImport(
            self.files[name], self.collection, rows, self.progress,
            name=f"{self.stage.prefix}{name}", identity=f"{self.fingerprint} {name}",
        )  # fmt: skip
        if file.state.complete:
            return
        try:
            file.run(
                lambda lines: read(lines, rows),
                store,
                batch_size=_STAGED_BATCH,
                may_be_empty=name not in FILES,
            )
        finally:
            self.report.add(rows)

    def _import_branded(self) -> None:
        labels = FileImport(
            self.files[_BRANDED], self.collection, self.report, self.progress,
            name=self.name, identity=self.fingerprint,
        )  # fmt: skip

        def store(batch: list[Imported]) -> None:
            self.stage.raise_if_superseded()
            self.done += self.collection.put(batch)
            self.stage.remove(revision for _, revision in batch)

        labels.run(self._labels, store, completes=False)

    def _import_unlabeled(self) -> None:
        """Import the foods of ``food.csv`` that do not have a label."""
        while batch := self.stage.remaining():
            foods = [food for row in batch if (food := self._official(row))]
            with self.collection.writing():
                self.stage.raise_if_superseded()
                self.done += self.collection.put(foods)
                self.stage.remove(row.fdc_id for row in batch)
                offset, line = self.collection.state(self.name).mark
                read = Mark(offset, line + len(foods))
                self.collection.save(ImportState(self.name, self.fingerprint, read))
            self.report.taken += len(foods)

    def _labels(self, lines: TextLines) -> Iterator[Imported]:
        required, optional = BRANDED_COLUMNS[:2], BRANDED_COLUMNS[2:]
        for row in csv_rows(lines, self.report, required, optional):
            label = dict(zip(BRANDED_COLUMNS, row, strict=True))
            if not (fdc_id := whole_number(label["fdc_id"])):
                self.report.skip(lines.mark.line, "fdc_id is not a number", label["fdc_id"])
                continue
            staged = self.stage.food(fdc_id)
            description = staged.description if staged else ""
            amounts = self.stage.amounts(fdc_id)
            label["fdc_id"] = str(fdc_id)
            yield branded_food(label, description, amounts, self.report, lines.mark.line)

    def _official(self, food: StagedFood) -> Imported | None:
        fdc_id, data_type = food.fdc_id, food.data_type
        amounts, portions = self.stage.amounts(fdc_id), self.stage.portions(fdc_id)
        if data_type == "branded_food":
            return branded_food({"fdc_id": str(fdc_id)}, food.description, amounts, self.report)
        if data_type == "survey_fndds_food":
            number = self.small["survey_fndds_food.csv"].get(str(fdc_id), food.category)
            group = self.small["wweia_food_category.csv"].get(number, "")
            return survey_food_of(food._replace(category=group), amounts, portions)
        group = self.small["food_category.csv"].get(food.category, "")
        food = food._replace(category=group)
        if data_type == "foundation_food":
            number = self.small["foundation_food.csv"].get(str(fdc_id)) or f"fdc_id {fdc_id}"
            return reference_food("foundation", number, food, amounts, portions)
        if data_type == "sr_legacy_food":
            if key := self.small["sr_legacy_food.csv"].get(str(fdc_id)):
                return reference_food("sr28", key.zfill(5), food, amounts, portions)
            self.report.skip(0, "no NDB number in sr_legacy_food.csv", fdc_id)
            return None
        self.report.skip(0, f"data type {data_type} is not a food", fdc_id)
        return None

    def _foods(self, lines: TextLines, report: ImportReport) -> Iterator[StagedFood]:
        required = ("fdc_id", "data_type", "description")
        for fdc_id, data_type, text, category in csv_rows(
            lines, report, required, ("food_category_id",)
        ):
            if (number := whole_number(fdc_id)) and text.strip():
                yield StagedFood(number, data_type, text, category)
            else:
                report.skip(lines.mark.line, "fdc_id or description is missing", fdc_id)

    def _amounts(self, lines: TextLines, report: ImportReport) -> Iterator[tuple[int, int, float]]:
        for row in csv_rows(lines, report, ("fdc_id", "nutrient_id", "amount")):
            fdc_id, nutrient, known = whole_number(row[0]), whole_number(row[1]), amount(row[2])
            if fdc_id and nutrient and known is not None:
                yield fdc_id, nutrient, known
            elif row[2]:
                report.skip(lines.mark.line, "not a number", ",".join(row))

    def _portions(
        self, lines: TextLines, report: ImportReport
    ) -> Iterator[tuple[int, StagedPortion]]:
        required = ("fdc_id", "seq_num", "gram_weight")
        optional = ("amount", "measure_unit_id", "portion_description", "modifier")
        units = self.small["measure_unit.csv"]
        for fdc_id, number, weight_g, quantity, unit, text, modifier in csv_rows(
            lines, report, required, optional
        ):
            food, place = whole_number(fdc_id), whole_number(number or "1")
            grams, counted = amount(weight_g), amount(quantity or "1")
            if food and place and grams is not None and counted is not None and counted > 0:
                measure = units.get(unit, unit)
                yield food, StagedPortion(place, quantity, measure, text, modifier, grams)
            else:
                values = f"{fdc_id},{number},{weight_g},{quantity}"
                report.skip(lines.mark.line, "not a number above zero", values)

    def _pairs(self, name: str) -> dict[str, str]:
        if name not in self.files:
            return {}
        report = ImportReport(f"{self.folder.name}/{name}", self.report.notes)
        with TextLines(self.files[name], report) as lines:
            rows: Iterable[tuple[str, ...]] = csv_rows(lines, report, _SMALL[name])
            found = {row[0]: row[1] for row in rows if row[1]}
        self.report.add(report)
        return found
