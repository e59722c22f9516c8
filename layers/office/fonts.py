"""Finds the missing fonts of a document and the fonts that the office used instead."""

import re
import subprocess
import zipfile

PARTS = re.compile(
    r'^(?:word/(?:document|styles|fontTable|theme/.*|header\d*|footer\d*)|xl/(?:styles|theme/.*)'
    r'|ppt/(?:slides/.*|slideMasters/[^/]*|slideLayouts/[^/]*|theme/.*)|content|styles)\.xml$')
NAMES = re.compile(
    r'(?:w:(?:ascii|hAnsi|cs|eastAsia)|<w:font w:name|typeface|svg:font-family|<name val)="([^"]{1,100})"')
RTF_NAMES = re.compile(rb'\{\\f\d+[^{};]*?\\fcharset\d+[^{};\\]*?(?:\\fprq\d+\s?|\s)([A-Za-z0-9][^{};\\]{0,60});')
FLAT_NAMES = re.compile(rb'svg:font-family="([^"]{1,100})"')
DRAWN = re.compile(rb'/FontName\s*/(?:[A-Z]{6}\+)?([^\s/<>\[\]()]{1,100})')
# A part that is larger holds text, whose fonts stand in the styles as well.
MOST_PART_BYTES = 8 << 20
MOST_FONTS = 200
# Named by most documents.
USUAL = ('Calibri', 'Cambria', 'Arial', 'Times New Roman', 'Courier New')
# Several styles of a family are one font to a reader.
STYLE = re.compile(r'[-,].*$')


class Fonts:
    """What fontconfig knows; asked once for each name, as it is the same for every document."""

    def __init__(self):
        self._installed = None
        self._substitutes = {}

    def substituted(self, document, path, pdf_path):
        """The fonts that were asked for and are not here, each with the one that took its place in the PDF."""
        asked = declared(document, path)
        absent = sorted(name for name in asked if _plain(name) not in self.installed)
        if not absent:
            return []
        foreign = drawn(pdf_path) - {_plain(name) for name in asked}
        pairs = [(name, self._substitute(name)) for name in absent[:MOST_FONTS]]
        return [{'name': name, 'drawnWith': family} for name, family in pairs if _plain(family) in foreign]

    def ask_ahead(self):
        """Beside the start of the office: each question takes a program of its own."""
        for name in USUAL:
            if _plain(name) not in self.installed:
                self._substitute(name)

    @property
    def installed(self):
        if self._installed is None:
            families = _run('fc-list', ':', 'family')
            self._installed = {_plain(name) for line in families.split('\n') for name in line.split(',')}
        return self._installed

    def _substitute(self, name):
        if name not in self._substitutes:
            # Its syntax gives these a meaning.
            literal = re.sub(r'([\\:,-])', r'\\\1', name)
            self._substitutes[name] = _run('fc-match', '-f', '%{family[0]}', '--', literal)
        return self._substitutes[name]


def declared(document, path):
    """Names of the fonts that a document asks for, whether or not it has text in them."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as package:
            parts = [entry for entry in package.infolist()
                     if PARTS.match(entry.filename) and entry.file_size <= MOST_PART_BYTES]
            names = {name for entry in parts for name in NAMES.findall(package.read(entry).decode('utf-8', 'replace'))}
    else:
        names = _plain_file_names(path) or _style_names(document)
    cleaned = {name.replace('&apos;', '').strip("' ") for name in names}
    # '+mn-lt' stands for a font of the theme, which is named there.
    return {name for name in cleaned if name and not name.startswith(('+', '@')) and '&' not in name}


def _plain_file_names(path):
    with open(path, 'rb') as file:
        start = file.read(MOST_PART_BYTES)
    if start.lstrip().startswith(b'{\\rt'):
        return {name.decode('cp1252', 'replace').strip() for name in RTF_NAMES.findall(start)}
    return {name.decode('utf-8', 'replace') for name in FLAT_NAMES.findall(start)}


def _style_names(document):
    """For formats of which the office alone knows where the names stand."""
    families = document.StyleFamilies
    styles = [style for name in families.ElementNames if name in ('ParagraphStyles', 'CharacterStyles', 'CellStyles')
              for style in families.getByName(name) if style.isInUse()]
    return {style.CharFontName for style in styles}


def drawn(pdf_path):
    with open(pdf_path, 'rb') as pdf:
        names = DRAWN.findall(pdf.read())
    return {_plain(STYLE.sub('', name.decode('latin-1'))) for name in names}


def _plain(name):
    return re.sub(r'[\s_-]', '', name).lower()


def _run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=20, check=False).stdout.strip()
