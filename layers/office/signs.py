"""Finds the characters of a document for which no installed font has a glyph: the office draws a blank or a box for them."""

import collections
import html
import re
import subprocess
import unicodedata
import zipfile

TEXTS = re.compile(
    r'^(?:word/(?:document\d*|footnotes|endnotes|header\d*|footer\d*)|xl/sharedStrings|ppt/slides/[^/]*|content)\.xml$')
# A document may bring fonts along, which have what others lack.
OWN_FONTS = re.compile(r'^(?:word/|ppt/)?[Ff]onts/')
MOST_TEXT_BYTES = 8 << 20
# Controls, marks that are not shown, surrogates, codes that every font uses for its own, and blanks.
UNSEEN = {'Cc', 'Cf', 'Cs', 'Co', 'Zs', 'Zl', 'Zp'}
# They choose the form of the sign before them.
SELECTORS = {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
# What the fonts of any document hold.
LATIN = re.compile('[^\x00-\u024f\u2010-\u2027\u20ac]')
MOST_TOLD = 10


class Signs:
    """What the fonts hold; asked once, as it is the same for every document."""

    def __init__(self):
        self._covered = None

    def undrawn(self, path):
        """@returns how many there are, and the first few, each with how often it stands there."""
        counts = collections.Counter()
        for text in texts(path):
            counts.update(LATIN.findall(text))
        missing = {sign: count for sign, count in counts.items() if not self._is_drawn(sign)}
        told = [{'sign': sign, 'count': count} for sign, count in list(missing.items())[:MOST_TOLD]]
        return {'total': sum(missing.values()), 'signs': told}

    def _is_drawn(self, sign):
        return unicodedata.category(sign) in UNSEEN or ord(sign) in SELECTORS or self.covered[ord(sign)] == 1

    @property
    def covered(self):
        if self._covered is None:
            listed = subprocess.run(
                ['fc-list', ':', 'charset'], capture_output=True, text=True, timeout=20, check=False).stdout
            covered = bytearray(0x110000)
            for first, last in re.findall(r'\b([0-9a-f]+)(?:-([0-9a-f]+))?(?=[\s:]|$)', listed):
                start, end = int(first, 16), int(last or first, 16) + 1
                covered[start:end] = b'\1' * (end - start)
            self._covered = covered
        return self._covered


def texts(path):
    """What is to be read of it; nothing of formats of which the office alone knows where that stands."""
    if not zipfile.is_zipfile(path):
        with open(path, 'rb') as file:
            parts = [file.read(MOST_TEXT_BYTES)]
    else:
        with zipfile.ZipFile(path) as package:
            entries = package.infolist()
            if any(OWN_FONTS.match(entry.filename) for entry in entries):
                return
            parts = [package.read(entry) for entry in entries
                     if TEXTS.match(entry.filename) and entry.file_size <= MOST_TEXT_BYTES]
    for part in parts:
        if part.isascii() and b'&#' not in part:
            continue
        # Old formats of bytes are no UTF-8.
        text = part.decode('utf-8', 'ignore' if len(part) == MOST_TEXT_BYTES else 'replace')
        if '\0' not in text and '\ufffd' not in text:
            yield html.unescape(text) if '&#' in text else text
