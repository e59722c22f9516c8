import { spawnSync } from 'node:child_process'

/** What has the images: the engine that built them. */
export const containerProgram = (): 'docker' | 'podman' =>
  spawnSync('docker', ['info'], { timeout: 10_000 }).status === 0 ? 'docker' : 'podman'

export const imageName = (target: string): string => `mutabor-${target}`

/** Podman gives names without a registry this one. */
export const localName = (program: 'docker' | 'podman', target: string): string =>
  program === 'podman' ? `localhost/${imageName(target)}` : imageName(target)

/** Arguments that run a container on hosts of all kinds: some refuse to raise limits, and crun knows not all cgroups. */
export const runArgs = (program: 'docker' | 'podman'): readonly string[] => [
  ...(program === 'podman' ? ['--runtime=runc', '--cgroup-manager=cgroupfs'] : []),
  ...['run', '--rm', '--ulimit=nofile=1024:1024', '--ulimit=nproc=1024:1024'],
]

/** @returns what it printed. */
export function output(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 ** 2,
  })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stderr}`)
  return stdout.trim()
}
