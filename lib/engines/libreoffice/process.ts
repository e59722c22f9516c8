import { copyFile, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SandboxedCommand } from '../sandbox/command.ts'
import { createSandboxCommand } from '../sandbox/isolation.ts'
import { copyIn, makeProcessFolder, moveOut, removeProcessFolder } from '../sandbox/process-folder.ts'
import { pythonPath } from '../sandbox/python.ts'
import {
  type Bridge,
  connectBridge,
  type OfficeCondition,
  OfficeCrash,
  type OfficeFacts,
  OfficeStartFailure,
} from './bridge.ts'
import type { PageSetup } from './page-setup.ts'

/** LibreOffice reported that it cannot convert this document; another attempt would fail in the same way. */
export class OfficeRefusal extends Error {
  override readonly name = 'OfficeRefusal'
  readonly reason: 'password' | 'corrupt' | 'margins' | 'export' | 'wide'

  constructor(reason: OfficeRefusal['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** Conversion request for one document, as sent to the bridge. */
export interface OfficeRequest {
  readonly family: 'text' | 'sheet' | 'slides' | 'drawing'
  /** Original file name, which fields in the document may show. */
  readonly name: string
  /** Import filters, tried in this order. */
  readonly sources: readonly OfficeFilter[]
  readonly target: OfficeFilter
  readonly page?: PageSetup
  readonly password?: string
  /** Whether the first row of the sheet contains the column names. */
  readonly headers?: boolean
}

/** Filter name and options, as in LibreOffice's filter registry. */
export interface OfficeFilter {
  readonly filter: string
  readonly options?: string
  /** Whether only the first page is exported, because the filter would draw all pages on top of each other. */
  readonly firstPageOnly?: boolean
  readonly data?: Readonly<Record<string, string | number | boolean>>
}

/** One document to convert; extensions are without a dot. */
export interface OfficeJob {
  readonly request: OfficeRequest
  readonly inputPath: string
  readonly inputExtension: string
  readonly outputPath: string
  readonly outputExtension: string
  readonly onLoaded: () => void
}

/** A running LibreOffice process. */
export interface OfficeProcess {
  readonly isAlive: boolean
  /** Converts one document; calls must not overlap. @throws OfficeCrash, OfficeRefusal */
  convert(job: OfficeJob): Promise<OfficeFacts>
  /** Removes the files and state that the last document left behind. @throws OfficeCrash */
  clear(): Promise<OfficeCondition>
  /** Loads code that conversions need, before the first document. @throws OfficeCrash */
  warmUp(): Promise<OfficeCondition>
  /** Kills the whole process tree, including a conversion in progress, and removes its folder. */
  kill(): Promise<void>
}

export interface OfficeSettings {
  /** Folder in which each process gets its own subfolder. */
  readonly baseDir: string
  /** Folder of the bridge, `layers/office`. */
  readonly bridgeDir: string
  /** Seconds without CPU activity after which a document counts as stuck. */
  readonly stallS: number
}

const startTimeoutMs = 60_000

/** Folder of the emoji font that the bridge's `fonts.conf` adds to the system fonts. */
const emojiFolder = fileURLToPath(
  new URL('../../../node_modules/@expo-google-fonts/noto-emoji/400Regular', import.meta.url),
)

/**
 * Limits the address space: LibreOffice maps 0.7 GB before it opens a document, and the memory limit of the container
 * image is 3 GB in total.
 */
const maxMemoryBytes = 3 * 1024 ** 3
const maxFileBytes = 2 * 1024 ** 3

/** Prefix of the name of each process's folder. */
export const officeFolderPrefix = 'mutabor-office-'

/** @throws OfficeStartFailure when LibreOffice cannot be reached in time. */
export async function startOffice(settings: OfficeSettings): Promise<OfficeProcess> {
  const folder = await makeProcessFolder(settings.baseDir, officeFolderPrefix)
  try {
    return await startInFolder(folder, settings)
  } catch (error) {
    await removeProcessFolder(folder)
    throw error
  }
}

async function startInFolder(folder: string, { bridgeDir, stallS }: OfficeSettings): Promise<OfficeProcess> {
  await mkdir(join(folder, 'profile', 'user'), { recursive: true })
  const profileFileName = 'registrymodifications.xcu'
  await copyFile(join(bridgeDir, profileFileName), join(folder, 'profile', 'user', profileFileName))
  const pipeName = basename(folder)
  const args = ['-B', join(bridgeDir, 'bridge.py'), folder, pipeName, String(stallS)]
  const command = await createSandboxCommand(pythonPath, args, {
    workDir: folder,
    readOnly: [bridgeDir, join(bridgeDir, '../document'), emojiFolder],
    env: { FONTCONFIG_FILE: join(bridgeDir, 'fonts.conf') },
    limits: { memoryBytes: maxMemoryBytes, fileBytes: maxFileBytes },
    unixSockets: true,
  })
  const bridge = connectBridge(command)
  const end = async () => {
    await bridge.kill()
    await removeProcessFolder(folder)
  }
  let exitPromise: Promise<void> | undefined
  const kill = () => {
    exitPromise ??= end()
    return exitPromise
  }
  const timer = setTimeout(() => void bridge.kill(), startTimeoutMs)
  try {
    await bridge.ready()
  } catch (cause) {
    await kill()
    throw new OfficeStartFailure('LibreOffice did not start.', { cause })
  } finally {
    clearTimeout(timer)
  }
  const sendCommand = async (kind: 'clear' | 'warm') => {
    const timer = setTimeout(() => void bridge.kill(), startTimeoutMs)
    bridge.send({ kind })
    return bridge.ready().finally(() => clearTimeout(timer))
  }
  return {
    get isAlive() {
      return bridge.isAlive
    },
    convert: (job) => convert(bridge, command, folder, job),
    clear: () => sendCommand('clear'),
    warmUp: () => sendCommand('warm'),
    kill,
  }
}

async function convert(
  bridge: Bridge,
  command: SandboxedCommand,
  folder: string,
  job: OfficeJob,
): Promise<OfficeFacts> {
  const inputName = `document.${job.inputExtension}`
  const outputName = `result.${job.outputExtension}`
  const inputPath = join(folder, inputName)
  await copyIn(job.inputPath, inputPath)
  await command.grant(inputPath)
  bridge.send({ kind: 'convert', input: inputName, output: outputName, ...job.request })
  for (;;) {
    const event = await bridge.next()
    switch (event.event) {
      case 'loaded':
        job.onLoaded()
        break
      case 'done':
        if (await moveOut(join(folder, outputName), job.outputPath)) return event.facts
        throw new OfficeCrash('The result is not a regular file.')
      case 'failed':
        throw new OfficeRefusal(event.reason, event.message)
      case 'stalled':
        throw new OfficeCrash('LibreOffice stopped responding while converting a document.')
      case 'ready':
        throw new OfficeCrash('The bridge sent an unexpected event.')
    }
  }
}
