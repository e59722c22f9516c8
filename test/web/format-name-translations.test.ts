import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createNameTranslator } from '../../functions/web/format-names/translate-format-name.ts'
import type englishNames from '../../functions/web/format-names/words/en.ts'
import { languages } from '../../functions/web/section-paths.ts'
import { formats } from '../../lib/formats/index.ts'

/** Names under which a format is known in each language. */
const properNames: ReadonlySet<string> = new Set(
  [
    'Audio Video Interleave, Advanced Systems Format, Material Exchange Format, RealMedia',
    'Digital Video (DV), Motion JPEG, Motion JPEG 2000, General Exchange Format, Free Lossless Audio Codec',
    'Advanced Audio Coding, Audio Interchange File Format, Dolby Digital, Dolby Digital Plus',
    'DTS Coherent Acoustics, Core Audio Format, Ogg Speex, WavPack, True Audio, Sony Wave64',
    'Audio Interchange File Format (aif), RealAudio, AAC in LATM, Meridian Lossless Packing, Dolby TrueHD',
    'Creative Voice, MIDI in RIFF, Audio Visual Research, Portable Voice Format, Portable Network Graphics',
    'Graphics Interchange Format, Tagged Image File Format, Scalable Vector Graphics',
    'Encapsulated PostScript, Truevision Targa, Flexible Image Transport System, Digital Picture Exchange',
    'Magick Image File Format, Pyramid TIFF, Multiple-image Network Graphics, JPEG Network Graphics',
    'Portable Document Format, XML Paper Specification, Open XML Paper Specification, Rich Text Format',
    'Markdown, MultiMarkdown, reStructuredText, AsciiDoc, Markua, Emacs Org mode, Textile, Emacs Muse',
    'txt2tags, DocBook, Data Interchange Format, Timed Text Markup Language, FictionBook, Rocket eBook',
    'Shanda Bambook, gzip, bzip2, XZ, Zstandard, LZ4, LZMA, lzip, lzop, Unix compress, Web Open Font Format',
    'Web Open Font Format 2, Embedded OpenType, Glyph Bitmap Distribution Format',
  ]
    .join(', ')
    .split(', '),
)

const loadCatalog = async (language: string): Promise<typeof englishNames> =>
  (await import(`../../functions/web/format-names/words/${language}.ts`)).default

for (const language of languages.filter((id) => id !== 'en'))
  describe(`names of formats in ${language}`, async () => {
    const catalog = await loadCatalog(language)
    const translate = createNameTranslator(catalog)
    const names = formats.map(({ name }) => name)

    test(`each format name in ${language} is translated, unless it is a proper name`, () => {
      const untranslatedNames = names.filter((name) => translate(name) === name && !properNames.has(name))
      assert.deepEqual(untranslatedNames, [])
    })

    test(`no translated format name in ${language} is unused`, () => {
      const usedKeys = new Set<string>()
      const observedCatalog = new Proxy(catalog, {
        get: (target, key) => {
          usedKeys.add(String(key))
          return Reflect.get(target, key)
        },
      })
      const translateObserved = createNameTranslator(observedCatalog)
      for (const name of names) translateObserved(name)
      const isPattern = (key: string) => key.includes('{}')
      const unusedKeys = Object.keys(catalog).filter((key) => !isPattern(key) && !usedKeys.has(key))
      const unusedPatterns = Object.keys(catalog).filter((key) => {
        const [prefix = '', suffix = ''] = key.split('{}')
        return isPattern(key) && !names.some((name) => name.startsWith(prefix) && name.endsWith(suffix))
      })
      assert.deepEqual([...unusedKeys, ...unusedPatterns], [])
    })

    test(`different formats have different names in ${language}`, () => {
      const translatedNames = names.map(translate)
      const duplicateNames = translatedNames.filter((name, at) => translatedNames.indexOf(name) !== at)
      assert.deepEqual(duplicateNames, [])
    })
  })
