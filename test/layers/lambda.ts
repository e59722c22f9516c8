import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRuntimeApi } from './runtime-api.ts'

const run = (command: string, ...args: string[]) => execFileSync(command, args, { encoding: 'utf8' }).trim()

/** Creates a network with two IP addresses: a container in it can only reach this machine. */
export function openNetwork() {
  const name = `mutabor${process.pid}`
  // Addresses from the block that is reserved for benchmarks of network devices (RFC 2544).
  const [hostAddress, containerAddress] = ['198.18.99.1', '198.18.99.2']
  const close = () => {
    run('ip', 'netns', 'delete', name)
  }
  run('ip', 'netns', 'add', name)
  try {
    run('ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    run('ip', 'address', 'add', `${hostAddress}/30`, 'dev', name)
    run('ip', 'link', 'set', name, 'up')
    run('ip', '-n', name, 'address', 'add', `${containerAddress}/30`, 'dev', 'eth0')
    run('ip', '-n', name, 'link', 'set', 'eth0', 'up')
    run('ip', '-n', name, 'link', 'set', 'lo', 'up')
  } catch (error) {
    close()
    throw error
  }
  return { hostAddress, path: `/run/netns/${name}`, close }
}

export interface LambdaOptions {
  readonly image: string
  /** The handler; by default that of the image. */
  readonly handler?: string
  readonly network: { readonly hostAddress: string; readonly path: string }
  readonly memoryMb: number
  readonly environment: Readonly<Record<string, string>>
  /** The number of CPUs; by default all of this machine. */
  readonly processors?: number
  /** A folder to mount as /tmp, which is not deleted; by default a temporary one. */
  readonly tmp?: string
}

/** Memory in MB for which Lambda allocates one core. */
const memoryPerCoreMb = 1769

/** Starts a container with Lambda's user, memory and CPU limits; only /tmp is writable. */
export async function startLambda(options: LambdaOptions) {
  const { image, handler, network, memoryMb, environment, processors } = options
  const api = await startRuntimeApi(network.hostAddress)
  // A folder on disk, because tmpfs would count as memory; on Lambda, /tmp does not.
  const tmp = options.tmp ?? mkdtempSync(join(tmpdir(), 'mutabor-lambda-'))
  chmodSync(tmp, 0o1777)
  const variables = { ...environment, AWS_LAMBDA_RUNTIME_API: api.address, AWS_LAMBDA_FUNCTION_NAME: image }
  const memoryLimit = `${memoryMb}m`
  const container = run(
    'podman',
    ...['--runtime=runc', '--cgroup-manager=cgroupfs', 'run', '--detach', '--pull=never'],
    ...['--read-only', '--read-only-tmpfs=false', `--volume=${tmp}:/tmp:rw,nosuid,nodev,exec`],
    ...[
      `--memory=${memoryLimit}`,
      `--memory-swap=${memoryLimit}`,
      `--cpus=${(memoryMb / memoryPerCoreMb).toFixed(2)}`,
    ],
    ...(processors === undefined ? [] : [`--cpuset-cpus=0-${processors - 1}`]),
    ...['--pids-limit=1024', '--ulimit=nofile=1024:1024', '--ulimit=nproc=1024:1024'],
    ...['--user=993:990', '--cap-drop=all', '--security-opt=no-new-privileges', '--ipc=none'],
    ...[`--network=ns:${network.path}`],
    ...Object.entries(variables).map(([name, value]) => `--env=${name}=${value}`),
    `localhost/mutabor-${image}`,
    ...(handler === undefined ? [] : [handler]),
  )
  const readPid = () => Number(run('podman', 'container', 'inspect', '--format', '{{.State.Pid}}', container))
  let pid = readPid()
  return {
    invoke: api.invoke,
    container,
    tmp,
    /** The process id of the function on this machine. */
    pid: () => pid,
    /** Kills the runtime and starts another with the same /tmp, as on Lambda. */
    killAndRestart: () => {
      process.kill(pid, 'SIGKILL')
      run('podman', 'wait', container)
      api.reportExit()
      run('podman', 'start', container)
      pid = readPid()
    },
    logs: () => run('podman', 'logs', container),
    /** Runs a Node script in the container, as the user of the function. */
    inside: (script: string) => run('podman', 'exec', container, 'node', '--eval', script),
    close: () => {
      run('podman', 'rm', '--force', '--time=0', container)
      api.close()
      if (options.tmp === undefined) rmSync(tmp, { recursive: true, force: true })
    },
  }
}
