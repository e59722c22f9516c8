"""Converts the outlines of an OpenType font to the other kind of curves. All other tables are unchanged: features,
kerning, colors and names refer to glyphs, which keep their order and names."""

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.reverseContourPen import ReverseContourPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import newTable
from fontTools.varLib.instancer import instantiateVariableFont

# Tables with variations of the outlines, and the signature, which becomes invalid.
VARIATIONS = ('fvar', 'gvar', 'avar', 'cvar', 'HVAR', 'VVAR', 'MVAR', 'STAT', 'DSIG')
CUBIC = ('CFF ', 'CFF2', 'VORG')
# Tables with hinting instructions, which refer to points that no longer exist.
QUADRATIC = ('glyf', 'loca', 'cvt ', 'fpgm', 'prep', 'gasp', 'hdmx', 'LTSH', 'VDMX')
# Maximum deviation of the converted curves, relative to the em size.
MAX_ERROR = 0.001


def has_outlines(font):
    return any(tag in font for tag in ('glyf', 'CFF ', 'CFF2'))


def has_hinting(font):
    if 'glyf' in font:
        # The table `prep` alone only turns on dropout control, in fonts without hinting.
        glyphs = font['glyf']
        return any(tag in font for tag in ('fpgm', 'cvt ')) or any(
            getattr(glyphs[name], 'program', None) for name in font.getGlyphOrder())
    tops = [font[tag].cff.topDictIndex[0] for tag in ('CFF ', 'CFF2') if tag in font]
    return any(getattr(part.Private, name, None) for top in tops for part in getattr(top, 'FDArray', [top])
               for name in ('BlueValues', 'StdHW', 'StdVW'))


def to_quadratic(font):
    """Replaces `CFF ` or `CFF2` by `glyf`; of a variable font only the default instance remains."""
    order = font.getGlyphOrder()
    glyphs = font.getGlyphSet()
    error = font['head'].unitsPerEm * MAX_ERROR
    drawn = {}
    for name in order:
        pen = TTGlyphPen(None)
        # The two kinds of outlines use opposite contour directions.
        glyphs[name].draw(Cu2QuPen(pen, error, reverse_direction=True))
        drawn[name] = pen.glyph()
    _remove(font, VARIATIONS + CUBIC)
    font.sfntVersion = '\x00\x01\x00\x00'
    font['loca'] = newTable('loca')
    table = font['glyf'] = newTable('glyf')
    table.glyphOrder = order
    table.glyphs = drawn
    _reset_limits(font)
    post = font['post']
    post.formatType, post.extraNames, post.mapping, post.glyphOrder = 2.0, [], {}, order
    metrics = font['hmtx'].metrics
    for name in order:
        drawn[name].recalcBounds(table)
        metrics[name] = (metrics[name][0], getattr(drawn[name], 'xMin', 0))


def to_cubic(font):
    """Replaces `glyf` by `CFF `; of a variable font only the default instance remains."""
    if 'fvar' in font:
        instantiateVariableFont(font, {axis.axisTag: axis.defaultValue for axis in font['fvar'].axes}, inplace=True)
    order = font.getGlyphOrder()
    glyphs = font.getGlyphSet()
    drawn = {}
    for name in order:
        record = DecomposingRecordingPen(glyphs)
        glyphs[name].draw(record)
        pen = T2CharStringPen(font['hmtx'][name][0], None)
        record.replay(ReverseContourPen(pen))
        drawn[name] = pen.getCharString()
    _remove(font, VARIATIONS + QUADRATIC)
    names = font['name']
    candidates = {'FullName': names.getDebugName(4), 'FamilyName': names.getDebugName(1), 'Weight': names.getDebugName(2)}
    info = {key: text for key, text in candidates.items() if text and text.isascii()}
    builder = FontBuilder(font=font)
    builder.isTTF = False
    builder.setupCFF(names.getDebugName(6) or 'Untitled', info, drawn, {})
    limits = font['maxp'] = newTable('maxp')
    limits.tableVersion, limits.numGlyphs = 0x00005000, len(order)
    font['post'].formatType = 3.0


def to_first_cff(font):
    """Replaces `CFF2` by `CFF ` at its default instance, because many programs only support `CFF `."""
    glyphs = font.getGlyphSet()
    drawn = {}
    for name in font.getGlyphOrder():
        pen = T2CharStringPen(font['hmtx'][name][0], glyphs)
        glyphs[name].draw(pen)
        drawn[name] = pen.getCharString()
    _remove(font, VARIATIONS + ('CFF2',))
    FontBuilder(font=font).setupCFF(font['name'].getDebugName(6) or 'Untitled', {}, drawn, {})


def _remove(font, tags):
    for tag in tags:
        if tag in font:
            del font[tag]


def _reset_limits(font):
    """Sets the instruction limits in `maxp` to zero. The other values are computed when the font is saved."""
    limits = font['maxp'] = newTable('maxp')
    limits.tableVersion, limits.numGlyphs, limits.maxZones = 0x00010000, len(font.getGlyphOrder()), 1
    for name in ('maxTwilightPoints', 'maxStorage', 'maxFunctionDefs', 'maxInstructionDefs', 'maxStackElements',
                 'maxSizeOfInstructions', 'maxComponentElements', 'maxPoints', 'maxContours', 'maxCompositePoints',
                 'maxCompositeContours', 'maxComponentDepth'):
        setattr(limits, name, 0)
