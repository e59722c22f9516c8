import { spawnSync } from 'node:child_process'

/** https://github.com/opencontainers/image-spec/blob/main/annotations.md */
export const revisionLabel = 'org.opencontainers.image.revision'

/** The commit of which an image is built: when it was made tells less, as what has not changed keeps its time. */
export function revision(): string {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  return stdout?.trim() || 'unknown'
}
