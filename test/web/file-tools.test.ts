import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listToolsFor } from '../../functions/web/sections/convert/file-tools.ts'
import { pageTools } from '../../functions/web/sections/tools/tools.ts'
import { engines } from '../../lib/engines/index.ts'
import { type FormatId, formats } from '../../lib/formats/index.ts'
import { getFormatViews } from '../../lib/http/openapi/format-view.ts'
import type { Operation } from '../../lib/model/operations.ts'
import { planRoute } from '../../lib/plan/index.ts'

const views = getFormatViews(engines)
const listToolIds = (format: string) =>
  listToolsFor(views.find(({ id }) => id === format)).map(({ id }) => id)

/** Whether any target can be planned. */
const canRun = (from: (typeof views)[number], operation: string) =>
  formats.some(({ id: to }) => {
    try {
      const route = { from: from.id as FormatId, to, operation: operation as Operation, engines }
      return planRoute(route)
    } catch {
      return false
    }
  })

test('a card offers only tools that can be planned for its format', () => {
  const offeredTools = views.flatMap((view) =>
    listToolsFor(view).map(({ operation }) => ({ view, operation, pair: `${view.id} ${operation}` })),
  )
  assert.ok(offeredTools.length > 300)
  assert.deepEqual(
    offeredTools.filter(({ view, operation }) => !canRun(view, operation)).map(({ pair }) => pair),
    [],
  )
})

test('a format without a list of tools, as cached before an upgrade, offers no tools', () => {
  assert.deepEqual(listToolsFor({ id: 'pdf', category: 'document' }), [])
})

test('JPG, MP4, MP3 and PDF files offer the expected tools, and WAV files only merge and metadata', () => {
  assert.deepEqual(listToolIds('jpg'), ['merge', 'compress', 'thumbnail', 'watermark', 'metadata'])
  assert.deepEqual(listToolIds('mp4'), ['merge', 'compress', 'thumbnail', 'watermark', 'metadata'])
  assert.deepEqual(listToolIds('mp3'), ['merge', 'compress', 'metadata'])
  assert.deepEqual(listToolIds('wav'), ['merge', 'metadata'])
  const pdfTools = pageTools.filter(({ sourceFormat }) => sourceFormat === 'pdf').map(({ id }) => id)
  assert.deepEqual(listToolIds('pdf').toSorted(), ['merge', ...pdfTools].toSorted())
})
