"""Repairs parts of a Word document that are damaged: programs refuse the whole document, or drop the part silently."""

import posixpath
import re
from xml.parsers import expat

REPAIRABLE = re.compile(r'word/(footnotes|endnotes|comments|header|footer)\d*\.xml')
ROOTS = {'header': 'hdr', 'footer': 'ftr'}
NAMESPACE = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
RELATIONS = 'word/_rels/document.xml.rels'
RELATION = re.compile(rb'<Relationship\s[^<>]*>')
TARGET = re.compile(rb'\sTarget="([^"]*)"')


def repair(name, xml):
    """Returns the longest beginning of a part that is well-formed, with its elements closed; an empty part if there is
    none. A missing part has no bytes."""
    open_elements, stop = _find_error(xml)
    if stop is None:
        return xml
    tag = xml.rfind(b'<', 0, stop + 1)
    # The end of the text, or the start of the tag with the error.
    end = tag if xml.find(b'>', tag, stop) < 0 else stop
    closed = xml[:end] + b''.join(b'</%b>' % name.encode() for name in reversed(open_elements))
    if open_elements and _find_error(closed)[1] is None:
        return closed
    kind = REPAIRABLE.fullmatch(name).group(1)
    return f'<w:{ROOTS.get(kind, kind)} xmlns:w="{NAMESPACE}"/>'.encode()


def _find_error(xml):
    """Returns the names of the open elements and the position of the first error; None if there is no error."""
    parser, open_elements = expat.ParserCreate(), []
    parser.StartElementHandler = lambda name, _: open_elements.append(name)
    parser.EndElementHandler = lambda _: open_elements.pop()
    try:
        parser.Parse(xml, True)
    except expat.ExpatError:
        return open_elements, parser.ErrorByteIndex
    return open_elements, None


def find_damaged(package, max_bytes):
    """Returns the names of the parts with text that are not well-formed or missing."""
    names = package.namelist()
    damaged = [name for name in names if REPAIRABLE.fullmatch(name) and package.getinfo(name).file_size <= max_bytes
               and _find_error(package.read(name))[1] is not None]
    targets = map(_part_name, RELATION.findall(package.read(RELATIONS)) if RELATIONS in names else [])
    return damaged + sorted({name for name in targets if REPAIRABLE.fullmatch(name)}.difference(names))


def _part_name(relation):
    target = TARGET.search(relation)
    name = '' if target is None else target.group(1).decode('utf-8', 'replace')
    return posixpath.normpath(posixpath.join('/word', name)).lstrip('/')
