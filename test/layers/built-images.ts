import { spawnSync } from 'node:child_process'
import { getRevision, revisionLabel } from '../../layers/revision.ts'
import type { ImageId } from '../../lib/component-ids.ts'
import { imageIds } from '../../lib/component-ids.ts'

/** Returns whether an image exists that was built from this commit. */
export function isBuilt(image: ImageId | 'all'): boolean {
  const format = `{{index .Labels "${revisionLabel}"}}`
  const args = ['image', 'inspect', '--format', format, `localhost/mutabor-${image}`]
  const { status, stdout } = spawnSync('podman', args, { encoding: 'utf8' })
  return status === 0 && stdout.trim() === getRevision()
}

export const listBuiltImages = (): ImageId[] => imageIds.filter(isBuilt)
