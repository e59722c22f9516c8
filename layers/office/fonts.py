"""Finds the missing fonts of a document and the fonts that the office used instead."""

import re
import subprocess
import zipfile
from collections import Counter

PARTS = re.compile(
    r'^(?:word/(?:document|styles|theme/.*|header\d*|footer\d*)|xl/(?:styles|theme/.*)'
    r'|ppt/(?:slides/.*|slideMasters/[^/]*|slideLayouts/[^/]*|theme/.*)|content|styles)\.xml$')
# Themes also list fonts by script, most of which a document does not use.
NAMES = re.compile(
    r'(?:w:(?:ascii|hAnsi|cs|eastAsia)|<a:(?:latin|ea|cs|sym|buFont) typeface|<name val)="([^"]{1,100})"')
# Their attributes have the same names as those of fonts.
LANGUAGES = re.compile(r'<w:(?:lang|themeFontLang) [^>]{1,200}>')
RTF_NAMES = re.compile(rb'\{\\f(\d+)[^{};]*?\\fcharset\d+[^{};\\]*?(?:\\fprq\d+\s?|\s)([A-Za-z0-9][^{};\\]{0,60});')
RTF_USES = re.compile(rb'\\a?(?:def)?f(\d+)')
# OpenDocument declares fonts in front of the styles that use them.
FACES = re.compile(r'<style:font-face style:name="([^"]{1,100})" svg:font-family="([^"]{1,100})"')
FACE_USES = re.compile(r'style:font-name(?:-asian|-complex)?="([^"]{1,100})"')
EMBEDDED = re.compile(rb'/FontName\s*/(?:[A-Z]{6}\+)?([^\s/<>\[\]()]{1,100})')
# Larger parts contain text, whose fonts are in the styles as well.
MAX_PART_BYTES = 8 << 20
MAX_FONTS = 200
# Fonts that most documents use.
COMMON = ('Calibri', 'Cambria', 'Arial', 'Times New Roman', 'Courier New')
# Readers see the styles of a family as one font.
STYLE = re.compile(r'[-,].*$')


class Fonts:
    """Caches the answers of fontconfig, which are the same for every document."""

    def __init__(self):
        self._installed = None
        self._substitutes = {}

    def substitutes(self, document, path, pdf_path):
        """Returns the fonts of the document that are not installed, each with its replacement in the PDF."""
        declared = declared_fonts(document, path)
        absent = sorted(name for name in declared if _normalize(name) not in self.installed)
        if not absent:
            return []
        foreign = embedded_fonts(pdf_path) - {_normalize(name) for name in declared}
        pairs = [(name, self._substitute(name)) for name in absent[:MAX_FONTS]]
        return [{'name': name, 'replacement': family} for name, family in pairs if _normalize(family) in foreign]

    def prefetch_substitutes(self):
        """Fills the cache while the office starts, because each query runs a program."""
        for name in COMMON:
            if _normalize(name) not in self.installed:
                self._substitute(name)

    @property
    def installed(self):
        if self._installed is None:
            families = _run('fc-list', ':', 'family')
            self._installed = {_normalize(name) for line in families.split('\n') for name in line.split(',')}
        return self._installed

    def _substitute(self, name):
        if name not in self._substitutes:
            # These characters have a meaning in the syntax of patterns.
            literal = re.sub(r'([\\:,-])', r'\\\1', name)
            self._substitutes[name] = _run('fc-match', '-f', '%{family[0]}', '--', literal)
        return self._substitutes[name]


def declared_fonts(document, path):
    """Returns the names of the fonts that the text or the styles of a document refer to."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as package:
            parts = [entry for entry in package.infolist()
                     if PARTS.match(entry.filename) and entry.file_size <= MAX_PART_BYTES]
            texts = [LANGUAGES.sub('', package.read(entry).decode('utf-8', 'replace')) for entry in parts]
            names = {name for text in texts for name in NAMES.findall(text)} | _used_faces('\n'.join(texts))
    else:
        names = _names_in_plain_file(path) or _style_names(document)
    cleaned = {name.replace('&apos;', '').strip("' ") for name in names}
    # '+mn-lt' refers to a font of the theme, which lists its name.
    return {name for name in cleaned if name and not name.startswith(('+', '@')) and '&' not in name}


def _names_in_plain_file(path):
    with open(path, 'rb') as file:
        start = file.read(MAX_PART_BYTES)
    if start.lstrip().startswith(b'{\\rt'):
        # Each number occurs once in the table of fonts.
        uses = Counter(RTF_USES.findall(start))
        return {name.decode('cp1252', 'replace').strip() for number, name in RTF_NAMES.findall(start) if uses[number] > 1}
    return _used_faces(start.decode('utf-8', 'replace'))


def _used_faces(text):
    used = set(FACE_USES.findall(text))
    return {family for name, family in FACES.findall(text) if name in used}


def _style_names(document):
    """Returns the fonts in styles, for formats that only the office can read."""
    families = document.StyleFamilies
    styles = [style for name in families.ElementNames if name in ('ParagraphStyles', 'CharacterStyles', 'CellStyles')
              for style in families.getByName(name) if style.isInUse()]
    return {style.CharFontName for style in styles}


def embedded_fonts(pdf_path):
    with open(pdf_path, 'rb') as pdf:
        names = EMBEDDED.findall(pdf.read())
    return {_normalize(STYLE.sub('', name.decode('latin-1'))) for name in names}


def _normalize(name):
    return re.sub(r'[\s_-]', '', name).lower()


def _run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=20, check=False).stdout.strip()
