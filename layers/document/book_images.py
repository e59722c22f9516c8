"""Converts images of a book to formats that ereaders support; EPUB 3.3 (3.2) requires a fallback for others."""

import io
import posixpath
import urllib.parse

from PIL import Image

OPF = '{http://www.idpf.org/2007/opf}'
XHTML = '{http://www.w3.org/1999/xhtml}'
SVG = '{http://www.w3.org/2000/svg}'
XLINK = '{http://www.w3.org/1999/xlink}href'
SHOWN = {'image/jpeg', 'image/png', 'image/gif', 'image/svg+xml', 'image/webp'}
READ = ('BMP', 'DIB', 'TIFF', 'PCX', 'TGA', 'PPM', 'JPEG2000', 'PNG', 'GIF', 'JPEG', 'WEBP')
MOST_PIXELS = 100_000_000


def show_pictures(book, pages):
    """Converts images that few ereaders support to PNG, and updates the pages to refer to the new files.

    @returns the new images by name, the names of the old ones, and the number of images that cannot be read here
    """
    made, renamed, unshown = {}, set(), 0
    for package, items in _foreign(pages):
        for item in items:
            name = _within(package, item.get('href', ''))
            picture = _as_png(book, name)
            if picture is None:
                unshown += 1
                continue
            renamed.add(name)
            made[f'{name}.png'] = picture
            item.set('href', f'{item.get("href")}.png')
            item.set('media-type', 'image/png')
    if renamed:
        for name, page in pages.items():
            _point(page, name, renamed)
    return made, renamed, unshown


def _foreign(pages):
    shown = {link for name, page in pages.items() for _, _, link in _links(page, name)}
    for name, page in pages.items():
        if name.endswith('.opf'):
            items = [item for item in page.iter(f'{OPF}item') if _within(name, item.get('href', '')) in shown]
            yield name, [item for item in items if item.get('media-type') not in SHOWN]


def _links(page, name):
    for element in page.iter(f'{XHTML}img', f'{SVG}image'):
        for attribute in ('src', XLINK, 'href'):
            if element.get(attribute) is not None:
                yield element, attribute, _within(name, element.get(attribute))


def _within(page, link):
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), urllib.parse.unquote(link)))


def _as_png(book, name):
    try:
        with Image.open(io.BytesIO(book.read(name)), formats=READ) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                return None
            known = picture if picture.mode in ('1', 'L', 'LA', 'P', 'RGB', 'RGBA') else picture.convert('RGB')
            target = io.BytesIO()
            known.save(target, 'PNG', optimize=True)
            return target.getvalue()
    except Exception:
        # A damaged image is left unchanged, whatever exception its reader raises.
        return None


def _point(page, name, renamed):
    for element, attribute, target in list(_links(page, name)):
        if target in renamed:
            element.set(attribute, f'{element.get(attribute)}.png')
