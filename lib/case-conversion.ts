/** Names as tasks spell them, `audio_codec`, and as the rest of the interface does, `audioCodec`. */

export const snakeCase = (name: string) =>
  name.replace(/[A-Z]/g, (character) => `_${character.toLowerCase()}`)
export const camelCase = (name: string) =>
  name.replace(/_([a-z])/g, (_, character: string) => character.toUpperCase())
