"""Writes documents that replace a part of the text of a Word document (17.17.2.1), such as web pages of filled
templates: the office reads only Word documents there, and drops others."""

import posixpath
import re

from chunk_blocks import blocks_of

CHUNK, ID = re.compile(rb'<(\w{1,20}):altChunk\s([^<>]{0,1000})>'), re.compile(rb':id="([^"]*)"')
# The properties in a real element are far shorter.
MAX_PROPERTIES_BYTES = 2000
RELATIONS = 'word/_rels/document.xml.rels'
RELATION = re.compile(r'<Relationship\s[^<>]*>')
TAG, OWN_PREFIX = re.compile('<[^<>]*>'), re.compile('(?:(?<=<)|(?<=</)|(?<= ))w:')


def find_chunks(package, max_bytes):
    """Returns the content of each embedded document that the office would drop, by the id of its relationship."""
    if RELATIONS not in package.namelist():
        return {}
    chunks = {}
    for relation in RELATION.findall(package.read(RELATIONS).decode('utf-8', 'replace')):
        name, target = (re.search(rf'\s{attribute}="([^"]*)"', relation) for attribute in ('Id', 'Target'))
        if '/aFChunk"' in relation and name and target:
            part = posixpath.normpath(posixpath.join('/word', target.group(1))).lstrip('/')
            if part in package.namelist() and package.getinfo(part).file_size <= max_bytes:
                content = package.read(part)
                if not content.startswith(b'PK'):
                    chunks[name.group(1)] = content
    return chunks


def write_chunks(xml, chunks):
    if not chunks:
        return xml
    kept, end = [], 0
    for tag in CHUNK.finditer(xml):
        prefix, attributes = tag.groups()
        found, stop = ID.search(attributes), tag.end()
        content = chunks.get(found.group(1).decode('utf-8', 'replace')) if found else None
        if not attributes.endswith(b'/'):
            end_tag = b'</%b:altChunk>' % prefix
            start = xml.find(end_tag, stop, stop + MAX_PROPERTIES_BYTES)
            stop = start + len(end_tag) if start >= 0 else 0
        if content is not None and stop > 0:
            kept += [xml[end:tag.start()], _with_prefix(blocks_of(content), prefix.decode())]
            end = stop
    return b''.join([*kept, xml[end:]])


def _with_prefix(blocks, prefix):
    if prefix != 'w':
        blocks = TAG.sub(lambda tag: OWN_PREFIX.sub(f'{prefix}:', tag.group()), blocks)
    return blocks.encode('utf-8', 'replace')
