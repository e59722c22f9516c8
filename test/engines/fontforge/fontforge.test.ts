import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readSummary } from '../../../lib/decoders/read-summary.ts'
import { fontforge } from '../../../lib/engines/fontforge.ts'
import { buildCommand } from '../../../lib/engines/sandbox/isolation.ts'
import { type Launcher, launchers } from '../../../lib/engines/sandbox/launchers.ts'
import { locatePythonProgram } from '../../../lib/engines/sandbox/python.ts'
import { type FormatId, formatById } from '../../../lib/formats/index.ts'
import { detectFile } from '../../formats/detect-file.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { testConformance } from '../support/conformance.ts'
import { createBoxFont, describeFont } from '../support/font-maker.ts'
import { countCharacters } from '../support/inspect-font.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

/** An installed font, so that the repository needs none. Its license is that of Bitstream Vera. */
const ttfPath = '/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf'
const characters = 'Mutabor àéîõü'

const scratch = scratchFolder('fonts')

const subset = { subset: characters }
const convertSubset = async (to: FormatId) =>
  (await convert(fontforge, ttfPath, to, { options: subset })).path

testConformance(fontforge, {
  fixtures: { ttf: ttfPath },
  only: (_, to) => to === 'woff2' || to === 'woff',
  garbage: ['ttf', 'woff2', 'pfb', 'svg-font'],
  long: { source: '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc', to: 'sfd' },
})

/** A launcher without namespaces: its programs have no private /tmp and may not write to the shared one. */
const filteredLauncher = launchers.filter(
  ({ level, usesLandlock }) => level === 'filtered' && usesLandlock,
)[0] as Launcher

const getExtension = (id: FormatId) => formatById(id).extensions[0]

async function convertWithFilters(source: string, from: FormatId, to: FormatId): Promise<string> {
  const workDir = mkdtempSync(join(scratch, 'filtered-'))
  const [sourceName, resultName] = [`source.${getExtension(from)}`, `result.${getExtension(to)}`]
  copyFileSync(source, join(workDir, sourceName))
  const { file, args, readOnly } = locatePythonProgram('font/convert_font.py')
  const programArgs = [sourceName, from, resultName, to, JSON.stringify(from === 'ttf' ? subset : {})]
  const options = { workDir, limits: {}, readOnly: [...readOnly] }
  const command = await buildCommand(filteredLauncher, file, [...args, ...programArgs], options)
  const { status, signal, stderr } = spawnSync(command.file, command.args, { ...command, encoding: 'utf8' })
  assert.deepEqual([status, signal], [0, null], stderr)
  return join(workDir, resultName)
}

describe('font conversions with seccomp and Landlock only', { concurrency: 2 }, () => {
  for (const to of ['pfb', 'pfa', 'svg-font', 'sfd', 'otf', 't42'] as const) {
    test(`a font can be converted to ${to} and back in a sandbox with only seccomp and Landlock`, async () => {
      const convertedFont = await convertWithFilters(ttfPath, 'ttf', to)
      const back = await convertWithFilters(convertedFont, to, 'ttf')
      assert.ok((await countCharacters(back, 'ttf')) >= new Set(characters).size)
    })
  }
})

describe('font conversions', { concurrency: 2 }, () => {
  for (const via of [
    'otf',
    'woff',
    'woff2',
    'eot',
    'ttc',
    'dfont',
    'pfb',
    'pfa',
    't42',
    'svg-font',
    'ufo',
    'sfd',
    'cff',
  ] as const) {
    test(`a font subset can be converted to ${via} and back with all characters`, async () => {
      const subsetFont = await convertSubset(via)
      const bytes = readFileSync(subsetFont)
      assert.equal(await detectFile(`a.${subsetFont.split('.').at(-1)}`, bytes), via)
      const fontSummary = await readSummary(subsetFont, via, { isResult: true })
      assert.ok(
        (fontSummary?.counts.glyphs ?? 0) >= new Set(characters).size,
        `${fontSummary?.counts.glyphs} are counted`,
      )
      const { path, result } = await convert(fontforge, subsetFont, 'ttf', { from: via })
      // In formats with glyph names, FreeType counts additional names of the same glyph.
      const count = await countCharacters(path, 'ttf')
      assert.ok(count >= new Set(characters).size, `only ${count} characters are left`)
      assert.match(String(result.details?.family), /DejaVu ?Sans ?Mono/)
    })
  }
})

test('a font subset contains exactly the characters that are requested as Unicode ranges', async () => {
  const { path } = await convert(fontforge, ttfPath, 'woff2', { options: { subset: 'U+0041-0043, U+20AC' } })
  assert.equal(await readStdout('fc-query', '--format', '%{charset}', path), '41-43 20ac')
})

