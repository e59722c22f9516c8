import assert from 'node:assert/strict'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { Engine } from '../../lib/engines/engine.ts'
import { AppError } from '../../lib/errors.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { convertWithFallbacks } from '../../lib/jobs/run/convert-with-fallbacks.ts'
import type { FindFallback } from '../../lib/jobs/run/fallbacks.ts'
import { createLog } from '../../lib/log.ts'
import type { ConversionStep, InputPlan } from '../../lib/model/job.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { file } from './records.ts'

const folder = scratchFolder('require-readable')
const fixture = (name: string) => readFile(fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)))
const box = (type: string, content: Buffer) => {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(content.length + 8)
  return Buffer.concat([size, Buffer.from(type), content])
}

/** An MP4 whose movie has no tracks, as ffmpeg writes it when no frame is left. */
const emptyVideo = Buffer.concat([
  box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2avc1mp41')),
  box('mdat', Buffer.alloc(0)),
  box('moov', box('mvhd', Buffer.alloc(100))),
  box('free', Buffer.alloc(630)),
])

const createPlan = (engine: string, to: FormatId): InputPlan => ({
  steps: [
    { operation: 'convert', engine, image: 'image', from: 'bmp', to, options: {} } satisfies ConversionStep,
  ],
  step: 0,
  files: [{ ...file('a.bmp'), format: 'bmp' }],
})

const noFallback: FindFallback = ([{ error }]) => ({ error })

/** Converts with engines that return these bytes. */
async function convert(
  to: FormatId,
  results: Readonly<Record<string, string | Buffer>>,
  findFallback: FindFallback = noFallback,
) {
  const workDir = await mkdtemp(join(folder, 'run-'))
  const path = join(workDir, 'source-1.bmp')
  await writeFile(path, await fixture('corners.bmp'))
  const engines = Object.entries(results).map(
    ([id, bytes]) =>
      ({
        id,
        image: 'image',
        version: () => '1',
        capabilities: [{ operation: 'convert', from: ['bmp'], to: [to], options: z.object({}), cost: 1 }],
        limits: { memoryMb: 1, diskMb: 1, timeoutS: 1 },
        runsInWorker: true,
        run: async ({ outDir }) => {
          const resultPath = join(outDir, `made.${to}`)
          await writeFile(resultPath, bytes)
          return { files: [{ path: resultPath }] }
        },
      }) as Engine,
  )
  const run = {
    workDir,
    inputs: [{ path, filename: 'a.bmp', format: 'bmp', size: 1 }],
    signal: new AbortController().signal,
    log: createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }),
    engines,
    progress: () => {},
  } as const
  const [firstEngine = ''] = Object.keys(results)
  return convertWithFallbacks(createPlan(firstEngine, to), run, findFallback)
}

const assertUnreadable = (to: FormatId) => (error: unknown) => {
  assert.ok(error instanceof AppError)
  assert.equal(error.code, 'CONVERSION_FAILED')
  assert.deepEqual(error.details, { from: 'bmp', to, reason: 'unreadable-result' })
  assert.match(error.message, new RegExp(`^The ${to} made from the bmp cannot be opened`))
  return true
}

test('a conversion fails if other programs cannot open its result', async () => {
  assert.equal(emptyVideo.length, 794)
  const png = await fixture('alpha.png')
  const silentAudio = Buffer.from(
    'RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x44\xac\0\0\x88\x58\x01\0\x02\0\x10\0data\0\0\0\0',
    'latin1',
  )
  const results: readonly (readonly [FormatId, string | Buffer])[] = [
    ['mp4', emptyVideo],
    ['mp4', Buffer.alloc(794, 'garbage')],
    ['wav', silentAudio],
    ['png', ''],
    ['png', png.subarray(0, png.length / 2)],
    ['png', 'garbage'],
    ['pdf', '%PDF-1.7\nno more'],
    ['docx', Buffer.from('PK\x03\x04 and no more')],
    ['zip', 'no archive'],
  ]
  for (const [to, bytes] of results)
    await assert.rejects(convert(to, { vips: bytes }), assertUnreadable(to), `${to} of ${bytes.length} bytes`)
})

test('conversion results that can be opened are accepted, and so is text of any kind', async () => {
  const results: readonly (readonly [FormatId, string | Buffer])[] = [
    ['png', await fixture('alpha.png')],
    ['apng', await fixture('alpha.png')],
    ['webm', await fixture('alpha.webm')],
    ['txt', ''],
    ['txt', Buffer.from([0, 1, 2, 0xff])],
    ['csv', ''],
    ['srt', ''],
  ]
  for (const [to, bytes] of results) assert.equal((await convert(to, { vips: bytes })).format, to)
})

test('the next route is tried if other programs cannot open the result', async () => {
  const png = await fixture('alpha.png')
  const { engine, inputPlan } = await convert(
    'png',
    { vips: 'garbage', imagemagick: png },
    (triedRoutes) => ({
      ...createPlan('imagemagick', 'png'),
      tried: [...triedRoutes],
    }),
  )
  assert.deepEqual(
    [engine.id, inputPlan.tried?.map(({ error }) => error.details?.['reason'])],
    ['imagemagick', ['unreadable-result']],
  )
})
