"""Writes tables to a workbook with one sheet each: write_sheets.py sheets.json result.xlsx

    {"sheets": [{"name", "widths", "ruled", "cells": [{"row", "column", "rowSpan", "columnSpan", "text", "number",
    "bold", "fill"}]}], "about": {"title", "author", "subject", "keywords"}}
"""

import json
import sys

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

# Points per digit width of the default font, the unit of column widths.
POINTS_PER_UNIT = 5.3
MAX_TEXT = 32_767
MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384


class ExactSheet(Worksheet):
    """Writes 85.1 as it is. With the library's 16 digits, other programs would show 85.09999999999999."""

    def _xml_number_element(self, number, attributes=()):
        attribute_text = ''.join(f' {name}="{self._escape_attributes(value)}"' for name, value in attributes)
        self.fh.write(f'<c{attribute_text}><v>{number!r}</v></c>')


def main(source, target):
    with open(source, encoding='utf-8') as file:
        data = json.load(file)
    # Text that looks like a formula or a URL stays text.
    book = xlsxwriter.Workbook(target, {'strings_to_formulas': False, 'strings_to_urls': False})
    book.set_properties({name: text for name, text in data['about'].items() if text})
    formats = {}
    for sheet in data['sheets']:
        worksheet = book.add_worksheet(sheet['name'], ExactSheet)
        for column, width in enumerate(sheet['widths']):
            worksheet.set_column(column, column, min(80, max(4, width / POINTS_PER_UNIT + 1)))
        for cell in sheet['cells']:
            if cell['row'] + cell['rowSpan'] <= MAX_ROWS and cell['column'] + cell['columnSpan'] <= MAX_COLUMNS:
                write_cell(worksheet, cell, get_format(book, formats, cell, sheet['ruled']))
    book.close()


def get_format(book, formats, cell, ruled):
    number = cell.get('number')
    key = (cell.get('bold', False), cell.get('fill'), number and number['format'], ruled, '\n' in cell['text'])
    if key not in formats:
        bold, fill, number_format, _, wrapped = key
        formats[key] = book.add_format({
            'valign': 'top',
            'bold': bold,
            **({'bg_color': f'#{fill}'} if fill else {}),
            **({'num_format': number_format} if number_format else {}),
            **({'border': 1} if ruled else {}),
            **({'text_wrap': True} if wrapped else {}),
        })
    return formats[key]


def write_cell(worksheet, cell, cell_format):
    row, column = cell['row'], cell['column']
    if cell['rowSpan'] > 1 or cell['columnSpan'] > 1:
        worksheet.merge_range(row, column, row + cell['rowSpan'] - 1, column + cell['columnSpan'] - 1, '', cell_format)
    if 'number' in cell:
        worksheet.write_number(row, column, cell['number']['value'], cell_format)
    else:
        worksheet.write_string(row, column, cell['text'][:MAX_TEXT], cell_format)


main(*sys.argv[1:])
