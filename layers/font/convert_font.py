"""Converts one font: `convert_font.py SOURCE FROM TARGET TO OPTIONS`, with format ids and options as JSON.

Runs inside the sandbox. Prints facts as JSON: {"glyphs", "family", "faces", "dropped"}. Exit code 3: the file is not a
font of this format, 4: an option cannot be applied; stderr contains the message.
"""

import glob
import json
import os
import re
import struct
import sys
import tempfile
import zipfile

import fontforge
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont

# Python starts in isolated mode, without this folder in the module path.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from outlines import has_hinting, has_outlines, to_cubic, to_first_cff, to_quadratic  # noqa: E402
from scratch_files import keep_in_work_folder  # noqa: E402

# Tables that FontForge does not retain, with the feature that is lost.
LOST_TABLES = {'fvar': 'variations', 'COLR': 'colors', 'CBDT': 'colors', 'sbix': 'colors', 'SVG ': 'colors'}
# Features that formats with only outlines and names cannot contain.
FEATURES = {'GSUB': 'features', 'GPOS': 'features'}
FEATURELESS = ('pfa', 'pfb', 't42', 'cff', 'bdf')
WRAPPED = ('woff', 'woff2')
# Extensions of files for which FontForge drops the hinting of an OpenType font, by the kind of its outlines.
UNHINTED = {'ttf': ('.pfa', '.pfb', '.svg', '.ufo'), 'otf': ('.t42', '.dfont', '.svg')}
MAX_UFO_BYTES = 500 << 20
RANGE = re.compile(r'U\+([0-9A-F]{1,6})(?:-(?:U\+)?([0-9A-F]{1,6}))?$', re.IGNORECASE)


class FontError(Exception):
    def __init__(self, code, sentence):
        super().__init__(sentence)
        self.code = code


def main(source, kind, target, wanted, options):
    keep_in_work_folder()
    folder = tempfile.mkdtemp(dir=os.getcwd())
    facts = {'dropped': [], 'faces': 1}
    path, sfnt = open_source(source, kind, folder, facts, options.get('face', 1))
    if options.get('subset') or options.get('hinting') == 'none' or wanted in WRAPPED:
        path, sfnt = as_sfnt(path, sfnt, 'any', folder, facts)
        path = subset(path, sfnt, folder, options)
    write(path, sfnt, target, wanted, folder, facts, options)
    return facts


def open_source(source, kind, folder, facts, face):
    """Returns the path of a font that FontForge can read, and `ttf` or `otf` if it is already an OpenType file."""
    if kind == 'ttc':
        fonts = TTCollection(source).fonts
        facts['faces'] = len(fonts)
        if face > len(fonts):
            raise FontError(4, f'face: the collection has {len(fonts)} fonts')
        return save_font(fonts[face - 1], folder, 'face')
    if kind in WRAPPED:
        font = TTFont(source)
        font.flavor = None
        return save_font(font, folder, 'bare')
    if kind == 'eot':
        path = os.path.join(folder, 'bare.ttf')
        with open(source, 'rb') as wrapped, open(path, 'wb') as bare:
            bare.write(unwrap_eot(wrapped.read()))
        return path, flavor_of(TTFont(path))
    if kind == 'ufo':
        return unpack_ufo(source, folder), None
    if kind == 'sfd':
        return without_pickles(source, folder), None
    if kind in ('ttf', 'otf'):
        return source, flavor_of(TTFont(source, fontNumber=0))
    return source, None


def flavor_of(font):
    return 'otf' if 'CFF ' in font or 'CFF2' in font else 'ttf'


def save_font(font, folder, name):
    flavor = flavor_of(font)
    path = os.path.join(folder, f'{name}.{flavor}')
    font.save(path)
    return path, flavor


def unwrap_eot(data):
    """Extracts the font, which is at the end of the file (https://www.w3.org/Submission/EOT/, section 4)."""
    if len(data) < 36 or data[34:36] != b'LP':
        raise FontError(3, 'no EOT header')
    size, font_size, _version, flags = struct.unpack('<IIII', data[:16])
    if flags & 0x4:
        raise FontError(4, 'its content is compressed by MicroType Express, which cannot be read here')
    if size > len(data) or font_size > size:
        raise FontError(3, 'the font is cut off')
    font = data[size - font_size:size]
    return bytes(byte ^ 0x50 for byte in font) if flags & 0x10000000 else font


