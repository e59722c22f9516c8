"""Splits the links of wrapped cells into words: the office never breaks a link, and cuts it off at the end of a page."""

from itertools import islice

# Value of com.sun.star.sheet.CellFlags for cells with text fields or formatted words: FORMATTED.
FORMATTED = 512
# Limits, because each cell and word takes time.
MAX_CELLS, MAX_WORDS = 1000, 2000


def split_links(document, sheet, rows):
    """Splits the links of formatted cells in the given rows. Each word links to the same URL."""
    words_left = MAX_WORDS
    for cell in islice(_cells(sheet, rows), MAX_CELLS):
        for link in _links(cell):
            words = link.Representation.split(' ')
            words_left -= len(words)
            if words_left < 0:
                return
            _split(document, link, words)


def _cells(sheet, rows):
    for area in sheet.queryContentCells(FORMATTED).RangeAddresses:
        for row in rows.intersection(range(area.StartRow, area.EndRow + 1)):
            for column in range(area.StartColumn, area.EndColumn + 1):
                yield sheet.getCellByPosition(column, row)


def _links(cell):
    """Returns the links from the last to the first: an object for a link is valid while no other is inserted before."""
    fields = cell.TextFields
    # Other fields, such as the name of the sheet, have no URL.
    return [field for field in map(fields.getByIndex, reversed(range(fields.Count))) if hasattr(field, 'URL')]


def _split(document, link, words):
    if len(words) == 1:
        return
    link.Representation = words[0]
    text = link.Anchor.Text
    cursor = text.createTextCursorByRange(link.Anchor.End)
    for word in words[1:]:
        text.insertString(cursor, ' ', False)
        cursor.collapseToEnd()
        field = document.createInstance('com.sun.star.text.TextField.URL')
        field.Representation, field.URL = word, link.URL
        text.insertTextContent(cursor, field, False)
        cursor.collapseToEnd()
