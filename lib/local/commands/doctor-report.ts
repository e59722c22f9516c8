import type { Engine } from '../../engines/engine.ts'
import type { Confinement } from '../../engines/sandbox/isolation.ts'
import { findConversions } from '../../plan/index.ts'
import { featuresByPackage } from './doctor-packages.ts'

/** Package names by section of layers/packages.json. */
type Packages = Readonly<Record<string, readonly string[]>>

export interface DoctorFindings {
  readonly engines: readonly Engine[]
  /** The engines whose programs are installed. */
  readonly installedEngines: readonly Engine[]
  /** Version of each engine by its id. */
  readonly versions: Readonly<Record<string, string>>
  /** Container images whose worker process is running. */
  readonly warmImages: readonly string[]
  readonly packages: Packages
  readonly missingPackages: readonly string[]
  readonly protection: Confinement
  /** The reason why the service uses no engines. */
  readonly refusal?: string | undefined
}

interface EngineReport {
  readonly id: string
  readonly image: string
  readonly version: string | undefined
  /** `broken` means that the program is installed, but did not report its version. */
  readonly state: 'ready' | 'broken' | 'missing'
  readonly warm: boolean
  /** Debian packages of the engine's container image that are not installed on this machine. */
  readonly install: readonly string[]
  /** Number of conversions that are not possible without the engine. */
  readonly pairs: number
}

interface DoctorReport {
  readonly engines: readonly EngineReport[]
  readonly missingPackages: readonly {
    readonly name: string
    readonly parts: readonly string[]
    readonly lost: string
  }[]
  readonly protection: Confinement & { readonly refusal?: string | undefined }
  /** Number of conversions with the installed engines, and with all engines. */
  readonly pairs: { readonly offered: number; readonly all: number }
}

export function createReport(findings: DoctorFindings): DoctorReport {
  const { engines, installedEngines, versions, warmImages, packages, missingPackages, protection, refusal } =
    findings
  const all = findConversions(engines).length
  const isMissing = (name: string) => missingPackages.includes(name)
  return {
    engines: engines.map((engine) => ({
      id: engine.id,
      image: engine.image,
      version: versions[engine.id],
      state: getEngineState(engine, findings),
      warm: warmImages.includes(engine.image),
      install: (packages[engine.image] ?? []).filter(isMissing),
      pairs: all - findConversions(engines.filter((other) => other !== engine)).length,
    })),
    missingPackages: missingPackages.map((name) => ({ name, ...describePackage(name, findings) })),
    protection: { ...protection, refusal },
    pairs: { offered: refusal === undefined ? findConversions(installedEngines).length : 0, all },
  }
}

function getEngineState(
  engine: Engine,
  { installedEngines, versions }: DoctorFindings,
): EngineReport['state'] {
  if (!installedEngines.includes(engine)) return 'missing'
  return versions[engine.id] === undefined ? 'broken' : 'ready'
}

function describePackage(name: string, { engines, packages }: DoctorFindings) {
  const parts = Object.keys(packages).filter((part) => packages[part]?.includes(name))
  const engineIds = engines.filter(({ image }) => parts.includes(image)).map(({ id }) => id)
  const language = /^tesseract-ocr-(.+)$/.exec(name)?.[1]
  const knownFeature = language === undefined ? featuresByPackage[name] : `OCR in the language ${language}`
  return { parts, lost: knownFeature ?? `some features of ${engineIds.join(', ') || 'the engines'}` }
}

export const isHealthy = ({ engines, protection }: DoctorReport): boolean =>
  protection.refusal === undefined && engines.every(({ state }) => state === 'ready')

/** Formats the report for people; every line fits into a terminal. */
export function formatReport({ engines, missingPackages, protection, pairs }: DoctorReport): string {
  const rows = engines.map(({ id, image, version, state, warm, pairs: ownPairs }) => [
    id,
    image,
    version ?? state,
    warm ? 'warm' : 'cold',
    String(ownPairs),
  ])
  const lines = [
    ...alignColumns([['engine', 'image', 'version', 'worker', 'pairs that need it'], ...rows]),
    '',
    `${pairs.offered} of ${pairs.all} conversions are available.`,
    `Confinement: ${protection.detail} (${protection.level}).`,
    ...(protection.refusal === undefined ? [] : [`Conversions are disabled: ${protection.refusal}.`]),
  ]
  for (const { id, state, install } of engines) {
    if (state === 'ready') continue
    const packages =
      install.length > 0 ? `it needs the packages ${install.join(', ')}` : 'its packages are installed'
    lines.push(`${id} is ${state}: ${packages}.`)
  }
  if (missingPackages.length === 0) return lines.join('\n')
  const packageRows = missingPackages.map(({ name, parts, lost }) => [name, parts.join(', '), lost])
  const command = `apt-get update && apt-get install -y --no-install-recommends ${missingPackages.map(({ name }) => name).join(' ')}`
  return [
    ...lines,
    '',
    ...alignColumns([['missing package', 'for', 'needed for'], ...packageRows]),
    '',
    'Install them as root:',
    `  ${command}`,
  ].join('\n')
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