def unpack_ufo(source, folder):
    with zipfile.ZipFile(source) as package:
        if sum(entry.file_size for entry in package.infolist()) > MAX_UFO_BYTES:
            raise FontError(3, 'it unpacks to more than 500 MB')
        package.extractall(os.path.join(folder, 'ufo'))
    found = glob.glob(os.path.join(glob.escape(folder), 'ufo', '**', 'metainfo.plist'), recursive=True)
    if not found:
        raise FontError(3, 'it contains no metainfo.plist')
    home = os.path.dirname(found[0])
    if not home.endswith('.ufo'):
        # FontForge recognizes a UFO by its name.
        os.rename(home, home := os.path.join(folder, 'font.ufo'))
    return home


def without_pickles(source, folder):
    """Removes pickles: a pickle in a font file is executable code, which FontForge would run."""
    path = os.path.join(folder, 'clean.sfd')
    with open(source, encoding='latin-1') as original, open(path, 'w', encoding='latin-1') as clean:
        text = original.read()
        clean.write(re.sub(r'^Pickled\w*:\s*"(?:[^"\\]|\\.)*"\s*$', '', text, flags=re.MULTILINE | re.DOTALL))
    return path


def as_sfnt(path, sfnt, wanted, folder, facts):
    if sfnt is not None and wanted in ('any', sfnt):
        return path, sfnt
    if sfnt is not None:
        return convert_outlines(path, wanted, folder, facts)
    made = os.path.join(folder, 'outline.otf' if wanted == 'otf' else 'outline.ttf')
    redraw(path, sfnt, made, folder, facts)
    return made, os.path.splitext(made)[1][1:]


def convert_outlines(path, wanted, folder, facts):
    """Converts between the two kinds of OpenType outlines and retains all features except variations and hinting."""
    font = TTFont(path, recalcTimestamp=False)
    if not has_outlines(font):
        raise FontError(4, 'it contains images of characters and no outlines')
    # Hinting refers to points of the outlines.
    lost = [*(['hinting'] if has_hinting(font) else []), *(['variations'] if 'fvar' in font else [])]
    facts['dropped'] = sorted({*facts['dropped'], *lost})
    (to_cubic if wanted == 'otf' else to_quadratic)(font)
    made = os.path.join(folder, f'outline.{wanted}')
    font.save(made)
    return made, wanted


def subset(path, flavor, folder, options):
    characters = options.get('subset')
    if not characters and options.get('hinting') != 'none':
        return path
    settings = Options(hinting=options.get('hinting') != 'none', layout_features=['*'], name_IDs=['*'],
                       name_languages=['*'], notdef_outline=True, glyph_names=True, legacy_kern=True,
                       passthrough_tables=True, recalc_timestamp=False)
    font = TTFont(path)
    subsetter = Subsetter(settings)
    if characters:
        unicodes = code_points(characters) & set(font.getBestCmap() or {})
        if not unicodes:
            raise FontError(4, 'subset: the font has none of these characters')
        subsetter.populate(unicodes=unicodes)
    else:
        subsetter.populate(glyphs=font.getGlyphOrder())
    subsetter.subset(font)
    made = os.path.join(folder, f'trimmed.{flavor}')
    font.save(made)
    return made


def code_points(characters):
    """Parses ranges such as `U+0041-005A,U+20AC`, or the characters themselves."""
    parts = [RANGE.match(part.strip()) for part in characters.split(',')]
    if not all(parts):
        return {ord(character) for character in characters}
    found = set()
    for part in parts:
        first, last = int(part[1], 16), int(part[2] or part[1], 16)
        found.update(range(first, min(last, 0x10FFFF) + 1))
    return found


