"""Replaces the characters of symbol fonts by Unicode characters: readers of a web page do not have these fonts."""

from com.sun.star.uno import Exception as UnoException

from office import properties
from symbol_fonts import FONTS, to_unicode

# Each replacement takes several calls to the office.
MAX_RUNS = 5000


def write_symbols(document):
    """Tries to replace the characters, but ignores errors: unreadable symbols are better than no document."""
    for name, symbols in FONTS.items():
        try:
            _write_font(document, name, symbols)
        except UnoException:
            pass


def _write_font(document, name, symbols):
    search = document.createSearchDescriptor()
    search.setSearchAttributes(properties({'CharFontName': name}))
    found = document.findAll(search)
    for run in list(map(found.getByIndex, range(min(found.Count, MAX_RUNS)))):
        text = to_unicode(run.String, symbols)
        if text != run.String:
            run.setString(text)
            run.setPropertyToDefault('CharFontName')
