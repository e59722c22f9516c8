"""Writes the text of documents that replace a part of the text of a Word document (17.17.2.1), such as web pages of
filled templates: the office reads only Word documents there, and drops others."""

import posixpath
import re
import xml.sax.saxutils

from chunk_lines import lines_of

CHUNK = re.compile(rb'<(\w+):altChunk\s[^<>]*?:id="([^"<>]*)"[^<>]*?(?:/>|>.*?</\1:altChunk>)', re.DOTALL)
RELATIONS = 'word/_rels/document.xml.rels'
RELATION = re.compile(r'<Relationship\s[^<>]*>')


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
    return CHUNK.sub(lambda chunk: _paragraphs(chunk, chunks), xml) if chunks else xml


def _paragraphs(chunk, chunks):
    prefix, content = chunk.group(1).decode(), chunks.get(chunk.group(2).decode('utf-8', 'replace'))
    if content is None:
        return chunk.group()
    return ''.join(
        f'<{prefix}:p><{prefix}:r><{prefix}:t xml:space="preserve">{_escape(line)}</{prefix}:t></{prefix}:r></{prefix}:p>'
        for line in lines_of(content)).encode('utf-8', 'replace')


def _escape(line):
    return xml.sax.saxutils.escape(re.sub('[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]', '', line))
