"""Displays logical values as TRUE and FALSE."""

import re

import uno

# Value of com.sun.star.sheet.CellFlags.FORMULA.
FORMULA = 16
LOGICAL = uno.getConstantByName('com.sun.star.util.NumberFormat.LOGICAL')
# The office imports logical values as these formulas.
CONSTANTS = ('=TRUE()', '=FALSE()')
# Formulas whose result may be logical, which only the displayed text shows.
COMPARISON = re.compile(r'=(?:.*[<>=]|(?:AND|OR|XOR|NOT|EXACT|IS[A-Z]+)\()')
# Limits, because reading formulas and displayed texts takes time.
MAX_FORMULAS, MAX_TEXTS = 200_000, 2000


def show_booleans(document):
    """Displays TRUE in any number format, as Excel does; the office would display 1, or 1.00."""
    key = document.NumberFormats.getStandardFormat(LOGICAL, document.CharLocale)
    formulas, texts = MAX_FORMULAS, MAX_TEXTS
    for sheet in document.Sheets:
        # The office refuses to change the format of cells on a protected sheet.
        if sheet.isProtected():
            continue
        for place in sheet.queryContentCells(FORMULA).RangeAddresses:
            formulas -= (place.EndRow - place.StartRow + 1) * (place.EndColumn - place.StartColumn + 1)
            if formulas < 0:
                return
            cells = sheet.getCellRangeByPosition(place.StartColumn, place.StartRow, place.EndColumn, place.EndRow)
            for column, values in enumerate(zip(*cells.getFormulaArray())):
                logical = []
                for row, formula in enumerate(values):
                    is_logical = formula in CONSTANTS
                    if not is_logical and texts > 0 and COMPARISON.match(formula):
                        texts -= 1
                        is_logical = cells.getCellByPosition(column, row).getString() in ('TRUE', 'FALSE')
                    if is_logical:
                        logical.append(row)
                for first, last in _runs(logical):
                    cells.getCellRangeByPosition(column, first, column, last).NumberFormat = key


def _runs(rows):
    """Returns the first and last of each group of adjacent rows."""
    groups = []
    for row in rows:
        if groups and groups[-1][1] == row - 1:
            groups[-1] = (groups[-1][0], row)
        else:
            groups.append((row, row))
    return groups
