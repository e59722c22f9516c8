"""Writes list labels such as 1.1 or Article 2 as text: lists of a web page number themselves, with 1 or a."""

import re

from com.sun.star.uno import Exception as UnoException

# Labels that lists of a web page can have, if their brackets do not count.
PLAIN = re.compile(r'\(?(?:\d+|[a-zA-Z]|[ivxlcdm]+|[IVXLCDM]+)[.)]?')
# In alphabetical order, as getPropertyValues requires.
PROPERTIES = ('ListId', 'ListLabelString', 'NumberingIsNumber', 'NumberingStyleName', 'OutlineLevel')
# Limits, because each paragraph takes several calls to the office.
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
    labeled = list(_labeled_paragraphs(document.Text))
    # If one label of a list becomes text, all do: the others would be counted differently.
    written = {key for _, key, label, is_heading in labeled if is_heading or not PLAIN.fullmatch(label)}
    if not written:
        return
    _keep_references(document)
    for paragraph, key, label, _ in labeled:
        if key in written:
            paragraph.Text.insertString(paragraph.Start, f'{label} ', False)
            paragraph.NumberingStyleName = ''


def _labeled_paragraphs(text):
    for paragraph in _paragraphs(text, [MAX_PARAGRAPHS]):
        values = dict(zip(PROPERTIES, paragraph.getPropertyValues(PROPERTIES)))
        label = (values['ListLabelString'] or '').strip()
        # Bullets are labels too.
        if values['NumberingIsNumber'] and any(map(str.isalnum, label)):
            yield paragraph, values['NumberingStyleName'] or values['ListId'], label, values['OutlineLevel'] > 0


def _paragraphs(text, left):
    blocks = text.createEnumeration()
    while blocks.hasMoreElements() and left[0] > 0:
        block = blocks.nextElement()
        left[0] -= 1
        if block.supportsService('com.sun.star.text.Paragraph'):
            yield block
        elif block.supportsService('com.sun.star.text.TextTable'):
            for name in block.CellNames:
                yield from _paragraphs(block.getCellByName(name), left)


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
