import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FormatId, formatById } from '../../lib/formats/index.ts'
import { passesContent } from '../../lib/plan/content-level.ts'

/** Routes over an intermediate format that keep the content, and routes that lose some. */
const ways: Readonly<Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>> =
  {
    'text stays text, and what flows goes on flowing': {
      good: ['docx odt rtf', 'docx html epub', 'docx pdf png'],
      bad: ['docx png pdf', 'docx pdf odt', 'epub pdf mobi'],
    },
    'lines stay lines': {
      good: ['svg eps svgz', 'svg png jpg'],
      bad: ['svg png pdf', 'svg png eps', 'svg pdf eps'],
    },
    'a picture stays a picture, and sound stays sound': {
      good: ['psd png jpg', 'amr wav mp3'],
      bad: ['jpg pdf txt', 'mp3 mp4 wav'],
    },
    'a film is made into no picture on the way, and what stands still into no film': {
      good: ['mp4 mkv webm', 'mp4 wav mp3'],
      bad: ['mp4 png jpg', 'png gif mp4'],
    },
    'pages of a comic are no text': { good: ['cbz pdf png'], bad: ['cbz pdf txt'] },
    'no page is lost, but where texts become one': {
      good: ['pptx pdf png', 'pdf html epub'],
      bad: ['tiff png pdf', 'pdf html png'],
    },
    'what moves goes on moving': { good: ['gif apng webp'], bad: ['gif png webp'] },
  }

for (const [name, { good, bad }] of Object.entries(ways))
  test(`${name} between two steps`, () => {
    for (const [all, isKept] of [
      [good, true],
      [bad, false],
    ] as const)
      for (const way of all) {
        const [from, between, to] = way.split(' ').map((id) => formatById(id as FormatId)) // as listed above
        assert.ok(from && between && to)
        assert.equal(passesContent(from, between, to), isKept, way)
      }
  })
