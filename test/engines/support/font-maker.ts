import { readStdout } from './inspect-result.ts'

/** Creates a variable color font with two letters and a ligature, all of which are boxes. */
const program = `
import sys
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib.tables.TupleVariation import TupleVariation
def box(width, height):
    pen = TTGlyphPen(None)
    pen.moveTo((50, 0)); pen.lineTo((50, height)); pen.qCurveTo((width // 2, height + 80), (width, height)); pen.lineTo((width, 0)); pen.closePath()
    return pen.glyph()
order = ['.notdef', 'A', 'B', 'A_B', 'layer']
made = FontBuilder(1000, isTTF=True)
made.setupGlyphOrder(order)
made.setupCharacterMap({65: 'A', 66: 'B'})
made.setupGlyf({'.notdef': box(400, 600), 'A': box(500, 700), 'B': box(450, 650), 'A_B': box(900, 700), 'layer': box(300, 300)})
made.setupHorizontalMetrics({name: (width, 50) for name, width in zip(order, (500, 600, 550, 1000, 400))})
made.setupHorizontalHeader(ascent=800, descent=-200)
made.setupNameTable({'familyName': 'Boxes', 'styleName': 'Regular', 'psName': 'Boxes-Regular', 'fullName': 'Boxes Regular'})
made.setupFvar([('wght', 400, 400, 700, 'Weight')], [])
made.setupGvar({'A': [TupleVariation({'wght': (0, 1, 1)}, [(0, 0), (0, 0), (25, 0), (50, 0), (50, 0)] + [(0, 0)] * 4)]})
made.setupOS2(sTypoAscender=800, usWeightClass=400)
made.setupPost()
made.setupCOLR({'A': [('layer', 0)]}, version=0)
made.setupCPAL([[(1.0, 0.0, 0.0, 1.0)]])
made.addOpenTypeFeatures('feature liga { sub A B by A_B; } liga; feature kern { pos A B -40; } kern;')
made.save(sys.argv[1])
`

export const createBoxFont = (path: string) => readStdout('/usr/bin/python3', '-c', program, path)

const reader = `
import sys
from fontTools.ttLib import TTFont
from fontTools.pens.boundsPen import BoundsPen
font = TTFont(sys.argv[1])
glyphs = font.getGlyphSet()
def bounds(name):
    pen = BoundsPen(glyphs)
    glyphs[name].draw(pen)
    return [round(side) for side in pen.bounds]
print(' '.join(sorted(font.keys())))
print(' '.join(font.getGlyphOrder()))
print(bounds('A'), font['hmtx']['A'][0], font['head'].unitsPerEm)
print([record.FeatureTag for tag in ('GSUB', 'GPOS') for record in font[tag].table.FeatureList.FeatureRecord])
print({name: [layer.name for layer in layers] for name, layers in font['COLR'].ColorLayers.items()})
`

/** Returns tables, glyphs, an outline, features and colors according to fontTools, one per line. */
export const describeFont = async (path: string) =>
  (await readStdout('/usr/bin/python3', '-c', reader, path)).trim().split('\n')
