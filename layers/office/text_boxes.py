"""Keeps the text of VML text boxes in PDFs: the office cuts off what does not fit, and gives a box without a readable
size the width of a character."""

import re
import zipfile

from com.sun.star.text.SizeType import MIN
from com.sun.star.uno import Exception as UnoException

from deleted_insertions import MAX_PART_BYTES, PARTS, WORD

FALLBACK_END = b'</mc:Fallback>'
TEXT_BOX = re.compile(rb'<v:textbox[\s/>]')
# In hundredths of a millimeter. Hardly any words fit into a narrower box.
MIN_WIDTH, DEFAULT_WIDTH = 1000, 8000


def grow_text_boxes(document, path):
    """Lets the text boxes of a Word document grow with their text if some of them are VML. Ignores errors: a document
    with a clipped box is better than none."""
    if not _has_vml_text_box(path):
        return
    page = document.DrawPage
    for shape in map(page.getByIndex, range(page.Count)):
        try:
            _grow(shape)
        except UnoException:
            pass


def _has_vml_text_box(path):
    if not path.endswith(WORD) or not zipfile.is_zipfile(path):
        return False
    bytes_left = MAX_PART_BYTES
    with zipfile.ZipFile(path) as package:
        for part in package.infolist():
            if not PARTS.fullmatch(part.filename):
                continue
            # Limits the total, because a small file can name the same part thousands of times.
            bytes_left -= part.file_size
            if bytes_left < 0:
                return False
            if _is_vml_used(package.read(part)):
                return True
    return False


def _is_vml_used(xml):
    """Returns whether VML is used, except in fallbacks of DrawingML, which the office reads instead."""
    return any(TEXT_BOX.search(part.rpartition(FALLBACK_END)[2]) for part in xml.split(b'<mc:Fallback'))


def _grow(shape):
    if shape.supportsService('com.sun.star.text.TextFrame'):
        frame = shape
    elif getattr(shape, 'TextBox', False):
        frame = shape.TextBoxContent
    else:
        return
    # In a chain, the text continues in the next box.
    if frame.ChainNextName:
        return
    size = shape.Size
    if size.Width < MIN_WIDTH:
        size.Width = DEFAULT_WIDTH
        shape.Size = size
    frame.SizeType = MIN
