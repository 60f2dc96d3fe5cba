"""What the model card says about people at whom the developers have often looked."""

from __future__ import annotations

N_LOOKS = 32
"""Number of looks at the results of the 22 people, as listed on the page of model choices."""

WORN_TEST = f"""**A worn test.** The developers looked at the results of the 22 people of CGMacros
{N_LOOKS} times ([list](../population/choices.md#looks-at-the-test-results)), so these results are
too favorable. For new people, expect an absolute RMSE that is about 4 mg/dL larger, and an iAUC r
that is .06 to .10 smaller. For the other 23 people of CGMacros, at whom they did not look,
population-3 had an iAUC r of .50 (Libre) and .46 (Dexcom) instead of .56 and .55, and its personal
models had an absolute RMSE of 26.4 and 30.0 mg/dL instead of 22.2 and 26.8."""
"""Finding about the figures for CGMacros; those of the other people were measured separately."""
