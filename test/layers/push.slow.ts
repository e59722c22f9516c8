// Run by `npm run images:test`: images are pushed to a registry only if their versions are accepted.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findContainerProgram, getLocalName, getRunArgs } from '../../layers/containers.ts'
import { lockVersions, readLockedVersions, readVersions } from '../../layers/debian-lock.ts'
import { getRevision, revisionLabel } from '../../layers/revision.ts'
import { readPushedImages } from '../../lib/deployment/pushed-images.ts'
import { listBuiltImages } from './built-images.ts'
import { startRegistry } from './registry.ts'

const script = fileURLToPath(new URL('../../layers/push-images.ts', import.meta.url))
const recordFile = fileURLToPath(new URL('../../.images.json', import.meta.url))
const recordBefore = existsSync(recordFile) ? readFileSync(recordFile) : undefined
const program = findContainerProgram()
const [image = ''] = listBuiltImages()

const versionsBefore = readLockedVersions()

let registry: Awaited<ReturnType<typeof startRegistry>>
before(async () => {
  assert.ok(image, 'podman has no image of this commit: run "npm run images" first.')
  // Debian can have newer packages than the lock, which must not fail this test.
  lockVersions({ ...versionsBefore, ...readVersions(image) })
  registry = await startRegistry()
})
after(() => {
  registry.close()
  lockVersions(versionsBefore)
  if (recordBefore) writeFileSync(recordFile, recordBefore)
  else rmSync(recordFile, { force: true })
})

/** Returns the output and exit code of the command. */
const push = (target: string) =>
  new Promise<{ commandOutput: string; code: number }>((resolve) => {
    const env = { ...process.env, IMAGE_REGISTRY: `${registry.address}/files` }
    execFile(process.execPath, [script, target], { env }, (error, stdout, stderr) =>
      resolve({ commandOutput: stdout + stderr, code: typeof error?.code === 'number' ? error.code : 0 }),
    )
  })

/** Replaces an image by a version that a shell script has changed, while `use` runs. */
async function withChangedImage(
  target: string,
  shell: string,
  use: () => Promise<void>,
  label = getRevision(),
) {
  const container = `mutabor-test-${process.pid}`
  const containerArgs = getRunArgs(program).filter((argument) => argument !== '--rm')
  const asRoot = ['--user=0', '--network=none', '--entrypoint=sh', `--name=${container}`]
  execFileSync(program, [...containerArgs, ...asRoot, getLocalName(program, image), '-c', shell])
  try {
    const labelArgs = ['--change', `LABEL ${revisionLabel}=${label}`]
    execFileSync(program, ['commit', ...labelArgs, container, getLocalName(program, target)], {
      stdio: 'pipe',
    })
    await use()
  } finally {
    execFileSync(program, ['rm', '--force', container])
    execFileSync(program, ['rmi', '--force', getLocalName(program, target)])
  }
}

test('a container image with a package version that is not locked is not pushed', () =>
  withChangedImage(
    'strayed',
    `sed -i '/^Package: perl-base$/,/^$/s/^Version: .*/Version: 9.9-1/' /var/lib/dpkg/status`,
    async () => {
      const { commandOutput, code } = await push('strayed')
      assert.equal(code, 1, commandOutput)
      assert.match(
        commandOutput,
        /^The packages of mutabor-strayed differ from .*: perl-base 9\.9-1 \(locked: 5\.[\d.+a-z-]+\)\. /,
      )
      assert.equal(registry.requests(), 0)
    },
  ))

test('a container image built from another commit is not pushed', () =>
  withChangedImage(
    'older',
    'true',
    async () => {
      const { commandOutput, code } = await push('older')
      assert.equal(code, 1, commandOutput)
      assert.match(
        commandOutput,
        /^mutabor-older was built from commit 0123abc, but this checkout is [0-9a-f]{40}\. /,
      )
      assert.equal(registry.requests(), 0)
    },
    '0123abc',
  ))

test('the digest of a pushed container image is stored locally', async () => {
  const { commandOutput, code } = await push(image)
  assert.equal(code, 0, commandOutput)
  const pushedManifest = registry.manifests.get(`files/mutabor-${image}:${getRevision().slice(0, 12)}`)
  assert.equal(pushedManifest?.manifest.mediaType, 'application/vnd.docker.distribution.manifest.v2+json')
  assert.equal(
    readPushedImages()[image],
    `${registry.address}/files/mutabor-${image}@${pushedManifest?.digest}`,
  )
})