def write(path, sfnt, target, wanted, folder, facts, options):
    if sfnt is not None and wanted in FEATURELESS:
        record_lost(path, facts, {**LOST_TABLES, **FEATURES})
    if wanted in ('ttf', 'otf'):
        finish(as_sfnt(path, sfnt, wanted, folder, facts)[0], target, None)
    elif wanted in WRAPPED:
        finish(path, target, wanted)
    elif wanted == 'ttc':
        collection = TTCollection()
        collection.fonts = [TTFont(as_sfnt(path, sfnt, 'any', folder, facts)[0])]
        collection.save(target)
    elif wanted == 'cff':
        font = TTFont(without_cff2(as_sfnt(path, sfnt, 'otf', folder, facts)[0], folder))
        with open(target, 'wb') as bare:
            bare.write(font.getTableData('CFF '))
    elif wanted == 'ufo':
        made = os.path.join(folder, 'font.ufo')
        redraw(path, sfnt, made, folder, facts)
        pack(made, target)
    elif wanted == 'bdf':
        drawable = without_cff2(as_sfnt(path, sfnt, 'any', folder, facts)[0], folder)
        write_bitmaps(drawable, target, options.get('pixelSize', 16), folder)
    else:
        made = os.path.join(folder, f'made.{"svg" if wanted == "svg-font" else wanted}')
        redraw(path, sfnt, made, folder, facts)
        os.replace(made, target)
    describe(path, facts)


def finish(path, target, flavor):
    font = TTFont(path, recalcTimestamp=False)
    font.flavor = flavor
    font.save(target)


def without_cff2(path, folder):
    """Converts CFF2 to CFF, because FontForge does not support CFF2."""
    if not path.endswith('.otf') or 'CFF2' not in (font := TTFont(path, recalcTimestamp=False)):
        return path
    to_first_cff(font)
    made = os.path.join(folder, 'first.otf')
    font.save(made)
    return made


def redraw(path, sfnt, made, folder, facts):
    """Converts with FontForge, which supports every kind of outline, but not every table."""
    if sfnt is not None:
        record_lost(path, facts, LOST_TABLES)
        if made.endswith(UNHINTED[sfnt]) and has_hinting(TTFont(path)):
            facts['dropped'] = sorted({*facts['dropped'], 'hinting'})
    font = fontforge.open(path if sfnt is None else without_cff2(path, folder))
    if font.cidfontname:
        # Each subfont is a font of its own, and saving one crashes, so the font is flattened first.
        font.cidFlatten()
    if made.endswith('.sfd'):
        font.save(made)
        return
    cubic = made.endswith(('.pfa', '.pfb', '.otf'))
    quadratic = made.endswith(('.ttf', '.t42', '.dfont'))
    if cubic and font.is_quadratic:
        font.is_quadratic = False
        font.em = 1000
    elif quadratic and not font.is_quadratic:
        font.is_quadratic = True
        font.em = 2048
    font.generate(made)
    if not os.path.exists(made) or (not os.path.isdir(made) and os.path.getsize(made) == 0):
        raise FontError(4, 'the font has more glyphs than such a file can hold; keep fewer with subset')


def record_lost(path, facts, tables):
    """Adds the font's features from these tables to the list of dropped features."""
    lost = {tables[tag] for tag in TTFont(path, lazy=True).keys() if tag in tables}
    facts['dropped'] = sorted({*facts['dropped'], *lost})


def write_bitmaps(path, target, pixels, folder):
    font = fontforge.open(path)
    # FontForge converts only selected glyphs.
    font.selection.all()
    font.bitmapSizes = ((pixels,),)
    font.regenBitmaps((pixels,))
    font.generate(os.path.join(folder, 'bitmap.'), 'bdf')
    made = glob.glob(os.path.join(glob.escape(folder), 'bitmap*.bdf'))
    if not made:
        raise FontError(3, 'no glyph could be drawn')
    os.replace(made[0], target)


def pack(folder, target):
    with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as package:
        for home, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                path = os.path.join(home, name)
                package.write(path, os.path.join('font.ufo', os.path.relpath(path, folder)))


def describe(path, facts):
    """Adds family and number of glyphs of the source. If FontForge converted the font, it has read all of it."""
    if path.endswith(('.ttf', '.otf')):
        font = TTFont(path, lazy=True)
        facts['family'] = font['name'].getBestFamilyName()
        facts['glyphs'] = font['maxp'].numGlyphs
    else:
        font = fontforge.open(path)
        facts['family'] = font.familyname
        facts['glyphs'] = sum(1 for _ in font.glyphs())
    if facts['glyphs'] == 0:
        raise FontError(3, 'it has no glyphs')


if __name__ == '__main__':
    try:
        print(json.dumps(main(*sys.argv[1:5], json.loads(sys.argv[5]))))
    except FontError as error:
        sys.stderr.write(f'refused: {error}\n')
        sys.exit(error.code)
    except Exception as error:  # Any exception of the parser means that the file is damaged.
        sys.stderr.write(f'{type(error).__name__}: {error}\n')
        sys.exit(3)
