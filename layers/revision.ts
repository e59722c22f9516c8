import { spawnSync } from 'node:child_process'

/** https://github.com/opencontainers/image-spec/blob/main/annotations.md */
export const revisionLabel = 'org.opencontainers.image.revision'

/**
 * Returns the commit from which images are built. A build time would say less, because unchanged layers keep their
 * build time.
 */
export function getRevision(): string {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  return stdout?.trim() || 'unknown'
}
