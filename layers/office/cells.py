"""Finds the last used cell of a sheet."""


def last_cell(sheet):
    """Returns the address of the last used cell."""
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    return cursor.RangeAddress
