// Writes the figures that the tests measured into the table of layers/README.md.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('../../layers/README.md', import.meta.url))

export interface Figures {
  readonly image: string
  readonly sizeMb: number
  readonly coldMs: number
  readonly warmMs: number
  readonly peakMb: number | undefined
}

const inspect = (kind: string, format: string, name: string) =>
  execFileSync('podman', [kind, 'inspect', '--format', format, name], { encoding: 'utf8' }).trim()

export const readImageSizeMb = (image: string): number =>
  Math.round(Number(inspect('image', '{{.Size}}', `localhost/mutabor-${image}`)) / 1e6)

/** Returns the peak memory of a container, undefined if its cgroup does not report it. */
export function readPeakMemoryMb(container: string): number | undefined {
  const group = inspect('container', '{{.State.CgroupPath}}', container)
  const places = [
    `/sys/fs/cgroup/memory${group}/memory.max_usage_in_bytes`,
    `/sys/fs/cgroup${group}/memory.peak`,
  ]
  const path = places.find((candidate) => existsSync(candidate))
  return path === undefined ? undefined : Math.round(Number(readFileSync(path, 'utf8')) / 1e6)
}

const formatRow = ({ image, sizeMb, coldMs, warmMs, peakMb }: Figures) =>
  `| ${image} | ${sizeMb} | ${(coldMs / 1000).toFixed(1)} | ${(warmMs / 1000).toFixed(1)} | ${peakMb ?? '–'} |`

/** Replaces the rows of these images and leaves the others unchanged. */
export function writeFigures(allFigures: readonly Figures[]): void {
  let text = readFileSync(file, 'utf8')
  for (const figures of allFigures)
    text = text.replace(new RegExp(`^\\| ${figures.image} \\|.*$`, 'm'), formatRow(figures))
  writeFileSync(file, text)
}
