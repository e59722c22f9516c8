"""Makes room for cells that would be printed incompletely: the office cuts text off at the next cell that is not empty,
prints ### in place of long numbers, and cuts wrapped text off at the end of a row."""

import re
from itertools import groupby

from com.sun.star.awt import FontDescriptor
from com.sun.star.table import CellRangeAddress
from com.sun.star.uno import Exception as UnoException

from cell_links import split_links
from cells import last_cell

# Limits, because each call to the office takes time.
MAX_CELLS, MAX_COLUMNS, MAX_FORMATS, MAX_WRAPPED, MAX_ROWS = 500_000, 256, 500, 5000, 5000
# Cells of a column and format that are measured exactly: those that seem to be the widest.
MAX_MEASURED = 5
# In hundredths of a millimeter: a point, the space on both sides of the text of a cell.
POINT, PADDING = 2540 / 72, 250
# Widths to which columns grow for their text, the rest of which is wrapped. The first one is used that keeps the sheet
# below its maximum, about two pages in landscape.
TEXT_WIDTHS, MAX_SHEET_WIDTH = (8000, 5000, 3000, 2000), 50_000
# Estimated width of characters as a share of the font size.
CHARACTERS = ((re.compile('[\u1100-\uffff]'), 1.0), (re.compile('[mwMW@%\u2014]'), 0.9), (re.compile('[A-Z&]'), 0.72))
OTHER_WIDTH = 0.56
MEASURED_SIZE = 1000
# The office prints some fonts wider than it measures them.
TOLERANCE = 1.1
# Where text extends over empty cells, by com.sun.star.table.CellHoriJustify.
SIDES = {'STANDARD': (1,), 'LEFT': (1,), 'RIGHT': (-1,), 'CENTER': (1, -1)}
# Their columns are as wide as their longest text.
WITHOUT_WIDTHS = ('.csv', '.tsv')


def make_room(document, office, source):
    """Tries to print all cells, but ignores errors, such as those of protected sheets: a table with clipped cells is
    better than none."""
    fonts = Fonts(office)
    for sheet in document.Sheets:
        if sheet.IsVisible:
            try:
                Sheet(document, sheet, fonts, source.endswith(WITHOUT_WIDTHS)).make_room()
            except UnoException:
                pass


class Fonts:
    def __init__(self, office):
        self._device = office.create('com.sun.star.awt.Toolkit').createScreenCompatibleDevice(1, 1)
        self._fonts = {}

    def width(self, text, font):
        """Returns the width of the longest line in hundredths of a millimeter."""
        name, size, weight = font
        if (name, weight) not in self._fonts:
            descriptor = FontDescriptor(Name=name, Height=MEASURED_SIZE, Weight=weight)
            self._fonts[name, weight] = self._device.getFont(descriptor)
        measured = self._fonts[name, weight]
        width = max(map(measured.getStringWidth, text.split('\n'))) / MEASURED_SIZE * size * POINT
        return width * TOLERANCE + PADDING


