"""Writes list labels such as 1.1 or Article 2 as text: lists of a web page number themselves, with 1 or a."""

import re
from itertools import islice

from com.sun.star.uno import Exception as UnoException

# Labels that lists of a web page can have, if their brackets do not count.
PLAIN = re.compile(r'\(?(?:\d+|[a-zA-Z]|[ivxlcdm]+|[IVXLCDM]+)[.)]?')
# In alphabetical order, as getPropertyValues requires.
PROPERTIES = ('ListId', 'ListLabelString', 'NumberingIsNumber', 'NumberingStyleName', 'OutlineLevel')
# A limit, because each paragraph takes two calls to the office.
MAX_PARAGRAPHS = 20_000
REFERENCE = 'com.sun.star.text.TextField.GetReference'
# The values of com.sun.star.text.ReferenceFieldPart that display a list label.
LABELS = (8, 9, 10)


def write_list_labels(document):
    """Tries to write the labels, but ignores errors: a list with other numbers is better than no document."""
    try:
        _write(document)
    except UnoException:
        pass


def _write(document):
    texts = [document.Text, *_cells_with_lists(document)]
    labels = list(_read_labels(texts))
    # If one label of a list becomes text, all do: the others would be counted differently.
    written = {key for _, key, label, is_heading in labels if is_heading or not PLAIN.fullmatch(label)}
    if not written:
        return
    _keep_references(document)
    labels_by_position = {position: label for position, key, label, _ in labels if key in written}
    for position, text, cursor in _paragraphs(texts):
        if position in labels_by_position:
            text.insertString(cursor, f'{labels_by_position[position]} ', False)
            cursor.setPropertyValue('NumberingStyleName', '')


def _cells_with_lists(document):
    """Asks for the list of all cells of a table at once, because each cell takes about ten calls to the office."""
    for table in document.TextTables:
        names = table.CellNames
        cells = table.createCursorByCellName(names[0])
        cells.gotoEnd(True)
        # None if only some paragraphs are in a list.
        if cells.NumberingStyleName != '':
            yield from map(table.getCellByName, names)


def _read_labels(texts):
    for position, _, cursor in _paragraphs(texts):
        values = dict(zip(PROPERTIES, cursor.getPropertyValues(PROPERTIES)))
        label = (values['ListLabelString'] or '').strip()
        # Bullets are labels too.
        if values['NumberingIsNumber'] and any(map(str.isalnum, label)):
            yield position, values['NumberingStyleName'] or values['ListId'], label, values['OutlineLevel'] > 0


def _paragraphs(texts):
    """Numbers the paragraphs of texts. The cursor of a text moves, because each further object takes several calls."""
    cursors = ((text, cursor) for text in texts for cursor in _positions(text))
    for position, (text, cursor) in enumerate(islice(cursors, MAX_PARAGRAPHS)):
        yield position, text, cursor


def _positions(text):
    cursor = text.createTextCursor()
    cursor.gotoStart(False)
    yield cursor
    while cursor.gotoNextParagraph(False):
        yield cursor


def _keep_references(document):
    """Replaces fields that display a label with its text."""
    fields = document.TextFields.createEnumeration()
    shown = []
    while fields.hasMoreElements():
        field = fields.nextElement()
        if field.supportsService(REFERENCE) and field.ReferenceFieldPart in LABELS:
            shown.append(field)
    for field in shown:
        field.Anchor.Text.insertString(field.Anchor, field.getPresentation(False), True)
