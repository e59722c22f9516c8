"""Writes documents that replace a part of the text of a Word document (ECMA-376, part 1, 17.17.2.1) as WordprocessingML:
web pages with their paragraphs, headings, lists, tables and links, others line by line."""

import html.parser
import re
import xml.sax.saxutils

from chunk_lines import complete_tags, decode, is_page, lines_of

# Limits, because a small page could otherwise become a large document.
MAX_NESTED, MAX_SPAN, MAX_SPANNED_CELLS, MAX_URL_LENGTH = 9, 63, 10_000, 2000
INVISIBLE = {'script', 'style', 'head', 'title'}
# Inline elements, with the property of their text if they have one.
INLINE = {
    **dict.fromkeys(('b', 'strong'), 'b'), **dict.fromkeys(('i', 'em', 'cite', 'var'), 'i'),
    **dict.fromkeys(('u', 'ins'), 'u w:val="single"'), **dict.fromkeys(('s', 'strike', 'del'), 'strike'),
    'sub': 'vertAlign w:val="subscript"', 'sup': 'vertAlign w:val="superscript"',
    **dict.fromkeys(('a', 'abbr', 'big', 'code', 'font', 'img', 'kbd', 'mark', 'q', 'small', 'span', 'tt', 'wbr')),
}
# Sizes in half points.
HEADING_SIZES = {'h1': 32, 'h2': 28, 'h3': 26, 'h4': 24, 'h5': 22, 'h6': 20}
BORDERS = ''.join(f'<w:{side} w:val="single" w:sz="4"/>' for side in ('top', 'left', 'bottom', 'right', 'insideH', 'insideV'))
EMPTY_PARAGRAPH, TABLE_END = '<w:p/>', '</w:tbl>'


def blocks_of(content):
    """Returns paragraphs and tables, whose elements have the prefix `w`."""
    text = decode(content)
    if not is_page(text):
        return ''.join(f'<w:p>{_run(line)}</w:p>' for line in lines_of(text))
    blocks = PageBlocks()
    blocks.feed(complete_tags(text))
    blocks.close()
    return blocks.finish()


