import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSteps } from '../../lib/plan/index.ts'
import { planRoute } from './with-all-engines.ts'

test('an option about punctuation reaches the steps that read the text and write the ebook', () => {
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
