// npm run images:lock [-- av image …]: accepts the versions of the Debian packages in the named images; without a name,
// it replaces the lock with the versions in `all`.
import { lockedVersions, lockVersions, versionsIn } from './debian-lock.ts'

const named = process.argv.slice(2)
const versions =
  named.length > 0 ? Object.assign({}, lockedVersions(), ...named.map(versionsIn)) : versionsIn('all')
lockVersions(versions)
console.log(`layers/debian-lock.json: ${Object.keys(versions).length} packages`)