class Sheet:
    def __init__(self, document, sheet, fonts, may_shrink):
        self.document, self.sheet, self.fonts, self.may_shrink = document, sheet, fonts, may_shrink
        end = last_cell(sheet)
        self.columns = min(end.EndColumn + 1, MAX_COLUMNS)
        self.rows = min(end.EndRow + 1, MAX_CELLS // self.columns)
        self.values = sheet.getCellRangeByPosition(0, 0, self.columns - 1, self.rows - 1).getDataArray()
        columns = map(sheet.Columns.getByIndex, range(self.columns))
        self.old_widths = [column.Width if column.IsVisible else 0 for column in columns]
        self.widths = [min(width, self._min_width(column)) for column, width in enumerate(self.old_widths)]
        # Widths that columns need for their numbers, and for each of their clipped texts.
        self.number_widths, self.text_widths = {}, {}
        self.wrapped_rows = set()

    def make_room(self):
        for cells in list(self.sheet.UniqueCellFormatRanges)[:MAX_FORMATS]:
            places = [place for area in cells.RangeAddresses for place in self._places(area)]
            if places:
                self._measure(cells, places)
        # Otherwise, the office calculates the heights of rows after each change of a column or cell.
        self.document.IsAdjustHeightEnabled = False
        try:
            self._widen()
            split_links(self.document, self.sheet, self.wrapped_rows)
        finally:
            self.document.IsAdjustHeightEnabled = True
        if self.wrapped_rows:
            self._raise_rows()

    def _min_width(self, column):
        """Returns the width to which a column may shrink for a start: numbers are never wrapped."""
        if not self.may_shrink:
            return self.old_widths[column]
        is_text = all(isinstance(row[column], str) for row in self.values)
        return TEXT_WIDTHS[-1] if is_text else TEXT_WIDTHS[0]

    def _places(self, area):
        for row in range(area.StartRow, min(area.EndRow + 1, self.rows)):
            values = self.values[row]
            for column in range(area.StartColumn, min(area.EndColumn + 1, self.columns)):
                # Errors have no value.
                if values[column] not in ('', None) and self.widths[column] > 0:
                    yield row, column

    def _measure(self, cells, places):
        if cells.IsTextWrapped:
            self.wrapped_rows.update(row for row, _ in places)
            return
        sides = SIDES.get(cells.HoriJustify.value)
        if cells.ShrinkToFit or cells.RotateAngle != 0 or sides is None:
            return
        font = (cells.CharFontName, cells.CharHeight, cells.CharWeight)
        format = self.document.NumberFormats.getByKey(cells.NumberFormat).FormatString
        wide = {}
        for row, column in places:
            value = self.values[row][column]
            if isinstance(value, str):
                estimate = _estimate(value, font)
                if estimate > self._room(row, column, estimate, sides):
                    wide.setdefault((column, True), []).append((estimate, row))
            else:
                wide.setdefault((column, False), []).append((len(_digits(value, format)), row))
        for (column, is_text), found in wide.items():
            self._measure_widest(column, is_text, sorted(found, reverse=True), font, format, sides)

    def _measure_widest(self, column, is_text, found, font, format, sides):
        widths = self.text_widths if is_text else self.number_widths
        for at, (estimate, row) in enumerate(found):
            width = estimate
            if at < MAX_MEASURED:
                cell = self.sheet.getCellByPosition(column, row)
                if cell.IsMerged:
                    continue
                value = self.values[row][column]
                text = value if is_text else _digits(value, format) if format == 'General' else cell.String
                width = self.fonts.width(text, font)
            elif not is_text:
                break
            room = self._room(row, column, width, sides) if is_text else self.widths[column]
            if width > room:
                widths.setdefault(column, []).append((width, row))

    def _room(self, row, column, width, sides):
        """Returns the width of a cell and the empty cells next to it, over which its text extends."""
        room = self.widths[column]
        for side in sides:
            neighbor = column + side
            while room < width and 0 <= neighbor < self.columns and self.values[row][neighbor] == '':
                room += self.widths[neighbor]
                neighbor += side
            if neighbor == self.columns:
                return width
        return room

    def _widen(self):
        needed = {column: max(width for width, _ in found) for column, found in self.number_widths.items()}
        for max_width in TEXT_WIDTHS:
            new_widths = [max([width, needed.get(column, 0),
                               *(min(text, max_width) for text, _ in self.text_widths.get(column, []))])
                          for column, width in enumerate(self.widths)]
            if sum(new_widths) <= MAX_SHEET_WIDTH:
                break
        for column, width in enumerate(new_widths):
            if width > self.old_widths[column] or (self.may_shrink and width < self.old_widths[column]):
                self.sheet.Columns.getByIndex(column).Width = int(width) + 1
            long = [row for text, row in self.text_widths.get(column, []) if text > width]
            self._wrap(column, long[:MAX_WRAPPED])
            self.wrapped_rows.update(long)

    def _wrap(self, column, rows):
        if not rows:
            return
        cells = self.document.createInstance('com.sun.star.sheet.SheetCellRanges')
        sheet = self.sheet.RangeAddress.Sheet
        cells.addRangeAddresses(tuple(CellRangeAddress(sheet, column, row, column, row) for row in rows), False)
        cells.IsTextWrapped = True

    def _raise_rows(self):
        """Gives rows the height of their text, but lowers none, and shows no hidden ones."""
        areas = self.sheet.queryVisibleCells().RangeAddresses
        visible = {number for area in areas for number in range(area.StartRow, min(area.EndRow + 1, self.rows))}
        numbers = sorted(self.wrapped_rows & visible)[:MAX_ROWS]
        heights = dict(zip(numbers, self._heights(numbers)))
        for first, last in _consecutive(heights):
            self.sheet.getCellRangeByPosition(0, first, 0, last).Rows.OptimalHeight = True
        for (number, height), new_height in zip(heights.items(), self._heights(heights)):
            if new_height < height:
                self.sheet.Rows.getByIndex(number).Height = height

    def _heights(self, numbers):
        """Reads heights by moving a cursor: each object, such as a row, takes several more calls to the office."""
        cursor = self.sheet.createCursorByRange(self.sheet.getCellByPosition(0, 0))
        row = 0
        for number in numbers:
            cursor.gotoOffset(0, number - row)
            row = number
            yield cursor.Size.Height


def _consecutive(numbers):
    """Returns the first and last number of each series of consecutive numbers."""
    for _, series in groupby(enumerate(numbers), key=lambda item: item[1] - item[0]):
        series = [number for _, number in series]
        yield series[0], series[-1]


def _estimate(text, font):
    line = max(text.split('\n'), key=len)
    width = OTHER_WIDTH * len(line)
    for pattern, share in CHARACTERS:
        width += (share - OTHER_WIDTH) * len(pattern.findall(line))
    return width * font[1] * POINT + PADDING


def _digits(value, format):
    """Returns a number as its cell must show it. The default format may round fractions."""
    return str(round(value)) if format == 'General' and abs(value) < 1e15 else repr(value)
