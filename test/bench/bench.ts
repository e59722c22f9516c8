import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { chromium } from '../../lib/engines/chromium.ts'
import type { Engine } from '../../lib/engines/engine.ts'
import { libreoffice } from '../../lib/engines/libreoffice.ts'
import { createTools } from '../../lib/engines/sandbox/exec.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { Client, startService, type TestService } from '../service.ts'
import { type Fixture, type Fixtures, makeFixtures } from './fixtures.ts'
import { benchGraphs } from './graphs.ts'
import { median, parallel, sequential } from './measure.ts'
import { benchServers } from './servers.ts'
import { uploadMemory } from './upload-memory.ts'

/**
 * Time of the whole way through the service, from the request to the last byte of the result, and of the engine inside
 * it, both against the bare warm engine in the same run; then one and eight clients, then the memory of the gateway
 * under a 2 GB upload; then graphs of tasks that do nothing; then the embedded servers by themselves, with files of 1 GiB after `--gib`.
 */
const run = promisify(execFile)

interface Case {
  readonly name: string
  readonly runs: number
  readonly fixture: Fixture
  readonly to: FormatId
  /** The engine alone, warm, file to file. */
  readonly bare: () => Promise<unknown>
}

function cases({ dir, png, docx, html, pdf, mkv }: Fixtures): readonly Case[] {
  const out = (name: string) => join(dir, name)
  return [
    {
      name: '1 small PNG → WebP',
      runs: 40,
      fixture: png,
      to: 'webp',
      bare: () => sharp(png.path).webp().toFile(out('bare.webp')),
    },
    {
      name: '10-page DOCX → PDF',
      runs: 15,
      fixture: docx,
      to: 'pdf',
      bare: () => bareEngine(libreoffice, docx, 'docx'),
    },
    {
      name: '10-page HTML → PDF',
      runs: 15,
      fixture: html,
      to: 'pdf',
      bare: () => bareEngine(chromium, html, 'html'),
    },
    {
      name: '50 PDF pages → JPEG',
      runs: 10,
      fixture: pdf,
      to: 'jpg',
      bare: () =>
        run('pdftoppm', ['-q', '-jpeg', '-r', '150', '-jpegopt', 'quality=85', pdf.path, out('bare')]),
    },
    {
      name: '60 s MKV → MP4, copied',
      runs: 10,
      fixture: mkv,
      to: 'mp4',
      bare: () =>
        run('ffmpeg', [
          '-v',
          'error',
          '-y',
          '-i',
          mkv.path,
          '-c',
          'copy',
          '-movflags',
          '+faststart',
          out('bare.mp4'),
        ]),
    },
  ]
}

/** One of the engines that stay warm, alone: no queue, no store, no job. */
async function bareEngine(engine: Engine, { name, path, bytes }: Fixture, from: FormatId): Promise<void> {
  const workDir = await mkdtemp(join(tmpdir(), 'mutabor-bare-'))
  try {
    const outDir = join(workDir, 'out')
    const source = join(workDir, `source.${from}`)
    await mkdir(outDir)
    await cp(path, source)
    const tools = createTools({ workDir, signal: new AbortController().signal, limits: engine.limits })
    const inputs = [{ path: source, filename: name, format: from, size: bytes.length }]
    const row = engine.capabilities.find((one) => one.from.includes(from) && one.to.includes('pdf'))
    const options = row?.options.parse({})
    await engine.run({ operation: 'convert', inputs, from, to: 'pdf', options, outDir }, tools)
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
}

/** @returns the id of the job. */
async function throughService(client: Client, { fixture, to }: Case): Promise<string> {
  const response = await client.convert(fixture, { targetFormat: to }, { prefer: 'wait=25' })
  const { data } = (await response.json()) as { data: { jobId: string; status: string } }
  const job = data.status === 'completed' ? data : await client.finished(data.jobId)
  if (job.status !== 'completed') throw new Error(`the job is ${job.status}`)
  await client.download(job.jobId)
  return job.jobId
}

/** Milliseconds that the engines took for a job inside the service, the middle one of these jobs; read from its log. */
async function engineMs({ dataDir }: TestService, jobIds: readonly string[]): Promise<number> {
  const spent = new Map(jobIds.map((id) => [id, 0]))
  for (const line of (await readFile(join(dataDir, 'service.log'), 'utf8')).split('\n')) {
    if (!line.includes('"step done"')) continue
    const { jobId, ms } = JSON.parse(line) as { jobId: string; ms: number }
    const before = spent.get(jobId)
    if (before !== undefined) spent.set(jobId, before + ms)
  }
  return median([...spent.values()])
}

const ms = (value: number) => value.toFixed(value < 100 ? 1 : 0).padStart(8)
const percent = (ratio: number) => `${Math.round((ratio - 1) * 100)} %`.padStart(5)
const say = (line: string) => process.stdout.write(`${line}\n`)

async function speed(service: TestService, fixtures: Fixtures): Promise<void> {
  const client = new Client(service)
  await client.fetch('/v1')
  say(
    'case                        bare ms  engine ms   over  service ms     over  1 client/s  8 clients/s  failed',
  )
  for (const each of cases(fixtures)) {
    const bare = await sequential(each.runs, each.bare)
    const jobIds: string[] = []
    const whole = await sequential(each.runs, async () => {
      jobIds.push(await throughService(client, each))
    })
    const engine = await engineMs(service, jobIds.slice(-each.runs))
    const eight = await parallel(8, each.runs * 2, () => throughService(client, each))
    const over = whole - bare
    say(
      `${each.name.padEnd(25)} ${ms(bare)}   ${ms(engine)}  ${percent(engine / bare)}    ${ms(whole)} ${ms(over)}    ${ms(1000 / whole)}     ${ms(eight.perSecond)}  ${eight.failures}`,
    )
  }
  const [small] = cases(fixtures)
  if (!small) return
  const bareFifty = await sequential(3, () => Promise.all(Array.from({ length: 50 }, small.bare)), 1)
  const fifty = await sequential(
    3,
    () => Promise.all(Array.from({ length: 50 }, () => throughService(client, small))),
    1,
  )
  say(`${'50 small PNG → WebP'.padEnd(25)} ${ms(bareFifty)}    ${ms(fifty)} ${ms(fifty - bareFifty)}`)
}

const fixtures = await makeFixtures()
const service = await startService()
try {
  await speed(service, fixtures)
  say(await uploadMemory(service))
} finally {
  await service.stop()
  await libreoffice.close?.()
  await chromium.close?.()
  await fixtures.remove()
}
say('')
await benchGraphs(say)
say('')
await benchServers(process.argv.includes('--gib') ? 1024 : 256, say)
