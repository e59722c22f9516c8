/**
 * npm run images:sbom [-- av image …]: writes the components of images with versions and licenses to
 * .images/<target>.cdx.json (CycloneDX 1.6).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { imageIds } from '../lib/component-ids.ts'
import { findContainerProgram, getImageName, getLocalName, getRunArgs, runCommand } from './containers.ts'
import { getRevision } from './revision.ts'

const root = new URL('..', import.meta.url)
const folder = fileURLToPath(new URL('.images/', root))
const targets = process.argv.length > 2 ? process.argv.slice(2) : [...imageIds, 'all']
const program = findContainerProgram()

interface Component {
  readonly type: 'library'
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses?: readonly { readonly license: { readonly name: string } }[]
}

const toLicenses = (names: readonly string[]) =>
  names.length > 0 && { licenses: names.map((name) => ({ license: { name } })) }

/** Returns the Debian packages of an image, with licenses from their copyright files. */
function listDebianComponents(target: string): Component[] {
  const script = `dpkg-query --show --showformat='\${Package}\\t\${Version}\\t\${Architecture}\\n'; echo; cd /usr/share/doc && grep -H '^License:' */copyright || true`
  const run = [
    ...getRunArgs(program),
    '--network=none',
    '--entrypoint',
    'sh',
    getLocalName(program, target),
    '-c',
    script,
  ]
  const [packages = '', copyrights = ''] = runCommand(program, run).split('\n\n')
  const licenses = new Map<string, Set<string>>()
  for (const line of copyrights.split('\n')) {
    const [, name, license] = /^([^/]+)\/copyright:License:\s*(.+)$/.exec(line) ?? []
    if (!name || !license) continue
    licenses.set(name, (licenses.get(name) ?? new Set()).add(license.trim()))
  }
  return packages.split('\n').map((line) => {
    const [name = '', version = '', architecture] = line.split('\t')
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`
    return { type: 'library', name, version, purl, ...toLicenses([...(licenses.get(name) ?? [])]) }
  })
}

interface LockedPackage {
  /** The real name of a package that is installed under an alias. */
  readonly name?: string
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
}

interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/** Returns all production packages of a lockfile, because a bundle does not reveal which of them it contains. */
function listNpmComponents(lockfile: string): Component[] {
  const { packages } = JSON.parse(readFileSync(new URL(lockfile, root), 'utf8')) as Lockfile // npm's own form
  return Object.entries(packages).flatMap(
    ([path, { name: packageName, version, license, dev }]): Component[] => {
      const name = packageName ?? path.split('node_modules/').at(-1)
      if (path === '' || !name || !version || dev) return []
      const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
      return [{ type: 'library', name, version, purl, ...toLicenses(license ? [license] : []) }]
    },
  )
}

/** Lists Chromium itself, because vulnerability databases do not know its npm package, whose license also differs. */
function createBrowserComponent(): Component {
  const inspectArgs = [
    '--network=none',
    '--entrypoint=chromium-headless-shell',
    getLocalName(program, 'browser'),
    '--version',
  ]
  const version =
    /[\d.]+\d/.exec(runCommand(program, [...getRunArgs(program), ...inspectArgs]))?.[0] ?? 'unknown'
  const purl = `pkg:generic/chromium@${version}`
  return { type: 'library', name: 'chromium', version, purl, ...toLicenses(['BSD-3-Clause and others']) }
}

mkdirSync(folder, { recursive: true })
for (const target of targets) {
  const components = [...listDebianComponents(target), ...listNpmComponents('package-lock.json')]
  if (target === 'browser')
    components.push(...listNpmComponents('layers/chromium/package-lock.json'), createBrowserComponent())
  const component = { type: 'container', name: getImageName(target), version: getRevision() }
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components }
  writeFileSync(`${folder}${target}.cdx.json`, `${JSON.stringify(bom, undefined, 1)}\n`)
  console.log(`.images/${target}.cdx.json: ${components.length} components`)
}
