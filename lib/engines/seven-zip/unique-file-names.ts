import { fileName } from '../../file-name.ts'

/** File systems take 255 bytes; the rest is for a number. */
const longestBytes = 240

/**
 * Gives names to files that are to stand side by side: without folders, control characters or what systems reserve, and
 * told apart where they are the same but for case, as `name (2).ext`.
 */
export function freeNames(): (given: string) => string {
  const last = new Map<string, number>()
  return (given) => {
    const [stem, extension] = parted(fileName(given.toWellFormed()))
    const key = keyOf(`${stem}${extension}`)
    let number = last.get(key) ?? 0
    let name: string
    do {
      number++
      name = number === 1 ? `${stem}${extension}` : `${stem} (${number})${extension}`
    } while (number > 1 && last.has(keyOf(name)))
    last.set(key, number)
    if (number > 1) last.set(keyOf(name), 1)
    return name
  }
}

/** Some systems know no case, and some write accents as letters of their own. */
const keyOf = (name: string) => name.normalize('NFC').toLowerCase()

function parted(name: string): [stem: string, extension: string] {
  const extension = /(?<=.)(?:\.tar)?\.[^.]{1,16}$/i.exec(name)?.[0] ?? ''
  const stem = name.slice(0, name.length - extension.length)
  const room = new Uint8Array(longestBytes - Buffer.byteLength(extension))
  // Ends before a letter that has no room, never within one.
  const { read } = new TextEncoder().encodeInto(stem, room)
  return [stem.slice(0, read), extension]
}