class PageBlocks(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.blocks, self.runs = [], []
        self.invisible = self.heading = self.link = None
        # Open elements: formats as WordprocessingML properties, lists as name and number, tables.
        self.formats, self.lists, self.tables = [], [], []
        self.bullet = ''
        self.ends_with_space = True
        self.spanned_cells = 0

    def finish(self):
        while self.tables:
            self._end_table()
        self._end_paragraph()
        return ''.join(self.blocks)

    def handle_starttag(self, tag, attrs):
        attributes = {name: value or '' for name, value in attrs}
        if tag in INVISIBLE and self.invisible is None:
            self.invisible = tag
        # The end tag of a head is optional.
        if tag == 'body':
            self.invisible = None
        if tag == 'a':
            self.link = _safe_url(attributes.get('href', ''))
        if tag in INLINE:
            if INLINE[tag] and len(self.formats) < MAX_NESTED:
                self.formats.append(INLINE[tag])
        elif tag == 'br' and self.runs:
            self.runs.append('<w:r><w:br/></w:r>')
            self.ends_with_space = True
        else:
            self._start_block(tag, attributes)

    def handle_endtag(self, tag):
        if tag == self.invisible:
            self.invisible = None
        if tag == 'a':
            self.link = None
        if tag in INLINE:
            if INLINE[tag] in self.formats:
                self.formats.remove(INLINE[tag])
        elif tag != 'br':
            self._end_block(tag)

    def handle_data(self, data):
        if self.invisible is not None:
            return
        text = re.sub(r'[ \t\r\n\f]+', ' ', data)
        if self.ends_with_space:
            text = text.removeprefix(' ')
        if not text:
            return
        self._require_cell()
        if self.bullet:
            self.runs.append(_run(self.bullet))
            self.bullet = ''
        self.runs.append(_linked(_run(text, self._properties()), self.link))
        self.ends_with_space = text.endswith(' ')

    def _start_block(self, tag, attributes):
        self._end_paragraph()
        if tag in HEADING_SIZES:
            self.heading = tag
        elif tag in ('ul', 'ol') and len(self.lists) < MAX_NESTED:
            self.lists.append([tag, 0])
        elif tag == 'li' and self.lists:
            self.lists[-1][1] += 1
            name, number = self.lists[-1]
            indent = '\t' * (len(self.lists) - 1)
            self.bullet = f'{indent}{number}.\t' if name == 'ol' else f'{indent}\u2022\t'
        elif tag == 'table' and len(self.tables) < MAX_NESTED:
            self._start_table(attributes)
        elif tag == 'tr' and self.tables:
            self._start_row()
        elif tag in ('td', 'th') and self.tables:
            self._start_cell(attributes)

    def _end_block(self, tag):
        self._end_paragraph()
        if tag in HEADING_SIZES:
            self.heading = None
        elif tag in ('ul', 'ol') and self.lists:
            self.lists.pop()
            self.bullet = ''
        elif tag == 'table' and self.tables:
            self._end_table()
        elif tag == 'tr' and self.tables:
            self._end_row()
        elif tag in ('td', 'th') and self.tables:
            self._end_cell()

    def _end_paragraph(self):
        if self.runs:
            style = f'<w:pPr><w:pStyle w:val="Heading{self.heading[1]}"/></w:pPr>' if self.heading else ''
            self.blocks.append(f'<w:p>{style}{"".join(self.runs)}</w:p>')
        self.runs, self.ends_with_space = [], True

    def _properties(self):
        names = dict.fromkeys([*self.formats, *(['b'] if self.heading else [])])
        size = f'<w:sz w:val="{HEADING_SIZES[self.heading]}"/>' if self.heading else ''
        return ''.join(f'<w:{name}/>' for name in names) + size

    def _require_cell(self):
        """Starts a cell for content between the cells of a table."""
        if self.tables and not self.tables[-1].has_open_cell:
            self._start_cell({})

    def _start_table(self, attributes):
        self._require_cell()
        # Word joins tables that follow each other.
        if self.blocks and self.blocks[-1] == TABLE_END:
            self.blocks.append(EMPTY_PARAGRAPH)
        has_borders = attributes.get('border', '0') != '0' or 'border' in attributes.get('style', '')
        borders = f'<w:tblBorders>{BORDERS}</w:tblBorders>' if has_borders else ''
        self.blocks.append(f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/>{borders}</w:tblPr>')
        self.tables.append(Table())

    def _start_row(self):
        self._end_row()
        table = self.tables[-1]
        table.has_open_row, table.column = True, 0
        self.blocks.append('<w:tr>')

    def _start_cell(self, attributes):
        self._end_cell()
        table = self.tables[-1]
        if not table.has_open_row:
            self._start_row()
        self._continue_cells()
        width, height = (_read_span(attributes.get(name)) for name in ('colspan', 'rowspan'))
        if height > 1:
            table.spans[table.column] = [width, height - 1]
        table.column += width
        table.has_open_cell = True
        self.blocks.append(_cell_start(width, '<w:vMerge w:val="restart"/>' if height > 1 else ''))

    def _continue_cells(self):
        """Writes the cells below a cell that spans several rows."""
        table = self.tables[-1]
        while table.column in table.spans and self.spanned_cells < MAX_SPANNED_CELLS:
            span = table.spans[table.column]
            width = span[0]
            span[1] -= 1
            if span[1] == 0:
                del table.spans[table.column]
            self.blocks += [_cell_start(width, '<w:vMerge/>'), EMPTY_PARAGRAPH, '</w:tc>']
            table.column += width
            self.spanned_cells += 1

    def _end_cell(self):
        table = self.tables[-1]
        if not table.has_open_cell:
            return
        self._end_paragraph()
        # The last element of a cell is a paragraph (17.4.66).
        if not self.blocks[-1].endswith('</w:p>'):
            self.blocks.append(EMPTY_PARAGRAPH)
        self.blocks.append('</w:tc>')
        table.has_open_cell = False

    def _end_row(self):
        self._end_cell()
        table = self.tables[-1]
        if not table.has_open_row:
            return
        self._continue_cells()
        table.has_open_row = False
        if self.blocks[-1] == '<w:tr>':
            self.blocks.pop()
        else:
            self.blocks.append('</w:tr>')
            table.has_rows = True

    def _end_table(self):
        self._end_row()
        if self.tables.pop().has_rows:
            self.blocks.append(TABLE_END)
        else:
            self.blocks.pop()


class Table:
    def __init__(self):
        self.has_rows = self.has_open_row = self.has_open_cell = False
        self.column = 0
        # Width, and remaining number of rows, of the cells that span several rows, by their column.
        self.spans = {}


def _run(text, properties=''):
    clean = re.sub('[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]', '', text)
    parts = (xml.sax.saxutils.escape(part) for part in clean.split('\t'))
    texts = '<w:tab/>'.join(part and f'<w:t xml:space="preserve">{part}</w:t>' for part in parts)
    return f'<w:r>{properties and f"<w:rPr>{properties}</w:rPr>"}{texts}</w:r>'


def _linked(run, url):
    """Puts a run into a field, because a link element would need a relationship."""
    if url is None:
        return run
    instruction = xml.sax.saxutils.escape(f' HYPERLINK "{url}" ')
    start, middle, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ('begin', 'separate', 'end'))
    return f'{start}<w:r><w:instrText xml:space="preserve">{instruction}</w:instrText></w:r>{middle}{run}{end}'


def _safe_url(url):
    is_safe = re.match('(?:https?|mailto):', url, re.IGNORECASE) and len(url) <= MAX_URL_LENGTH
    return re.sub(r'[\x00-\x20"\\\x7f-\x9f\ud800-\udfff\ufffe\uffff]', '', url) if is_safe else None


def _cell_start(width, merge):
    return f'<w:tc><w:tcPr><w:gridSpan w:val="{width}"/>{merge}</w:tcPr>'


def _read_span(value):
    # Python refuses to convert very long numbers.
    digits = (value or '')[:9]
    return min(max(int(digits), 1), MAX_SPAN) if digits.isascii() and digits.isdigit() else 1
