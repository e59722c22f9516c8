// npm run images:lock [-- av image …]: accepts the versions of Debian's packages that the named images have, or, when none
// is named, those of `all` and no others.
import { lockedVersions, lockVersions, versionsIn } from './debian-lock.ts'

const named = process.argv.slice(2)
const versions =
  named.length > 0 ? Object.assign({}, lockedVersions(), ...named.map(versionsIn)) : versionsIn('all')
lockVersions(versions)
console.log(`layers/debian-lock.json: ${Object.keys(versions).length} packages`)
