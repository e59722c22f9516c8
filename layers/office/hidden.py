"""Finds the hidden rows, columns and sheets of a workbook."""

from cells import last_cell

# com.sun.star.sheet.CellFlags: VALUE, DATETIME, STRING, FORMULA.
CONTENT = 1 + 2 + 4 + 16
# A filter may leave a gap in every second row: of more than so many, all are taken to hold something.
MOST_ASKED = 1000


def count_hidden(sheets):
    """Sheets, and rows and columns of those that are shown, with something in them."""
    hidden = {'sheets': 0, 'rows': 0, 'columns': 0}
    for sheet in sheets:
        end = last_cell(sheet)
        if sheet.IsVisible:
            for name, count in _hidden_on(sheet, end.EndColumn, end.EndRow).items():
                hidden[name] += count
        elif _held_rows(sheet, (0, 0, end.EndColumn, end.EndRow)) > 0:
            hidden['sheets'] += 1
    return hidden


def show_first(document):
    """The office writes the first sheet as a table, were it hidden."""
    sheets = document.Sheets
    if not sheets.getByIndex(0).IsVisible:
        shown = next(sheet for sheet in sheets if sheet.IsVisible)
        sheets.moveByName(shown.Name, 0)


def _hidden_on(sheet, last_column, last_row):
    columns = [number for number in range(last_column + 1) if not sheet.Columns.getByIndex(number).IsVisible]
    shown = next((number for number in range(last_column + 1) if number not in columns), None)
    if shown is None:
        rows = []
    else:
        visible = sheet.getCellRangeByPosition(shown, 0, shown, last_row).queryVisibleCells().RangeAddresses
        rows = _gaps([(one.StartRow, one.EndRow) for one in visible], last_row)
    held = sum(_held_rows(sheet, (0, first, last_column, last)) for first, last in rows[:MOST_ASKED])
    return {
        'columns': sum(1 for number in columns if _held_rows(sheet, (number, 0, number, last_row)) > 0),
        'rows': held + sum(last - first + 1 for first, last in rows[MOST_ASKED:]),
    }


def _gaps(shown, last):
    gaps = []
    begin = 0
    for first, end in sorted(shown):
        if first > begin:
            gaps.append((begin, first - 1))
        begin = max(begin, end + 1)
    return gaps + ([(begin, last)] if begin <= last else [])


def _held_rows(sheet, place):
    """How many rows of a part of a sheet have something in it."""
    found = sheet.getCellRangeByPosition(*place).queryContentCells(CONTENT).RangeAddresses
    empty = _gaps([(one.StartRow - place[1], one.EndRow - place[1]) for one in found], place[3] - place[1])
    return place[3] - place[1] + 1 - sum(last - first + 1 for first, last in empty)
