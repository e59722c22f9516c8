"""Writes dates and times to text tables in unambiguous formats."""

import uno

DATE = uno.getConstantByName('com.sun.star.util.NumberFormat.DATE')
TIME = uno.getConstantByName('com.sun.star.util.NumberFormat.TIME')
DATETIME = uno.getConstantByName('com.sun.star.util.NumberFormat.DATETIME')
# By the language whose hours are meant: of English in America half a day is "12:00:00 PM". What is longer than a day
# keeps all of its hours.
ISO = {DATE: ('YYYY-MM-DD', 'US'), DATETIME: ('YYYY-MM-DD HH:MM:SS', 'US'), TIME: ('HH:MM:SS', 'GB')}


def write_iso_dates(document):
    """The office writes 16.07.2023 as 07/16/2023, whatever the sheet shows, and 04.03.2023 as 03/04/2023; only ISO
    8601 stays."""
    formats = document.NumberFormats
    # Those of a protected sheet stay as they are: to ask it to open without its password ends the office.
    for cells in document.Sheets.getByIndex(0).UniqueCellFormatRanges:
        # What is shown as a time alone says no day.
        iso = ISO.get(formats.getByKey(cells.NumberFormat).Type & DATETIME)
        if iso is None:
            continue
        code, country = iso
        english = uno.createUnoStruct('com.sun.star.lang.Locale', 'en', country, '')
        key = formats.queryKey(code, english, False)
        cells.NumberFormat = key if key >= 0 else formats.addNew(code, english)
