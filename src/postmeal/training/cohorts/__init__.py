"""Train personal models for all users of a company, in chunks that many workers process."""

from postmeal.training import check_extra

check_extra()
