"""The collection of imported foods, and the catalog that is compiled from it."""
