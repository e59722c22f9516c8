const encryptsPagesPattern = /\/(?:StmF|StrF)\s{0,9}\/(?!Identity\b)/
const encryptsAttachmentsPattern = /\/EFF\s{0,9}\/(?!Identity\b)/

/**
 * Whether a PDF encrypts its attachments and nothing else: its crypt filters leave strings and streams alone (ISO
 * 32000-2, 7.6.5). Readers show such a PDF without a password.
 * @param text the file, or the parts of it with the trailer and the encryption dictionary.
 */
export function encryptsOnlyAttachments(text: string): boolean {
  const dictPositions = new Set<number | string>()
  for (const { index, 1: number, 2: generation } of text.matchAll(encryptEntryPattern)) {
    dictPositions.add(number === undefined ? index : `${number} ${generation} obj`)
    if (dictPositions.size > maxDicts) return false
  }
  const dicts = [...dictPositions].flatMap((position) => {
    const start = typeof position === 'number' ? position : findObject(text, position)
    return start === undefined ? [] : [text.slice(start, start + maxDictLength)]
  })
  return dicts.length > 0 && dicts.every(encryptsNoPages)
}

const encryptEntryPattern = /\/Encrypt\s{0,9}(?:(\d{1,10}) (\d{1,5}) R|<<)/g
/**
 * Maximum number of encryption dictionaries that are looked up, each in the whole file. A file has one dictionary, to
 * which each update of the file refers again.
 */
const maxDicts = 8
const maxDictLength = 4096

function findObject(text: string, head: string): number | undefined {
  const start = text.lastIndexOf(`\n${head}`)
  const foundAt = start === -1 ? text.lastIndexOf(`\r${head}`) : start
  return foundAt === -1 ? undefined : foundAt
}

function encryptsNoPages(text: string): boolean {
  const end = text.indexOf('endobj')
  const dict = end === -1 ? text : text.slice(0, end)
  return !encryptsPagesPattern.test(dict) && encryptsAttachmentsPattern.test(dict)
}

/**
 * Removes the encryption of a PDF that encrypts only its attachments, so that every program opens it. The attachments
 * remain encrypted, and all offsets stay the same.
 */
export const removeEncryption = (text: string) =>
  text
    .replaceAll(/\/Encrypt\s{0,9}\d{1,10} \d{1,5} R/g, (entry) => ' '.repeat(entry.length))
    .replaceAll(/\/Encrypt(?=\s{0,9}<<)/g, '/Ignored')
