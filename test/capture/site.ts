import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { join } from 'node:path'
import { captureWebsite } from '../../lib/capture/capture.ts'
import { CaptureFields } from '../../lib/capture/capture-fields.ts'
import type { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const workDir = scratchFolder('websites')

/** Runs a capture task with these fields through this HTTP client. */
export async function capture(guardedHttp: GuardedHttp, input: Readonly<Record<string, unknown>>) {
  const fields = CaptureFields.parse(input)
  const { signal } = new AbortController()
  const { file, warnings } = await captureWebsite(fields, {
    guardedHttp,
    signal,
    workDir,
    progress: () => {},
  })
  const format = file.filename.split('.').at(-1)
  return { path: join(workDir, `page.${format}`), filename: file.filename, warnings }
}

export const html = { 'content-type': 'text/html; charset=utf-8' }

/** Test websites, each at its own address. */
export class TestSites {
  readonly #servers: (Server | TcpServer)[] = []

  /** Starts a website. @param host an address of 127.0.0.0/8. */
  async serve(host: string, listener: RequestListener) {
    const server = createServer(listener)
    await this.#listen(server, host)
    const { port } = server.address() as AddressInfo
    return { port, url: `http://${host}:${port}/`, host: `${host}:${port}` }
  }

  /** Starts a server that counts its connections, for addresses that must never be reached. */
  async startTrap(host: string, port = 0) {
    let connections = 0
    const server = createTcpServer((socket) => {
      connections++
      socket.end('HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 7\r\n\r\nreached')
    })
    await this.#listen(server, host, port)
    return { port: (server.address() as AddressInfo).port, connections: () => connections }
  }

  close(): void {
    for (const server of this.#servers) {
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
    }
  }

  #listen(server: Server | TcpServer, host: string, port = 0): Promise<void> {
    this.#servers.push(server)
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
  }
}
