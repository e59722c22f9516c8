import type { Answer, Ask } from './worker-messages.ts'
import { drawingScript } from './drawing-files.ts'

/** Pages of a PDF as pictures, wherever they are drawn. */
export interface Pages {
  readonly count: number
  /**
   * @param side pixels of the longer side
   * @returns the picture, or its address
   * @throws Unreadable for a page that cannot be drawn
   */
  draw(page: number, side: number): Promise<ImageBitmap | string>
  close(): void
}

/** What cannot be opened or drawn here. */
export class Unreadable extends Error {
  /** `locked` needs a password, or another one. */
  readonly why: 'locked' | 'unreadable'

  constructor(why: 'locked' | 'unreadable') {
    super(why)
    this.name = 'Unreadable'
    this.why = why
  }
}

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Unreadable): void
}

let line: MessagePort | undefined
const waiting = new Map<number, Waiting>()
let last = 0

/** @throws Unreadable */
export async function openLocal(file: File, password?: string): Promise<Pages> {
  const document = ++last
  const opened = await ask({ kind: 'open', document, file, password })
  return {
    count: 'pages' in opened ? opened.pages : 0,
    draw: async (page, side) => {
      const drawn = await ask({ kind: 'draw', document, page, side })
      if (!('bitmap' in drawn)) throw new Unreadable('unreadable')
      return drawn.bitmap
    },
    close: () => void ask({ kind: 'close', document }).catch(() => {}),
  }
}

type AskOf<Kind extends Ask['kind']> = Omit<Ask & { kind: Kind }, 'id'>

function ask(wanted: AskOf<'open'> | AskOf<'draw'> | AskOf<'close'>): Promise<Answer> {
  line ??= startWorker()
  const port = line
  const id = ++last
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    port.postMessage({ ...wanted, id })
  })
}

/** One for all documents of the page; it stays, as it is what takes long to load. */
function startWorker(): MessagePort {
  const started = new Worker(trusted(new URL(`/web/${drawingScript}`, location.href).href), {
    type: 'module',
  })
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }: MessageEvent<Answer>) => {
    const asker = waiting.get(data.id)
    waiting.delete(data.id)
    if ('failure' in data) asker?.reject(new Unreadable(data.failure))
    else asker?.resolve(data)
  }
  started.onerror = () => {
    started.terminate()
    line = undefined
    for (const [id, { reject }] of waiting) {
      waiting.delete(id)
      reject(new Unreadable('unreadable'))
    }
  }
  // pdf.js listens, too, and expects objects.
  started.postMessage({}, [port2])
  return port1
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): {
    createScriptURL(url: string): string
  }
}

/** The policy of the page lets no text become the address of a script, but for what a rule of this name has seen. */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  rule ??= trustedTypes?.createPolicy('drawing', {
    createScriptURL: (asked) => {
      if (new URL(asked).origin !== location.origin)
        throw new TypeError('scripts come from the service alone')
      return asked
    },
  })
  return rule?.createScriptURL(url) ?? url
}
let rule: ReturnType<TrustedTypes['createPolicy']> | undefined
