"""Fixes an EPUB written by calibre so that EPUBCheck reports no errors. Calibre retains problems of old sources:
presentational attributes, broken links, duplicate ids. Also removes the author "Unknown" and the program as
contributor.
"""

import os
import posixpath
import re
import urllib.parse
import zipfile

from lxml import etree

from book_images import replace_unsupported_images

XHTML = '{http://www.w3.org/1999/xhtml}'
DC = '{http://purl.org/dc/elements/1.1/}'
OPF = '{http://www.idpf.org/2007/opf}'
MATHML = '{http://www.w3.org/1998/Math/MathML}'
LINKED = ('href', 'src')
SCHEME = re.compile(r'[a-z][a-z0-9+.-]*:', re.IGNORECASE)
# Obsolete attributes and the equivalent CSS.
STYLES = {
    'align': 'text-align', 'valign': 'vertical-align', 'bgcolor': 'background-color', 'color': 'color',
    'face': 'font-family', 'width': 'width', 'height': 'height',
}
SIZED = ('img', 'svg', 'video', 'canvas', 'iframe', 'object', 'embed', 'image', 'rect', 'use')
OBSOLETE = ('cellpadding', 'cellspacing', 'nowrap', 'noshade', 'hspace', 'vspace', 'compact', 'clear', 'border', 'size',
        'frame', 'rules', 'summary', 'link', 'vlink', 'alink', 'text', 'background', 'axis', 'char', 'charoff')
# Elements with a valid `type` attribute; on other elements it comes from Kindle books.
TYPED = ('a', 'area', 'button', 'embed', 'input', 'link', 'menu', 'object', 'ol', 'script', 'source', 'style', 'track')
RENAMED = {
    'center': ('div', 'text-align: center'), 'font': ('span', ''), 'tt': ('span', 'font-family: monospace'),
    'big': ('span', 'font-size: larger'), 'strike': ('s', ''), 'acronym': ('abbr', ''), 'dir': ('ul', ''),
}


def clean(path):
    with zipfile.ZipFile(path) as book:
        texts = {name: book.read(name) for name in book.namelist() if name.endswith(('.xhtml', '.html', '.htm', '.opf'))}
        pages = {name: _parse(text) for name, text in texts.items()}
        pages = {name: page for name, page in pages.items() if page is not None}
        names = set(book.namelist())
        for name, page in pages.items():
            if name.endswith('.opf'):
                _clean_package(page)
            else:
                _fix_formula_namespace(page)
                _clean_page(page)
        for name, page in pages.items():
            if name.endswith('.opf'):
                _declare_formulas(page, name, pages)
        ids = {name: {one.get('id') for one in page.iter() if one.get('id')} for name, page in pages.items()}
        for name, page in pages.items():
            if not name.endswith('.opf'):
                _clean_links(page, name, names, ids)
        images, replaced, unsupported = replace_unsupported_images(book, pages)
        changed = {name: etree.tostring(page.getroottree(), encoding='utf-8', xml_declaration=True)
                   for name, page in pages.items()}
        _repack(book, f'{path}.clean', changed, images, replaced)
    os.replace(f'{path}.clean', path)
    if unsupported:
        print(f'unsupported images: {unsupported}', flush=True)


def _parse(text):
    try:
        return etree.fromstring(text, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except etree.XMLSyntaxError:
        # A page that is not well-formed cannot be fixed here.
        return None


def _clean_package(package):
    for one in list(package.iter(f'{DC}creator', f'{DC}contributor', f'{DC}date', f'{OPF}meta')):
        text = (one.text or '').strip()
        is_program = one.tag == f'{DC}contributor' and 'calibre' in text
        is_unknown = one.tag == f'{DC}creator' and text == 'Unknown'
        is_no_date = one.tag == f'{DC}date' and (text == '' or text.startswith('0101-'))
        # Also remove the sort name "Unknown" of an author who has a name.
        is_unknown = is_unknown or (one.get('property') == 'file-as' and text == 'Unknown')
        is_stamp = (one.get('name') or one.get('property') or '').startswith('calibre:timestamp')
        if is_program or is_unknown or is_no_date or is_stamp:
            _drop(package, one)


def _drop(package, element):
    name = element.get('id')
    for one in package.iter(f'{OPF}meta'):
        if name and one.get('refines') == f'#{name}':
            one.getparent().remove(one)
    element.getparent().remove(element)


def _fix_formula_namespace(page):
    """Puts formulas into the MathML namespace, which is missing after a conversion from Kindle formats."""
    for one in list(page.iter(f'{XHTML}math')):
        # Create a new root; otherwise, each of its elements would get a prefix.
        named = etree.Element(f'{MATHML}math', dict(one.attrib), {None: MATHML[1:-1]})
        named.text, named.tail = one.text, one.tail
        named.extend(list(one))
        one.getparent().replace(one, named)
        for child in named.iter(f'{XHTML}*'):
            child.tag = MATHML + child.tag[len(XHTML):]


def _declare_formulas(package, name, pages):
    """Declares in the package which pages contain formulas, as EPUB 3 requires."""
    if not (package.get('version') or '').startswith('3'):
        return
    for item in package.iter(f'{OPF}item'):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), urllib.parse.unquote(item.get('href') or '')))
        properties = (item.get('properties') or '').split()
        if path in pages and 'mathml' not in properties and pages[path].find(f'.//{MATHML}math') is not None:
            item.set('properties', ' '.join([*properties, 'mathml']))


