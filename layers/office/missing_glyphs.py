"""Finds the characters of a document for which no installed font has a glyph: the office draws blanks or boxes."""

import collections
import html
import re
import subprocess
import unicodedata
import zipfile

TEXTS = re.compile(
    r'^(?:word/(?:document\d*|footnotes|endnotes|header\d*|footer\d*)|xl/sharedStrings|ppt/slides/[^/]*|content)\.xml$')
# Fonts embedded in a document may contain glyphs that others lack.
EMBEDDED_FONTS = re.compile(r'^(?:word/|ppt/)?[Ff]onts/')
MAX_TEXT_BYTES = 8 << 20
# Controls, invisible format characters, surrogates, private-use codes, and blanks.
INVISIBLE = {'Cc', 'Cf', 'Cs', 'Co', 'Zs', 'Zl', 'Zp'}
# Variation selectors, which choose the form of the preceding character.
SELECTORS = {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
# Matches all characters except those that every font contains.
NOT_LATIN = re.compile('[^\x00-\u024f\u2010-\u2027\u20ac]')
MAX_LISTED = 10


class Glyphs:
    """Caches the characters that the installed fonts contain, which are the same for every document."""

    def __init__(self):
        self._covered = None

    def missing(self, path):
        """Returns the number of characters without a glyph, and the first few with their frequency."""
        counts = collections.Counter()
        for text in texts(path):
            counts.update(NOT_LATIN.findall(text))
        missing = {character: count for character, count in counts.items() if not self._has_glyph(character)}
        listed = [{'character': character, 'count': count} for character, count in list(missing.items())[:MAX_LISTED]]
        return {'total': sum(missing.values()), 'characters': listed}

    def _has_glyph(self, character):
        code = ord(character)
        return unicodedata.category(character) in INVISIBLE or code in SELECTORS or self.covered[code] == 1

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
    """Yields the texts of a document; none for formats that only the office can read."""
    if not zipfile.is_zipfile(path):
        with open(path, 'rb') as file:
            parts = [file.read(MAX_TEXT_BYTES)]
    else:
        with zipfile.ZipFile(path) as package:
            entries = package.infolist()
            if any(EMBEDDED_FONTS.match(entry.filename) for entry in entries):
                return
            parts = [package.read(entry) for entry in entries
                     if TEXTS.match(entry.filename) and entry.file_size <= MAX_TEXT_BYTES]
    for part in parts:
        if part.isascii() and b'&#' not in part:
            continue
        # Old binary formats are not UTF-8.
        text = part.decode('utf-8', 'ignore' if len(part) == MAX_TEXT_BYTES else 'replace')
        if '\0' not in text and '\ufffd' not in text:
            yield html.unescape(text) if '&#' in text else text
