"""Reference pages for the Python API, rendered from docstrings by mkdocstrings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import postmeal
from reference_pages.markdown import code, table

__all__ = ["PAGES", "PythonPage", "names_of", "python_pages"]

_SOURCES = Path(postmeal.__file__).parent


@dataclass(frozen=True)
class PythonPage:
    """A page in the Python reference.

    Attributes
    ----------
    file : str
        File name, without folder and suffix.
    title : str
        Heading of the page.
    about : str
        Purpose of the names on the page.
    modules : tuple of str
        Modules whose public names the page documents, in this order.
    """

    file: str
    title: str
    about: str
    modules: tuple[str, ...]


PAGES = (
    PythonPage(
        "people_and_meals",
        "People and meals",
        "The inputs of a prediction: a person and a meal.",
        ("postmeal.people", "postmeal.foods.food", "postmeal.foods.nutrients"),
    ),
    PythonPage(
        "foods",
        "Foods",
        "Search the food catalog by name, by the beginning of a name, or by barcode.",
        ("postmeal.foods.catalog", "postmeal.foods.barcodes", "postmeal.foods.glycemic"),
    ),
    PythonPage(
        "meal_text",
        "Meals in plain English",
        "Parse lists of foods with `parse_meal`, and free text with `read_meal`.",
        ("postmeal.foods.language",),
    ),
    PythonPage(
        "alternatives",
        "Alternatives",
        "Find healthier foods of the same kind that fit a diet.",
        ("postmeal.foods.alternatives",),
    ),
    PythonPage(
        "predictions",
        "Predictions",
        "Load the released model and predict glucose curves.",
        (
            "postmeal.glucose.predictor",
            "postmeal.glucose.prediction",
            "postmeal.glucose.person.inputs",
            "postmeal.glucose.released_model",
            "postmeal.glucose.batch",
            "postmeal.glucose.population.chances",
            "postmeal.glucose.population.peak_scale",
            "postmeal.glucose.population.impact",
            "postmeal.glucose.population.contributions",
            "postmeal.glucose.population.sensors",
            "postmeal.rounding",
        ),
    ),
    PythonPage(
        "tables",
        "Tables",
        "Predict many meals in a pandas DataFrame.",
        ("postmeal.frames",),
    ),
    PythonPage(
        "plots",
        "Plots",
        "Draw glucose curves with matplotlib, in mg/dL and mmol/L.",
        ("postmeal.plotting",),
    ),
    PythonPage(
        "history",
        "CGM history",
        "Read CGM exports and food logs, and find the days that a personal model can use.",
        (
            "postmeal.glucose.history.exports",
            "postmeal.glucose.history.meal_file",
            "postmeal.glucose.history.cgm_trace",
            "postmeal.glucose.history.meal_history",
            "postmeal.glucose.history.training_days",
        ),
    ),
    PythonPage(
        "personal_models",
        "Personal models",
        "Fit a model to one person's history.",
        ("postmeal.glucose.personal_fit", "postmeal.glucose.personal.model"),
    ),
    PythonPage(
        "model_store",
        "Model store",
        "Store models, and check whether a model may go into service.",
        ("postmeal.glucose.model_store", "postmeal.glucose.plausibility"),
    ),
    PythonPage(
        "food_imports",
        "Food imports",
        "Import foods from Open Food Facts, FoodData Central or a CSV file.",
        ("postmeal.foods.sources.import_file", "postmeal.foods.sources.own_csv"),
    ),
    PythonPage(
        "scans",
        "Meal scans",
        "Scan meal texts, and correct scans in plain English.",
        (
            "postmeal.scans.scan",
            "postmeal.scans.text_scan",
            "postmeal.scans.corrections.correction",
            "postmeal.scans.corrections.operations",
        ),
    ),
    PythonPage(
        "restaurants",
        "Restaurants",
        "Find restaurants near a point, their menus, and dishes.",
        (
            "postmeal.restaurants.places",
            "postmeal.restaurants.place",
        ),
    ),
    PythonPage(
        "photo_scans",
        "Photo scans",
        "Recognize the food in a photo. Requires `postmeal[photos]`.",
        (
            "postmeal.scans.photo",
            "postmeal.scans.picture",
            "postmeal.scans.recognizer",
            "postmeal.scans.dishes",
            "postmeal.scans.dish_model",
            "postmeal.scans.barcode",
            "postmeal.scans.labels",
        ),
    ),
    PythonPage(
        "place_imports",
        "Place imports",
        "Import places and menus. Importing OpenStreetMap extracts requires `postmeal[places]`.",
        ("postmeal.restaurants.sources.import_places",),
    ),
    PythonPage(
        "literature",
        "Literature",
        "Search clinical literature. Ranking by vectors requires `postmeal[literature]`.",
        (
            "postmeal.literature.search",
            "postmeal.literature.article",
            "postmeal.literature.build",
        ),
    ),
    PythonPage(
        "units",
        "Units",
        "Convert lengths, masses and glucose to other units.",
        ("postmeal.units",),
    ),
    PythonPage(
        "errors",
        "Errors",
        "Every error that the package raises deliberately is a `PostmealError`.",
        ("postmeal.errors",),
    ),
    PythonPage(
        "data_sets",
        "Data sets",
        "Load published data sets, or generate synthetic ones. Requires `postmeal[train]`.",
        (
            "postmeal.training.datasets",
            "postmeal.training.datasets.data_set",
            "postmeal.training.synthetic.data_sets",
        ),
    ),
    PythonPage(
        "training",
        "Training",
        "Fit a model on data sets, with the scikit-learn interface or as a release. Requires"
        " `postmeal[train]`.",
        (
            "postmeal.training.fit.estimator",
            "postmeal.training.fit.population",
            "postmeal.training.fit.release",
            "postmeal.training.fit.weights_version",
            "postmeal.training.fit.personal_release",
            "postmeal.training.fit.credible_ranges",
        ),
    ),
    PythonPage(
        "evaluation",
        "Evaluation",
        "Evaluate a released model and compare it with baselines. Requires `postmeal[train]`.",
        (
            "postmeal.training.evaluate",
            "postmeal.training.fit.metrics",
            "postmeal.training.evaluation.baselines",
            "postmeal.training.evaluation.lightgbm_challenger",
            "postmeal.training.evaluation.left_out_and_unseen",
            "postmeal.training.evaluation.held_out_people",
            "postmeal.training.evaluation.forward_in_time",
        ),
    ),
    PythonPage(
        "registry",
        "Registry",
        "Record runs in MLflow, and promote models to a store. Requires `postmeal[train]`.",
        (
            "postmeal.training.registry.promotion",
            "postmeal.training.registry.mlflow_registry",
            "postmeal.training.registry.mlflow_runs",
            "postmeal.training.registry.pyfunc",
            "postmeal.training.recorded_runs",
        ),
    ),
    PythonPage(
        "cohorts",
        "Cohorts",
        "Fit a model for each user of a cohort. Requires `postmeal[train]`, and `postmeal[cluster]`"
        " for Dask.",
        (
            "postmeal.training.cohorts.train",
            "postmeal.training.cohorts.store",
            "postmeal.training.synthetic.company",
            "postmeal.training.synthetic.cohort",
        ),
    ),
)
"""All pages, in the order in which the overview lists them."""

_OVERVIEW = """\
# Python API

