"""Tools that compute or find the contents of an answer, one file per tool."""
