// A decoder program that a file has taken over: the name of the file says what it does.
import { readdirSync, readFileSync, readSync, writeSync } from 'node:fs'
import { connect } from 'node:net'

function readExactly(length) {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; ) at += readSync(0, bytes, at, length - at, null) || process.exit(0)
  return bytes
}

function receive() {
  const header = readExactly(8)
  const message = JSON.parse(readExactly(header.readUInt32LE(0)).toString())
  readExactly(header.readUInt32LE(4))
  return message
}

function send(message, length) {
  const json = Buffer.from(JSON.stringify(message))
  const header = Buffer.alloc(8)
  header.writeUInt32LE(length ?? json.length, 0)
  writeSync(3, Buffer.concat([header, json]))
}

const attempt = (action) => {
  try {
    return action()
  } catch (error) {
    return error.code ?? String(error)
  }
}

const tryConnect = (port) =>
  new Promise((resolve) => {
    connect(port, '127.0.0.1')
      .on('connect', () => resolve('connected'))
      .on('error', (error) => resolve(error.code))
  })

/** Returns what the program can see and reach. The file name contains "see", the parent's pid, a port and a folder. */
async function look([, pid, port, folder]) {
  return {
    environment: Object.keys(process.env).sort(),
    parent: attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8').length),
    files: attempt(() => readdirSync(folder)),
    signal: attempt(() => process.kill(Number(pid), 0)),
    network: await tryConnect(Number(port)),
    uid: process.getuid(),
  }
}

const actions = {
  exit: () => process.exit(3),
  spin: () => {
    for (;;);
  },
  wait: () => new Promise(() => setInterval(() => undefined, 1000)),
  fill: () => {
    const kept = []
    for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1))
  },
  heap: () => {
    const kept = []
    for (;;) kept.push(new Array(1_000_000).fill(0.5))
  },
  garbage: () => writeSync(3, 'HTTP/1.1 200 OK\r\n\r\n'),
  huge: () => send({ type: 'result', value: 1 }, 2 ** 31),
  format: () => send({ type: 'result', value: { format: 'made-up' } }),
  code: () => send({ type: 'refusal', code: 'MADE_UP', message: 'x' }),
  read: () => {
    send({ type: 'read', start: 0, end: 2 ** 40 })
    receive()
    send({ type: 'result', value: { format: 'png' } })
  },
  scan: () => {
    for (;;) {
      send({ type: 'read', start: 0, end: 2 ** 40 })
      receive()
    }
  },
  flood: () => {
    for (;;) send({ type: 'read', start: 0, end: 2 ** 40 })
  },
  hoard: () => {
    for (;;) {
      send({ type: 'read', start: 0, end: 2 ** 40 })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  },
  see: async (words) => send({ type: 'failure', message: JSON.stringify(await look(words)) }),
  name: () => send({ type: 'result', value: { format: 'png' } }),
}

send({ type: 'ready' })
for (;;) {
  const { filename } = receive()
  const words = filename.split(' ')
  await actions[words[0]](words)
}