You can import the names in the first table from `postmeal`. Import all other names from the module
that their page states.
"""


def python_pages() -> dict[str, str]:
    """Return the Markdown of each page, keyed by its path below ``docs``."""
    pages = {f"reference/python/{page.file}.md": _page(page) for page in PAGES}
    return {"reference/python/index.md": _overview(), **pages}


def names_of(module: str) -> list[str]:
    """Return the ``__all__`` of a module, without importing it."""
    return [
        element.value
        for statement in _tree(module).body
        if isinstance(statement, ast.Assign)
        and [ast.unparse(target) for target in statement.targets] == ["__all__"]
        and isinstance(statement.value, ast.List)
        for element in statement.value.elts
        if isinstance(element, ast.Constant) and isinstance(element.value, str)
    ]


def _tree(module: str) -> ast.Module:
    place = _SOURCES.parent.joinpath(*module.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


def _identifier(module: str, name: str) -> str:
    """Return the shortest path that a name can be imported from."""
    return f"postmeal.{name}" if name in postmeal.__all__ else f"{module}.{name}"


def _page(page: PythonPage) -> str:
    parts = [f"# {page.title}", page.about]
    seen: set[str] = set()
    for module in page.modules:
        names = [name for name in names_of(module) if name not in seen]
        seen |= {*names}
        elsewhere = [name for name in names if name not in postmeal.__all__]
        if elsewhere:
            listed = ", ".join(map(code, elsewhere))
            parts.append(f"From `{module}`: {listed}.")
    for module, name in _documented(page):
        parts.append(f"::: {_identifier(module, name)}")
    return "\n\n".join(parts) + "\n"


def _documented(page: PythonPage) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for module in page.modules:
        for name in names_of(module):
            if name not in seen:
                seen.add(name)
                yield module, name


def _overview() -> str:
    places = {name: page.file for page in PAGES for _, name in _documented(page)}
    public = [[f"[{code(name)}]({places[name]}.md#postmeal.{name})"] for name in postmeal.__all__]
    public = [[*row, _summary(name)] for row, name in zip(public, postmeal.__all__, strict=True)]
    pages = [[f"[{page.title}]({page.file}.md)", page.about] for page in PAGES]
    tables = [
        table(["Name", "Description"], public),
        "## Pages",
        table(["Page", "Contents"], pages),
    ]
    return "\n\n".join([_OVERVIEW.rstrip(), *tables]) + "\n"


def _summary(name: str) -> str:
    """Return the first sentence of a public name's docstring."""
    text = getattr(postmeal, name).__doc__ or ""
    return " ".join(text.partition("\n\n")[0].split()).replace("``", "`")
