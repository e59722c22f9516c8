import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import englishHints from '../../functions/web/options/hints/words/en.ts'
import type englishNames from '../../functions/web/options/names/words/en.ts'
import { languages } from '../../functions/web/section-paths.ts'
import { engines } from '../../lib/engines/index.ts'
import { createOptionViews } from '../../lib/http/openapi/option-view.ts'
import { operations } from '../../lib/model/operations.ts'
import { createOptionsSchema } from '../../lib/plan/index.ts'
import { conversions } from '../plan/with-all-engines.ts'

/** Values that need no translation: names of codecs, devices, encodings, paper formats and sizes, and literal texts. */
const untranslated = new Set(
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
const untranslatedUnits = new Set(['s', 'bit/s', 'Hz', 'px', '%', 'bit', 'dpi', 'pt'])

const allViews = [
  ...new Set(
    operations.flatMap((operation) =>
      conversions(engines, operation).flatMap(({ route }) => createOptionViews(createOptionsSchema(route))),
    ),
  ),
]
const views = allViews.filter(({ deprecated }) => !deprecated)
const removeDuplicates = (texts: readonly string[]) => [...new Set(texts)].filter(Boolean).toSorted()
const apiTexts = {
  labels: removeDuplicates(views.map(({ label }) => label)),
  values: removeDuplicates(views.flatMap(({ enumLabels = {} }) => Object.values(enumLabels))),
  units: removeDuplicates(views.flatMap(({ unit = '' }) => unit)),
  hints: removeDuplicates(views.map(({ description }) => description)),
}

/** Product names that are spelled like code. */
const properNames =
  /\b(?:JetBook|PocketBook|InkPad|ProRes|RealVideo|TrueHD|WavPack|aptX|iLiad|iPad|iRex|sRGB|kHz)\b/g
/** Looks like an identifier instead of a text for people. */
const looksLikeCode = (text: string) => /_|:|\p{Ll}\p{Lu}/u.test(text.replace(properNames, ''))

test('no label, value, unit or group of any option looks like a code identifier', () => {
  const shownTexts = allViews.flatMap(({ label, unit = '', group, enumLabels = {} }) => [
    ...[label, unit, group],
    ...Object.values(enumLabels),
  ])
  assert.deepEqual(removeDuplicates(shownTexts).filter(looksLikeCode), [])
  assert.ok(['crf_value', 'Bayer:bayer_scale=5', 'videoBitrate'].every(looksLikeCode))
  const unnamedViews = allViews.filter(({ name, label }) => label === name || !/^[\p{Lu}\d]/u.test(label))
  assert.deepEqual(removeDuplicates(unnamedViews.map(({ label }) => label)), [])
  const bare = allViews.flatMap(({ name, enumLabels = {}, ...view }) =>
    (view.enum ?? []).filter((value) => !(String(value) in enumLabels)).map((value) => `${name}: ${value}`),
  )
  assert.deepEqual(removeDuplicates(bare), [])
})

test('the English catalog has a hint for each option description of the API, and no unused hints', () => {
  assert.deepEqual(Object.keys(englishHints).toSorted(), apiTexts.hints)
})

for (const language of languages.filter((id) => id !== 'en')) {
  describe(`options of the page in ${language}`, async () => {
    const folder = '../../functions/web/options'
    const { default: hints }: { default: typeof englishHints } = await import(
      `${folder}/hints/words/${language}.ts`
    )
    const { default: names }: { default: typeof englishNames } = await import(
      `${folder}/names/words/${language}.ts`
    )

    test(`each label, value, unit and hint of every option is translated in ${language}`, () => {
      assert.ok(apiTexts.labels.length > 100 && apiTexts.values.length > 200 && apiTexts.hints.length > 140)
      const missingTexts = {
        labels: apiTexts.labels.filter((text) => !names.labels[text]),
        values: apiTexts.values.filter((text) => !names.values[text] && !untranslated.has(text)),
        units: apiTexts.units.filter((text) => !names.units[text] && !untranslatedUnits.has(text)),
        hints: apiTexts.hints.filter((text) => hints[text] === undefined),
      }
      assert.deepEqual(missingTexts, { labels: [], values: [], units: [], hints: [] })
    })

    test(`no translation of an option in ${language} is unused`, () => {
      const unusedTexts = {
        // The page shows no labels of deprecated options.
        labels: Object.keys(names.labels).filter((text) => !apiTexts.labels.includes(text)),
        values: Object.keys(names.values).filter((text) => !apiTexts.values.includes(text)),
        units: Object.keys(names.units).filter((text) => !apiTexts.units.includes(text)),
        hints: Object.keys(hints).filter((text) => !apiTexts.hints.includes(text)),
        same: [...untranslated].filter((text) => !apiTexts.values.includes(text)),
      }
      assert.deepEqual(unusedTexts, { labels: [], values: [], units: [], hints: [], same: [] })
    })

    test(`no label or value of an option in ${language} looks like a code identifier`, () => {
      const shownTexts = [...Object.values(names.labels), ...Object.values(names.values)]
      assert.deepEqual(
        shownTexts.filter((text) => /_|:|[a-zäöü][A-ZÄÖÜ]/.test(text)),
        [],
      )
    })
  })
}
