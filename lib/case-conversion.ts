/** Names as tasks spell them, `audio_codec`, and as the rest of the interface does, `audioCodec`. */

export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
export const camelCase = (name: string) =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
