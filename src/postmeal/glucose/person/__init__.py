"""What is known about a person before a meal: level and gain from laboratory values and readings.

`trace` and `reading` describe CGM readings, `level` and `prior` turn them into a level and a gain,
and `inputs` says what was used. Effects of logged meals, the last step, are learned on this prior
by `postmeal.glucose.personal_fit`.
"""
