/**
 * npm run images:lock [-- av image …]: accepts the versions of the Debian packages in the named images; without a name,
 * it replaces the lock with the versions in `all`.
 */
import { lockVersions, readLockedVersions, readVersions } from './debian-lock.ts'

const requestedImages = process.argv.slice(2)
const versions =
  requestedImages.length > 0
    ? Object.assign({}, readLockedVersions(), ...requestedImages.map(readVersions))
    : readVersions('all')
lockVersions(versions)
console.log(`layers/debian-lock.json: ${Object.keys(versions).length} packages`)
