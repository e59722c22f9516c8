"""Changes a Word document before the office reads it, where the office would show less or more text than Word."""

import re

from deleted_insertions import drop_deleted_insertions
from form_fields import write_form_fields
from package_parts import change_parts
from symbol_elements import end_symbol_runs
from table_grids import complete_grids

WORD = ('.docx', '.docm', '.dotx', '.dotm')
PARTS = re.compile(r'word/(?:document|footnotes|endnotes|comments|header|footer)\d*\.xml')


def prepare_word(path, is_web_page):
    if not path.endswith(WORD):
        return
    changes = [drop_deleted_insertions, complete_grids, end_symbol_runs, *([write_form_fields] if is_web_page else [])]

    def change(xml):
        for step in changes:
            xml = step(xml)
        return xml

    change_parts(path, lambda name: change if PARTS.fullmatch(name) else None)
