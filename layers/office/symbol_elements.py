"""Ends the run of a symbol (17.3.3.30) after it: the office would write the rest of the run in the font of the symbol."""

import re

TAG = re.compile(rb'<(/?)(\w{1,20}):(r|rPr|sym)(?:\s[^<>]*)?>')
RUN_END = re.compile(rb'\s{0,100}</\w{1,20}:r>')
# The formatting of real documents is far shorter.
MAX_FORMATTING_BYTES = 5000


def end_symbol_runs(xml):
    kept, end = [], 0
    is_run, formatting, formatting_start = False, b'', None
    for tag in TAG.finditer(xml):
        is_end, prefix, name = tag.groups()
        if name == b'r':
            is_run, formatting = not is_end, b''
        elif name == b'rPr' and not is_end:
            formatting_start = tag.start()
        elif name == b'rPr' and formatting_start is not None:
            formatting = xml[formatting_start:tag.end()]
        elif name == b'sym' and is_run and RUN_END.match(xml, tag.end()) is None:
            if len(formatting) <= MAX_FORMATTING_BYTES:
                kept += [xml[end:tag.end()], b'</%b:r><%b:r>%b' % (prefix, prefix, formatting)]
                end = tag.end()
    return b''.join([*kept, xml[end:]])
