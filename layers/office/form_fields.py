"""Writes the states of check boxes and the selected values of lists in Word documents (ECMA-376, part 1, 17.16.5.20 and
17.16.9) as text before their fields: as a web page, the office writes no values, and check boxes without a label."""

import re

FIELD = re.compile(rb'<(\w+):ffData\b')
RUN = re.compile(rb'<\w+:r[\s>]')
# Fields of real documents are far smaller, and so is the distance to the start of their run.
MAX_FIELD_BYTES, MAX_RUN_BYTES, MAX_BOX_BYTES = 100_000, 2000, 5000
OFF = (b'0', b'false', b'off')
BOXES = ('\u2610'.encode(), '\u2612'.encode())
CHARACTER, CHARACTER_END = re.compile(rb'<\w{1,20}:fldChar\s[^<>]{1,500}>'), re.compile(rb'\s{0,100}</\w{1,20}:fldChar>')


def write_form_fields(xml):
    kept, end = [], 0
    for field in FIELD.finditer(xml):
        stop = xml.find(b':ffData>', field.end(), field.end() + MAX_FIELD_BYTES)
        first = max(end, field.start() - MAX_RUN_BYTES)
        runs = [run.start() for run in RUN.finditer(xml, first, field.start())]
        text = _state(xml[field.start():stop]) if stop > 0 and runs else None
        if text is None:
            continue
        prefix = field.group(1)
        kept += [xml[end:runs[-1]], b'<%b:r><%b:t>%b</%b:t></%b:r>' % (prefix, prefix, text, prefix, prefix)]
        end = runs[-1]
        box = _find_box(xml, runs[-1], stop) if text in BOXES else None
        if box is not None:
            kept.append(xml[end:box[0]])
            end = box[1]
    return b''.join([*kept, xml[end:]])


def _find_box(xml, start, stop):
    """Returns the start and end of a check box, from the first to the last character of its field; None if not found."""
    first, last = None, None
    for character in CHARACTER.finditer(xml, start, min(stop + MAX_RUN_BYTES, start + MAX_BOX_BYTES)):
        if first is not None and b'"end"' in character.group():
            last = character
            break
        first = first or character
    if last is None:
        return None
    end_tag = None if last.group().endswith(b'/>') else CHARACTER_END.match(xml, last.end())
    end = last.end() if end_tag is None else end_tag.end()
    return None if b':p>' in xml[first.start():end] else (first.start(), end)


def _state(field):
    if b':checkBox' in field:
        is_on = _value(field, b'checked', b'1')
        is_on = _value(field, b'default', b'1') if is_on is None else is_on
        return BOXES[is_on is not None and is_on not in OFF]
    if b':ddList' not in field:
        return None
    entries = re.findall(rb'<\w+:listEntry\s[^<>]*?val="([^"<>]*)"', field)
    chosen = _value(field, b'result', b'0') or _value(field, b'default', b'0') or b'0'
    return entries[int(chosen)] if chosen.isdigit() and len(chosen) < 5 and int(chosen) < len(entries) else None


def _value(field, name, default):
    """Returns the value of an element; None if it is absent."""
    found = re.search(rb'<\w+:%b\b(?:\s[^<>]*?val="([^"<>]*)")?' % name, field)
    return None if found is None else found.group(1) or default
