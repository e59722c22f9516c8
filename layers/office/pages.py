"""Applies the page setup of the request to a loaded document, and counts its pages."""

import datetime
import mmap
import re

from com.sun.star.awt.FontWeight import BOLD
from com.sun.star.style.NumberingType import ARABIC
from com.sun.star.style.ParagraphAdjust import CENTER
from com.sun.star.text.PageNumberType import CURRENT

from cells import last_cell
from document_error import DocumentError
from hidden_cells import count_hidden
from shapes import count_shapes, move_text_out_of_shapes

SIDES = ('Top', 'Right', 'Bottom', 'Left')
# A sheet that would be scaled down more than this is easier to read in landscape.
MIN_PORTRAIT_SCALE = 0.7
# Width and height in hundredths of a millimeter.
A4 = (21000, 29700)
DEFAULT_MARGIN = 2000
# Minimum between the margins in hundredths of a millimeter.
MIN_CONTENT_SIZE = 1000
PAGE_OBJECT = re.compile(rb'/Type\s*/Page\b')
FIELDS = {'{page}': 'PageNumber', '{pages}': 'PageCount'}
# Formats without pages: the default pages of the office would show the name of the sheet, which is chosen by the
# service, and "Page 1".
WITHOUT_PAGES = ('.csv', '.tsv', '.dif', '.slk', '.html')
# The office writes millions of cells per second as CSV and a tenth of that as HTML; for a PDF it also lays out empty
# pages.
MAX_CELLS = {'csv': 100_000_000, 'tsv': 100_000_000, 'html': 20_000_000, 'pdf': 1_000_000_000}
# Laying out a sheet with thousands of columns takes almost a minute for each million cells, empty or not.
WIDE_COLUMNS, MAX_WIDE_CELLS = 1024, 2_000_000
PLACEHOLDER = re.compile(r'(\{page\}|\{pages\}|\{date\})')


def prepare(document, request):
    if request['input'].endswith(('.emf', '.wmf')):
        _fit_page(document)
    if request['input'].endswith('.uot'):
        _set_missing_size(document)
    if request.get('headers'):
        _show_header(document)
    if request['output'].endswith('.html'):
        move_text_out_of_shapes(document, request['family'])
    page = request.get('page')
    if page is None:
        return
    for style in _page_styles(document):
        if request['family'] == 'sheet' and request['input'].endswith(WITHOUT_PAGES):
            style.HeaderIsOn = style.FooterIsOn = False
        _set_size(style, page)
        _set_margins(style, page)
        _set_running_texts(document, style, page, request['family'])
    if page['fitToWidth']:
        _fit_sheets(document, page)


def count(document, family, output):
    if family == 'sheet':
        # A table contains only the cells of one sheet.
        is_table = output.endswith(('.csv', '.tsv'))
        sheets = [document.Sheets.getByIndex(0)] if is_table else list(document.Sheets)
        lost = count_shapes(sheets[0]) if is_table else {}
        hidden = {'hidden': count_hidden(sheets)} if is_table or output.endswith(('.pdf', '.html')) else {}
        return {'sheets': document.Sheets.Count, **lost, **hidden}
    if family == 'text':
        return {}
    return {'pages': document.DrawPages.Count}


def require_room(document, output):
    """A table contains each cell up to the last one that is used, including empty ones, and a PDF has pages for them: a
    word in the last corner of a sheet would create 17 billion cells."""
    limit = MAX_CELLS.get(output.rpartition('.')[2])
    if limit is None:
        return
    sheets = [document.Sheets.getByIndex(0)] if output.endswith(('.csv', '.tsv')) else document.Sheets
    for sheet in sheets:
        end = last_cell(sheet)
        rows, columns = end.EndRow + 1, end.EndColumn + 1
        is_wide_print = output.endswith('.pdf') and columns > WIDE_COLUMNS and rows * columns > MAX_WIDE_CELLS
        if rows * columns > limit or is_wide_print:
            raise DocumentError('wide', f'{rows:,} rows and {columns:,} columns')


def count_pdf_pages(path):
    """Counts page objects, which the office does not compress."""
    with open(path, 'rb') as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pdf:
        return sum(1 for _ in PAGE_OBJECT.finditer(pdf))


def keep_first_page(document):
    while document.DrawPages.Count > 1:
        document.DrawPages.remove(document.DrawPages.getByIndex(1))


def _fit_page(document):
    """Sets the page size to that of the metafile, which has no page; the office puts it on a default page."""
    page = document.DrawPages.getByIndex(0)
    if page.Count != 1:
        return
    shape = page.getByIndex(0)
    for side in SIDES:
        setattr(page, f'Border{side}', 0)
    page.Width, page.Height = max(shape.Size.Width, 1), max(shape.Size.Height, 1)
    origin = shape.Position
    origin.X = origin.Y = 0
    shape.Position = origin


