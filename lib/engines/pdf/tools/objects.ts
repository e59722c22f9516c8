import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { EngineCrash } from '../../sandbox/engine-crash.ts'
import { createCorruptPdfError, runQpdf } from '../qpdf.ts'

/**
 * A PDF object in qpdf's JSON (qpdf manual, "qpdf JSON"): names start with `/`, strings with `u:` or, as hexadecimal
 * bytes, with `b:`, and `12 0 R` is a reference to another object.
 */
export type PdfValue = null | boolean | number | string | PdfValue[] | PdfDict
export interface PdfDict {
  [key: string]: PdfValue
}
export type PdfRef = string

const QpdfEntry = z.looseObject({
  value: z.unknown().optional(),
  stream: z.looseObject({ dict: z.record(z.string(), z.unknown()) }).optional(),
})
const QpdfJson = z.object({
  qpdf: z.tuple([z.looseObject({ maxobjectid: z.int() }), z.record(z.string(), QpdfEntry)]),
})

/** A larger JSON text would block the worker for seconds while it is parsed. */
const maxBytes = 160 * 1024 * 1024
/** Maximum nesting, deeper than in any real document; stops infinite loops. */
const maxDepth = 100

export function isPdfDict(value: PdfValue | undefined): value is PdfDict {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isPdfRef(value: PdfValue | undefined): value is PdfRef {
  return typeof value === 'string' && /^\d+ \d+ R$/.test(value)
}

/** A leaf of the page tree (ISO 32000-1, 7.7.3). */
export interface PdfPage {
  readonly ref: PdfRef
  readonly dict: PdfDict
  /** Returns an attribute of the page, which may be inherited from the page tree. */
  readInherited(key: string): PdfValue | undefined
}

/** The objects of a PDF, without the data of its streams. They can be read, changed and written back with qpdf. */
export class PdfObjects {
  readonly #path: string
  readonly #entries: Record<string, z.infer<typeof QpdfEntry>>
  readonly #changedKeys = new Set<string>()
  #lastId: number

  private constructor(path: string, { qpdf: [{ maxobjectid }, entries] }: z.infer<typeof QpdfJson>) {
    this.#path = path
    this.#entries = entries
    this.#lastId = maxobjectid
  }

  /** Reads the objects of a PDF. @throws AppError CORRUPT_FILE, FILE_TOO_LARGE. */
  static async load(path: string, tools: Tools): Promise<PdfObjects> {
    const json = `${path}.json`
    const job = { inputFile: path, jsonOutput: '2', jsonStreamData: 'none', outputFile: json }
    try {
      await runQpdf(job, tools, { maxFileBytes: maxBytes })
      return new PdfObjects(path, QpdfJson.parse(JSON.parse(await readFile(json, 'utf8'))))
    } catch (error) {
      if (error instanceof AppError && error.cause instanceof EngineCrash)
        throw createTooManyObjectsError(error)
      if (error instanceof z.ZodError || error instanceof SyntaxError) throw createCorruptPdfError(error)
      throw error
    } finally {
      await rm(json, { force: true })
    }
  }

  get trailer(): PdfDict {
    const value = this.#value('trailer')
    return isPdfDict(value) ? value : {}
  }

  /** The catalog, the root of everything except the pages. */
  get root(): PdfDict {
    return this.dict(this.trailer['/Root']) ?? {}
  }

  get refs(): PdfRef[] {
    return Object.keys(this.#entries).flatMap((key) => (key.startsWith('obj:') ? [key.slice(4)] : []))
  }

  #value(key: string): PdfValue {
    const entry = this.#entries[key]
    // qpdf's JSON contains no other types.
    return (entry?.stream?.dict ?? entry?.value ?? null) as PdfValue
  }

  /** Returns a value, or the object that it refers to. A stream is represented by its dictionary. */
  resolve(value: PdfValue | undefined): PdfValue {
    let foundValue = value ?? null
    for (let depth = 0; isPdfRef(foundValue) && depth < maxDepth; depth++)
      foundValue = this.#value(`obj:${foundValue}`)
    return isPdfRef(foundValue) ? null : foundValue
  }

  dict(value: PdfValue | undefined): PdfDict | undefined {
    const foundValue = this.resolve(value)
    return isPdfDict(foundValue) ? foundValue : undefined
  }

  list(value: PdfValue | undefined): PdfValue[] {
    const foundValue = this.resolve(value)
    return Array.isArray(foundValue) ? foundValue : []
  }

  isStream(ref: PdfRef): boolean {
    return this.#entries[`obj:${ref}`]?.stream !== undefined
  }

  /** Marks an object that was changed in place. */
  markChanged(ref: PdfRef): void {
    this.#changedKeys.add(`obj:${ref}`)
  }

  markRootChanged(): void {
    const root = this.trailer['/Root']
    if (isPdfRef(root)) this.markChanged(root)
  }

  set(ref: PdfRef, value: PdfValue): void {
    this.#entries[`obj:${ref}`] = { value }
    this.markChanged(ref)
  }

  add(value: PdfValue): PdfRef {
    this.#lastId++
    const ref = `${this.#lastId} 0 R`
    this.set(ref, value)
    return ref
  }

  addStream(data: string, dict: PdfDict = {}): PdfRef {
    const ref = this.add(null)
    this.#entries[`obj:${ref}`] = { stream: { dict, data: Buffer.from(data).toString('base64') } }
    return ref
  }

  /** Returns the content streams of a page, which may be one or a list. */
  listContentStreams({ dict }: Pick<PdfPage, 'dict'>): PdfValue[] {
    const contents = dict['/Contents'] ?? []
    return isPdfRef(contents) && this.isStream(contents) ? [contents] : [...this.list(contents)]
  }

  pages(): PdfPage[] {
    const pages: PdfPage[] = []
    const seenKeys = new Set<string>()
    const walk = (node: PdfValue | undefined, ancestors: readonly PdfDict[]) => {
      const dict = this.dict(node)
      if (!dict || !isPdfRef(node) || seenKeys.has(node) || ancestors.length > maxDepth) return
      seenKeys.add(node)
      const chain = [dict, ...ancestors]
      if (Array.isArray(this.resolve(dict['/Kids']))) {
        for (const kid of this.list(dict['/Kids'])) walk(kid, chain)
        return
      }
      pages.push({
        ref: node,
        dict,
        readInherited: (key) => chain.find((candidate) => key in candidate)?.[key],
      })
    }
    walk(this.root['/Pages'], [])
    return pages
  }

  /** Writes the changed document, without objects that nothing refers to any more. */
  async save(path: string, tools: Tools, objectStreams: 'generate' | 'disable' = 'generate'): Promise<void> {
    const updatePath = join(tools.workDir, 'update.json')
    const changedObjects = Object.fromEntries([...this.#changedKeys].map((key) => [key, this.#update(key)]))
    const head = { jsonversion: 2, pdfversion: '1.7', maxobjectid: this.#lastId }
    await writeFile(updatePath, JSON.stringify({ qpdf: [head, changedObjects] }))
    try {
      await runQpdf(
        { inputFile: this.#path, updateFromJson: updatePath, objectStreams, outputFile: path },
        tools,
      )
    } finally {
      await rm(updatePath, { force: true })
    }
  }

  /** Returns the update of an object. Without `data`, qpdf keeps the data of the stream. */
  #update(key: string) {
    const entry = this.#entries[key]
    return entry?.stream ? { stream: entry.stream } : { value: entry?.value ?? null }
  }
}

function createTooManyObjectsError(cause: Error): AppError {
  const message = 'The PDF has too many objects for this tool. Split it first.'
  return new AppError('FILE_TOO_LARGE', message, undefined, { cause })
}

/** Decodes a string of qpdf's JSON; returns undefined for binary strings. */
export function decodePdfText(value: PdfValue | undefined): string | undefined {
  return typeof value === 'string' && value.startsWith('u:') ? value.slice(2) : undefined
}
