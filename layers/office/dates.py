"""Writes dates and times to text tables in unambiguous formats."""

import uno

DATE = uno.getConstantByName('com.sun.star.util.NumberFormat.DATE')
TIME = uno.getConstantByName('com.sun.star.util.NumberFormat.TIME')
DATETIME = uno.getConstantByName('com.sun.star.util.NumberFormat.DATETIME')
# Number formats with the country whose rules they follow: in the US, HH:MM:SS would be "12:00:00 PM". Durations longer
# than a day keep all of their hours.
ISO = {DATE: ('YYYY-MM-DD', 'US'), DATETIME: ('YYYY-MM-DD HH:MM:SS', 'US'), TIME: ('HH:MM:SS', 'GB')}


def write_iso_dates(document):
    """Changes the format of dates to ISO 8601: the office would write 16.07.2023 as 07/16/2023 and 04.03.2023 as
    03/04/2023, however they are displayed."""
    formats = document.NumberFormats
    # Skip protected sheets: an attempt to unprotect a sheet without its password ends the office.
    for cells in document.Sheets.getByIndex(0).UniqueCellFormatRanges:
        # Cells that display only a time have no date.
        iso = ISO.get(formats.getByKey(cells.NumberFormat).Type & DATETIME)
        if iso is None:
            continue
        code, country = iso
        english = uno.createUnoStruct('com.sun.star.lang.Locale', 'en', country, '')
        key = formats.queryKey(code, english, False)
        cells.NumberFormat = key if key >= 0 else formats.addNew(code, english)