def _clean_page(page):
    seen = set()
    for one in list(page.iter(f'{XHTML}*')):
        name = one.tag[len(XHTML):]
        if name in RENAMED:
            renamed, style = RENAMED[name]
            one.tag = XHTML + renamed
            _add_style(one, style)
        if name == 'col' and one.getparent().tag == f'{XHTML}table':
            _wrap_column(one)
        for attribute in list(one.attrib):
            _clean_attribute(one, name, attribute)
        mark = _hyphenate(one.get('id') or '')
        if mark and mark != one.get('id'):
            one.set('id', mark)
        if mark in seen:
            del one.attrib['id']
        elif mark:
            seen.add(mark)


def _hyphenate(name):
    return '-'.join(name.split())


def _wrap_column(column):
    """Wraps `col` elements in a `colgroup`."""
    table, at = column.getparent(), column.getparent().index(column)
    before = table[at - 1] if at > 0 else None
    if before is None or before.tag != f'{XHTML}colgroup':
        before = etree.Element(f'{XHTML}colgroup')
        table.insert(at, before)
    before.append(column)


def _clean_attribute(one, name, attribute):
    if attribute == 'name' and name in ('a', 'img', 'map') and name != 'map':
        mark = one.attrib.pop(attribute)
        if not one.get('id') and re.fullmatch(r'[^\s]+', mark):
            one.set('id', mark)
    elif attribute in STYLES and not (attribute in ('width', 'height') and name in SIZED):
        value = one.attrib.pop(attribute)
        if re.fullmatch(r'[\w#%., -]+', value):
            _add_style(one, f'{STYLES[attribute]}: {value}{"px" if value.isdigit() else ""}')
    elif attribute in OBSOLETE or (attribute == 'value' and name == 'li' and not re.fullmatch(r'-?\d+', one.get('value'))):
        del one.attrib[attribute]
    elif attribute == 'type' and (name not in TYPED or (name == 'a' and '/' not in one.get('type'))):
        del one.attrib[attribute]


def _add_style(element, style):
    if style:
        element.set('style', '; '.join(filter(None, [style, (element.get('style') or '').strip()])))


def _clean_links(page, name, names, ids):
    """Removes links to files that are not in the book."""
    for one in list(page.iter(f'{XHTML}a', f'{XHTML}area', f'{XHTML}link')):
        link = one.get('href')
        if link is None or SCHEME.match(link):
            continue
        address, _, fragment = link.partition('#')
        path = posixpath.join(posixpath.dirname(name), urllib.parse.unquote(address))
        target = posixpath.normpath(path) if address else name
        if target not in names and one.tag == f'{XHTML}link':
            one.getparent().remove(one)
        elif target not in names:
            del one.attrib['href']
        elif fragment and target in ids and urllib.parse.unquote(fragment) not in ids[target]:
            if _hyphenate(urllib.parse.unquote(fragment)) in ids[target]:
                one.set('href', f'{address}#{urllib.parse.quote(_hyphenate(urllib.parse.unquote(fragment)))}')
            elif address:
                one.set('href', address)
            else:
                del one.attrib['href']


def _repack(book, path, changed, added, removed):
    """Writes the files in their original order, with `mimetype` first and uncompressed."""
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as target:
        for entry in book.infolist():
            if entry.filename not in removed:
                target.writestr(entry, changed.get(entry.filename) or book.read(entry))
        for name, image in added.items():
            target.writestr(name, image)
