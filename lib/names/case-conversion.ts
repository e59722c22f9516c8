/** Converts names between the spelling of task fields, `audio_codec`, and that of the rest of the API, `audioCodec`. */

export const toSnakeCase = (name: string) =>
  name.replace(/[A-Z]/g, (character) => `_${character.toLowerCase()}`)
export const toCamelCase = (name: string) =>
  name.replace(/_([a-z])/g, (_, character: string) => character.toUpperCase())
