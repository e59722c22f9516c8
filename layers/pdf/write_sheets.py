"""Writes tables as a workbook, a sheet each: write_sheets.py sheets.json result.xlsx

    {"sheets": [{"name", "widths", "ruled", "cells": [{"row", "column", "rowSpan", "columnSpan", "text", "number", "bold",
    "fill"}]}], "about": {"title", "author", "subject", "keywords"}}
"""

import json
import sys

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

# Points to the width of a digit of the usual font.
POINTS_PER_UNIT = 5.3
MOST_TEXT = 32_767
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384


class ExactSheet(Worksheet):
    """Writes 85.1 as such. With the library's 16 digits it is 85.09999999999999, which other programs read as it stands."""

    def _xml_number_element(self, number, attributes=()):
        told = ''.join(f' {name}="{self._escape_attributes(value)}"' for name, value in attributes)
        self.fh.write(f'<c{told}><v>{number!r}</v></c>')


def main(source, target):
    with open(source, encoding='utf-8') as file:
        given = json.load(file)
    # What looks like a formula or an address in the PDF is text.
    book = xlsxwriter.Workbook(target, {'strings_to_formulas': False, 'strings_to_urls': False})
    book.set_properties({name: text for name, text in given['about'].items() if text})
    looks = {}
    for sheet in given['sheets']:
        page = book.add_worksheet(sheet['name'], ExactSheet)
        for column, width in enumerate(sheet['widths']):
            page.set_column(column, column, min(80, max(4, width / POINTS_PER_UNIT + 1)))
        for cell in sheet['cells']:
            if cell['row'] + cell['rowSpan'] <= MOST_ROWS and cell['column'] + cell['columnSpan'] <= MOST_COLUMNS:
                put(page, cell, look_of(book, looks, cell, sheet['ruled']))
    book.close()


def look_of(book, looks, cell, ruled):
    number = cell.get('number')
    key = (cell.get('bold', False), cell.get('fill'), number and number['format'], ruled, '\n' in cell['text'])
    if key not in looks:
        bold, fill, shown, _, wrapped = key
        looks[key] = book.add_format({
            'valign': 'top',
            'bold': bold,
            **({'bg_color': f'#{fill}'} if fill else {}),
            **({'num_format': shown} if shown else {}),
            **({'border': 1} if ruled else {}),
            **({'text_wrap': True} if wrapped else {}),
        })
    return looks[key]


def put(page, cell, look):
    row, column = cell['row'], cell['column']
    if cell['rowSpan'] > 1 or cell['columnSpan'] > 1:
        page.merge_range(row, column, row + cell['rowSpan'] - 1, column + cell['columnSpan'] - 1, '', look)
    if 'number' in cell:
        page.write_number(row, column, cell['number']['value'], look)
    else:
        page.write_string(row, column, cell['text'][:MOST_TEXT], look)


main(*sys.argv[1:])
