import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSteps } from '../../lib/plan/index.ts'
import { planRoute } from './with-all-engines.ts'

test('ebookSmartenPunctuation is passed to the step that reads the text and to the step that writes the ebook', () => {
  const steps = createSteps(planRoute({ from: 'md', to: 'azw3' }), {
    ebookSmartenPunctuation: false,
    ebookBaseFontSize: 20,
  })
  assert.deepEqual(
    steps.map(({ engine, options }) => [engine, options]),
    [
      ['pandoc', { ebookSmartenPunctuation: false }],
      ['calibre', { ebookSmartenPunctuation: false, ebookBaseFontSize: 20 }],
    ],
  )
})
