import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { engines } from '../../lib/engines/index.ts'
import {
  createReport,
  type DoctorFindings,
  formatReport,
  isHealthy,
} from '../../lib/local/commands/doctor-report.ts'
import { conversions } from '../plan/with-all-engines.ts'

const findings: DoctorFindings = {
  engines,
  installedEngines: engines,
  versions: { ...Object.fromEntries(engines.map(({ id }) => [id, '1.0'])), ffmpeg: '5.1.9' },
  warmImages: ['office'],
  packages: { av: ['ffmpeg', 'libavcodec-extra'], pdf: ['qpdf', 'odd-tool'] },
  missingPackages: [],
  protection: { level: 'namespaces', detail: 'all of it' },
}

test('the doctor command reports that a machine with every engine is healthy', () => {
  const report = createReport(findings)
  assert.equal(isHealthy(report), true)
  assert.equal(report.pairs.offered, conversions().length)
  const text = formatReport(report)
  assert.match(text, /^ffmpeg +av +5\.1\.9 +cold +\d+$/m)
  assert.match(text, /^libreoffice +office .* warm +\d+$/m)
  assert.match(text, /^Confinement: all of it \(namespaces\)\.$/m)
  assert.doesNotMatch(text, /apt-get/)
})

test('the doctor command reports a missing engine with its packages, lost conversions and install command', () => {
  const presentEngines = engines.filter(({ id }) => id !== 'ffmpeg')
  const { ffmpeg: _, ...versions } = findings.versions
  const report = createReport({
    ...findings,
    installedEngines: presentEngines,
    versions,
    missingPackages: ['ffmpeg'],
  })
  assert.equal(isHealthy(report), false)
  assert.equal(report.pairs.offered, conversions(presentEngines).length)
  const ffmpeg = report.engines.find(({ id }) => id === 'ffmpeg')
  assert.deepEqual(ffmpeg?.install, ['ffmpeg'])
  assert.equal(ffmpeg?.pairs, conversions().length - conversions(presentEngines).length)
  assert.match(formatReport(report), /^ffmpeg +av +missing/m)
  assert.match(formatReport(report), /^ffmpeg is missing: it needs the packages ffmpeg\.$/m)
  assert.match(formatReport(report), /apt-get install -y --no-install-recommends ffmpeg$/m)
})

test('the doctor command reports a missing helper package with the lost feature', () => {
  const report = createReport({ ...findings, missingPackages: ['qpdf', 'odd-tool'] })
  assert.equal(isHealthy(report), true)
  assert.match(formatReport(report), /^qpdf +pdf +PDF tools/m)
  assert.match(formatReport(report), /^odd-tool +pdf +some features of .*pdf.*$/m)
})

test('the doctor command reports an engine as broken if the program of the engine does not start', () => {
  const { ffmpeg: _, ...versions } = findings.versions
  const report = createReport({ ...findings, versions })
  assert.equal(isHealthy(report), false)
  assert.match(formatReport(report), /^ffmpeg is broken: its packages are installed\.$/m)
})

test('the doctor command reports the version of every engine on this machine', () => {
  const doctorCommand = fileURLToPath(new URL('../../lib/local/commands/doctor.ts', import.meta.url))
  const run = spawnSync(process.execPath, [doctorCommand, '--json', '--missing=qpdf'], { encoding: 'utf8' })
  assert.equal(run.status, 0, run.stderr)
  const report = JSON.parse(run.stdout)
  assert.deepEqual(
    report.engines.map(({ id }: { id: string }) => id),
    engines.map(({ id }) => id),
  )
  for (const { id, version } of report.engines) assert.match(version, /\d+\.\d+|\d{8}/, id)
  assert.deepEqual(
    report.missingPackages.map(({ name }: { name: string }) => name),
    ['qpdf'],
  )
  assert.match(report.protection.detail, /./)
})
