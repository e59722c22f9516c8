import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { defined } from '../../../lib/validation/defined.ts'
import { listDescendants, readProportionalBytes, readResidentBytes } from '../../support/processes.ts'
import { Client, startService, type TestService } from '../../support/service.ts'
import { type Measurement, median, runInterleaved } from '../measure.ts'
import { readCpuMs, readCpuMsOfExited } from '../process-tree.ts'
import type { BenchContext, Section } from '../section.ts'
import { startThirdPartyStores, type ThirdPartyStore } from '../servers/third-party-stores.ts'

const run = promisify(execFile)

/** Creates a WAV file with a valid header and incompressible random content. */
async function makeWav(path: string, bytes: number): Promise<void> {
  const header = Buffer.alloc(44)
  header.write('RIFF')
  header.writeUInt32LE(bytes - 8, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(2, 22)
  header.writeUInt32LE(44_100, 24)
  header.writeUInt32LE(176_400, 28)
  header.writeUInt16LE(4, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(bytes - 44, 40)
  const file = await open(path, 'w')
  await file.write(header)
  const noise = randomBytes(1 << 20)
  for (let bytesLeft = bytes - 44; bytesLeft > 0; bytesLeft -= noise.length)
    await file.write(noise, 0, Math.min(bytesLeft, noise.length))
  await file.close()
}

interface TaskTimes {
  readonly status: string
  readonly startedAt: string
  readonly endedAt: string
  readonly message: string | null
  readonly result: { readonly files: readonly { readonly sha256: string }[] } | null
}

/** Returns how many seconds the import and the export of one job took. */
async function measureTransfers(client: Client, { importTask, exportTask }: ThirdPartyStore, sha256: string) {
  const tasks = { in: importTask, ...defined({ out: exportTask && { ...exportTask, input: 'in' } }) }
  const allTasks = exportTask ? tasks : { ...tasks, out: { operation: 'export/url', input: 'in' } }
  const { jobId, status, error } = await client.accepted(await client.post('/v1/jobs', { tasks: allTasks }))
  if (status !== 'completed') throw new Error(JSON.stringify(error))
  const { data } = (await (await client.fetch(`/v1/jobs/${jobId}`)).json()) as {
    data: { tasks: Record<'in' | 'out', TaskTimes> }
  }
  if (data.tasks.out.result?.files[0]?.sha256 !== sha256)
    throw new Error('the transferred file differs from the source')
  await client.fetch(`/v1/jobs/${jobId}`, { method: 'DELETE' })
  const getSeconds = ({ startedAt, endedAt }: TaskTimes) =>
    (Date.parse(endedAt) - Date.parse(startedAt)) / 1000
  return {
    importSeconds: getSeconds(data.tasks.in),
    exportSeconds: exportTask ? getSeconds(data.tasks.out) : undefined,
  }
}

/**
 * Creates a measurement that runs a program and returns its seconds. It adds the CPU seconds of the program to
 * `spentS`.
 */
const runProgram =
  ([name = '', ...args]: readonly string[], spentS: number[]): Measurement =>
  async () => {
    const cpuBefore = readCpuMsOfExited()
    const start = performance.now()
    await run(name, args)
    spentS.push((readCpuMsOfExited() - cpuBefore) / 1000)
    return [(performance.now() - start) / 1000]
  }

/**
 * Downloads to a new file, as the service does, and deletes it afterwards. Overwriting the previous file would be
 * several times faster, because a virtual machine need not request the memory pages from its host again.
 */
const measureDownload = (
  store: ThirdPartyStore,
  dir: string,
  spentS: number[],
  syncedS: number[],
): Measurement => {
  let number = 0
  return async () => {
    const path = join(dir, `back-${number++}.wav`)
    const start = performance.now()
    const seconds = await runProgram(await store.download(path), spentS)()
    // An import by the service ends only when the bytes are on disk. When the program ends, its bytes can still be in
    // memory.
    await run('sync', [path])
    syncedS.push((performance.now() - start) / 1000)
    await rm(path)
    return seconds
  }
}

/** Drops the file from the page cache first, because the service's uploads also read mostly from disk. */
const measureUpload = (upload: readonly string[], file: string, spentS: number[]): Measurement => {
  const send = runProgram(upload, spentS)
  return async () => {
    await run('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])
    return send()
  }
}

/** Returns the peak memory of a worker in MiB during a run. Sampling pauses the process, so don't time that run. */
async function measurePeakWorkerMib({ pid }: TestService, run: () => Promise<unknown>) {
  const peakMib = { resident: 0, proportional: 0 }
  const timer = setInterval(() => {
    for (const { pid: one, command } of listDescendants(pid)) {
      if (!command.includes('worker')) continue
      peakMib.resident = Math.max(peakMib.resident, readResidentBytes(one) / 2 ** 20)
      peakMib.proportional = Math.max(peakMib.proportional, readProportionalBytes(one) / 2 ** 20)
    }
  }, 100)
  await run().finally(() => clearInterval(timer))
  return peakMib
}

/** Measures alternately, so that a machine that becomes slower affects all programs equally. */
async function measureStore(store: ThirdPartyStore, { report }: BenchContext, context: Tools): Promise<void> {
  const { mib, client, service, sha256, rounds, dir, file } = context
  const { name, upload, programs } = store
  report.title(`${name}, ${mib} MiB`)
  const [toolCpuS, serviceCpuS]: [number[], number[]] = [[], []]
  const exports: number[] = []
  const syncedS: number[] = []
  const measureService: Measurement = async () => {
    const cpuBefore = readCpuMs(service.pid)
    const { importSeconds, exportSeconds } = await measureTransfers(client, store, sha256)
    serviceCpuS.push((readCpuMs(service.pid) - cpuBefore) / 1000)
    if (exportSeconds !== undefined) exports.push(exportSeconds)
    return [importSeconds]
  }
  // The file must be uploaded before it can be downloaded.
  if (upload) await run(upload[0] ?? '', upload.slice(1))
  const toolMeasurements = { up: upload ? measureUpload(upload, file, toolCpuS) : async () => [] }
  const measurements = {
    ...toolMeasurements,
    down: measureDownload(store, dir, toolCpuS, syncedS),
    ours: measureService,
  }
  const seconds = await runInterleaved(rounds, measurements)
  const { proportional, resident } = await measurePeakWorkerMib(service, () =>
    runInterleaved(0, { again: async () => [(await measureTransfers(client, store, sha256)).importSeconds] }),
  )
  const reportSpeed = (label: string, serviceS: number, toolS: number, baseline: string) =>
    report.figure({
      what: label,
      value: mib / serviceS,
      unit: 'MiB/s',
      aim: { least: (0.8 * mib) / toolS },
      remark: `${(toolS / serviceS).toFixed(2)} of ${baseline}`,
    })
  const describeSpeed = (name: string, toolS: number) => `${name}'s ${Math.round(mib / toolS)}`
  const [importSeconds, downloadS, uploadS] = [median(seconds.ours), median(seconds.down), median(seconds.up)]
  const syncedRatio = (median(syncedS.slice(1)) / importSeconds).toFixed(2)
  reportSpeed(
    'import',
    importSeconds,
    downloadS,
    `${describeSpeed(programs.download, downloadS)}, ${syncedRatio} of it with a sync`,
  )
  if (programs.upload)
    reportSpeed('export', median(exports.slice(1)), uploadS, describeSpeed(programs.upload, uploadS))
  const secondsPerGib = (spent: readonly number[], calls: number) =>
    (spent.slice(calls).reduce((sum, duration) => sum + duration, 0) / rounds / mib) * 1024
  report.figure({
    what: 'processor time, a GiB each way',
    value: secondsPerGib(serviceCpuS, 1),
    unit: 's',
    remark: `the other program's: ${secondsPerGib(toolCpuS, upload ? 2 : 1).toFixed(1)} s`,
  })
  report.figure({
    what: 'most memory of a worker',
    value: proportional,
    unit: 'MiB',
    aim: { most: 150 },
    remark: `${Math.round(resident)} with all of what it shares with other processes`,
  })
}

interface Tools {
  readonly dir: string
  /** The file to send. */
  readonly file: string
  readonly mib: number
  readonly client: Client
  readonly service: TestService
  readonly sha256: string
  readonly rounds: number
}

export const transfers: Section = {
  name: 'transfers',
  about:
    'imports and exports for each kind of store, alternating with curl, aws and sftp; 1 GiB with --gib, else 256 MiB',
  async run(bench) {
    const mib = bench.flags.has('gib') ? 1024 : 256
    const dir = await mkdtemp(join(tmpdir(), 'mutabor-transfers-'))
    const file = join(dir, 'in.wav')
    await makeWav(file, mib * 1024 ** 2)
    const sha256 = createHash('sha256')
      .update(await readFile(file))
      .digest('hex')
    const { stores, gcsEndpoint, stop } = await startThirdPartyStores(dir, file, mib * 1024 ** 2)
    const service = await startService({ OUTGOING_ALLOW: '127.0.0.1/32', GCS_ENDPOINT: gcsEndpoint })
    try {
      const measurementContext = { dir, file, mib, client: new Client(service), service, sha256, rounds: 3 }
      for (const store of stores) await measureStore(store, bench, measurementContext)
    } finally {
      await service.stop()
      await stop()
      await rm(dir, { recursive: true })
    }
  },
}