test('a font subset with characters that the font does not have is refused', async () => {
  const convertedFont = convert(fontforge, ttfPath, 'woff2', { options: { subset: '語' } })
  assert.equal((await assertRefused(convertedFont, 'INVALID_INPUT')).details?.field, 'subset')
})

test('a font with hinting removed is smaller and has the same characters', async () => {
  const keptFont = (await convert(fontforge, ttfPath, 'ttf')).path
  const unhintedPath = (await convert(fontforge, ttfPath, 'ttf', { options: { hinting: 'none' } })).path
  const [unhintedBytes, wholeBytes] = [(await stat(unhintedPath)).size, (await stat(keptFont)).size]
  assert.ok(
    unhintedBytes < wholeBytes * 0.9,
    `${unhintedBytes} bytes without, ${wholeBytes} with instructions`,
  )
  assert.equal(await countCharacters(unhintedPath, 'ttf'), await countCharacters(keptFont, 'ttf'))
})

test('a font converted to a bitmap font has the requested pixel height', async () => {
  const { path } = await convert(fontforge, ttfPath, 'bdf', { options: { ...subset, pixelSize: 24 } })
  assert.match(readFileSync(path, 'latin1'), /^PIXEL_SIZE 24$/m)
  const count = await countCharacters(path, 'bdf')
  assert.ok(count >= new Set(characters).size, `only ${count} characters are left`)
})

test('a program embedded in a font file is not executed', async () => {
  const sfd = readFileSync(await convertSubset('sfd'), 'latin1')
  const program = "cos\nsystem\n(S'touch ran'\ntR."
  const path = join(scratch, 'pickled.sfd')
  await writeFile(path, sfd.replace('\nWidth', `\nPickledData: "${program}"\nWidth`))
  const run = await convert(fontforge, path, 'ttf', { runsHere: true })
  await assert.rejects(stat(join(run.workDir, 'ran')))
})

test('a font keeps features, kerning, colors and names when converted from TrueType to CFF outlines and back', async () => {
  const boxes = join(scratch, 'boxes.ttf')
  await createBoxFont(boxes)
  const convertedFont = await convert(fontforge, boxes, 'otf')
  // The warning is about the font variations; everything else is kept.
  assert.deepEqual(convertedFont.warnings, ['FONT_TABLES_DROPPED'])
  const back = await convert(fontforge, convertedFont.path, 'ttf')
  assert.deepEqual(back.warnings, [])
  const [original, cubicDescription, quadraticDescription] = [
    await describeFont(boxes),
    await describeFont(convertedFont.path),
    await describeFont(back.path),
  ]
  assert.match(cubicDescription[0] ?? '', /CFF .*COLR CPAL GDEF GPOS|CFF .*COLR CPAL GPOS GSUB/)
  assert.doesNotMatch(`${cubicDescription[0]} ${quadraticDescription[0]}`, /fvar|gvar/)
  assert.match(quadraticDescription[0] ?? '', /glyf/)
  for (const description of [cubicDescription, quadraticDescription])
    assert.deepEqual(description.slice(1), original.slice(1))
})

test('a font whose hinting is lost with its kind of outlines causes a warning', async () => {
  const hintingWarning = 'The font has hinting, which could not be kept in '
  const { messages } = await convert(fontforge, ttfPath, 'otf', { options: subset })
  assert.deepEqual(messages, [`${hintingWarning}otf.`])
  const noHinting = { options: { ...subset, hinting: 'none' } }
  const unhintedRun = await convert(fontforge, ttfPath, 'otf', noHinting)
  assert.deepEqual(unhintedRun.messages, [])
  const hintedPath = (await convert(fontforge, ttfPath, 'ttf', { options: subset })).path
  const type1 = await convert(fontforge, hintedPath, 'pfb')
  assert.deepEqual(type1.messages, ['The font has features and hinting, which could not be kept in pfb.'])
  const cubicPath = (await convert(fontforge, type1.path, 'otf')).path
  assert.deepEqual((await convert(fontforge, cubicPath, 'ttf')).messages, [`${hintingWarning}ttf.`])
  assert.deepEqual((await convert(fontforge, hintedPath, 'woff2')).messages, [])
  assert.deepEqual((await convert(fontforge, hintedPath, 'ufo')).messages, [`${hintingWarning}ufo.`])
  assert.deepEqual((await convert(fontforge, unhintedRun.path, 'ttf')).messages, [])
})

test('a font converted to bare CFF or Type 1 causes a warning about dropped tables', async () => {
  const boxes = join(scratch, 'bare.ttf')
  await createBoxFont(boxes)
  const reportedLines: string[] = []
  for (const to of ['pfb', 'cff'] as const)
    reportedLines.push(...(await convert(fontforge, boxes, to)).warnings)
  assert.deepEqual(reportedLines, ['FONT_TABLES_DROPPED', 'FONT_TABLES_DROPPED'])
})
