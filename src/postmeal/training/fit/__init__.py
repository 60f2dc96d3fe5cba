"""Fit the population model and the prior of personal models."""

from postmeal.training import check_extra

check_extra()
