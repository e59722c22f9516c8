import { spawnSync } from 'node:child_process'

/** Returns the installed container program, which is the one that built and stores the images. */
export const findContainerProgram = (): 'docker' | 'podman' =>
  spawnSync('docker', ['info'], { timeout: 10_000 }).status === 0 ? 'docker' : 'podman'

export const getImageName = (target: string): string => `mutabor-${target}`

/** Returns the local name of an image. Podman adds `localhost/` to names without a registry. */
export const getLocalName = (program: 'docker' | 'podman', target: string): string =>
  program === 'podman' ? `localhost/${getImageName(target)}` : getImageName(target)

/**
 * Returns arguments to run a container on any host: some hosts do not allow raising limits, and crun does not support
 * all cgroups.
 */
export const getRunArgs = (program: 'docker' | 'podman'): readonly string[] => [
  ...(program === 'podman' ? ['--runtime=runc', '--cgroup-manager=cgroupfs'] : []),
  ...['run', '--rm', '--ulimit=nofile=1024:1024', '--ulimit=nproc=1024:1024'],
]

/** Runs a command and returns its output. */
export function runCommand(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 ** 2,
  })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stderr}`)
  return stdout.trim()
}
