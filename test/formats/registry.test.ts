import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  categories,
  formatByAlias,
  formatByExtension,
  formatById,
  formats,
  isFormatId,
} from '../../lib/formats/index.ts'
import { findBySynonym, getFormatSynonyms, getToolSynonyms } from '../../lib/formats/synonyms.ts'
import { operations } from '../../lib/model/operations.ts'

describe('the format registry', () => {
  // Each is shared by two formats: SVG images and fonts, camcorder videos and tracker modules. The content decides.
  const sharedExtensions = ['svg', 'mod']

  test('the format registry contains each id, extension and alias only once', () => {
    for (const names of [
      formats.map((format) => format.id),
      formats.flatMap((format) => format.extensions),
      formats.flatMap((format) => [...new Set([format.id, ...format.extensions, ...(format.aliases ?? [])])]),
    ]) {
      assert.deepEqual(
        names.filter((name, index) => names.indexOf(name) !== index && !sharedExtensions.includes(name)),
        [],
      )
    }
  })

  test('the format registry has lower-case ids and extensions and a real MIME type for each format', () => {
    for (const format of formats) {
      for (const name of [format.id, ...format.extensions, ...(format.aliases ?? [])]) {
        assert.match(name, /^(tar\.)?[a-z0-9]+([-_][a-z0-9]+)?$/, format.id)
      }
      for (const type of format.mimeTypes) {
        assert.match(
          type,
          /^(application|audio|font|image|message|model|text|video)\/[A-Za-z0-9.+-]+$/,
          format.id,
        )
        assert.notEqual(type, 'application/octet-stream', format.id)
      }
      assert.ok(format.extensions.length > 0 && format.mimeTypes.length > 0, format.id)
    }
  })

  test('the format registry has formats in every category', () => {
    for (const category of categories) assert.ok(formats.some((format) => format.category === category))
  })
})

describe('format lookup', () => {
  test('a format is found by id, extension and alias, in any case, with or without a dot', () => {
    const expectedFormats = {
      jpeg: 'jpg',
      '.JPG': 'jpg',
      TIF: 'tiff',
      htm: 'html',
      ' docx ': 'docx',
      matroska: 'mkv',
      'tar.gz': 'tgz',
    }
    for (const [name, id] of Object.entries(expectedFormats)) assert.equal(formatByAlias(name)?.id, id)
  })

  test('a format is found by the last extension of a file name', () => {
    assert.equal(formatByExtension('photo.final.JPEG')?.id, 'jpg')
    assert.equal(formatByExtension('.png')?.id, 'png')
    assert.equal(formatByExtension('png')?.id, 'png')
    assert.equal(formatByExtension('report.docx.exe'), undefined)
    assert.equal(formatByExtension(''), undefined)
  })

  test('a format is not found by the name of a built-in object property', () => {
    for (const name of ['constructor', '__proto__', 'toString', '']) {
      assert.equal(formatByAlias(name), undefined)
      assert.equal(isFormatId(name), false)
    }
  })

  test('MKV has the category video, and PDF has the category document', () => {
    assert.equal(formatById('mkv').category, 'video')
    assert.equal(formatById('pdf').category, 'document')
  })
})

describe('search terms', () => {
  test('each format category, and each operation except convert and unlock, has search terms', () => {
    for (const category of categories) {
      const matchingFormats = formats.filter(
        (format) => format.category === category && getFormatSynonyms(format).length > 0,
      )
      assert.ok(matchingFormats.length > 0, category)
    }
    const operationsWithoutSynonyms = operations.filter(
      (name) => name !== 'convert' && name !== 'unlock' && getToolSynonyms(name).length === 0,
    )
    assert.deepEqual(operationsWithoutSynonyms, [])
  })

  test('a search term determines which format or tool is suggested first', () => {
    const findFirstResult = (word: string) => {
      const matches = findBySynonym(word)
      return matches.formats[0] ?? matches.tools[0]
    }
    const expected = {
      word: 'docx',
      Excel: 'xlsx',
      powerpoint: 'pptx',
      combine: 'merge',
      protect: 'encrypt-pdf',
      resize: 'thumbnail',
      'ms-word': 'docx',
      planilha: 'xlsx',
      'remover senha': 'decrypt-pdf',
      パスワード: 'encrypt-pdf',
      constructor: undefined,
    }
    for (const [word, name] of Object.entries(expected)) assert.equal(findFirstResult(word), name, word)
  })
})
