"""Finds the last used cell of a sheet."""


def last_cell(sheet):
    """@returns the address of the last one that is used."""
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    return cursor.RangeAddress
