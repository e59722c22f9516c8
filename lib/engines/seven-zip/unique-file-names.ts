import { sanitizeFileName } from '../../names/file-name.ts'

/** File systems allow 255 bytes; the rest is reserved for a number. */
const maxNameBytes = 240

/**
 * Returns a function that names files for a single folder: without paths, control characters and reserved names, and
 * numbered like `name (2).ext` if a name repeats, ignoring case.
 */
export function createFileNamer(): (originalName: string) => string {
  const lastNumberByName = new Map<string, number>()
  return (originalName) => {
    const [stem, extension] = splitExtension(sanitizeFileName(originalName.toWellFormed()))
    const key = toComparisonKey(`${stem}${extension}`)
    let number = lastNumberByName.get(key) ?? 0
    let name: string
    do {
      number++
      name = number === 1 ? `${stem}${extension}` : `${stem} (${number})${extension}`
    } while (number > 1 && lastNumberByName.has(toComparisonKey(name)))
    lastNumberByName.set(key, number)
    if (number > 1) lastNumberByName.set(toComparisonKey(name), 1)
    return name
  }
}

/** Returns a key for comparing names: some file systems ignore case, and some decompose accented characters. */
const toComparisonKey = (name: string) => name.normalize('NFC').toLowerCase()

function splitExtension(name: string): [stem: string, extension: string] {
  const extension = /(?<=.)(?:\.tar)?\.[^.]{1,16}$/i.exec(name)?.[0] ?? ''
  const stem = name.slice(0, name.length - extension.length)
  const buffer = new Uint8Array(maxNameBytes - Buffer.byteLength(extension))
  // encodeInto never writes a part of a character.
  const { read } = new TextEncoder().encodeInto(stem, buffer)
  return [stem.slice(0, read), extension]
}
