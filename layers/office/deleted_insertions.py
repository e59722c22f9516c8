"""Removes text that one tracked change inserted and another deleted (17.13.5.14 within 17.13.5.18): the office supports
only one change per text and would show text that Word does not display."""

import re

CHANGE = re.compile(rb'<(/?)\w+:(ins|moveTo|del|moveFrom)(?:\s[^<>]*)?>')
INSERTIONS = (b'ins', b'moveTo')


def drop_deleted_insertions(xml):
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
