/** HTML 4 names of U+00A0 to U+00FF, in order. They are common in SAMI files of western languages. */
const latin1EntityNames = [
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute',
  'micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig',
  'Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash',
  'Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute',
  'ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc',
  'uuml yacute thorn yuml',
].flatMap((row) => row.split(' '))

const entityCharacters = new Map([
  ...latin1EntityNames.map((name, index): [string, string] => [name, String.fromCharCode(0xa0 + index)]),
  ...Object.entries({ amp: '&', quot: '"', apos: "'", hellip: '…', ndash: '–', mdash: '—', lsquo: '‘' }),
  ...Object.entries({ rsquo: '’', ldquo: '“', rdquo: '”', bdquo: '„', sbquo: '‚', euro: '€', bull: '•' }),
])

/** Decodes HTML entities, except angle brackets, which would turn text into tags. */
export function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+\d*));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return entityCharacters.get(name) ?? entity
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    const isDecodable = code >= 0x20 && code <= 0x10ffff && code !== 0x3c && code !== 0x3e
    return isDecodable ? String.fromCodePoint(code) : entity
  })
}
