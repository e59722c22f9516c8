"""Converts a built-in page, because the office loads half of its code only when it is first used."""

from convert import convert
from office import properties

WORD = 'MS Word 2007 XML'
REQUEST = {
    'family': 'text',
    'input': 'document.docx',
    'name': 'document.docx',
    'output': 'result.pdf',
    'sources': [{'filter': WORD}],
    'target': {'filter': 'writer_pdf_Export', 'data': {'UseTaggedPDF': True}},
}


def warm(office):
    page = office.new_text()
    page.Text.setString('Words')
    page.storeToURL(f'file://{office.folder}/{REQUEST["input"]}', properties({'FilterName': WORD}))
    page.close(True)
    convert(office, REQUEST, lambda event, **values: None)
