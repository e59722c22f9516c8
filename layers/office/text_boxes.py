"""Keeps the text of text boxes in PDFs and web pages. The office cuts off what does not fit into a box, and gives a VML
box without a readable size the width of a character."""

import re
import zipfile

from com.sun.star.text.SizeType import MIN
from com.sun.star.text.TextContentAnchorType import AS_CHARACTER, AT_PARAGRAPH
from com.sun.star.text.WritingMode2 import BT_LR, TB_LR, TB_RL
from com.sun.star.uno import Exception as UnoException

from package_parts import MAX_PART_BYTES
from word_files import PARTS, WORD

FALLBACK_END = b'</mc:Fallback>'
TEXT_BOX = re.compile(rb'<v:textbox[\s/>]')
# In hundredths of a millimeter. Hardly any words fit into a narrower box.
MIN_WIDTH, DEFAULT_WIDTH = 1000, 8000
VERTICAL = (TB_RL, TB_LR, BT_LR)


def grow_text_boxes(document, path):
    """Lets the text boxes of a document grow with their text, except in Word documents without VML, whose boxes have
    the right size. Ignores errors: a document with a clipped box is better than none."""
    if path.endswith(WORD) and not _has_vml_text_box(path):
        return
    page = document.DrawPage
    for shape in map(page.getByIndex, range(page.Count)):
        try:
            _grow(shape)
        except UnoException:
            pass


def anchor_text_boxes(document):
    """Anchors text boxes to their paragraphs: of one that is anchored as a character, web pages show only an image.
    Ignores errors, as above."""
    frames = document.TextFrames
    for frame in list(map(frames.getByIndex, range(frames.Count))):
        try:
            if frame.AnchorType == AS_CHARACTER:
                frame.AnchorType = AT_PARAGRAPH
        except UnoException:
            pass


def _has_vml_text_box(path):
    if not zipfile.is_zipfile(path):
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
    if frame.ChainNextName or not frame.String.strip():
        return
    size = shape.Size
    if size.Width < MIN_WIDTH and frame.WritingMode not in VERTICAL:
        size.Width = DEFAULT_WIDTH
        shape.Size = size
    frame.SizeType = MIN
