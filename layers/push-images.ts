/**
 * npm run images:push [-- av image …]: pushes built images to the registry in IMAGE_REGISTRY and stores their URIs with
 * digests, which the deployment uses.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { imageIds } from '../lib/component-ids.ts'
import { readConfig } from '../lib/config.ts'
import { savePushedImages } from '../lib/deployment/pushed-images.ts'
import { findContainerProgram, getImageName, getLocalName, runCommand } from './containers.ts'
import { describeLockMismatch, readLockedVersions, readVersions } from './debian-lock.ts'
import { getRevision, revisionLabel } from './revision.ts'

const { IMAGE_REGISTRY: registry } = readConfig()
if (!registry) {
  console.error(
    'IMAGE_REGISTRY: expected a registry such as 123456789012.dkr.ecr.eu-central-1.amazonaws.com, got nothing. Set it as described in the README.',
  )
  process.exit(2)
}
const targets = process.argv.length > 2 ? process.argv.slice(2) : imageIds
const program = findContainerProgram()
const tag = getRevision().slice(0, 12)
const isLocalRegistry = /^(localhost|127\.0\.0\.1|\[::1\])(:|\/)/.test(registry)

function push(target: string): string {
  const repository = `${registry}/${getImageName(target)}`
  const remoteName = `${repository}:${tag}`
  if (program === 'docker') {
    runCommand('docker', ['tag', getLocalName(program, target), remoteName])
    runCommand('docker', ['push', '--quiet', remoteName])
    return runCommand('docker', ['inspect', '--format', '{{index .RepoDigests 0}}', remoteName])
  }
  const folder = mkdtempSync(join(tmpdir(), 'mutabor-push-'))
  try {
    const file = join(folder, 'digest')
    const tlsArgs = isLocalRegistry ? ['--tls-verify=false'] : []
    // Uses Docker's manifest format, because some registries do not support the OCI format; Lambda accepts both.
    runCommand('podman', [
      'push',
      '--quiet',
      '--format=v2s2',
      ...tlsArgs,
      `--digestfile=${file}`,
      getLocalName(program, target),
      `docker://${remoteName}`,
    ])
    return `${repository}@${readFileSync(file, 'utf8').trim()}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Returns a message if an image was built from another commit than this checkout. Functions are packaged from this
 * checkout, and an image of another commit may not understand their messages.
 */
function findRevisionMismatch(target: string): string[] {
  const format = `{{index .Config.Labels "${revisionLabel}"}}`
  const imageCommit = runCommand(program, [
    'image',
    'inspect',
    '--format',
    format,
    getLocalName(program, target),
  ])
  if (imageCommit === getRevision()) return []
  return [
    `${getImageName(target)} was built from commit ${imageCommit || 'unknown'}, but this checkout is ${getRevision()}. Run "npm run images -- ${target}" to build it again.`,
  ]
}

// Check all images before pushing the first, so that a deployment never mixes old and new images.
const problems = targets.flatMap((target) => {
  const mismatch = findRevisionMismatch(target)
  return mismatch.length > 0
    ? mismatch
    : (describeLockMismatch(target, readVersions(target), readLockedVersions()) ?? [])
})
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
for (const target of targets) {
  const uri = push(target)
  savePushedImages({ [target]: uri })
  console.log(`${target}: ${uri}`)
}
