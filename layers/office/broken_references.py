"""Retains the displayed text of cross-references whose target no longer exists."""

import re
import zipfile

# Values of com.sun.star.text.ReferenceFieldSource.
MARK, BOOKMARK = 0, 2
REFERENCE = 'com.sun.star.text.TextField.GetReference'

# Fields of Word (ECMA-376, part 1, 17.16.5), whose name a run may end before, and of OpenDocument (part 3, 7.7).
REFERRING = re.compile(rb'\b(?:PAGE)?REF\s*([^\s"<\\&]*)|<text:(?:bookmark|reference)-ref\b[^>]*\stext:ref-name="([^"]*)"')
PLACE = re.compile(
    rb'<w:bookmarkStart\b[^>]*\sw:name="([^"]*)"|<text:(?:bookmark|reference-mark)(?:-start)?\b[^>]*\stext:name="([^"]*)"')
TEXTS = ('word/document.xml', 'content.xml')


def keep_displayed_text(document, path):
    """Replaces references to missing targets with the text that they displayed when the document was saved, as Word
    does: the office would replace them with an error message when it lays out the text."""
    # Querying each field takes a millisecond.
    if not _may_be_lost(path):
        return
    fields = document.TextFields.createEnumeration()
    places = {BOOKMARK: document.Bookmarks, MARK: document.ReferenceMarks}
    lost = []
    while fields.hasMoreElements():
        field = fields.nextElement()
        if field.supportsService(REFERENCE):
            names = places.get(field.ReferenceFieldSource)
            if names is not None and not names.hasByName(field.SourceName):
                lost.append(field)
    for field in lost:
        displayed = field.getPresentation(False)
        if displayed:
            anchor = field.Anchor
            anchor.Text.insertString(anchor, displayed, True)


def _may_be_lost(path):
    """Returns whether the source seems to refer to a missing target, or cannot be searched."""
    with open(path, 'rb') as file:
        content = file.read()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as package:
            content = b''.join(package.read(name) for name in TEXTS if name in package.namelist())
    elif b'<' not in content[:100]:
        return b'REF' in content or 'REF'.encode('utf-16-le') in content
    places = {name for found in PLACE.findall(content) for name in found if name}
    return any((word or mark) not in places for word, mark in REFERRING.findall(content))
