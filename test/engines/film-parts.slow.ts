import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Crew, Result, Share, ShareResult, Tools, Work } from '../../lib/engines/engine.ts'
import { ffmpeg } from '../../lib/engines/ffmpeg.ts'
import { createTools } from '../../lib/engines/sandbox/exec.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { before } from '../hooks.ts'
import { scratchFolder } from '../scratch.ts'
import { timesIn } from './film-times.ts'

const shelf = scratchFolder('film-parts')
const films = {
  plain: join(shelf, 'plain.mp4'),
  late: join(shelf, 'late.mkv'),
  turned: join(shelf, 'turned.mp4'),
}

function make(...args: readonly string[]) {
  const { status, stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
}

before(async () => {
  const pictures = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30000/1001:duration=24']
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:beep_factor=4:duration=24']
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '3', '-g', '60', '-c:a', 'aac']
  make(...pictures, ...sound, ...coded, '-metadata', 'title=Pieces', films.plain)
  // 15 pictures later; plain samples have no lead of their own.
  const late = ['-itsoffset', '0.5005', '-i', films.plain, '-i', films.plain, '-map', '0:v', '-map', '1:a']
  make(...late, '-c:v', 'copy', '-c:a', 'pcm_s16le', films.late)
  make('-i', films.plain, '-c', 'copy', '-metadata:s:v', 'rotate=90', films.turned)
})

interface Asked {
  readonly from: FormatId
  readonly to: FormatId
  readonly options?: Readonly<Record<string, unknown>>
}

/** A step in a folder of its own, as a worker has it. */
async function step(
  file: string,
  { from, to, options = {} }: Asked,
  share?: Share,
): Promise<{ work: Work; tools: Tools }> {
  const workDir = scratchFolder('film-part')
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  const format = file.endsWith('.nut') ? 'nut' : file.endsWith('.mov') ? 'mov' : from
  const path = join(workDir, `source-1.${format}`)
  await copyFile(file, path)
  const capability = ffmpeg.capabilities.find(
    (row) => row.operation === 'convert' && row.from.includes(from) && row.to.includes(to),
  )
  const work: Work = {
    ...{ operation: 'convert', from, to, outDir, options: capability?.options.parse(options) },
    inputs: [{ path, filename: 'film', format, size: (await stat(path)).size }],
    ...(share && { share }),
  }
  const { signal } = new AbortController()
  return { work, tools: createTools({ workDir, signal, limits: ffmpeg.limits }) }
}

async function whole(file: string, asked: Asked): Promise<Result> {
  const { work, tools } = await step(file, asked)
  return ffmpeg.run(work, tools)
}

async function split(file: string, asked: Asked, crew: Crew = { workers: 1, secondsEach: 0.3 }) {
  const { work, tools } = await step(file, asked)
  return ffmpeg.split?.(work, tools, crew)
}

async function inParts(file: string, asked: Asked): Promise<{ result: Result; parts: number }> {
  const portions = (await split(file, asked)) ?? []
  const joining = await step(file, asked)
  const results: ShareResult[] = []
  for (const portion of portions) {
    // As it comes back from a record.
    const share = JSON.parse(JSON.stringify(portion.share)) as Share
    const { work, tools } = await step(portion.file?.path ?? file, asked, share)
    const { files, details } = await ffmpeg.run(work, tools)
    const format = files[0].format ?? asked.to
    const path = join(joining.tools.workDir, `part-${results.length}.${format}`)
    await copyFile(files[0].path, path)
    results.push({ share, files: [{ path, filename: 'film', format, size: 1 }], details })
  }
  assert.ok(ffmpeg.join)
  return { result: await ffmpeg.join(joining.work, results, joining.tools), parts: portions.length }
}

const kinds = {
  'of many pictures that are shown out of order': {
    file: films.plain,
    from: 'mp4',
    to: 'mp4',
    options: { mode: 'encode' },
  },
  'whose pictures begin after its sound': {
    file: films.late,
    from: 'mkv',
    to: 'mkv',
    options: { mode: 'encode' },
  },
  'that is turned': {
    file: films.turned,
    from: 'mp4',
    to: 'mkv',
    options: { codec: 'h265', preset: 'ultrafast' },
  },
  'that becomes WebM': {
    file: films.plain,
    from: 'mp4',
    to: 'webm',
    options: { preset: 'ultrafast', resolution: '160x90' },
  },
} as const satisfies Record<string, Asked & { file: string }>

for (const [what, { file, ...asked }] of Object.entries(kinds)) {
  test(`a film ${what} is the same in pieces`, { timeout: 300_000 }, async () => {
    const one = (await whole(file, asked)).files[0].path
    const { result, parts } = await inParts(file, asked)
    const many = result.files[0].path
    assert.ok(parts > 3, `${parts} parts`)
    const [expected, got] = [timesIn(one), timesIn(many)]
    assert.equal(got.pictures.length, expected.pictures.length)
    assert.equal(got.sounds.length, expected.sounds.length)
    for (const kind of ['pictures', 'sounds'] as const)
      for (const [at, time] of expected[kind].entries())
        assert.ok(
          Math.abs((got[kind][at] ?? 0) - time) <= 0.002,
          `${kind} ${at}: ${got[kind][at]}, not ${time}`,
        )
    const [sizeOne, sizeMany] = [(await stat(one)).size, (await stat(many)).size]
    assert.ok(Math.abs(sizeMany / sizeOne - 1) < 0.06, `${sizeMany} bytes, in one piece ${sizeOne}`)
    assert.equal(got.title, expected.title)
    assert.deepEqual(
      [got.width, got.height, got.rotation],
      [expected.width, expected.height, expected.rotation],
    )
  })
}

test('a film stays whole where it is copied, cut, has another rate, or ends in time', async () => {
  const film = { from: 'mp4', to: 'mp4' } as const
  const encoded = { mode: 'encode' }
  assert.equal(await split(films.plain, { from: 'mp4', to: 'mkv' }), undefined)
  for (const option of [{ start: '1' }, { end: '20' }, { fps: 10 }])
    assert.equal(await split(films.plain, { ...film, options: { ...encoded, ...option } }), undefined)
  assert.equal(
    await split(films.plain, { ...film, options: encoded }, { workers: 1, secondsEach: 600 }),
    undefined,
  )
  assert.ok(await split(films.plain, { ...film, options: encoded }))
})
