// An engine that a file has taken over: the option `action` says what it does.

import { createSocket } from 'node:dgram'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'

const folder = process.cwd()

function send(message) {
  const json = Buffer.from(JSON.stringify(message))
  const header = Buffer.alloc(8)
  header.writeUInt32LE(json.length, 0)
  writeSync(3, Buffer.concat([header, json]))
}

const attempt = (action) => {
  try {
    return action()
  } catch (error) {
    return error.code ?? String(error)
  }
}

const tryConnect = (target) =>
  new Promise((resolve) => {
    connect(target)
      .on('connect', () => resolve('connected'))
      .on('error', (error) => resolve(error.code))
  })

const tryDatagram = (port) =>
  new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.on('error', (error) => resolve(error.code))
    socket.send('x', port, '127.0.0.1', (error) => resolve(error?.code ?? 'sent'))
  })

/** Returns everything below a folder that this process can read, up to a depth. */
function listReadable(path, depth = 3) {
  const entries = attempt(() => readdirSync(path, { withFileTypes: true }))
  if (!Array.isArray(entries) || depth === 0) return []
  return entries.flatMap((entry) => {
    const child = `${path}/${entry.name}`
    return entry.isDirectory() ? [child, ...listReadable(child, depth - 1)] : [child]
  })
}

/** Other processes whose environment contains a secret. */
const readableProcesses = () =>
  readdirSync('/proc').filter(
    (pid) =>
      /^\d+$/.test(pid) &&
      Number(pid) !== process.pid &&
      attempt(() => readFileSync(`/proc/${pid}/environ`, 'latin1').includes('SECRET')) === true,
  )

const look = async ({ pid, port, socketPath, otherFolder, dataFolder }) => ({
  environment: Object.keys(process.env).sort(),
  environ: attempt(() => readFileSync(`/proc/${pid}/environ`).length),
  memory: attempt(() => readFileSync(`/proc/${pid}/maps`).length),
  processes: readableProcesses(),
  otherTask: attempt(() => readdirSync(otherFolder)),
  otherFile: attempt(() => readFileSync(`${otherFolder}/secret`, 'utf8')),
  data: attempt(() => readFileSync(`${dataFolder}/secrets.json`, 'utf8')),
  own: listReadable(folder).sort(),
  write: attempt(() => writeFileSync(`${otherFolder}/planted`, 'x')),
  tcp: await tryConnect({ port, host: '127.0.0.1' }),
  udp: await tryDatagram(port),
  unix: await tryConnect({ path: socketPath }),
  signal: attempt(() => process.kill(pid, 0)),
  uid: process.getuid(),
})

const result = (path, images = []) => send({ type: 'result', value: { files: [{ path }] }, images })
const report = (value) => send({ type: 'error', error: { kind: 'other', stack: JSON.stringify(value) } })
const redirect = (target, path) => {
  rmSync(path, { recursive: true, force: true })
  symlinkSync(target, path)
}
const exec = (bin, options, args = []) => send({ type: 'exec', id: 1, bin, args, options, sendsLines: false })

const askHost = (request) => send({ type: 'host', id: 1, request })

const actions = {
  see: async (options) => report(await look(options)),
  convert: () => {
    writeFileSync(`${folder}/out/made.png`, 'made')
    result(`${folder}/out/made.png`)
  },
  'summaries of other files': ({ otherFolder }) => {
    const path = `${folder}/out/made.png`
    writeFileSync(path, 'made')
    const summary = { counts: { frames: 1 }, features: [] }
    const paths = [path, `${folder}/source-1.png`, `${otherFolder}/secret`, `${folder}/source-2.png`]
    result(
      path,
      paths.map((imagePath) => ({ path: imagePath, summary })),
    )
  },
  'redirected folder': ({ otherFolder }) => {
    redirect(otherFolder, `${folder}/out`)
    result(`${folder}/out/secret`)
  },
  'redirected file': ({ otherFolder }) => {
    redirect(`${otherFolder}/secret`, `${folder}/out/made.png`)
    result(`${folder}/out/made.png`)
  },
  'outside path': ({ otherFolder }) => result(`${otherFolder}/secret`),
  'path with parents': ({ otherFolder }) => result(`${folder}/out/../../../${otherFolder}/secret`),
  'a folder as result': () => result(`${folder}/out`),
  'a program that reads another task': ({ otherFolder }) =>
    exec('cat', { readOnly: [otherFolder] }, [`${otherFolder}/secret`]),
  'a variable for the launcher': () => exec('true', { env: { LD_PRELOAD: `${folder}/evil.so` } }),
  'a program of its own': () => exec(`${folder}/evil`, {}),
  'an option as program': () => exec('--share-net', {}),
  'a secret of a program': ({ otherFolder }) => exec('cat', {}, [`${otherFolder}/secret`]),
  "another task's file for the host": ({ otherFolder }) =>
    askHost({ from: `${otherFolder}/secret`, to: `${folder}/copy` }),
  'a link for the host': ({ otherFolder }) => {
    redirect(`${otherFolder}/secret`, `${folder}/link`)
    askHost({ from: `${folder}/link`, to: `${folder}/copy` })
  },
  'a folder of another task for the host': ({ otherFolder }) => {
    writeFileSync(`${folder}/own`, 'changed')
    askHost({ from: `${folder}/own`, to: `${otherFolder}/secret` })
  },
  'a redirected target for the host': ({ otherFolder }) => {
    writeFileSync(`${folder}/own`, 'changed')
    redirect(`${otherFolder}/secret`, `${folder}/target`)
    askHost({ from: `${folder}/own`, to: `${folder}/target` })
  },
  'a request that the host does not know': () => askHost('everything'),
  'a file through the host': () => {
    writeFileSync(`${folder}/own`, 'made')
    askHost({ from: `${folder}/own`, to: `${folder}/copy` })
  },
  leave: () => {
    actions.convert()
    writeFileSync(`${folder}/kept`, 'kept')
  },
  crash: () => process.abort(),
  exit: () => process.exit(3),
  garbage: () => writeSync(3, 'HTTP/1.1 200 OK\r\n\r\n'),
  flood: () => {
    for (;;) send({ type: 'progress', ratio: 0 })
  },
  fill: () => {
    const kept = []
    for (;;) kept.push(Buffer.alloc(64 * 1024 * 1024, 1))
  },
  wait: () => undefined,
}

const onHosted = (message) => (message.error ? report(message) : result(`${folder}/copy`))

let pending = Buffer.alloc(0)
process.stdin.on('data', (chunk) => {
  pending = Buffer.concat([pending, chunk])
  while (pending.length >= 8 && pending.length >= 8 + pending.readUInt32LE(0)) {
    const message = JSON.parse(pending.toString('utf8', 8, 8 + pending.readUInt32LE(0)))
    pending = pending.subarray(8 + pending.readUInt32LE(0))
    if (message.type === 'engine') {
      const { options } = message.request.work
      void actions[options.action](options)
    } else if (message.type === 'clear') {
      const isKept = attempt(() => readFileSync(`${folder}/kept`, 'utf8')) === 'kept'
      if (!isKept) {
        for (const name of readdirSync(folder)) rmSync(`${folder}/${name}`, { recursive: true, force: true })
        mkdirSync(`${folder}/out`)
      }
      send({ type: 'cleared' })
    } else if (message.type === 'executed') report(message)
    else if (message.type === 'hosted') onHosted(message)
  }
})
process.stdin.on('end', () => process.exit(0))
mkdirSync(`${folder}/out`)
send({ type: 'ready' })
