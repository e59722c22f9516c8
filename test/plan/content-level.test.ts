import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FormatId, formatById } from '../../lib/formats/index.ts'
import { passesContent } from '../../lib/plan/content-level.ts'

/** Routes over an intermediate format that keep the content, and routes that lose some. */
const cases: Readonly<Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>> =
  {
    'text stays text, and reflowable text stays reflowable': {
      good: ['docx odt rtf', 'docx html epub', 'docx pdf png'],
      bad: ['docx png pdf', 'docx pdf odt', 'epub pdf mobi'],
    },
    'vector graphics stay vector graphics': {
      good: ['svg eps svgz', 'svg png jpg'],
      bad: ['svg png pdf', 'svg png eps', 'svg pdf eps'],
    },
    'images stay images, and audio stays audio': {
      good: ['psd png jpg', 'amr wav mp3'],
      bad: ['jpg pdf txt', 'mp3 mp4 wav'],
    },
    'videos are not converted to images, nor images to videos': {
      good: ['mp4 mkv webm', 'mp4 wav mp3'],
      bad: ['mp4 png jpg', 'png gif mp4'],
    },
    'comic pages are not converted to text': { good: ['cbz pdf png'], bad: ['cbz pdf txt'] },
    'no page is lost, except when text is merged': {
      good: ['pptx pdf png', 'pdf html epub'],
      bad: ['tiff png pdf', 'pdf html png'],
    },
    'animations stay animated': { good: ['gif apng webp'], bad: ['gif png webp'] },
  }

for (const [name, { good, bad }] of Object.entries(cases))
  test(`a route whose intermediate format loses content is rejected: ${name}`, () => {
    for (const [all, isKept] of [
      [good, true],
      [bad, false],
    ] as const)
      for (const route of all) {
        const [from, between, to] = route.split(' ').map((id) => formatById(id as FormatId)) // as listed above
        assert.ok(from && between && to)
        assert.equal(passesContent(from, between, to), isKept, route)
      }
  })