def _set_missing_size(document):
    """Sets a missing page size, which the office does not write in this format but needs to print a page."""
    for style in document.StyleFamilies.getByName('PageStyles'):
        if min(style.Width, style.Height) > 0:
            continue
        style.Width, style.Height = A4
        for side in SIDES:
            setattr(style, f'{side}Margin', DEFAULT_MARGIN)


def _show_header(document):
    """Makes the first row bold and repeats it on each page."""
    sheet = document.Sheets.getByIndex(0)
    sheet.Rows.getByIndex(0).CharWeight = BOLD
    sheet.setPrintTitleRows(True)
    sheet.setTitleRows(sheet.Rows.getByIndex(0).RangeAddress)


def _page_styles(document):
    styles = document.StyleFamilies.getByName('PageStyles')
    return [style for style in styles if style.isInUse()] or [styles.getByIndex(0)]


def _set_size(style, page):
    if 'short' not in page and 'landscape' not in page:
        return
    short, long = sorted((style.Width, style.Height))
    short, long = page.get('short', short), page.get('long', long)
    style.IsLandscape = page.get('landscape', style.IsLandscape)
    style.Width, style.Height = (long, short) if style.IsLandscape else (short, long)


def _set_margins(style, page):
    margins = {side: page[f'margin{side}'] for side in SIDES if f'margin{side}' in page}
    for side, margin in margins.items():
        setattr(style, f'{side}Margin', margin)
    if not margins and 'short' not in page:
        return
    across = style.Width - style.LeftMargin - style.RightMargin
    down = style.Height - style.TopMargin - style.BottomMargin
    if min(across, down) < MIN_CONTENT_SIZE:
        raise DocumentError('margins', 'the margins leave no room on the page')


def _set_running_texts(document, style, page, family):
    for place in ('Header', 'Footer'):
        text = page.get(f'{place.lower()}Text')
        if text is None:
            continue
        setattr(style, f'{place}IsOn', True)
        setattr(style, f'{place}IsShared', True)
        if family == 'text':
            style.FirstIsShared = True
            area = getattr(style, f'{place}Text')
            _write(document, area, text, family)
            area.createTextCursor().ParaAdjust = CENTER
        else:
            setattr(style, f'FirstPage{place}IsShared', True)
            content = getattr(style, f'RightPage{place}Content')
            content.LeftText.setString('')
            content.RightText.setString('')
            _write(document, content.CenterText, text, family)
            # The style returned a copy, so the changed content is set again.
            setattr(style, f'RightPage{place}Content', content)


def _write(document, area, text, family):
    area.setString('')
    cursor = area.createTextCursor()
    for part in PLACEHOLDER.split(text):
        cursor.gotoEnd(False)
        if part == '{date}':
            area.insertString(cursor, datetime.date.today().isoformat(), False)
        elif part in FIELDS:
            field = document.createInstance(f'com.sun.star.text.TextField.{FIELDS[part]}')
            if family == 'text':
                field.NumberingType = ARABIC
            if family == 'text' and part == '{page}':
                field.SubType = CURRENT
            area.insertTextContent(cursor, field, False)
        else:
            area.insertString(cursor, part, False)


def _fit_sheets(document, page):
    styles = document.StyleFamilies.getByName('PageStyles')
    for sheet in document.Sheets:
        style = styles.getByName(sheet.PageStyle)
        if style.ScaleToPages or style.ScaleToPagesX or style.ScaleToPagesY:
            continue  # The author has chosen a scale.
        wide = _print_width(sheet) * (style.PageScale or 100) / 100
        room = style.Width - style.LeftMargin - style.RightMargin
        if wide <= room:
            continue
        if 'landscape' not in page and not style.IsLandscape and room / wide < MIN_PORTRAIT_SCALE:
            style.IsLandscape = True
            style.Width, style.Height = style.Height, style.Width
        style.ScaleToPagesX = 1
        style.ScaleToPagesY = 0


def _print_width(sheet):
    """Returns the width of the printed area in hundredths of a millimeter."""
    areas = sheet.getPrintAreas()
    if areas:
        return max(sheet.getCellRangeByPosition(area.StartColumn, 0, area.EndColumn, 0).Size.Width for area in areas)
    cells = sheet.getCellRangeByPosition(0, 0, last_cell(sheet).EndColumn, 0).Size.Width
    shapes = max((shape.Position.X + shape.Size.Width for shape in sheet.DrawPage), default=0)
    return max(cells, shapes)
