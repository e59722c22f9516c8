// npm run images:push [-- av image …]: brings built images to the registry that IMAGE_REGISTRY names, and writes down what
// each is called there by its digest, which is what a deployment uses.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../lib/config.ts'
import { savePushedImages } from '../lib/deployment/pushed-images.ts'
import { imageIds } from '../lib/resources/queues.ts'
import { containerProgram, imageName, localName, output } from './containers.ts'
import { describeLockMismatch, lockedVersions, versionsIn } from './debian-lock.ts'
import { revision, revisionLabel } from './revision.ts'

const { IMAGE_REGISTRY: registry } = readConfig()
if (!registry) {
  console.error(
    'IMAGE_REGISTRY: expected a registry, as 123456789012.dkr.ecr.eu-central-1.amazonaws.com, got nothing. The README lists it.',
  )
  process.exit(2)
}
const targets = process.argv.length > 2 ? process.argv.slice(2) : imageIds
const program = containerProgram()
const tag = revision().slice(0, 12)
const isOfThisMachine = /^(localhost|127\.0\.0\.1|\[::1\])(:|\/)/.test(registry)

function push(target: string): string {
  const repository = `${registry}/${imageName(target)}`
  const remoteName = `${repository}:${tag}`
  if (program === 'docker') {
    output('docker', ['tag', localName(program, target), remoteName])
    output('docker', ['push', '--quiet', remoteName])
    return output('docker', ['inspect', '--format', '{{index .RepoDigests 0}}', remoteName])
  }
  const folder = mkdtempSync(join(tmpdir(), 'mutabor-push-'))
  try {
    const file = join(folder, 'digest')
    const plain = isOfThisMachine ? ['--tls-verify=false'] : []
    // Lambda knows both forms of a manifest; every registry knows this one.
    output('podman', [
      'push',
      '--quiet',
      '--format=v2s2',
      ...plain,
      `--digestfile=${file}`,
      localName(program, target),
      `docker://${remoteName}`,
    ])
    return `${repository}@${readFileSync(file, 'utf8').trim()}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Packages of functions are made of this checkout, and engines have to understand what those send them. */
function revisionMismatch(target: string): string[] {
  const format = `{{index .Config.Labels "${revisionLabel}"}}`
  const own = output(program, ['image', 'inspect', '--format', format, localName(program, target)])
  if (own === revision()) return []
  return [
    `${imageName(target)} is of commit ${own || 'unknown'}, and this checkout is ${revision()}. "npm run images -- ${target}" builds it anew.`,
  ]
}

// Before the first one is sent: a deployment has all of them of one day.
const problems = targets.flatMap((target) => {
  const mismatch = revisionMismatch(target)
  return mismatch.length > 0
    ? mismatch
    : (describeLockMismatch(target, versionsIn(target), lockedVersions()) ?? [])
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
