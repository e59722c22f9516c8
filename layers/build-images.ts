// npm run images [-- av image office pdf document archive font browser all]: builds container images as mutabor-<name>.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { imageIds } from '../lib/component-ids.ts'
import { processEnvironment } from '../lib/config.ts'
import { writeImageFiles, writeServiceFiles } from '../lib/deployment/image-files.ts'
import { getImageName, getLocalName, runCommand } from './containers.ts'
import { describeLockMismatch, readLockedVersions, readVersions } from './debian-lock.ts'
import { buildSnapshotSources } from './debian-snapshot.ts'
import { getRevision, revisionLabel } from './revision.ts'

const { DEBIAN_SNAPSHOT: snapshot, DEBIAN_SNAPSHOT_MIRROR: mirror } = processEnvironment
const sources = buildSnapshotSources(snapshot, mirror)
const localBase = `localhost/mutabor-debian:bookworm-slim${snapshot ? `-${snapshot}` : ''}`

const layersFolder = fileURLToPath(new URL('.', import.meta.url))
const [, pinnedBase = ''] =
  /^ARG DEBIAN_IMAGE=(\S+)$/m.exec(readFileSync(join(layersFolder, 'Dockerfile'), 'utf8')) ?? []
const publishedBase = processEnvironment['DEBIAN_IMAGE'] ?? pinnedBase
const nodeBinary = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
const targets = process.argv.length > 2 ? process.argv.slice(2) : [...imageIds, 'all']

function run(command: string, args: readonly string[]) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error?.message ?? `code ${status}`}.`)
}

/** Limits the wait for a registry or daemon that does not respond. */
const probeTimeoutMs = 180_000
const succeeds = (command: string, args: readonly string[]) =>
  spawnSync(command, args, { timeout: probeTimeoutMs }).status === 0

/** Returns arguments that mount this machine's apt settings, such as a proxy. They do not become part of the image. */
function createAptMounts(): string[] {
  const folder = '/etc/apt/apt.conf.d'
  return existsSync(folder) ? ['--volume', `${folder}:${folder}:ro`] : []
}

function prepareBuildahBase(): string {
  if (succeeds('buildah', ['pull', '--quiet', publishedBase])) return publishedBase
  if (!succeeds('buildah', ['inspect', '--type', 'image', localBase])) {
    console.log(`${publishedBase} cannot be pulled; building a base image from Debian's packages instead.`)
    run(join(layersFolder, 'make-base.sh'), [localBase, join(context, 'layers/snapshot.list')])
  }
  return localBase
}

/** Lambda accepts a single manifest for its architecture, but no index with several manifests or an attestation. */
const platform = ['--platform', 'linux/amd64'] as const
const label = ['--label', `${revisionLabel}=${getRevision()}`] as const

/**
 * Adds the label in a separate build step, because a build that changes only the label would return the cached image
 * with the old label.
 */
function addRevisionLabel(image: string): void {
  const container = runCommand('buildah', ['from', '--pull=never', image])
  run('buildah', ['config', ...label, container])
  run('buildah', ['commit', '--quiet', '--rm', container, image])
}

function createBuilder(): (target: string, context: string) => void {
  const createTargetArgs = (target: string) => [
    '--target',
    target,
    '--tag',
    getImageName(target),
    ...platform,
  ]
  if (succeeds('docker', ['info'])) {
    const base = ['--build-arg', `DEBIAN_IMAGE=${publishedBase}`]
    return (target, context) =>
      run('docker', ['build', '--provenance=false', ...base, ...createTargetArgs(target), ...label, context])
  }
  const base = prepareBuildahBase()
  return (target, context) => {
    run('buildah', [
      ...['bud', '--layers', '--pull=never', '--isolation=chroot', '--network=host', ...createAptMounts()],
      ...['--build-arg', `DEBIAN_IMAGE=${base}`, ...createTargetArgs(target), context],
    ])
    addRevisionLabel(getLocalName('podman', target))
  }
}

const context = mkdtempSync(join(tmpdir(), 'mutabor-images-'))
try {
  cpSync(join(layersFolder, 'Dockerfile'), join(context, 'Dockerfile'))
  cpSync(nodeBinary, join(context, 'node'))
  for (const name of ['packages.json', 'install-packages.mjs']) {
    cpSync(join(layersFolder, name), join(context, 'layers', name))
  }
  writeFileSync(join(context, 'layers/snapshot.list'), sources)
  const browser = join(context, 'chromium')
  cpSync(join(layersFolder, 'chromium'), browser, { recursive: true })
  if (targets.includes('browser')) run('npm', ['ci', '--prefix', browser, '--ignore-scripts', '--no-audit'])
  await writeImageFiles(join(context, 'task'))
  if (targets.includes('all')) await writeServiceFiles(join(context, 'service'))
  const build = createBuilder()
  for (const target of targets) {
    const startedMs = Date.now()
    build(target, context)
    console.log(`mutabor-${target}: built in ${Math.round((Date.now() - startedMs) / 1000)} s`)
    const lockMismatch = describeLockMismatch(target, readVersions(target), readLockedVersions())
    if (lockMismatch) console.warn(lockMismatch)
  }
} finally {
  rmSync(context, { recursive: true, force: true })
}
