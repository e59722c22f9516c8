"""calibre's ebook-convert, which may be started before there is a book for it.

    ebook_convert.py [ARGUMENT...]

Without arguments it loads what conversions need and waits for them: one line on stdin, a JSON list. They are those of
ebook-convert, and may end with `--opf-if-untitled=FILE`: that file (Open Packaging Format 2.0) tells the title unless
the book has one.
"""

import importlib
import json
import os
import select
import sys

# As Debian's /usr/bin/ebook-convert sets them.
sys.path.insert(0, '/usr/lib/calibre')
sys.resources_location = '/usr/share/calibre'
sys.extensions_location = '/usr/lib/calibre/calibre/plugins'
sys.executables_location = '/usr/bin'
sys.system_plugins_location = None

# It is started out of reach of other modules.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))

UNTITLED = '--opf-if-untitled='

# What most conversions load in their course, which is the longer part of a small one.
MODULES = (
    'calibre.ebooks.conversion.cli',
    'calibre.ebooks.conversion.plumber',
    *(f'calibre.ebooks.oeb.transforms.{name}' for name in (
        'data_url', 'metadata', 'guide', 'jacket', 'structure', 'flatcss', 'page_margin', 'trimmanifest', 'cover',
        'manglecase', 'rasterize', 'htmltoc')),
    'calibre.ebooks.oeb.reader',
    'calibre.ebooks.oeb.writer',
    'calibre.ebooks.oeb.polish.container',
    'calibre.ebooks.metadata.meta',
    'calibre.ebooks.covers',
    'calibre.ebooks.unihandecode.unidecoder',
    'calibre.ebooks.mobi.writer2.main',
    'calibre.ebooks.mobi.writer2.resources',
    'calibre.ebooks.mobi.writer8.main',
    'calibre.ebooks.mobi.writer8.cleanup',
    'dateutil.parser',
    'PIL.JpegImagePlugin',
)


def main():
    arguments = sys.argv[1:] or awaited()
    if not arguments:
        return 0
    if arguments[-1].startswith(UNTITLED):
        opf = arguments.pop().removeprefix(UNTITLED)
        if not has_title(arguments[0]):
            arguments.append(f'--read-metadata-from-opf={opf}')
    from calibre.ebooks.conversion.cli import main as ebook_convert
    code = ebook_convert(['ebook-convert', *arguments])
    if not code and arguments[1].endswith('.epub'):
        from clean_book import clean
        clean(arguments[1])
    return code


def awaited():
    for name in MODULES:
        if select.select([sys.stdin], [], [], 0)[0]:
            break
        importlib.import_module(name)
    return json.loads(sys.stdin.readline() or '[]')


def has_title(path):
    """A document without one is called after its file, which has a name of ours."""
    from calibre.ebooks.metadata.meta import get_metadata
    name, extension = os.path.splitext(os.path.basename(path))
    try:
        with open(path, 'rb') as stream:
            title = get_metadata(stream, extension[1:].lower(), force_read_metadata=True).title
    except Exception:
        # The conversion says what is wrong with the file.
        return False
    return (title or '').strip().lower() not in ('', 'unknown', name.lower())


if __name__ == '__main__':
    sys.exit(main())
