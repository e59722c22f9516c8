// Installs the Debian packages of the named sections of packages.json while an image is built. `--copyright-of=NAME`
// installs only the copyright file of a package.
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'copyright-of': { type: 'string' } },
})
const copyrightPackage = values['copyright-of']
const parts = JSON.parse(readFileSync(new URL('packages.json', import.meta.url), 'utf8'))
const names = positionals.flatMap((part) => {
  if (!parts[part]) throw new Error(`packages.json has no section "${part}".`)
  return parts[part]
})

function run(...command) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { status } = spawnSync(command[0], command.slice(1), { stdio: 'inherit', env })
  if (status !== 0) process.exit(status ?? 1)
}

// Unless this list of apt sources is empty, it replaces the sources of the base image; newer packages are downgraded.
const snapshotPath = fileURLToPath(new URL('snapshot.list', import.meta.url))
const usesSnapshot = statSync(snapshotPath).size > 0
const from = usesSnapshot
  ? ['-o', `Dir::Etc::SourceList=${snapshotPath}`, '-o', 'Dir::Etc::SourceParts=-']
  : []
run('apt-get', ...from, 'update', '-q')
// Bring the packages of the pinned base image to the versions of the snapshot.
run('apt-get', ...from, 'dist-upgrade', '-y', '-q', ...(usesSnapshot ? ['--allow-downgrades'] : []))
run('apt-get', ...from, 'install', '-y', '-q', '--no-install-recommends', ...names)
if (copyrightPackage) {
  run(
    'sh',
    '-ec',
    'cd /tmp; apt-get "$@" download "$0"; dpkg-deb --extract "$0"_*.deb got',
    copyrightPackage,
    ...from,
  )
  run(
    'install',
    '-D',
    `/tmp/got/usr/share/doc/${copyrightPackage}/copyright`,
    `/usr/share/doc/${copyrightPackage}/copyright`,
  )
}
// NumPy depends on compilers that it does not need at run time and that an attacker could use.
const { stdout } = spawnSync('dpkg-query', ['--show'], { encoding: 'utf8' })
const compilers = stdout
  .split('\n')
  .map((line) => line.split('\t')[0].split(':')[0])
  .filter((name) => /^(g\+\+|gcc|cpp|binutils)(-\d+|-common|-x86-64-linux-gnu)?$|-dev$/.test(name))
if (compilers.length > 0) run('dpkg', '--purge', '--force-depends', ...compilers)
// Clean up in the same image layer, so that the caches take no space in the image.
run('apt-get', 'clean')
run('sh', '-c', 'rm -rf /var/lib/apt/lists/*')
