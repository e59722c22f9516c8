import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import hints from '../../functions/web/options/hints/words/de.ts'
import names from '../../functions/web/options/names/words/de.ts'
import { operations } from '../../lib/engines/engine.ts'
import { engines } from '../../lib/engines/index.ts'
import { optionViews } from '../../lib/http/option-view.ts'
import { optionsSchemaOf } from '../../lib/plan/index.ts'
import { conversions } from '../plan/with-all-engines.ts'

/** Values that are called the same in German: names of codecs, devices, encodings, papers and sizes, and texts that are taken as they are. */
const sameEverywhere = new Set(
  [
    '240p, 360p, 480p, 720p, 1080p, 1440p, 4k, 180°, A3, A4, A5, Letter, Legal',
    'H.264, H.265 (HEVC), AV1, VP8, VP9, MPEG-1, MPEG-2, MPEG-4, ProRes, Theora, Xvid, WMV, Sorenson Spark',
    'RealVideo, DV, AMV, Motion JPEG, JPEG 2000, AAC, MP2, MP3, AC-3, E-AC-3, Opus, ALAC, PCM, Vorbis, FLAC, DTS',
    'WMA, AMR, AMR-WB, Speex, WavPack, TTA, ADX, Yamaha ADPCM, MLP, TrueHD, Codec 2, SBC, GSM, G.722, G.726',
    'A-law, µ-law, aptX, DFPWM, Floyd–Steinberg, Sierra, sRGB, Adobe RGB, PDF/A-1b, PDF/A-2b, PDF/A-3b',
    'Kindle, Kindle DX, Kindle Fire, Kindle Oasis, Kindle Paperwhite, Kindle Paperwhite 3, Kindle Scribe',
    'Kindle Voyage, Kobo, Nook, Nook Color, Nook HD+, iPad, iPad 3, Galaxy, PocketBook InkPad 3, PocketBook Lux',
    'PocketBook HD, PocketBook 900, PocketBook Pro 912, Sony Reader, Sony Reader 300, Sony Reader 900',
    'Sony Reader T3, Cybook Gen3, Cybook Opus, Hanlin V3, Hanlin V5, iLiad, iRex DR1000, iRex DR800, JetBook 5',
    'Mobipocket, Microsoft Reader, UTF-8, UTF-16 LE, {page}, Page {page}, {page} of {pages}',
  ]
    .join(', ')
    .split(', '),
).add('PCM, 8 kHz')
const unitsEverywhere = new Set(['s', 'bit/s', 'Hz', 'px', '%', 'bit', 'dpi', 'pt'])

const allViews = [
  ...new Set(
    operations.flatMap((operation) =>
      conversions(engines, operation).flatMap(({ route }) => optionViews(optionsSchemaOf(route))),
    ),
  ),
]
const views = allViews.filter(({ deprecated }) => !deprecated)
const unique = (texts: readonly string[]) => [...new Set(texts)].filter(Boolean).toSorted()
const said = {
  labels: unique(views.map(({ label }) => label)),
  values: unique(views.flatMap(({ enumLabels = {} }) => Object.values(enumLabels))),
  units: unique(views.flatMap(({ unit = '' }) => unit)),
  hints: unique(views.map(({ description }) => description)),
}

/** What its makers write so. */
const proper =
  /\b(?:JetBook|PocketBook|InkPad|ProRes|RealVideo|TrueHD|WavPack|aptX|iLiad|iPad|iRex|sRGB|kHz)\b/g
/** As the program calls things, and not people. */
const isCode = (text: string) => /_|:|\p{Ll}\p{Lu}/u.test(text.replace(proper, ''))

test('no label, value, unit or group of any pair is a name of the program code', () => {
  const shown = allViews.flatMap(({ label, unit = '', group, enumLabels = {} }) => [
    ...[label, unit, group],
    ...Object.values(enumLabels),
  ])
  assert.deepEqual(unique(shown).filter(isCode), [])
  assert.ok(['crf_value', 'Bayer:bayer_scale=5', 'videoBitrate'].every(isCode))
  const unnamed = allViews.filter(({ name, label }) => label === name || !/^[\p{Lu}\d]/u.test(label))
  assert.deepEqual(unique(unnamed.map(({ label }) => label)), [])
  const bare = allViews.flatMap(({ name, enumLabels = {}, ...view }) =>
    (view.enum ?? []).filter((value) => !(String(value) in enumLabels)).map((value) => `${name}: ${value}`),
  )
  assert.deepEqual(unique(bare), [])
})

describe('the German page', () => {
  test('has words of its own for each label, value, unit and hint of each pair', () => {
    assert.ok(said.labels.length > 100 && said.values.length > 200 && said.hints.length > 140)
    const missing = {
      labels: said.labels.filter((text) => !names.labels[text]),
      values: said.values.filter((text) => !names.values[text] && !sameEverywhere.has(text)),
      units: said.units.filter((text) => !names.units[text] && !unitsEverywhere.has(text)),
      hints: said.hints.filter((text) => !hints[text]),
    }
    assert.deepEqual(missing, { labels: [], values: [], units: [], hints: [] })
  })

  test('keeps no words of what the service no longer says', () => {
    const old = {
      // A name that only deprecated options have is none that the page shows.
      labels: Object.keys(names.labels).filter((text) => !said.labels.includes(text)),
      values: Object.keys(names.values).filter((text) => !said.values.includes(text)),
      units: Object.keys(names.units).filter((text) => !said.units.includes(text)),
      hints: Object.keys(hints).filter((text) => !said.hints.includes(text)),
      same: [...sameEverywhere].filter((text) => !said.values.includes(text)),
    }
    assert.deepEqual(old, { labels: [], values: [], units: [], hints: [], same: [] })
  })

  test('shows no name of the program code', () => {
    const shown = [...Object.values(names.labels), ...Object.values(names.values)]
    assert.deepEqual(
      shown.filter((text) => /_|:|[a-zäöü][A-ZÄÖÜ]/.test(text)),
      [],
    )
  })
})
