"""What fields of a text show that refer to a place in it."""

import re
import zipfile

# com.sun.star.text.ReferenceFieldSource.
MARK, BOOKMARK = 0, 2
REFERENCE = 'com.sun.star.text.TextField.GetReference'

# Fields of Word (ECMA-376, part 1, 17.16.5), whose name a run may end before, and of OpenDocument (part 3, 7.7).
REFERRING = re.compile(rb'\b(?:PAGE)?REF\s*([^\s"<\\&]*)|<text:(?:bookmark|reference)-ref\b[^>]*\stext:ref-name="([^"]*)"')
PLACE = re.compile(
    rb'<w:bookmarkStart\b[^>]*\sw:name="([^"]*)"|<text:(?:bookmark|reference-mark)(?:-start)?\b[^>]*\stext:name="([^"]*)"')
TEXTS = ('word/document.xml', 'content.xml')


def keep_shown(document, path):
    """References to what is not there any more become what they showed when the document was saved, as Word has them:
    the office puts an error in their place when it lays the text out."""
    # To ask the office for each field takes a millisecond.
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
        shown = field.getPresentation(False)
        if shown:
            anchor = field.Anchor
            anchor.Text.insertString(anchor, shown, True)


def _may_be_lost(path):
    """Whether the source refers to a place that it does not seem to have, or cannot be looked through."""
    with open(path, 'rb') as file:
        content = file.read()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as package:
            content = b''.join(package.read(name) for name in TEXTS if name in package.namelist())
    elif b'<' not in content[:100]:
        return b'REF' in content or 'REF'.encode('utf-16-le') in content
    places = {name for found in PLACE.findall(content) for name in found if name}
    return any((word or mark) not in places for word, mark in REFERRING.findall(content))
