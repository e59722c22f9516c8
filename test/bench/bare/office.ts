import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface BareOffice {
  toPdf(document: string): Promise<void>
  close(): Promise<void>
}

/** Starts an office process with a separate profile in this folder; it converts one document at a time. */
export async function startBareOffice(folder: string): Promise<BareOffice> {
  await mkdir(folder, { recursive: true })
  const engine = join(import.meta.dirname, '../../../layers/office')
  const program = join(import.meta.dirname, 'office.py')
  const pipeName = `mutabor-bench-${process.pid}-${count++}`
  const child = spawn('/usr/bin/python3', ['-B', program, engine, folder, pipeName], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  const exitEvent = once(child, 'exit')
  const waitForLine = () =>
    Promise.race([
      once(lines, 'line'),
      exitEvent.then(([code]) => Promise.reject(new Error(`the bare office ended with ${code}`))),
    ])
  await waitForLine()
  return {
    toPdf: async (document) => {
      // LibreOffice locks documents, even against other LibreOffice processes.
      const sourceCopy = join(folder, 'source.docx')
      await copyFile(document, sourceCopy)
      child.stdin.write(`${sourceCopy}\t${join(folder, 'result.pdf')}\n`)
      await waitForLine()
    },
    close: async () => {
      child.stdin.end()
      await exitEvent
    },
  }
}

let count = 0
