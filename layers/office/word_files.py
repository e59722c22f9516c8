"""Changes a Word document before the office reads it, where the office would show less or more text than Word."""

import posixpath
import re
import zipfile

from alt_chunks import find_chunks, write_chunks
from damaged_parts import find_damaged, repair
from deleted_insertions import drop_deleted_insertions
from form_fields import write_form_fields
from package_parts import MAX_PART_BYTES, change_parts
from symbol_elements import end_symbol_runs
from table_grids import complete_grids

WORD = ('.docx', '.docm', '.dotx', '.dotm')
MAIN = 'word/document.xml'
PARTS = re.compile(r'word/(?:document|footnotes|endnotes|comments|header|footer)\d*\.xml')


def prepare_word(path, is_web_page):
    """Returns the names of the parts that are damaged or missing."""
    if not path.endswith(WORD) or not zipfile.is_zipfile(path):
        return []
    with zipfile.ZipFile(path) as package:
        names = package.namelist()
        chunks = find_chunks(package, MAX_PART_BYTES)
        damaged = find_damaged(package, MAX_PART_BYTES)
    steps = [drop_deleted_insertions, complete_grids, end_symbol_runs, *([write_form_fields] if is_web_page else [])]

    def find_change(name):
        if not PARTS.fullmatch(name):
            return None
        first = [lambda xml: write_chunks(xml, chunks)] if name == MAIN else []
        if name in damaged:
            first = [lambda xml: repair(name, xml)]
        return lambda xml: _apply([*first, *steps], xml)

    missing = [name for name in damaged if name not in names]
    change_parts(path, find_change, {name: repair(name, b'') for name in missing})
    return list(map(posixpath.basename, damaged))


def _apply(steps, xml):
    for step in steps:
        xml = step(xml)
    return xml
