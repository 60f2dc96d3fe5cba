"""Search clinical literature in a local index, and return passages with citations.

>>> from postmeal.literature import Literature
>>> literature = Literature.open()
>>> result = literature.search("glucose after eating vegetables first", limit=1)
>>> result.summary_status
'completed'
"""

from postmeal.literature.article import Article, Citation, Passage
from postmeal.literature.search import Literature, SearchResult

__all__ = ["Article", "Citation", "Literature", "Passage", "SearchResult"]
