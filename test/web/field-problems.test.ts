import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Option } from '../../functions/web/api.ts'
import { languages } from '../../functions/web/section-paths.ts'
import { resolveTrim } from '../../lib/engines/ffmpeg/trim.ts'
import { resolvePages } from '../../lib/engines/pdf/page-range.ts'
import { buildPaperArgs } from '../../lib/engines/vips/pdf-paper.ts'
import { AppError } from '../../lib/errors.ts'
import { requireConsistentOptions } from '../../lib/plan/option-rules.ts'

/** What the page says at the field of an option whose value the service refused. */

Object.assign(globalThis, { document: { dir: 'ltr' } })
const { describeFieldProblem } = await import('../../functions/web/problems/describe-field-problem.ts')

const option = (label: string, overrides: Partial<Option> = {}): Option => ({
  name: 'any',
  label,
  type: 'string',
  group: 'basics',
  widget: 'text',
  description: '',
  ...overrides,
})

function getErrorDetails(act: () => unknown): Readonly<Record<string, unknown>> {
  try {
    act()
  } catch (error) {
    if (error instanceof AppError) return error.details ?? {}
    throw error
  }
  assert.fail('nothing was refused')
}

const check = (operation: Parameters<typeof requireConsistentOptions>[0]['operation'], options: object) =>
  getErrorDetails(() => requireConsistentOptions({ operation, options: { ...options }, additionalFiles: 5 }))

const cases: readonly [
  field: Option,
  value: string,
  details: Readonly<Record<string, unknown>>,
  text: string,
][] = [
  [
    option('Pages'),
    '2-9',
    getErrorDetails(() => resolvePages('2-9', 3)),
    'Pages can’t be “2-9”. The document has 3 pages.',
  ],
  [
    option('Start'),
    '0:09',
    getErrorDetails(() => resolveTrim({ start: 9 }, { durationS: 2.5 } as Parameters<typeof resolveTrim>[1])),
    'Start can’t be “0:09”. The file is 2.5\u00a0s long: choose an earlier time.',
  ],
  [
    option('End'),
    '1',
    check('convert', { start: 2, end: 1 }),
    'End can’t be “1”. Choose a time after the start.',
  ],
  [
    option('Pages'),
    '1-last',
    check('remove-pdf-pages', { pages: '1-last' }),
    'Pages can’t be “1-last”. At least one page must remain.',
  ],
  [
    option('Distance from the edge'),
    '200mm',
    getErrorDetails(() => buildPaperArgs({ pageSize: 'A5', margin: '200mm' })),
    'Distance from the edge can’t be “200mm”. The margins leave no room on the page: choose smaller ones, or larger paper.',
  ],
  [
    option('Layout', { enumLabels: { grid2x2: '2 × 2' } }),
    'grid2x2',
    check('merge', { layout: 'grid2x2' }),
    'Layout can’t be “2 × 2”. The layout has room for 4 images: choose another layout, or fewer images.',
  ],
  [option('Title'), '', check('edit-pdf-metadata', {}), 'Title: Fill in at least one field.'],
  [
    option('Crop box'),
    '0,0,9,9',
    check('crop-pdf', { cropBox: '0,0,9,9', marginTop: '1mm' }),
    'Crop box can’t be “0,0,9,9”. Only one of these fields can be used: clear this field or the other one.',
  ],
  [
    option('Width', { min: 1, max: 20_000 }),
    '0x9',
    {},
    'Width can’t be “0x9”. Enter a number from 1 to 20000.',
  ],
  [
    option('Color', { description: 'A name or a code, such as #ff0000.' }),
    'reddish',
    {},
    'Color can’t be “reddish”. A name or a code, such as #ff0000.',
  ],
  [
    option('Drop signatures', { type: 'boolean', description: 'Changes a signed PDF.' }),
    '',
    { field: 'dropSignatures', reason: 'signed' },
    'Drop signatures: The PDF is signed. Select this to change it anyway; its signatures then become invalid.',
  ],
  [
    option('Files'),
    '*.txt',
    { field: 'paths', reason: 'no-match' },
    'Files can’t be “*.txt”. No file in the archive matches.',
  ],
  [option('Password', { widget: 'password' }), 'secret', {}, 'Password: Please check this value.'],
]

describe('a refused option', () => {
  for (const [field, value, details, text] of cases)
    test(`a refused option is explained as “${text.replaceAll('\u00a0', ' ')}”`, () =>
      assert.equal(describeFieldProblem(details, field, value), text))

  test('in every language, the explanation of a refused option contains the field, the value and the limit', async () => {
    for (const language of languages) {
      const { default: words } = (await import(
        `../../functions/web/problems/words/${language}.ts`
      )) as typeof import('../../functions/web/problems/words/en.ts')
      const sentence = words.fieldProblem('Label', 'value', words.reasons.noSuchPage(3))
      for (const text of ['Label', 'value', '3'])
        assert.ok(sentence.includes(text), `${language}: ${sentence}`)
    }
  })
})
