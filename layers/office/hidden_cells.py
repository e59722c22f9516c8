"""Finds the hidden rows, columns and sheets of a workbook."""

from cells import last_cell

# Values of com.sun.star.sheet.CellFlags: VALUE, DATETIME, STRING, FORMULA.
CONTENT = 1 + 2 + 4 + 16
# A filter may hide every second row. Only this many groups of hidden rows are examined; others count as not empty.
MAX_EXAMINED = 1000


def count_hidden(sheets):
    """Counts hidden sheets, and hidden rows and columns of visible sheets, that are not empty."""
    hidden = {'sheets': 0, 'rows': 0, 'columns': 0}
    for sheet in sheets:
        end = last_cell(sheet)
        if sheet.IsVisible:
            for name, count in _count_hidden_on(sheet, end.EndColumn, end.EndRow).items():
                hidden[name] += count
        elif _count_rows_with_content(sheet, (0, 0, end.EndColumn, end.EndRow)) > 0:
            hidden['sheets'] += 1
    return hidden


def move_visible_sheet_first(document):
    """Moves the first visible sheet with content to the front: the office writes the first one as a table, even if it
    is hidden or empty."""
    sheets = document.Sheets
    shown = [sheet for sheet in sheets if sheet.IsVisible]
    chosen = next((sheet for sheet in shown if _has_content(sheet)), shown[0])
    sheets.moveByName(chosen.Name, 0)


def _has_content(sheet):
    return sheet.queryContentCells(CONTENT).Count > 0


def drop_hidden_print_areas(document):
    """Removes the print areas of hidden sheets: the office prints them although the sheet is not displayed."""
    for sheet in document.Sheets:
        if not sheet.IsVisible:
            sheet.setPrintAreas(())


def _count_hidden_on(sheet, last_column, last_row):
    columns = [number for number in range(last_column + 1) if not sheet.Columns.getByIndex(number).IsVisible]
    shown = next((number for number in range(last_column + 1) if number not in columns), None)
    if shown is None:
        rows = []
    else:
        visible = sheet.getCellRangeByPosition(shown, 0, shown, last_row).queryVisibleCells().RangeAddresses
        rows = _gaps([(one.StartRow, one.EndRow) for one in visible], last_row)
    examined = ((0, first, last_column, last) for first, last in rows[:MAX_EXAMINED])
    with_content = sum(_count_rows_with_content(sheet, place) for place in examined)
    return {
        'columns': sum(1 for number in columns if _count_rows_with_content(sheet, (number, 0, number, last_row)) > 0),
        'rows': with_content + sum(last - first + 1 for first, last in rows[MAX_EXAMINED:]),
    }


def _gaps(shown, last):
    gaps = []
    begin = 0
    for first, end in sorted(shown):
        if first > begin:
            gaps.append((begin, first - 1))
        begin = max(begin, end + 1)
    return gaps + ([(begin, last)] if begin <= last else [])


def _count_rows_with_content(sheet, place):
    """Returns the number of rows in a range that are not empty."""
    found = sheet.getCellRangeByPosition(*place).queryContentCells(CONTENT).RangeAddresses
    empty = _gaps([(one.StartRow - place[1], one.EndRow - place[1]) for one in found], place[3] - place[1])
    return place[3] - place[1] + 1 - sum(last - first + 1 for first, last in empty)
