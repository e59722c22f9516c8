import filenamify from 'filenamify'

const longest = 200

/** A client's file name as it is shown and given back: no folders, no control characters, no reserved ones. */
export function fileName(given: string | undefined): string {
  const base = (given ?? '').replaceAll('\\', '/').split('/').at(-1) ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
  const clean = filenamify(base.replace(/[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, ''), {
    replacement: '_',
    maxLength: longest,
  })
  return /^[._]*$/.test(clean) ? 'file' : clean
}

/** `report.final.docx` with `pdf` becomes `report.final.pdf`, and `files.tar.gz` with `zip` `files.zip`. */
export function withExtension(name: string, extension: string): string {
  return `${name.replace(/(?<=.)(?:\.tar)?\.[^.]*$/i, '')}.${extension}`
}
