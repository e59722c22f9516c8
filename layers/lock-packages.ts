// npm run images:lock [-- av image …]: accepts the versions of the Debian packages in the named images; without a name,
// it replaces the lock with the versions in `all`.
import { lockedVersions, lockVersions, versionsIn } from './debian-lock.ts'

const namedImages = process.argv.slice(2)
const versions =
  namedImages.length > 0
    ? Object.assign({}, lockedVersions(), ...namedImages.map(versionsIn))
    : versionsIn('all')
lockVersions(versions)
console.log(`layers/debian-lock.json: ${Object.keys(versions).length} packages`)
