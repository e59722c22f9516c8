"""Where the cells of a sheet end."""


def last_cell(sheet):
    """@returns the address of the last one that is used."""
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    return cursor.RangeAddress
