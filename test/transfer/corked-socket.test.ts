import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { test } from 'node:test'
import { corkWrites } from '../../lib/transfer/corked-socket.ts'

test('three consecutive writes to a corked socket are sent as one, and a later write is sent separately', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const receivedText = once(server, 'connection').then(async ([socket]) => (await socket.toArray()).join(''))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  const writeSizes: number[] = []
  socket._write = (chunk, encoding, callback) => {
    writeSizes.push(1)
    Socket.prototype._write.call(socket, chunk, encoding, callback)
  }
  socket._writev = (chunks, callback) => {
    writeSizes.push(chunks.length)
    Socket.prototype._writev?.call(socket, chunks, callback)
  }
  corkWrites(socket)
  const writtenPackets = Promise.withResolvers<unknown>()
  socket.write('le')
  socket.write(Buffer.from('ngth'))
  socket.write('tag', writtenPackets.resolve)
  await writtenPackets.promise
  socket.end('next')
  assert.equal(await receivedText, 'lengthtagnext')
  assert.deepEqual(writeSizes, [3, 1])
})
