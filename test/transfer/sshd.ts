import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Starts Debian's OpenSSH server for the current user, on loopback, with a folder of files. */
export async function startSshd() {
  const dir = await mkdtemp(join(tmpdir(), 'mutabor-sshd-'))
  const files = join(dir, 'files')
  await mkdir(files)
  const createKey = (name: string, ...moreArgs: string[]) => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-f', join(dir, name), ...moreArgs])
    return join(dir, name)
  }
  const hostKey = createKey('host', '-N', '')
  const passphrase = 'open sesame'
  const [plain, locked] = [createKey('plain', '-N', ''), createKey('locked', '-N', passphrase)]
  const allowedKeys = await Promise.all([plain, locked].map((path) => readFile(`${path}.pub`, 'utf8')))
  await writeFile(join(dir, 'allowed'), allowedKeys.join(''), { mode: 0o600 })
  const port = await findFreePort()
  const settings = [
    ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${hostKey}`, `PidFile ${join(dir, 'pid')}`],
    ...[`AuthorizedKeysFile ${join(dir, 'allowed')}`, 'StrictModes no', 'PermitRootLogin yes'],
    ...['PasswordAuthentication no', 'Subsystem sftp internal-sftp'],
  ]
  // As root, sshd requires this folder, which systemd would create.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true })
  await writeFile(join(dir, 'config'), settings.join('\n'))
  const server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(dir, 'config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await waitUntilListening(server, port)
  const [, fingerprint = ''] = execFileSync('ssh-keygen', ['-lf', `${hostKey}.pub`], {
    encoding: 'utf8',
  }).split(' ')
  return {
    files,
    fingerprint,
    passphrase,
    port,
    host: '127.0.0.1',
    username: userInfo().username,
    plainKey: await readFile(plain, 'utf8'),
    lockedKey: await readFile(locked, 'utf8'),
    plainKeyFile: plain,
    async stop() {
      const exit = once(server, 'exit')
      server.kill()
      await exit
      await rm(dir, { recursive: true })
    },
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

async function waitUntilListening(server: ChildProcess, port: number): Promise<void> {
  let stderrText = ''
  server.stderr?.on('data', (chunk: Buffer) => {
    stderrText += chunk
  })
  for (let triesLeft = 100; triesLeft > 0; triesLeft--) {
    if (server.exitCode !== null) break
    const socket = connect(port, '127.0.0.1')
    const isConnected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (isConnected) return
    await sleep(50)
  }
  throw new Error(`sshd does not listen: ${stderrText}`)
}
