"""Ends the run of a symbol (17.3.3.30) after it: the office would write the rest of the run in the font of the symbol."""

import re

SYMBOL = re.compile(rb'<(\w+):sym\s[^<>]*/>(?!\s*</\w+:r>)')
RUN = re.compile(rb'<(\w+):r(?:\s[^<>]*)?>\s*(<\1:rPr>.*?</\1:rPr>|)', re.DOTALL)
# Runs of real documents are far shorter.
MAX_RUN_BYTES = 5000


def end_symbol_runs(xml):
    kept, end = [], 0
    for symbol in SYMBOL.finditer(xml):
        start = max(0, symbol.start() - MAX_RUN_BYTES)
        runs = list(RUN.finditer(xml, start, symbol.start()))
        if runs:
            prefix, formatting = runs[-1].group(1), runs[-1].group(2)
            kept += [xml[end:symbol.end()], b'</%b:r><%b:r>%b' % (prefix, prefix, formatting)]
            end = symbol.end()
    return b''.join([*kept, xml[end:]])
