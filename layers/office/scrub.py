"""Removes active content from a file that the office has just written.

The profile already blocks VBA (registrymodifications.xcu), but not the Basic and Python macros of the office itself,
ActiveX controls, event listeners, DDE fields, remote templates and links that run script.
"""

import mmap
import os
import re
import zipfile

from active_content import ACTIVE_PART, BINARY_LINKS, MARKUP_PART, PDF_LINK, clean_markup, clean_rtf


# The program that created a PDF, as the office writes it at the end: "LibreOffice" in UTF-16.
CREATOR = re.compile(rb'/Creator<FEFF[0-9A-F]*>\s*/Producer<FEFF004C0069006200720065[0-9A-F]*>')


def scrub(path, kind):
    """`kind` is the extension of the result."""
    if kind == 'pdf':
        _blank_in_place(path, (PDF_LINK,), b'x')
        _blank_creator(path)
    elif kind in ('doc', 'dot', 'xls', 'xlt', 'ppt', 'pps', 'pot'):
        _blank_in_place(path, BINARY_LINKS, 'x'.encode('utf-16-le'))
    elif kind == 'rtf':
        _rewrite(path, clean_rtf)
    elif kind in ('html', 'svg', 'fodt', 'fods', 'fodp', 'fodg'):
        _rewrite(path, clean_markup)
    elif zipfile.is_zipfile(path):
        _scrub_package(path)


def _rewrite(path, clean):
    with open(path, encoding='utf-8', errors='surrogateescape', newline='') as source:
        text = source.read()
    cleaned = clean(text)
    if cleaned == text:
        return
    with open(path, 'w', encoding='utf-8', errors='surrogateescape', newline='') as target:
        target.write(cleaned)


def _scrub_package(path):
    changed = {}
    with zipfile.ZipFile(path) as package:
        for entry in package.infolist():
            if ACTIVE_PART.search(entry.filename):
                changed[entry.filename] = None
            elif MARKUP_PART.search(entry.filename):
                text = package.read(entry).decode('utf-8', 'surrogateescape')
                cleaned = clean_markup(text)
                if cleaned != text:
                    changed[entry.filename] = cleaned.encode('utf-8', 'surrogateescape')
        if changed:
            _repack(package, f'{path}.clean', changed)
    if changed:
        os.replace(f'{path}.clean', path)


def _repack(package, path, changed):
    """Rewrites the file with the same order and compression methods: in OpenDocument, `mimetype` comes first and is not
    compressed."""
    with zipfile.ZipFile(path, 'w') as target:
        for entry in package.infolist():
            content = changed.get(entry.filename, package.read(entry))
            if content is not None:
                target.writestr(entry, content)


def _blank_creator(path):
    """Removes the program that created the PDF; the author of the document is another entry, which is kept."""
    with open(path, 'r+b') as file, mmap.mmap(file.fileno(), 0) as content:
        found = CREATOR.match(content, max(0, content.rfind(b'/Creator<FEFF')))
        if found:
            content[found.start():found.end()] = b' ' * len(found[0])


def _blank_in_place(path, patterns, filler):
    """Overwrites the first group of each match with the same length, so that offsets in the file stay valid."""
    with open(path, 'r+b') as file, mmap.mmap(file.fileno(), 0) as content:
        for pattern in patterns:
            for start, end in [found.span(1) for found in pattern.finditer(content)]:
                content[start:end] = filler * ((end - start) // len(filler))
