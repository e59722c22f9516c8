"""Converts images of a book to formats that ereaders support; EPUB 3.3 (3.2) requires a fallback for others."""

import io
import posixpath
import urllib.parse

from PIL import Image

OPF = '{http://www.idpf.org/2007/opf}'
XHTML = '{http://www.w3.org/1999/xhtml}'
SVG = '{http://www.w3.org/2000/svg}'
XLINK = '{http://www.w3.org/1999/xlink}href'
SUPPORTED = {'image/jpeg', 'image/png', 'image/gif', 'image/svg+xml', 'image/webp'}
CONVERTIBLE = ('BMP', 'DIB', 'TIFF', 'PCX', 'TGA', 'PPM', 'JPEG2000', 'PNG', 'GIF', 'JPEG', 'WEBP')
MAX_PIXELS = 100_000_000


def replace_unsupported_images(book, pages):
    """Converts images that few ereaders support to PNG, and updates the pages to refer to the new files.

    Returns the new images by name, the names of the replaced ones, and the number of images that cannot be converted.
    """
    converted, replaced, unsupported = {}, set(), 0
    for package, items in _unsupported_items(pages):
        for item in items:
            name = _resolve(package, item.get('href', ''))
            image = _as_png(book, name)
            if image is None:
                unsupported += 1
                continue
            replaced.add(name)
            converted[f'{name}.png'] = image
            item.set('href', f'{item.get("href")}.png')
            item.set('media-type', 'image/png')
    if replaced:
        for name, page in pages.items():
            _update_links(page, name, replaced)
    return converted, replaced, unsupported


def _unsupported_items(pages):
    shown = {link for name, page in pages.items() for _, _, link in _links(page, name)}
    for name, page in pages.items():
        if name.endswith('.opf'):
            items = [item for item in page.iter(f'{OPF}item') if _resolve(name, item.get('href', '')) in shown]
            yield name, [item for item in items if item.get('media-type') not in SUPPORTED]


def _links(page, name):
    for element in page.iter(f'{XHTML}img', f'{SVG}image'):
        for attribute in ('src', XLINK, 'href'):
            if element.get(attribute) is not None:
                yield element, attribute, _resolve(name, element.get(attribute))


def _resolve(page, link):
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), urllib.parse.unquote(link)))


def _as_png(book, name):
    try:
        with Image.open(io.BytesIO(book.read(name)), formats=CONVERTIBLE) as image:
            if image.width * image.height > MAX_PIXELS:
                return None
            plain = image if image.mode in ('1', 'L', 'LA', 'P', 'RGB', 'RGBA') else image.convert('RGB')
            target = io.BytesIO()
            plain.save(target, 'PNG', optimize=True)
            return target.getvalue()
    except Exception:
        # A damaged image is left unchanged, whatever exception its reader raises.
        return None


def _update_links(page, name, replaced):
    for element, attribute, target in list(_links(page, name)):
        if target in replaced:
            element.set(attribute, f'{element.get(attribute)}.png')
