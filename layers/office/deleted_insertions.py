"""Removes text that one tracked change inserted and another deleted (17.13.5.14 within 17.13.5.18): the office supports
only one change per text and would show text that Word does not display."""

import os
import re
import zipfile

WORD = ('.docx', '.docm', '.dotx', '.dotm')
PARTS = re.compile(r'word/(?:document|footnotes|endnotes|comments|header|footer)\d*\.xml')
# Parts are read completely; in real documents they are far smaller than the limit.
MAX_PART_BYTES = 64 * 1024 * 1024
CHANGE = re.compile(rb'<(/?)\w+:(ins|moveTo|del|moveFrom)(?:\s[^<>]*)?>')
INSERTIONS = (b'ins', b'moveTo')


def drop_deleted_insertions(path):
    if not path.endswith(WORD) or not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as package:
        changed = {}
        for part in package.infolist():
            if PARTS.fullmatch(part.filename) and part.file_size <= MAX_PART_BYTES:
                xml = package.read(part)
                kept = _without_deleted_insertions(xml)
                if kept != xml:
                    changed[part.filename] = kept
        if changed:
            write_parts(package, changed, path)


def _without_deleted_insertions(xml):
    if b':del ' not in xml and b':moveFrom ' not in xml:
        return xml
    kept, start = [], 0
    inserted = deleted = 0
    for change in CHANGE.finditer(xml):
        # An empty element only marks a paragraph or a row as changed.
        if change.group().endswith(b'/>'):
            continue
        step = -1 if change.group(1) else 1
        if change.group(2) in INSERTIONS:
            inserted += step
        elif deleted > 0 or (inserted > 0 and step > 0):
            if deleted == 0:
                kept.append(xml[start:change.start()])
            deleted += step
            if deleted == 0:
                start = change.end()
    # If an element does not end, the document is damaged, and the office decides what to do.
    return xml if deleted > 0 else b''.join([*kept, xml[start:]])


def write_parts(package, changed, path):
    new_path = f'{path}.new'
    with zipfile.ZipFile(new_path, 'w', zipfile.ZIP_DEFLATED) as result:
        for part in package.infolist():
            result.writestr(part.filename, changed[part.filename] if part.filename in changed else package.read(part))
    os.replace(new_path, path)
